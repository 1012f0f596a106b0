"""The hard margin of an SVM on a metric, with the proof of how wide it can be."""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideberth.classifiers.hilbert_function import Expansions
from wideberth.classifiers.hilbert_svm_exact import WholeMatrix
from wideberth.classifiers.hilbert_svm_problem import SVMProblem
from wideberth.classifiers.one_vs_one import Pairs
from wideberth.errors import GapWarning, InvalidInput
from wideberth.estimators.training import Merged, Training

#: The share of the margin that may be missing without a word.
_CLOSE = 0.01


def widest_margin(problem: SVMProblem, merged: Merged, training: Training, classes: NDArray[Any], tol: float) -> Expansions:
    """The functions without errors; an error that names two classes if they have none, a warning if they may be farther apart."""
    assert isinstance(problem.matrix, WholeMatrix)
    found, bounds = problem.matrix.hard_margin(merged.codes, tol)
    pairs = Pairs.of(training.n_classes)
    if np.isinf(found.norms).any():
        pair = int(np.isinf(found.norms).argmax())
        first, second = (classes[each[pair]].item() for each in pairs)
        raise InvalidInput(
            f"There is no hard margin between the classes {first!r} and {second!r} that is wider than {bounds[pair]:.3g} in the "
            f"metric that the kernel {problem.kernel.name!r} induces: so near are mixtures of their objects.",
            advice="Take a finite C, or a narrower kernel; equal objects need equal labels.",
            witness=(first, second),
            value=float(bounds[pair]),
        )
    gaps = 1.0 - 1.0 / (found.norms * bounds)
    if gaps.max() > _CLOSE:
        warnings.warn(
            f"LIBSVM stopped early: the margin found may be narrower than the widest one, by {gaps.max():.1%} at most.",
            GapWarning,
            stacklevel=6,
        )
    return found
