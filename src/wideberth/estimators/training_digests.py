"""What a classifier remembers of its training objects, to recognise them later: digests of the objects and of their labels."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Flags, Floats
from wideberth.errors import InvalidInput
from wideberth.objects import sample
from wideberth.objects.digests import Digests, joint_digest, object_digests


@dataclass(frozen=True, eq=False)
class Learned:
    """Digests of the objects that a classifier learned from, 8 bytes each, and one digest for all of them with their labels.

    Attributes
    ----------
    objects : ndarray of uint64, shape (n,)
        The digest of each object, sorted.
    all_labelled : int
        The digest of all objects with their labels, in any order.
    count_alike : bool
        Whether all objects had the same weight.
    metric_learned : bool
        Whether the metric took parameters from them.
    searched : bool
        Whether the parameters of the classifier were chosen by cross-validation on them.
    """

    objects: Digests
    all_labelled: int
    count_alike: bool
    metric_learned: bool
    searched: bool = False

    @classmethod
    def of(cls, digests: Digests, labels: NDArray[Any], weights: Floats, *, metric_learned: bool) -> Self:
        """Remember objects by their digests.

        Parameters
        ----------
        digests : ndarray of uint64, shape (n,)
            The digest of each object.
        labels : ndarray of shape (n,)
            Their labels.
        weights : ndarray of shape (n,)
            Their weights.
        metric_learned : bool
            Whether the metric took parameters from them.

        Returns
        -------
        Learned
            What to keep in the classifier.
        """
        alike = bool(weights.min() == weights.max())
        return cls(np.sort(digests), joint_digest(digests, label_digests(labels)), alike, metric_learned)

    def __len__(self) -> int:
        return len(self.objects)

    def knows(self, digests: Digests) -> Flags:
        """Which objects were among those learned from, by their digests; shape (n,)."""
        places = np.searchsorted(self.objects, digests)
        known: Flags = self.objects[np.minimum(places, len(self.objects) - 1)] == digests
        return known

    def is_all(self, digests: Digests) -> bool:
        """Whether they are exactly the objects learned from, each as often as in fit, in any order."""
        return np.array_equal(np.sort(digests), self.objects)

    def is_labelled(self, digests: Digests, labels: NDArray[Any]) -> bool:
        """Whether they are exactly the objects learned from, with the labels of fit."""
        return self.is_all(digests) and joint_digest(digests, label_digests(labels)) == self.all_labelled

    def plain(self) -> dict[str, Any]:
        """Plain values for a model file."""
        return vars(self) | {"all_labelled": format(self.all_labelled, "016x")}

    @classmethod
    def from_plain(cls, plain: Any) -> Self | None:
        """Restore what `plain` returned; None for None, which files written by earlier versions hold.

        Raises
        ------
        InvalidInput
            If the values are not those of `plain`: a damaged file.

        Examples
        --------
        >>> Learned.from_plain(None) is None
        True
        """
        match plain:
            case None:
                return None
            case {
                "objects": np.ndarray(ndim=1) as objects,
                "all_labelled": str(total),
                "count_alike": bool(alike),
                "metric_learned": bool(learned),
                "searched": bool(searched),
                **rest,
            } if not rest and objects.dtype == np.uint64 and len(objects) and (objects[1:] >= objects[:-1]).all():
                return cls(objects, int(total, 16), alike, learned, searched)
        raise InvalidInput("What the model remembers of its training objects is damaged.", value=sorted(plain))


def label_digests(labels: NDArray[Any]) -> Digests:
    """The digest of each label; whole numbers and floats of the same value have the same digest.

    Examples
    --------
    >>> bool((label_digests(np.array([1, 2])) == label_digests(np.array([1.0, 2.0]))).all())
    True
    """
    classes, codes = np.unique(labels, return_inverse=True)
    digests = object_digests(sample.hold(classes.tolist()))
    assert digests is not None  # labels are numbers, texts or truth values
    return digests[codes]
