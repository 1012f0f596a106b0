"""Machine code that comes with the package is found by the types of arguments, which are those that
numba sees, and is not used once the sources have changed.
"""

import inspect
import runpy
import sys
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import numba
import numpy as np
import pytest
from child_process import run_script
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from wideberth import precompiled
from wideberth.compilation import compiled, is_compiled

ROOT = Path(__file__).parents[1]
TOOL = runpy.run_path(str(ROOT / "tools" / "precompile.py"))
numba_type = TOOL["numba_type"]


class Place(NamedTuple):
    """Two arrays in one argument."""

    where: np.ndarray
    height: float


DTYPES = ["f8", "f4", "i8", "i4", "i2", "u8", "u4", "u2", "u1", "i1", "?"]


@st.composite
def seen_arrays(draw):
    """Arrays of all layouts: slices, steps, transposes, read-only ones."""
    array = draw(arrays(draw(st.sampled_from(DTYPES)), array_shapes(max_dims=3, max_side=4)))
    if draw(st.booleans()):
        array = array.T
    if draw(st.booleans()):
        array = array[..., :: draw(st.sampled_from([1, 2, -1]))]
    if draw(st.booleans()):
        array = array[1:]
    array.flags.writeable = draw(st.booleans())
    return array


@given(seen_arrays())
def test_an_array_is_described_as_numba_sees_it(array):
    assert numba_type(precompiled.described(array)) == numba.typeof(array)


@pytest.mark.parametrize(
    "argument",
    [3, -(2**63), True, 2.5, np.float32(2), np.int64(3), np.uint64(3), np.bool_(1), None, (1, 2.0)],
)
def test_a_scalar_is_described_as_numba_sees_it(argument):
    assert numba_type(precompiled.described(argument)) == numba.typeof(argument)


def test_a_named_tuple_is_described_with_its_class(monkeypatch):
    monkeypatch.setitem(sys.modules, __name__, SimpleNamespace(Place=Place))
    place = Place(np.ones(3), 1.0)
    assert numba_type(precompiled.described((place, 1))) == numba.typeof((place, 1))


def unaligned():
    return np.zeros(17, dtype=np.uint8)[1:].view(np.float64)


class Sub(np.ndarray):
    """An array of a class of its own."""


@pytest.mark.parametrize(
    "argument",
    [
        unaligned(),
        np.ones(3, dtype=">f8"),
        np.array(["a"]),
        np.array([None]),
        np.ones(2, dtype=[("a", "f8")]),
        np.ones(2).view(Sub),
        np.ma.ones(3),
        np.datetime64("2020-01-01"),
        2**63,
        "words",
        [1, 2],
        (1, "words"),
        len,
    ],
    ids=lambda argument: type(argument).__name__,
)
def test_what_no_loop_takes_is_not_described(argument):
    assert precompiled.described(argument) == ""


def test_the_list_names_loops_and_all_of_their_arguments():
    lines = precompiled.LOOPS.read_text(encoding="utf-8").splitlines()
    assert lines == sorted(set(lines))
    for line in lines:
        name, *types = line.split()
        module, _, function = name.rpartition(".")
        loop = getattr(import_module(module), function)
        assert len(inspect.signature(loop.py_func).parameters) == len(types), name
        assert not function.startswith("_"), name
        for described in types:
            numba_type(described)


@compiled
def halved(numbers, by=2.0):
    for i in range(len(numbers)):
        numbers[i] /= by


NAME = f"{__name__}.halved"
TYPES = ("float64[1C]", "float64")


@pytest.fixture
def module(monkeypatch):
    """A module that says so where it is called, with code for `halved` alone."""
    called = []
    symbol = precompiled.symbol(NAME, TYPES, "digest")
    monkeypatch.setattr(precompiled, "_combinations", lambda: {NAME: [TYPES]})
    monkeypatch.setattr(precompiled, "digest_of", lambda module: "digest")
    code = SimpleNamespace(**{symbol: lambda *arguments: called.append(arguments)})
    monkeypatch.setattr(precompiled, "_machine_code", lambda: code)
    return called


