"""A kernel that a cross-validation tries: its SVMs on the folds, examined and repaired in each fold if that is needed."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from wideberth.array_types import Floats, Indices
from wideberth.classifiers.hilbert_svm.folds.kernels import pair_path
from wideberth.classifiers.hilbert_svm.kernel import HilbertKernel
from wideberth.classifiers.hilbert_svm.parameters import libsvm_prices
from wideberth.classifiers.hilbert_svm.problem import kernel_unit, svm_problem
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

    def distances(self, rows: Indices, columns: Indices) -> Floats:
        """The distances between some objects and some others."""
        return self._distances[np.ix_(rows, columns)]

    def of(self, kernel: HilbertKernel) -> NDArray[np.float32]:
        """The matrix of a kernel in single precision, as LIBSVM keeps it."""
        if kernel in self._kept:
            return self._kept[kernel]
        matrix = kernel.values(self._distances).astype(np.float32)
        if matrix.nbytes <= self._room:
            self._room -= matrix.nbytes
            self._kept[kernel] = matrix
        return matrix


class FoldKernel(NamedTuple):
    """What the machines of a fold learn from.

    Attributes
    ----------
    matrix : ndarray of shape (rows, columns)
        Kernel values in single precision, :math:`-e^2 / 2` for the induced distance e: 0 between equal objects.
    known, left_out : ndarray of int
        The rows of the objects that are learned from, which are their columns too, and of those left out.
    codes : ndarray of int
        The class of each known object.
    prices : ndarray
        The price of an error on each known object at C = 1.
    """

    matrix: NDArray[np.float32]
    known: Indices
    left_out: Indices
    codes: Indices
    prices: Floats


@dataclass(frozen=True, eq=False)
class KernelVariant(Variant):
    r"""A kernel of which only C is open. All values of C are finite.

    A valid kernel has one matrix for all folds. One that may be indefinite is examined on the known objects of
    each fold, and repaired from them alone, by the code that fits the winner: folds measure what is fitted.

    Attributes
    ----------
    kernel : HilbertKernel
        The kernel, without a jump.
    matrices : KernelMatrices
        Where its matrix comes from.
    valid : bool
        Whether it is promised or known to be positive definite on all objects.
    """

    kernel: HilbertKernel
    matrices: KernelMatrices
    valid: bool

    concurrent: ClassVar[bool] = True

    def answers(self, fold: Fold, values: Floats) -> Answers:
        """What the machines with the given values of C, learned from the known objects of a fold, say of those left out."""
        classes = np.unique(self.shared.labels[fold.known])
        order = np.argsort(values, kind="stable")
        learned = self._shared(fold, classes) if self.valid else self._examined(fold)
        pairs = self._values_of_pairs(learned, values[order])[np.argsort(order)]
        n_values, n_queries, _ = pairs.shape
        scores = scores_of_votes(pairs.reshape(n_values * n_queries, -1), len(classes)).reshape(n_values, n_queries, -1)
        return Answers(classes, scores, hinge_losses(scores, classes, self.shared.labels[fold.left_out]))

    def _shared(self, fold: Fold, classes: NDArray[np.generic]) -> FoldKernel:
        """The matrix of all folds."""
        given, labels = self.shared.weights[fold.known], self.shared.labels[fold.known]
        of_classes = class_weights(labels, classes, self.classifier.class_weight)
        codes = np.searchsorted(classes, labels)
        prices: Floats = libsvm_prices(1.0, given * of_classes[codes], given.sum() * self._unit(fold, given))
        return FoldKernel(self.matrices.of(self.kernel), fold.known, fold.left_out, codes, prices)

    def _unit(self, fold: Fold, weights: Floats) -> float:
        """The unit of the kernel on the known objects."""
        if self.kernel.name != "distance":
            return 1.0
        shares = weights / weights.sum()
        matrix = self.matrices.of(self.kernel)
        return kernel_unit(self.kernel, -float(shares @ (matrix[np.ix_(fold.known, fold.known)] @ shares)))

    def _examined(self, fold: Fold) -> FoldKernel:
        """A matrix of this fold: of its known objects, repaired if it is indefinite, and of those left out, which follow."""
        model = clone(self.classifier)
        model.remembers = False  # all objects were examined before
        objects, labels, _, weights = self.shared.known(fold, np.empty(0))
        training = model.admit(objects, labels, weights)
        distinct = model._distinct(training)
        problem = svm_problem(distinct, model._request())
        known, merged = fold.known[distinct.positions], distinct.merged
        matrix = problem.kernel_with(self.matrices.distances(np.concatenate([known, fold.left_out]), known))
        rows = np.arange(len(matrix))
        prices: Floats = libsvm_prices(1.0, merged.weights, training.weights.sum())
        learned, asked = rows[: len(known)], rows[len(known) :]
        return FoldKernel(matrix.astype(np.float32), learned, asked, merged.codes, prices)

    def _values_of_pairs(self, learned: FoldKernel, values: Floats) -> Floats:
        """The values of the functions of all pairs of classes at the objects left out, shape (values, objects, pairs)."""
        matrix, codes, members = learned.matrix, learned.codes, _members(learned.codes)
        pairs = ClassPairs.of(len(members))
        found = np.empty((len(pairs.first), len(values), len(learned.left_out)))
        for place, (first, second) in enumerate(zip(*pairs, strict=True)):
            both = np.concatenate([members[first], members[second]])
            pair_path(
                matrix,
                learned.known[both],
                np.where(codes[both] == second, 1.0, -1.0),
                learned.prices[both],
                values,
                learned.left_out,
                _COARSER * self.classifier.tol,
                max(_STEPS, _STEPS_EACH * len(both)),
                found[place],
            )
        return found.transpose(1, 2, 0)


def _members(codes: Indices) -> Sequence[Indices]:
    """The positions of the objects of each class."""
    return np.split(np.argsort(codes, kind="stable"), np.cumsum(np.bincount(codes))[:-1])
