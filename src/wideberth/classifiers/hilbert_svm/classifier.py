"""The support vector machine on a metric: the widest margin in a Hilbert space that it, or a function of it, embeds in."""

import math
from collections.abc import Iterable
from typing import Any, Self, get_args

import numpy as np
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.utils.metaestimators import available_if

from wideberth.arrays import Floats, Indices
from wideberth.classifiers.hilbert_svm import saving
from wideberth.classifiers.hilbert_svm.function import (
    Expansions,
    HilbertFunction,
    certain_radii,
    explanations,
    scores_of_votes,
)
from wideberth.classifiers.hilbert_svm.kernel import REPAIRS, HilbertKernel, KernelName
from wideberth.classifiers.hilbert_svm.measuring import KernelRequest, Known, known_objects, landmarks_that_fit, measured_once
from wideberth.classifiers.hilbert_svm.problem import SVMProblem, kernel_for, svm_problem, widest_margin
from wideberth.classifiers.hilbert_svm.solving import WholeMatrix
from wideberth.errors import InvalidInput, NotCertified
from wideberth.estimators.base import MetricClassifier
from wideberth.estimators.calibration import Temperature, fit_temperature, is_calibrated
from wideberth.estimators.constraints import CALIBRATE, PRICE, TOLERANCE, Fits, check_parameters
from wideberth.estimators.explanation import Explanation
from wideberth.estimators.radial import share
from wideberth.estimators.training import Merged, Training
from wideberth.estimators.words import in_units, one_label_in_words, references_in_words
from wideberth.geometry.measure.memory import parse_memory
from wideberth.metrics.named import metric as as_metric
from wideberth.metrics.parameters import is_number, is_whole
from wideberth.metrics.precomputed import Precomputed
from wideberth.objects import sample

#: Errors cost C times this over the weight of all objects: what C is to LIBSVM if there are a thousand.
_THOUSAND = 1000.0


