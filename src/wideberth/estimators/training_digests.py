"""What a classifier remembers of its training objects, to recognise them later: digests of the objects and of their labels."""

import re
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Flags, Floats
from wideberth.errors import InvalidInput
from wideberth.objects import sample
from wideberth.objects.digests import Digests, joint_digest, object_digests
from wideberth.objects.disguises import ROUNDINGS, ObjectDigests, ShortDigests


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
    alike, texts, rounded, cut : ndarray, or None
        Digests by which training objects are recognised in disguise, one for each different object, sorted, as
        `wideberth.objects.disguises.ObjectDigests` describes them; ``rounded`` has a row for each way to round.
    metric_objects : ndarray of uint64, or None
        The digests, sorted, of the objects from which the metric took parameters before `fit`; None if it took none, empty if
        they are not known.
    """

    objects: Digests
    all_labelled: int
    count_alike: bool
    metric_learned: bool
    searched: bool = False
    alike: Digests | None = None
    texts: Digests | None = None
    rounded: ShortDigests | None = None
    cut: ShortDigests | None = None
    metric_objects: Digests | None = None

    @classmethod
    def of(
        cls,
        digests: ObjectDigests,
        labels: NDArray[Any],
        weights: Floats,
        *,
        metric_learned: bool,
        taught_by: Digests | None = None,
    ) -> Self:
        """Remember objects by their digests.

        Parameters
        ----------
        digests : ObjectDigests
            The digests of the objects.
        labels : ndarray of shape (n,)
            Their labels.
        weights : ndarray of shape (n,)
            Their weights.
        metric_learned : bool
            Whether the metric took parameters from them in `fit`.
        taught_by : ndarray of uint64, optional
            The digests of the objects from which the metric took its parameters (`wideberth.Metric.taught_by`).

        Returns
        -------
        Learned
            What to keep in the classifier.
        """
        count_alike = bool(weights.min() == weights.max())
        before = None if metric_learned or taught_by is None else np.unique(taught_by)
        if before is not None:
            metric_learned = not len(before) or bool(np.isin(digests.exact, before).any())
        labelled = joint_digest(digests.exact, label_digests(labels))
        different = digests[np.unique(digests.exact, return_index=True)[1]]
        return cls(
            np.sort(digests.exact),
            labelled,
            count_alike,
            metric_learned,
            alike=None if different.alike is None else np.sort(different.alike),
            texts=None if different.texts is None else np.sort(different.texts),
            rounded=None if different.rounded is None else np.sort(different.rounded.T, axis=1),
            cut=None if different.cut is None else np.sort(different.cut),
            metric_objects=before,
        )

    def __len__(self) -> int:
        return len(self.objects)

    def knows(self, digests: Digests) -> Flags:
        """Which objects were among those learned from, as they are, by their exact digests; shape (n,)."""
        return np.isin(digests, self.objects)

    def knows_in_disguise(self, digests: ObjectDigests) -> Flags:
        """Which objects were among those learned from, as they are or with the same plain texts; shape (n,)."""
        known = self.knows(digests.exact)
        if self.texts is None or digests.texts is None:
            return known
        return np.asarray(known | np.isin(digests.texts, self.texts))

    def repeats(self) -> int:
        """How many of the objects learned from equal another one of them, by their digests.

        Examples
        --------
        >>> digests = ObjectDigests(np.array([7, 5, 7], dtype=np.uint64))
        >>> Learned.of(digests, np.array(["a", "b", "a"]), np.ones(3), metric_learned=False).repeats()
        2
        """
        return repeated(self.objects)

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
        """Restore what `plain` returned; None for None, of a model whose objects cannot be recognised.

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
            } if (
                set(rest) == set(_STORED) - {"objects"}
                and len(objects)
                and _is_digest(total)
                and all(_are_sorted(plain[name], *kind) for name, kind in _STORED.items())
            ):
                others: dict[str, Any] = {str(name): value for name, value in rest.items()}
                return cls(objects, int(total, 16), alike, learned, searched, **others)
        raise InvalidInput("What the model remembers of its training objects is damaged.", value=type(plain).__name__)


def _is_digest(text: str) -> bool:
    return re.fullmatch("[0-9a-f]{16}", text) is not None


def repeated(digests: Digests | ShortDigests) -> int:
    """How many of the digests, in any order, occur more than once.

    Examples
    --------
    >>> repeated(np.array([3, 4, 3, 3], dtype=np.uint64))
    3
    """
    _, counts = np.unique(digests, return_counts=True)
    return int(counts[counts > 1].sum())


def learned_metric_doubt(name: str) -> str:
    """Why the objects from which a metric took its parameters prove nothing about it: the same sentence for every bound.

    Examples
    --------
    >>> learned_metric_doubt("gower").startswith("'gower' took its parameters from these objects")
    True
    """
    return (
        f"{name!r} took its parameters from these objects, and the bound needs a metric that was fixed before they were drawn. "
        "Pass the parameters."
    )


#: The digests in a model file: how many numbers tell which one it is, and their type.
_STORED: dict[str, tuple[tuple[int, ...], type]] = {
    "objects": ((), np.uint64),
    "alike": ((), np.uint64),
    "texts": ((), np.uint64),
    "rounded": ((len(ROUNDINGS),), np.uint32),
    "cut": ((), np.uint32),
    "metric_objects": ((), np.uint64),
}


def _are_sorted(digests: Any, rows: tuple[int, ...], kind: type) -> bool:
    """Whether these are digests in increasing order, in so many rows, or None."""
    return digests is None or (
        isinstance(digests, np.ndarray)
        and digests.ndim == 1 + len(rows)
        and digests.shape[:-1] == rows
        and digests.dtype == kind
        and bool((digests[..., 1:] >= digests[..., :-1]).all())
    )


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
