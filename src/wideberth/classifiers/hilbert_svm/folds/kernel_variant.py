"""A kernel that a cross-validation tries: its SVMs on the folds, on one matrix, neither examined nor repaired."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Floats, Indices
from wideberth.classifiers.hilbert_svm.folds.kernels import pair_path
from wideberth.classifiers.hilbert_svm.kernel import HilbertKernel
from wideberth.classifiers.hilbert_svm.parameters import libsvm_prices
from wideberth.classifiers.hilbert_svm.problem import kernel_unit
from wideberth.classifiers.hilbert_svm.votes import ClassPairs, scores_of_votes
from wideberth.estimators.choosing.answers import Answers, Variant, hinge_losses
from wideberth.estimators.choosing.folds import Fold
from wideberth.estimators.training import class_weights

#: Folds are solved to this multiple of ``tol``: they are only compared with each other.
_COARSER = 10.0
#: The most steps for one price, in total or for each object, whichever is more. On an indefinite kernel nothing bounds them.
_STEPS, _STEPS_EACH = 2_000, 50


class KernelMatrices:
    """The matrices of kernels on all objects, kept from fold to fold as far as the memory allows.

    Parameters
    ----------
    distances : ndarray of shape (n, n)
        All distances.
    max_memory : int
        Memory for matrices in bytes; one matrix at a time is made in any case.

    Examples
    --------
    >>> KernelMatrices(np.array([[0.0, 1.0], [1.0, 0.0]]), 10**6).of(HilbertKernel("distance"))
    array([[-0. , -0.5],
           [-0.5, -0. ]], dtype=float32)
    """

    def __init__(self, distances: Floats, max_memory: int) -> None:
        self._distances, self._room = distances, max_memory
        self._kept: dict[HilbertKernel, NDArray[np.float32]] = {}

    def __getstate__(self) -> dict[str, Any]:
        """The distances alone: where a copy is sent, matrices are made faster than they come."""
        kept = sum(matrix.nbytes for matrix in self._kept.values())
        return {"_distances": self._distances, "_room": self._room + kept, "_kept": {}}

    def of(self, kernel: HilbertKernel) -> NDArray[np.float32]:
        """The matrix of a kernel in single precision, as LIBSVM keeps it."""
        if kernel in self._kept:
            return self._kept[kernel]
        matrix = kernel.values(self._distances).astype(np.float32)
        if matrix.nbytes <= self._room:
            self._room -= matrix.nbytes
            self._kept[kernel] = matrix
        return matrix


@dataclass(frozen=True, eq=False)
class KernelVariant(Variant):
    r"""A kernel of which only C is open; the answers of a fold come from its unrepaired matrix.

    Folds compare kernels as they are; only the winner is examined and, if it is indefinite, repaired. All values of C are finite.

    Attributes
    ----------
    kernel : HilbertKernel
        The kernel, without a jump.
    matrices : KernelMatrices
        Where its matrix comes from.
    """

    kernel: HilbertKernel
    matrices: KernelMatrices

    concurrent: ClassVar[bool] = True

    def answers(self, fold: Fold, values: Floats) -> Answers:
        """What the machines with the given values of C, learned from the known objects of a fold, say of those left out."""
        known = self.shared.labels[fold.known]
        classes, codes = np.unique(known, return_inverse=True)
        order = np.argsort(values, kind="stable")
        pairs = self._values_of_pairs(fold, codes, self._prices(fold, classes, codes), values[order])[np.argsort(order)]
        n_values, n_queries, _ = pairs.shape
        scores = scores_of_votes(pairs.reshape(n_values * n_queries, -1), len(classes)).reshape(n_values, n_queries, -1)
        return Answers(classes, scores, hinge_losses(scores, classes, self.shared.labels[fold.left_out]))

    def _prices(self, fold: Fold, classes: NDArray[np.generic], codes: Indices) -> Floats:
        """The price of an error on each known object at C = 1."""
        given = self.shared.weights[fold.known]
        of_classes = class_weights(classes[codes], classes, self.classifier.class_weight)
        prices: Floats = libsvm_prices(1.0, given * of_classes[codes], given.sum() * self._unit(fold, given))
        return prices

    def _unit(self, fold: Fold, weights: Floats) -> float:
        """The unit of the kernel on the known objects."""
        if self.kernel.name != "distance":
            return 1.0
        shares = weights / weights.sum()
        matrix = self.matrices.of(self.kernel)
        return kernel_unit(self.kernel, -float(shares @ (matrix[np.ix_(fold.known, fold.known)] @ shares)))

    def _values_of_pairs(self, fold: Fold, codes: Indices, prices: Floats, values: Floats) -> Floats:
        """The values of the functions of all pairs of classes at the objects left out, shape (values, objects, pairs)."""
        matrix, members = self.matrices.of(self.kernel), _members(codes)
        pairs = ClassPairs.of(len(members))
        found = np.empty((len(pairs.first), len(values), len(fold.left_out)))
        for place, (first, second) in enumerate(zip(*pairs, strict=True)):
            both = np.concatenate([members[first], members[second]])
            pair_path(
                matrix,
                fold.known[both],
                np.where(codes[both] == second, 1.0, -1.0),
                prices[both],
                values,
                fold.left_out,
                _COARSER * self.classifier.tol,
                max(_STEPS, _STEPS_EACH * len(both)),
                found[place],
            )
        return found.transpose(1, 2, 0)


def _members(codes: Indices) -> Sequence[Indices]:
    """The positions of the objects of each class."""
    return np.split(np.argsort(codes, kind="stable"), np.cumsum(np.bincount(codes))[:-1])
