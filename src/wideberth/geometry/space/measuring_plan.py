"""Which distances to measure, in which pieces of work: missing pairs covered by rectangles."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from wideberth.array_types import Flags, Indices
from wideberth.geometry.measure.pair_table import Place, as_slice, rectangles
from wideberth.geometry.space.members import Members


class Job(NamedTuple):
    """A rectangle of pairs to measure.

    Attributes
    ----------
    rows, columns : slice or ndarray of int
        Where it is in the matrix of missing pairs.
    left, right : Place
        The objects of both sides, among the samples of the plan.
    """

    rows: slice | Indices
    columns: slice | Indices
    left: Place
    right: Place


def plan(
    members: Members,
    left: Indices,
    right: Indices,
    missing: Flags,
    chunk_pairs: int,
    samples: list[Any] | None = None,
) -> tuple[list[Any], list[list[Job]]]:
    """Cut missing pairs into jobs, in bundles that are measured one at a time by a core.

    Parameters
    ----------
    members : Members
        The objects.
    left, right : ndarrays of int
        Sorted indices of members.
    missing : ndarray of bool of shape (len(left), len(right))
        The pairs to measure.
    chunk_pairs : int
        About how many pairs a bundle has.
    samples : list of prepared samples, optional
        Those of other plans that are carried out together with this one; new ones are added to it.

    Returns
    -------
    samples : list of prepared samples
        The objects.
    bundles : list of lists of Job
        Together the jobs hold each missing pair once, and no other pair.

    Examples
    --------
    >>> import numpy as np
    >>> import wideberth
    >>> members = Members(np.zeros((4, 1)), wideberth.metric("euclidean"), block_size=4)
    >>> _, bundles = plan(members, np.arange(4), np.arange(4), np.ones((4, 4), dtype=bool), chunk_pairs=8)
    >>> [len(bundle) for bundle in bundles]
    [1, 1]
    """
    bundles: list[list[Job]] = []
    samples = [] if samples is None else samples
    remaining = 0  # pairs that still fit into the last bundle
    for rows, columns in rectangles(missing):
        height = max(1, chunk_pairs // len(columns))
        for right_part, right_place in _places(members, right, columns, len(columns), samples):
            for left_part, left_place in _places(members, left, rows, height, samples):
                if remaining <= 0:
                    bundles.append([])
                    remaining = chunk_pairs
                bundles[-1].append(Job(as_slice(left_part), as_slice(right_part), left_place, right_place))
                remaining -= len(left_part) * len(right_part)
    return samples, bundles


def _places(
    members: Members, indices: Indices, positions: Indices, size: int, samples: list[Any]
) -> Iterator[tuple[Indices, Place]]:
    """Yield where the members ``indices[positions]`` are, at most ``size`` of them at a time, with their positions.

    They are never in two samples, which were not prepared together; a sample that is new is added to ``samples``.
    """
    chosen = indices[positions]
    for start, stop, piece in members.split_by_piece(chosen):
        number = next((number for number, known in enumerate(samples) if known is piece.prepared), len(samples))
        if number == len(samples):
            samples.append(piece.prepared)
        for first in range(start, stop, size):
            part = slice(first, min(first + size, stop))
            yield positions[part], Place(number, as_slice(chosen[part] - piece.start))
