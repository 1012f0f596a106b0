"""Fingerprints: hashes by which objects and metrics are recognised again, in another process or on
another day.

A fingerprint hashes the content together with its kind and its length, so that different things
have different encodings. Equal things of different types (a list and a tuple, 1 and 1.0), or in
another order (dictionaries), may have different fingerprints: a cache then computes their distances
again, but it never confuses two things.

Of code of the user everything counts that it names: the functions it calls with what these name,
the values of globals, closures and default arguments, attributes of modules and classes. Code of
installed packages counts by name, version and byte code.
"""

import dis
import functools
import inspect
import io
import os
import pickle
import sys
import sysconfig
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from hashlib import blake2b
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

import wideberth
from wideberth.errors import InvalidInput
from wideberth.metrics.metric import Metric
from wideberth.metrics.named import METRICS
from wideberth.metrics.transforms import TRANSFORMS
from wideberth.wording import setting

#: Bytes of BLAKE2b in a fingerprint: whoever looks for two things that share one has to compute
#: 2^80 of them.
SIZE = 20

#: Registered metrics by their names in the tables, which stay when a class is renamed. No Python
#: name contains a blank, so these names cannot be confused with those of other classes.
_REGISTERED: dict[type, str] = {
    **{cls: f"wideberth metric {name}" for name, cls in METRICS.items()},
    **{cls: f"wideberth transform {name}" for name, cls in TRANSFORMS.items()},
}

#: Attributes of a metric that change no distance, or are among its parameters.
_NO_STATE = {"_dominated", "_name", "_promises", "_taught_by", "_warned"}

#: Entries of a class that say nothing about what it does, or are made by Python itself.
_NO_BODY = {
    *(
        "__dict__",
        "__weakref__",
        "__doc__",
        "__module__",
        "__qualname__",
        "__annotations__",
        "__annotate__",
        "__annotate_func__",
    ),
    *(
        "__firstlineno__",
        "__static_attributes__",
        "__abstractmethods__",
        "_abc_impl",
        "__annotations_cache__",
    ),
}


def fingerprint(thing: Any) -> str:
    """Return the fingerprint of data, of objects, of a function, or of a metric with its
    parameters.

    Python code is part of it: a function has another fingerprint when it was edited, when a
    function that it calls was, or when a value was changed that one of them names (a global, a
    closure, a default argument, an attribute of a module or a class). So has a function that counts
    its calls in a global, after each call. Objects of unknown classes are encoded by pickle, with
    the code of their classes. Classes and functions of this library are known by their names,
    without the module they are defined in, and metrics of this library also by its version; code of
    other installed packages by its name and their version.

    What it cannot see: files, the environment, the command line, random numbers, state inside
    compiled code, values that are reached by names made at run time, and attributes of what cannot
    be pickled (locks, open connections), of which the type counts. Whoever relies on a fingerprint
    tries some of what was stored under it.

    40 hexadecimal digits of texts, numbers, None, arrays, data frames, lists, tuples, sets and
    dictionaries of them, functions, metrics, or anything that pickle can write. A thing that
    contains itself, or that pickle cannot write, is an `InvalidInput`.

    Examples
    --------
    >>> fingerprint(["tea", "rum"]) == fingerprint(["tea", "rum"]) != fingerprint(["tear", "um"])
    True
    >>> def far(factor):
    ...     return lambda one, other: factor * abs(one - other)
    >>> fingerprint(far(2)) == fingerprint(far(2)) != fingerprint(far(3))
    True
    """
    try:
        return _Encoder().all_of(thing).hex()
    except RecursionError:
        raise _not_encodable(thing, "it contains itself") from None


