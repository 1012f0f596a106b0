"""Exact radii in edits, and the nearest text with another label: what the shortest paths of `worst_edits` say of a classifier."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from wideberth.array_types import Flags, Floats, Indices
from wideberth.classifiers.linear.worst_edits.edit_paths import EditPaths
from wideberth.rounding import RADIUS_ERROR


class NearestChange(NamedTuple):
    """The text with another label that is fewest edits away.

    Attributes
    ----------
    text : str
        The text.
    winner : int
        The code of its class.
    edits : int
        How many edits it is away.
    """

    text: str
    winner: int
    edits: int


def stable_edits(
    paths: EditPaths, texts: Sequence[str], winners: Indices, at_least: Floats, edits: int, n_jobs: int | None
) -> Floats:
    """How far texts may be edited before their label changes: one edit more than those that certainly keep it.

    Parameters
    ----------
    paths : EditPaths
        The scores.
    texts : sequence of n str
        The texts.
    winners : ndarray of int, shape (n,)
        Their classes.
    at_least : ndarray of shape (n,)
        Radii that are proved already.
    edits : int
        The largest number of edits that is examined.
    n_jobs : int or None
        Cores to use.

    Returns
    -------
    ndarray of shape (n,)
        Exact radii up to ``edits``; above, the larger of ``edits + 1`` and what was proved.
    """
    radii = np.maximum(at_least, 1.0)  # a text keeps its own label
    stable = np.ones(len(texts), dtype=bool)
    for number in range(1, edits + 1):
        unknown = np.flatnonzero(stable & (at_least <= number))
        stable[unknown] = _keep_label(paths, [texts[int(row)] for row in unknown], winners[unknown], number, n_jobs)
        radii[stable] = np.maximum(radii[stable], number + 1.0)
    return radii


def nearest_change(paths: EditPaths, text: str, winner: int, edits: int) -> NearestChange | None:
    """The text within some edits that has another label, fewest edits away; None if there is none, or a tie hides it."""
    for number in range(1, edits + 1):
        leads = paths.lowest_leads([text], np.array([winner]), number, n_jobs=1)[0, number]
        for rival in np.argsort(leads, kind="stable")[: len(leads) - 1]:
            if leads[rival] > _slack(paths, [text], np.array([winner]), number)[0, rival]:
                break
            changed = paths.worst_text(text, winner, int(rival), number)
            label = int(_scores(paths, changed).argmax())
            if label != winner:
                return NearestChange(changed, label, number)
    return None


def _keep_label(paths: EditPaths, texts: Sequence[str], winners: Indices, edits: int, n_jobs: int | None) -> Flags:
    """Whether no text within some edits can have another label, computed or exact."""
    if not len(texts):
        return np.zeros(0, dtype=bool)
    leads = paths.lowest_leads(texts, winners, edits, n_jobs=n_jobs)[:, edits]
    return np.asarray((leads > _slack(paths, texts, winners, edits)).all(axis=1))


def _slack(paths: EditPaths, texts: Sequence[str], winners: Indices, edits: int) -> Floats:
    """What rounding can do to the lowest lead and to the scores of the text that has it, shape (n, k)."""
    sizes = paths.sizes(texts, edits)[:, edits]
    return 2.0 * RADIUS_ERROR * (sizes[np.arange(len(texts)), winners][:, None] + sizes)


def _scores(paths: EditPaths, text: str) -> Floats:
    """The scores of a text against the first class, by a path of no edits."""
    leads = paths.lowest_leads([text], np.zeros(1, dtype=np.intp), 0, n_jobs=1)[0, 0]
    return np.where(np.isinf(leads), 0.0, -leads)
