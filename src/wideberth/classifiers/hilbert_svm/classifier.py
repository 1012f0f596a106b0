"""`HilbertSVC`, the support vector machine on a metric: the widest margin in a Hilbert space in
which the distance embeds.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any, Self, get_args

import numpy as np
from scipy.sparse import csr_array
from sklearn.base import clone

from wideberth.array_types import Floats, Indices, Objects, Sample
from wideberth.certificate import Certificate
from wideberth.classifiers.hilbert_svm import problem as problems
from wideberth.classifiers.hilbert_svm.certificates import svm_certificates
from wideberth.classifiers.hilbert_svm.function import (
    Expansions,
    PairFunctions,
    VoteLeads,
    explanations,
    scores_of_votes,
)
from wideberth.classifiers.hilbert_svm.kernel import (
    REPAIRS,
    HilbertKernel,
    KernelName,
    KernelReport,
)
from wideberth.classifiers.hilbert_svm.solving import ExactSVM
from wideberth.errors import InvalidInput, NotHilbertianWarning, warn_user
from wideberth.estimators import model_facts as facts
from wideberth.estimators import restored_values
from wideberth.estimators.calibration import (
    Calibrator,
    calibrated_on_folds,
    calibration_to_plain,
    restore_calibration,
)
from wideberth.estimators.metric_classifier import PricedClassifier
from wideberth.estimators.metric_estimator import CALIBRATE, PRICE, TOLERANCE, Fits
from wideberth.estimators.radial_expansions import RadialExpansion, share
from wideberth.estimators.radius_rules import ScoresBoundedNearby, distance_errors
from wideberth.estimators.training import Merged, Training
from wideberth.geometry.measure.blocks import parse_memory
from wideberth.geometry.shape.gram import Spectrum
from wideberth.metrics.named import metric as as_metric
from wideberth.metrics.parameters import is_number, is_whole
from wideberth.metrics.precomputed import Precomputed
from wideberth.metrics.transforms.promise_rules import closed
from wideberth.objects import sample
from wideberth.wording import setting

# ---- Which values the parameters may have, and the errors for other values


def _is_auto(value: Any) -> bool:
    return isinstance(value, str) and value == "auto"


def _is_width(value: Any) -> bool:
    part = share(value)
    return (
        _is_auto(value)
        or (is_number(value) and 0 < value < math.inf)
        or (part is not None and 0 < part < math.inf)
    )


def _is_one_of(value: Any, names: Iterable[str]) -> bool:
    return isinstance(value, str) and value in names


#: The repair of indefinite kernels where none is named.
_USUAL_REPAIR = "clip"

_FITS = {
    "C": PRICE,
    "kernel": Fits(
        lambda value: _is_one_of(value, ["auto", *get_args(KernelName)]),
        "It is 'auto', 'distance', 'gaussian', 'laplace' or 'bounded'.",
    ),
    "width": Fits(
        _is_width,
        "It is 'auto', a positive number in the unit of the metric, or a share such as '70%'.",
    ),
    "repair": Fits(
        lambda value: _is_one_of(value, ["auto", "error", *REPAIRS]),
        "It is 'auto', 'error', 'clip', 'flip' or 'shift'.",
    ),
    "landmarks": Fits(
        lambda value: value is None or is_whole(value, 2),
        "Pass a number from 2 on, or None for all objects.",
    ),
    "calibrate": CALIBRATE,
    "tol": TOLERANCE,
}


class HilbertSVC(PricedClassifier):
    r"""Support vector machine on a distance, which checks that the distance gives a valid kernel.

    A kernel of a distance induces a metric :math:`e = F(d)`, and the SVM depends on that metric
    alone (Hein, Bousquet & Schoelkopf 2005, Theorem 5): for two classes, with y = -1 and 1,

    .. math:: \min_\alpha -\tfrac14 \sum_{ij} y_i y_j \alpha_i \alpha_j\, e^2(x_i, x_j) - \sum_i
        \alpha_i
        \quad\text{subject to}\quad \sum_i y_i \alpha_i = 0,\ 0 \le \alpha_i \le C_* w_i,

    .. math:: f(x) = -\tfrac12 \sum_i y_i \alpha_i\, e^2(x_i, x) + b .

    This is the problem of the widest margin if e embeds in a Hilbert space. A metric that promises
    so is believed. Without a promise the eigenvalues on the training objects decide; where some are
    negative, the kernel is repaired, with a warning. LIBSVM solves the problem; with more than two
    classes each pair of them votes.

    Parameters
    ----------
    metric : str, Metric or callable, default "euclidean"
        A name (`wideberth.list_metrics`), a `wideberth.Metric`, or a function of two objects;
        "precomputed" for a matrix.
    C : float, default 1
        The price of errors, independent of the scale of the data: :math:`C_* = 1000\, C / (u W)`
        with W the sum of all weights, and u the unit of the kernel, which is the mean of :math:`d^2
        / 2` for ``"distance"`` and 1 for the others. With a thousand objects it is LIBSVM's C. 0.1
        is a strong regularisation, 100 a weak one; ``numpy.inf`` is the hard margin.
    kernel : {"auto", "distance", "gaussian", "laplace", "bounded"}, default "auto"
        ``"distance"``: :math:`-d^2 / 2`, the linear kernel if d is Euclidean, for Hilbertian
        metrics. ``"gaussian"``: :math:`\exp(-d^2 / s^2)`, for Hilbertian metrics, which depends
        mostly on short distances. ``"laplace"``: :math:`\exp(-d / s)`, for metrics of negative
        type. ``"bounded"``: that of the metric :math:`d / (s + d)`, for Hilbertian ones.
        ``"auto"``: the gaussian if it is promised, else the Laplace kernel if that is, else the
        first of the two that is positive on the training objects, else the gaussian, repaired.
    width : "auto", float or str, default "auto"
        s, in the unit of the metric; a share of the median distance such as ``"70%"``; ``"auto"``
        is the median distance.
    repair : {"auto", "error", "clip", "flip", "shift"}, default "auto"
        What to do if the kernel is indefinite: "clip" it and warn; raise an error that shows the
        eigenvalues; drop the negative eigenvalues; take their absolute values; or add the size of
        the smallest to the diagonal. New objects are
        mapped in the same way as the training objects, but the result has no Hilbert margin, so
        that radii need the triangle inequality. A valid kernel is not changed.
    landmarks : int, optional
        Project the kernel on this number of training objects that are far from each other, by
        Nystrom's formula: for samples whose pairs do not fit into the memory. `kernel_report_`
        contains the error of the approximation.
    class_weight : dict, "balanced" or None, default None
        The price of errors of each class, in multiples of C; the unit of C does not depend on it.
    calibrate : int, optional
        The number of folds on which `predict_proba` is calibrated, None for none: copies learn from
        all folds but one.
    tol : float, default 1e-3
        The tolerance of the conditions of the optimum, as in LIBSVM.
    max_memory : int or str, default "2GB"
        Memory for distances and kernels. If they do not fit, the error proposes a number of
        landmarks.
    n_jobs : int, optional
        Cores to use for distances; all by default.
    verbose : int
        0 shows progress in a terminal, 1 elsewhere too, as lines on standard error; -1 shows none.
    random_state : int, optional
        Shuffles the folds of ``calibrate``.

    Attributes
    ----------
    classes_ : ndarray of shape (k,)
        The labels, sorted.
    kernel_ : HilbertKernel
        The kernel with its width, and the metric it induces: ``kernel_.metric(distances)``,
        ``kernel_.inverse(radii)``.
    width_ : float or None
        The width, None for "distance".
    kernel_report_ : KernelReport
        Why the kernel may be used: promised, measured or repaired, with the eigenvalues where some
        are negative.
    hilbert_margin_ : bool
        Whether the kernel was not repaired, so that the margin is one in a Hilbert space.
    margin_ : ndarray of shape (k (k - 1) / 2,)
        :math:`1 / \|w_{ab}\|` of each pair of classes, in the unit of the induced metric: half the
        distance between their convex hulls if these are disjoint (Theorem 2).
    references_ : ndarray of shape (m,)
        The positions in X of the objects that prediction measures distances to: the support
        vectors, all objects after clip and flip, or the landmarks.
    coef_, intercept_ : csr_array of shape (k (k - 1) / 2, m), ndarray of shape (k (k - 1) / 2,)
        :math:`\gamma` and b in the functions :math:`f_{ab}(x) = -\frac12 \sum_i \gamma_{ab, i}\,
        e^2(x, z_i) + b_{ab}` on these references, which are positive for the second class of a
        pair.
    support_, dual_coef_ : ndarray
        The positions in X of the support vectors, and their multipliers as `sklearn.svm.SVC` packs
        them; not set with landmarks.
    C_ : float
        :math:`C_*` in the formula.

    Examples
    --------
    >>> words, languages = ["garten", "garden", "jardin", "jarden"], ["de", "en", "fr", "fr"]
    >>> clf = HilbertSVC("levenshtein", kernel="laplace").fit(words, languages)
    >>> print(clf.kernel_report_)
    The kernel 'laplace' is positive on 4 objects: measured, not promised.
    >>> line = HilbertSVC(kernel="distance", C=np.inf).fit(
    ...     [[0.0], [1.0], [3.0], [4.0]], ["low", "low", "up", "up"]
    ... )
    >>> line.margin_.round(6), line.certified_radius([[1.5]]).round(3)  # the border is at 2
    (array([1.]), array([0.5]))
    """

    needs = frozenset({"negative_type"})
    without = (
        "repair='clip' works on any distance, as 'wideberth fit' and 'wideberth compare' do, and "
        "certifies radii where the triangle inequality is promised"
    )
    decides_by = "its label by a weighted vote of known objects, in which near ones count more"
    holds = (RadialExpansion, HilbertKernel, KernelReport)
    _fits = _FITS

    dual_coef_: Floats

    def __init__(
        self,
        metric: Any = "euclidean",
        *,
        C: float = 1.0,
        kernel: str = "auto",
        width: float | str = "auto",
        repair: str = "auto",
        landmarks: int | None = None,
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
        self.class_weight = class_weight
        self.calibrate = calibrate
        self.tol = tol
        self.max_memory = max_memory
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    @classmethod
    def for_data(
        cls, metric: Any, n_objects: int, *, max_memory: str | int = "2GB", **parameters: Any
    ) -> Self:
        """Works on any distance: clipped where that is indefinite, on landmarks where there are too
        many pairs for that.
        """
        measure = Precomputed([[0.0]]) if metric == Precomputed.name else as_metric(metric)
        landmarks = problems.usual_landmarks(n_objects, measure, parse_memory(max_memory))
        return cls(
            metric, repair=_USUAL_REPAIR, landmarks=landmarks, max_memory=max_memory, **parameters
        )

    def learn_together(self, training: Training, models: Sequence[Self]) -> None:
        distinct = self._distinct(training)
        problem = problems.svm_problem(distinct, self._request())
        for model in models:
            model._solve_and_store(training, distinct.merged, problem)

    def scores(self, objects: Sample) -> Floats:
        return scores_of_votes(self._function.values(objects), len(self.classes_))

    def certified_radius(self, X: Objects, unit: str | None = None) -> Floats:
        """Compute how far each object may move, by the metric or in another ``unit``, before its
        label can change.

        No object strictly closer has another label. Where the metric promises what the kernel
        needs, it is at least :math:`F^{-1}` of `hilbert_radius`; where it obeys the triangle
        inequality, bounds of the functions near each object count too, also of kernels that are
        repaired or only measured (`wideberth.estimators.radial_expansions`). `NotCertified`
        says that the metric promises neither.
        """
        return super().certified_radius(X, unit)

    def hilbert_radius(self, X: Objects) -> Floats:
        r"""Compute how far each object may move in the induced metric before its label can change.

        .. math:: r(x) = \min_{ab} |f_{ab}(x)| / \|w_{ab}\|

        over the pairs of the winning class if it wins them all. If it does not, any vote may
        matter, and the minimum is over all pairs. `NotCertified` says that the metric does not
        promise what the kernel needs, or that it was repaired.

        Parameters
        ----------
        X : sequence of objects
            New objects, as for `predict`.

        Returns
        -------
        ndarray of shape (n,)
            The radii in the metric that ``kernel_`` induces.

        Examples
        --------
        >>> clf = HilbertSVC(kernel="distance", C=np.inf).fit([[0.0], [4.0]], ["low", "up"])
        >>> clf.hilbert_radius([[1.0]]).round(6)  # the border is at 2
        array([1.])
        """
        objects = self.admit_queries(X)
        self.kernel_report_.refuse_uncertified(self.metric_.name)
        local = closed(self.metric_.promises).obeys_triangle is True
        return np.concatenate(
            [leads.hilbert_radii for _, leads in self._leads_nearby(local, objects)]
        )

    def radius_rule(self) -> ScoresBoundedNearby:
        local = closed(self.metric_.promises).obeys_triangle is True
        if not local:
            self.kernel_report_.refuse_uncertified(self.metric_.name)
        return ScoresBoundedNearby(partial(self._leads_nearby, local))

    def _leads_nearby(self, local: bool, objects: Sample) -> Iterator[tuple[slice, VoteLeads]]:
        """Blocks of objects with what bounds their leads: norms and, if ``local``, the triangle
        inequality.
        """
        norms = self._norms if self.kernel_report_.certifies else None
        errors = distance_errors(self.metric_, self._function.references)(objects)
        pairs = PairFunctions(self._function, self.kernel_, len(self.classes_), norms, local)
        return pairs.leads(objects, errors)

    def kept(self) -> facts.Kept | None:
        return (
            facts.Kept(self._function.references, self.references_)
            if len(self.references_)
            else None
        )

    def certificates(self, evidence: facts.TrainingEvidence, *, delta: float) -> list[Certificate]:
        return svm_certificates(self, evidence, delta=delta)

    def explain(self, X: Objects) -> list[facts.Explanation]:
        """Explain each label by how the references push an object to it, or to the label that came
        closest.

        There is an `Explanation` for each object; its score is that of the label against its
        closest rival.
        Examples
        --------
        >>> clf = HilbertSVC(kernel="distance", C=np.inf).fit([[0.0], [4.0]], ["low", "up"])
        >>> why = clf.explain([[1.0]])[0]  # the border is at 2
        >>> (
        ...     why.label,
        ...     why.rival,
        ...     round(why.score, 6),
        ...     [(push.reference, round(push.push, 6)) for push in why.pushes],
        ... )
        ('low', 'up', 0.5, [(0, 0.25), (1, 0.25)])
        """
        objects = self.admit_queries(X)
        told = objects, self.winners(objects), self.classes_, self.references_
        return facts.Explanations(explanations(self._function, self.kernel_.supremum, *told))

    def in_words(self) -> list[str]:
        if len(self.classes_) == 1:
            return [f"C = {self.C:g}: {facts.one_label_in_words(self.classes_.tolist()[0], 1)}"]
        width = (
            "" if self.width_ is None else f" of width {facts.in_units(self.width_, self.metric_)}"
        )
        answering = facts.references_in_words(len(self.references_), self.n_learned)
        return [
            f"C = {self.C:g}: {answering} Their kernel is {self.kernel_.name!r}{width}.",
            str(self.kernel_report_),
        ]

    def state(self) -> dict[str, Any]:
        report, kernel = self.kernel_report_, self.kernel_
        return {
            "objects": self._function.references,
            "positions": self.references_,
            "coefficients": self.coef_.data,
            "columns": self.coef_.indices,
            "ends": self.coef_.indptr,
            "intercepts": self.intercept_,
            "norms": self._norms,
            "kernel": [kernel.name, kernel.width, kernel.jump],
            "promised": report.promised,
            "examined": report.examined,
            "spectrum": None if report.spectrum is None else report.spectrum.values,
            "repair": report.repair,
            "distortion": None if report.distortion is None else vars(report.distortion),
            "approximation": report.approximation,
            "farthest": report.farthest,
            "C": self.C_,
            "support": getattr(self, "support_", None),
            "multipliers": self.dual_coef_.ravel() if hasattr(self, "dual_coef_") else None,
            **calibration_to_plain(self),
        }

    def restore(self, state: dict[str, Any]) -> None:
        n_references = sample.count(state["objects"])
        n_functions = math.comb(len(self.classes_), 2)
        self.kernel_ = _checked_kernel(state["kernel"])
        self.kernel_report_ = _checked_report(state, self.kernel_)
        self.references_ = restored_values.codes(
            state, "positions", n_references, below=restored_values.ANY_POSITION
        )
        self.coef_ = _checked_coefficients(state, (n_functions, n_references))
        self.intercept_ = restored_values.finite(state, "intercepts", n_functions)
        self._norms = restored_values.finite(state, "norms", n_functions, least=0.0)
        self.C_ = restored_values.number(state, "C", least=0.0)
        if state["support"] is not None or state["multipliers"] is not None:
            self.support_ = restored_values.codes(
                state, "support", len(state["support"]), below=restored_values.ANY_POSITION
            )
            packed = restored_values.finite(
                state, "multipliers", (len(self.classes_) - 1) * len(self.support_)
            )
            self.dual_coef_ = packed.reshape(len(self.classes_) - 1, len(self.support_))
        restore_calibration(self, state)
        self._set_derived_attributes(state["objects"])

    # ---- the steps of learning -------------------------------------------------------------------

    def check_parameters(self) -> None:
        super().check_parameters()
        if self.kernel == "distance" and not _is_auto(self.width):
            raise InvalidInput(
                f"The kernel 'distance' has no width, but {setting('width', self.width)}.",
                advice="Leave the width out.",
                value=self.width,
            )
        if self.landmarks is not None and math.isinf(self.C):
            raise InvalidInput(
                "A hard margin needs the complete kernel matrix.",
                advice="Take a large C, such as 1000, or leave landmarks out.",
                value=self.landmarks,
            )

    def _distinct(self, training: Training) -> problems.DistinctObjects:
        return problems.distinct_objects(
            training, self.classes_, self.class_weight, self._request()
        )

    def _request(self) -> problems.KernelRequest:
        return problems.KernelRequest(
            self.kernel,
            self.width,
            _USUAL_REPAIR if self.repair == "auto" else self.repair,
            self.landmarks,
            parse_memory(self.max_memory),
            self.n_jobs,
        )

    def _solve_and_store(
        self, training: Training, merged: Merged, problem: problems.SVMProblem
    ) -> None:
        """Solve the problem for this C, and set the fitted attributes."""
        found = self._solve(training, merged, problem)
        positions = merged.positions(training)
        self.kernel_, self.kernel_report_ = problem.kernel, problem.report
        if self.repair == "auto" and problem.report.repair is not None and self.remembers:
            # without numbers, so that it is the same in all folds
            warn_user(
                f"The kernel {self.kernel_.name!r} of {training.metric.name!r} is indefinite on the "
                "training objects: its negative eigenvalues are dropped, so that there is no "
                f"Hilbert margin. {setting('repair', 'clip')} says that this is meant, "
                f"{setting('repair', 'error')} shows the eigenvalues.",
                NotHilbertianWarning,
                for_folds=True,
            )
        self.coef_, self.intercept_, self._norms = found.coefficients, found.intercepts, found.norms
        self.references_ = positions[found.rows]
        for name in ("support_", "dual_coef_"):  # an earlier fit may have set them
            self.__dict__.pop(name, None)
        if found.support is not None and found.multipliers is not None:
            self.support_, self.dual_coef_ = positions[found.support], found.multipliers
        self.C_ = problems.libsvm_prices(self.C, 1.0, problem.unit * training.weights.sum())
        self._set_derived_attributes(sample.pick(merged.objects, found.rows))

    def _set_derived_attributes(self, references: Sample) -> None:
        """Set the attributes that follow from the kernel, its report, the functions and their
        references.
        """
        self.width_ = self.kernel_.width
        self.hilbert_margin_ = self.kernel_report_.repair is None
        self.margin_ = np.divide(
            1.0, self._norms, out=np.full_like(self._norms, math.inf), where=self._norms > 0
        )
        limits = parse_memory(self.max_memory), self.n_jobs
        self._function = RadialExpansion(
            references, self.metric_, (self.kernel_,), self.coef_, self.intercept_, *limits
        )

    def _solve(
        self, training: Training, merged: Merged, problem: problems.SVMProblem
    ) -> Expansions:
        if training.n_classes == 1:
            return Expansions.of_one_class(has_support=isinstance(problem.svm, ExactSVM))
        if math.isfinite(self.C):
            prices = problems.libsvm_prices(self.C, merged.weights, training.weights.sum())
            return problem.svm.solve(merged.codes, prices, self.tol)
        return problems.widest_margin(problem, merged, training, self.classes_, self.tol)

    def calibrated(self, training: Training) -> Calibrator:
        """Calibrate on folds, with the kernel chosen on all objects; the folds share their
        distances.
        """
        shared = problems.with_stored_distances(
            training, max_memory=parse_memory(self.max_memory), n_jobs=self.n_jobs
        )
        fixed: dict[str, Any] = {
            "kernel": self.kernel_.name,
            "width": self.width_ or "auto",
            "calibrate": None,
        }

        def refit(here: Training, chosen: Indices) -> HilbertSVC:
            twin: HilbertSVC = clone(self).set_params(**fixed)
            twin.inherit(self)
            twin.metric_ = here.metric
            twin.learn(here.part(chosen))
            return twin

        return calibrated_on_folds(
            shared, int(self.calibrate or 0), refit, random_state=self.random_state
        )


# ---- What a model file holds is checked before anything relies on it


def _checked_kernel(written: Any) -> HilbertKernel:
    """The kernel with a name, a width and a jump, or an error if there is none."""
    if not isinstance(written, list) or len(written) != 3:
        raise InvalidInput("A kernel is a name, a width and a jump.", value=type(written).__name__)
    name, width, jump = written
    if name not in get_args(KernelName) or (width is None) != (name == "distance"):
        raise InvalidInput(f"There is no kernel {name!r} of width {width!r}.", value=name)
    if width is not None and not 0 < restored_values.number({"width": width}, "width") < np.inf:
        raise InvalidInput(f"The width {width!r} is not positive.", value=width)
    return HilbertKernel(name, width, restored_values.number({"jump": jump}, "jump", least=0.0))


def _checked_report(state: dict[str, Any], kernel: HilbertKernel) -> KernelReport:
    """The report on the kernel, with all of its values checked."""
    repair = state["repair"]
    if repair is not None and repair not in REPAIRS:
        raise InvalidInput(f"There is no repair {repair!r}.", value=repair)
    if type(state["promised"]) is not bool:
        raise InvalidInput("The report on the kernel is incomplete.", value=state["promised"])
    shares = {
        name: None if state[name] is None else restored_values.number(state, name)
        for name in ("approximation", "farthest")
    }
    examined = restored_values.whole(state, "examined", least=0, most=restored_values.ANY_POSITION)
    eigenvalues = None if state["spectrum"] is None else restored_values.numbers(state, "spectrum")
    return KernelReport(
        kernel.name,
        kernel.needs,
        promised=state["promised"],
        examined=examined,
        spectrum=None
        if eigenvalues is None
        else Spectrum(eigenvalues, whole=len(eigenvalues) >= examined),
        repair=repair,
        distortion=None
        if state["distortion"] is None
        else restored_values.distortion(state, "distortion"),
        **shares,
    )


def _checked_coefficients(state: dict[str, Any], shape: tuple[int, int]) -> csr_array:
    """The sparse matrix of coefficients, checked so that compiled code can use its indices."""
    ends = restored_values.codes(state, "ends", shape[0] + 1, below=restored_values.ANY_POSITION)
    values = restored_values.finite(state, "coefficients", int(ends[-1]))
    columns = restored_values.codes(state, "columns", len(values), below=max(1, shape[1]))
    if ends[0] or (np.diff(ends) < 0).any():
        raise InvalidInput(
            "The rows of the coefficients do not follow each other.", value=ends.tolist()
        )
    return csr_array((values, columns, ends), shape=shape)