class _Encoder:
    """Encodes one thing with all that it holds.

    Functions and classes name each other, also in circles: each is a number where it is met, and
    encoded once, in that order.
    """

    def __init__(self) -> None:
        self._numbers: dict[int, int] = {}  # of functions and classes by their identity
        # themselves, and whether they were met where not all must be encodable
        self._code: list[tuple[Any, bool]] = []
        self._tolerant = False
        self._modules: list[types.ModuleType] = []  # those under way

    def all_of(self, thing: Any) -> bytes:
        """The digest of a thing and of all functions and classes that it leads to."""
        digests = [self.digest(thing)]
        for code, tolerant in self._code:  # which grows meanwhile
            self._tolerant = tolerant
            digests.append(self._class(code) if isinstance(code, type) else self._function(code))
        return digests[0] if len(digests) == 1 else self.digest(digests)

    def digest(self, thing: Any) -> bytes:
        """The digest of a thing of any kind; of functions and classes that it leads to their
        numbers.
        """
        kind, content = self._encode(thing)
        return blake2b(f"{kind}:{len(content)}:".encode() + content, digest_size=SIZE).digest()

    def _encode(self, thing: Any) -> tuple[str, bytes]:
        """Return the kind of a thing and its content as bytes; two different things of one kind
        differ in their content.
        """
        if type(thing) in _ENCODERS_OF_TYPES:  # not of subclasses, which may hold more
            return type(thing).__name__, _ENCODERS_OF_TYPES[type(thing)](self, thing)
        if isinstance(thing, Metric):
            return "metric", self._metric(thing)
        for kind, encode in _ENCODERS_OF_CLASSES:
            if isinstance(thing, kind):
                return type(thing).__name__, encode(self, thing)
        # not of subclasses from elsewhere
        if _is_from_pandas(type(thing)) and hasattr(thing, "to_numpy"):
            return "frame", self._frame(thing)
        if callable(thing):
            return "callable", self._callable(thing)
        return "object", self._by_pickle(thing)

    def _frame(self, frame: Any) -> bytes:
        """Encode a data frame, column or index of pandas: values with their types, labels, names,
        and what was attached.

        Plain arrays are encoded by their values. Pickle, which tells equal texts from the same
        text, writes all others: their values as an array lack the order of categories, for example.
        """
        if hasattr(frame, "columns"):
            columns = [self._column(frame.iloc[:, place]) for place in range(len(frame.columns))]
            return self.digest(
                [_name(type(frame)), frame.attrs, frame.index, frame.columns, columns]
            )
        if hasattr(frame, "iloc"):
            return self.digest(
                [_name(type(frame)), frame.attrs, frame.index, frame.name, self._column(frame)]
            )
        if type(frame).__name__ == "Index":
            return self.digest([_name(type(frame)), frame.name, self._column(frame)])
        # an index of several levels or made by a rule, or values of a type of pandas
        return self._by_pickle(frame)

    def _column(self, column: Any) -> bytes:
        return (
            self.digest(column.to_numpy())
            if isinstance(column.dtype, np.dtype)
            else self._by_pickle(column.array)
        )

    def subclass_of_array(self, array: np.ndarray[Any, Any]) -> bytes:
        """Encode an array, and what a subclass adds to it, such as a mask."""
        plain = type(array) in (np.ndarray, np.memmap)
        return (
            self.array(array) if plain else self.array(np.asarray(array)) + self._by_pickle(array)
        )

    def array(self, array: np.ndarray[Any, Any]) -> bytes:
        """Encode dtype, shape and values; objects in it one by one."""
        content = (
            self.sequence(array.ravel().tolist())
            if array.dtype.hasobject
            else np.ascontiguousarray(array).tobytes()
        )
        return f"{array.dtype.str}{array.shape}".encode() + content

    def sequence(self, sequence: Any) -> bytes:
        """Encode the elements in order; a sequence of only texts, floats or integers at once, which
        is much faster.
        """
        kinds = set(map(type, sequence))
        if kinds == {str}:
            return (
                b"str"
                + np.fromiter(map(len, sequence), np.int64).tobytes()
                + _text("".join(sequence))
            )
        if kinds == {float}:
            return b"float" + np.array(sequence).tobytes()
        if kinds == {int}:
            return b"int" + ",".join(map(str, sequence)).encode()
        return b"any" + b"".join(map(self.digest, sequence))

    def set(self, elements: Any) -> bytes:
        """Encode the elements in an order of their own."""
        # numbers are given in this order
        ordered = sorted(elements, key=_name) if any(map(callable, elements)) else elements
        return b"".join(sorted(map(self.digest, ordered)))

    def mapping(self, mapping: Mapping[Any, Any]) -> bytes:
        """Encode keys and values in the order in which a loop meets them: code may take the first
        key that fits.
        """
        return b"".join(self.digest(part) for pair in mapping.items() for part in pair)

    def code(self, code: types.CodeType) -> bytes:
        """Encode what code does, with that inside it."""
        arguments = [
            code.co_argcount,
            code.co_posonlyargcount,
            code.co_kwonlyargcount,
            code.co_flags,
        ]
        names = [code.co_names, code.co_varnames, code.co_cellvars, code.co_freevars]
        # which handler an exception goes to is told by a table, and not by the instructions
        return self.digest(
            [code.co_code, code.co_exceptiontable, code.co_consts, *names, arguments]
        )

    def partial(self, partial: Any) -> bytes:
        """Encode the function and what it is given."""
        return self.digest([partial.func, partial.args, partial.keywords])

    def method(self, method: types.MethodType) -> bytes:
        """Encode the function and the object."""
        return self.digest([method.__func__, method.__self__])

    def module(self, module: types.ModuleType) -> bytes:
        """Encode the name and the version; `_named_in` what is used of it."""
        return self.digest([module.__name__, _package_version(module.__name__)])

    def numbered(self, code: Any) -> bytes:
        """Encode a function or class by its name and its number; `all_of` encodes itself."""
        if id(code) not in self._numbers:
            self._numbers[id(code)] = len(self._code)
            self._code.append((code, self._tolerant))
        return _text(f"{self._numbers[id(code)]} {_name(code)}")

    def _function(self, function: types.FunctionType) -> bytes:
        """The digest of the name, the byte code, the defaults and closures of a function, and of
        all values that it names.
        """
        named = code_names(function.__code__)
        closed = self._leniently if self._tolerant else self._value
        closure = [
            closed(cell.cell_contents, named.all)
            for cell in function.__closure__ or ()
            if _is_filled(cell)
        ]
        parts = [
            _name(function),
            function.__code__,
            function.__defaults__,
            function.__kwdefaults__,
            closure,
        ]
        version = _package_version(function.__globals__.get("__name__", ""))
        if version is not None:
            return self.digest([*parts, version])
        found = {
            name: function.__globals__[name]
            for name in named.globals
            if name in function.__globals__
        }
        package = function.__globals__.get("__package__") or ""
        found |= {
            f"import {name}": module
            for name in named.imports
            if (module := _imported(name, package)) is not None
        }
        own = {name: value for name, value in vars(function).items() if name != "__wrapped__"}
        values = {name: self._leniently(value, named.all) for name, value in (found | own).items()}
        return self.digest([*parts, values])

    def _value(self, value: Any, names: Iterable[str]) -> bytes:
        """The digest of a value that code names; of a module, what that code can use of it by these
        names.
        """
        return (
            self._named_in(value, names)
            if isinstance(value, types.ModuleType)
            else self.digest(value)
        )

    def _leniently(self, value: Any, names: Iterable[str] = ()) -> bytes:
        """`_value`; of what cannot be encoded, such as a lock, the type."""
        tolerant, self._tolerant = self._tolerant, True
        try:
            return self._value(value, names)
        except (InvalidInput, RecursionError):
            return self.digest(["not encodable", _name(type(value))])
        finally:
            self._tolerant = tolerant

    def _named_in(self, module: types.ModuleType, names: Iterable[str]) -> bytes:
        """The digest of a module and of those of its attributes that have these names.

        Of the standard library and of functions and classes of installed packages the names count,
        with the version.
        """
        version = _package_version(module.__name__)
        if version == _STANDARD or module in self._modules:
            return self.digest(module)
        self._modules.append(module)
        try:
            used = {name: vars(module)[name] for name in names if name in vars(module)}
            by_name = {
                name: _name(value)
                for name, value in used.items()
                if version is not None and callable(value)
            }
            values = {
                name: self._leniently(value, names)
                for name, value in used.items()
                if name not in by_name
            }
        finally:
            self._modules.pop()
        return self.digest([module, by_name, values])

    def _metric(self, metric: Metric) -> bytes:
        """Encode the class, the parameters, and the code that measures.

        The code of this library is represented by its version; classes from elsewhere are encoded
        themselves, with the attributes of the metric.
        """
        params = metric.get_params(deep=False)
        params.pop("dominated", None)  # what bounds a metric changes no distance
        # in whichever order a class lists them
        params = {name: params[name] for name in sorted(params, key=self.digest)}
        parts: list[Any] = [wideberth.__version__, _name(type(metric)), params, []]
        if not _is_from_wideberth(type(metric)):
            state = {
                name: value
                for name, value in vars(metric).items()
                if name not in params and name not in _NO_STATE
            }
            parts += [type(metric), {name: self._leniently(value) for name, value in state.items()}]
        return self.digest(parts)

    def _class(self, cls: type) -> bytes:
        """The digest of the name of a class, and of the user's classes of what they and their
        parents define.
        """
        bodies = []
        for parent in cls.__mro__:
            version = (
                None
                if parent in _REGISTERED or _is_from_wideberth(parent)
                else _package_version(parent.__module__)
            )
            if version is None and not _is_from_wideberth(parent):
                body = {
                    name: self._leniently(_plain(entry))
                    for name, entry in vars(parent).items()
                    if name not in _NO_BODY
                }
                bodies.append([_name(parent), body])
            elif version:
                bodies.append([_name(parent), version])
        return self.digest([_name(cls), bodies])

    def _callable(self, thing: Any) -> bytes:
        """Encode a class by what it defines, a wrapper by what it wraps, other objects by class and
        content.
        """
        if isinstance(thing, type):
            return self.numbered(thing)
        if inspect.isbuiltin(thing):  # a function in C, or a method of an object in C
            owner = getattr(thing, "__self__", None)
            return _text(_name(thing)) + (
                b"" if owner is None or inspect.ismodule(owner) else self.digest(owner)
            )
        if isinstance(thing, np.ufunc | types.WrapperDescriptorType | types.MethodDescriptorType):
            return _text(_name(thing))
        # of functools and of numba
        wrapped = getattr(thing, "__wrapped__", None) or getattr(thing, "py_func", None)
        if wrapped is not None and _package_version(type(thing).__module__) is not None:
            return self.digest([type(thing), wrapped])
        return self.digest([type(thing), wrapped, self._by_pickle(thing)])

    def _by_pickle(self, thing: Any) -> bytes:
        content = io.BytesIO()
        try:
            _Pickler(content, self).dump(thing)
        except Exception as reason:  # classes from elsewhere may raise anything
            if isinstance(reason, RecursionError):
                raise
            raise _not_encodable(thing, str(reason)) from None
        return content.getvalue()


