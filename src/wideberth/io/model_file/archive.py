"""The bytes of a model file: a sealed zip, in it plain values as JSON and arrays as NPY; it is read
only if every byte is what it was when it was written, and nothing in it is ever unpickled.

Three checks build on each other: the seal, a SHA-256 of the whole file at its end, finds accidental
damage; the manifest lists every entry with its size and SHA-256; and sizes are compared with that
of the file before anything is read into memory. The checksums have no secret key: they do not prove
who wrote a file, and reading never depends on trust.

A value that JSON cannot express is a dict with one key that begins with ``$``. Arrays go into
entries of their own. The header of an array is matched by a pattern, never evaluated, and believed
only if it agrees with the length of the data.

===================  ==========================================================
value                JSON
===================  ==========================================================
inf, -inf            ``{"$float": "inf"}``
bytes                ``{"$bytes": base64}``
tuple                ``{"$tuple": [item, ...]}``
set, frozenset       ``{"$set": [item, ...]}``, read back as a frozenset
dict with any keys   ``{"$dict": [[key, value], ...]}``
array                ``{"$array": name}``, the name of its entry
===================  ==========================================================
"""

import base64
import hashlib
import io
import json
import math
import os
import re
import struct
import sys
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

import wideberth
from wideberth.errors import InvalidFile, InvalidInput
from wideberth.io import strict_json
from wideberth.objects import sample
from wideberth.wording import python

FORMAT, FORMAT_VERSION = "wideberth model", 2
MANIFEST = "manifest.json"
#: The comment that ends the file: the SHA-256 of all bytes before it.
_SEAL = b"sha256=%s"
_SEAL_SIZE = len(_SEAL % (b"0" * 64))
#: Bytes hashed at a time, and the largest size of a manifest in bytes.
_CHUNK, _LARGEST_MANIFEST = 1 << 20, 1 << 24
#: What zipfile raises for bytes that are not the zip they claim to be: sizes, positions, flags,
#: extra fields or names.
_NO_ZIP = (
    zipfile.BadZipFile,
    ValueError,
    OSError,
    EOFError,
    RuntimeError,
    OverflowError,
    struct.error,
)
#: Letters of a value or of another error's message that a message of ours repeats.
_SHOWN = 300
#: The earliest time that a zip can hold, in place of the time of writing: equal models give equal
#: files.
_NO_TIME = (1980, 1, 1, 0, 0, 0)


def refusal(
    path: str, entry: str | None, problem: str, *, value: object = None, advice: str = ""
) -> InvalidFile:
    """Make the error for a model file that cannot be read.

    Examples
    --------
    >>> print(
    ...     refusal(
    ...         "tea.wb", "model.json", "the checksum is wrong.", advice="Save the model again."
    ...     )
    ... )
    tea.wb, entry 'model.json': the checksum is wrong. Save the model again.
    """
    place = path if entry is None else f"{path}, entry {_shortened(repr(entry))}"
    return InvalidFile(
        f"{place}: {_shortened(problem)}",
        advice=advice or "Save the model again.",
        path=path,
        entry=entry,
        line=None,
        value=value,
    )


def _shortened(text: str) -> str:
    """A text without its middle if it is long: a message is read by people."""
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN // 2]} ... {text[-_SHOWN // 2 :]}"


