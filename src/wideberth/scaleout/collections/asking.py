"""Check partitions and ask a model about them, on a worker: on one core, and with errors that name
the partition and the object.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone

from wideberth.array_types import Sample
from wideberth.errors import InvalidInput, NotCertified, WideberthError
from wideberth.estimators.metric_classifier import MetricClassifier
from wideberth.estimators.metric_estimator import code_targets
from wideberth.geometry.measure.parallel import on_one_core
from wideberth.objects import sample
from wideberth.progress import task
from wideberth.scaleout.collections.partitions import LabelledPiece
from wideberth.wording import MarkedPart, Marking, at

Ask = Callable[[Any], Any]


@contextmanager
def alone() -> Iterator[None]:
    """One core for a task, and no display of progress: the other cores of the machine are other
    workers'.

    Examples
    --------
    >>> from wideberth.geometry.measure.parallel import effective_jobs
    >>> with alone():
    ...     effective_jobs(None)
    1
    """
    with on_one_core(), task("partition", verbose=-1):
        yield


def asked(ask: Ask, objects: Sample, number: int, places: Any = None) -> Any:
    """What a function of a sample says of the objects of a partition.

    What ``ask(objects)`` says of an object must not depend on the others. ``places`` is where they
    are in the partition, if others were left out. If it fails, the error names the partition and
    the first object that it fails on.

    Examples
    --------
    >>> asked(lambda words: [len(word) for word in words], sample.hold(["tea", "coffee"]), 0)
    [3, 6]
    >>> asked(lambda words: [len(word) for word in words], sample.hold(["tea", 3]), 7)
    Traceback (most recent call last):
    ...
    wideberth.errors.InvalidInput: Partition 7, object 1 of it, 3: TypeError: object of type 'int' has no len(). Mend it, ...
    """
    with alone():
        try:
            return ask(objects)
        except (NotCertified, MemoryError, ModuleNotFoundError):
            # they are not about single objects
            raise
        except Exception as error:
            failing = _first_failing(ask, objects)
            if failing is None:
                raise about_partition(error, number) from error
            position, told = failing
            place = position if places is None else int(places[position])
            raise about_object(told, number, place, object_at(objects, position)) from error


def about_partition(error: Exception, number: int) -> InvalidInput:
    """The error of a partition that no single object causes."""
    said, advice = _said(error, "Mend the partition, or leave it out.", Marking())
    return InvalidInput(
        f"{at('Partition', number)}: {said}",
        advice=advice,
        partition=number,
        witness=None,
        value=str(error),
    )


def about_object(
    error: Exception, number: int, place: int, shown: Any, called: int = 0
) -> InvalidInput:
    """The error of a partition that one object causes, with one number for it.

    ``called`` is which object it is to the error: 0, if it was asked about alone.

    Examples
    --------
    >>> about = about_object(
    ...     InvalidInput(f"{at('Object', 0)} is no text: 7.", advice="Write it out."), 3, 5, 7
    ... )
    >>> print(about)
    Partition 3, object 5 of it, 7: it is no text: 7. Write it out.
    >>> about.place
    {'partition': 3, 'object': 5}
    """
    said, advice = _said(
        error,
        "Mend it, or leave it out: filter the collection before you pass it.",
        _CalledIt(called),
    )
    where = f"{at('Partition', number)}, {at('object', place)} of it, {sample.shown(shown)}"
    return InvalidInput(
        f"{where}: {said}", advice=advice, partition=number, witness=place, value=str(error)
    )


class _CalledIt(Marking):
    """The object that an error is about is "it": the place of the object stands before what is said
    of it.
    """

    def __init__(self, called: int) -> None:
        self._called = str(called)

    def say(self, part: MarkedPart) -> str:
        """Say the place of the object; the other parts are left to those who print the error."""
        is_it = (
            part.kind == "at"
            and part.name.lower() in ("object", "row")
            and part.shown == self._called
        )
        return "it" if is_it else super().say(part)


def _said(error: Exception, otherwise: str, face: Marking) -> tuple[str, str]:
    """What an error says and what it advises, or else what is advised otherwise; with marks."""
    if isinstance(error, WideberthError):
        return error.problem.told(face), error.advice.marked or otherwise
    return f"{type(error).__name__}: {str(error).strip().rstrip('.') or 'no message'}.", otherwise


def size_of(objects: Sample) -> int:
    """The number of objects of a partition, rows of a sparse matrix included.

    Examples
    --------
    >>> size_of(np.zeros((3, 2))), size_of(["tea"])
    (3, 1)
    """
    return int(objects.shape[0]) if hasattr(objects, "shape") else len(objects)


def picked(objects: Sample, positions: Any) -> Any:
    """Some objects of a partition; rows of a sparse matrix too.

    Examples
    --------
    >>> picked(["tea", "rum"], [1])
    ['rum']
    """
    if isinstance(objects, np.ndarray) or hasattr(objects, "iloc"):
        return sample.pick(objects, positions)
    if hasattr(objects, "tocsr"):
        return objects.tocsr()[positions]
    return [objects[position] for position in positions]


def object_at(objects: Sample, position: int) -> Any:
    """A single object, as it is shown.

    Examples
    --------
    >>> object_at(["tea", "rum"], 1)
    'rum'
    """
    if hasattr(objects, "tocsr"):
        return objects.tocsr()[[position]]
    found = sample.pick_one(objects, position)
    return found.tolist() if isinstance(found, np.ndarray | np.generic) else found


def _first_failing(ask: Ask, objects: Sample) -> tuple[int, Exception] | None:
    """The first object on which it fails, and how; None if it fails on no part of them alone."""
    first, stop = 0, size_of(objects)
    failure: Exception | None = None
    while stop - first >= 1:
        middle = max(first + 1, (first + stop) // 2)
        failed = _failure(ask, picked(objects, np.arange(first, middle)))
        if failed is not None:
            if middle - first == 1:
                return first, failed
            stop, failure = middle, failed
        elif middle == stop:
            return None
        else:
            first = middle
            if stop - first == 1:
                failure = _failure(ask, picked(objects, np.arange(first, stop)))
                return None if failure is None else (first, failure)
    return None


def _failure(ask: Ask, objects: Sample) -> Exception | None:
    try:
        ask(objects)
    except Exception as error:
        return error
    return None


# ---- Check partitions where they are


def check_piece(model: MetricClassifier, piece: LabelledPiece, number: int) -> None:
    """Check a partition on its worker as ``fit`` would: its labels, if it has any, and its objects.

    Examples
    --------
    >>> from wideberth import NeighborsClassifier
    >>> check_piece(NeighborsClassifier(), LabelledPiece([[0.0], [float("inf")]], None, None), 4)
    Traceback (most recent call last):
    ...
    wideberth.errors.InvalidInput: Partition 4, object 1 of it, [inf]: Input X contains infinity ... it has the value inf ...
    """
    if size_of(piece.objects):
        check_labels(piece, number)
        asked(partial(_admit, clone(model)), piece.objects, number)


def check_labels(piece: LabelledPiece, number: int) -> None:
    """Raise an error for the first object of a partition that has no label, or several.

    Examples
    --------
    >>> check_labels(LabelledPiece(["tea", "rum"], ["soft", None], None), 4)
    Traceback (most recent call last):
    ...
    wideberth.errors.InvalidInput: Partition 4, object 1 of it, 'rum': it has no label: None. Drop it or label it.
    """
    if piece.labels is None:
        return
    try:
        code_targets(piece.labels, size_of(piece.objects))
    except InvalidInput as error:
        position = vars(error).get("witness")
        if not isinstance(position, int):
            raise about_partition(error, number) from error
        place = position if piece.places is None else int(piece.places[position])
        raise about_object(
            error, number, place, object_at(piece.objects, position), called=position
        ) from error
    except ValueError:
        # labels that are no classes, of all partitions alike: the fit itself says it
        return


def _admit(model: MetricClassifier, objects: Sample) -> None:
    model.admit_objects(objects)
