"""Read NPY and NPZ files: arrays as NumPy saved them, never unpickled, so that nothing in a file
can run.
"""

import io
import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from zipfile import ZIP_STORED, ZipInfo

import numpy as np

from wideberth.errors import InvalidFile
from wideberth.io.readers.formats.delimited import are_distances
from wideberth.io.readers.records import (
    ColumnUse,
    Kind,
    ReadOptions,
    Records,
    Use,
    check_exists,
    explained_os_errors,
    fault,
    find_target,
    listed,
)
from wideberth.io.readers.source import Format, Source, too_large
from wideberth.objects import sample
from wideberth.objects.sample import shown
from wideberth.wording import Text, python, setting

# ---- Check the values of arrays: finite numbers and proper texts, one for each object

Array = np.ndarray[Any, np.dtype[Any]]


def check_companion(values: Array, name: str, option: str, count: int, path: str) -> None:
    """Refuse labels, weights or groups that are not one for each object, or of another type than
    numbers or text, or missing.
    """
    noun = "labels" if option == "target" else f"{option.removesuffix('s')}s"
    if values.shape != (count,):
        raise fault(
            path,
            f"{noun} {name!r} of shape {values.shape} for {count} objects.",
            "Save one for each object, in one axis; or name another array with "
            f"{setting(option, shown='...')}",
            value=values.shape,
        )
    if values.dtype.kind not in sample.NUMERIC + ("" if option == "weight" else "U"):
        advice = (
            f"Save {noun} as numbers."
            if option == "weight"
            else f"Save {noun} as text, with {python('dtype=str')}, or as numbers."
        )
        raise fault(
            path, f"{noun} of dtype {values.dtype} have no reader.", advice, value=values.dtype
        )
    check_values(values, 0, noun, path)
    if option == "weight" and (values < 0).any():
        raise fault(
            path,
            f"the weight {values.min():g} is negative.",
            "Weights are numbers from 0.",
            value=values.min(),
        )


def check_values(values: Array, start: int, noun: str, path: str) -> None:
    """Refuse values that are NaN, infinite, empty or no text."""
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
            "Fill it in or remove the object.",
            value=value,
        )


def _check_code_points(texts: Array, start: int, noun: str, path: str) -> None:
    """Refuse texts with numbers that are no characters: above those of Unicode, and halves of
    surrogate pairs.
    """
    points = (
        np.ascontiguousarray(texts, dtype=texts.dtype.newbyteorder("="))
        .view(np.uint32)
        .reshape(*texts.shape, -1)
    )
    wrong = np.argwhere((points > sys.maxunicode) | ((points >= 0xD800) & (points <= 0xDFFF)))
    if len(wrong):
        *place, character = map(int, wrong[0])
        value = int(points[tuple(wrong[0])])
        where = ", ".join(str(index) for index in (start + place[0], *place[1:]))
        raise fault(
            path,
            f"the text at [{where}] of the {noun} has the number {value:#x} at character "
            f"{character + 1}, which is no character.",
            "Write the file again with numpy.save, or remove the object.",
            value=value,
        )


DISTANCE_NAMES = ("distances", "D")
OBJECT_NAMES = ("X", "x", "data", "objects", *DISTANCE_NAMES)
KIND_OF_AXES: dict[int, Kind] = {1: "vectors", 2: "vectors", 3: "series"}
AXES_OF_KIND: dict[Kind, tuple[int, ...]] = {
    "strings": (1,),
    "vectors": (2,),
    "series": (2, 3),
    "distances": (1, 2),
    "objects": (1, 2, 3),
    "molecules": (1,),
    "sets": (),
    "trees": (),
    "graphs": (),
    "rows": (),
}
#: Rows and columns of a square array that are looked at to find out whether it holds distances.
MOST_COMPARED = 500
TEXT_KINDS = ("strings", "molecules")