def test_code_is_called_for_its_types_and_numba_compiles_for_others(module):
    loop = compiled(halved.py_func)
    assert is_compiled(loop)
    numbers, small, fixed = np.ones(3), np.ones(3, dtype=np.float32), np.ones(6)[::2]
    loop(numbers)
    loop(numbers, 2.0)
    np.testing.assert_array_equal(numbers, np.ones(3))
    assert [arguments[1:] for arguments in module] == [(2.0,), (2.0,)]
    loop(small)
    loop(fixed)
    np.testing.assert_array_equal([small, fixed], np.full((2, 3), 0.5))
    assert len(module) == 2


def test_code_of_other_sources_is_not_used(module, monkeypatch):
    monkeypatch.setattr(precompiled, "digest_of", lambda module: "another digest")
    assert precompiled.find(halved.py_func) == {}


def test_plain_python_uses_no_code(module, monkeypatch):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    assert compiled(halved.py_func).machine_code == {}


def test_a_digest_is_of_all_sources_that_a_file_imports(monkeypatch):
    name = "wideberth.classifiers.linear.gram_kernels"
    before, usual = precompiled.digest_of.__wrapped__(name), precompiled._source
    read = set()

    def changed(module):
        read.add(module)
        return usual(module) + ("\n" if module == "wideberth.compilation" else "")

    monkeypatch.setattr(precompiled, "_source", changed)
    assert precompiled.digest_of.__wrapped__(name) != before
    assert {name, "wideberth.compilation", "wideberth.array_types"} <= read


@pytest.mark.parametrize(
    ("machine", "found", "fits"),
    [
        ("x86_64", ["SSE42", "AVX", "F16C", "FMA3", "AVX2"], True),
        ("AMD64", ["X86_V3", "X86_V4"], True),
        ("x86_64", ["SSE42", "AVX"], False),
        ("arm64", [], True),
    ],
)
def test_code_is_loaded_only_where_the_processor_knows_it(machine, found, fits, monkeypatch):
    monkeypatch.setattr(precompiled.platform, "machine", lambda: machine)
    settings = {"SIMD Extensions": {"baseline": ["X86_V2"], "found": found}}
    monkeypatch.setattr(np, "show_config", lambda mode: settings)
    assert precompiled._fits_processor() is fits


#: Calls every loop of the list that a warm-up calls with copies of its arguments: what was built,
#: and what numba compiles for the same processor.
TWINS = """
import importlib.util, sys
from copy import deepcopy
import numpy as np

spec = importlib.util.spec_from_file_location("wideberth._machine_code", sys.argv[1])
sys.modules[spec.name] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(sys.modules[spec.name])

from wideberth import compilation, precompiled
from wideberth.cli.warmup import warmup

seen, usual = set(), compilation._Kernel.__call__

def same(one, other):
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    one, other = np.asarray(one), np.asarray(other)
    return one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()

def both(kernel, *arguments):
    arguments = kernel.with_defaults(arguments)
    types = tuple(map(precompiled.described, arguments))
    code = kernel.machine_code.get(types)
    if code is not None and (kernel, types) not in seen:
        seen.add((kernel, types))
        mine, theirs = deepcopy(arguments), deepcopy(arguments)
        found, expected = code(*mine), kernel.dispatcher()(*theirs)
        assert same(found, expected) and same(mine, theirs), (kernel.__name__, types)
    return usual(kernel, *arguments)

compilation._Kernel.__call__ = both
warmup(json=True)
print(len(seen), "loops")
"""


@pytest.mark.slow
def test_what_is_built_equals_what_numba_compiles_bit_for_bit(tmp_path, monkeypatch):
    processor = TOOL["PROCESSOR"] or "generic"
    for name, value in {
        "CPU_NAME": processor,
        "CPU_FEATURES": "",
        "CACHE_DIR": str(tmp_path),
    }.items():
        monkeypatch.setenv(f"NUMBA_{name}", value)
    script = f"import sys; sys.argv = ['precompile.py', '--into', {str(tmp_path)!r}]\n"
    script += (
        f"import runpy; runpy.run_path({str(ROOT / 'tools/precompile.py')!r}, run_name='__main__')"
    )
    built = run_script(script, cpu_seconds=600)
    assert built.returncode == 0, built.stderr
    (module,) = tmp_path.glob("_machine_code.*")
    twins = run_script(f"import sys; sys.argv = ['', {str(module)!r}]\n" + TWINS, cpu_seconds=600)
    assert twins.returncode == 0, twins.stderr
    assert int(twins.stdout.split()[-2]) > 70
