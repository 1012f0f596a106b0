"""Labels of a collection as Parquet files, one for each partition, so that an interrupted run goes on where it stopped."""

import json
import os
from pathlib import Path
from typing import Any

import dask
from dask.base import tokenize

from wideberth.errors import InvalidInput
from wideberth.estimators.radius_units import radius_unit
from wideberth.extras import import_extra
from wideberth.io.whole_file import whole_file
from wideberth.scaleout.collections.answers import answer_piece, check_answers
from wideberth.scaleout.collections.asking import size_of
from wideberth.scaleout.collections.partitions import Columns, LabelledPiece, Partitions
from wideberth.scaleout.collections.shipping import shipped
from wideberth.scaleout.collections.tries import computed

#: What was asked of what: a folder holds the answers to one question.
_QUESTION = "question.json"


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
    call goes on with the partitions that are missing.

    Parameters
    ----------
    model : classifier
        A fitted classifier of this library.
    X : Dask bag, array or data frame, list of Delayed, or path
        The objects, as for `predict`. Dask names partitions by their contents: of a list of Delayed, make them ``pure``.
    folder : str or path
        Where to write; the client and all workers must see it. It is made if it is not there.
    radius : bool
        Whether to write certified radii too.
    unit : str, optional
        What radii are measured in, as in ``certified_radius``.
    column : str or sequence of str, optional
        Which columns or which field hold the objects.

    Returns
    -------
    list of Path
        The files in the order of the partitions: a column ``label`` and, if asked for, ``certified_radius``, in the order of the
        objects. ``dask.dataframe.read_parquet(folder)`` reads them.

    Raises
    ------
    wideberth.errors.InvalidInput
        If the folder holds the answers of another model, or about another collection.

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
    import_extra("pyarrow.parquet", "tables")
    if radius:
        radius_unit(model.metric_, unit)
    collection = Partitions.of(X, column=column)
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    _note_question(place, _question(model, collection, radius=radius, unit=unit))
    files = [place / f"part-{number:06d}.parquet" for number in range(len(collection))]
    missing = [number for number, file in enumerate(files) if not file.exists()]
    sent, write = shipped(model), dask.delayed(write_piece)
    computed(
        [write(sent, collection.piece(number), number, str(files[number]), radius=radius, unit=unit) for number in missing],
        "predictions",
    )
    return files


def write_piece(model: Any, piece: LabelledPiece, number: int, file: str, *, radius: bool, unit: str | None) -> int:
    """Write the answers about a partition, on its worker; return how many they are."""
    arrow, parquet = import_extra("pyarrow", "tables"), import_extra("pyarrow.parquet", "tables")
    columns = {"label": answer_piece(model, piece, number, "array", "label", "predict", {})}
    if radius:
        columns["certified_radius"] = answer_piece(model, piece, number, "array", "", "certified_radius", {"unit": unit})
    with whole_file(file) as stream:
        parquet.write_table(arrow.table({name: arrow.array(values.tolist()) for name, values in columns.items()}), stream)
    return size_of(piece.objects)


def _question(model: Any, collection: Partitions, *, radius: bool, unit: str | None) -> dict[str, Any]:
    """What tells one question from another, the same in every process."""
    learned = model._state() if hasattr(model, "_state") else model
    return {
        "model": tokenize(type(model).__name__, model.classes_, learned),
        "collection": tokenize([str(part.key) for part in collection.parts], collection.column),
        "partitions": len(collection),
        "radius": radius,
        "unit": unit,
    }


def _note_question(place: Path, question: dict[str, Any]) -> None:
    """Write the question into a new folder, or compare it with that of one that is there."""
    noted = place / _QUESTION
    if not noted.exists():
        with whole_file(noted) as stream:
            stream.write(json.dumps(question).encode())
        return
    known = json.loads(noted.read_text(encoding="utf-8"))
    other = [name for name in question if known.get(name) != question[name]]
    if other:
        raise InvalidInput(
            f"{str(place)!r} holds predictions for another {other[0]}: {known.get(other[0])!r}, not {question[other[0]]!r}.",
            advice="Pass an empty folder. To go on after a crash, pass the same model and a collection made in the same way; "
            "partitions of dask.delayed keep their names from process to process with pure=True only.",
            value=other[0],
        )