@dataclass(frozen=True)
class FileArrays:
    """The arrays of a file that hold objects and labels, with their names."""

    objects: Array  # the objects along the first axis; of an NPY file a memory map
    #: the name of their array; None in an NPY file, which holds one array without a name
    column: str | None = None
    labels: Array | None = None
    target: str | None = None  # the name of their array
    weights: Array | None = None  # the arrays that the caller named
    groups: Array | None = None  # the arrays that the caller named

    def companions(self, options: ReadOptions) -> Iterator[tuple[Array, str, str]]:
        """Yield what goes with the objects: the array, its name, and the option that names it."""
        for values, name, option in (
            (self.labels, self.target, "target"),
            (self.weights, options.weight, "weight"),
            (self.groups, options.groups, "groups"),
        ):
            if values is not None:
                yield values, str(name), option


def npy_batches(source: Source, options: ReadOptions, size: int) -> Iterator[Records]:
    """Yield the objects of an NPY file, which stays on disk: a batch of it is copied into memory at
    a time.

    Examples
    --------
    >>> import tempfile
    >>> path = str(Path(tempfile.mkdtemp(), "points.npy"))
    >>> np.save(path, np.zeros((5, 2)))
    >>> [batch.objects.shape for batch in npy_batches(Source(path), ReadOptions(), size=3)]
    [(3, 2), (2, 2)]
    """
    with explained_os_errors(source.path):
        found = _from_npy(source.path, options)
    yield from _batches(found, source, options, size)


def npz_batches(source: Source, options: ReadOptions, size: int) -> Iterator[Records]:
    """Yield the objects of an NPZ file, whose arrays are read as a whole, a batch at a time."""
    with explained_os_errors(source.path):
        found = _from_npz(source, options)
    yield from _batches(found, source, options, size)


def _batches(
    found: FileArrays, source: Source, options: ReadOptions, size: int
) -> Iterator[Records]:
    kind = _kind(found, options.kind, source.path)
    objects = (
        found.objects[:, np.newaxis]
        if found.objects.ndim == 1 and kind == "vectors"
        else found.objects
    )
    _check_shape(objects, kind, source.path)
    if kind == "distances" and objects.ndim == 1:
        objects = _from_condensed(objects, source)
    found = replace(found, objects=objects)
    for values, name, option in found.companions(options):
        check_companion(values, name, option, len(objects), source.path)
    for start in range(0, len(objects), size):
        # a copy: the caller must not hold on to the file
        batch = np.array(objects[start : start + size])
        check_values(batch, start, "objects", source.path)
        cut = slice(start, start + size)
        records = Records(
            batch.tolist() if kind in TEXT_KINDS else batch,
            None,
            kind,
            found.column,
            found.target,
            source.path,
        )
        yield replace(
            records,
            labels=None if found.labels is None else found.labels[cut].tolist(),
            weights=None
            if found.weights is None
            else found.weights[cut].astype(np.float64).tolist(),
            groups=None if found.groups is None else found.groups[cut].tolist(),
            understood=_uses(found, kind, options),
        )


def _uses(found: FileArrays, kind: Kind, options: ReadOptions) -> tuple[ColumnUse, ...]:
    """What each named array is used as."""
    use: Use = "text" if kind in TEXT_KINDS else "series" if kind == "series" else "number"
    uses = [] if found.column is None else [ColumnUse(found.column, use, f"the objects: {kind}")]
    if found.labels is not None and found.target is not None:
        uses.append(
            ColumnUse(
                found.target,
                "label",
                f"named with {setting('target')}" if options.target else "by its name",
            )
        )
    if options.weight is not None:
        uses.append(ColumnUse(options.weight, "weight", f"named with {setting('weight')}"))
    if options.groups is not None:
        uses.append(ColumnUse(options.groups, "group", f"named with {setting('groups')}"))
    return tuple(use.because(Text(use.why)) for use in uses)


