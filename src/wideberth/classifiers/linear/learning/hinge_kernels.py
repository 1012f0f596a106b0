"""Compiled kernel of the robust hinge: the worst edits of each text, its losses, and their multipliers."""

import numpy as np

from wideberth.array_types import Floats, Indices, Integers
from wideberth.compilation import compiled


@compiled
def robust_losses(
    scores: Floats,
    changes: Floats,
    starts: Integers,
    sites: Integers,
    text_starts: Integers,
    kept: Integers,
    n_kept: int,
    codes: Indices,
    weights: Floats,
    edits: int,
    factors: Floats,
    of_objects: Floats,
    of_changes: Floats,
) -> tuple[float, float, float]:
    r"""Compute the squared hinge losses of all objects after their worst edits, and the multipliers of scores and changes.

    The loss of object i against class j is :math:`w_i (1 - l_{ij})_+^2` for the lead :math:`l_{ij}` of its own class c after the
    edits: :math:`s_{ic} - s_{ij} - \sum \max(0, t_j - t_c)`, the sum over the ``edits`` sites of i where the worst change, with
    scores t, takes most. Its multiplier is :math:`\alpha_{ij} = 2 w_i f_{cj} (1 - l_{ij})_+` for the factors f.

    Parameters
    ----------
    scores : ndarray of shape (n, k)
        The scores of the objects.
    changes : ndarray of shape (m, k)
        What each change adds to scores.
    starts : ndarray of int64, shape (sites + 1,)
        Where the changes of each site begin.
    sites, text_starts : ndarray of int64
        The sites of each object, one object after the other, and where each begins.
    kept : ndarray of int64, shape (sites,)
        Numbers from 0 on for sites that occur so often that their worst changes are looked for once; -1 for the others.
    n_kept : int
        How many of them there are.
    codes : ndarray of int, shape (n,)
        The class c of each object.
    weights : ndarray of shape (n,)
        The weights w.
    edits : int
        How many sites are changed at most.
    factors : ndarray of shape (k, k)
        The factors f.
    of_objects, of_changes : ndarray of shape (n, k) and (m, k)
        Zeros; get the multipliers of the scores of objects and changes: with plus for class c, with minus for j.

    Returns
    -------
    loss : float
        The sum of all losses.
    linear, quadratic : float
        :math:`\sum \alpha_{ij}` and :math:`\sum \alpha_{ij}^2 / (4 w_i)`.

    Examples
    --------
    >>> scores, nothing, none = np.array([[0.5, 0.0]]), np.zeros(1, dtype=np.int64), np.empty(0, dtype=np.int64)
    >>> of_objects = np.zeros((1, 2))
    >>> arrays = scores, np.zeros((0, 2)), nothing, none, np.zeros(2, dtype=np.int64), none, 0, np.zeros(1, dtype=np.intp)
    >>> robust_losses(*arrays, np.ones(1), 0, np.ones((2, 2)), of_objects, np.zeros((0, 2)))
    (0.25, 1.0, 0.25)
    >>> of_objects
    array([[ 1., -1.]])
    """
    k = scores.shape[1]
    taken = np.zeros((k, max(edits, 1)))
    chosen = np.zeros((k, max(edits, 1)), dtype=np.int64)
    size = n_kept if edits > 0 else 0
    worst, worst_change = np.zeros((size * k + 1, k)), np.zeros((size * k + 1, k), dtype=np.int64)  # the last row: not kept
    if edits > 0:
        for site in range(kept.size):
            if kept[site] >= 0:
                for own in range(k):
                    row = kept[site] * k + own
                    _find_worst(changes, starts[site], starts[site + 1], own, worst[row], worst_change[row])
    loss, linear, quadratic = 0.0, 0.0, 0.0
    for i in range(scores.shape[0]):
        own = codes[i]
        for j in range(k):
            for e in range(edits):
                taken[j, e] = 0.0
                chosen[j, e] = -1
        if edits > 0:
            for place in range(text_starts[i], text_starts[i + 1]):
                site = sites[place]
                row = size * k
                if kept[site] >= 0:
                    row = kept[site] * k + own
                else:
                    _find_worst(changes, starts[site], starts[site + 1], own, worst[row], worst_change[row])
                for j in range(k):
                    if worst[row, j] > taken[j, edits - 1]:
                        at = edits - 1
                        while at > 0 and worst[row, j] > taken[j, at - 1]:
                            taken[j, at] = taken[j, at - 1]
                            chosen[j, at] = chosen[j, at - 1]
                            at -= 1
                        taken[j, at] = worst[row, j]
                        chosen[j, at] = worst_change[row, j]
        for j in range(k):
            if j == own:
                continue
            lead = scores[i, own] - scores[i, j]
            for e in range(edits):
                lead -= taken[j, e]
            if lead >= 1.0:
                continue
            loss += weights[i] * (1.0 - lead) ** 2
            multiplier = 2.0 * weights[i] * factors[own, j] * (1.0 - lead)
            linear += multiplier
            quadratic += multiplier**2 / (4.0 * weights[i])
            of_objects[i, own] += multiplier
            of_objects[i, j] -= multiplier
            for e in range(edits):
                if chosen[j, e] >= 0:
                    of_changes[chosen[j, e], own] += multiplier
                    of_changes[chosen[j, e], j] -= multiplier
    return loss, linear, quadratic


@compiled
def _find_worst(changes: Floats, first: int, last: int, own: int, worst: Floats, worst_change: Integers) -> None:
    """Find for each class the change that gains most on a class: what it gains, and which one it is."""
    k = worst.size
    for j in range(k):
        worst[j] = 0.0
    for change in range(first, last):
        of_own = changes[change, own]
        for j in range(k):
            gain = changes[change, j] - of_own
            if gain > worst[j]:
                worst[j] = gain
                worst_change[j] = change