#: Types, exactly these, of what `_Pickler` leaves to the encoder.
_DIGESTED = (types.FunctionType, types.ModuleType, set, frozenset)


class _Pickler(pickle.Pickler):
    """Writes classes, functions and modules as digests, where pickle would write their names, and
    sets, to sort them.
    """

    def __init__(self, stream: io.BytesIO, encoder: _Encoder) -> None:
        super().__init__(stream, protocol=5)
        self._encoder = encoder

    def persistent_id(self, thing: Any) -> bytes | None:
        """Return the digest of a class, function, module or set; None for everything else, which
        pickle writes.
        """
        return (
            self._encoder.digest(thing)
            if isinstance(thing, type) or type(thing) in _DIGESTED
            else None
        )


def _not_encodable(thing: Any, reason: str) -> InvalidInput:
    return InvalidInput(
        f"A cache on disk must recognise its objects again, but this {type(thing).__name__} cannot "
        f"be encoded: {reason}.",
        advice="Pass plain objects (texts, numbers, arrays, lists, sets, dictionaries), or "
        f"{setting('cache', None)}.",
        value=thing,
    )


class CodeNames:
    """The names in code, with those in code inside it: of globals, of modules that it imports, and
    all, attributes among them.
    """

    def __init__(self, code: types.CodeType) -> None:
        codes = list(_with_inner(code))
        steps = [step for each in codes for step in dis.get_instructions(each)]
        loads = [
            step.argval
            for step in steps
            if step.opname.startswith("LOAD_")
            and step.opname.endswith(("GLOBAL", "GLOBALS", "NAME"))
        ]
        self.globals = sorted({name for name in loads if isinstance(name, str)})
        self.imports = sorted({step.argval for step in steps if step.opname == "IMPORT_NAME"})
        # as in getattr(x, "y")
        texts = {
            constant for each in codes for constant in each.co_consts if isinstance(constant, str)
        }
        self.all = sorted({name for each in codes for name in each.co_names} | texts)