def _from_condensed(distances: Array, source: Source) -> Array:
    """The square matrix of the distances above its diagonal, one after the other, as SciPy's pdist
    gives them.
    """
    size = round((1 + math.sqrt(1 + 8 * len(distances))) / 2)
    if size * (size - 1) // 2 != len(distances):
        problem = f"{len(distances)} distances are not those between all pairs of objects."
        advice = "n objects have n (n - 1) / 2; or save a square matrix."
        raise fault(source.path, problem, advice, value=len(distances))
    if 8 * size * size > source.max_size:
        raise too_large(source.path, source.max_size, 8 * size * size)
    check_values(distances, 0, "objects", source.path)
    matrix = np.zeros((size, size))
    matrix[np.triu_indices(size, 1)] = distances
    return matrix + matrix.T


def _from_npy(path: str, options: ReadOptions) -> FileArrays:
    """The only array of an NPY file, as a memory map."""
    for name in options.names:
        advice = (
            f"Leave {setting('column')} and {setting('target')} out, or save objects and labels "
            f"together: {python('numpy.savez(path, X=objects, y=labels)')}."
        )
        raise fault(
            path,
            f"an NPY file holds one array without a name, so there is no {name!r}.",
            advice,
            value=name,
        )
    with Path(path).open("rb") as stream:
        if stream.read(6) != b"\x93NUMPY":
            raise fault(path, "this is not an NPY file.", "Write it with numpy.save(path, array).")
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
        target = find_target(
            [name for name in names if name not in options.columns], options.target, path
        )
        apart = {target, options.weight, options.groups}
        column = _object_array([name for name in names if name not in apart], options, path)
        labels = None if target is None or not options.labels else _member(arrays, target, path)
        others = [
            None if name is None else _member(arrays, name, path)
            for name in (options.weight, options.groups)
        ]
        return FileArrays(_member(arrays, column, path), column, labels, target, *others)


def _archive(path: str) -> Any:
    """The open NPZ file, after a check that it is a zip archive."""
    with Path(path).open("rb") as stream:
        if stream.read(2) != b"PK":
            advice = f"Write it with {python('numpy.savez(path, X=objects, y=labels)')}."
            raise fault(path, "this is not an NPZ file.", advice)
    try:
        return np.load(path, allow_pickle=False)
    except Exception as broken:  # NumPy may raise anything on damaged bytes
        raise fault(
            path, f"the archive is damaged ({broken}).", "Write it again with numpy.savez."
        ) from None


def _check_size(members: list[ZipInfo], source: Source) -> None:
    """Refuse an archive whose compressed members would take more than the limit; no more than
    declared is ever unpacked.
    """
    size = sum(member.file_size for member in members if member.compress_type != ZIP_STORED)
    if size > source.max_size:
        raise too_large(source.path, source.max_size, size)


def _object_array(names: list[str], options: ReadOptions, path: str) -> str:
    """The name of the array of objects: as the caller named it, a usual name, or the only array
    besides the labels.
    """
    candidates = list(options.columns) or [name for name in names if name in OBJECT_NAMES] or names
    if len(candidates) == 1:
        return candidates[0]
    raise fault(
        path,
        f"{len(candidates)} arrays could hold the objects: {listed(candidates)}."
        if candidates
        else "no array besides the labels.",
        f"Name one, for example {setting('column', candidates[0])}."
        if candidates
        else f"Save the objects too: {python('numpy.savez(path, X=objects, y=labels)')}.",
        value=candidates,
    )


def _member(arrays: Any, name: str, path: str) -> Array:
    """One array of an NPZ file."""
    try:
        array = arrays[name]
    except Exception as broken:
        raise _array_error(path, broken, f" {name!r}") from None
    if not isinstance(array, np.ndarray):
        raise fault(
            path,
            f"{name!r} is not an array.",
            f"Write the file with {python('numpy.savez(path, X=objects, y=labels)')}.",
            value=name,
        )
    return array


