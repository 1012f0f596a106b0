"""Labels and certified radii of collections, partition by partition: computed when they are asked
for, or written to Parquet files, so that an interrupted run goes on where it stopped.
"""

import datetime
import json
import os
import platform
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

import dask
import numpy as np
from dask.bag import Bag
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from wideberth.array_types import Sample
from wideberth.errors import InvalidInput, LostWork
from wideberth.extras import import_extra
from wideberth.geometry.space.fingerprint import fingerprint
from wideberth.io.whole_file import whole_file
from wideberth.objects import sample
from wideberth.scaleout.cluster_runner import computed, current_client, shipped
from wideberth.scaleout.collections.asking import asked, size_of
from wideberth.scaleout.collections.partitions import (
    Columns,
    Form,
    LabelledPiece,
    Partitions,
    is_address,
)
from wideberth.scaleout.shipping import naming_losses
from wideberth.wording import at, python


def predict(model: Any, X: Any, *, column: Columns = None) -> Any:
    """The label of each object of a collection: ``model.predict`` of its partitions, lazily.

    The labels are those that ``model.predict`` gives for all objects at once. The model is shipped
    once to each worker, by its contents. Each partition is one task on one core; a task costs about
    10 ms, so that partitions of a second or more are best: ``X.repartition(...)`` if yours are
    smaller.

    Parameters
    ----------
    model : classifier
        A fitted classifier of this library.
    X : Dask bag, array or data frame, list of Delayed, or path
        The objects. A path is that of a Parquet file, of a directory of them, or of a directory of
        texts or of files that `wideberth.read` knows; every worker must see it.
    column : str or sequence of str, optional
        Which columns of a table, or which field of a bag of dicts, hold the objects. All by
        default.

    Returns
    -------
    Dask bag, array or series
        With the same partitions; a series, with the same index, for data frames and Parquet files.
        Nothing is computed yet; where there is a client, compute it before the client is closed,
        because the model is on its workers.

    Raises
    ------
    wideberth.errors.InvalidInput
        When it is computed, if the model cannot answer about an object: with the partition and the
        object.
    wideberth.errors.LostWork
        By its ``compute``, if the client was closed, the scheduler is lost, or workers die again
        and again.
    wideberth.errors.MissingOnWorkers
        By its ``compute``, if workers cannot import the module of a distance or of objects.

    Examples
    --------
    >>> import dask.bag
    >>> from wideberth import NeighborsClassifier, scaleout
    >>> model = NeighborsClassifier("levenshtein", n_neighbors=1).fit(
    ...     ["tea", "rum"], ["soft", "hard"]
    ... )
    >>> drinks = dask.bag.from_sequence(["tee", "rom", "ten"], npartitions=2)
    >>> scaleout.predict(model, drinks).compute(scheduler="threads")
    ['soft', 'hard', 'soft']
    """
    check_answers(model, "predict")
    return _answers(model, X, column, "label", model.classes_.dtype, "predict")


def certified_radius(model: Any, X: Any, *, unit: str | None = None, column: Columns = None) -> Any:
    """How far each object of a collection may move before its label can change:
    ``model.certified_radius``, lazily.

    Parameters
    ----------
    model : classifier
        A fitted classifier of this library.
    X : Dask bag, array or data frame, list of Delayed, or path
        The objects, as for `predict`.
    unit : str, optional
        "edit", or the name of a metric that bounds the model's; by default the metric itself.
    column : str or sequence of str, optional
        Which columns or which field hold the objects.

    Returns
    -------
    Dask bag, array or series
        Radii, with the same partitions.

    Raises
    ------
    wideberth.errors.NotCertified
        At once, if nothing is proved in the unit; when it is computed, if the model proves no
        radii.

    Examples
    --------
    >>> import dask.array, numpy
    >>> from wideberth import NeighborsClassifier, scaleout
    >>> model = NeighborsClassifier(n_neighbors=1).fit([[0.0], [4.0]], ["low", "up"])
    >>> points = dask.array.from_array(numpy.array([[0.0], [1.0], [5.0]]), chunks=(2, 1))
    >>> scaleout.certified_radius(model, points).compute().round(6)
    array([2., 1., 3.])
    """
    check_answers(model, "certified_radius")
    model.radius_unit(unit)
    return _answers(
        model, X, column, "certified_radius", np.dtype(np.float64), "certified_radius", unit=unit
    )


