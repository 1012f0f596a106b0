"""The answers of variants in folds: computed here, or by the workers of a runner, which computes
those of later folds ahead.
"""

import io
import itertools
import pickle
import threading
import time
import warnings
from collections import ChainMap
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pickle import PicklingError
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from wideberth.array_types import Flags, Floats
from wideberth.estimators.choosing.answers import Answers, Fold, Variant, measure_all
from wideberth.estimators.choosing.scoring import CertifiedScore
from wideberth.extras import import_extra
from wideberth.geometry.measure.parallel import effective_jobs, goes_elsewhere, over_chunks
from wideberth.geometry.measure.remembered_distances import IndexedSample, MeasuredOnce, PairTable
from wideberth.geometry.space.measure_once import space_with_distances
from wideberth.geometry.space.space import MetricSpace
from wideberth.metrics.metric import Metric
from wideberth.progress import task

# ---- Values that go to other processes with the distances that their tables and spaces keep, so
# that none is measured twice


class SentDistances:
    """A value as it is now, with the distances in its `PairTable` and `MetricSpace`, for other
    processes.

    Otherwise copies in other processes have the objects alone, and measure again. It is pickled
    once, when it is made: arrays are not copied, and a second pickle has the same bytes.

    Parameters
    ----------
    value : object
        What is sent.
    for_all_threads : bool
        Whether all threads that open it may use one copy; otherwise each has its own, which shares
        the arrays.

    Raises
    ------
    pickle.PicklingError
        If it cannot be pickled, or a space has more distances than its memory holds.

    Examples
    --------
    >>> space = MetricSpace(["tea", "tee", "coffee"], "levenshtein")
    >>> distances = space.metric.block(space.index, space.index)
    >>> sent = pickle.loads(pickle.dumps(SentDistances(space.metric)))
    >>> sent.open().block([0], [1, 2]), sent.open().space.distance_calls == space.distance_calls
    (array([[1., 5.]]), True)
    """

    def __init__(self, value: Any, *, for_all_threads: bool = False) -> None:
        written, buffers = io.BytesIO(), list[pickle.PickleBuffer]()
        try:
            _pickler()(written, protocol=5, buffer_callback=buffers.append).dump(value)
        except (
            TypeError,
            AttributeError,
            RecursionError,
        ) as error:  # what pickling raises of locks, files and local objects
            raise pickle.PicklingError(str(error)) from error
        self._receive(written.getvalue(), [buffer.raw() for buffer in buffers], for_all_threads)

    def open(self) -> Any:
        """The value; a second call in the same thread returns the same object."""
        if not hasattr(self._opened, "value"):
            # it comes from the client, as all tasks of a cluster do
            self._opened.value = pickle.loads(self._pickled, buffers=self._buffers)  # noqa: S301  # nosec B301
        return self._opened.value

    def _receive(self, pickled: bytes, buffers: Sequence[Any], for_all_threads: bool) -> None:
        self._pickled, self._buffers, self._for_all_threads = pickled, buffers, for_all_threads
        self._opened: Any = SimpleNamespace() if for_all_threads else threading.local()

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        as_sent = pickle.PickleBuffer if protocol >= 5 else bytearray
        return _received, (
            self._pickled,
            [as_sent(buffer) for buffer in self._buffers],
            self._for_all_threads,
        )


def _pickler() -> Any:
    """A class of picklers that write tables and spaces with what they know, and functions of the
    user.
    """
    usual = import_extra("cloudpickle", "dask").Pickler
    own = {
        MeasuredOnce: _measured_once,
        IndexedSample: _indexed,
        PairTable: _table_parts,
        MetricSpace: space_with_distances,
    }
    return type("Pickler", (usual,), {"dispatch_table": ChainMap(own, usual.dispatch_table)})


def _measured_once(metric: MeasuredOnce) -> tuple[Any, ...]:
    return (
        metric.__reduce__()
        if metric.table is None
        else (_with_table, (metric.metric, metric.table))
    )


def _indexed(objects: IndexedSample) -> tuple[Any, ...]:
    if objects.table is None:
        return objects.__reduce__()
    return IndexedSample, (objects.around, objects.table, objects.indices, objects.first)


def _table_parts(table: PairTable) -> tuple[Any, ...]:
    return _table, (table.metric, table.max_memory, table._known)


def _received(pickled: bytes, buffers: Sequence[Any], for_all_threads: bool) -> SentDistances:
    sent = object.__new__(SentDistances)
    sent._receive(pickled, buffers, for_all_threads)
    return sent


def _with_table(metric: Metric, table: PairTable) -> MeasuredOnce:
    """It keeps its table alive: nobody else does so there."""
    measured = MeasuredOnce(metric, table)
    vars(measured)["_kept_alive"] = table
    return measured


def _table(metric: Metric, max_memory: int, known: Any) -> PairTable:
    return PairTable(len(known), metric, max_memory=max_memory, n_jobs=1, known=known)


#: The numbers of a fold and of a variant.
Place = tuple[int, int]


class _Ready(NamedTuple):
    """Answers that nobody has asked for yet, and the values of C that they are for."""

    tried: Flags
    answers: Answers


