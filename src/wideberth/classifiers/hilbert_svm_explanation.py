"""Why an SVM on a metric gave a label: how each reference pushes between the label and its closest rival."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideberth.classifiers.hilbert_function import HilbertFunction, distances_between
from wideberth.classifiers.one_vs_one import Pairs

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]


@dataclass(frozen=True)
class Push:
    """What being near to a reference adds to the score of a label against its rival."""

    reference: int
    distance: float
    push: float


@dataclass(frozen=True)
class Explanation:
    """Why an object got its label: how the references push it there, or to the ``rival`` that came closest, the strongest first.

    The score is that of the label against the rival, the ``bias`` plus all pushes; it is negative only where a rival won this
    pair and the label more of the others. A reference that is far, by the width of the kernel, pushes next to nothing.
    """

    label: Any
    rival: Any
    score: float
    bias: float
    pushes: tuple[Push, ...]


def explanations(
    function: HilbertFunction, objects: Any, winners: Indices, labels: NDArray[Any], positions: Indices
) -> list[Explanation]:
    """The explanation of each prepared object; ``positions`` say where the references of the function stood."""
    names = labels.tolist()
    if len(names) == 1:
        return [Explanation(names[0], None, 1.0, 1.0, ()) for _ in winners]
    pairs = Pairs.of(len(names))
    values = function.values(objects)
    distances = distances_between(objects, function.references, function.metric, function.n_jobs)
    kernel = function.kernel.values(distances)
    found = []
    for row, winner in enumerate(winners):
        signs = np.where(pairs.second == winner, 1.0, -1.0)  # towards the winner
        pair = int(np.where((pairs.first == winner) | (pairs.second == winner), signs * values[row], math.inf).argmin())
        rival = pairs.first[pair] if signs[pair] > 0 else pairs.second[pair]
        used = slice(*function.coefficients.indptr[pair : pair + 2])
        columns = function.coefficients.indices[used]
        terms = signs[pair] * function.coefficients.data[used] * _nearness(kernel[row, columns], function.kernel.supremum)
        strongest = np.argsort(-np.abs(terms), kind="stable")
        pushes = tuple(
            Push(int(positions[columns[each]]), float(distances[row, columns[each]]), float(terms[each])) for each in strongest
        )
        score, bias = float(signs[pair] * values[row, pair]), float(signs[pair] * function.intercepts[pair])
        found.append(Explanation(names[winner], names[rival], score, bias, pushes))
    return found


def _nearness(kernel: Floats, supremum: float) -> Floats:
    """The kernel, counted from where it is for objects that are far, or from its mean: the coefficients add up to 0."""
    return kernel - (kernel.mean() if math.isinf(supremum) else -0.5 * supremum**2)
