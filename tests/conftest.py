"""What holds for all tests, so that they cost little: one thread, an untraced compiler, few
examples, and of products of parameters a sample.
"""

import functools
import itertools
import os
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Generator, Iterator
from typing import Any

# Matrices are small here: more threads than this one wait for each other, beside the other workers.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import pytest
from hypothesis import is_hypothesis_test, settings
from numba.core.dispatcher import Dispatcher

#: Property tests have at least so many examples, whatever is saved.
FEWEST_EXAMPLES = 5
#: One of so many examples is tried where every run meets the same ones.
EXAMPLES_OF = 10
#: Examples of a property test, and parameters of a test, that coverage sees: the others seldom
#: reach new lines.
TRACED_EXAMPLES, TRACED_PARAMETERS = 2, 2

#: The parameters of scikit-learn's ``parametrize_with_checks``.
OF_SCIKIT_LEARN = ("estimator", "check")

_times_called: Counter[Any] = Counter()


def untraced(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same function; nothing that it calls is traced."""

    @functools.wraps(function)
    def call(*args: Any, **settings: Any) -> Any:
        tracer = sys.gettrace()
        if tracer is None:
            return function(*args, **settings)
        sys.settrace(None)
        try:
            return function(*args, **settings)
        finally:
            sys.settrace(tracer)

    return call


# The compiler takes half as long again where coverage traces it.
Dispatcher.compile = untraced(Dispatcher.compile)


def is_short(config: pytest.Config) -> bool:
    """Whether this is `make test`, which tries the same examples in every run; its coverage has a
    floor, and need not be exact.

    Plain pytest and `make test-slow` look for new examples, try as many as each test says, and
    trace everything with ``--cov``.
    """
    return bool(config.getoption("--hypothesis-profile") == "ci")


@pytest.hookimpl(tryfirst=True)  # before `-m` looks at the marks
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Most of a product of parameters is slow; a part of the examples is enough in `make test`."""
    for item in [*beyond_a_sample(items), *beyond_the_few(items)]:
        item.add_marker(pytest.mark.slow)
    if not is_short(config):
        return
    for function in {item.obj for item in items if is_hypothesis_test(getattr(item, "obj", None))}:
        asked = function._hypothesis_internal_use_settings
        function._hypothesis_internal_use_settings = settings(
            asked,
            max_examples=fewer(asked.max_examples),
            derandomize=config.getoption("--hypothesis-seed") is None,  # else the seed is ignored
        )
        function.hypothesis.inner_test = traced_at_first(function.hypothesis.inner_test)


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, Any, Any]:
    """Coverage sees the first parameters of a test."""
    _times_called[pyfuncitem.function] += 1
    tracer = sys.gettrace()
    if is_short(pyfuncitem.config) and _times_called[pyfuncitem.function] > TRACED_PARAMETERS:
        sys.settrace(None)
    try:
        return (yield)
    finally:
        sys.settrace(tracer)


def traced_at_first(test: Callable[..., Any]) -> Callable[..., Any]:
    """The same test; coverage sees its first examples."""
    rest, seen = untraced(test), itertools.count()

    @functools.wraps(test)
    def call(*args: Any, **drawn: Any) -> Any:
        return (test if next(seen) < TRACED_EXAMPLES else rest)(*args, **drawn)

    return call


def beyond_a_sample(items: list[pytest.Item]) -> Iterator[pytest.Item]:
    """The parameters of tests all of whose values were met before, each with other partners.

    A test with several ``parametrize`` marks, or a fixture with ``params`` beside one, runs for all
    combinations. What can break it is mostly one of the values: the first combinations in which
    each value occurs are the sample.
    """
    met: dict[Any, set[Any]] = defaultdict(set)
    for item in items:
        if isinstance(item, pytest.Function) and hasattr(item, "callspec"):
            values = set(values_by_mark(item))
            seen = met[item.path, item.cls, item.originalname]
            if values <= seen:
                yield item
            seen |= values


def beyond_the_few(items: list[pytest.Item]) -> Iterator[pytest.Item]:
    """Where a test is marked ``few(n)``, all its parameters but n, which are spread evenly."""
    marked: dict[Any, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if item.get_closest_marker("few") and not item.get_closest_marker("slow"):
            marked[item.path, item.cls, item.originalname].append(item)
    for same in marked.values():
        few = same[0].get_closest_marker("few").args[0]
        chosen = {len(same) * place // few for place in range(few)}
        yield from (item for number, item in enumerate(same) if number not in chosen)


def values_by_mark(item: pytest.Function) -> Iterator[tuple[Any, ...]]:
    """The values of a test, one for each mark or fixture that was multiplied with the others."""
    params = item.callspec.params
    marks = [mark.args[0] for mark in item.iter_markers("parametrize") if mark.args]
    together = [
        tuple(name.strip() for name in (names.split(",") if isinstance(names, str) else names))
        for names in marks
    ]
    if OF_SCIKIT_LEARN in together:  # a product too: all checks of the first, one of each other
        check = params["check"]
        yield "check", check.func.__name__, str(check.keywords)
        together, params = [("estimator",)], params | {"check": None}
    alone = params.keys() - {name for names in together for name in names}
    for names in [*together, *((name,) for name in alone)]:
        # equal numbers of two types are two values, and so are two objects that are equal
        yield (
            names,
            *(
                (type(value), value) if isinstance(value, str | int | float | None) else id(value)
                for value in (params.get(name) for name in names)
            ),
        )


def fewer(examples: int) -> int:
    return max(min(examples, FEWEST_EXAMPLES), examples // EXAMPLES_OF)