@functools.lru_cache(maxsize=1000)
def code_names(code: types.CodeType) -> CodeNames:
    """The names in code; looked for once."""
    return CodeNames(code)


def _with_inner(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _with_inner(constant)


def _is_filled(cell: types.CellType) -> bool:
    try:
        return cell.cell_contents is not cell
    except ValueError:  # the name of a local function that is not defined yet
        return False


def _imported(name: str, package: str) -> types.ModuleType | None:
    """A module that code imports when it runs, if it has been imported."""
    return (
        sys.modules.get(f"{package}.{name}")
        if package and f"{package}.{name}" in sys.modules
        else sys.modules.get(name)
    )


def _plain(entry: Any) -> Any:
    """The functions behind an entry of a class; other entries as they are."""
    if isinstance(entry, staticmethod | classmethod):
        return entry.__func__
    if isinstance(entry, property):
        return [entry.fget, entry.fset]
    return entry


def _name(thing: Any) -> str:
    """Return a name that stays the same when code of this library moves to another module.

    For everything else the module is part of the name, since two modules may use the same name.
    """
    if isinstance(thing, type) and thing in _REGISTERED:
        return _REGISTERED[thing]
    module = "wideberth" if _is_from_wideberth(thing) else getattr(thing, "__module__", "")
    return f"{module}.{getattr(thing, '__qualname__', getattr(thing, '__name__', ''))}"


def _is_from_pandas(cls: type) -> bool:
    return cls.__module__.partition(".")[0] == "pandas"


def _is_from_wideberth(thing: Any) -> bool:
    return str(getattr(thing, "__module__", "")).startswith("wideberth.")


#: The version of the standard library: that of Python, which the byte code of the user shows.
_STANDARD = "standard library"


def _package_version(module: str) -> str | None:
    """The version of the installed package that a module belongs to; None for code of the user,
    whose values may change.
    """
    package = module.partition(".")[0]
    return wideberth.__version__ if package == "wideberth" else _installed_version(package, module)


@functools.lru_cache(maxsize=1000)
def _installed_version(package: str, module: str) -> str | None:
    loaded = sys.modules.get(module) or sys.modules.get(package)
    file = getattr(loaded, "__file__", None)
    if file is None:  # built in, or made by a program
        return _STANDARD if package in sys.stdlib_module_names else None
    if {"site-packages", "dist-packages"} & set(Path(file).parts):
        version = getattr(sys.modules.get(package), "__version__", None)
        return version if isinstance(version, str) else _version_by_metadata(package)
    standard = [sysconfig.get_path(name) for name in ("stdlib", "platstdlib")]
    return _STANDARD if any(file.startswith(f"{folder}{os.sep}") for folder in standard) else None


def _version_by_metadata(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:  # installed under another name
        return "unknown"


def _text(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _repr(encoder: _Encoder, plain: Any) -> bytes:
    return repr(plain).encode()


#: Encoders of values of exactly these types.
_ENCODERS_OF_TYPES: dict[type, Callable[[_Encoder, Any], bytes]] = {
    str: lambda encoder, text: _text(text),
    bytes: lambda encoder, content: content,
    **dict.fromkeys((bool, int, float, complex, types.NoneType, types.EllipsisType), _repr),
    **dict.fromkeys((list, tuple), _Encoder.sequence),
    **dict.fromkeys((set, frozenset), _Encoder.set),
    dict: _Encoder.mapping,
}

#: Encoders of instances of these classes and of their subclasses; the first match counts.
_ENCODERS_OF_CLASSES: tuple[tuple[type, Callable[[_Encoder, Any], bytes]], ...] = (
    (np.ndarray, _Encoder.subclass_of_array),
    (np.generic, lambda encoder, number: encoder.array(np.asarray(number))),
    (types.FunctionType, _Encoder.numbered),
    (types.CodeType, _Encoder.code),
    (types.MethodType, _Encoder.method),
    (types.ModuleType, _Encoder.module),
    (functools.partial, _Encoder.partial),
)
