"""`Diagnosis`, the result of `wideberth.diagnose`: facts as plain data, and the page of text that shows them."""

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
#: The words for True, False and None, padded to the same width.
_MARK = {True: "yes", False: "no ", None: "?  "}


@dataclass(frozen=True)
class Diagnosis:
    """Facts about a distance on a sample, as `wideberth.diagnose` finds them.

    ``print(diagnosis)`` shows them as a page of text, `to_dict` gives them as plain data. Objects are named by their position in
    the sample that was passed to `wideberth.diagnose`, also if only some of them were examined.

    Attributes
    ----------
    metric : str
        The name of the metric.
    promises : Promises
        What the metric declares about itself.
    n_objects : int
        Objects in the sample.
    examined : tuple of int
        The positions of the objects that were examined, in increasing order.
    triangles_tried : int
        Triangles among the examined objects, all of which were tested.
    violations : tuple of Violation
        The worst violation of every axiom that is broken; empty if none is.
    spectrum : tuple of SpectrumFact
        The two Hilbert properties. Empty if a distance is not finite or negative.
    spread : Spread or None
        Distribution of the distances. None, like ``hubs`` and ``labels``, if a distance is not finite or negative.
    hubs : Hubs or None
        Objects that are neighbours of unusually many others.
    labels : LabelFacts or None
        How the labels agree with the distance; None also if no labels were given.
    methods : tuple of MethodVerdict
        Which methods are valid on the distance.
    repairs : tuple of Repair
        Repairs that were tried on the examined objects and work, the least distorting first; empty if nothing is broken.
    shown : dict from int to str
        The repr of each object that takes part in a violation, at most 50 characters of it.

    Examples
    --------
    >>> import wideberth
    >>> diagnosis = wideberth.diagnose([[0, 1, 4], [1, 0, 1], [4, 1, 0]], "precomputed")
    >>> diagnosis.is_metric, diagnosis.exhaustive, diagnosis.repairs[0].name
    (False, True, 'square_root')
    >>> print(str(diagnosis).splitlines()[2])
      broken    'precomputed' breaks the triangle inequality at objects 0, 1, 2: d(0, 2) = 4 > 1 + 1 = d(0, 1) + d(1, 2).
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
        """Whether the distance is a metric.

        True if the metric promises it and nothing contradicts it, False if an axiom is broken or the metric declares that it is
        none, None if the metric declares nothing and the sample shows nothing against it.
        """
        return False if self.violations else self.promises.obeys_triangle

    @property
    def exhaustive(self) -> bool:
        """Whether every object, and so every triangle, was examined."""
        return len(self.examined) == self.n_objects

    @property
    def broken_promises(self) -> tuple[str, ...]:
        """The names of the promises that the metric makes and the sample refutes."""
        broken = ["obeys_triangle"] if self.violations and self.promises.obeys_triangle else []
        broken += [fact.promise for fact in self.spectrum if fact.promised and fact.violated]
        return tuple(broken)

    def violation(self, axiom: str) -> Violation | None:
        """The worst violation of one axiom, or None if it is not broken.

        Parameters
        ----------
        axiom : {"finite", "nonnegative", "zero_self", "zero_equal", "symmetric", "triangle"}

        Returns
        -------
        Violation or None

        Examples
        --------
        >>> import wideberth
        >>> diagnosis = wideberth.diagnose([[0, 1, 4], [1, 0, 1], [4, 1, 0]], "precomputed")
        >>> diagnosis.violation("triangle").values, diagnosis.violation("symmetric")
        ((4.0, 1.0, 1.0), None)
        """
        return next((violation for violation in self.violations if violation.axiom == axiom), None)

    def to_dict(self) -> dict[str, Any]:
        """All facts as dicts, sequences, numbers and strings, ready for ``json.dumps``.

        Returns
        -------
        dict
            The attributes under their names, ``is_metric``, ``exhaustive`` and ``broken_promises``; every violation also has a
            ``sentence`` that describes it.

        Examples
        --------
        >>> import wideberth
        >>> wideberth.diagnose(["tea", "tee", "rum"], "levenshtein").to_dict()["spread"]["largest"]
        3.0
        """
        facts = asdict(self)
        facts["violations"] = [asdict(violation) | {"sentence": violation.describe(self.metric)} for violation in self.violations]
        facts |= {"is_metric": self.is_metric, "exhaustive": self.exhaustive, "broken_promises": self.broken_promises}
        return facts

    def __str__(self) -> str:
        return render(self)


def render(diagnosis: Diagnosis) -> str:
    """The page of plain text that ``print(diagnosis)`` shows.

    One paragraph for each kind of facts, in the order of the ``parts`` below; what was not measured is left out.

    Examples
    --------
    >>> import wideberth
    >>> print(render(wideberth.diagnose(["tea", "tee", "rum"], "levenshtein")).splitlines()[0])
    levenshtein: a metric
    """
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
        promised = "as promised" if diagnosis.promises.obeys_triangle else "not promised for other objects"
        yield f"  axioms    none broken: finite, nonnegative, symmetric, zero to itself, triangle inequality ({promised})"
    for promise in diagnosis.broken_promises:
        yield f"  promise   {diagnosis.metric!r} promises {_PROMISE_IN_WORDS[promise]}: these objects refute it"


def _spectrum(diagnosis: Diagnosis) -> Iterator[str]:
    for fact in diagnosis.spectrum:
        name = {"hilbertian": "Hilbertian", "negative_type": "negative type"}[fact.promise]
        yield f"  {name + ':':<15}{_MARK[fact.holds].strip()} ({_evidence(fact)})"


def _evidence(fact: SpectrumFact) -> str:
    """Why the property holds, does not hold or is unknown: the eigenvalues that refute it, or what the metric declares."""
    if fact.violated:
        return f"smallest eigenvalue {fact.smallest:.4g}, largest {fact.largest:.4g}, negative part {fact.negative_part:.2%}"
    declared = {True: "promised", False: "declared by the metric", None: "not promised"}[fact.promised]
    return f"{declared}; no negative eigenvalue on these objects"


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
        f"{hubs.orphans:.0%} of the objects are among the nearest of none (skewness {hubs.skewness:.1f})"
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
        yield f"    {_MARK[verdict.valid]} {verdict.method}{reason}{f'; {verdict.without}' if verdict.without else ''}"


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
    yield "    or a function of the distances of your own: wideberth.doctor.examine_transform(function) tells what it keeps"