def check_answers(model: Any, method: str) -> None:
    """Raise an error for a model that is not fitted, or has no such method.

    Examples
    --------
    >>> from wideberth import NeighborsClassifier
    >>> check_answers(NeighborsClassifier().fit([[0.0], [4.0]], ["low", "up"]), "predict")
    """
    if not hasattr(model, method):
        raise InvalidInput(
            f"A {type(model).__name__} has no {method}.",
            advice="Pass a fitted classifier of wideberth.",
            value=type(model),
        )
    check_is_fitted(model)


def answer_piece(
    model: Any,
    piece: LabelledPiece,
    number: int,
    form: Form,
    name: str,
    method: str,
    settings: dict[str, Any],
) -> Any:
    """The answers about a partition in its own form: an array, of objects for a bag, or a series
    with the index of the table.

    Examples
    --------
    >>> from wideberth import NeighborsClassifier
    >>> model = NeighborsClassifier(n_neighbors=1).fit([[0.0], [4.0]], ["low", "up"])
    >>> answer_piece(
    ...     model, LabelledPiece(np.array([[1.0]]), None, None), 0, "bag", "label", "predict", {}
    ... )
    array(['low'], dtype=object)
    """
    if size_of(piece.objects):
        answers = asked(partial(getattr(model, method), **settings), piece.objects, number)
    else:
        answers = np.empty(0, dtype=model.classes_.dtype if method == "predict" else np.float64)
    if form == "frame":
        series = (
            piece.rows._constructor_sliced if hasattr(piece.rows, "columns") else type(piece.rows)
        )
        return series(answers, index=piece.rows.index, name=name)
    # of a list, Dask would send each object by itself
    return answers if form == "array" else answers.astype(object)


def _answers(
    model: Any,
    X: Any,
    column: Columns,
    name: str,
    dtype: np.dtype[Any],
    method: str,
    **settings: Any,
) -> Any:
    """A method of a model for each partition, as a collection of the same form."""
    collection = Partitions.of(X, column=column)
    sent = shipped(model)
    answer = dask.delayed(answer_piece, pure=True)
    told = (collection.form, name, method, settings)
    answers = [
        answer(sent, piece, number, *told) for number, piece in enumerate(collection.pieces())
    ]
    return _with_named_losses(collection.rebuilt(answers, dtype, name))


def _with_named_losses(collection: Any) -> Any:
    """The same collection; its ``compute`` and ``persist`` name what a cluster loses. What is
    derived from it is Dask's own.
    """
    kind = type(collection)
    # arrays and series are pickled as those of Dask
    collection.__class__ = BagOfAnswers if kind is Bag else _naming(kind)
    return collection


def _naming(kind: type, name: str | None = None) -> type:
    """A class of collections of answers."""

    def compute(self: Any, **settings: Any) -> Any:
        with naming_losses("answers", on_cluster=current_client() is not None):
            return kind.compute(self, **settings)  # type: ignore[attr-defined]

    def persist(self: Any, **settings: Any) -> Any:
        with naming_losses("answers", on_cluster=current_client() is not None):
            return kind.persist(self, **settings)  # type: ignore[attr-defined]

    own = {
        "__slots__": (),
        "__module__": __name__,
        "__doc__": kind.__doc__,
        "compute": compute,
        "persist": persist,
    }
    return type(name or kind.__name__, (kind,), own)


#: Its pickles name it.
BagOfAnswers = _naming(Bag, "BagOfAnswers")


# ---- What a folder of written predictions is about: which model was asked what, and the objects of
# each file

