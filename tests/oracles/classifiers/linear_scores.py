"""Slow twins of linear scores on counts: changes of words by all single edits, losses object by
object, programs by HiGHS.
"""

from collections import Counter
from itertools import combinations, product

import numpy as np
from scipy.optimize import linprog, minimize

UNKNOWN = "\uffff"  # a letter of no word


def edited_once(text, alphabet):
    """All texts one edit away, with a letter that is in no known word among those written."""
    letters = sorted(set(alphabet) | {UNKNOWN, " "})
    for at in range(len(text) + 1):
        for letter in letters:
            yield text[:at] + letter + text[at:]
        if at < len(text):
            yield text[:at] + text[at + 1 :]
            for letter in letters:
                if letter != text[at]:
                    yield text[:at] + letter + text[at + 1 :]


def counts_of(text, words):
    """How often each word occurs in a text."""
    found = Counter(text.lower().split())
    return np.array([found[word] for word in words], dtype=float)


def changes_of_word(word, vocabulary):
    """What one edit of a single word can do to the counts, as a set of tuples; it stays at least
    one letter long or goes.
    """
    alphabet = set("".join(vocabulary)) | set(word)
    now = counts_of(word, vocabulary)
    inside = {
        each
        for each in edited_once(word, alphabet)
        if not each.startswith(" ") and not each.endswith(" ")
    }
    found = {tuple((counts_of(each, vocabulary) - now).astype(int)) for each in inside}
    return found - {(0,) * len(vocabulary)}


def robust_loss(matrix, changes, codes, weights, coefficients, intercepts, edits):
    """The loss of the robust hinge, half of it before edits: over all choices of different places,
    and of one change at each.

    ``changes[i]`` has for each place of object i the list of changes of its counts.
    """
    loss = 0.0
    for row, places, own, weight in zip(matrix, changes, codes, weights, strict=True):
        for rival in set(range(len(intercepts))) - {own}:
            pull = coefficients[:, own] - coefficients[:, rival]
            lead = row @ pull + intercepts[own] - intercepts[rival]
            worst = [
                min([0.0, *(float(np.dot(change, pull)) for change in place)]) for place in places
            ]
            choices = (chosen for size in range(edits + 1) for chosen in combinations(worst, size))
            lowest = lead + min(sum(chosen) for chosen in choices)
            loss += 0.5 * weight * (max(0.0, 1.0 - lead) ** 2 + max(0.0, 1.0 - lowest) ** 2)
    return loss


def robust_program(matrix, changes, codes, weights, n_classes, edits, ridge):
    """The smallest value of the robust hinge: a smooth program with a slack for each text, class
    and number of edits.

    The slack after edits is above what is left after each choice of places and changes.
    """
    d = matrix.shape[1]
    rows, slacks, prices = [], [], []
    for row, places, own, weight in zip(matrix, changes, codes, weights, strict=True):
        for rival in set(range(n_classes)) - {int(own)}:
            chosen = [np.zeros(d)]
            for size in range(1, edits + 1):
                for some in combinations(places, size):
                    chosen += [np.sum(each, axis=0) for each in product(*some)]
            for counts in ([row], [row + each for each in chosen]):
                slacks += [len(prices)] * len(counts)
                rows += [_lead_row(each, int(own), rival, n_classes) for each in counts]
                prices.append(0.5 * weight)
    rows, slacks, prices = np.array(rows), np.array(slacks), np.array(prices)
    size = rows.shape[1]
    choose = np.eye(len(prices))[slacks]
    leads = {
        "type": "ineq",
        "fun": lambda x: rows @ x[:size] + x[size:][slacks] - 1.0,
        "jac": lambda x: np.hstack([rows, choose]),
    }
    ridges = np.concatenate([np.full(d * n_classes, ridge), np.zeros(n_classes)])

    def value(x):
        numbers, left = x[:size], np.maximum(x[size:], 0.0)
        gradient = np.concatenate([2.0 * ridges * numbers, 2.0 * prices * left])
        return ridges @ numbers**2 + prices @ left**2, gradient

    start = np.concatenate([np.zeros(size), np.ones(len(prices))])
    options = {"ftol": 1e-12, "maxiter": 1000}
    return minimize(
        value, start, jac=True, constraints=[leads], method="SLSQP", options=options
    ).fun


def _lead_row(counts, own, rival, n_classes):
    """The lead of a class over another as a linear function of all coefficients, by features, and
    the intercepts.
    """
    row = np.zeros((len(counts) + 1, n_classes))
    row[:-1, own], row[:-1, rival] = counts, -counts
    row[-1, own], row[-1, rival] = 1.0, -1.0
    return row.ravel()


def slope_program(matrix, codes, prices, n_classes):
    """The value of the program of the slope by HiGHS' interior points: L, w, b and the slacks are
    variables.
    """
    n, d = matrix.shape
    size = 1 + d * n_classes + n_classes + n
    rows, right = [], []
    for feature in range(d):
        for one in range(n_classes):
            for other in range(n_classes):
                if one != other:
                    row = np.zeros(size)
                    row[0] = -1.0
                    row[1 + feature * n_classes + one], row[1 + feature * n_classes + other] = (
                        1.0,
                        -1.0,
                    )
                    rows.append(row)
                    right.append(0.0)
    for i in range(n):
        for rival in set(range(n_classes)) - {int(codes[i])}:
            row = np.zeros(size)
            for code, sign in ((codes[i], -1.0), (rival, 1.0)):
                row[1 + np.arange(d) * n_classes + code] += sign * matrix[i]
                row[1 + d * n_classes + code] += sign
            row[1 + d * n_classes + n_classes + i] = -1.0
            rows.append(row)
            right.append(-1.0)
    cost = np.zeros(size)
    cost[0], cost[-n:] = 1.0, prices
    bounds = [(0, None)] + [(None, None)] * (d * n_classes + n_classes) + [(0, None)] * n
    return linprog(cost, np.array(rows), np.array(right), bounds=bounds, method="highs-ipm").fun
