"""All texts within some edits of a text, one by one, and the lowest lead among them, by the counts
of the metrics.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from wideberth.metrics.metric import Metric


def one_edit_away(text: str, letters: str) -> Iterator[str]:
    for place in range(len(text) + 1):
        for letter in letters:
            yield text[:place] + letter + text[place:]
            yield text[:place] + letter + text[place + 1 :]
        yield text[:place] + text[place + 1 :]


def within_edits(text: str, edits: int, letters: str) -> list[list[str]]:
    """The texts within 0, 1, ... edits in which the letters are written."""
    found = [{text}]
    for _ in range(edits):
        found.append(
            found[-1] | {edited for each in found[-1] for edited in one_edit_away(each, letters)}
        )
    return [sorted(some) for some in found]


def scores(
    texts: list[str],
    metrics: Sequence[Metric],
    features: Sequence,
    weights: np.ndarray,
    intercepts: np.ndarray,
):
    """The scores of texts: a row of weights for each feature, a list of features for each
    metric.
    """
    weight = dict(
        zip(
            [(which, tuple(each)) for which, some in enumerate(features) for each in some],
            weights,
            strict=True,
        )
    )
    found = np.tile(intercepts, (len(texts), 1)).astype(float)
    for which, metric in enumerate(metrics):
        counts = metric.prepare(texts)
        letters = counts.elements.tuples()
        for row in range(len(texts)):
            for place in range(counts.starts[row], counts.starts[row + 1]):
                found[row] += counts.weights[place] * weight.get(
                    (which, letters[counts.numbers[place]]), 0.0
                )
    return found


def lowest_leads(found: np.ndarray, winner: int) -> np.ndarray:
    """The lowest leads of a class over all classes among texts with these scores; infinite over
    itself.
    """
    leads = (found[:, [winner]] - found).min(axis=0)
    leads[winner] = np.inf
    return leads
