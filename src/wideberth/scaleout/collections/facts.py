"""What workers measure of labelled objects: a few numbers for each, which are gathered."""

from functools import partial
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Floats
from wideberth.errors import NotCertified
from wideberth.estimators.metric_classifier import MetricClassifier, proves_edits
from wideberth.geometry.search.index import Index
from wideberth.guarantees.newness import NearestKept, index_of_kept, nearest_kept
from wideberth.objects import sample
from wideberth.objects.disguises import ObjectDigests
from wideberth.scaleout.collections.asking import alone, asked, size_of
from wideberth.scaleout.collections.checking import check_labels
from wideberth.scaleout.collections.partitions import LabelledPiece

#: The index of the objects that a model keeps, for as long as the model is on this worker: shipped
#: models do not change.
_INDEXES: WeakKeyDictionary[MetricClassifier, Index | None] = WeakKeyDictionary()


class Wanted(NamedTuple):
    """What is asked about each object, beside its label.

    Attributes
    ----------
    radii : bool
        Whether certified radii are.
    unit : str or None
        What they are measured in.
    edits : bool
        Whether the unit is edits if these are proved.
    """

    radii: bool = False
    unit: str | None = None
    edits: bool = False


class PieceFacts(NamedTuple):
    """What is gathered of a partition.

    Attributes
    ----------
    labels, told : ndarray of shape (n,)
        The labels, and those that the model gives.
    digests : ObjectDigests or None
        By which the objects are recognised; None if they cannot be.
    near : NearestKept or None
        The nearest training objects that the model keeps; None if it keeps none.
    radii : ndarray of shape (n,), or None
        The certified radii, if they are wanted and there are any.
    refused : str or None
        Why there are none.
    edits : bool
        Whether radii are measured in edits.
    """

    labels: NDArray[Any]
    told: NDArray[Any]
    digests: ObjectDigests | None
    near: NearestKept | None
    radii: Floats | None
    refused: NotCertified | None
    edits: bool

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


def _facts(model: MetricClassifier, labels: Any, wanted: Wanted, objects: Any) -> PieceFacts:
    prepared, checked = model.admit_with_given(objects)
    digests = None if model.learned_from_ is None else model.metric_.all_digests(checked, prepared)
    near = None if digests is None else _near(model, prepared)
    radii = refused = None
    edits = False
    if wanted.radii:
        try:
            edits = wanted.edits and proves_edits(model, objects)
            radii = model.certified_radius(objects, "edit" if edits else wanted.unit)
        except NotCertified as error:
            refused = error
    held = np.asarray(sample.hold(labels))
    return PieceFacts(held, model.predict(objects), digests, near, radii, refused, edits)


def _near(model: MetricClassifier, prepared: Any) -> NearestKept | None:
    """The nearest kept objects, by an index that is made once."""
    if model not in _INDEXES:
        _INDEXES[model] = None if model.metric_.accepts == "indices" else index_of_kept(model)
    return nearest_kept(model, prepared, _INDEXES[model])
