"""What holds for all tests, so that they cost little: one thread, an untraced compiler, and half of the examples."""

import functools
import os
import sys
from collections.abc import Callable
from typing import Any

# Matrices are small here: more threads than this one wait for each other, beside the other workers.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import pytest
from hypothesis import is_hypothesis_test, settings
from numba.core.dispatcher import Dispatcher

#: Property tests have at least so many examples, whatever is saved.
FEWEST_EXAMPLES = 10


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


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Under the profile of `make test`, which tries the same examples in every run, half of them are enough.

    Plain pytest and `make test-slow` look for new ones, and try as many as each test says.
    """
    if config.getoption("--hypothesis-profile") != "ci":
        return
    for function in {item.obj for item in items if is_hypothesis_test(getattr(item, "obj", None))}:
        asked = function._hypothesis_internal_use_settings
        function._hypothesis_internal_use_settings = settings(asked, max_examples=fewer(asked.max_examples))


def fewer(examples: int) -> int:
    return max(min(examples, FEWEST_EXAMPLES), examples // 2)