#: The file that says what was asked of what: a folder holds the answers to one question.
QUESTION = "question.json"
#: Under which name a file of answers holds the digest of its objects.
DIGEST = "wideberth.objects"
#: Seconds after which a file of another machine is seen here: network file systems remember for a
#: minute what was not there.
SECONDS_TO_SEE = 90.0

_EMPTY = "Pass an empty folder, or one that does not exist yet."


def digest_of_objects(objects: Sample) -> str:
    """A digest of the contents of a partition, the same in every process.

    Objects whose contents cannot be read have another digest each time, so that they are never
    taken for known ones.

    Examples
    --------
    >>> digest_of_objects(["tea", "rum"]) == digest_of_objects(["tea", "rum"]) != digest_of_objects(
    ...     ["tea", "rom"]
    ... )
    True
    """
    plain = isinstance(objects, np.ndarray) and objects.dtype == object
    try:
        return fingerprint(objects.tolist() if plain else objects)
    except InvalidInput:
        return uuid4().hex


class Part(NamedTuple):
    """What a file of answers is about."""

    #: Of the objects.
    digest: str
    #: How many they are.
    rows: int


def part_of(objects: Sample) -> Part:
    """What a file of answers about these objects is about.

    Examples
    --------
    >>> part_of(["tea", "rum"]).rows
    2
    """
    return Part(digest_of_objects(objects), size_of(objects))


def check_part(file: Path, number: int, part: Part, classes: NDArray[Any], *, radius: bool) -> None:
    """Raise an error for a file that does not hold the answers of a model about a partition.

    `wideberth.scaleout.write_predictions` has not written it, it is damaged or about other objects,
    or has another number of rows or answers that the model cannot give.
    """
    parquet = import_extra("pyarrow.parquet", "dask")
    try:
        table = parquet.read_table(file)
        digest = (table.schema.metadata or {})[DIGEST.encode()].decode()
    except (KeyError, ValueError, OSError):
        raise InvalidInput(
            f"{str(file)!r} was not written by write_predictions, or is damaged.",
            advice=f"Remove it. {_EMPTY}",
            value=str(file),
        ) from None
    if digest != part.digest:
        raise InvalidInput(
            f"{str(file)!r} holds predictions for other objects than {at('partition', number)} has "
            "now.",
            advice="If they have changed on purpose, remove the file to have it written again, or "
            "pass an empty folder.",
            value=str(file),
            partition=number,
        )
    wrong = _wrong(table, part.rows, classes, radius=radius)
    if wrong is not None:
        raise InvalidInput(
            f"{str(file)!r} was changed after write_predictions wrote it: {wrong}.",
            advice="Remove it to have it written again.",
            value=str(file),
            partition=number,
        )


def _wrong(table: Any, rows: int, classes: NDArray[Any], *, radius: bool) -> str | None:
    """Why a table cannot be the answers about so many objects; None if it can."""
    wanted = ["label", "certified_radius"] if radius else ["label"]
    if table.column_names != wanted:
        return f"it has the columns {table.column_names}, not {wanted}"
    if table.num_rows != rows:
        return f"it has {table.num_rows} rows, and the partition {rows} objects"
    foreign = set(table["label"].unique().to_pylist()) - set(classes.tolist())
    if foreign:
        return f"it has the label {min(foreign, key=repr)!r}, which the model does not have"
    if radius and not (table["certified_radius"].to_numpy() >= 0.0).all():
        return "it has radii that are no numbers from 0 on"
    return None


def check_seen(files: Sequence[Path], who: str) -> None:
    """Raise an error if some of the files are not there: after a while, because a shared folder may
    be late to show them.
    """
    deadline = time.monotonic() + SECONDS_TO_SEE
    while missing := [file for file in files if not file.exists()]:
        if time.monotonic() >= deadline:
            raise LostWork(
                f"{who} does not see {len(missing)} of the {len(files)} files that were written: "
                f"{sample.shown([file.name for file in missing])} in {str(missing[0].parent)!r}.",
                advice="The client and all workers must share the folder, as on a network file "
                "system; with disks of their own, let Dask write where all can: "
                "scaleout.predict(model, table).to_frame().to_parquet('s3://...').",
                work="predictions",
                chunks=missing,
                times=1,
            )
        time.sleep(0.1)


