"""The fewest changes of rows that change an answer, by trying all of them."""

from itertools import combinations, product

import numpy as np
from oracles.classifiers import votes

#: A label that no row has yet, before all others.
NEW = -1


def fewest(distances, codes, k, *, adding, most):
    """The fewest changes of rows until a vote of neighbours gives another label, None if ``most`` are
    not enough.

    Labels flip to any label, also a new one; with ``adding`` rows are removed as long as k are left,
    and added at 0, at all distances there are, between and beyond.
    """
    labels = [NEW, *range(int(codes.max()) + 1)]
    winner = votes.elected(distances, codes, k)
    start = _as_set(zip(distances.tolist(), codes.tolist(), strict=True))
    between = np.unique(distances)
    places = sorted({0.0, *between.tolist(), *(between + 0.5).tolist()}) if adding else []
    seen = reached = {start}
    for changes in range(1, most + 1):
        reached = {
            rows for before in reached for rows in _changed(before, labels, places, k)
        } - seen
        seen = seen | reached
        if any(_elected(rows, k) != winner for rows in reached):
            return changes
    return None


def _as_set(rows):
    return tuple(sorted(rows))


def _elected(rows, k):
    distances, codes = np.array(rows).T
    return votes.elected(distances, codes.astype(int), k)


def _changed(rows, labels, places, k):
    for here, (distance, code) in enumerate(rows):
        others = rows[:here] + rows[here + 1 :]
        yield from (_as_set((*others, (distance, label))) for label in labels if label != code)
        if places and len(others) >= k:
            yield others
    yield from (_as_set((*rows, row)) for row in product(places, labels))


def parts_withstood(codes, n_classes):
    """How many votes of parts may become any others, until another class wins."""
    winner = _most(codes, n_classes)
    for changed in range(1, len(codes) + 1):
        for parts in combinations(range(len(codes)), changed):
            for new in product([None, NEW, *range(n_classes)], repeat=changed):
                after = list(codes)
                for part, vote in zip(parts, new, strict=True):
                    after[part] = vote
                if _most(after, n_classes) != winner:
                    return changed - 1
    return len(codes)


def parts_radius(codes, radii, knows, n_classes, changed):
    """The largest radius of a part at which the winner stays, whatever parts that do not stay vote
    and whatever ``changed`` parts become; 0 if it stays at none.
    """
    winner = _most(codes, n_classes)
    far = [np.inf if code is None else radius for code, radius in zip(codes, radii, strict=True)]
    for radius in sorted(set(far), reverse=True):
        if all(
            _most(after, n_classes) == winner
            for after in _after(codes, far, knows, n_classes, changed, radius)
        ):
            return radius
    return 0.0


def _after(codes, far, knows, n_classes, changed, radius):
    """All votes that a move by less than the radius, and so many changed parts, can lead to."""
    anything = [None, NEW, *range(n_classes)]
    for parts in combinations(range(len(codes)), changed):
        free = [
            anything
            if part in parts
            else [code]
            if far[part] >= radius
            else [other for other in range(n_classes) if knows[part][other]]
            for part, code in enumerate(codes)
        ]
        yield from product(*free)


def _most(codes, n_classes):
    """The class with the most votes, the first of equal ones."""
    counts = {code: sum(vote == code for vote in codes) for code in [NEW, *range(n_classes)]}
    return max(counts, key=lambda code: (counts[code], -code))
