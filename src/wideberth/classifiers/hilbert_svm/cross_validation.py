"""`HilbertSVCCV`: the SVM on a metric with its kernel and its C chosen by cross-validation, on
distances measured once.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from wideberth.array_types import Floats, Indices, Objects
from wideberth.classifiers.hilbert_svm import problem as problems
from wideberth.classifiers.hilbert_svm.classifier import HilbertSVC
from wideberth.classifiers.hilbert_svm.fold_kernels import pair_path
from wideberth.classifiers.hilbert_svm.function import ClassPairs, scores_of_votes
from wideberth.classifiers.hilbert_svm.kernel import HilbertKernel, promised_kernel
from wideberth.errors import BrokenAxiomWarning, InvalidInput
from wideberth.estimators.choosing import fold_answers
from wideberth.estimators.choosing.chosen_classifier import ChosenClassifier
from wideberth.estimators.choosing.cross_validation import Examination, Tried, checked_values
from wideberth.estimators.choosing.scoring import FLOOR
from wideberth.estimators.training import Training, class_weights
from wideberth.geometry.measure.blocks import parse_memory
from wideberth.metrics.metric import Metric
from wideberth.metrics.named import metric as as_metric
from wideberth.metrics.precomputed import Precomputed
from wideberth.metrics.transforms.promise_rules import closed

# ---- A kernel that a cross-validation tries: its SVMs on the folds, examined and repaired in each
# fold if that is needed

#: Folds are solved to this multiple of ``tol``: they are only compared with each other.
_COARSER = 10.0
#: The most steps for one price, in total or for each object, whichever is more. On an indefinite
#: kernel nothing bounds them.
_STEPS, _STEPS_EACH = 2_000, 50


class KernelMatrices:
    """The matrices of kernels on all objects, kept from fold to fold as far as the memory allows.

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
    """What the machines of a fold learn from."""

    #: Kernel values in single precision, :math:`-e^2 / 2` for the induced distance e: 0 between
    #: equal objects, shape (rows, columns).
    matrix: NDArray[np.float32]
    #: ``known``, ``left_out``: the rows of the objects that are learned from, which are their
    #: columns too, and of those left out.
    known: Indices
    left_out: Indices
    #: The class of each known object.
    codes: Indices
    #: The price of an error on each known object at C = 1.
    prices: Floats


@dataclass(frozen=True, eq=False)
class KernelVariant(fold_answers.Variant):
    r"""A kernel of which only C is open. All values of C are finite.

    A valid kernel has one matrix for all folds. One that may be indefinite is examined on the known
    objects of each fold, and repaired from them alone, by the code that fits the winner: folds
    measure what is fitted.
    """

    #: The kernel, without a jump.
    kernel: HilbertKernel
    #: Where its matrix comes from.
    matrices: KernelMatrices
    #: Whether it is promised or known to be positive definite on all objects.
    valid: bool

    concurrent: ClassVar[bool] = True

    def answers(self, fold: fold_answers.Fold, values: Floats) -> fold_answers.Answers:
        """What the machines with the given values of C, learned from the known objects of a fold,
        say of those left out.
        """
        classes = np.unique(self.shared.labels[fold.known])
        order = np.argsort(values, kind="stable")
        learned = self._shared(fold, classes) if self.valid else self._examined(fold)
        pairs = self._values_of_pairs(learned, values[order])[np.argsort(order)]
        n_values, n_queries, _ = pairs.shape
        scores = scores_of_votes(pairs.reshape(n_values * n_queries, -1), len(classes)).reshape(
            n_values, n_queries, -1
        )
        return fold_answers.Answers(
            classes,
            scores,
            fold_answers.hinge_losses(scores, classes, self.shared.labels[fold.left_out]),
        )

    def _shared(self, fold: fold_answers.Fold, classes: NDArray[np.generic]) -> FoldKernel:
        """The matrix of all folds."""
        given, labels = self.shared.weights[fold.known], self.shared.labels[fold.known]
        of_classes = class_weights(labels, classes, self.classifier.class_weight)
        codes = np.searchsorted(classes, labels)
        prices: Floats = problems.libsvm_prices(
            1.0, given * of_classes[codes], given.sum() * self._unit(fold, given)
        )
        return FoldKernel(self.matrices.of(self.kernel), fold.known, fold.left_out, codes, prices)

    def _unit(self, fold: fold_answers.Fold, weights: Floats) -> float:
        """The unit of the kernel on the known objects."""
        if self.kernel.name != "distance":
            return 1.0
        shares = weights / weights.sum()
        matrix = self.matrices.of(self.kernel)
        return problems.kernel_unit(
            self.kernel, -float(shares @ (matrix[np.ix_(fold.known, fold.known)] @ shares))
        )

    def _examined(self, fold: fold_answers.Fold) -> FoldKernel:
        """A matrix of this fold: of its known objects, repaired if it is indefinite, and of those
        left out, which follow.
        """
        model = clone(self.classifier)
        model.remembers = False  # all objects were examined before
        objects, labels, _, weights = self.shared.known(fold, np.empty(0))
        training = model.admit(objects, labels, weights)
        distinct = model._distinct(training)
        problem = problems.svm_problem(distinct, model._request())
        known, merged = fold.known[distinct.positions], distinct.merged
        matrix = problem.kernel_with(
            self.matrices.distances(np.concatenate([known, fold.left_out]), known)
        )
        rows = np.arange(len(matrix))
        prices: Floats = problems.libsvm_prices(1.0, merged.weights, training.weights.sum())
        learned, asked = rows[: len(known)], rows[len(known) :]
        return FoldKernel(matrix.astype(np.float32), learned, asked, merged.codes, prices)

    def _values_of_pairs(self, learned: FoldKernel, values: Floats) -> Floats:
        """The values of the functions of all pairs of classes at the objects left out, shape
        (values, objects, pairs).
        """
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