def question_of(model: Any, n_partitions: int, *, radius: bool, unit: str | None) -> dict[str, Any]:
    """What tells one question from another, the same in every process."""
    learned = model.state() if hasattr(model, "state") else model
    return {
        "model": fingerprint([type(model).__name__, model.classes_, learned]),
        "named": f"{type(model).__name__} of {len(model.classes_)} classes, "
        f"{sample.shown(model.classes_.tolist())}",
        "number of partitions": n_partitions,
        "radius": radius,
        "unit": unit,
    }


def checked_folder(folder: str | os.PathLike[str], X: Any) -> Path:
    """The absolute path of a folder; an error for an address, a file, and a folder that is read as
    part of the collection.

    Examples
    --------
    >>> checked_folder("answers", "texts").is_absolute()
    True
    >>> checked_folder("s3://bucket/answers", "texts")
    Traceback (most recent call last):
    ...
    wideberth.errors.InvalidInput: 's3://bucket/answers' is an address, and no folder. Pass a folder that the client and ...
    """
    if is_address(os.fspath(folder)):
        raise InvalidInput(
            f"{os.fspath(folder)!r} is an address, and no folder.",
            advice="Pass a folder that the client and all workers share; or let Dask write the "
            f"labels of a table there: {python('wideberth.scaleout.predict')}(model, "
            "table).to_frame().to_parquet(address).",
            value=os.fspath(folder),
        )
    place = Path(folder).absolute()  # workers may run elsewhere
    if isinstance(X, str | os.PathLike) and place.resolve().is_relative_to(Path(X).resolve()):
        raise InvalidInput(
            f"{str(place)!r} is in {os.fspath(X)!r}, where the objects are.",
            advice="Pass a folder beside it.",
            value=str(place),
        )
    if any(each.exists() and not each.is_dir() for each in (place, *place.parents)):
        raise InvalidInput(
            f"{str(place)!r} is a file, or in one, and no folder.", advice=_EMPTY, value=str(place)
        )
    return place


def note_question(place: Path, question: dict[str, Any], files: list[Path]) -> None:
    """Write the question into a new folder, or compare it with that of one that is there.

    A folder that is about another question, or holds other files than ``files``, is an
    `InvalidInput`.
    """
    place.mkdir(parents=True, exist_ok=True)
    noted = place / QUESTION
    found = sorted(each for each in place.iterdir() if not each.name.startswith("."))
    if noted not in found and found:
        raise _foreign(place, found[0])
    if noted not in found:
        with whole_file(noted) as stream:
            stream.write(json.dumps(question).encode())
        return
    _compare(place, noted, question)
    ours = set(files)
    other = [each for each in found if each.suffix in (".parquet", ".parq") and each not in ours]
    if other:
        raise _foreign(place, other[0])


def _compare(place: Path, noted: Path, question: dict[str, Any]) -> None:
    try:
        known = dict(json.loads(noted.read_text(encoding="utf-8")))
    except (ValueError, TypeError):
        raise InvalidInput(
            f"{str(noted)!r} is damaged: it does not say what was asked.",
            advice=_EMPTY,
            value=str(noted),
        ) from None
    other = next(
        (name for name in question if name != "named" and known.get(name) != question[name]), None
    )
    if other is None:
        return
    written = datetime.datetime.fromtimestamp(noted.stat().st_mtime).isoformat(" ", "minutes")
    told = "named" if other == "model" else other
    raise InvalidInput(
        f"{str(place)!r} holds predictions for another {other}, begun {written}: "
        f"{known.get(told)}, not {question[told]}.",
        advice=f"{_EMPTY} To go on after a crash, pass the same model, the same objects and the "
        "same settings.",
        value=other,
    )


