r"""Compiled kernel of the robust hinge: the worst edits of each text, its losses, and their
multipliers.

What the worst edits take from a lead is a maximum, :math:`\max_{q, p} \sum_s q_s \sum_c p_{sc}
t_{sc}`, over shares :math:`p_{sc}` of the changes c of each site s with gains t, not negative and
of sum at most 1, and shares :math:`q_s` of sites in [0, 1] of sum at most e. It has kinks wherever
two changes or two sites gain alike, and steps along gradients end there, far from the optimum.
Smoothed by :math:`\mu > 0`, :math:`\frac\mu2 \sum p (1 - p)` and :math:`\frac\mu2 \sum q (1 - q)`
are added before the maxima are taken (Nesterov 2005, with a function that is 0 at the corners): the
shares that attain them are unique, and continuous in the gains; what is taken is at most :math:`\mu
e` too large, and exact where the worst changes are the worst by :math:`\mu`. Where a change can be
made anywhere and as often as there are edits, such as a word put in, e times its gain is added.
"""

import numpy as np

from wideberth.array_types import Floats, Indices, Integers
from wideberth.compilation import compiled
from wideberth.rounding import SUM_ERROR

#: The most steps to a level; Newton's method takes a few.
_NEWTON_STEPS = 100


@compiled
def robust_losses(
    scores: Floats,
    changes: Floats,
    starts: Integers,
    sites: Integers,
    text_starts: Integers,
    kept: Integers,
    n_kept: int,
    everywhere: int,
    codes: Indices,
    weights: Floats,
    edits: int,
    smoothing: float,
    factors: Floats,
    of_objects: Floats,
    of_changes: Floats,
) -> tuple[float, float, float]:
    r"""Compute the squared hinge losses of all objects after their worst edits, and the multipliers
    of scores and changes.

    The loss of object i against class j is :math:`\frac12 w_i [(1 - s_{ij})_+^2 + (1 -
    l_{ij})_+^2]` for the lead :math:`s_{ij}` of its own class c before edits, and :math:`l_{ij}`
    after them: minus what the worst changes of ``edits`` sites take, smoothed. The multipliers of
    the two halves are :math:`w_i f_{cj} (1 - s_{ij})_+` and :math:`w_i f_{cj} (1 - l_{ij})_+` for
    the factors f, :math:`\alpha_{ij}` is their sum; that of a change is its share of the second.

    The sites of each object are those in ``sites`` from ``text_starts`` on, the changes of a site
    those from ``starts`` on; sites that occur often have a number in ``kept``, others -1: their
    worst changes are looked for once. The site with the number ``everywhere`` in ``kept``, unless
    that is -1, belongs to all objects, and each edit makes its worst change beside another one.
    ``of_objects`` and ``of_changes``, zeros, get the multipliers
    of the scores of objects and changes, with plus for class c and with minus for j. Returned are
    the sum of all losses, :math:`\sum \alpha_{ij}`, and :math:`\sum \beta^2 / (2 w_i)` over the
    multipliers :math:`\beta` of both halves.

    Examples
    --------
    >>> scores, nothing, none = (
    ...     np.array([[0.5, 0.0]]),
    ...     np.zeros(1, dtype=np.int64),
    ...     np.empty(0, dtype=np.int64),
    ... )
    >>> of_objects = np.zeros((1, 2))
    >>> arrays = (
    ...     scores,
    ...     np.zeros((0, 2)),
    ...     nothing,
    ...     none,
    ...     np.zeros(2, dtype=np.int64),
    ...     none,
    ...     0,
    ...     -1,
    ...     np.zeros(1, dtype=np.intp),
    ... )
    >>> robust_losses(*arrays, np.ones(1), 0, 0.0, np.ones((2, 2)), of_objects, np.zeros((0, 2)))
    (0.25, 1.0, 0.25)
    >>> of_objects
    array([[ 1., -1.]])
    """
    k = scores.shape[1]
    rows = n_kept * k if edits > 0 else 0
    # the last row is for a site that is not kept
    kept_gains = np.zeros((rows + 1, k))
    kept_levels = np.zeros((rows + 1, k))
    kept_multipliers = np.zeros((rows, k))
    most = 0
    for i in range(scores.shape[0] if edits > 0 else 0):
        most = max(most, text_starts[i + 1] - text_starts[i])
    gains, levels, shares = np.zeros((k, most)), np.zeros((k, most)), np.zeros(most)
    for site in range(kept.size if edits > 0 else 0):
        for own in range(k if kept[site] >= 0 else 0):
            row = kept[site] * k + own
            _gains_of_site(
                changes,
                starts[site],
                starts[site + 1],
                own,
                smoothing,
                kept_gains[row],
                kept_levels[row],
            )
    loss, linear, quadratic = 0.0, 0.0, 0.0
    for i in range(scores.shape[0]):
        own = codes[i]
        first = text_starts[i]
        count = text_starts[i + 1] - first if edits > 0 else 0
        for place in range(count):
            site = sites[first + place]
            row = kept[site] * k + own if kept[site] >= 0 else rows
            if kept[site] < 0:
                _gains_of_site(
                    changes,
                    starts[site],
                    starts[site + 1],
                    own,
                    smoothing,
                    kept_gains[row],
                    kept_levels[row],
                )
            for j in range(k):
                gains[j, place], levels[j, place] = kept_gains[row, j], kept_levels[row, j]
        for j in range(k):
            if j == own:
                continue
            lead = scores[i, own] - scores[i, j]
            edited = (
                lead - _taken_by_sites(gains[j, :count], edits, smoothing, shares)
                if count > 0
                else lead
            )
            if everywhere >= 0 and edits > 0:
                edited -= edits * kept_gains[everywhere * k + own, j]
            if edited >= 1.0:
                continue
            after = multiplier = weights[i] * (1.0 - edited)
            loss += 0.5 * weights[i] * (1.0 - edited) ** 2
            quadratic += 0.5 * weights[i] * (factors[own, j] * (1.0 - edited)) ** 2
            if lead < 1.0:
                multiplier += weights[i] * (1.0 - lead)
                loss += 0.5 * weights[i] * (1.0 - lead) ** 2
                quadratic += 0.5 * weights[i] * (factors[own, j] * (1.0 - lead)) ** 2
            after, multiplier = factors[own, j] * after, factors[own, j] * multiplier
            linear += multiplier
            of_objects[i, own] += multiplier
            of_objects[i, j] -= multiplier
            if everywhere >= 0 and edits > 0:
                kept_multipliers[everywhere * k + own, j] += after * edits
            for place in range(count):
                if shares[place] > 0.0:
                    site = sites[first + place]
                    if kept[site] >= 0:
                        kept_multipliers[kept[site] * k + own, j] += after * shares[place]
                    else:
                        share, level = after * shares[place], levels[j, place]
                        _share_out(
                            changes,
                            starts[site],
                            starts[site + 1],
                            own,
                            j,
                            smoothing,
                            level,
                            share,
                            of_changes,
                        )
    for site in range(kept.size if edits > 0 else 0):
        for own in range(k if kept[site] >= 0 else 0):
            row = kept[site] * k + own
            for j in range(k):
                if kept_multipliers[row, j] > 0.0:
                    share, level = kept_multipliers[row, j], kept_levels[row, j]
                    _share_out(
                        changes,
                        starts[site],
                        starts[site + 1],
                        own,
                        j,
                        smoothing,
                        level,
                        share,
                        of_changes,
                    )
    return loss, linear, quadratic


