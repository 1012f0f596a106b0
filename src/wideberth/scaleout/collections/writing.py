"""Labels of a collection as Parquet files, one for each partition, so that an interrupted run goes on where it stopped."""

import os
import platform
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

import dask

from wideberth.estimators.radius_units import radius_unit
from wideberth.extras import import_extra
from wideberth.io.whole_file import whole_file
from wideberth.scaleout.collections.answers import answer_piece, check_answers
from wideberth.scaleout.collections.partitions import Columns, LabelledPiece, Partitions
from wideberth.scaleout.collections.shipping import computed, shipped
from wideberth.scaleout.collections.written import (
    DIGEST,
    QUESTION,
    Part,
    check_part,
    check_seen,
    checked_folder,
    note_question,
    part_of,
    question_of,
)


def write_predictions(
    model: Any,
    X: Any,
    folder: str | os.PathLike[str],
    *,
    radius: bool = False,
    unit: str | None = None,
    column: Columns = None,
) -> list[Path]:
    """Write the label of each object of a collection to Parquet files; what is there already is not computed again.

    Each partition is one file, written completely or not at all by the worker that computed it. After a crash or Ctrl-C, the same
    call goes on with the partitions that are missing. Each file holds a digest of the objects that it is about: partitions that
    have one are read again and compared with it, so that answers about objects that have changed meanwhile are never returned.
    In the end every file is read by the client: answers on a disk that only a worker has are an error.

    Parameters
    ----------
    model : classifier
        A fitted classifier of this library.
    X : Dask bag, array or data frame, list of Delayed, or path
        The objects, as for `predict`.
    folder : str or path
        Where to write; the client and all workers must share it. It is made if it is not there, and empty at the first call.
    radius : bool
        Whether to write certified radii too.
    unit : str, optional
        What radii are measured in, as in ``certified_radius``.
    column : str or sequence of str, optional
        Which columns or which field hold the objects.

    Returns
    -------
    list of Path
        The files in the order of the partitions, with absolute paths: a column ``label`` and, if asked for,
        ``certified_radius``, in the order of the objects. ``dask.dataframe.read_parquet(folder)`` reads them.

    Raises
    ------
    wideberth.errors.InvalidInput
        If the folder holds the answers of another model or about other objects, files that this function did not write, or that
        were changed (another number of rows, labels that the model does not have); if it is in X, or an address such as ``s3://``.
    wideberth.errors.LostWork
        If a worker or the client does not see the folder or its files, with those that are missing; if workers die again and
        again.
    wideberth.errors.MissingOnWorkers
        If workers cannot import the module of a distance or of objects.

    Examples
    --------
    >>> import dask.bag, tempfile
    >>> from wideberth import NeighborsClassifier, read, scaleout
    >>> model = NeighborsClassifier("levenshtein", n_neighbors=1).fit(["tea", "rum"], ["soft", "hard"])
    >>> drinks = dask.bag.from_sequence(["tee", "rom", "ten"], npartitions=2)
    >>> files = scaleout.write_predictions(model, drinks, tempfile.mkdtemp())
    >>> [file.name for file in files], read(files[0], column="label").objects
    (['part-000000.parquet', 'part-000001.parquet'], ['soft', 'hard'])
    """
    check_answers(model, "certified_radius" if radius else "predict")
    import_extra("pyarrow.parquet", "dask")
    if radius:
        radius_unit(model.metric_, unit)
    place = checked_folder(folder, X)
    collection = Partitions.of(X, column=column)
    files = [place / f"part-{number:06d}.parquet" for number in range(len(collection))]
    note_question(place, question_of(model, len(collection), radius=radius, unit=unit), files)
    there = [number for number, file in enumerate(files) if file.exists()]
    missing = sorted(set(range(len(files))) - set(there))
    about = dask.delayed(about_piece)
    now = computed([about(collection.piece(number)) for number in there], "digests of partitions")
    check = partial(check_part, classes=model.classes_, radius=radius)
    for number, part in zip(there, now, strict=True):
        check(files[number], number, Part(*part))
    sent, call = shipped(model), uuid4().hex
    write = partial(dask.delayed(write_piece), sent, radius=radius, unit=unit)
    written = computed(
        [  # named by their numbers, so that Dask begins with the first
            write(collection.piece(number), number, str(files[number]), dask_key_name=f"{files[number].stem}-{call}")
            for number in missing
        ],
        "predictions",
    )
    check_seen([files[number] for number in missing], "This process")
    for number, part in zip(missing, written, strict=True):
        check(files[number], number, Part(*part))
    return files


def write_piece(model: Any, piece: LabelledPiece, number: int, file: str, *, radius: bool, unit: str | None) -> Part:
    """Write the answers about a partition with the digest of its objects, on its worker; return what they are about."""
    check_seen([Path(file).with_name(QUESTION)], f"The process {os.getpid()} on {platform.node()!r}")
    arrow, parquet = import_extra("pyarrow", "dask"), import_extra("pyarrow.parquet", "dask")
    columns = {"label": answer_piece(model, piece, number, "array", "label", "predict", {})}
    if radius:
        columns["certified_radius"] = answer_piece(model, piece, number, "array", "", "certified_radius", {"unit": unit})
    table = arrow.table({name: arrow.array(values.tolist()) for name, values in columns.items()})
    part = part_of(piece.objects)
    with whole_file(file) as stream:
        parquet.write_table(table.replace_schema_metadata({DIGEST: part.digest}), stream)
    return part


def about_piece(piece: LabelledPiece) -> Part:
    """What the answers about a partition are about, on its worker."""
    return part_of(piece.objects)