#: Widths to choose from, as shares of the median distance, from the smoothest kernel to the most
#: local.
USUAL_WIDTHS = ("200%", "100%", "60%", "35%")
#: The widths to choose from where each kernel is repaired in each fold, if other metrics are to be
#: compared too: the others take as long and are hardly ever better.
_FEWER_WIDTHS = ("100%", "60%")
#: Up to so many objects a repair, whose time grows like their third power, takes no longer than the
#: rest.
_CHEAPLY_REPAIRED = 500
#: Kernels that lose little by a repair.
MILD = ("gaussian", "laplace")


class HilbertSVCCV(ChosenClassifier):
    r"""A `wideberth.HilbertSVC` whose kernel and C have the smallest error on objects left out.

    .. math:: \hat C, \hat k = \arg\min_{C, k} \sum_f \frac1{W_f} \sum_{i \in f} w_i \, [\hat y_{C,
        k}^{-f}(x_i) \neq y_i]

    where :math:`\hat y_{C, k}^{-f}` was learned without the objects of fold f, whose weights add up
    to :math:`W_f`. Of several best candidates the one with the smallest hinge loss on the objects
    left out is taken. Candidates that are clearly worse after some folds are not tried in the
    others (`wideberth.estimators.choosing.cross_validation.Race`).

    Kernels that the metric promises to be valid need no examination. The others are examined in
    each fold on the objects that it learns from, and repaired there if they are indefinite, as the
    winner is: objects left out follow as new objects do in `predict`, so that the folds measure the
    model that is fitted. With ``repair="error"`` indefinite kernels are left out, and it is an
    error if none remains. All folds and all values of C share the distances, and one matrix of each
    valid kernel; compiled code solves the machines of a fold from the smallest C to the largest, to
    ten times the ``tol`` of the winner. With ``landmarks``, an infinite C or a certified score, the
    folds are fitted as the winner is.

    Parameters
    ----------
    metric : str, Metric or callable, default "euclidean"
        A name, a `wideberth.Metric`, or a function of two objects; "precomputed" for a matrix of
        distances.
    C : sequence of float, optional
        The values to choose from, in the unit of `wideberth.HilbertSVC`: seven from 0.1 to 1000,
        evenly on a logarithmic scale, by default.
    kernel : str, or list of str, default "auto"
        The kernels to choose from, each as for `wideberth.HilbertSVC`. ``"auto"``: the gaussian if
        it is promised; else the Laplace kernel if that is promised and no repair is named; else
        both.
    width : "auto", float or str, or list of them, optional
        The widths to choose from with each kernel that has one: 200, 100, 60 and 35 percent of the
        median distance by default. Shares are those of the median distance of all objects, in all
        folds.
    cv, scoring, radius, unit, floor
        As for `wideberth.LipschitzClassifierCV`.
    repair : {"auto", "error", "clip", "flip", "shift"}, default "auto"
        What to do if a kernel is indefinite, as for `wideberth.HilbertSVC`. ``"auto"`` clips
        gaussian and Laplace kernels, and refuses others; with ``landmarks`` it refuses all. The
        three repairs err about alike where settings are chosen with them
        (docs/benchmarks/repairs.md), at fixed settings a shift is the worst. After "shift" the
        support vectors are enough for an answer, after the others all training objects are
        measured. What was done is in ``best_estimator_.kernel_report_``; after a repair there is no
        Hilbert margin, and radii are local ones.
    landmarks, class_weight, tol, verbose, random_state
        As for `wideberth.HilbertSVC`; random_state also shuffles the folds.
    calibrate : int, optional
        The number of folds on which `predict_proba` of the chosen classifier is calibrated; the
        classifiers of the folds are calibrated only for a ``scoring`` of probabilities.
    max_memory : int or str, default "2GB"
        Memory for distances and kernels. Distances are kept from fold to fold if half of it holds
        all of them.
    n_jobs : int, optional
        Cores to use; all by default.

    Attributes
    ----------
    best_params_ : dict
        The chosen value of C, the name of the chosen kernel, and its width in the unit of the
        metric.
    best_score_, best_index_ : float, int
        Their mean score over the folds, and their row in ``cv_results_``.
    best_estimator_ : HilbertSVC
        The chosen classifier, fitted on all objects.
    C_ : float
        The number :math:`C_*` that the chosen value means in the formula of `wideberth.HilbertSVC`.
    cv_results_ : dict of columns
        As of `wideberth.LipschitzClassifierCV`, with ``param_kernel`` and ``param_width``.
    classes_ : ndarray of shape (k,)
        The labels, sorted.

    Examples
    --------
    >>> drinks, kinds = ["tea", "tee", "ten", "rum", "rom", "rim"], ["soft"] * 3 + ["hard"] * 3
    >>> clf = HilbertSVCCV("hamming", C=[0.1, 1], width=["100%", "50%"], cv=3, random_state=0).fit(
    ...     drinks, kinds
    ... )
    >>> clf.best_params_, len(clf.cv_results_["params"])
    ({'C': 0.1, 'kernel': 'laplace', 'width': 3.0}, 4)
    >>> clf.predict(["tel", "rem"])
    array(['soft', 'hard'], dtype='<U4')
    """

    needs = HilbertSVC.needs
    single = HilbertSVC
    chosen = ("C", "kernel", "width")

    def __init__(
        self,
        metric: Any = "euclidean",
        *,
        C: Any = None,
        kernel: Any = "auto",
        width: Any = None,
        repair: str = "auto",
        landmarks: int | None = None,
        cv: Any = 5,
        scoring: Any = None,
        radius: float | None = None,
        unit: str | None = None,
        floor: float = FLOOR,
        class_weight: Any = None,
        calibrate: int | None = None,
        tol: float = 1e-3,
        max_memory: str | int = "2GB",
        n_jobs: int | None = None,
        verbose: int = 0,
        random_state: int | None = None,
    ) -> None:
        self.metric = metric
        self.C = C
        self.kernel = kernel
        self.width = width
        self.repair = repair
        self.landmarks = landmarks
        self.cv = cv
        self.scoring = scoring
        self.radius = radius
        self.unit = unit
        self.floor = floor
        self.class_weight = class_weight
        self.calibrate = calibrate
        self.tol = tol
        self.max_memory = max_memory
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    @classmethod
    def to_compare(cls, metric: Any, n_objects: int) -> Self:
        promised = metric != Precomputed.name and closed(as_metric(metric).promises).negative_type
        if promised or n_objects <= _CHEAPLY_REPAIRED:
            return cls(metric)
        return cls(metric, width=list(_FEWER_WIDTHS))

    def _search(self, training: Training, examination: Examination) -> Tried:
        # a kernel needs no triangles
        with warnings.catch_warnings(action="ignore", category=BrokenAxiomWarning):
            return super()._search(training, examination)

    def candidates_on(self, training: Training) -> tuple[Floats, list[fold_answers.Variant]]:
        values = checked_values(self.C, np.geomspace(0.1, 1000, 7), HilbertSVC.__name__)
        shared = fold_answers.share_distances(
            training, self.classes_, max_memory=parse_memory(self.max_memory), n_jobs=self.n_jobs
        )
        return values, self._variants(
            self._kernels(training, shared), shared, compiled=bool(np.isfinite(values).all())
        )

    def hilbert_radius(self, X: Objects) -> Floats:
        """Compute how far each object may move in the induced metric before its label can change.

        Parameters
        ----------
        X : sequence of objects
            New objects, as for `predict`.

        Returns
        -------
        ndarray of shape (n,)
            The radii of the chosen classifier, see `wideberth.HilbertSVC.hilbert_radius`.

        Raises
        ------
        NotCertified
            If the metric does not promise what the kernel needs, or the kernel was repaired.
        """
        self.admit_queries(X)
        radii: Floats = self.best_estimator_.hilbert_radius(X)
        return radii

    def _kernels(self, training: Training, shared: fold_answers.Shared) -> list[HilbertKernel]:
        """The kernels that the distance allows, or that may be repaired, with widths from all
        objects.
        """
        everything = replace(
            training, objects=shared.metric.prepare(shared.objects), metric=shared.metric
        )
        probes = [
            self._classifier(shared.metric, max_memory=shared.max_memory, **choice)
            for choice in self._choices()
        ]
        for probe in probes:
            probe.inherit(self)
            probe.check_parameters()
        distinct = probes[0]._distinct(everything)
        candidates = [
            kernel
            for probe in probes
            for kernel in problems.kernels_with_widths(distinct, probe._request())
        ]
        request = replace(
            probes[0]._request(), repair="error" if self.repair == "auto" else self.repair
        )
        repairable = [name for name in MILD if self._repair_of(name) != "error"]
        return problems.allowed_kernels(
            distinct, request, list(dict.fromkeys(candidates)), repairable
        )

    def _classifier(self, metric: Any, **parameters: Any) -> Any:
        """A classifier with the parameters that are passed on; "auto" is replaced by the repair
        that it stands for.
        """
        classifier = super()._classifier(metric, **parameters)
        return classifier.set_params(repair=self._repair_of(classifier.kernel))

    def _repair_of(self, kernel: str) -> str:
        """What is done about a kernel of this name if it is indefinite."""
        if self.repair != "auto":
            return self.repair
        return "clip" if kernel in MILD and self.landmarks is None else "error"

    def _variants(
        self, kernels: list[HilbertKernel], shared: fold_answers.Shared, *, compiled: bool
    ) -> list[fold_answers.Variant]:
        """The classifiers to choose among, of which only C is open; compiled code solves those on
        complete matrices.
        """
        parameters: list[dict[str, Any]] = [
            {"kernel": each.name, "width": each.width or "auto"} for each in kernels
        ]
        limited = {"max_memory": shared.max_memory}
        variants = [
            fold_answers.Variant(each, self._classifier(shared.metric, **limited, **each), shared)
            for each in parameters
        ]
        if not compiled or self.landmarks is not None:
            return variants
        for name in dict.fromkeys(kernel.name for kernel in kernels):
            problems.check_matrix_fits(len(shared.labels), shared.metric, name, shared.max_memory)
        distances = problems.measure_all(shared.objects, shared.metric, self.n_jobs)
        matrices = KernelMatrices(distances, shared.max_memory // 2)
        return [
            KernelVariant(
                **vars(variant),
                kernel=kernel,
                matrices=matrices,
                valid=self._is_valid(kernel, shared.metric),
            )
            for variant, kernel in zip(variants, kernels, strict=True)
        ]

    def _is_valid(self, kernel: HilbertKernel, metric: Metric) -> bool:
        """Whether no fold needs a repair: the kernel is promised, or was examined on all objects
        since none is allowed.
        """
        return (
            self._repair_of(kernel.name) == "error" or promised_kernel(metric, [kernel]) is not None
        )

    def _choices(self) -> list[dict[str, Any]]:
        """The names and widths to choose from; "auto" is replaced by the kernels that it stands
        for.
        """
        names = _as_list(self.kernel)
        widths = _as_list(USUAL_WIDTHS if self.width is None else self.width)
        if not names or not widths:
            raise InvalidInput(
                "There is no kernel to choose from.",
                advice="Name one, such as 'gaussian'.",
                value=self.kernel,
            )
        promises = closed(self.metric_.promises)
        laplace_alone = promises.negative_type and self.repair in ("auto", "error")
        usual = (
            ["gaussian"]
            if promises.hilbertian
            else ["laplace"]
            if laplace_alone
            else ["gaussian", "laplace"]
        )
        meant = [name for written in names for name in (usual if written == "auto" else [written])]
        return [
            {"kernel": name, "width": width}
            for name in meant
            for width in (["auto"] if name == "distance" else widths)
        ]


def _as_list(written: Any) -> list[Any]:
    return list(written) if isinstance(written, list | tuple) else [written]
