"""Machine code of loops that was made when the package was built, for the types that are usual:
what is found here needs neither numba nor a compiler.

`tools/precompile.py` makes it from ``precompiled_loops.txt``; a package without it compiles at
first use.
"""

import functools
import hashlib
import platform
import re
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

_PACKAGE = Path(__file__).parent
#: What each of the loops is called with, a line for each combination of types.
LOOPS = _PACKAGE / "precompiled_loops.txt"
#: Imports of ours in a file with loops: what stands there is part of the machine code.
_IMPORT = re.compile(r"^from (wideberth(?:\.\w+)+) import", re.MULTILINE)
#: What processors need whose code is made for x86-64-v3, in numpy's words before and since 2.4.
_VECTORS = ({"AVX2", "FMA3", "F16C"}, {"X86_V3"})
#: Bits of the flags of an array: elements in the order of C, of Fortran, aligned, may be written.
_IN_C_ORDER, _IN_FORTRAN_ORDER, _ALIGNED, _WRITABLE = 0x1, 0x2, 0x100, 0x400

_SCALARS = {
    type(None): "none",
    bool: "bool",
    float: "float64",
    np.bool_: "bool",
    np.float32: "float32",
    np.float64: "float64",
    np.int64: "int64",
    np.uint64: "uint64",
}
_arrays: dict[tuple[Any, int, int], str] = {}


def described(argument: Any) -> str:
    """What a compiled loop has to know of an argument, in a word without blanks: the type, and for
    an array the number of dimensions, the order of the elements and whether they may be written.

    It is empty for what no loop takes that was compiled before, an array that is not aligned or has
    the bytes of another processor, say.

    Examples
    --------
    >>> described(np.ones((2, 3))), described(np.ones((2, 3))[:, 1]), described((1, 2.0))
    ('float64[2C]', 'float64[1A]', '(int64,float64)')
    >>> described(">".join("ab"))
    ''
    """
    kind = type(argument)
    if kind is np.ndarray:
        array = argument.dtype, argument.ndim, argument.flags.num
        known = _arrays.get(array)
        if known is None:
            known = _arrays[array] = _described_array(*array)
        return known
    if kind is int:
        return "int64" if -(2**63) <= argument < 2**63 else ""
    scalar = _SCALARS.get(kind)
    if scalar is not None:
        return scalar
    if isinstance(argument, tuple):
        parts = [described(part) for part in argument]
        name = "" if kind is tuple else f"{kind.__module__}.{kind.__qualname__}"
        return f"{name}({','.join(parts)})" if all(parts) else ""
    return ""


def _described_array(dtype: np.dtype[Any], n_dimensions: int, flags: int) -> str:
    plain = dtype.isnative and dtype.kind in "biuf" and dtype.metadata is None
    if not (plain and flags & _ALIGNED):
        return ""
    order = "C" if flags & _IN_C_ORDER else "F" if flags & _IN_FORTRAN_ORDER else "A"
    return f"{dtype.name}[{n_dimensions}{order}{'' if flags & _WRITABLE else ',readonly'}]"


def find(loop: Callable[..., Any]) -> dict[tuple[str, ...], Callable[..., Any]]:
    """The machine code of a loop for each combination of described arguments; empty if there is
    none, or if the sources have changed since it was made.
    """
    name = f"{loop.__module__}.{loop.__qualname__}"
    combinations = _combinations().get(name)
    machine_code = _machine_code() if combinations else None
    if not combinations or machine_code is None:
        return {}
    digest = digest_of(loop.__module__)
    found = {
        types: getattr(machine_code, symbol(name, types, digest), None) for types in combinations
    }
    return {types: code for types, code in found.items() if code is not None}


def symbol(name: str, types: tuple[str, ...], digest: str) -> str:
    """What the machine code of a loop is called, for these types and for sources of this digest."""
    told = " ".join((name, *types, digest))
    return f"{name.rpartition('.')[2]}_{hashlib.sha256(told.encode()).hexdigest()[:24]}"


@functools.cache
def digest_of(module: str) -> str:
    """A digest of the source of a module, and of all of ours that it imports."""
    texts = {}
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name not in texts:
            texts[name] = _source(name)
            waiting += _IMPORT.findall(texts[name])
    told = "\0".join(text for _, text in sorted(texts.items()))
    return hashlib.sha256(told.encode()).hexdigest()


def _source(module: str) -> str:
    path = _PACKAGE.parent.joinpath(*module.split("."))
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return file.read_text(encoding="utf-8")


@functools.cache
def _combinations() -> dict[str, list[tuple[str, ...]]]:
    """The combinations of types in the list, by loop."""
    found: dict[str, list[tuple[str, ...]]] = {}
    for line in LOOPS.read_text(encoding="utf-8").splitlines():
        name, *types = line.split()
        found.setdefault(name, []).append(tuple(types))
    return found


@functools.cache
def _machine_code() -> Any:
    """The module that was built, or None: there is none, or not for this processor."""
    try:
        return import_module("wideberth._machine_code") if _fits_processor() else None
    except ImportError:
        return None


def _fits_processor() -> bool:
    if platform.machine().lower() not in ("x86_64", "amd64"):
        return True
    settings: Any = np.show_config(mode="dicts")
    vectors = settings["SIMD Extensions"]
    has = {*vectors["baseline"], *vectors["found"]}
    return any(needed <= has for needed in _VECTORS)