@compiled
def _gains_of_site(
    changes: Floats,
    first: int,
    last: int,
    own: int,
    smoothing: float,
    gains: Floats,
    levels: Floats,
) -> None:
    r"""Find what each class gains on a class by the worst change of a site, smoothed, and the level
    that the shares depend on.

    The shares are :math:`p_c = (t_c - \tau)_+ / \mu` for the gains t plus :math:`\mu / 2` and the
    smallest level :math:`\tau \ge 0` with :math:`\sum_c p_c \le 1`: Newton's method from below,
    which ends after as many steps as there are gains near the largest one. Without smoothing the
    level is the largest gain.
    """
    for j in range(gains.size):
        largest = -np.inf
        for change in range(first, last):
            largest = max(largest, changes[change, j] - changes[change, own])
        if j == own or smoothing == 0.0:
            gains[j], levels[j] = max(largest, 0.0), largest
            continue
        level, total, squares = max(largest - 0.5 * smoothing, 0.0), 0.0, 0.0
        for _ in range(_NEWTON_STEPS):
            count, above, total, squares = 0, 0.0, 0.0, 0.0
            for change in range(first, last):
                gain = changes[change, j] - changes[change, own] + 0.5 * smoothing
                if gain > level:
                    share = (gain - level) / smoothing
                    count += 1
                    above += share
                    total += share * gain
                    squares += share * share
            if above <= 1.0 + SUM_ERROR:
                break
            level += (above - 1.0) * smoothing / count
        gains[j], levels[j] = total - 0.5 * smoothing * squares, level


