"""The lowest lead of a label near an object, one object, one rival and one reference at a time."""

import itertools

import numpy as np


def in_ball(matrix, scores, row, radius):
    """The lowest lead of the label of an object among all objects of a finite space within a
    radius: what bounds stay below.
    """
    near = np.flatnonzero(matrix[row] <= radius)
    winner = scores[row].argmax()
    rivals = [code for code in range(scores.shape[1]) if code != winner]
    return min(
        (scores[other, winner] - scores[other, rival] for other in near for rival in rivals),
        default=np.inf,
    )


def radial_lead(radials, coefficients, intercepts, distances, winner, radius):
    """The lowest lead by exact arithmetic: for each rival the sum of the smallest terms, each at
    one end of its interval.
    """
    leads = []
    for rival in range(len(coefficients)):
        if rival == winner:
            continue
        lead = intercepts[winner] - intercepts[rival]
        for place, radial in enumerate(radials):
            for reference, distance in enumerate(distances):
                ends = radial.column(np.array([max(distance - radius, 0.0), distance + radius]))
                lead += min(
                    (coefficients[winner, place, reference] - coefficients[rival, place, reference])
                    * ends
                )
        leads.append(lead)
    return min(leads, default=np.inf)


def expansion_bounds(kernel, coefficients, intercept, distances, radius):
    """The least and the greatest value of an expansion by exact arithmetic, if no distance changes
    by more than a radius.
    """
    low = high = intercept
    for coefficient, distance in zip(coefficients, distances, strict=True):
        near, far = kernel.values(np.array([max(distance - radius, 0.0), distance + radius]))
        low += coefficient * (far if coefficient > 0 else near)
        high += coefficient * (near if coefficient > 0 else far)
    return low, high


def voted_class(votes_for_second, pairs, n_classes):
    """The first of the classes with most votes."""
    votes = np.zeros(n_classes, dtype=int)
    for (first, second), for_second in zip(pairs, votes_for_second, strict=True):
        votes[second if for_second else first] += 1
    return int(votes.argmax())


def stays_elected(low, high, winner, n_classes):
    """Whether a class wins whatever the votes of pairs whose value may have either sign, by trying
    all of them.
    """
    pairs = list(itertools.combinations(range(n_classes), 2))
    choices = [
        (True,) if least > 0 else (False,) if greatest < 0 else (False, True)
        for least, greatest in zip(low, high, strict=True)
    ]
    return all(
        voted_class(votes, pairs, n_classes) == winner for votes in itertools.product(*choices)
    )
