"""The comparison of metrics and families of classifiers on the same folds, in stages, until the
time is over.
"""

import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from sklearn.exceptions import ConvergenceWarning

from wideberth.choice.entries import Budget, Entry, OutOfTime, enter
from wideberth.choice.grounds import Ground, Sampled, short_name
from wideberth.classifiers.named import NamedClassifier, in_order_of_trial
from wideberth.errors import BrokenAxiomWarning, LostWork, MissingOnWorkers, WideberthError
from wideberth.estimators.choosing.cross_validation import Examination
from wideberth.estimators.radius_rules import radius_unit
from wideberth.geometry.measure.parallel import effective_jobs
from wideberth.metrics.metric import Metric
from wideberth.metrics.named import metric as as_metric
from wideberth.progress import task

#: The share of the time that is left which the distances under one metric may take.
_SHARE_OF_DISTANCES = 0.5
#: What says nothing against a candidate.
_OF_THE_CLUSTER = (LostWork, MissingOnWorkers)


@dataclass(frozen=True)
class Dropped:
    """A family on a metric that has no result, and why; the family is "all" if none was tried on
    the metric.
    """

    metric: str
    family: str
    why: str
    for_time: bool


@dataclass(eq=False)
class Contest:
    """Tries families of classifiers on metrics, and keeps what came of them: ``entries`` with a
    result, and those ``dropped``.

    ``holder`` makes a classifier, not fitted, for a metric, which checks the objects; ``units`` is
    the unit in which to show radii under a metric.
    """

    sampled: Sampled
    examination: Examination
    budget: Budget
    families: Sequence[str]
    parameters: dict[str, Any]
    holder: Callable[[Any], Any]
    units: Callable[[Metric], str | None]
    entries: list[Entry] = field(default_factory=list)
    dropped: list[Dropped] = field(default_factory=list)

    def run(self, first: Ground, others: Iterable[Any]) -> None:
        """Try all metrics, the first of which is ready, then the sum of two of the best, then the
        other families on the best. The first family of the first metric is tried even if no time is
        left.
        """
        others = list(others)
        with task("choosing", self._steps(1 + len(others))), warnings.catch_warnings():
            for foreseen in (
                BrokenAxiomWarning,
                ConvergenceWarning,
            ):  # it was warned of, or the time was over
                warnings.simplefilter("ignore", foreseen)
            grounds = [first]
            self._try_on(first, self._on_every_metric)
            for metric in others:
                ground = self._measured(metric)
                if ground is not None:
                    grounds.append(ground)
                    self._try_on(ground, self._on_every_metric)
            self._try_without_distances(grounds)
            ranked = self._ranked(grounds)
            summed = self._sum(ranked)
            if summed is not None:
                self._try_on(summed, self._on_every_metric)
                ranked = self._ranked([*grounds, summed])
            for family in self._on_the_best:
                for ground in ranked[: family.on_metrics] or [first]:
                    self._try_on(ground, [family])

    def _steps(self, n_metrics: int) -> int:
        """About how many candidates will be tried: all on every metric and on a sum, the others on
        the best.
        """
        return (
            len(self._on_every_metric) * (n_metrics + 1)
            + sum(family.on_metrics or 0 for family in self._on_the_best)
            + len(self._wanted(by_distances=False))
        )

    def _wanted(self, *, by_distances: bool) -> list[NamedClassifier]:
        """The wanted families in the order of their trial: those that learn from distances, or
        those that read the objects.
        """
        wanted = [each for each in in_order_of_trial() if each.name in self.families]
        return [each for each in wanted if each.load().measures_distances is by_distances]

    @property
    def _on_every_metric(self) -> list[NamedClassifier]:
        """The families that compare metrics; if the user wants none of the usual ones, all that are
        wanted.
        """
        wanted = self._wanted(by_distances=True)
        return [each for each in wanted if each.on_metrics is None] or wanted

    @property
    def _on_the_best(self) -> list[NamedClassifier]:
        """The families that are tried on the best metrics only."""
        compare = self._on_every_metric
        return [each for each in self._wanted(by_distances=True) if each not in compare]

    def _try_on(self, ground: Ground, families: Sequence[NamedClassifier]) -> None:
        """Try the families that a metric suits."""
        for family in families:
            if family.suits(ground.metric):
                self._try(family, ground)

    def _try_without_distances(self, grounds: Sequence[Ground]) -> None:
        """Try the families that read the objects themselves, on all metrics that count what they
        consist of.
        """
        for family in self._wanted(by_distances=False):
            for ground in grounds:
                if family.suits(ground.metric):
                    self._try(
                        family,
                        ground,
                        partial(
                            Ground.of,
                            family.chooser(ground.metric, **self.parameters),
                            self.sampled,
                        ),
                    )

    def _try(
        self,
        family: NamedClassifier,
        ground: Ground,
        own_ground: Callable[[], Ground] | None = None,
    ) -> None:
        """Try a family on a metric; what it raises for lack of time, or because it cannot be used,
        is kept as the reason.
        """
        try:
            if self.entries or self.dropped:
                self.budget.check()
            with task(f"{family.title} by {ground.name}", worth=1.0):
                on = ground if own_ground is None else own_ground()
                budget = (
                    self.budget if self.entries else Budget(None)
                )  # the first one is tried to the end
                self.entries.append(
                    enter(family, on, self.examination, budget, self.parameters, self._unit(on))
                )
            self.budget.keep_back(min(self.entries, key=_lost).seconds_on_all)
        except OutOfTime as reason:
            self.dropped.append(Dropped(ground.name, family.name, str(reason), for_time=True))
        except _OF_THE_CLUSTER:
            raise
        except WideberthError as reason:
            self.dropped.append(Dropped(ground.name, family.name, str(reason), for_time=False))

    def _unit(self, ground: Ground) -> str | None:
        """The unit of radii; for a certified choice a `NotCertified` if none is proved in it."""
        metric = ground.compared.metric
        certified = self.examination.certified
        if certified is None:
            return self.units(metric)
        radius_unit(metric, certified.unit)
        ground.holder.require_triangle()
        return certified.unit

    def _measured(self, metric: Any) -> Ground | None:
        """The objects under a metric; None if they cannot be measured, or not in time."""
        try:
            self.budget.check()
            ground = Ground.of(self.holder(metric), self.sampled)
        except OutOfTime as reason:
            self.dropped.append(Dropped(_name(metric), "all", str(reason), for_time=True))
            return None
        except _OF_THE_CLUSTER:
            raise
        except WideberthError as reason:
            self.dropped.append(Dropped(_name(metric), "all", str(reason), for_time=False))
            return None
        return ground if self.affordable(ground) else None

    def affordable(self, ground: Ground) -> bool:
        """Whether there is time to measure the objects that are compared; if not, that is kept as
        the reason.
        """
        seconds = ground.expected_seconds() / effective_jobs(self.sampled.n_jobs)
        if seconds <= _SHARE_OF_DISTANCES * self.budget.left:
            return True
        self.dropped.append(
            Dropped(
                ground.name,
                "all",
                f"its distances would take about {seconds:.0f} s.",
                for_time=True,
            )
        )
        return False

    def _ranked(self, grounds: Sequence[Ground]) -> list[Ground]:
        """The metrics that have a result, the best one first."""
        best = {id(each.ground): float("inf") for each in self.entries}
        for entry in self.entries:
            best[id(entry.ground)] = min(best[id(entry.ground)], _lost(entry))
        return sorted(
            (each for each in grounds if id(each) in best), key=lambda each: best[id(each)]
        )

    def _sum(self, ranked: Sequence[Ground]) -> Ground | None:
        """The objects under the sum of the best metric and the best one of another name; None if
        nothing can come of it.
        """
        others = [each for each in ranked[1:] if _class_name(each) != _class_name(ranked[0])]
        wanted = self.examination.certified is None and bool(self._on_every_metric)
        if not others or not wanted or self.budget.left <= 0:
            return None
        try:
            return ranked[0].plus(others[0], self.holder(ranked[0].metric), self.sampled)
        except _OF_THE_CLUSTER:
            raise
        except WideberthError:  # such as metrics on indices into different spaces
            return None


def _lost(entry: Entry) -> float:
    """What the best candidate has the least of: errors, or objects without a certificate."""
    return entry.error if entry.certified is None else -entry.certified


def _name(metric: Any) -> str:
    return metric if isinstance(metric, str) else short_name(as_metric(metric))


def _class_name(ground: Ground) -> str:
    return as_metric(ground.metric).name