@compiled
def _share_out(
    changes: Floats,
    first: int,
    last: int,
    own: int,
    rival: int,
    smoothing: float,
    level: float,
    multiplier: float,
    of_changes: Floats,
) -> None:
    """Give the changes of a site their shares of a multiplier; without smoothing the first of the
    worst has it all.
    """
    for change in range(first, last):
        gain = changes[change, rival] - changes[change, own]
        if smoothing > 0.0:
            part = multiplier * max(gain + 0.5 * smoothing - level, 0.0) / smoothing
        else:
            part = multiplier if gain >= level else 0.0
        if part > 0.0:
            of_changes[change, own] += part
            of_changes[change, rival] -= part
            if smoothing == 0.0:
                return


@compiled
def _taken_by_sites(gains: Floats, edits: int, smoothing: float, shares: Floats) -> float:
    r"""Find what the worst sites take, smoothed, and the share of each.

    The shares are :math:`q_s = (h_s - \tau) / \mu`, cut to [0, 1], for the gains h plus :math:`\mu
    / 2` and the smallest level :math:`\tau \ge 0` with :math:`\sum_s q_s \le e`: Newton's method,
    kept inside the interval that holds it.
    """
    n, half = gains.size, 0.5 * smoothing
    if edits >= n:
        return _taken_by_all(gains, smoothing, shares)
    largest = np.full(edits + 1, -np.inf)
    for place in range(n):
        gain = gains[place]
        if gain > largest[edits]:
            at = edits
            while at > 0 and gain > largest[at - 1]:
                largest[at] = largest[at - 1]
                at -= 1
            largest[at] = gain
    # the last site that is changed, and the first that is not
    last = largest[edits - 1]
    next_one = largest[edits]
    if smoothing == 0.0:
        return _taken_by_worst(gains, edits, next_one, shares)
    level = low = max(next_one - half, 0.0)
    if last - next_one >= smoothing:
        level = max(next_one + half, 0.0)  # no other site is near
    high = max(last + half, 0.0)
    for _ in range(_NEWTON_STEPS if n > edits else 0):
        above, count = 0.0, 0
        for place in range(n):
            share = (gains[place] + half - level) / smoothing
            if share >= 1.0:
                above += 1.0
            elif share > 0.0:
                above += share
                count += 1
        excess = above - edits
        if abs(excess) <= SUM_ERROR * edits or (excess <= 0.0 and level == 0.0):
            break
        if excess > 0.0:
            low = level
        else:
            high = level
        level = level + excess * smoothing / count if count > 0 else low
        if not low < level < high:
            level = 0.5 * (low + high)
    taken, total = 0.0, 0.0
    for place in range(n):
        shares[place] = min(max((gains[place] + half - level) / smoothing, 0.0), 1.0)
        total += shares[place]
        taken += shares[place] * (gains[place] + half - half * shares[place])
    if total > edits:  # by rounding
        for place in range(n):
            shares[place] *= edits / total
    return taken


@compiled
def _taken_by_all(gains: Floats, smoothing: float, shares: Floats) -> float:
    """What all sites take, and the share of each, where each may be changed."""
    taken = 0.0
    for place in range(gains.size):
        gain = gains[place]
        if smoothing > 0.0:
            shares[place] = min(max(gain / smoothing + 0.5, 0.0), 1.0)
            taken += shares[place] * (gain + 0.5 * smoothing * (1.0 - shares[place]))
        else:
            shares[place] = 1.0 if gain > 0.0 else 0.0
            taken += max(gain, 0.0)
    return taken


@compiled
def _taken_by_worst(gains: Floats, edits: int, next_one: float, shares: Floats) -> float:
    """What the worst sites take, without smoothing: all above the largest gain that is left, then
    the first with that gain.
    """
    taken, left = 0.0, edits
    for only_equal in (False, True):
        for place in range(gains.size):
            if not only_equal:
                shares[place] = 0.0
            chosen = gains[place] == next_one if only_equal else gains[place] > next_one
            if chosen and left > 0 and gains[place] > 0.0:
                shares[place] = 1.0
                taken += gains[place]
                left -= 1
    return taken
