"""Recognise objects and metrics again, in another process or on another day.

A fingerprint is a hash of the content, tagged with its kind and length, so that no two different things are written down alike.
Equal things of different make (a list and a tuple, 1 and 1.0) may differ in it: what is not recognised is measured again, what
is recognised is the same.
"""

import functools
import inspect
import io
import pickle
import types
from collections.abc import Callable
from hashlib import blake2b
from typing import Any

import numpy as np

import wideberth
from wideberth.errors import InvalidInput
from wideberth.metrics.metric import Metric
from wideberth.metrics.named import METRICS
from wideberth.metrics.transforms import TRANSFORMS

#: Bytes in a fingerprint: two different things share one with a chance of 2^-96.
SIZE = 12

#: Metrics of the tables by their names there, which stay when a class is renamed; no name in Python has a blank.
_REGISTERED: dict[type, str] = {
    **{each: f"wideberth metric {name}" for name, each in METRICS.items()},
    **{each: f"wideberth transform {name}" for name, each in TRANSFORMS.items()},
}


def fingerprint(thing: Any) -> str:
    """The fingerprint of plain data, of objects, of a function or of a metric with its parameters, in hexadecimal digits.

    Python code counts: a function that was edited is another one (what it calls is not looked at). An object of an unknown class
    is written down by pickle. Where in this library a class or a function of ours stands does not count.

    >>> fingerprint(["tea", "rum"]) == fingerprint(["tea", "rum"]) != fingerprint(["tear", "um"])
    True
    """
    try:
        return _digest(thing).hex()
    except RecursionError:
        raise _unrecognisable(thing, "it contains itself") from None


def _digest(thing: Any) -> bytes:
    kind, content = _written(thing)
    return blake2b(f"{kind}:{len(content)}:".encode() + content, digest_size=SIZE).digest()


def _written(thing: Any) -> tuple[str, bytes]:
    """What kind of thing it is, and its content: two things of one kind differ in it."""
    if type(thing) in _PLAIN:  # not a child of them, which may hold more than meets the eye
        return type(thing).__name__, _PLAIN[type(thing)](thing)
    if isinstance(thing, Metric):
        return "metric", _write_metric(thing)
    for kind, write in _OF_KIND:
        if isinstance(thing, kind):
            return type(thing).__name__, write(thing)
    if hasattr(thing, "to_numpy"):  # a data frame, or one of its columns
        return "frame", _digest(list(getattr(thing, "columns", []))) + _digest(thing.to_numpy())
    if callable(thing):
        return "callable", _write_callable(thing)
    return "object", _write_pickle(thing)


def _write_text(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _write_array(array: np.ndarray[Any, Any]) -> bytes:
    content = _write_sequence(array.ravel().tolist()) if array.dtype.hasobject else np.ascontiguousarray(array).tobytes()
    return f"{array.dtype.str}{array.shape}".encode() + content


def _write_sequence(sequence: Any) -> bytes:
    kinds = set(map(type, sequence))  # long sequences of one plain kind are written at once
    if kinds == {str}:
        return b"str" + np.fromiter(map(len, sequence), np.int64).tobytes() + _write_text("".join(sequence))
    if kinds == {float}:
        return b"float" + np.array(sequence).tobytes()
    if kinds == {int}:
        return b"int" + ",".join(map(str, sequence)).encode()
    return b"any" + b"".join(map(_digest, sequence))


def _write_set(elements: Any) -> bytes:
    return b"".join(sorted(map(_digest, elements)))


def _write_mapping(mapping: dict[Any, Any]) -> bytes:
    return b"".join(sorted(_digest(key) + _digest(value) for key, value in mapping.items()))


def _write_metric(metric: Metric) -> bytes:
    """Its class and parameters, and the code that measures: ours is known by the version of the library."""
    classes = [each for each in type(metric).__mro__ if not _is_ours(each) and each is not object]
    code = [method for each in classes for method in vars(each).values() if isinstance(method, types.FunctionType)]
    return _digest([wideberth.__version__, _name(type(metric)), metric.get_params(deep=False), code])


def _write_function(function: types.FunctionType) -> bytes:
    closure = [cell.cell_contents for cell in function.__closure__ or ()]
    return _digest([_name(function), function.__code__, function.__defaults__, function.__kwdefaults__, closure])


def _write_code(code: types.CodeType) -> bytes:
    return _digest([code.co_code, code.co_names, code.co_varnames, code.co_consts])


def _write_partial(partial: Any) -> bytes:
    return _digest([partial.func, partial.args, partial.keywords])


def _write_method(method: types.MethodType) -> bytes:
    return _digest([method.__func__, method.__self__])


def _write_callable(thing: Any) -> bytes:
    """A compiled function or a class by its name, a wrapper by what it wraps, any other object by its class and content."""
    if inspect.isbuiltin(thing) or isinstance(thing, type | np.ufunc | types.WrapperDescriptorType):
        return _write_text(_name(thing))
    wrapped = getattr(thing, "__wrapped__", None) or getattr(thing, "py_func", None)  # as functools and numba keep it
    return _digest([_name(type(thing)), wrapped or _write_pickle(thing), type(thing).__call__])


def _write_pickle(thing: Any) -> bytes:
    content = io.BytesIO()
    try:
        _Pickler(content, protocol=5).dump(thing)
    except Exception as reason:  # whatever the class of a stranger raises
        raise _unrecognisable(thing, str(reason)) from None
    return content.getvalue()


class _Pickler(pickle.Pickler):
    """Writes classes and functions of ours by fingerprint, where pickle would write in which module they stand."""

    def persistent_id(self, thing: Any) -> bytes | None:
        return _digest(thing) if isinstance(thing, type | types.FunctionType) and _is_ours(thing) else None


def _unrecognisable(thing: Any, reason: str) -> InvalidInput:
    return InvalidInput(
        f"A cache on disk must recognise its objects again, but this {type(thing).__name__} cannot be written down: {reason}.",
        advice="Pass plain objects (texts, numbers, arrays, lists, sets, dictionaries), or cache=None.",
        value=thing,
    )


def _name(thing: Any) -> str:
    """A name that stays when our code moves between modules; strangers' modules count, as two of them may choose one name."""
    if isinstance(thing, type) and thing in _REGISTERED:
        return _REGISTERED[thing]
    module = "wideberth" if _is_ours(thing) else getattr(thing, "__module__", "")
    return f"{module}.{getattr(thing, '__qualname__', getattr(thing, '__name__', ''))}"


def _is_ours(thing: Any) -> bool:
    return str(getattr(thing, "__module__", "")).startswith("wideberth.")


def _write_repr(plain: Any) -> bytes:
    return repr(plain).encode()


_PLAIN: dict[type, Callable[[Any], bytes]] = {
    str: _write_text,
    bytes: bytes,
    **dict.fromkeys((bool, int, float, complex, types.NoneType, types.EllipsisType), _write_repr),
    **dict.fromkeys((list, tuple), _write_sequence),
    **dict.fromkeys((set, frozenset), _write_set),
    dict: _write_mapping,
}

_OF_KIND: tuple[tuple[type, Callable[[Any], bytes]], ...] = (
    (np.ndarray, _write_array),
    (np.generic, lambda number: _write_array(np.asarray(number))),
    (types.FunctionType, _write_function),
    (types.CodeType, _write_code),
    (types.MethodType, _write_method),
    (functools.partial, _write_partial),
)
