"""Why an LP machine gave a label: how each reference moves the score."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideberth.classifiers.radial_function import RadialFunction

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]


@dataclass(frozen=True)
class Push:
    """What the distance to a reference adds to a score, beyond what it adds for the usual training object."""

    reference: int
    distance: float
    push: float


@dataclass(frozen=True)
class Explanation:
    """Why an object got its label: how the references push its score from the usual one, the strongest first.

    The score is that of the label: ``usual``, its mean over the training objects, plus all pushes.
    """

    label: Any
    score: float
    usual: float
    pushes: tuple[Push, ...]


def explanations(
    function: RadialFunction, objects: Any, winners: Indices, labels: NDArray[Any], centres: Floats, positions: Indices
) -> list[Explanation]:
    """The explanation of each prepared object; ``positions`` say where the references of the function stood.

    With one function for two classes, the score of the first is its negative.
    """
    if len(labels) == 1:
        return [Explanation(labels.item(), 1.0, 1.0, ()) for _ in winners]
    binary = len(labels) == 2
    functions = np.zeros_like(winners) if binary else winners
    signs = np.where(winners == 1, 1.0, -1.0) if binary else np.ones(len(winners))
    usual = signs * (function.intercepts + (function.coefficients * centres).sum(axis=(1, 2)))[functions]
    distances, terms = function.terms(objects, functions, centres)
    terms *= signs[:, None]
    found = []
    for row, winner in enumerate(winners):
        used = np.flatnonzero(function.coefficients[functions[row]].any(axis=0))
        strongest = used[np.argsort(-np.abs(terms[row, used]), kind="stable")]
        pushes = tuple(Push(int(positions[each]), float(distances[row, each]), float(terms[row, each])) for each in strongest)
        score = float(usual[row] + terms[row].sum())
        found.append(Explanation(labels[winner : winner + 1].tolist()[0], score, float(usual[row]), pushes))
    return found