class HilbertSVC(MetricClassifier):
    r"""The widest margin in a Hilbert space: a support vector machine that asks whether the distance allows it.

    A kernel of a distance induces a metric :math:`e = F(d)`, and the SVM depends on that metric alone (Hein, Bousquet &
    Schoelkopf 2005, Theorem 5): of two classes, with y = -1 and 1,

    .. math:: \min_\alpha -\tfrac14 \sum_{ij} y_i y_j \alpha_i \alpha_j\, e^2(x_i, x_j) - \sum_i \alpha_i
        \quad\text{subject to}\quad \sum_i y_i \alpha_i = 0,\ 0 \le \alpha_i \le C_* w_i,

    .. math:: f(x) = -\tfrac12 \sum_i y_i \alpha_i\, e^2(x_i, x) + b .

    It is the problem of the widest margin if e embeds in a Hilbert space. A metric that promises so is believed; without a
    promise the eigenvalues on the training objects decide, and where some are negative, fit is an error that shows them, unless a
    ``repair`` is asked for. Solved by LIBSVM; more than two classes: each pair of them votes.

    >>> words, languages = ["garten", "garden", "jardin", "jarden"], ["de", "en", "fr", "fr"]
    >>> clf = HilbertSVC("levenshtein", kernel="laplace").fit(words, languages)
    >>> print(clf.kernel_report_)
    The kernel 'laplace' is positive on 4 objects: measured, not promised.
    >>> line = HilbertSVC(kernel="distance", C=np.inf).fit([[0.0], [1.0], [3.0], [4.0]], ["low", "low", "up", "up"])
    >>> line.margin_.round(6), line.certified_radius([[1.5]]).round(3)  # the border is at 2
    (array([1.]), array([0.5]))

    Parameters
    ----------
    metric : str, Metric or callable
        A name (`wideberth.list_metrics`), a `wideberth.Metric`, or a function of two objects; "precomputed" for a matrix.
    C : float
        What errors cost, free of scale: :math:`C_* = 1000\, C / (u W)` with W the sum of all weights, and u the unit of the
        kernel, which is the mean of :math:`d^2 / 2` for ``"distance"`` and 1 for the others. With a thousand objects it is
        LIBSVM's C. 0.1 is a strong regularisation, 100 a weak one; ``numpy.inf`` is the hard margin.
    kernel : {"auto", "distance", "gaussian", "laplace", "bounded"}
        ``"distance"``: :math:`-d^2 / 2`, the linear kernel if d is Euclidean, for Hilbertian metrics. ``"gaussian"``:
        :math:`\exp(-d^2 / s^2)`, for Hilbertian metrics, which trusts short distances alone. ``"laplace"``:
        :math:`\exp(-d / s)`, for metrics of negative type. ``"bounded"``: that of the metric :math:`d / (s + d)`, for Hilbertian
        ones. ``"auto"``: the gaussian if it is promised, else the Laplace kernel if that is, else the first of the two that is
        positive on the training objects, else the gaussian, repaired.
    width : "auto", float or str
        s, in the unit of the metric; a share of the median distance such as ``"70%"``; ``"auto"`` is the median distance.
    repair : {"error", "clip", "flip", "shift"}
        What to do where the kernel is indefinite: say so; drop the negative eigenvalues; take their absolute values; or add the
        smallest to the diagonal. New objects go the same way as the training objects, but the result has no Hilbert margin, so
        that no radius is certified. A kernel that is valid stays as it is.
    landmarks : int, optional
        Take the kernel's projection on so many training objects that are far from each other, by Nystrom's formula: for more
        objects than the memory has room for pairs. `kernel_report_` has the error of that.
    class_weight : dict, "balanced" or None
        What errors of each class cost, in multiples of C; the unit of C does not depend on it.
    calibrate : int, optional
        With a number of folds, `predict_proba` exists: scores of objects left out, scaled by a temperature.
    tol : float
        By how much the conditions of the optimum may be missed, as in LIBSVM.
    memory, n_jobs
        Memory for distances and kernels, cores to use (all by default). What does not fit is an error that says what would.
    random_state : int, optional
        Shuffles the folds of ``calibrate``.

    Attributes
    ----------
    classes_ : the labels, sorted.
    kernel_ : the kernel with its width, and the metric it induces: ``kernel_.metric(distances)``, ``kernel_.inverse(radii)``.
    width_ : the width, None for "distance".
    kernel_report_ : why the kernel may be used: promised, measured or repaired, with the eigenvalues where some are negative.
    hilbert_margin_ : whether the kernel was left as it is, so that the margin is one in a Hilbert space.
    margin_ : :math:`1 / \|w_{ab}\|` of each pair of classes, in the unit of the induced metric: half the distance between their
        convex hulls if these are apart (Theorem 2).
    references_ : the positions in X of the objects that prediction measures distances to: the support vectors, all objects after
        clip and flip, or the landmarks.
    coef_, intercept_ : the functions :math:`f_{ab}(x) = -\frac12 \sum_i \gamma_{ab, i}\, e^2(x, z_i) + b_{ab}` on these
        references, a sparse matrix of shape (pairs, references) and an array; positive for the second class of a pair.
    support_, dual_coef_ : the positions in X of the support vectors, and their multipliers as `sklearn.svm.SVC` packs them; not
        with landmarks.
    C_ : the number in the formula.
    """

    needs = frozenset({"negative_type"})

    def __init__(
        self,
        metric: Any = "euclidean",
        *,
        C: float = 1.0,
        kernel: str = "auto",
        width: float | str = "auto",
        repair: str = "error",
        landmarks: int | None = None,
        class_weight: Any = None,
        calibrate: int | None = None,
        tol: float = 1e-3,
        max_memory: str | int = "2GB",
        n_jobs: int | None = None,
        random_state: int | None = None,
    ) -> None:
        self.metric = metric
        self.C = C
        self.kernel = kernel
        self.width = width
        self.repair = repair
        self.landmarks = landmarks
        self.class_weight = class_weight
        self.calibrate = calibrate
        self.tol = tol
        self.max_memory = max_memory
        self.n_jobs = n_jobs
        self.random_state = random_state

    @classmethod
    def _for_data(cls, metric: Any, n_objects: int, *, max_memory: str | int = "2GB", **parameters: Any) -> Self:
        """Works on any distance: clipped where that is indefinite, on landmarks where pairs do not fit in memory."""
        measure = Precomputed([[0.0]]) if metric == Precomputed.name else as_metric(metric)
        landmarks = landmarks_that_fit(n_objects, measure, parse_memory(max_memory))
        return cls(metric, repair="clip", landmarks=landmarks, max_memory=max_memory, **parameters)

    def _learn(self, training: Training) -> None:
        self._check_parameters()
        known = self._known(training)
        self._conclude(training, known.merged, svm_problem(known, self._asked()))
        if self.calibrate is not None:
            self.temperature_ = self._calibrated(training)

    def path(self, X: Any, y: Any, C: Iterable[float], sample_weight: Any = None) -> list[Self]:
        """Fitted classifiers for all values of C, in the order given; distances, kernel and repair are shared.

        >>> path = HilbertSVC(kernel="distance").path([[0.0], [1.0], [1.5], [3.0]], [0, 0, 1, 1], C=[100, np.inf])
        >>> [model.margin_.round(3).tolist() for model in path]  # no errors in either case
        [[0.25], [0.25]]
        """
        training = self._admit(X, y, sample_weight)
        models: list[Self] = [clone(self).set_params(C=each, calibrate=None) for each in C]
        for model in models:
            model._check_parameters()
            model._inherit(self)
        self._check_parameters()
        known = self._known(training)
        problem = svm_problem(known, self._asked())
        for model in models:
            model._conclude(training, known.merged, problem)
        return models

    def _scores(self, objects: Any) -> Floats:
        return scores_of_votes(self._function.values(objects), len(self.classes_))

    def certified_radius(self, X: Any) -> Floats:
        r"""How far each object may move, in the metric's unit, before its label can change.

        It is :math:`F^{-1}` of `hilbert_radius`, infinite where that is beyond all that F reaches. It needs the promise on which
        the kernel stands; without it, or after a repair, it raises `NotCertified`.
        """
        return self.kernel_.inverse(self.hilbert_radius(X))

    def hilbert_radius(self, X: Any) -> Floats:
        r"""How far each object may move in the induced metric before its label can change.

        .. math:: r(x) = \min_{ab} |f_{ab}(x)| / \|w_{ab}\|

        over the pairs of the winning class if it wins them all, and over all pairs if not, as then any vote may matter.
        """
        objects = self._admit_queries(X)
        self._refuse_unproved()
        values, slack = self._function.values_and_slack(objects, slack=True)
        return certain_radii(values, self._norms, slack, len(self.classes_))

    def explain(self, X: Any) -> list[Explanation]:
        """For each object how its references push it to its label, or to the label that came closest.

        >>> clf = HilbertSVC(kernel="distance", C=np.inf).fit([[0.0], [4.0]], ["low", "up"])
        >>> why = clf.explain([[1.0]])[0]  # the border is at 2
        >>> why.label, why.rival, round(why.score, 6), [(each.reference, round(each.push, 6)) for each in why.pushes]
        ('low', 'up', 0.5, [(0, 0.25), (1, 0.25)])
        """
        objects = self._admit_queries(X)
        return explanations(self._function, objects, self._winners(objects), self.classes_, self.references_)

    @available_if(is_calibrated)
    def predict_proba(self, X: Any) -> Floats:
        """Probabilities of the classes, shape (n, k): a softmax of the scores, its temperature fitted on objects left out."""
        return self.temperature_.probabilities(self._scores(self._admit_queries(X)))

    def _in_words(self) -> list[str]:
        if len(self.classes_) == 1:
            return [f"C = {self.C:g}: {one_label_in_words(self.classes_.tolist()[0], 1)}"]
        width = "" if self.width_ is None else f" of width {in_units(self.width_, self.metric_)}"
        answering = references_in_words(len(self.references_), self._n_learned)
        return [f"C = {self.C:g}: {answering} Their kernel is {self.kernel_.name!r}{width}.", str(self.kernel_report_)]

    def _state(self) -> dict[str, Any]:
        return saving.state_of(self)

    def _restore(self, state: dict[str, Any]) -> None:
        saving.restore(self, state)

    # ---- the steps of learning ---------------------------------------------------------------------------------------------

    def _check_parameters(self) -> None:
        check_parameters(self, _FITS)
        if self.kernel == "distance" and not _is_auto(self.width):
            raise InvalidInput(
                f"The kernel 'distance' has no width, but width={self.width!r}.", advice="Leave the width out.", value=self.width
            )
        if self.landmarks is not None and math.isinf(self.C):
            raise InvalidInput(
                "A hard margin is found on the whole kernel matrix only.",
                advice="Take a large C, such as 1000, or leave landmarks out.",
                value=self.landmarks,
            )

    def _kernel_on(self, training: Training) -> HilbertKernel:
        """The kernel that `_learn` would choose, without what is done with it."""
        return kernel_for(self._known(training), self._asked())

    def _known(self, training: Training) -> Known:
        return known_objects(training, self.classes_, self.class_weight, self._asked())

    def _asked(self) -> KernelRequest:
        room = parse_memory(self.max_memory), self.n_jobs
        return KernelRequest(self.kernel, self.width, self.repair, self.landmarks, *room)

    def _conclude(self, training: Training, merged: Merged, problem: SVMProblem) -> None:
        """Solve the problem, and keep what prediction needs."""
        found = self._solved(training, merged, problem)
        positions = merged.positions(training)
        self.kernel_, self.kernel_report_ = problem.kernel, problem.report
        self.coef_, self.intercept_, self._norms = found.coefficients, found.intercepts, found.norms
        self.references_ = positions[found.rows]
        for name in ("support_", "dual_coef_"):  # they may be there, of an earlier fit
            self.__dict__.pop(name, None)
        if found.support is not None:
            self.support_, self.dual_coef_ = positions[found.support], found.multipliers
        self.C_ = _THOUSAND * self.C / (problem.unit * training.weights.sum())
        self._summarise(sample.pick(merged.objects, found.rows))

    def _summarise(self, references: Any) -> None:
        """Set what follows from the kernel, its report, the functions and their references."""
        self.width_ = self.kernel_.width
        self.hilbert_margin_ = self.kernel_report_.repair is None
        self.margin_ = np.divide(1.0, self._norms, out=np.full_like(self._norms, math.inf), where=self._norms > 0)
        room = parse_memory(self.max_memory), self.n_jobs
        self._function = HilbertFunction(references, self.metric_, self.kernel_, self.coef_, self.intercept_, *room)

    def _solved(self, training: Training, merged: Merged, problem: SVMProblem) -> Expansions:
        if training.n_classes == 1:
            none, nobody = np.empty(0), np.empty(0, dtype=np.intp)
            support = (nobody, np.empty((0, 0))) if isinstance(problem.matrix, WholeMatrix) else ()
            return Expansions(nobody, csr_array((0, 0)), none, none, *support)
        if math.isfinite(self.C):
            prices = _THOUSAND * self.C * merged.weights / training.weights.sum()
            return problem.matrix.solve(merged.codes, prices, self.tol)
        return widest_margin(problem, merged, training, self.classes_, self.tol)

    def _calibrated(self, training: Training) -> Temperature:
        """The temperature, from folds with the kernel that was chosen; their distances are measured once for all."""
        shared = measured_once(training, max_memory=parse_memory(self.max_memory), n_jobs=self.n_jobs)
        about: dict[str, Any] = {"kernel": self.kernel_.name, "width": self.width_ or "auto", "calibrate": None}

        def refit(chosen: Indices) -> HilbertSVC:
            twin: HilbertSVC = clone(self).set_params(**about)
            twin._inherit(self)
            twin.metric_ = shared.metric
            twin._learn(shared.part(chosen))
            return twin

        return fit_temperature(shared, int(self.calibrate or 0), refit, random_state=self.random_state)

    def _refuse_unproved(self) -> None:
        report = self.kernel_report_
        if report.repair is not None:
            raise NotCertified(
                f"The kernel {report.kernel!r} of {self.metric_.name!r} was indefinite and is repaired ({report.repair}): there "
                "is no Hilbert margin, so there is no radius.",
                advice="Choose a metric, or a transform of one, that promises a valid kernel (wideberth.diagnose).",
                missing=report.needs,
            )
        if not report.promised:
            raise NotCertified(
                f"A radius needs the promise {report.needs!r}, which {self.metric_.name!r} does not make: the kernel "
                f"{report.kernel!r} was only measured to be positive on the training objects.",
                advice="Choose a metric that promises it, or declare it if proved.",
                missing=report.needs,
            )


def _is_auto(value: Any) -> bool:
    return isinstance(value, str) and value == "auto"


def _is_width(value: Any) -> bool:
    part = share(value)
    return _is_auto(value) or (is_number(value) and 0 < value < math.inf) or (part is not None and 0 < part < math.inf)


def _is_one_of(value: Any, names: Iterable[str]) -> bool:
    return isinstance(value, str) and value in names


_FITS = {
    "C": PRICE,
    "kernel": Fits(
        lambda value: _is_one_of(value, ["auto", *get_args(KernelName)]),
        "It is 'auto', 'distance', 'gaussian', 'laplace' or 'bounded'.",
    ),
    "width": Fits(_is_width, "It is 'auto', a positive number in the unit of the metric, or a share such as '70%'."),
    "repair": Fits(lambda value: _is_one_of(value, ["error", *REPAIRS]), "It is 'error', 'clip', 'flip' or 'shift'."),
    "landmarks": Fits(lambda value: value is None or is_whole(value, 2), "Pass a number from 2 on, or None for all objects."),
    "calibrate": CALIBRATE,
    "tol": TOLERANCE,
}
