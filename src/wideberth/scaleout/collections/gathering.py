"""Labelled collections as a model sees them: measured on the workers, judged here by the formulas of
one machine; and objects of a collection here, all of them or those at some positions.

About 120 bytes for each object come to the client: its label, the answer, its digests, its distance
to the nearest training object that the model keeps, and its radius.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import dask
import numpy as np
import psutil
from numpy.typing import NDArray
from scipy.sparse import vstack

from wideberth.array_types import Flags, Floats, Indices, Sample
from wideberth.errors import InvalidInput, NotCertified
from wideberth.estimators.metric_classifier import MetricClassifier, usual_unit
from wideberth.extras import import_extra
from wideberth.geometry.measure.blocks import show_memory
from wideberth.geometry.search.index import Index
from wideberth.guarantees.certify import (
    LabelledSample,
    checked_labels,
    familiarity,
    familiarity_of_cut,
)
from wideberth.guarantees.newness import (
    DistancesToKept,
    Given,
    NearestKept,
    chosen_to_ask,
    index_of_kept,
    nearest_kept,
    usual_distances,
)
from wideberth.guarantees.training_sample import TRIED, metric_doubts
from wideberth.objects import sample
from wideberth.objects.disguises import ObjectDigests
from wideberth.scaleout.cluster_runner import computed, shipped
from wideberth.scaleout.collections.asking import alone, asked, check_labels, picked, size_of
from wideberth.scaleout.collections.partitions import LabelledPiece, Partitions
from wideberth.wording import python

#: The index of the objects that a model keeps, for as long as the model is on this worker: shipped
#: models do not change.
_INDEXES: WeakKeyDictionary[MetricClassifier, Index | None] = WeakKeyDictionary()


class Wanted(NamedTuple):
    """What is asked about each object, beside its label."""

    #: Whether certified radii are.
    radii: bool = False
    #: What they are measured in.
    unit: str | None = None
    #: Whether they are measured in the usual unit instead, where nobody named one.
    usual: bool = False


class PieceFacts(NamedTuple):
    """What is gathered of a partition."""

    #: ``labels``, ``told``: the labels, and those that the model gives, shape (n,).
    labels: NDArray[Any]
    told: NDArray[Any]
    #: By which the objects are recognised; None if they cannot be.
    digests: ObjectDigests | None
    #: The nearest training objects that the model keeps; None if it keeps none.
    near: NearestKept | None
    #: The certified radii, if they are wanted and there are any, shape (n,).
    radii: Floats | None
    #: Why there are none.
    refused: NotCertified | None
    #: What radii are measured in.
    unit: str | None

    @property
    def n(self) -> int:
        """How many objects; no ``len``, which has to be that of the tuple for Dask to see how large
        it is.
        """
        return len(self.told)


def facts_of_piece(
    model: MetricClassifier, piece: LabelledPiece, number: int, wanted: Wanted
) -> PieceFacts | None:
    """What is gathered of a partition, on its worker; None if it is empty.

    Examples
    --------
    >>> from wideberth import NeighborsClassifier
    >>> model = NeighborsClassifier(n_neighbors=1).fit([[0.0], [4.0]], ["low", "up"])
    >>> facts_of_piece(
    ...     model, LabelledPiece(np.array([[1.0]]), ["low"], None), 0, Wanted(radii=True)
    ... ).radii.round(6)
    array([1.])
    """
    if not size_of(piece.objects):
        return None
    check_labels(piece, number)
    facts: PieceFacts = asked(
        partial(_facts, model, piece.labels, wanted), piece.objects, number, piece.places
    )
    return facts


def two_nearest(model: MetricClassifier, piece: LabelledPiece, asking: Any) -> Floats:
    """From some objects to the two nearest of a partition that are no training objects, infinite
    where there are fewer.

    Examples
    --------
    >>> from wideberth import NeighborsClassifier
    >>> model = NeighborsClassifier(n_neighbors=1).fit([[0.0], [4.0]], ["low", "up"])
    >>> two_nearest(
    ...     model, LabelledPiece(np.array([[1.0], [9.0], [0.0]]), None, None), np.array([[1.0]])
    ... )
    array([[0., 8.]])
    """
    with alone():
        asked_for = model.admit_queries(asking)
        found = np.full((sample.count(asked_for), 2), np.inf)
        if size_of(piece.objects):
            prepared, checked = model.admit_with_given(piece.objects)
            digests, learned = model.metric_.all_digests(checked, prepared), model.learned_from_
            assert digests is not None  # they were examined before
            assert learned is not None
            fresh = np.flatnonzero(~learned.knows_in_disguise(digests))
            if len(fresh):
                near = Index(sample.pick(prepared, fresh), model.metric_).nearest(
                    asked_for, k=min(2, len(fresh))
                )
                found[:, : near.distances.shape[1]] = near.distances
        return found


def _facts(model: MetricClassifier, labels: Any, wanted: Wanted, objects: Sample) -> PieceFacts:
    prepared, checked = model.admit_with_given(objects)
    digests = None if model.learned_from_ is None else model.metric_.all_digests(checked, prepared)
    near = None if digests is None else _near(model, prepared)
    radii = refused = None
    unit = wanted.unit
    if wanted.radii:
        try:
            unit = usual_unit(model, objects) if wanted.usual else wanted.unit
            radii = model.certified_radius(objects, unit)
        except NotCertified as error:
            refused = error
    held = np.asarray(sample.hold(labels))
    return PieceFacts(held, model.predict(objects), digests, near, radii, refused, unit)


def _near(model: MetricClassifier, prepared: Sample) -> NearestKept | None:
    """The nearest kept objects, by an index that is made once."""
    if model not in _INDEXES:
        _INDEXES[model] = None if model.metric_.accepts == "indices" else index_of_kept(model)
    return nearest_kept(model, prepared, _INDEXES[model])


# ---- What is gathered of all workers


class Located(NamedTuple):
    """A collection with the sizes of its partitions, so that an object can be found by its
    position.
    """

    #: The collection.
    collection: Partitions
    #: Where each partition ends.
    ends: Indices

    def at(self, positions: Indices) -> Any:
        """The objects at some positions, which ascend."""
        starts = np.concatenate([[0], self.ends[:-1]])
        owners = np.searchsorted(self.ends, positions, side="right")
        pick = dask.delayed(objects_of_piece)
        wanted = [
            pick(self.collection.piece(owner), positions[owners == owner] - starts[owner])
            for owner in np.unique(owners).tolist()
        ]
        return joined(computed(wanted, "single objects"))

    def shown(self, position: int) -> str:
        """An object for a message."""
        found = sample.pick_one(sample.one_by_one(sample.hold(self.at(np.array([position])))), 0)
        return sample.shown(found.tolist() if isinstance(found, np.ndarray | np.generic) else found)


class Gathered(NamedTuple):
    """A collection that is here."""

    #: The objects of all partitions, in order.
    objects: Sample
    #: Their labels.
    labels: Any


def gather(collection: Partitions) -> Gathered:
    """All objects of a collection on this machine, if there is memory for them.

    An `InvalidInput`, before anything is sent, if they need more than half of the memory that is
    free here.

    Examples
    --------
    >>> import dask.bag
    >>> gather(Partitions.of(dask.bag.from_sequence(["tea", "rum"], npartitions=2))).objects
    ['tea', 'rum']
    """
    pieces = dask.persist(*collection.pieces())  # read once: measured first, then sent
    sizes = computed(
        [dask.delayed(bytes_of_piece)(piece) for piece in pieces], "sizes of partitions"
    )
    free = psutil.virtual_memory().available
    if 2 * sum(sizes) > free:
        raise InvalidInput(
            f"The objects take {show_memory(sum(sizes))}, and here are {show_memory(free)} free: a "
            "model that keeps its training objects needs twice as much as they take.",
            advice=f"Learn from fewer ({python('wideberth.scaleout.learn_from_net')}), or run the "
            "client where there is more memory.",
            value=sum(sizes),
        )
    found = [
        LabelledPiece(*piece)
        for piece in computed([dask.delayed(without_rows)(piece) for piece in pieces], "objects")
    ]
    full = [piece for piece in found if size_of(piece.objects)] or found[:1]
    labels = None if full[0].labels is None else joined_labels(full)
    return Gathered(joined([piece.objects for piece in full]), labels)


def objects_of_piece(piece: LabelledPiece, positions: Indices) -> Any:
    """Some objects of a partition."""
    return picked(piece.objects, positions)


def without_rows(piece: LabelledPiece) -> LabelledPiece:
    """A partition without what it was cut from."""
    return LabelledPiece(piece.objects, piece.labels, None)


def bytes_of_piece(piece: LabelledPiece) -> int:
    """About how much memory the objects of a partition take, by those of a hundred of them.

    Examples
    --------
    >>> bytes_of_piece(LabelledPiece(np.zeros((1000, 2)), None, None))
    16000
    """
    objects = piece.objects
    if hasattr(objects, "tocsr"):
        rows = objects.tocsr()
        return int(rows.data.nbytes + rows.indices.nbytes + rows.indptr.nbytes)
    if isinstance(objects, np.ndarray) and objects.dtype != object:
        return int(objects.nbytes)
    n = size_of(objects)
    some = picked(objects, np.arange(0, n, max(1, n // 100)))
    sizeof = import_extra("dask.sizeof", "dask").sizeof
    return int(sizeof(list(sample.one_by_one(sample.hold(some)))) * n / max(1, size_of(some)))


def joined_labels(pieces: list[LabelledPiece]) -> Any:
    """The labels of partitions as one array, in which 1 and "1" stay different.

    Examples
    --------
    >>> joined_labels(
    ...     [
    ...         LabelledPiece(["tea"], np.array([1]), None),
    ...         LabelledPiece(["rum"], np.array(["1"]), None),
    ...     ]
    ... )
    array([1, '1'], dtype=object)
    """
    return joined([sample.hold(piece.labels) for piece in pieces])


def joined(samples: list[Sample]) -> Any:
    """Samples of the same kind as one.

    Examples
    --------
    >>> joined([np.zeros((1, 2)), np.ones((2, 2))]).shape, joined([["tea"], ["rum"]])
    ((3, 2), ['tea', 'rum'])
    """
    first = samples[0]
    if len(samples) == 1:
        return first
    if hasattr(first, "tocsr"):
        return vstack(samples, format="csr")
    if hasattr(first, "iloc"):
        return import_extra("pandas", "dask").concat(samples)
    if isinstance(first, np.ndarray):
        return np.concatenate(samples)
    return [each for part in samples for each in part]


@dataclass(frozen=True, eq=False)
class GatheredSample(LabelledSample):
    """Labelled objects that are elsewhere; their ``X`` is a `Located` collection."""

    #: The label that the model gives each object, shape (n,).
    told: NDArray[Any] | None = None  # never None; the fields of the parent before it have defaults
    #: The radii, in the unit that was asked for, shape (n,).
    certified: Floats | None = None
    #: Why there are none.
    refused: NotCertified | None = None
    #: What radii are measured in.
    unit: str | None = None

    @property
    def wrong(self) -> Flags:
        """Which of the objects the model gets wrong."""
        return np.asarray(self.told != self.labels)

    def usual_unit(self) -> str | None:
        """What radii are measured in."""
        return self.unit

    def radii(self, unit: str | None) -> Floats:
        """The certified radii, in the unit in which they were asked for."""
        if self.certified is None:
            raise self.refused or NotCertified("No radii were asked for.")
        return self.certified

    def doubts(self) -> tuple[str, ...]:
        """Why the metric does not allow radii, tried on the objects that one machine would try."""
        metric = self.model.metric_
        if metric.accepts == "indices":  # rows of distances have none to each other
            return metric_doubts(np.empty((0, 0)), metric)
        n = len(self)
        chosen = np.sort(np.random.default_rng(0).choice(n, min(n, TRIED), replace=False))
        return metric_doubts(self.model.admit_queries(self.X.at(chosen)), metric, chosen)


def gathered_sample(
    model: MetricClassifier,
    collection: Partitions,
    wanted: Wanted,
    *,
    independent: bool = False,
    cut: bool = False,
) -> GatheredSample:
    """What labelled objects of a collection are to a model, and what it says of them, in one pass
    over the partitions.

    As `wideberth.guarantees.certify.recognise` has it for objects that are here. ``independent`` is
    whether all objects are declared to be drawn independently, ``cut`` whether the library itself
    cut them off before the model was fitted.
    """
    sent, ask = shipped(model), dask.delayed(facts_of_piece, pure=True)
    pieces = collection.pieces()
    answers = [ask(sent, piece, number, wanted) for number, piece in enumerate(pieces)]
    found: list[PieceFacts | None] = computed(answers, "answers of the model")
    located = Located(collection, np.cumsum([0 if facts is None else facts.n for facts in found]))
    full = [facts for facts in found if facts is not None]
    if not full:
        raise InvalidInput(
            "There are no objects to certify the model on.", advice="Pass at least one.", value=0
        )
    labels = checked_labels(
        model, np.concatenate([facts.labels for facts in full]), int(located.ends[-1])
    )
    given = _given(model, located, full)
    known = (
        familiarity_of_cut(model, given, model.metric)
        if cut
        else familiarity(model, labels, given, independent=independent)
    )
    return GatheredSample(
        *(model, located, labels, *known),
        told=np.concatenate([facts.told for facts in full]),
        certified=_together([facts.radii for facts in full]),
        refused=next((facts.refused for facts in full if facts.refused is not None), None),
        unit=full[0].unit,
    )


def _given(model: MetricClassifier, located: Located, full: list[PieceFacts]) -> Given | None:
    """What is known of the objects, to compare them with the training objects; None if they cannot
    be recognised.
    """
    digests = [facts.digests for facts in full if facts.digests is not None]
    if len(digests) < len(full):
        return None
    near = None
    if full[0].near is not None:
        measured = [facts.near for facts in full if facts.near is not None]
        near = NearestKept(
            np.concatenate([each.nearest for each in measured]),
            np.concatenate([each.partners for each in measured]),
            measured[0].kept,
        )
    return Given(
        located.shown, partial(_to_kept, model, located, near), ObjectDigests.together(digests)
    )


def _to_kept(
    model: MetricClassifier, located: Located, near: NearestKept | None, some: Indices
) -> DistancesToKept | None:
    """How near some of the objects are to training objects, and how near objects usually are to
    each other.
    """
    learned = model.learned_from_
    if near is None or learned is None:
        return None
    own = usual_distances(model, near.kept, len(learned), len(some))
    if own is None:
        own = _to_the_next(model, located, some)
    return DistancesToKept(near.nearest[some], near.partners[some], near.kept, own)


def _to_the_next(model: MetricClassifier, located: Located, some: Indices) -> Floats:
    """From a few of the objects to the nearest other one, through all partitions."""
    if len(some) < 2:
        return np.empty(0)
    asking = located.at(some[chosen_to_ask(len(some), len(some))])
    sent, sought, ask = shipped(model), shipped(asking), dask.delayed(two_nearest)
    found = computed(
        [ask(sent, piece, sought) for piece in located.collection.pieces()], "nearest objects"
    )
    return np.asarray(np.sort(np.concatenate(found, axis=1), axis=1)[:, 1])


def _together(parts: list[Any]) -> Any:
    """Arrays of all partitions as one; None if a partition has none."""
    return None if any(part is None for part in parts) else np.concatenate(parts)
