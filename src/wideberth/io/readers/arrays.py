"""NPY and NPZ: arrays as NumPy saved them, never unpickled, so that nothing in a file can run."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from wideberth.errors import InvalidFile
from wideberth.io.readers.columns import Wish, check_exists, find_target
from wideberth.io.readers.faults import fault, listed, shown
from wideberth.io.readers.records import Kind, Records
from wideberth.io.readers.source import Source

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
class ArraysOfFile:
    """The arrays of a file that matter, with the names they had in it."""

    objects: Array
    column: str | None = None
    labels: Array | None = None
    target: str | None = None


def array_batches(source: Source, wish: Wish, size: int) -> Iterator[Records]:
    """The records of an NPY or NPZ file; an NPY file stays on disk and is read a batch at a time."""
    found = _from_npz(source.path, wish) if source.format == "npz" else _from_npy(source.path, wish)
    kind = _kind(found, wish.kind, source.path)
    objects = found.objects[:, np.newaxis] if found.objects.ndim == 1 and kind == "vectors" else found.objects
    _check_shape(objects, kind, source.path)
    _check_labels(found, source.path)
    for start in range(0, len(objects), size):
        batch = np.array(objects[start : start + size])  # a copy: the caller must not hold on to the file
        _check_values(batch, start, "objects", source.path)
        labels = None if found.labels is None else found.labels[start : start + size].tolist()
        yield Records(batch.tolist() if kind in TEXT_KINDS else batch, labels, kind, found.column, found.target, source.path)


def _from_npy(path: str, wish: Wish) -> ArraysOfFile:
    for name in (*wish.columns, *filter(None, [wish.target])):
        advice = "Leave column= and target= out, or save objects and labels together: numpy.savez(path, X=objects, y=labels)."
        raise fault(path, f"an NPY file holds one array without a name, so there is no {name!r}.", value=name, advice=advice)
    with Path(path).open("rb") as stream:
        if stream.read(6) != b"\x93NUMPY":
            raise fault(path, "this is not an NPY file.", value=None, advice="Write it with numpy.save(path, array).")
    try:
        return ArraysOfFile(np.load(path, mmap_mode="r", allow_pickle=False))
    except Exception as broken:  # NumPy may raise anything on damaged bytes
        raise _unreadable(path, broken, "") from None


def _from_npz(path: str, wish: Wish) -> ArraysOfFile:
    with _archive(path) as arrays:
        names = list(arrays.files)
        for name in (*wish.columns, *filter(None, [wish.target])):
            check_exists(name, names, path, noun="array")
        target = find_target([name for name in names if name not in wish.columns], wish.target, path)
        column = _object_array([name for name in names if name != target], wish, path)
        labels = None if target is None or not wish.labels else _member(arrays, target, path)
        return ArraysOfFile(_member(arrays, column, path), column, labels, target)


def _archive(path: str) -> Any:
    with Path(path).open("rb") as stream:
        if stream.read(2) != b"PK":
            advice = "Write it with numpy.savez(path, X=objects, y=labels)."
            raise fault(path, "this is not an NPZ file.", value=None, advice=advice)
    try:
        return np.load(path, allow_pickle=False)
    except Exception as broken:  # NumPy may raise anything on damaged bytes
        raise fault(path, f"the archive is damaged ({broken}).", value=None, advice="Write it anew with numpy.savez.") from None


def _object_array(names: list[str], wish: Wish, path: str) -> str:
    candidates = list(wish.columns) or [name for name in names if name in OBJECT_NAMES] or names
    if len(candidates) == 1:
        return candidates[0]
    raise fault(
        path,
        f"{len(candidates)} arrays could hold the objects: {listed(candidates)}."
        if candidates
        else "no array beside the labels.",
        value=candidates,
        advice=f"Name one, for example column={candidates[0]!r}."
        if candidates
        else "Save the objects too: numpy.savez(path, X=objects, y=labels).",
    )


def _member(arrays: Any, name: str, path: str) -> Array:
    try:
        array = arrays[name]
    except Exception as broken:
        raise _unreadable(path, broken, f" {name!r}") from None
    if not isinstance(array, np.ndarray):
        raise fault(
            path, f"{name!r} is not an array.", value=name, advice="Write the file with numpy.savez(path, X=objects, y=labels)."
        )
    return array


def _unreadable(path: str, broken: Exception, name: str) -> InvalidFile:
    if "bject" in str(broken):  # NumPy has no error of its own for "Object arrays cannot be loaded", "Python objects in dtype"
        return fault(
            path,
            f"the array{name} holds pickled Python objects; loading those could run any code, so it is refused.",
            value="object",
            advice="Save text as numpy.array(words, dtype=str), and ragged objects as JSON lines.",
        )
    return fault(
        path, f"the array{name} is damaged ({broken}).", value=None, advice="Write the file anew with numpy.save or numpy.savez."
    )


def _kind(found: ArraysOfFile, named: Kind | None, path: str) -> Kind:
    text, axes = found.objects.dtype.kind == "U", found.objects.ndim
    if not text and found.objects.dtype.kind not in "fiub":
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
    shape = objects.shape
    if objects.ndim not in AXES_OF_KIND[kind]:
        advice = (
            "Save text with 1 axis, vectors and distances with 2, series with 2 or 3 (object, channel, time), more as JSON lines."
        )
        raise fault(path, f"an array of shape {shape} cannot be {kind}.", value=shape, advice=advice)
    if 0 in shape:
        raise fault(path, f"an array of shape {shape} holds nothing.", value=shape, advice="Save at least one object.")
    if kind == "distances" and shape[0] != shape[1]:
        advice = "Save one row and one column for each object, or say kind='vectors'."
        raise fault(path, f"{shape[0]} rows of {shape[1]} distances; a distance matrix is square.", value=shape, advice=advice)


def _check_labels(found: ArraysOfFile, path: str) -> None:
    if found.labels is None:
        return
    if found.labels.shape != (len(found.objects),):
        raise fault(
            path,
            f"labels {found.target!r} of shape {found.labels.shape} for {len(found.objects)} objects.",
            value=found.labels.shape,
            advice="Save one label for each object, in one axis; or name another array with target=...",
        )
    if found.labels.dtype.kind not in "fiubU":
        advice = "Save labels as text, with dtype=str, or as numbers."
        raise fault(path, f"labels of dtype {found.labels.dtype} have no reader.", value=found.labels.dtype, advice=advice)
    _check_values(found.labels, 0, "labels", path)


def _check_values(values: Array, start: int, noun: str, path: str) -> None:
    if values.dtype.kind == "U":
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