def _array_error(path: str, broken: Exception, name: str) -> InvalidFile:
    """The error for an array that NumPy cannot load; ``name`` is empty for an NPY file."""
    # NumPy has no error of its own for "Object arrays cannot be loaded", "Python objects in dtype"
    if "bject" in str(broken):
        return fault(
            path,
            f"the array{name} holds pickled Python objects; loading those could run any code, so "
            "it is refused.",
            f"Save text as {python('numpy.array(words, dtype=str)')}, and ragged objects as "
            "JSON lines.",
            value="object",
        )
    return fault(
        path,
        f"the array{name} is damaged ({broken}).",
        "Write the file again with numpy.save or numpy.savez.",
    )


def _kind(found: FileArrays, named: Kind | None, path: str) -> Kind:
    """The kind of the objects: as the caller named it, if the array can hold it, else by type, name
    and number of axes.
    """
    text, axes = found.objects.dtype.kind == "U", found.objects.ndim
    if not text and found.objects.dtype.kind not in sample.NUMERIC:
        advice = f"Save numbers, or text with {python('dtype=str')}; structured data as JSON lines."
        raise fault(
            path,
            f"objects of dtype {found.objects.dtype} have no reader.",
            advice,
            value=found.objects.dtype,
        )
    if text != (named in TEXT_KINDS) and named not in (None, "objects"):
        what = "text" if text else "numbers"
        raise fault(
            path,
            f"the array holds {what}, which cannot be {named}.",
            f"Leave {setting('kind')} out, or save another array.",
            value=named,
        )
    if named is not None:
        return named
    if text:
        return "strings"
    if found.column in DISTANCE_NAMES or _is_distance_matrix(found.objects):
        return "distances"
    return KIND_OF_AXES.get(axes, "vectors")


def _is_distance_matrix(array: Array) -> bool:
    """Whether a square array can only be one of distances; of a large one, its first rows and
    columns are looked at.
    """
    if array.ndim != 2 or array.shape[0] != array.shape[1]:
        return False
    return are_distances(np.asarray(array[:MOST_COMPARED, :MOST_COMPARED], dtype=np.float64))


def _check_shape(objects: Array, kind: Kind, path: str) -> None:
    """Refuse arrays with a wrong number of axes, without objects, or with distances that are not
    square.
    """
    shape = objects.shape
    if objects.ndim not in AXES_OF_KIND[kind]:
        advice = (
            "Save text with 1 axis, vectors and distances with 2, series with 2 or 3 (object, "
            "channel, time), more as JSON lines."
        )
        raise fault(path, f"an array of shape {shape} cannot be {kind}.", advice, value=shape)
    if 0 in shape:
        raise fault(
            path,
            f"an array of shape {shape} holds nothing.",
            "Save at least one object.",
            value=shape,
        )
    if kind == "distances" and len(shape) == 2 and shape[0] != shape[1]:
        advice = (
            f"Save one row and one column for each object, or pass {setting('kind', 'vectors')}."
        )
        raise fault(
            path,
            f"{shape[0]} rows of {shape[1]} distances; a distance matrix is square.",
            advice,
            value=shape,
        )


def _npy_example() -> bytes:
    stream = io.BytesIO()
    np.save(stream, np.array([[1.0, 2.0], [3.0, 5.0]]))
    return stream.getvalue()


def _npz_example() -> bytes:
    stream = io.BytesIO()
    np.savez(stream, X=np.array([[1.0, 2.0], [3.0, 5.0]]), y=np.array(["small", "large"]))
    return stream.getvalue()


_LABELS = (
    f"Give a file of labels with {setting('labels_from')}, or save an NPZ file with an array y."
)
NPY = Format(
    name="an NPY file",
    endings=(".npy",),
    of_arrays=npy_batches,
    labels=_LABELS,
    begins=(b"\x93NUMPY",),
    example=_npy_example,
)
NPZ = Format(
    name="a zip or NPZ file",
    endings=(".npz",),
    of_arrays=npz_batches,
    labels=_LABELS,
    begins=(b"PK\x03\x04",),
    example=_npz_example,
)
