"""Slow twins of linear scores on counts: changes of words by all single edits, losses object by object, programs by HiGHS."""

from collections import Counter
from itertools import combinations

import numpy as np
from scipy.optimize import linprog

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
    """What one edit of a single word can do to the counts, as a set of tuples; it stays at least one letter long or goes."""
    alphabet = set("".join(vocabulary)) | set(word)
    now = counts_of(word, vocabulary)
    inside = {each for each in edited_once(word, alphabet) if not each.startswith(" ") and not each.endswith(" ")}
    found = {tuple((counts_of(each, vocabulary) - now).astype(int)) for each in inside}
    return found - {(0,) * len(vocabulary)}


def robust_loss(matrix, changes, codes, weights, coefficients, intercepts, edits):
    """The loss of the robust hinge: over all choices of different places, and of one change at each.

    ``changes[i]`` has for each place of object i the list of changes of its counts.
    """
    loss = 0.0
    for row, places, own, weight in zip(matrix, changes, codes, weights, strict=True):
        for rival in set(range(len(intercepts))) - {own}:
            pull = coefficients[:, own] - coefficients[:, rival]
            lead = row @ pull + intercepts[own] - intercepts[rival]
            worst = [min([0.0, *(float(np.dot(change, pull)) for change in place)]) for place in places]
            choices = (chosen for size in range(edits + 1) for chosen in combinations(worst, size))
            lowest = lead + min(sum(chosen) for chosen in choices)
            loss += weight * max(0.0, 1.0 - lowest) ** 2
    return loss


def slope_program(matrix, codes, prices, n_classes):
    """The value of the program of the slope by HiGHS' interior points: L, w, b and the slacks are variables."""
    n, d = matrix.shape
    size = 1 + d * n_classes + n_classes + n
    rows, right = [], []
    for feature in range(d):
        for one in range(n_classes):
            for other in range(n_classes):
                if one != other:
                    row = np.zeros(size)
                    row[0] = -1.0
                    row[1 + feature * n_classes + one], row[1 + feature * n_classes + other] = 1.0, -1.0
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