def _foreign(place: Path, file: Path) -> InvalidInput:
    return InvalidInput(
        f"{str(place)!r} holds {file.name!r}, which write_predictions did not write.",
        advice=_EMPTY,
        value=str(file),
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
    """Write the label of each object of a collection to Parquet files; what is there already is not
    computed again.

    Each partition is one file, written completely or not at all by the worker that computed it.
    After a crash or Ctrl-C, the same call goes on with the partitions that are missing. Each file
    holds a digest of the objects that it is about: partitions that have one are read again and
    compared with it, so that answers about objects that have changed meanwhile are never returned.
    In the end every file is read by the client: answers on a disk that only a worker has are an
    error.

    Parameters
    ----------
    model : classifier
        A fitted classifier of this library.
    X : Dask bag, array or data frame, list of Delayed, or path
        The objects, as for `predict`.
    folder : str or path
        Where to write; the client and all workers must share it. It is made if it is not there, and
        empty at the first call.
    radius : bool
        Whether to write certified radii too.
    unit : str, optional
        What radii are measured in, as in ``certified_radius``.
    column : str or sequence of str, optional
        Which columns or which field hold the objects.

    Returns
    -------
    list of Path
        The files in the order of the partitions, with absolute paths: a column ``label`` and, if
        asked for, ``certified_radius``, in the order of the objects.
        ``dask.dataframe.read_parquet(folder)`` reads them.

    Raises
    ------
    wideberth.errors.InvalidInput
        If the folder holds the answers of another model or about other objects, files that this
        function did not write, or that were changed (another number of rows, labels that the model
        does not have); if it is in X, or an address such as ``s3://``.
    wideberth.errors.LostWork
        If a worker or the client does not see the folder or its files, with those that are missing;
        if workers die again and again.
    wideberth.errors.MissingOnWorkers
        If workers cannot import the module of a distance or of objects.

    Examples
    --------
    >>> import dask.bag, tempfile
    >>> from wideberth import NeighborsClassifier, read, scaleout
    >>> model = NeighborsClassifier("levenshtein", n_neighbors=1).fit(
    ...     ["tea", "rum"], ["soft", "hard"]
    ... )
    >>> drinks = dask.bag.from_sequence(["tee", "rom", "ten"], npartitions=2)
    >>> files = scaleout.write_predictions(model, drinks, tempfile.mkdtemp())
    >>> [file.name for file in files], read(files[0], column="label").objects
    (['part-000000.parquet', 'part-000001.parquet'], ['soft', 'hard'])
    """
    check_answers(model, "certified_radius" if radius else "predict")
    import_extra("pyarrow.parquet", "dask")
    if radius:
        model.radius_unit(unit)
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
            write(
                collection.piece(number),
                number,
                str(files[number]),
                dask_key_name=f"{files[number].stem}-{call}",
            )
            for number in missing
        ],
        "predictions",
    )
    check_seen([files[number] for number in missing], "This process")
    for number, part in zip(missing, written, strict=True):
        check(files[number], number, Part(*part))
    return files


def write_piece(
    model: Any, piece: LabelledPiece, number: int, file: str, *, radius: bool, unit: str | None
) -> Part:
    """Write the answers about a partition with the digest of its objects, on its worker; return
    what they are about.
    """
    check_seen(
        [Path(file).with_name(QUESTION)], f"The process {os.getpid()} on {platform.node()!r}"
    )
    arrow, parquet = import_extra("pyarrow", "dask"), import_extra("pyarrow.parquet", "dask")
    columns = {"label": answer_piece(model, piece, number, "array", "label", "predict", {})}
    if radius:
        columns["certified_radius"] = answer_piece(
            model, piece, number, "array", "", "certified_radius", {"unit": unit}
        )
    table = arrow.table({name: arrow.array(values.tolist()) for name, values in columns.items()})
    part = part_of(piece.objects)
    with whole_file(file) as stream:
        parquet.write_table(table.replace_schema_metadata({DIGEST: part.digest}), stream)
    return part


def about_piece(piece: LabelledPiece) -> Part:
    """What the answers about a partition are about, on its worker."""
    return part_of(piece.objects)
