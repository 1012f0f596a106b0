"""Fingerprints: hashes by which objects and metrics are recognised again, in another process or on another day.

A fingerprint hashes the content together with its kind and its length, so that different things have different encodings. Equal
things of different types (a list and a tuple, 1 and 1.0) may have different fingerprints: a cache then computes their distances
again, but it never confuses two things.
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

#: Bytes of BLAKE2b in a fingerprint: whoever looks for two things that share one has to compute 2^80 of them.
SIZE = 20

#: Registered metrics by their names in the tables, which stay when a class is renamed. No Python name contains a blank, so these
#: names cannot be confused with those of other classes.
_REGISTERED: dict[type, str] = {
    **{cls: f"wideberth metric {name}" for name, cls in METRICS.items()},
    **{cls: f"wideberth transform {name}" for name, cls in TRANSFORMS.items()},
}


def fingerprint(thing: Any) -> str:
    """Return the fingerprint of data, of objects, of a function, or of a metric with its parameters.

    Python code is part of it: a function that was edited has another fingerprint (the functions that it calls are not examined).
    Objects of unknown classes are encoded by pickle. Classes and functions of this library are known by their names, without the
    module they are defined in, and metrics of this library also by its version.

    Parameters
    ----------
    thing : object
        Texts, numbers, None, arrays, data frames, lists, tuples, sets and dictionaries of them, functions, metrics, or anything
        that pickle can write.

    Returns
    -------
    str
        40 hexadecimal digits.

    Raises
    ------
    InvalidInput
        If the thing contains itself, or if pickle cannot write it.

    Examples
    --------
    >>> fingerprint(["tea", "rum"]) == fingerprint(["tea", "rum"]) != fingerprint(["tear", "um"])
    True
    """
    try:
        return _digest(thing).hex()
    except RecursionError:
        raise _not_encodable(thing, "it contains itself") from None


def _digest(thing: Any) -> bytes:
    kind, content = _encode(thing)
    return blake2b(f"{kind}:{len(content)}:".encode() + content, digest_size=SIZE).digest()


def _encode(thing: Any) -> tuple[str, bytes]:
    """Return the kind of a thing and its content as bytes; two different things of one kind differ in their content."""
    if type(thing) in _ENCODERS_OF_TYPES:  # not of subclasses, which may hold more
        return type(thing).__name__, _ENCODERS_OF_TYPES[type(thing)](thing)
    if isinstance(thing, Metric):
        return "metric", _encode_metric(thing)
    for kind, encode in _ENCODERS_OF_CLASSES:
        if isinstance(thing, kind):
            return type(thing).__name__, encode(thing)
    if hasattr(thing, "to_numpy"):  # a data frame, or one of its columns
        return "frame", _digest(list(getattr(thing, "columns", []))) + _digest(thing.to_numpy())
    if callable(thing):
        return "callable", _encode_callable(thing)
    return "object", _encode_by_pickle(thing)


def _encode_text(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _encode_array(array: np.ndarray[Any, Any]) -> bytes:
    """Encode dtype, shape and values; objects in it one by one."""
    content = _encode_sequence(array.ravel().tolist()) if array.dtype.hasobject else np.ascontiguousarray(array).tobytes()
    return f"{array.dtype.str}{array.shape}".encode() + content


def _encode_sequence(sequence: Any) -> bytes:
    """Encode the elements in order; a sequence of only texts, floats or integers at once, which is much faster."""
    kinds = set(map(type, sequence))
    if kinds == {str}:
        return b"str" + np.fromiter(map(len, sequence), np.int64).tobytes() + _encode_text("".join(sequence))
    if kinds == {float}:
        return b"float" + np.array(sequence).tobytes()
    if kinds == {int}:
        return b"int" + ",".join(map(str, sequence)).encode()
    return b"any" + b"".join(map(_digest, sequence))


def _encode_set(elements: Any) -> bytes:
    return b"".join(sorted(map(_digest, elements)))


def _encode_mapping(mapping: dict[Any, Any]) -> bytes:
    return b"".join(sorted(_digest(key) + _digest(value) for key, value in mapping.items()))


def _encode_metric(metric: Metric) -> bytes:
    """Encode the class, the parameters, and the code that measures.

    The code of this library is represented by its version; the methods of classes from elsewhere are encoded themselves.
    """
    classes = [cls for cls in type(metric).__mro__ if not _is_from_wideberth(cls) and cls is not object]
    code = [method for cls in classes for method in vars(cls).values() if isinstance(method, types.FunctionType)]
    params = metric.get_params(deep=False)
    params.pop("dominated", None)  # what bounds a metric changes no distance
    return _digest([wideberth.__version__, _name(type(metric)), params, code])


def _encode_function(function: types.FunctionType) -> bytes:
    """Encode the name, the byte code, the defaults, and the values that a function closes over."""
    closure = [cell.cell_contents for cell in function.__closure__ or ()]
    return _digest([_name(function), function.__code__, function.__defaults__, function.__kwdefaults__, closure])


def _encode_code(code: types.CodeType) -> bytes:
    return _digest([code.co_code, code.co_names, code.co_varnames, code.co_consts])


def _encode_partial(partial: Any) -> bytes:
    return _digest([partial.func, partial.args, partial.keywords])


def _encode_method(method: types.MethodType) -> bytes:
    return _digest([method.__func__, method.__self__])


def _encode_callable(thing: Any) -> bytes:
    """Encode a built-in function or a class by its name, a wrapper by what it wraps, other objects by class and content."""
    if inspect.isbuiltin(thing) or isinstance(thing, type | np.ufunc | types.WrapperDescriptorType):
        return _encode_text(_name(thing))
    wrapped = getattr(thing, "__wrapped__", None) or getattr(thing, "py_func", None)  # of functools and of numba
    return _digest([_name(type(thing)), wrapped or _encode_by_pickle(thing), type(thing).__call__])


def _encode_by_pickle(thing: Any) -> bytes:
    content = io.BytesIO()
    try:
        _Pickler(content, protocol=5).dump(thing)
    except Exception as reason:  # classes from elsewhere may raise anything
        raise _not_encodable(thing, str(reason)) from None
    return content.getvalue()


class _Pickler(pickle.Pickler):
    """Writes classes and functions of this library as fingerprints, where pickle would write the module they are defined in."""

    def persistent_id(self, thing: Any) -> bytes | None:
        """Return the fingerprint of a class or function of this library; None for everything else, which pickle writes."""
        return _digest(thing) if isinstance(thing, type | types.FunctionType) and _is_from_wideberth(thing) else None


def _not_encodable(thing: Any, reason: str) -> InvalidInput:
    return InvalidInput(
        f"A cache on disk must recognise its objects again, but this {type(thing).__name__} cannot be encoded: {reason}.",
        advice="Pass plain objects (texts, numbers, arrays, lists, sets, dictionaries), or cache=None.",
        value=thing,
    )


def _name(thing: Any) -> str:
    """Return a name that stays the same when code of this library moves to another module.

    For everything else the module is part of the name, since two modules may use the same name.
    """
    if isinstance(thing, type) and thing in _REGISTERED:
        return _REGISTERED[thing]
    module = "wideberth" if _is_from_wideberth(thing) else getattr(thing, "__module__", "")
    return f"{module}.{getattr(thing, '__qualname__', getattr(thing, '__name__', ''))}"


def _is_from_wideberth(thing: Any) -> bool:
    return str(getattr(thing, "__module__", "")).startswith("wideberth.")


def _encode_repr(plain: Any) -> bytes:
    return repr(plain).encode()


#: Encoders of values of exactly these types.
_ENCODERS_OF_TYPES: dict[type, Callable[[Any], bytes]] = {
    str: _encode_text,
    bytes: bytes,
    **dict.fromkeys((bool, int, float, complex, types.NoneType, types.EllipsisType), _encode_repr),
    **dict.fromkeys((list, tuple), _encode_sequence),
    **dict.fromkeys((set, frozenset), _encode_set),
    dict: _encode_mapping,
}

#: Encoders of instances of these classes and of their subclasses; the first match counts.
_ENCODERS_OF_CLASSES: tuple[tuple[type, Callable[[Any], bytes]], ...] = (
    (np.ndarray, _encode_array),
    (np.generic, lambda number: _encode_array(np.asarray(number))),
    (types.FunctionType, _encode_function),
    (types.CodeType, _encode_code),
    (types.MethodType, _encode_method),
    (functools.partial, _encode_partial),
)
