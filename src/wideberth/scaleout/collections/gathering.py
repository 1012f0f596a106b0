"""Objects of a collection here: all of them, or those at some positions."""

from typing import Any, NamedTuple

import dask
import numpy as np
import psutil
from scipy.sparse import vstack

from wideberth.array_types import Indices
from wideberth.errors import InvalidInput
from wideberth.extras import import_extra
from wideberth.geometry.measure.memory_amounts import show_memory
from wideberth.objects import sample
from wideberth.scaleout.collections.asking import picked, size_of
from wideberth.scaleout.collections.partitions import LabelledPiece, Partitions
from wideberth.scaleout.collections.shipping import computed
from wideberth.wording import python


class Located(NamedTuple):
    """A collection with the sizes of its partitions, so that an object can be found by its position.

    Attributes
    ----------
    collection : Partitions
        The collection.
    ends : ndarray of int
        Where each partition ends.
    """

    collection: Partitions
    ends: Indices

    def at(self, positions: Indices) -> Any:
        """The objects at some positions, which ascend."""
        starts = np.concatenate([[0], self.ends[:-1]])
        owners = np.searchsorted(self.ends, positions, side="right")
        pick = dask.delayed(objects_of_piece)
        wanted = [
            pick(self.collection.piece(owner), positions[owners == owner] - starts[owner]) for owner in np.unique(owners).tolist()
        ]
        return joined(computed(wanted, "single objects"))

    def shown(self, position: int) -> str:
        """An object for a message."""
        found = sample.pick_one(sample.one_by_one(sample.hold(self.at(np.array([position])))), 0)
        return sample.shown(found.tolist() if isinstance(found, np.ndarray | np.generic) else found)


class Gathered(NamedTuple):
    """A collection that is here.

    Attributes
    ----------
    objects : sample
        The objects of all partitions, in order.
    labels : sequence or None
        Their labels.
    """

    objects: Any
    labels: Any


def gather(collection: Partitions) -> Gathered:
    """All objects of a collection on this machine, if there is memory for them.

    Parameters
    ----------
    collection : Partitions
        With labels or without.

    Raises
    ------
    wideberth.errors.InvalidInput
        If they need more than half of the memory that is free here, before anything is sent.

    Examples
    --------
    >>> import dask.bag
    >>> gather(Partitions.of(dask.bag.from_sequence(["tea", "rum"], npartitions=2))).objects
    ['tea', 'rum']
    """
    pieces = dask.persist(*collection.pieces())  # read once: measured first, then sent
    sizes = computed([dask.delayed(bytes_of_piece)(piece) for piece in pieces], "sizes of partitions")
    free = psutil.virtual_memory().available
    if 2 * sum(sizes) > free:
        raise InvalidInput(
            f"The objects take {show_memory(sum(sizes))}, and here are {show_memory(free)} free: a model that keeps its training "
            "objects needs twice as much as they take.",
            advice=f"Learn from fewer ({python('wideberth.scaleout.learn_from_net')}), or run the client where there is "
            "more memory.",
            value=sum(sizes),
        )
    found = [LabelledPiece(*piece) for piece in computed([dask.delayed(without_rows)(piece) for piece in pieces], "objects")]
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
    >>> joined_labels([LabelledPiece(["tea"], np.array([1]), None), LabelledPiece(["rum"], np.array(["1"]), None)])
    array([1, '1'], dtype=object)
    """
    return joined([sample.hold(piece.labels) for piece in pieces])


def joined(samples: list[Any]) -> Any:
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
