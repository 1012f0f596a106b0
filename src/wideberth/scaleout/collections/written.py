"""What a folder of written predictions is about: which model was asked what, and the objects of each file."""

import datetime
import json
import os
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np

from wideberth.errors import InvalidInput
from wideberth.extras import import_extra
from wideberth.geometry.space.fingerprint import fingerprint
from wideberth.io.whole_file import whole_file
from wideberth.objects import sample

#: The file that says what was asked of what: a folder holds the answers to one question.
QUESTION = "question.json"
#: Under which name a file of answers holds the digest of its objects.
DIGEST = "wideberth.objects"

_EMPTY = "Pass an empty folder, or one that does not exist yet."


def digest_of_objects(objects: Any) -> str:
    """A digest of the contents of a partition, the same in every process.

    Objects whose contents cannot be read have another digest each time, so that they are never taken for known ones.

    Examples
    --------
    >>> digest_of_objects(["tea", "rum"]) == digest_of_objects(["tea", "rum"]) != digest_of_objects(["tea", "rom"])
    True
    """
    plain = isinstance(objects, np.ndarray) and objects.dtype == object
    try:
        return fingerprint(objects.tolist() if plain else objects)
    except InvalidInput:
        return uuid4().hex


def written_digest(file: Path) -> str:
    """The digest of the objects that a file of answers is about.

    Raises
    ------
    wideberth.errors.InvalidInput
        If it has none: it was not written by `wideberth.scaleout.write_predictions`.
    """
    try:
        noted = import_extra("pyarrow.parquet", "dask").read_schema(file).metadata or {}
        return str(noted[DIGEST.encode()].decode())
    except (KeyError, ValueError, OSError):
        raise InvalidInput(
            f"{str(file)!r} was not written by write_predictions, or is damaged.", advice=f"Remove it. {_EMPTY}", value=str(file)
        ) from None


def question_of(model: Any, n_partitions: int, *, radius: bool, unit: str | None) -> dict[str, Any]:
    """What tells one question from another, the same in every process."""
    learned = model._state() if hasattr(model, "_state") else model
    return {
        "model": fingerprint([type(model).__name__, model.classes_, learned]),
        "named": f"{type(model).__name__} of {len(model.classes_)} classes, {sample.shown(model.classes_.tolist())}",
        "number of partitions": n_partitions,
        "radius": radius,
        "unit": unit,
    }


def check_folder(place: Path, X: Any) -> None:
    """Raise an error for a folder that is a file, or that is read as a part of the collection.

    Examples
    --------
    >>> check_folder(Path("answers"), "texts")
    >>> check_folder(Path("texts/answers"), "texts")
    Traceback (most recent call last):
    ...
    wideberth.errors.InvalidInput: 'texts/answers' is in 'texts', where the objects are. Pass a folder beside it.
    """
    if isinstance(X, str | os.PathLike) and place.resolve().is_relative_to(Path(X).resolve()):
        raise InvalidInput(
            f"{str(place)!r} is in {os.fspath(X)!r}, where the objects are.", advice="Pass a folder beside it.", value=str(place)
        )
    if any(each.exists() and not each.is_dir() for each in (place, *place.parents)):
        raise InvalidInput(f"{str(place)!r} is a file, or in one, and no folder.", advice=_EMPTY, value=str(place))


def note_question(place: Path, question: dict[str, Any], files: list[Path]) -> None:
    """Write the question into a new folder, or compare it with that of one that is there.

    Parameters
    ----------
    place : Path
        The folder; it is made if it is not there.
    question : dict
        From `question_of`.
    files : list of Path
        What the folder may hold.

    Raises
    ------
    wideberth.errors.InvalidInput
        If it is about another question, or holds other files.
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
            f"{str(noted)!r} is damaged: it does not say what was asked.", advice=_EMPTY, value=str(noted)
        ) from None
    other = next((name for name in question if name != "named" and known.get(name) != question[name]), None)
    if other is None:
        return
    written = datetime.datetime.fromtimestamp(noted.stat().st_mtime).isoformat(" ", "minutes")
    told = "named" if other == "model" else other
    raise InvalidInput(
        f"{str(place)!r} holds predictions for another {other}, begun {written}: {known.get(told)}, not {question[told]}.",
        advice=f"{_EMPTY} To go on after a crash, pass the same model, the same objects and the same settings.",
        value=other,
    )


def _foreign(place: Path, file: Path) -> InvalidInput:
    return InvalidInput(
        f"{str(place)!r} holds {file.name!r}, which write_predictions did not write.", advice=_EMPTY, value=str(file)
    )
