"""Ask a model about a partition, on a worker: on one core, and with errors that name the partition and the object."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from wideberth.errors import InvalidInput, NotCertified, WideberthError
from wideberth.geometry.measure.parallel import on_one_core
from wideberth.objects import sample
from wideberth.progress import task

Ask = Callable[[Any], Any]


@contextmanager
def alone() -> Iterator[None]:
    """One core for a task, and no display of progress: the other cores of the machine are other workers'.

    Examples
    --------
    >>> from wideberth.geometry.measure.parallel import effective_jobs
    >>> with alone():
    ...     effective_jobs(None)
    1
    """
    with on_one_core(), task("partition", verbose=-1):
        yield


def asked(ask: Ask, objects: Any, number: int) -> Any:
    """What a function of a sample says of the objects of a partition.

    Parameters
    ----------
    ask : callable
        ``ask(objects)``, such as ``model.predict``; what it says of an object must not depend on the others.
    objects : sample
        The objects.
    number : int
        Which partition they are.

    Returns
    -------
    object
        Its answer.

    Raises
    ------
    InvalidInput
        If it fails on some object: the message names the partition and the first object that it fails on.

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
        except (NotCertified, MemoryError):  # they are not about single objects
            raise
        except Exception as error:
            raise located(ask, objects, number, error) from error


def located(ask: Ask, objects: Any, number: int, error: Exception) -> InvalidInput:
    """The error of a partition with the first object that causes it, found by halving."""
    place = _first_failing(ask, objects)
    where = f"Partition {number}"
    told, advice = error, "Mend the partition, or leave it out."
    if place is not None:
        position, told = place
        where += f", object {position} of it, {sample.shown(_object_at(objects, position))}"
        advice = "Mend it, or leave it out: filter the collection before you pass it."
    if isinstance(told, WideberthError):
        said, advice = told.problem, f"{told.advice} {advice}".strip()
    else:
        said = f"{type(told).__name__}: {str(told).strip().rstrip('.') or 'no message'}."
    return InvalidInput(
        f"{where}: {said}", advice=advice, partition=number, witness=None if place is None else place[0], value=str(told)
    )


def size_of(objects: Any) -> int:
    """The number of objects of a partition, rows of a sparse matrix included.

    Examples
    --------
    >>> size_of(np.zeros((3, 2))), size_of(["tea"])
    (3, 1)
    """
    return int(objects.shape[0]) if hasattr(objects, "shape") else len(objects)


def picked(objects: Any, positions: Any) -> Any:
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


def _object_at(objects: Any, position: int) -> Any:
    if hasattr(objects, "tocsr"):
        return objects.tocsr()[[position]]
    found = sample.pick_one(objects, position)
    return found.tolist() if isinstance(found, np.ndarray | np.generic) else found


def _first_failing(ask: Ask, objects: Any) -> tuple[int, Exception] | None:
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


def _failure(ask: Ask, objects: Any) -> Exception | None:
    try:
        ask(objects)
    except Exception as error:
        return error
    return None
