r"""A weighted mean of the calibrated probabilities of several fitted classifiers, as a classifier
like any other: `AutoClassifier` answers by one where that beats each of them alone
(`wideberth.choice.mixing`).

Its scores are the logarithms of

.. math:: p_y(x) = \sum_k w_k \, p^k_y(x)

for the probabilities :math:`p^k` of the parts, in each of which the part's own label is the most
probable (`wideberth.estimators.calibration.Calibrator`), and weights :math:`w_k` that add up to 1.
The parts may have different metrics. The metric of the blend is their sum, in which each different
one is once: what moves by r in the sum moves by at most r in each of them.

**Radii.** Let the label of the blend at x be y, and that of part k be :math:`y_k`. Suppose that
wherever x moves within r, the score of :math:`y_k` stays ahead of all others of part k by at least
:math:`\ell_k \ge 0` (its radius says this with :math:`\ell_k = 0`, its rule may know more). With
the offsets b of its calibration, and :math:`f(\ell) = \beta \ell + \delta \log(1 + \ell / u)`,
which grows with the lead, :math:`p^k_c / p^k_{y_k} \le T_c = \exp(b_c - b_{y_k} - f(\ell_k))` there,
before the label is put first. So for
:math:`c \ne y` the difference :math:`p^k_y - p^k_c` is at least

=============================================  ====================================================
:math:`y_k = y`                                :math:`\max\{0, (1 - T_c) / (1 + \sum_{c'} T_{c'})\}`
:math:`y_k \ne y, \; y_k \ne c`                :math:`-\min\{1/2, T_c / (1 + T_c)\}`
:math:`y_k = c`, or nothing is known           :math:`-1`
=============================================  ====================================================

In the first row :math:`p_y - p_c = (1 - t_c) / (1 + \sum t)` for ratios :math:`t \le T`. Where
:math:`T_c < 1` this falls in every ratio as long as it is positive. Putting the label first raises
its probability, and lowers those above their common mean to that mean, so that no difference to the
label gets smaller, and none is negative afterwards. In the second row, :math:`p_c \le T_c / (1 +
T_c)` as long as c is not above the label; where it is, it shares a mean with it, which is at most
1/2, and :math:`T_c > 1`. The label of the blend stays where the weighted sum of these bounds is
positive for all c. Where all parts agree, it stays as long as all of their labels stay: all
differences are positive then. Rounding errs by far less than the `_ROUNDING` that is subtracted.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from wideberth.array_types import Flags, Floats, Indices, Labels, Objects, Sample
from wideberth.choice.mixing import LEAST, mean_of
from wideberth.classifiers.named import by_class_name
from wideberth.errors import InvalidInput, NotCertified
from wideberth.estimators import restored_values
from wideberth.estimators.calibration import Calibrator, from_plain, to_plain
from wideberth.estimators.metric_classifier import MetricClassifier
from wideberth.estimators.metric_estimator import reported
from wideberth.estimators.model_facts import Explanation, Explanations, Kept, Push
from wideberth.estimators.radius_rules import Lowest, RadiusRule, RadiusUnit, largest_radii
from wideberth.estimators.training import Training
from wideberth.metrics.containers import PartsSample
from wideberth.metrics.metric import Metric
from wideberth.metrics.named import metric as as_metric
from wideberth.metrics.transforms.sum_and_maximum import Sum
from wideberth.objects import sample

#: How many objects at a time radii are searched for.
_AT_ONCE = 256
#: What a lead of probabilities has to exceed to be one in spite of rounding.
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class BlendPart:
    """A fitted classifier in a blend, its title, its weight, what makes its scores probabilities,
    and the place of its metric among the different ones.
    """

    model: MetricClassifier
    title: str
    weight: float
    calibrator: Calibrator
    place: int

    def probabilities(self, objects: Sample) -> tuple[Floats, Indices]:
        """The probabilities of the classes, and the label that is the most probable."""
        scores = self.model.scores(objects)
        return self.calibrator.probabilities(scores), scores.argmax(axis=1)


class Blend(MetricClassifier):
    """The weighted mean of the calibrated probabilities of fitted classifiers.

    It is made from classifiers that learned from the same objects (`admit`, then `take`), and has no
    settings of its own. A clone learns from other objects by clones of the parts, with the same
    weights and calibrations.
    """

    measures_by_several: ClassVar[bool] = True
    measures_distances: ClassVar[bool] = False  # its parts do
    decides_by: ClassVar[str] = "the label with the highest mean probability of several models"
    holds: ClassVar = (BlendPart, Kept)

    parts_: tuple[BlendPart, ...]
    #: How many different metrics the parts have.
    _n_metrics: int
    #: The parts that a clone learns again, and the labels that their calibrations are about.
    _again: "tuple[tuple[BlendPart, ...], NDArray[Any]] | None" = None

    def __init__(self, metric: Any) -> None:
        self.metric = metric

    @classmethod
    def on(cls, metrics: Sequence[Any]) -> Self:
        """A blend of nothing yet, on the sum of these metrics as users name them."""
        return cls(metrics[0] if len(metrics) == 1 else Sum(tuple(map(as_metric, metrics))))

    def __sklearn_clone__(self) -> Self:
        copied = type(self)(clone(self.metric, safe=False))
        copied._again = self._again
        if hasattr(self, "parts_"):
            parts = [replace(part, model=clone(part.model)) for part in self.parts_]
            copied._again = tuple(parts), self.classes_
        return copied

    @reported
    def fit(self, X: Objects, y: Labels, sample_weight: Any = None) -> Self:
        """Learn the parts anew from objects X with labels y, which the blend that this one is a
        clone of knows.
        """
        if self._again is None:
            raise InvalidInput(
                "There is nothing to blend.",
                advice="Blends are made by AutoClassifier; clone a fitted one to fit it anew.",
                value=None,
            )
        parts, classes = self._again
        models = [clone(part.model).fit(X, y, sample_weight) for part in parts]
        if hasattr(self, "parts_"):
            del self.parts_
        training = self.admit(X, y, sample_weight)
        if not np.isin(self.classes_, classes).all():
            new = self.classes_[~np.isin(self.classes_, classes)][0]
            raise InvalidInput(
                f"The label {new!r} is new to the blend, whose probabilities are calibrated without "
                "it.",
                advice="Choose anew: fit an AutoClassifier.",
                value=new,
            )
        known = np.searchsorted(classes, self.classes_)
        self.take(
            [
                replace(
                    part,
                    model=model,
                    calibrator=replace(part.calibrator, offsets=part.calibrator.offsets[known]),
                )
                for part, model in zip(parts, models, strict=True)
            ],
            training,
        )
        return self

    def take(self, parts: Sequence[BlendPart], training: Training) -> None:
        """Answer by these parts, which learned from these objects."""
        self.parts_, self._n_metrics = tuple(parts), 1 + max(part.place for part in parts)
        kept = [part.model.kept() for part in parts]
        positions = [each.positions for each in kept if each is not None]
        held = np.unique(np.concatenate(positions)) if positions else np.zeros(0, dtype=np.intp)
        rows = np.searchsorted(training.positions, held)
        self._held = Kept(
            sample.pick(training.objects, rows), held, self.classes_[training.codes[rows]]
        )

    def _metric_at(self, place: int) -> Metric:
        """One of the different metrics."""
        metric: Metric = self.metric_
        return metric.metrics[place] if self._n_metrics > 1 else metric  # type: ignore[attr-defined]

    def _for(self, place: int, objects: Sample) -> Sample:
        """Objects as one of the different metrics has prepared them."""
        one_form = self._n_metrics == 1 or not isinstance(objects, PartsSample)
        return objects if one_form else objects.parts[place]

    def _prepare(self, objects: Objects, metric: Metric) -> Sample:
        """The objects as the metric prepares them; those that are asked about as the parts on each
        of the metrics need them, since linear scores need the texts too.
        """
        prepared_before = not hasattr(self, "parts_") or isinstance(objects, PartsSample)
        if prepared_before or metric.accepts in ("vectors", "indices"):
            return metric.prepare(objects)
        several = []
        for place in range(self._n_metrics):
            models = [part.model for part in self.parts_ if part.place == place]
            models.sort(key=lambda model: model.measures_distances)
            several.append(models[0].admit_queries(objects))
        return several[0] if len(several) == 1 else PartsSample(tuple(several))

    def scores(self, objects: Sample) -> Floats:
        told = self._told(objects)
        return _logarithms(told, self._weights)

    @property
    def _weights(self) -> Floats:
        return np.array([part.weight for part in self.parts_])

    def _told(self, objects: Sample) -> list[tuple[Floats, Indices]]:
        """What each part says: probabilities and labels."""
        return [part.probabilities(self._for(part.place, objects)) for part in self.parts_]

    def kept(self) -> Kept | None:
        return self._held if len(self._held.positions) else None

    def explain(self, X: Objects) -> list[Explanation]:
        """Explain each label by its parts: by how much each of them finds it more probable than the
        label that came closest, times its weight. What moved a part is told by its own ``explain``.
        """
        told = self._told(self.admit_queries(X))
        mean = mean_of([each for each, _ in told], self._weights)
        rows, winners = np.arange(len(mean)), _logarithms(told, self._weights).argmax(axis=1)
        others = mean.copy()
        others[rows, winners] = -np.inf
        rivals = others.argmax(axis=1)
        alone = len(self.classes_) == 1
        pushes = np.array(
            [
                part.weight * (each[rows, winners] - (0.0 if alone else each[rows, rivals]))
                for part, (each, _) in zip(self.parts_, told, strict=True)
            ]
        )
        return Explanations(
            Explanation(
                self.classes_[winner].item(),
                float(pushes[:, row].sum()),
                0.0,
                tuple(
                    Push(float(push), feature=part.title)
                    for part, push in zip(self.parts_, pushes[:, row], strict=True)
                ),
                None if alone else self.classes_[rival].item(),
            )
            for row, (winner, rival) in enumerate(zip(winners, rivals, strict=True))
        )

    def radius_rule(self) -> "BlendedLeads":
        rules = []
        for part in self.parts_:
            try:
                rules.append(part.model.radius_rule())
            except NotCertified as reason:
                raise NotCertified(
                    f"A part of the blend, {part.title}, has no radii: {reason.problem}",
                    advice=reason.advice,
                    missing=reason.missing,
                ) from None
        return BlendedLeads(self, rules)

    def settings(self) -> dict[str, Any]:
        return {part.title: round(part.weight, 2) for part in self.parts_}

    def in_words(self) -> list[str]:
        lines = [f"The weighted mean of the probabilities of {len(self.parts_)} models:"]
        for part in self.parts_:
            own = part.model.settings() or {}
            settings = ", ".join(
                f"{name} {value:.4g}"
                for name, value in own.items()
                if isinstance(value, int | float)
            )
            lines.append(f"{part.weight:.2f} {part.title}{f' ({settings})' if settings else ''}")
        return lines

    def state(self) -> dict[str, Any]:
        return {
            "objects": self._held.objects if len(self._held.positions) else None,
            "positions": self._held.positions,
            "codes": np.searchsorted(self.classes_, np.asarray(self._held.labels)),
            "parts": [self._part_to_plain(part) for part in self.parts_],
        }

    def _part_to_plain(self, part: BlendPart) -> dict[str, Any]:
        """A part as plain values, with the places of its objects among those of the blend."""
        state, parameters = part.model.state(), part.model.get_params(deep=False)
        del parameters["metric"]
        kept = part.model.kept()
        without = state.pop("objects") is None
        places = np.zeros(0, dtype=np.intp) if kept is None else kept.positions
        return {
            "class": type(part.model).__name__,
            "parameters": parameters,
            "title": part.title,
            "weight": part.weight,
            **to_plain(part.calibrator),
            "metric": part.place,
            "objects": None if without else np.searchsorted(self._held.positions, places),
            "state": state,
        }

    def restore(self, state: dict[str, Any]) -> None:
        plain = state["parts"]
        objects = state["objects"]
        n_held = 0 if objects is None else sample.count(objects)
        positions = restored_values.codes(
            state, "positions", n_held, below=restored_values.ANY_POSITION
        )
        codes = restored_values.codes(state, "codes", n_held, below=len(self.classes_))
        self._held = Kept(objects, positions, self.classes_[codes])
        if not isinstance(plain, list) or not plain:
            raise InvalidInput("A blend has parts.", value=plain)
        last = max(
            restored_values.whole(each, "metric", least=0, most=len(plain)) for each in plain
        )
        if last and not (isinstance(self.metric_, Sum) and len(self.metric_.metrics) == last + 1):
            raise InvalidInput("The parts of a blend have other metrics.", value=last)
        self._n_metrics = last + 1
        self.parts_ = tuple(
            BlendPart(
                self._restored(each),
                str(each["title"]),
                restored_values.number(each, "weight", least=0.0, most=1.0),
                _checked(from_plain(each, len(self.classes_))),
                each["metric"],
            )
            for each in plain
        )

    def _restored(self, plain: dict[str, Any]) -> MetricClassifier:
        """The classifier of a part; nothing in its description is trusted."""
        families, place = by_class_name(), plain["metric"]
        if plain["class"] not in families or not isinstance(plain["parameters"], dict):
            raise InvalidInput(f"There is no classifier {plain['class']!r}.", value=plain["class"])
        chosen = families[plain["class"]].load()
        restored_values.check_complete(plain["parameters"], chosen)
        metric = self._metric_at(place)
        model: MetricClassifier = chosen(metric, **plain["parameters"])
        model.inherit(self)
        model.metric_ = metric
        model.check_parameters()
        held, objects = self._held.objects, None
        if plain["objects"] is not None:
            places = restored_values.codes(
                plain, "objects", len(plain["objects"]), below=len(self._held.positions)
            )
            objects = None if held is None else sample.pick(self._for(place, held), places)
        model.restore(plain["state"] | {"objects": objects})
        return model


def _checked(calibrator: Calibrator) -> Calibrator:
    """A calibrator from a file, in which probabilities fall with the leads."""
    if calibrator.inverse < 0:
        raise InvalidInput("A temperature is negative.", value=calibrator.inverse)
    return calibrator


def _logarithms(told: list[tuple[Floats, Indices]], weights: Floats) -> Floats:
    """The logarithms of mean probabilities; a label on which all parts agree is ahead, if by a last
    digit, where rounding would make a tie of it.
    """
    logs: Floats = np.log(np.maximum(mean_of([each for each, _ in told], weights), LEAST))
    labels = told[0][1]
    agree = np.flatnonzero(np.all([each == labels for _, each in told], axis=0))
    own, others = logs[agree, labels[agree]], logs[agree]
    others[np.arange(len(agree)), labels[agree]] = -np.inf
    highest = others.max(axis=1, initial=-np.inf)
    logs[agree, labels[agree]] = np.maximum(own, np.nextafter(highest, np.inf))
    return logs


# ---- Radii: what the leads of the parts prove about the lead of the blend


@dataclass(frozen=True, eq=False)
class BlendedLeads:
    """The rule of a blend: the first lines of this file have the proof."""

    blend: Blend
    rules: list[RadiusRule]

    def radii(self, objects: Sample, measure: RadiusUnit) -> Floats:
        """By a search, from the radii of the parts where these agree."""
        return self.scores_and_radii(objects, measure)[1]

    def scores_and_radii(self, objects: Sample, measure: RadiusUnit) -> tuple[Floats, Floats]:
        """The scores, and the largest radii found at which the lead stays positive."""
        scores, radii = [], []
        for some in self._blocks(objects):
            around = _Around.of(self, some, measure)
            known, guesses = around.known()
            scores.append(around.scores)
            radii.append(largest_radii(around.lowest, known, measure.step, guesses))
        if not scores:
            return np.empty((0, len(self.blend.classes_))), np.empty(0)
        return np.concatenate(scores), np.concatenate(radii)

    def lowest_leads(self, objects: Sample, radii: Floats, measure: RadiusUnit) -> Floats:
        """The bound that a search tries, of probabilities; leads of their logarithms are larger."""
        found, start = [np.empty(0)], 0
        for some in self._blocks(objects):
            stop = start + sample.count(some)
            around = _Around.of(self, some, measure)
            found.append(around.lowest(radii[start:stop], np.arange(stop - start)))
            start = stop
        return np.concatenate(found)

    def leads_around(self, objects: Sample, measure: RadiusUnit) -> Lowest:
        """The bound that a search tries."""
        return _Around.of(self, objects, measure).lowest

    def heights(self, objects: Sample, measure: RadiusUnit) -> tuple[Floats, float]:
        """Half of the radii."""
        return self.radii(objects, measure), 0.5

    @staticmethod
    def _blocks(objects: Sample) -> Iterator[Sample]:
        for start in range(0, sample.count(objects), _AT_ONCE):
            yield sample.pick(objects, slice(start, start + _AT_ONCE))


@dataclass(frozen=True, eq=False)
class _Around:
    """What the parts prove around n objects.

    ``labels`` and ``radii`` are those of each part, shape (parts, n); ``leads`` what each part knows
    of its leads beside its radii.
    """

    parts: tuple[BlendPart, ...]
    scores: Floats
    labels: Indices
    radii: Floats
    leads: list[Lowest | None]

    @classmethod
    def of(cls, rule: BlendedLeads, objects: Sample, measure: RadiusUnit) -> Self:
        """From the rules of the parts, each in the same unit by its own metric."""
        blend = rule.blend
        told = blend._told(objects)
        radii, leads = [], []
        for part, own in zip(blend.parts_, rule.rules, strict=True):
            prepared = blend._for(part.place, objects)
            in_unit = part.model.radius_unit(measure.other)
            radii.append(own.radii(prepared, in_unit))
            leads.append(own.leads_around(prepared, in_unit))
        labels = np.array([each for _, each in told])
        scores = _logarithms(told, blend._weights)
        return cls(blend.parts_, scores, labels, np.array(radii), leads)

    @property
    def winners(self) -> Indices:
        return np.asarray(self.scores.argmax(axis=1))

    @property
    def agree(self) -> Flags:
        """Where all parts give the same label."""
        return np.asarray((self.labels == self.labels[0]).all(axis=0))

    def known(self) -> tuple[Floats, Floats]:
        """Where all parts agree the least of their radii; and sensible radii to begin at where 0 is
        known.
        """
        known = np.where(self.agree, self.radii.min(axis=0), 0.0)
        usual = self.radii[(self.radii > 0) & np.isfinite(self.radii)]
        return known, np.full(len(known), np.median(usual) if len(usual) else 1.0)

    def lowest(self, radii: Floats, rows: Indices) -> Floats:
        """The least lead of the probabilities of the blend within radii of some of the objects."""
        winners = self.winners[rows]
        total, all_stay = np.zeros((len(rows), self.scores.shape[1])), np.ones(len(rows), bool)
        for part, labels, own, leads in zip(
            self.parts, self.labels, self.radii, self.leads, strict=True
        ):
            lead = np.zeros(len(rows)) if leads is None else np.maximum(leads(radii, rows), 0.0)
            stays = (radii < own[rows]) | (lead > 0)
            all_stay &= stays
            total += part.weight * _least_differences(
                part.calibrator, labels[rows], winners, lead, stays
            )
        total[np.arange(len(rows)), winners] = np.inf
        found = total.min(axis=1) - _ROUNDING
        agreed = self.agree[rows] & all_stay
        proved: Floats = np.where(agreed, np.maximum(found, np.finfo(float).tiny), found)
        return proved


def _least_differences(
    calibrator: Calibrator, labels: Indices, winners: Indices, leads: Floats, stays: Flags
) -> Floats:
    r"""Lower bounds of :math:`p_y - p_c` of one part for all classes c, shape (n, k), where its
    labels stay ahead by ``leads``: the table at the top of this file.
    """
    rows = np.arange(len(labels))
    offsets = calibrator.offsets
    with np.errstate(over="ignore", invalid="ignore"):
        ratios = np.exp(
            offsets[None, :] - offsets[labels][:, None] - calibrator.fall(leads)[:, None]
        )
    ratios[rows, labels] = 0.0
    same = np.maximum(0.0, (1.0 - ratios) / (1.0 + ratios.sum(axis=1, keepdims=True)))
    other = -np.minimum(0.5, ratios / (1.0 + ratios))
    other[rows, labels] = -1.0
    bounds = np.where((labels == winners)[:, None], same, other)
    bounds[~stays] = -1.0
    found: Floats = np.nan_to_num(bounds, nan=-1.0)
    return found
