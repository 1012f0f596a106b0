"""Equal objects of all partitions, merged on the client by 32 bytes of each."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Floats, Indices, Integers
from wideberth.estimators.targets import code_targets
from wideberth.estimators.training import class_weights
from wideberth.metrics.elements import Elements, joined_elements
from wideberth.scaleout.collections.linear.pieces import PieceIdentity, Share


class MergedPieces(NamedTuple):
    """What each partition contributes.

    Attributes
    ----------
    classes : ndarray of shape (k,)
        The labels, sorted.
    codes : ndarray of int, shape (n,)
        The class of each object.
    shares : list of Share
        For each partition, the objects that no earlier one has with the same class.
    firsts : list of ndarray of int
        For each partition, the objects that no earlier one has with any class.
    total : float
        The weight of all.
    n_different : int
        How many different objects there are.
    """

    classes: NDArray[Any]
    codes: Indices
    shares: list[Share]
    firsts: list[Indices]
    total: float
    n_different: int


def merge_pieces(pieces: list[PieceIdentity], class_weight: Any) -> MergedPieces:
    """Merge equal objects of a class, and give each of them to the first partition that has it.

    Parameters
    ----------
    pieces : list of PieceIdentity
        One for each partition.
    class_weight : dict, "balanced" or None
        As in scikit-learn.
    """
    found = [label for piece in pieces for label in piece.classes.tolist()]  # no array, in which 1 and "1" would be one class
    named = code_targets(found, len(found))
    starts = np.cumsum([0] + [len(piece.classes) for piece in pieces])
    codes = np.concatenate(
        [named.codes[first : first + len(piece.classes)][piece.codes] for first, piece in zip(starts, pieces, strict=False)]
    ).astype(np.intp)
    classes, k = named.classes, len(named.classes)
    of_classes = class_weights(classes[codes], classes, class_weight)
    _, first, number = np.unique(np.concatenate([piece.keys for piece in pieces]), return_index=True, return_inverse=True)
    _, owner, group = np.unique(number.reshape(-1) * k + codes, return_index=True, return_inverse=True)
    weights = np.bincount(group.reshape(-1), weights=of_classes[codes])
    total = float(weights.sum())
    ends = np.cumsum([len(piece.codes) for piece in pieces])
    order = np.argsort(owner)
    shares = [
        Share(rows, codes[rows + begin], weights[places] / total) for rows, places, begin in _by_piece(owner[order], order, ends)
    ]
    firsts = [rows for rows, _, _ in _by_piece(np.sort(first), np.arange(len(first)), ends)]
    return MergedPieces(classes, codes, shares, firsts, total, len(first))


def _by_piece(positions: Indices, places: Indices, ends: Indices) -> list[tuple[Indices, Indices, int]]:
    """Ascending positions cut by partitions: where they are in each, which they are, and where it begins."""
    cuts = np.searchsorted(positions, ends)
    begins = [0, *ends[:-1].tolist()]
    return [
        (positions[low:high] - begin, places[low:high], begin)
        for low, high, begin in zip([0, *cuts[:-1].tolist()], cuts.tolist(), begins, strict=True)
    ]


def merged_counts(elements: list[Elements], counts: list[NDArray[Any]]) -> tuple[Elements, Integers]:
    """Counts of equal elements added: the different elements, and the sums.

    Examples
    --------
    >>> drinks = [Elements.of_texts(texts)[0] for texts in (["rum", "tea"], ["tea"])]
    >>> merged_counts(drinks, [np.array([1, 1]), np.array([4])])[1].tolist() in ([1, 5], [5, 1])
    True
    """
    different, places = joined_elements(elements)
    sums = np.zeros(len(different), dtype=np.int64)
    for of_part, count in zip(places, counts, strict=True):
        sums[of_part] += count
    return different, sums


def median_of_counts(counts: list[NDArray[Any]]) -> float:
    """The median of numbers of which it is known how often 0, 1, 2, ... occur.

    Examples
    --------
    >>> median_of_counts([np.array([0, 1, 2]), np.array([0, 1])])  # 1, 1, 2, 2
    1.5
    """
    occurs = np.zeros(max(map(len, counts)), dtype=np.int64)
    for each in counts:
        occurs[: len(each)] += each
    reached, n = np.cumsum(occurs), int(occurs.sum())
    low, high = np.searchsorted(reached, [(n - 1) // 2, n // 2], side="right")
    return float(low + high) / 2


def sums_in_order(parts: list[Floats]) -> Floats:
    """The sum of arrays, one after the other: the same on every cluster."""
    total = parts[0].copy()
    for part in parts[1:]:
        total += part
    return total
