"""Read NPY and NPZ files: arrays as NumPy saved them, never unpickled, so that nothing in a file can run."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import ZIP_STORED, ZipInfo

import numpy as np

from wideberth.errors import InvalidFile
from wideberth.io.readers.faults import explained_os_errors, fault, listed
from wideberth.io.readers.named_columns import check_exists, find_target
from wideberth.io.readers.options import ReadOptions
from wideberth.io.readers.records import Kind, Records
from wideberth.io.readers.sources.limits import too_large
from wideberth.io.readers.sources.source import Source
from wideberth.objects import sample
from wideberth.objects.sample import shown

DISTANCE_NAMES = ("distances", "D")
OBJECT_NAMES = ("X", "x", "data", "objects", *DISTANCE_NAMES)
KIND_OF_AXES: dict[int, Kind] = {1: "vectors", 2: "vectors", 3: "series"}
AXES_OF_KIND: dict[Kind, tuple[int, ...]] = {
    "strings": (1,),
    "vectors": (2,),
    "series": (2, 3),
    "distances": (2,),
    "objects": (1, 2, 3),
    "molecules": (1,),
    "sets": (),
    "trees": (),
    "graphs": (),
    "rows": (),
}
TEXT_KINDS = ("strings", "molecules")
Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True)
class FileArrays:
    """The arrays of a file that hold objects and labels, with their names.

    Attributes
    ----------
    objects : ndarray
        The objects along the first axis; of an NPY file a memory map.
    column : str or None
        The name of their array; None in an NPY file, which holds one array without a name.
    labels : ndarray or None
        The labels.
    target : str or None
        The name of their array.
    """

    objects: Array
    column: str | None = None
    labels: Array | None = None
    target: str | None = None


def array_batches(source: Source, options: ReadOptions, size: int) -> Iterator[Records]:
    """Yield the records of an NPY or NPZ file, a batch at a time.

    An NPY file stays on disk, and a batch of it is copied into memory at a time; the arrays of an NPZ file are read as a whole.

    Parameters
    ----------
    source : Source
        The file.
    options : ReadOptions
        What the caller named.
    size : int
        Objects in a batch.

    Yields
    ------
    Records

    Raises
    ------
    InvalidFile
        If arrays are missing, damaged or pickled, or if their types, shapes or values do not fit the kind of objects.

    Examples
    --------
    >>> import tempfile
    >>> path = str(Path(tempfile.mkdtemp(), "points.npy"))
    >>> np.save(path, np.zeros((5, 2)))
    >>> [batch.objects.shape for batch in array_batches(Source(path, "npy"), ReadOptions(), size=3)]
    [(3, 2), (2, 2)]
    """
    with explained_os_errors(source.path):
        found = _from_npz(source, options) if source.format == "npz" else _from_npy(source.path, options)
    kind = _kind(found, options.kind, source.path)
    objects = found.objects[:, np.newaxis] if found.objects.ndim == 1 and kind == "vectors" else found.objects
    _check_shape(objects, kind, source.path)
    _check_labels(found, source.path)
    for start in range(0, len(objects), size):
        batch = np.array(objects[start : start + size])  # a copy: the caller must not hold on to the file
        _check_values(batch, start, "objects", source.path)
        labels = None if found.labels is None else found.labels[start : start + size].tolist()
        yield Records(batch.tolist() if kind in TEXT_KINDS else batch, labels, kind, found.column, found.target, source.path)


def _from_npy(path: str, options: ReadOptions) -> FileArrays:
    """The only array of an NPY file, as a memory map."""
    for name in options.names:
        advice = "Leave column= and target= out, or save objects and labels together: numpy.savez(path, X=objects, y=labels)."
        raise fault(path, f"an NPY file holds one array without a name, so there is no {name!r}.", value=name, advice=advice)
    with Path(path).open("rb") as stream:
        if stream.read(6) != b"\x93NUMPY":
            raise fault(path, "this is not an NPY file.", value=None, advice="Write it with numpy.save(path, array).")
    try:
        return FileArrays(np.load(path, mmap_mode="r", allow_pickle=False))
    except Exception as broken:  # NumPy may raise anything on damaged bytes
        raise _array_error(path, broken, "") from None


def _from_npz(source: Source, options: ReadOptions) -> FileArrays:
    """The arrays of objects and labels of an NPZ file."""
    path = source.path
    with _archive(path) as arrays:
        _check_size(arrays.zip.infolist(), source)
        names = list(arrays.files)
        for name in options.names:
            check_exists(name, names, path, noun="array")
        target = find_target([name for name in names if name not in options.columns], options.target, path)
        column = _object_array([name for name in names if name != target], options, path)
        labels = None if target is None or not options.labels else _member(arrays, target, path)
        return FileArrays(_member(arrays, column, path), column, labels, target)


def _archive(path: str) -> Any:
    """The open NPZ file, after a check that it is a zip archive."""
    with Path(path).open("rb") as stream:
        if stream.read(2) != b"PK":
            advice = "Write it with numpy.savez(path, X=objects, y=labels)."
            raise fault(path, "this is not an NPZ file.", value=None, advice=advice)
    try:
        return np.load(path, allow_pickle=False)
    except Exception as broken:  # NumPy may raise anything on damaged bytes
        raise fault(path, f"the archive is damaged ({broken}).", value=None, advice="Write it again with numpy.savez.") from None


def _check_size(members: list[ZipInfo], source: Source) -> None:
    """Refuse an archive whose compressed members would take more than the limit; no more than declared is ever unpacked."""
    size = sum(member.file_size for member in members if member.compress_type != ZIP_STORED)
    if size > source.max_size:
        raise too_large(source.path, source.max_size, size)


def _object_array(names: list[str], options: ReadOptions, path: str) -> str:
    """The name of the array of objects: as the caller named it, a usual name, or the only array besides the labels."""
    candidates = list(options.columns) or [name for name in names if name in OBJECT_NAMES] or names
    if len(candidates) == 1:
        return candidates[0]
    raise fault(
        path,
        f"{len(candidates)} arrays could hold the objects: {listed(candidates)}."
        if candidates
        else "no array besides the labels.",
        value=candidates,
        advice=f"Name one, for example column={candidates[0]!r}."
        if candidates
        else "Save the objects too: numpy.savez(path, X=objects, y=labels).",
    )


def _member(arrays: Any, name: str, path: str) -> Array:
    """One array of an NPZ file."""
    try:
        array = arrays[name]
    except Exception as broken:
        raise _array_error(path, broken, f" {name!r}") from None
    if not isinstance(array, np.ndarray):
        raise fault(
            path, f"{name!r} is not an array.", value=name, advice="Write the file with numpy.savez(path, X=objects, y=labels)."
        )
    return array


def _array_error(path: str, broken: Exception, name: str) -> InvalidFile:
    """The error for an array that NumPy cannot load; ``name`` is empty for an NPY file."""
    if "bject" in str(broken):  # NumPy has no error of its own for "Object arrays cannot be loaded", "Python objects in dtype"
        return fault(
            path,
            f"the array{name} holds pickled Python objects; loading those could run any code, so it is refused.",
            value="object",
            advice="Save text as numpy.array(words, dtype=str), and ragged objects as JSON lines.",
        )
    return fault(
        path, f"the array{name} is damaged ({broken}).", value=None, advice="Write the file again with numpy.save or numpy.savez."
    )


def _kind(found: FileArrays, named: Kind | None, path: str) -> Kind:
    """The kind of the objects: as the caller named it, if the array can hold it, else by type, name and number of axes."""
    text, axes = found.objects.dtype.kind == "U", found.objects.ndim
    if not text and found.objects.dtype.kind not in sample.NUMERIC:
        advice = "Save numbers, or text with dtype=str; structured data as JSON lines."
        raise fault(path, f"objects of dtype {found.objects.dtype} have no reader.", value=found.objects.dtype, advice=advice)
    if text != (named in TEXT_KINDS) and named not in (None, "objects"):
        what = "text" if text else "numbers"
        raise fault(
            path,
            f"the array holds {what}, which cannot be {named}.",
            value=named,
            advice="Leave kind= out, or save another array.",
        )
    if named is not None:
        return named
    if text:
        return "strings"
    return "distances" if found.column in DISTANCE_NAMES else KIND_OF_AXES.get(axes, "vectors")


def _check_shape(objects: Array, kind: Kind, path: str) -> None:
    """Refuse arrays with a wrong number of axes, without objects, or with distances that are not square."""
    shape = objects.shape
    if objects.ndim not in AXES_OF_KIND[kind]:
        advice = (
            "Save text with 1 axis, vectors and distances with 2, series with 2 or 3 (object, channel, time), more as JSON lines."
        )
        raise fault(path, f"an array of shape {shape} cannot be {kind}.", value=shape, advice=advice)
    if 0 in shape:
        raise fault(path, f"an array of shape {shape} holds nothing.", value=shape, advice="Save at least one object.")
    if kind == "distances" and shape[0] != shape[1]:
        advice = "Save one row and one column for each object, or pass kind='vectors'."
        raise fault(path, f"{shape[0]} rows of {shape[1]} distances; a distance matrix is square.", value=shape, advice=advice)


def _check_labels(found: FileArrays, path: str) -> None:
    """Refuse labels that are not one for each object, of another type than numbers or text, or missing."""
    if found.labels is None:
        return
    if found.labels.shape != (len(found.objects),):
        raise fault(
            path,
            f"labels {found.target!r} of shape {found.labels.shape} for {len(found.objects)} objects.",
            value=found.labels.shape,
            advice="Save one label for each object, in one axis; or name another array with target=...",
        )
    if found.labels.dtype.kind not in sample.NUMERIC + "U":
        advice = "Save labels as text, with dtype=str, or as numbers."
        raise fault(path, f"labels of dtype {found.labels.dtype} have no reader.", value=found.labels.dtype, advice=advice)
    _check_values(found.labels, 0, "labels", path)


def _check_values(values: Array, start: int, noun: str, path: str) -> None:
    """Refuse values that are NaN, infinite, empty or no text; ``start`` is the index of the first of them in the file."""
    if values.dtype.kind == "U":
        _check_code_points(values, start, noun, path)
        wrong = values == ""
    elif values.dtype.kind == "f":
        wrong = ~np.isfinite(values)
    else:
        return
    if wrong.any():
        place = tuple(int(axis[0]) for axis in np.nonzero(wrong))
        value = values[place].item()
        where = ", ".join(str(index) for index in (start + place[0], *place[1:]))
        complaint = "is empty" if value == "" else "is not a finite number"
        raise fault(
            path,
            f"{shown(value)} at [{where}] of the {noun} {complaint}.",
            value=value,
            advice="Fill it in or remove the object.",
        )


def _check_code_points(texts: Array, start: int, noun: str, path: str) -> None:
    """Refuse texts with numbers that are no characters: above those of Unicode, and halves of surrogate pairs."""
    points = np.ascontiguousarray(texts, dtype=texts.dtype.newbyteorder("=")).view(np.uint32).reshape(*texts.shape, -1)
    wrong = np.argwhere((points > sys.maxunicode) | ((points >= 0xD800) & (points <= 0xDFFF)))
    if len(wrong):
        *place, character = map(int, wrong[0])
        value = int(points[tuple(wrong[0])])
        where = ", ".join(str(index) for index in (start + place[0], *place[1:]))
        raise fault(
            path,
            f"the text at [{where}] of the {noun} has the number {value:#x} at character {character + 1}, which is no character.",
            value=value,
            advice="Write the file again with numpy.save, or remove the object.",
        )
