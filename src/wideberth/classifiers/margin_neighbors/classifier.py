"""Margin nearest neighbours: remove objects too close to another class, and certify the nearest
neighbour among the rest.
"""

import math
from dataclasses import fields, replace
from typing import Any, ClassVar, Literal

import numpy as np

from wideberth.array_types import Flags, Floats, Indices, Objects, Sample
from wideberth.certificate import Certificate
from wideberth.classifiers.margin_neighbors.by_bound import (
    choose_by_compression,
    choose_by_theory,
    take_as_given,
)
from wideberth.classifiers.margin_neighbors.by_holdout import choose_by_holdout
from wideberth.classifiers.margin_neighbors.criteria import (
    ChosenSeparation,
    CoverPath,
    RiskCurve,
    Settings,
    lipschitz_constant_of,
    sorted_by_class,
)
from wideberth.errors import InvalidInput
from wideberth.estimators import restored_values
from wideberth.estimators.calibration import calibrated, calibration_to_plain, restore_calibration
from wideberth.estimators.metric_classifier import MetricClassifier
from wideberth.estimators.metric_estimator import CALIBRATE, Fits
from wideberth.estimators.model_facts import (
    Explanation,
    Explanations,
    Kept,
    Push,
    TrainingEvidence,
    counted,
    in_units,
)
from wideberth.estimators.radius_rules import ClosedForm, distance_errors, in_units_of
from wideberth.estimators.training import Training, learned_metric_doubt, weigh_classes
from wideberth.geometry.classes.bisectors import LabelledPoints, bisector_radii, exact_radii
from wideberth.geometry.classes.votes import Electorate
from wideberth.geometry.measure.blocks import parse_memory
from wideberth.geometry.search.index import Index
from wideberth.metrics.parameters import is_number
from wideberth.metrics.vectors.minkowski import is_euclidean
from wideberth.objects import sample
from wideberth.rounding import half_leads
from wideberth.wording import setting

#: Criteria that choose the separation.
SEPARATIONS = ("holdout", "compression", "theory")
COVERS = ("auto", "greedy", "lp", "exact")
CONDENSATIONS = (None, "net", "p2l")


def _one_of(values: tuple[str | None, ...]) -> Fits:
    """A parameter that has one of a few values."""
    return Fits(lambda value: value in values, f"Pass one of {', '.join(map(repr, values))}.")


#: The constraint of each parameter alone.
FITS = {
    "separation": Fits(
        lambda value: (
            value in SEPARATIONS if isinstance(value, str) else is_number(value) and value > 0
        ),
        f"Pass {', '.join(map(repr, SEPARATIONS))}, or a positive distance.",
    ),
    "cover": _one_of(COVERS),
    "condense": _one_of(CONDENSATIONS),
    "eta": Fits(
        lambda value: is_number(value) and 0 <= value < math.inf,
        "It is 0 for exact neighbours, or a little more.",
    ),
    "delta": Fits(
        lambda value: is_number(value) and 0 < value < 1, "It lies between 0 and 1, such as 0.05."
    ),
    "dimension": Fits(
        lambda value: value is None or (is_number(value) and value > 0), "It is positive, or None."
    ),
    "holdout": Fits(
        lambda value: is_number(value) and 0 < value < 1,
        "It is a share between 0 and 1, such as 0.2.",
    ),
    "calibrate": CALIBRATE,
}


REFITTED = (
    "It is about the classifier before it learned again from the objects that were set aside. Fit "
    "with refit=False, or certify the model on new objects."
)


def _learned_metric(evidence: TrainingEvidence) -> tuple[str, ...]:
    """The doubt about a metric that learned from the sample, perhaps before fit, which then did not
    know of it.
    """
    learned = evidence.given.learned_from_
    return (
        (learned_metric_doubt(evidence.given.metric_.name),)
        if learned is not None and learned.metric_learned
        else ()
    )


def _doubts(kept: Certificate, refitted: bool, evidence: TrainingEvidence) -> tuple[str, ...]:
    """The violated assumptions: a hold-out needs no axiom, a compression needs symmetry, the
    theorems need a metric.
    """
    if kept.kind == "holdout":
        return (REFITTED,) if refitted else ()
    if kept.kind == "preferent compression":
        broken = evidence.violations()
        return tuple(
            violation.describe(evidence.metric.name)
            for violation in broken
            if violation.axiom != "triangle"
        )
    return evidence.metric_doubts()


