"""Compiled loops load numba with their first call, call each other, and are pickled like
functions.
"""

import gc
import pickle
from concurrent.futures import ThreadPoolExecutor

import numba
import numpy as np
import pytest
from child_process import run_script

from wideberth import compilation
from wideberth.compilation import (
    FEW_OPERATIONS,
    compile_from_the_first_call,
    compiled,
    in_python_if_few,
    is_compiled,
    is_worth_compiling,
)


@compiled(inline="always")
def half(number):
    return number / 2


@compiled
def halves(numbers):
    for i in range(len(numbers)):
        numbers[i] = half(numbers[i])


@compiled(error_model="numpy")
def quotient(number, divisor):
    return number / divisor


def test_compiled_functions_call_each_other():
    numbers = np.array([1.0, 2.0])
    halves(numbers)
    np.testing.assert_array_equal(numbers, [0.5, 1.0])
    assert half(3.0) == 1.5


@compiled
def halved_twice(numbers, start=0):
    for i in range(start, len(numbers)):
        numbers[i] = half(half(numbers[i]))


def test_in_python_the_functions_that_are_called_run_in_python_too():
    assert "numba" not in type(halved_twice.in_python.__globals__["half"]).__module__
    assert halved_twice.in_python.__globals__["half"] is half.in_python
    numbers = np.array([4.0, 8.0])
    halved_twice.in_python(numbers)
    np.testing.assert_array_equal(numbers, [1.0, 2.0])
    assert halved_twice.unused
    halved_twice(numbers, 1)
    np.testing.assert_array_equal(numbers, [1.0, 0.5])


def test_few_operations_run_in_python_until_they_are_many():
    @compiled
    def double(number):
        return 2 * number

    calls = [in_python_if_few(double, FEW_OPERATIONS // 2) is double for _ in range(4)]
    assert calls == [False, False, True, True]


def test_options_reach_the_compiler():
    assert quotient(1.0, np.float64(0.0)) == np.inf


def test_a_kernel_keeps_the_name_and_the_text_of_its_function():
    assert halves.__name__ == "halves"
    assert halves.__module__ == __name__
    assert halves.__wrapped__ is halves.py_func


def test_a_kernel_is_pickled_by_its_name():
    assert pickle.loads(pickle.dumps(halves)) is halves


def test_threads_that_come_first_together_share_one_dispatcher():
    @compiled
    def double(number):
        return 2 * number

    with ThreadPoolExecutor(8) as threads:
        dispatchers = list(threads.map(lambda _: double.dispatcher(), range(32)))
    assert len({id(dispatcher) for dispatcher in dispatchers}) == 1
    assert double(4) == 8


def test_numba_is_loaded_with_the_first_call():
    finished = run_script(
        "import sys\n"
        "from wideberth.metrics.axioms_kernels import worst_triangle\n"
        "assert 'numba' not in sys.modules\n"
        "worst_triangle.dispatcher()\n"
        "assert 'numba' in sys.modules\n",
        cpu_seconds=60,
    )
    assert finished.returncode == 0, finished.stderr


def test_a_process_that_runs_long_does_nothing_in_python(monkeypatch):
    monkeypatch.setattr(compilation, "_python_may_do", FEW_OPERATIONS)

    @compiled
    def double(number):
        return 2 * number

    assert in_python_if_few(double, 1) is not double
    compile_from_the_first_call()
    assert in_python_if_few(double, 1) is double


RACE = """
import importlib.util, sys
from pathlib import Path
source = Path(sys.argv[1]) / "doubling_kernels.py"
text = "from wideberth.compilation import compiled\\n\\n@compiled\\ndef doubled(number):\\n    return number + number\\n"
source.write_text(text)

def new_kernel():
    spec = importlib.util.spec_from_file_location("doubling_kernels", source)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.doubled

one, other = new_kernel(), new_kernel()                  # as two processes have them
mine, theirs = (kernel.dispatcher()._cache._cache_file for kernel in (one, other))
save = mine._save_data

def late(name, data):                                    # the other process has read the index before ours was in it
    theirs._load_index = lambda: {}
    assert other(1.5) == 3.0
    save(name, data)

mine._save_data = late
assert one(2) == 4
fresh = new_kernel()
assert (fresh(2), fresh(1.5)) == (4, 3.0), (fresh(2), fresh(1.5))
"""


def test_processes_that_compile_for_different_types_at_once_never_run_the_code_of_each_other(
    tmp_path,
):
    script = f"import sys; sys.argv = ['', {str(tmp_path)!r}]\n" + RACE
    finished = run_script(script, cpu_seconds=60)
    assert finished.returncode == 0, finished.stderr


@compiled
def _share(number, parts):
    return number / parts


@compiled
def shares(numbers, parts):
    for i in range(len(numbers)):
        numbers[i] = _share(numbers[i], parts) + _share(numbers[i], 2)


@pytest.fixture
def nothing_on_disk(tmp_path, monkeypatch):
    """What is first called now is compiled, also if an earlier run of the tests has kept it."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))


def test_what_only_loops_call_is_compiled_once_for_them_and_not_for_python(nothing_on_disk):
    before = gc.get_threshold()
    numbers = np.array([4.0, 8.0])
    shares(numbers, np.int32(4))
    np.testing.assert_array_equal(numbers, [3.0, 6.0])
    assert len(_share.dispatcher().signatures) == 1
    assert gc.get_threshold() == before
    with pytest.raises(TypeError, match=r"call _share\.py_func from Python"):
        _share(8.0, 4)
    assert _share.py_func(8.0, 4) == 2.0


def test_garbage_is_looked_for_rarely_while_a_loop_is_compiled(nothing_on_disk, monkeypatch):
    seen = []
    monkeypatch.setattr(gc, "set_threshold", lambda *thresholds: seen.append(thresholds))
    usual = gc.get_threshold()

    @compiled
    def nothing():
        return None

    nothing()
    assert seen == [(compilation._NEW_OBJECTS, *usual[1:]), usual]


def test_what_was_compiled_is_known_also_from_the_disk():
    @compiled
    def never(number):
        return number

    halves(np.array([1.0]))
    anew = compiled(halves.py_func)  # as in another process
    assert (is_compiled(halves), is_compiled(anew), is_compiled(never)) == (True, True, False)


def test_whoever_looks_is_told_while_a_thread_prepares_code():
    assert not compilation.is_compiling(0.0)
    compilation._begin_preparing()
    try:
        assert compilation.is_compiling(0.0)
        assert not compilation.is_compiling(1e9)
    finally:
        compilation._end_preparing()
    assert not compilation.is_compiling(0.0)


@pytest.mark.kernels
def test_work_is_compiled_for_once_it_has_become_much(nothing_on_disk):
    def successor(number):
        return number + 1

    loop, other = compiled(successor), compiled(successor)
    assert not is_worth_compiling(loop, 0.4)
    assert loop.unused, "numba need not be loaded to know"
    assert not is_worth_compiling(loop, 2.0)
    assert is_worth_compiling(loop, 0.7)
    loop(1)
    assert not is_worth_compiling(other, 0.4)
    assert is_worth_compiling(other, 0.2), "what is compiled needs to be loaded alone"
