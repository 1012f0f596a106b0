"""What the doctor found: facts as plain data, and the page that shows them in words."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from wideberth.doctor.methods import MethodVerdict
from wideberth.doctor.neighborhood import Hubs, LabelFacts
from wideberth.doctor.repairs import Repair
from wideberth.doctor.spectrum import SpectrumFact
from wideberth.doctor.spread import Spread
from wideberth.metrics.axioms import Violation
from wideberth.metrics.metric import Promises

_PROMISE_IN_WORDS = {
    "obeys_triangle": "the triangle inequality",
    "hilbertian": "a Hilbertian metric",
    "negative_type": "negative type",
}
#: What is known of a method, in columns of one width.
_MARK = {True: "yes", False: "no ", None: "?  "}


@dataclass(frozen=True)
class Diagnosis:
    """Facts about a distance on a sample. ``print`` shows them as a page, `to_dict` gives them to programs.

    ``is_metric`` is True only if the metric promises it and nothing contradicts it, False if an axiom breaks or the metric says
    so, and None if nobody has said and the sample shows nothing against it.
    """

    metric: str
    promises: Promises
    n_objects: int
    examined: tuple[int, ...]
    triangles_tried: int
    violations: tuple[Violation, ...]
    spectrum: tuple[SpectrumFact, ...]
    spread: Spread | None
    hubs: Hubs | None
    labels: LabelFacts | None
    methods: tuple[MethodVerdict, ...]
    repairs: tuple[Repair, ...]
    shown: dict[int, str]

    @property
    def is_metric(self) -> bool | None:
        """Whether it is a metric: True, False, or None for not known."""
        return False if self.violations else self.promises.obeys_triangle

    @property
    def exhaustive(self) -> bool:
        """Whether every object, and so every triangle, was examined."""
        return len(self.examined) == self.n_objects

    @property
    def broken_promises(self) -> tuple[str, ...]:
        """Promises of the metric that the sample contradicts."""
        broken = ["obeys_triangle"] if self.violations and self.promises.obeys_triangle else []
        broken += [fact.promise for fact in self.spectrum if fact.promised and fact.violated]
        return tuple(broken)

    def violation(self, axiom: str) -> Violation | None:
        """The worst violation of one axiom, or None."""
        return next((each for each in self.violations if each.axiom == axiom), None)

    def to_dict(self) -> dict[str, Any]:
        """Everything as dictionaries, lists, numbers and strings, ready for JSON."""
        facts = asdict(self)
        facts["violations"] = [asdict(each) | {"sentence": each.describe(self.metric)} for each in self.violations]
        facts |= {"is_metric": self.is_metric, "exhaustive": self.exhaustive, "broken_promises": self.broken_promises}
        return facts

    def __str__(self) -> str:
        return render(self)


def render(diagnosis: Diagnosis) -> str:
    """The page, in plain text."""
    parts = (_head, _axioms, _spectrum, _spread, _hubs, _labels, _methods, _repairs)
    return "\n".join(line for part in parts for line in part(diagnosis))


def _head(diagnosis: Diagnosis) -> Iterator[str]:
    verdict = {True: "a metric", False: "NOT a metric", None: "not known to be a metric"}[diagnosis.is_metric]
    yield f"{diagnosis.metric}: {verdict}"
    if diagnosis.exhaustive:
        yield f"  examined  all {diagnosis.n_objects:,} objects, {diagnosis.triangles_tried:,} triangles"
    else:
        yield (
            f"  examined  {len(diagnosis.examined):,} of {diagnosis.n_objects:,} objects, chosen at random; "
            f"all their {diagnosis.triangles_tried:,} triangles"
        )


def _axioms(diagnosis: Diagnosis) -> Iterator[str]:
    for violation in diagnosis.violations:
        yield f"  broken    {violation.describe(diagnosis.metric)}"
        for index in sorted(set(violation.objects)):
            yield f"            object {index} is {diagnosis.shown[index]}"
        yield f"            {violation.broken:,} of {violation.tried:,} tried ({violation.share:.2%}) break it"
    if not diagnosis.violations:
        promised = "as promised" if diagnosis.promises.obeys_triangle else "nobody has promised it for other objects"
        yield f"  axioms    none broken: finite, nonnegative, symmetric, zero to itself, triangle inequality ({promised})"
    for promise in diagnosis.broken_promises:
        yield f"  promise   {diagnosis.metric!r} promises {_PROMISE_IN_WORDS[promise]}: these objects refute it"


def _spectrum(diagnosis: Diagnosis) -> Iterator[str]:
    for fact in diagnosis.spectrum:
        name = {"hilbertian": "Hilbertian", "negative_type": "negative type"}[fact.promise]
        yield f"  {name + ':':<15}{_MARK[fact.holds].strip()} ({_evidence(fact)})"


def _evidence(fact: SpectrumFact) -> str:
    if fact.violated:
        return f"smallest eigenvalue {fact.smallest:.4g}, largest {fact.largest:.4g}, negative part {fact.negative_part:.2%}"
    said = {True: "promised", False: "the metric says so", None: "nobody has promised it"}[fact.promised]
    return f"{said}; no negative eigenvalue on these objects"


def _spread(diagnosis: Diagnosis) -> Iterator[str]:
    spread = diagnosis.spread
    if spread is None:
        return
    yield (
        f"  distances {spread.smallest:.4g} to {spread.largest:.4g}, median {spread.median:.4g}, "
        f"quartiles {spread.lower_quartile:.4g} and {spread.upper_quartile:.4g}; standard deviation / mean {spread.variation:.2f}"
    )
    if spread.zero_pairs:
        yield f"            {spread.zero_pairs:,} pairs at distance 0"
    if spread.distinct < spread.pairs / 10:
        yield f"            only {spread.distinct:,} different values in {spread.pairs:,} pairs: many ties"


def _hubs(diagnosis: Diagnosis) -> Iterator[str]:
    hubs = diagnosis.hubs
    if hubs is None:
        return
    strength = "strong hubs" if hubs.skewness > 2 else "some hubs" if hubs.skewness > 1 else "no hubs"
    yield (
        f"  hubs      {strength}: object {hubs.most_popular} is among the {hubs.k} nearest of {hubs.most} others, "
        f"{hubs.orphans:.0%} are among nobody's (skewness {hubs.skewness:.1f})"
    )


def _labels(diagnosis: Diagnosis) -> Iterator[str]:
    labels = diagnosis.labels
    if labels is None:
        return
    sizes = ", ".join(f"{name} {count:,}" for name, count in list(zip(labels.classes, labels.counts, strict=True))[:8])
    yield f"  labels    {len(labels.classes)} classes: {sizes}{', ...' if len(labels.classes) > 8 else ''}"
    yield (
        f"            nearest-neighbour error {labels.nearest_error:.1%} among the examined objects, each left out once "
        f"(always the largest class: {labels.majority_error:.1%})"
    )
    if labels.conflicts:
        first = labels.first_conflicts[0]
        yield (
            f"            {labels.conflicts:,} pairs of equal objects with different labels, such as objects "
            f"{first.objects[0]} ({first.labels[0]}) and {first.objects[1]} ({first.labels[1]})"
        )


def _methods(diagnosis: Diagnosis) -> Iterator[str]:
    yield "  valid methods"
    for verdict in diagnosis.methods:
        needs = ", ".join(_PROMISE_IN_WORDS[need] for need in verdict.missing)
        reason = (
            "" if verdict.valid else f" (needs {needs}{'' if verdict.valid is False else ': not promised, not refuted here'})"
        )
        yield f"    {_MARK[verdict.valid]} {verdict.method}{reason}"


def _repairs(diagnosis: Diagnosis) -> Iterator[str]:
    if not diagnosis.repairs:
        return
    yield "  repairs that work on the examined objects: wideberth.doctor.repair(distances, name)"
    for repair in diagnosis.repairs:
        scope = "also for new objects" if repair.new_objects else "for a fixed set of objects"
        yield (
            f"    {repair.name:<18}{repair.detail}; gives {_PROMISE_IN_WORDS[repair.mends]}, "
            f"changes {repair.changed:.0%} of the distances by factors from {repair.lower:.3g} to {repair.upper:.3g}, {scope}"
        )