_CHOOSE = {
    "holdout": choose_by_holdout,
    "compression": choose_by_compression,
    "theory": choose_by_theory,
}
#: The parameters that the criteria take as they are.
_SETTINGS = ("cover", "eta", "delta", "dimension", "holdout", "refit", "n_jobs", "random_state")


class MarginNeighborsClassifier(MetricClassifier):
    r"""Nearest neighbour among objects of which no two of different classes are closer than a
    separation t.

    An object that is closer than t to one of another class is noise, or its neighbour is. A small
    set of objects that takes part in all such conflicts (a vertex cover) is removed; on the others,
    the score :math:`-d(x, S_y)` of the nearest neighbour is the margin classifier with the
    Lipschitz constant :math:`L = 2 / t` of Kontorovich & Weiss, "Maximum margin multiclass nearest
    neighbors", ICML 2014, equation (16). Of several nearest objects the majority answers, then the
    next nearest decide (`wideberth.geometry.classes.votes` states the rule). One matching gives the
    covers for *all* separations; the separation with the smallest risk is chosen:

    - ``"holdout"``: the fewest errors on objects that were set aside, with a binomial bound of the
      error;
    - ``"compression"``: the smallest certificate of a stable compression (Campi & Garatti 2023):
      with probability :math:`1 - \delta` the error is at most :math:`\varepsilon(2 |M_t| + |N_t|,
      n, \delta / G)` for G separations, where the matching :math:`M_t` and the condensed set
      :math:`N_t` are all that the classifier remembers. Only a few objects are set aside, to fix
      the scale of the separations;
    - ``"theory"``: the structural risk of the paper, :math:`|C_t| / n + \Delta(L)` for the cover
      :math:`C_t`, with proved constants: the smallest of its Theorems 4 and 5 and a sharper form of
      the latter, for a doubling ``dimension`` that you assume, because no sample determines it; or,
      without one, the complexity measured on the sample, as in its Theorem 7. All are useful only
      for many objects of low dimension; else bound and choice are poor. It is there to study the
      paper;
    - a number: this separation.

    Parameters
    ----------
    metric : str, Metric or callable
        A name (`wideberth.list_metrics`), a `wideberth.Metric`, or a function of two objects.
    separation : {"holdout", "compression", "theory"} or float
        How to choose the separation, see above.
    cover : {"auto", "greedy", "lp", "exact"}
        What to remove. ``"greedy"``: both ends of a greedy matching, at most twice as many objects
        as needed, the same for all separations, and stable, which a compression needs. ``"lp"``: a
        rounded linear program, at most 2 - 2/k times as many, a minimum for two classes.
        ``"exact"``: a minimum for any number of classes, proved by branch and bound, for small
        samples. ``"auto"``: greedy; with a hold-out also the linear program at the chosen
        separation, if its conflicts are few, and the one with fewer errors is taken.
    condense : {None, "net", "p2l"}
        Keep fewer objects that give the same answers for the others: a net of radius t (Gottlieb,
        Kontorovich & Nisnevitch 2014), or objects picked near the boundary until all others are
        right (pick to learn; Paccagnan, Campi & Garatti 2023). The latter keeps fewer, but cannot
        detect `novel` objects. ``"compression"`` needs one and uses ``"p2l"`` if None; a number
        with one of them is certified in the same way, if it was chosen without a look at the
        objects.
    eta : float
        Answer by a neighbour at most 1 + eta times as far as the nearest, alone, which saves
        distances. Bounds and radii hold whichever of them the index finds; `decision_function`
        measures all distances and uses the nearest.
    delta : float
        The bound holds with probability 1 - delta.
    dimension : float or None
        The doubling dimension that ``"theory"`` assumes; None to measure the complexity on the
        sample, by cells.
    holdout : float
        The share of objects set aside by ``"holdout"``.
    refit : bool
        With ``"holdout"``: learn again from all objects once the separation is chosen. The error is
        a little smaller, but the bound is that of the classifier before.
    class_weight : dict, "balanced" or None
        Weights of the classes, multiplied into the sample weights: errors on heavy classes cost
        more, and of two objects in conflict the lighter one is removed. There is no bound of the
        error with weights that differ.
    calibrate : int, optional
        The number of folds on which `predict_proba` is calibrated, None for none: copies learn from
        all folds but one.
    max_memory : str or int
        Memory for blocks of distances and lists of conflicts, such as "2GB".
    n_jobs : int or None
        Cores to use; None means all.
    verbose : int
        0 shows progress in a terminal, 1 elsewhere too, as lines on standard error; -1 shows none.
    random_state : int
        Determines which objects are set aside, and the order in which ties are broken.

    Attributes
    ----------
    classes_ : ndarray of shape (k,)
        The labels, sorted.
    separation_, lipschitz_constant_ : float
        t and 2 / t.
    cover_path_ : CoverPath
        At every separation at which it changes, the size of the cover, a lower bound of what is
        needed, and their ratio; up to the last separation, the largest that was looked at.
    risk_curve_ : RiskCurve
        The separations that were compared, and the risk of each.
    risk_bound_ : wideberth.certificate.Certificate
        The bound of the classifier's error.
    kept_, removed_, held_out_ : ndarray of int
        Positions in X of the objects that answer, of those in the cover, and of those that were set
        aside.
    index_ : wideberth.Index
        The index of the kept objects.

    Examples
    --------
    >>> words, kinds = (
    ...     ["tea", "tee", "ten", "rum", "rom", "ram", "tam"],
    ...     ["soft"] * 3 + ["hard"] * 3 + ["soft"],
    ... )
    >>> clf = MarginNeighborsClassifier("levenshtein", separation=2.0).fit(words, kinds)
    >>> clf.removed_, clf.kept_  # "ram" and "tam" are one edit apart
    (array([5, 6]), array([0, 1, 2, 3, 4]))
    >>> clf.predict(["teen"]), clf.certified_radius(["teen"])
    (array(['soft'], dtype='<U4'), array([1.5]))
    """

    one_row_decides = True
    decides_by = (
        "the label of the nearest known object; objects too close to another class were removed"
    )
    holds = (CoverPath, RiskCurve, Electorate)

    _fits: ClassVar = FITS

    def __init__(
        self,
        metric: Any = "euclidean",
        *,
        separation: float | Literal["holdout", "compression", "theory"] = "holdout",
        cover: Literal["auto", "greedy", "lp", "exact"] = "auto",
        condense: Literal["net", "p2l"] | None = None,
        eta: float = 0.0,
        delta: float = 0.05,
        dimension: float | None = None,
        holdout: float = 0.2,
        refit: bool = False,
        class_weight: Any = None,
        calibrate: int | None = None,
        max_memory: str | int = "2GB",
        n_jobs: int | None = None,
        verbose: int = 0,
        random_state: int = 0,
    ) -> None:
        self.metric = metric
        self.separation = separation
        self.cover = cover
        self.condense = condense
        self.eta = eta
        self.delta = delta
        self.dimension = dimension
        self.holdout = holdout
        self.refit = refit
        self.class_weight = class_weight
        self.calibrate = calibrate
        self.max_memory = max_memory
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    def learn(self, training: Training) -> None:
        weighted = weigh_classes(training, self.classes_, self.class_weight)
        self._check_settings(weighted)
        choice = self._choose(weighted)
        if not len(choice.kept):
            raise InvalidInput(
                f"At the separation {choice.separation:g} every object is removed: all are that "
                "close to another class.",
                advice=f"Pass a smaller separation, or let {setting('separation', 'holdout')} "
                "choose it.",
                value=choice.separation,
            )
        self.separation_ = choice.separation
        self.lipschitz_constant_ = lipschitz_constant_of(choice.separation)
        self.cover_path_ = choice.cover_path
        self.risk_curve_ = choice.risk_curve
        self.risk_bound_ = choice.certificate
        self._keep(weighted, choice)
        if self.calibrate is not None:
            self.calibration_ = calibrated(self, training)

    def _check_settings(self, training: Training) -> None:
        """Raise `InvalidInput` for values that are not allowed, alone, together, or with weights
        that differ.

        A compression needs a cover that does not depend on objects outside of it, which only the
        greedy one guarantees. The solvers of covers, and the certificate of a compression, count
        every object once, so that all weights must be equal.
        """
        self.check_parameters()
        if self.separation == "compression" and self.cover not in ("auto", "greedy"):
            raise InvalidInput(
                f"{setting('cover', self.cover)} is not stable: objects outside it may change it, "
                "which would void the certificate.",
                advice=f"Leave {setting('cover', 'auto')} with "
                f"{setting('separation', 'compression')}, or choose by "
                f"{setting('separation', 'holdout')}.",
                value=self.cover,
            )
        if len(np.unique(training.weights)) > 1 and (
            self.separation == "compression" or self.cover in ("lp", "exact")
        ):
            raise InvalidInput(
                f"{setting('separation', self.separation)} with {setting('cover', self.cover)} "
                "takes every object once, but the weights differ.",
                advice="sample_weight and class_weight work with "
                f"{setting('separation', 'holdout')} or a number, and {setting('cover', 'auto')} or "
                "'greedy'.",
                value=(float(training.weights.min()), float(training.weights.max())),
            )

    def _choose(self, training: Training) -> ChosenSeparation:
        condense = self.condense or ("p2l" if self.separation == "compression" else None)
        unchanged = {name: getattr(self, name) for name in _SETTINGS}
        settings = Settings(
            **unchanged, condense=condense, max_memory=parse_memory(self.max_memory)
        )
        if isinstance(self.separation, str):
            return _CHOOSE[self.separation](training, settings)
        return take_as_given(training, settings, float(self.separation))

    def _keep(self, training: Training, choice: ChosenSeparation) -> None:
        """Store the objects that answer, sorted by class."""
        kept = sorted_by_class(training, choice.kept)
        self.kept_ = np.sort(training.positions[kept])
        self._positions = training.positions[kept]
        self.removed_ = np.sort(training.positions[choice.removed])
        self.held_out_ = np.sort(training.positions[choice.held_out])
        self._objects = sample.pick(training.objects, kept)
        self._codes = training.codes[kept]
        self._weights = training.weights[kept]
        self._index_kept()

    def _index_kept(self) -> None:
        self.index_ = Index(
            self._objects,
            self.metric_,
            labels=self._codes,
            eta=self.eta,
            max_memory=self.max_memory,
            n_jobs=self.n_jobs,
        )
        self._electorate = Electorate(
            self.index_, self._codes.astype(np.int64), self._weights, len(self.classes_)
        )

    def winners(self, objects: Sample) -> Indices:
        return np.asarray(self._codes[self._nearest(objects)[0]])

    def scores(self, objects: Sample) -> Floats:
        """Compute :math:`-d(x, S_y)`; a class without kept objects gets a score that is lower than
        all others by a separation.
        """
        scores = np.full((sample.count(objects), len(self.classes_)), -np.inf)
        firsts = np.flatnonzero(np.diff(self._codes, prepend=-1))
        rows = max(1, parse_memory(self.max_memory) // (32 * len(self._codes)))
        for start in range(0, len(scores), rows):
            part = slice(start, start + rows)
            distances = self.metric_.block(sample.pick(objects, part), self._objects)
            scores[part, self._codes[firsts]] = -np.minimum.reduceat(distances, firsts, axis=1)
        lowest = np.min(scores, axis=1, where=np.isfinite(scores), initial=0.0)
        penalty = self.separation_ if math.isfinite(self.separation_) else 1.0
        scores = np.where(np.isinf(scores), (lowest - penalty)[:, None], scores)
        return self._with_ties_broken(scores, objects)

    def _with_ties_broken(self, scores: Floats, objects: Sample) -> Floats:
        """Lower the scores that are as large as the winner's to the number before it."""
        tied = np.flatnonzero((scores == scores.max(axis=1, keepdims=True)).sum(axis=1) > 1)
        if len(tied):
            winners = self._codes[self._electorate.nearest(sample.pick(objects, tied))[0]]
            lowered = scores[tied] == scores[tied].max(axis=1, keepdims=True)
            lowered[np.arange(len(tied)), winners] = False
            scores[tied] = np.where(lowered, np.nextafter(scores[tied], -np.inf), scores[tied])
        return scores

    def radius_rule(self) -> ClosedForm:
        self.require_triangle()
        return ClosedForm(self.scores, in_units_of(self._radii), are_heights=self.eta == 0)

    def kept(self) -> Kept:
        return Kept(self._objects, self._positions, self.classes_[self._codes])

    def certificates(self, evidence: TrainingEvidence, *, delta: float) -> list[Certificate]:
        """``risk_bound_`` at another delta (`Certificate.at`), void if an assumption is violated on
        the sample.

        These bounds hold for all compared separations at once, at every delta, so the separation
        that was chosen at one delta may be kept at another.
        """
        kept: Certificate = self.risk_bound_
        if kept.kind == "none":
            return [evidence.nothing_proved("separation", kept.statement)]
        kept = kept.at(delta)
        refitted = self.refit and not len(self.held_out_)
        doubts = _doubts(kept, refitted, evidence)
        reasons = (*evidence.reasons, *_learned_metric(evidence), *doubts)
        more = (reason for reason in reasons if reason not in kept.void)
        return [replace(kept, void=(*kept.void, *more))]

    def certified_radius(
        self, X: Objects, unit: str | None = None, *, exact: bool = False
    ) -> Floats:
        r"""Compute how far each object may move before its label can change.

        In any metric space it is half the lead of the nearest kept object over the nearest of
        another class,

        .. math:: r(x) = \frac{d(x, S_{\neq y}) - d(x, S_y)}{2},

        and with ``eta`` > 0, where distances are known up to a factor :math:`1 + \eta`,
        :math:`(d_{\neq y} / (1 + \eta) - (1 + \eta) d_y) / (2 + \eta)`. In Euclidean space it is
        the larger radius up to the nearest bisector of a kept object of the label and one of
        another (Wang, Liu, Yi, Zhou & Hsieh 2019), and with ``exact=True`` the distance to the
        nearest point with another label.

        Parameters
        ----------
        X, unit
            As for every classifier on a metric.
        exact : bool
            Compute exact radii, in Euclidean space with ``eta=0`` only.

        Returns
        -------
        ndarray of shape (n,)
            No object strictly closer than the radius gets another label.
        """
        if not exact:
            return super().certified_radius(X, unit)
        objects = self.admit_queries(X)
        if self.eta or not is_euclidean(self.metric_):
            what = (
                f"Exact radii are known in Euclidean space with {setting('eta', 0)}, not for "
                f"{self.metric_!r} with {setting('eta', self.eta)}."
            )
            raise InvalidInput(
                what,
                advice=f"Leave {setting('exact')} out, or set {setting('metric', 'euclidean')} and "
                f"{setting('eta', 0)}.",
                value=exact,
            )
        radii = exact_radii(LabelledPoints(self._objects, self._codes, self.index_), objects)
        return self.radius_unit(unit).converted(radii, objects)

    def _radii(self, objects: Sample) -> Floats:
        if is_euclidean(self.metric_) and not self.eta:
            return bisector_radii(LabelledPoints(self._objects, self._codes, self.index_), objects)
        indices, nearest = self._nearest(objects)
        rival = self.index_.nearest(objects, excluding=self._codes[indices]).distances[:, 0]
        errors = distance_errors(self.metric_, self._objects)(objects)
        return half_leads(nearest, rival, errors, stretch=1.0 + self.eta)

    def novel(self, X: Objects) -> Flags:
        """Whether the kept object that answers is at least the separation away: then nothing
        similar was seen.

        With ``condense="net"`` and ``separation="compression"`` or a number, the certificate covers
        this too: it bounds the probability that a new object is answered wrongly or is novel. With
        ``condense="p2l"`` it raises `InvalidInput`.

        Examples
        --------
        >>> clf = MarginNeighborsClassifier(separation=2.0).fit(
        ...     [[0.0], [1.0], [5.0]], ["a", "a", "b"]
        ... )
        >>> clf.novel([[0.5], [20.0]])
        array([False,  True])
        """
        if self.condense == "p2l" or (self.condense is None and self.separation == "compression"):
            raise InvalidInput(
                "Objects picked near the boundary do not show which regions inside the classes "
                "were seen.",
                advice=f"Fit with {setting('condense', 'net')}, or None with another separation.",
                value=self.condense,
            )
        return np.asarray(self._nearest(self.admit_queries(X))[1] >= self.separation_)

    def explain(self, X: Objects) -> list[Explanation]:
        r"""The nearest kept object, and the nearest kept object of another class, the rival's.

        The score is the lead :math:`d(x, S_{\neq y}) - d(x, S_y)`. Each object pushes to its label
        by its nearness, counted from the sum of both distances: the one of the label by the
        distance of the other, and the other way round.

        Examples
        --------
        >>> clf = MarginNeighborsClassifier(separation=2.0).fit(
        ...     [[0.0], [1.0], [5.0]], ["a", "a", "b"]
        ... )
        >>> why = clf.explain([[1.5]])[0]
        >>> (
        ...     why.label,
        ...     why.rival,
        ...     why.score,
        ...     [(push.reference, push.distance) for push in why.pushes],
        ... )
        ('a', 'b', 3.0, [(1, 0.5), (2, 3.5)])
        """
        objects = self.admit_queries(X)
        indices, distances = self._nearest(objects)
        rivals = self.index_.nearest(objects, excluding=self._codes[indices])
        found = zip(indices, distances, rivals.indices[:, 0], rivals.distances[:, 0], strict=True)
        return Explanations(self._explained(*each) for each in found)

    def _explained(self, nearest: int, distance: float, enemy: int, farther: float) -> Explanation:
        """The explanation by two kept objects; the second is -1 if there is only one class."""
        label, rival = self._label(nearest), None if enemy < 0 else self._label(enemy)
        place = int(self._positions[nearest])
        if rival is None:
            return Explanation(
                label,
                -float(distance),
                0.0,
                (Push(-float(distance), place, float(distance), label),),
            )
        own = Push(float(farther), place, float(distance), label)
        other = Push(-float(distance), int(self._positions[enemy]), float(farther), rival)
        return Explanation(label, own.push + other.push, 0.0, (own, other), rival)

    def _label(self, kept: int) -> Any:
        return self.classes_[self._codes[kept]].item()

    def settings(self) -> dict[str, Any]:
        return {"separation": self.separation_}

    def in_words(self) -> list[str]:
        apart = "All kept objects have one label"
        if math.isfinite(self.separation_):
            apart = (
                f"Kept objects of different classes are {in_units(self.separation_, self.metric_)} "
                "apart at least"
            )
        return [f"{apart}.", self._accounted()]

    def _accounted(self) -> str:
        """What became of all objects that the model learned from, in one sentence that adds up."""
        kept, removed, held_out = map(len, (self.kept_, self.removed_, self.held_out_))
        rest = 0 if self.n_learned is None else self.n_learned - kept - removed - held_out
        of_all = (
            "" if self.n_learned is None else f"Of {counted(self.n_learned, 'object', 'objects')} "
        )
        why = "measure errors" if self.separation == "holdout" else "fix the scale of separations"
        parts = [
            f"{counted(kept, 'is', 'are')} kept",
            *([f"{removed:,} removed, too close to another class"] if removed else []),
            *([f"{held_out:,} set aside to {why}"] if held_out else []),
            *([f"{rest:,} not needed, because the kept ones answer for them"] if rest > 0 else []),
        ]
        return f"{of_all}{'; '.join(parts)}."

    def proved_while_learning(self) -> Certificate:
        return self.risk_bound_

    def _nearest(self, objects: Sample) -> tuple[Indices, Floats]:
        """Return the nearest kept object and its distance; of several that are as near, the first
        of the class they elect.
        """
        if not self.eta:
            return self._electorate.nearest(objects)
        found = self.index_.nearest(objects)
        return found.indices[:, 0], found.distances[:, 0]

    def state(self) -> dict[str, Any]:
        return {
            "objects": self._objects,
            "codes": self._codes,
            "weights": self._weights,
            "positions": self._positions,
            "removed": self.removed_,
            "held_out": self.held_out_,
            "separation": self.separation_,
            "cover_path": vars(self.cover_path_),
            "risk_curve": vars(self.risk_curve_),
            "risk_bound": self.risk_bound_.to_plain(),
            **calibration_to_plain(self),
        }

    def restore(self, state: dict[str, Any]) -> None:
        self._objects = state["objects"]
        n_objects = sample.count(self._objects)
        self._codes = restored_values.codes(state, "codes", n_objects, below=len(self.classes_))
        if not n_objects or np.any(np.diff(self._codes) < 0):
            raise InvalidInput(
                "The kept objects are not in the order of their classes.", value=self._codes
            )
        self._weights = restored_values.finite(
            state, "weights", n_objects, least=float(np.finfo(np.float64).tiny)
        )
        self._positions = restored_values.codes(
            state, "positions", n_objects, below=restored_values.ANY_POSITION
        )
        self.kept_ = np.sort(self._positions)
        self.removed_, self.held_out_ = (
            restored_values.codes(state, name, len(state[name]), below=restored_values.ANY_POSITION)
            for name in ("removed", "held_out")
        )
        self.separation_ = restored_values.number(state, "separation", least=0.0)
        self.lipschitz_constant_ = lipschitz_constant_of(self.separation_)
        path, curve = (
            restored_values.columns(state, name, [field.name for field in fields(table)])
            for name, table in (("cover_path", CoverPath), ("risk_curve", RiskCurve))
        )
        self.cover_path_, self.risk_curve_ = CoverPath(**path), RiskCurve(**curve)
        self.risk_bound_ = Certificate.from_plain(state["risk_bound"])
        restore_calibration(self, state)
        self._index_kept()