class FoldAnswers:
    """What variants say of the objects that folds leave out.

    Where a runner may take the work, all distances that the variants keep are measured first, if
    all are needed, and go with them: workers measure nothing that is known here. The first answer
    is computed here, and tells whether the others are worth to be sent.

    Parameters
    ----------
    values : ndarray of shape (m,)
        The values of C.
    variants : sequence of Variant
        Who is asked.
    folds : list of Fold
        The folds.
    score : CertifiedScore, optional
        What is to be proved of the answers.
    """

    def __init__(
        self,
        values: Floats,
        variants: Sequence[Variant],
        folds: list[Fold],
        score: CertifiedScore | None = None,
    ) -> None:
        self._values, self._variants, self._folds, self._score = values, variants, folds, score
        self._ready: dict[Place, _Ready] = {}
        self._undecided = goes_elsewhere(np.inf)
        self._sent: SentDistances | None = None
        self._expected = 0.0

    def of(
        self, places: Sequence[Place], running: Flags, following: Iterable[Place] = ()
    ) -> Iterator[tuple[Place, Answers]]:
        """The answers at some places, in order.

        Parameters
        ----------
        places : sequence of (int, int)
            The numbers of folds and variants.
        running : ndarray of bool, shape (variants, values)
            Which values of C each variant is tried with.
        following : iterable of (int, int)
            What will be asked next, perhaps for fewer values. Workers that have nothing else to do
            compute it now; it is used if it is asked for the same values, because the answers for
            some of them alone may differ in the last bits.

        Yields
        ------
        (int, int)
            The place.
        Answers
            Its answers.
        """
        if self._undecided and places:
            self._decide(places[0], running)
        missing = [place for place in places if not self._is_ready(place, running)]
        idle = 0 if self._sent is None else -len(missing) % effective_jobs(None)
        ahead = [place for place in following if not self._is_ready(place, running)][:idle]
        computed = self._computed([*missing, *ahead], running)
        for place in places:
            ready = self._ready.pop(place, None)
            yield place, next(computed) if ready is None or place in missing else ready.answers
        for place, answers in zip(ahead, computed, strict=True):
            self._ready[place] = _Ready(running[place[1]].copy(), answers)

    def of_all(self) -> Iterator[tuple[Place, Answers]]:
        """The answers of all variants in all folds, for all values."""
        places = list(itertools.product(range(len(self._folds)), range(len(self._variants))))
        return self.of(places, np.ones((len(self._variants), len(self._values)), dtype=bool))

    def _is_ready(self, place: Place, running: Flags) -> bool:
        ready = self._ready.get(place)
        return ready is not None and np.array_equal(ready.tried, running[place[1]])

    def _decide(self, place: Place, running: Flags) -> None:
        """Compute the first answer here, and see whether the others are worth to be sent."""
        self._undecided = False
        if all(variant.compares_all for variant in self._variants):
            measure_all(self._variants[0].shared)
        started = time.perf_counter()
        (answers,) = self._computed([place], running)
        seconds = time.perf_counter() - started
        self._ready[place] = _Ready(running[place[1]].copy(), answers)
        self._expected = seconds * (len(self._folds) * len(self._variants) - 1)
        if goes_elsewhere(self._expected):
            with suppress(PicklingError):  # what cannot be sent stays here
                self._sent = SentDistances(self._variants, for_all_threads=self._concurrent)

    def _computed(self, places: Sequence[Place], running: Flags) -> Iterator[Answers]:
        of_all = self._folds, self._values, self._score, running
        if self._sent is None:
            work = partial(_answers_here, self._variants, *of_all)
            n_jobs = self._variants[0].classifier.n_jobs
            yield from over_chunks(
                work, places, n_jobs=n_jobs, how="threads" if self._concurrent else None
            )
            return
        sent = partial(_answers_there, self._sent, *of_all)
        for place, (answers, warned) in zip(
            places, over_chunks(sent, places, how="elsewhere", expected=self._expected), strict=True
        ):
            for each in warned:
                warnings.warn(each, stacklevel=2)
            with _doing(place, self._folds, running):  # done, that is
                pass
            yield answers

    @property
    def _concurrent(self) -> bool:
        """Whether variants answer at the same time."""
        return all(variant.concurrent for variant in self._variants)


def _answers_here(
    variants: Sequence[Variant],
    folds: list[Fold],
    values: Floats,
    score: CertifiedScore | None,
    running: Flags,
    place: Place,
) -> Answers:
    with _doing(place, folds, running):
        return _answers(variants, folds, values, score, running, place)


def _answers_there(
    sent: SentDistances,
    folds: list[Fold],
    values: Floats,
    score: CertifiedScore | None,
    running: Flags,
    place: Place,
) -> tuple[Answers, list[Any]]:
    """The answers, and what was warned of: nobody reads that on a worker."""
    with warnings.catch_warnings(record=True, action="always") as warned:
        answers = _answers(sent.open(), folds, values, score, running, place)
    return answers, [each.message for each in warned]


def _answers(
    variants: Sequence[Variant],
    folds: list[Fold],
    values: Floats,
    score: CertifiedScore | None,
    running: Flags,
    place: Place,
) -> Answers:
    """What the candidates of a variant that are running say of the objects that a fold leaves
    out.
    """
    fold, variant, tried = folds[place[0]], variants[place[1]], values[running[place[1]]]
    return (
        variant.answers(fold, tried)
        if score is None
        else variant.certified_answers(fold, tried, score)
    )


def _doing(place: Place, folds: list[Fold], running: Flags) -> Any:
    """The task of an answer."""
    return task(f"fold {place[0] + 1} of {len(folds)}", worth=int(running[place[1]].sum()))
