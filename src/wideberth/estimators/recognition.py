"""Recognise training objects again: what a classifier remembers of the objects it learned from."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from wideberth.arrays import Flags, Floats
from wideberth.errors import InvalidInput
from wideberth.objects import sample
from wideberth.objects.digests import Digests, joint_digest, object_digests


@dataclass(frozen=True, eq=False)
class Learned:
    """Digests of the objects that were learned from, sorted, 8 bytes each; and one for all of them with their labels.

    ``count_alike`` says whether they all had the same weight, ``metric_learned`` whether the metric took something from them,
    ``searched`` whether the parameters were chosen by folds of them.
    """

    objects: Digests
    all_labelled: int
    count_alike: bool
    metric_learned: bool
    searched: bool = False

    @classmethod
    def of(cls, digests: Digests, labels: NDArray[Any], weights: Floats, *, metric_learned: bool) -> Self:
        """What to remember of objects with these digests."""
        alike = bool(weights.min() == weights.max())
        return cls(np.sort(digests), joint_digest(digests, label_digests(labels)), alike, metric_learned)

    def __len__(self) -> int:
        return len(self.objects)

    def knows(self, digests: Digests) -> Flags:
        """Which objects were among those learned from."""
        places = np.searchsorted(self.objects, digests)
        known: Flags = self.objects[np.minimum(places, len(self.objects) - 1)] == digests
        return known

    def is_all(self, digests: Digests) -> bool:
        """Whether they are the objects learned from, all of them, each as often as it was, in any order."""
        return np.array_equal(np.sort(digests), self.objects)

    def is_labelled(self, digests: Digests, labels: NDArray[Any]) -> bool:
        """Whether they are these objects with the labels they had."""
        return self.is_all(digests) and joint_digest(digests, label_digests(labels)) == self.all_labelled

    def plain(self) -> dict[str, Any]:
        """As plain values, for a model file."""
        return vars(self) | {"all_labelled": format(self.all_labelled, "016x")}

    @classmethod
    def from_plain(cls, plain: Any) -> Self | None:
        """What `plain` gave; None for None, which files of before hold.

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
        raise InvalidInput("What the model remembers of its training objects is not whole.", value=sorted(plain))


def label_digests(labels: NDArray[Any]) -> Digests:
    """The digest of each label; whole numbers and floats of one value have the same."""
    classes, codes = np.unique(labels, return_inverse=True)
    digests = object_digests(sample.hold(classes.tolist()))
    assert digests is not None  # labels are numbers, texts or truth values
    return digests[codes]