def write_archive(
    stream: BinaryIO, entries: Iterable[tuple[str, bytes]], provenance: dict[str, Any]
) -> None:
    """Write entries, then the manifest and the seal.

    The same entries give the same bytes: no time of writing is stored.

    Examples
    --------
    >>> stream = io.BytesIO()
    >>> write_archive(stream, [("model.json", b"{}")], {"n_learned": 2})
    >>> zipfile.ZipFile(stream).namelist()
    ['model.json', 'manifest.json']
    """
    listed = {}
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as archive:
        for name, content in entries:
            archive.writestr(zipfile.ZipInfo(name, _NO_TIME), content)
            listed[name] = {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
        manifest = {
            "format": FORMAT,
            "format_version": FORMAT_VERSION,
            "wideberth_version": wideberth.__version__,
            "provenance": provenance,
            "entries": listed,
        }
        archive.writestr(zipfile.ZipInfo(MANIFEST, _NO_TIME), json.dumps(manifest, indent=1))
        archive.comment = _SEAL % (b"0" * 64)
    size = stream.seek(0, io.SEEK_END)
    seal = _SEAL % _digest(stream, size - _SEAL_SIZE).encode()
    stream.seek(-_SEAL_SIZE, io.SEEK_END)
    stream.write(seal)


class Archive:
    """An open model file that passed all checks: the seal, the version, and the names and sizes of
    its entries.

    A context manager, which closes the file at the end.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "tea.wb")
    >>> with path.open("w+b") as stream:
    ...     write_archive(stream, [("model.json", b"{}")], {"n_learned": 2})
    >>> with Archive(path) as archive:
    ...     archive.read("model.json")
    b'{}'
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        self._stream = self._open_file()
        try:
            self._zip = self._open_zip()
            self.manifest = self._read_manifest()
            self._check_seal()
            self._check_entries()
        except BaseException:
            self._stream.close()
            raise

    def __enter__(self) -> "Archive":
        return self

    def __exit__(self, *reason: object) -> None:
        self._stream.close()

    def read(self, name: str) -> bytes:
        """Read an entry: its content, which has the size and the SHA-256 of the manifest."""
        if name not in self.manifest["entries"]:
            raise refusal(self.path, name, "there is no such entry.", value=name)
        declared = self.manifest["entries"][name]
        content = self._content(self._zip.getinfo(name), declared["bytes"])
        if hashlib.sha256(content).hexdigest() != declared["sha256"]:
            raise refusal(
                self.path,
                name,
                "its SHA-256 is not the one in the manifest.",
                value=declared["sha256"],
            )
        return content

    def _open_file(self) -> BinaryIO:
        try:
            # opening one may wait forever
            if Path(self.path).is_fifo() or Path(self.path).is_char_device():
                advice = "Write it to a plain file first: its parts are read in any order."
                raise refusal(
                    self.path,
                    None,
                    "this is a pipe or a device, not a file.",
                    value=self.path,
                    advice=advice,
                )
            return Path(self.path).open("rb")
        except InvalidFile:
            raise
        except (OSError, ValueError) as reason:  # of a name with a NUL in it, a ValueError
            advice = (
                "Check the path."
                if isinstance(reason, FileNotFoundError)
                else "Check that it is a file you may read."
            )
            why = getattr(reason, "strerror", None) or reason
            raise refusal(
                self.path, None, f"cannot be opened ({why}).", value=self.path, advice=advice
            ) from None

    def _open_zip(self) -> zipfile.ZipFile:
        try:
            return zipfile.ZipFile(self._stream)
        except _NO_ZIP as reason:
            # NotImplementedError, of features of zip files, is a RuntimeError
            raise refusal(
                self.path,
                None,
                f"this is not a model file, or only a part of one ({reason}).",
                value=str(reason),
                advice=f"{python('wideberth.save')}(model, path) and 'wideberth fit' write one; "
                "copy or download it again if it was one.",
            ) from None

    def _read_manifest(self) -> dict[str, Any]:
        found = self._zip.namelist().count(MANIFEST)
        if found != 1:
            raise refusal(
                self.path, MANIFEST, f"there are {found} such entries, not one.", value=found
            )
        info = self._zip.getinfo(MANIFEST)
        if info.file_size > _LARGEST_MANIFEST:
            raise refusal(
                self.path,
                MANIFEST,
                f"{info.file_size:,} bytes are too many for it.",
                value=info.file_size,
            )
        try:
            manifest = strict_json.parse(self._content(info, info.file_size).decode())
        except ValueError as reason:
            raise refusal(
                self.path, MANIFEST, f"not readable as JSON ({reason}).", value=str(reason)
            ) from None
        self._check_version(manifest)
        return dict(manifest)

    def _check_version(self, manifest: Any) -> None:
        """Refuse a manifest of another format, of another version of it, or without a description
        of every entry.
        """
        if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
            raise refusal(
                self.path, MANIFEST, f"it does not name the format {FORMAT!r}.", value=manifest
            )
        version, library = manifest.get("format_version"), manifest.get("wideberth_version")
        if type(version) is not int or version < 1 or type(library) is not str:
            raise refusal(
                self.path, MANIFEST, f"{version!r} is not a version of the format.", value=version
            )
        if version > FORMAT_VERSION:
            raise refusal(
                self.path,
                MANIFEST,
                f"format {version}, written by wideberth {library[:20]}; wideberth "
                f"{wideberth.__version__} reads format {FORMAT_VERSION}.",
                value=version,
                advice="Install a newer wideberth, or save the model again with this one.",
            )
        entries = manifest.get("entries")
        if not isinstance(entries, dict) or not all(map(_describes_entry, entries.values())):
            raise refusal(
                self.path,
                MANIFEST,
                "it does not give the bytes and the sha256 of every entry.",
                value=entries,
            )

    def _check_seal(self) -> None:
        """Compare the SHA-256 at the end of the file with that of all bytes before it."""
        size = self._stream.seek(0, io.SEEK_END)
        self._stream.seek(max(0, size - _SEAL_SIZE))
        found = self._stream.read()
        if (
            not re.fullmatch(_SEAL % b"[0-9a-f]{64}", found)
            or found != _SEAL % _digest(self._stream, size - _SEAL_SIZE).encode()
        ):
            raise refusal(
                self.path,
                None,
                "the file was changed after it was written: its SHA-256 is not the one at its end.",
                value=found,
                advice="Copy or download it again, or save the model again.",
            )

    def _check_entries(self) -> None:
        """Refuse entries that the manifest does not list, that are missing, that share a name, or
        that overlap in the file.
        """
        names, declared = Counter(self._zip.namelist()), self.manifest["entries"]
        for name, found in names.items():
            if found > 1:
                raise refusal(self.path, name, f"{found} entries have this name.", value=name)
            if name not in declared and name != MANIFEST:
                raise refusal(self.path, name, "the manifest does not list it.", value=name)
        for name in declared:
            if name not in names or name == MANIFEST:
                raise refusal(
                    self.path, name, "the manifest lists it, but it is not there.", value=name
                )
        size = self._stream.seek(0, io.SEEK_END)
        total = sum(info.file_size for info in self._zip.infolist())
        if total > size:  # entries that overlap
            raise refusal(
                self.path,
                None,
                f"its entries claim {total:,} bytes, the file has {size:,}.",
                value=total,
            )

    def _content(self, info: zipfile.ZipInfo, declared: int) -> bytes:
        """The bytes of an entry, as many as declared; a compressed one is refused, so that none can
        be larger than the file.
        """
        if info.compress_type != zipfile.ZIP_STORED or info.file_size != info.compress_size:
            raise refusal(
                self.path,
                info.filename,
                "it is compressed, which is never so in model files.",
                value=info.compress_type,
            )
        if info.file_size != declared:
            problem = f"it has {info.file_size:,} bytes, the manifest declares {declared:,}."
            raise refusal(self.path, info.filename, problem, value=info.file_size)
        try:
            with self._zip.open(info) as stream:
                content = stream.read(declared + 1)
        except _NO_ZIP as reason:
            raise refusal(
                self.path, info.filename, f"it is damaged ({reason}).", value=str(reason)
            ) from None
        if len(content) != declared:
            problem = f"it ends after {len(content):,} of {declared:,} bytes."
            raise refusal(self.path, info.filename, problem, value=len(content))
        return content


def _digest(stream: BinaryIO, size: int) -> str:
    """The SHA-256 of the first ``size`` bytes of a stream, in hexadecimal digits."""
    stream.seek(0)
    digest = hashlib.sha256()
    while size > 0 and (chunk := stream.read(min(_CHUNK, size))):
        digest.update(chunk)
        size -= len(chunk)
    return digest.hexdigest()


def _describes_entry(entry: Any) -> bool:
    """Whether a value of the manifest gives the size and the checksum of an entry, in the right
    types.
    """
    return (
        isinstance(entry, dict)
        and entry.keys() == {"bytes", "sha256"}
        and type(entry["bytes"]) is int
        and entry["bytes"] >= 0
        and type(entry["sha256"]) is str
    )


# ---- Values as JSON, and arrays as NPY

KeepArray = Callable[[NDArray[Any]], str]
FetchArray = Callable[[str], NDArray[Any]]
#: Kinds of arrays (`numpy.dtype.kind`) that files hold: truth values, integers, floats, text,
#: bytes.
_ARRAY_KINDS = "biufUS"
#: The largest number in bytes: longer floats differ between machines.
_LARGEST_NUMBER = 8
#: How an NPY file of version 1.0 begins, and its header exactly as numpy writes it: kind and size
#: of the numbers, order, shape.
_MAGIC = b"\x93NUMPY\x01\x00"
_HEADER = re.compile(
    rb"\{'descr': '([<>|][biufUS]\d{1,9})', 'fortran_order': (True|False), 'shape': \(((?:\d{1,18}, ?)*(?:\d{1,18})?)\), \} *\n"
)
#: The most bytes of a row of an array without rows (or of a column of one without columns): work
#: with such a shape is not free.
_LARGEST_EMPTY = 1 << 27
#: How many different values of a file may have the hash of another.
_MOST_CLASHES = 1000
#: The last code point of Unicode.
_LAST_LETTER = 0x10FFFF


def to_json(value: Any, keep: KeepArray) -> Any:
    """Convert a value to one that JSON can hold; ``keep`` stores an array elsewhere and returns the
    name under which `from_json` finds it. NaN and values of other types are refused.

    Examples
    --------
    >>> to_json({"sizes": (1, 2.5), "limit": math.inf, 3: {"tea"}}, keep=None)
    {'$dict': [['sizes', {'$tuple': [1, 2.5]}], ['limit', {'$float': 'inf'}], [3, {'$set': ['tea']}]]}
    """
    # a NaN is refused: read back, it would not equal itself
    match value:
        case None | bool() | str() | int():
            return value
        case np.bool_() | np.integer() | np.floating() if isinstance(
            value.item(), bool | int | float
        ):
            return to_json(value.item(), keep)
        case float() if not math.isnan(value):
            return float(value) if math.isfinite(value) else {"$float": repr(float(value))}
        case bytes():
            return {"$bytes": base64.b64encode(value).decode()}
        case np.ndarray():
            return {"$array": keep(value)}
        case list():
            return [to_json(item, keep) for item in value]
        case tuple():
            return {"$tuple": [to_json(item, keep) for item in value]}
        case set() | frozenset():
            return {"$set": [to_json(item, keep) for item in sorted(value, key=repr)]}
        case dict():
            if all(isinstance(key, str) and not key.startswith("$") for key in value):
                return {key: to_json(item, keep) for key, item in value.items()}
            return {
                "$dict": [[to_json(key, keep), to_json(item, keep)] for key, item in value.items()]
            }
    raise InvalidInput(
        f"{type(value).__name__} {sample.shown(value)} cannot go into a model file.",
        advice="It holds numbers, text, bytes, and lists, tuples, sets and dicts of them; convert "
        "the objects before fit.",
        value=value,
    )


def from_json(value: Any, fetch: FetchArray) -> Any:
    """Convert a value back that `to_json` converted; nothing in it is trusted, and anything that
    `to_json` does not write is a `ValueError` or `TypeError`.

    Examples
    --------
    >>> from_json({"$tuple": [1, {"$float": "inf"}]}, fetch=None)
    (1, inf)
    """
    return _Reading(fetch).convert(value)


class _Reading:
    """The conversion of one JSON value, which counts different values of the same hash.

    Python hashes whole numbers by a known rule, and tuples and sets of them too: a file could hold
    thousands with one hash, and every set and dict of them would take quadratic time. By chance
    there are none.
    """

    def __init__(self, fetch: FetchArray) -> None:
        self._fetch = fetch
        self._first_with: dict[int, Any] = {}
        self._clashes = 0

    def convert(self, value: Any) -> Any:
        """The value, with a `ValueError` or `TypeError` for anything that `to_json` does not
        write.
        """
        if isinstance(value, list):
            return [self.convert(item) for item in value]
        if isinstance(value, int) and abs(value) >= sys.hash_info.modulus:
            return self._counted(value)
        if not isinstance(value, dict):
            return value
        if not any(key.startswith("$") for key in value):
            return {key: self.convert(item) for key, item in value.items()}
        return self._convert_marked(value)

    def _convert_marked(self, value: dict[str, Any]) -> Any:
        """The value for which a dict with one key stands."""
        match value:
            case {"$float": "inf" | "-inf" as name, **rest} if not rest:
                return float(name)
            case {"$bytes": str(text), **rest} if not rest:
                return base64.b64decode(text, validate=True)
            case {"$array": str(name), **rest} if not rest:
                return self._fetch(name)
            case {"$tuple": list(items), **rest} if not rest:
                return self._counted(tuple(map(self.convert, items)))
            case {"$set": list(items), **rest} if not rest:
                return self._counted(frozenset(map(self.convert, items)))
            case {"$dict": list(items), **rest} if not rest:
                return {self.convert(key): self.convert(item) for key, item in items}
        raise ValueError(f"{sorted(value)} is not a value of a model file")

    def _counted(self, value: Any) -> Any:
        """The value itself; a `ValueError` if too many others had its hash."""
        try:
            first = self._first_with.setdefault(hash(value), value)
        except TypeError:  # a tuple with a list in it, which no set can hold
            return value
        self._clashes += first != value
        if self._clashes > _MOST_CLASHES:
            raise ValueError("thousands of different values have the same hash")
        return value


def array_to_bytes(array: NDArray[Any]) -> bytes:
    r"""Write an array as the content of an NPY file.

    Examples
    --------
    >>> array_to_bytes(np.array([1.5, 2.0]))[:6]
    b'\x93NUMPY'
    """
    if not _is_plain(array.dtype):
        raise InvalidInput(
            f"An array of {array.dtype} cannot go into a model file, which holds numbers and text.",
            advice="Labels may be strings, whole numbers, truth values or floats; convert them "
            "before fit.",
            value=array.dtype,
        )
    buffer = io.BytesIO()
    npy.write_array(buffer, np.ascontiguousarray(array).reshape(array.shape), allow_pickle=False)
    return buffer.getvalue()


def array_from_bytes(content: bytes) -> NDArray[Any]:
    """Read the content of an NPY file, version 1.0, as a writable array.

    A `ValueError` unless it is exactly one array of numbers or text, with as many bytes as its
    header declares, each of them a value of its type: no truth value that is neither 0 nor 1, no
    letter beyond Unicode.

    Examples
    --------
    >>> array_from_bytes(array_to_bytes(np.array([1.5, 2.0])))
    array([1.5, 2. ])
    """
    start = len(_MAGIC) + 2
    end = start + int.from_bytes(content[len(_MAGIC) : start], "little")
    header = _HEADER.fullmatch(content[start:end])
    if not content.startswith(_MAGIC) or header is None:
        raise ValueError("not version 1.0 of the NPY format, or not an array of numbers or text")
    dtype = np.dtype(header[1].decode())
    shape = tuple(int(size) for size in header[3].replace(b" ", b"").split(b",") if size)
    _check_size(dtype, shape, len(content) - end)
    # from a bytearray, so that the array is writable
    flat = np.frombuffer(bytearray(content[end:]), dtype=dtype)
    _check_values(flat)
    array = flat.reshape(shape, order="F" if header[2] == b"True" else "C")
    # what compiled code takes, wherever the file was written
    return np.require(array, dtype.newbyteorder("="), ["C", "W"])


def _is_plain(dtype: np.dtype[Any]) -> bool:
    """Whether a file may hold arrays of this type."""
    return dtype.kind in "US" or (dtype.kind in _ARRAY_KINDS and dtype.itemsize <= _LARGEST_NUMBER)


def _check_size(dtype: np.dtype[Any], shape: tuple[int, ...], present: int) -> None:
    """Raise a `ValueError` unless the data have the size that type and shape need, and a shape
    without data is small.
    """
    claimed = math.prod(shape) * dtype.itemsize
    if not _is_plain(dtype) or dtype.itemsize == 0:
        raise ValueError(f"arrays of dtype {dtype} are not read")
    if claimed != present:
        raise ValueError(f"shape {shape} of {dtype} needs {claimed} bytes, there are {present}")
    if not claimed and math.prod(filter(None, shape)) * dtype.itemsize > _LARGEST_EMPTY:
        raise ValueError(f"shape {shape} of {dtype} has a size, but no data")


def _check_values(flat: NDArray[Any]) -> None:
    """Raise a `ValueError` for bytes that are no value of the type of the array; every byte of a
    number is one.
    """
    if flat.dtype.kind == "b" and np.any(flat.view(np.uint8) > 1):
        raise ValueError("a truth value is neither 0 nor 1")
    if flat.dtype.kind == "U" and np.any(
        flat.view(np.dtype(np.uint32).newbyteorder(flat.dtype.byteorder)) > _LAST_LETTER
    ):
        raise ValueError("a letter is beyond the last one of Unicode")
