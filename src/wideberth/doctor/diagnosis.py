"""`diagnose`: examine a distance on a sample and collect the facts in a `Diagnosis`, which shows
them as plain data and as a page of text.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np

from wideberth.array_types import Indices, Labels, Objects, Sample
from wideberth.cards.card import Card, Cell, Shown, Table, Tone, as_text
from wideberth.cards.values import number, told
from wideberth.doctor import facts
from wideberth.doctor.repairs import Repair, offer_repairs
from wideberth.errors import InvalidInput
from wideberth.estimators.model_facts import counted
from wideberth.geometry.measure.blocks import pairwise_distances
from wideberth.metrics.axioms import Violation, find_distant_twins, find_violations, triangle_count
from wideberth.metrics.functions import unchecked
from wideberth.metrics.metric import Distances, Metric, Promises
from wideberth.metrics.named import bind
from wideberth.objects import sample
from wideberth.objects.labels import code_labels
from wideberth.progress import doing, task
from wideberth.wording import setting

_PROMISE_IN_WORDS = {
    "obeys_triangle": "the triangle inequality",
    "hilbertian": "a Hilbertian metric",
    "negative_type": "negative type",
}
#: The words for True, False and None.
_MARK = {True: "yes", False: "no", None: "?"}


@dataclass(frozen=True, repr=False)
class Diagnosis(Shown):
    """Facts about a distance on a sample, as `wideberth.diagnose` finds them.

    ``print(diagnosis)`` shows them as a page of text, `to_dict` gives them as plain data. Objects
    are named by their position in the sample that was passed to `wideberth.diagnose`, also if only
    some of them were examined.

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
        Distribution of the distances. None, like ``hubs`` and ``labels``, if a distance is not
        finite or negative.
    hubs : Hubs or None
        Objects that are neighbours of unusually many others.
    labels : LabelFacts or None
        How the labels agree with the distance; None also if no labels were given.
    methods : tuple of MethodVerdict
        Which methods are valid on the distance.
    repairs : tuple of Repair
        Repairs that were tried on the examined objects and work, the least distorting first; empty
        if nothing is broken.
    shown : dict from int to str
        The repr of each object that takes part in a violation, at most 50 characters of it.

    Examples
    --------
    >>> import wideberth
    >>> diagnosis = wideberth.diagnose([[0, 1, 4], [1, 0, 1], [4, 1, 0]], "precomputed")
    >>> diagnosis.is_metric, diagnosis.exhaustive, diagnosis.repairs[0].name
    (False, True, 'square_root')
    >>> print(str(diagnosis).splitlines()[2])
    broken: 'precomputed' breaks the triangle inequality at objects 0, 1, 2: d(0, 2) = 4 > 1 + 1 = d(0, 1) + d(1, 2).
    """

    metric: str
    promises: Promises
    n_objects: int
    examined: tuple[int, ...]
    triangles_tried: int
    violations: tuple[Violation, ...]
    spectrum: tuple[facts.SpectrumFact, ...]
    spread: facts.Spread | None
    hubs: facts.Hubs | None
    labels: facts.LabelFacts | None
    methods: tuple[facts.MethodVerdict, ...]
    repairs: tuple[Repair, ...]
    shown: dict[int, str]

    @property
    def is_metric(self) -> bool | None:
        """Whether the distance is a metric.

        True if the metric promises it and nothing contradicts it, False if an axiom is broken or
        the metric declares that it is none, None if the metric declares nothing and the sample
        shows nothing against it.
        """
        return False if self.violations else self.promises.obeys_triangle

    @property
    def exhaustive(self) -> bool:
        """Whether every object, and so every triangle, was examined."""
        return len(self.examined) == self.n_objects

    @property
    def broken_promises(self) -> tuple[str, ...]:
        """The names of the promises that the metric makes and the sample refutes.

        Every broken axiom refutes ``obeys_triangle``, which promises all of them
        (`wideberth.metrics.Promises`).
        """
        broken = ["obeys_triangle"] if self.violations and self.promises.obeys_triangle else []
        broken += [fact.promise for fact in self.spectrum if fact.promised and fact.violated]
        return tuple(broken)

    def violation(self, axiom: str) -> Violation | None:
        """The worst violation of one axiom, or None if it is not broken.

        Examples
        --------
        >>> import wideberth
        >>> diagnosis = wideberth.diagnose([[0, 1, 4], [1, 0, 1], [4, 1, 0]], "precomputed")
        >>> diagnosis.violation("triangle").values, diagnosis.violation("symmetric")
        ((4.0, 1.0, 1.0), None)
        """
        return next((violation for violation in self.violations if violation.axiom == axiom), None)

    def to_dict(self) -> dict[str, Any]:
        """All facts as dicts, sequences, numbers and strings, ready for ``json.dumps``. The
        attributes have their names, and every violation also has a ``sentence`` that describes it.

        Examples
        --------
        >>> import wideberth
        >>> wideberth.diagnose(["tea", "tee", "rum"], "levenshtein").to_dict()["spread"]["largest"]
        3.0
        """
        violations = [
            asdict(violation) | {"sentence": violation.describe(self.metric)}
            for violation in self.violations
        ]
        return asdict(self) | {
            "violations": violations,
            "is_metric": self.is_metric,
            "exhaustive": self.exhaustive,
            "broken_promises": self.broken_promises,
        }

    def card(self) -> Card:
        """All facts, those that were not measured left out."""
        told_facts = [
            (name if first else "", line)
            for name, part in _PARTS
            for first, line in _with_first(part(self))
        ]
        methods = Table.of(["valid", "method", "why"], self.methods, _method_row, most=99)
        repairs = Table.of(["repair", "what it does"], self.repairs, _repair_row, most=99)
        tones: dict[bool | None, Tone] = {True: "good", False: "bad", None: "open"}
        return Card(
            _verdict(self),
            tuple(told_facts),
            (methods, *([repairs] if self.repairs else [])),
            tone=tones[self.is_metric],
        )

    def __str__(self) -> str:
        return as_text(self.card())

    __repr__ = __str__


def _with_first(lines: Iterable[str]) -> Iterator[tuple[bool, str]]:
    """Each line, and whether it is the first."""
    return ((place == 0, line) for place, line in enumerate(lines))


# ---- The examination


def diagnose(
    objects: Objects,
    metric: str | Metric | Callable[[Any, Any], float] = "euclidean",
    labels: Labels = None,
    *,
    max_objects: int = 500,
    n_jobs: int | None = None,
    verbose: int = 0,
    random_state: int | None = 0,
) -> Diagnosis:
    """Examine a distance on a sample: is it a metric, which methods are valid on it, what is
    unusual in the data.

    All pairs and triangles of the examined objects are tested: are the distances finite,
    nonnegative and symmetric, is every object at distance 0 from itself and from its copies, does
    the triangle inequality hold, do the eigenvalues allow an embedding in a Hilbert space. Every
    broken axiom is reported with the worst pair or triangle, and with the repairs that were tried
    and work. Hubs, the distribution of the distances and, given ``labels``, equal objects with
    different labels are reported as well.

    A sample without a violation proves nothing about other objects: a property that the metric does
    not promise remains unknown.

    Parameters
    ----------
    objects : sequence of objects, or array
        At least two, of the kind that the metric measures; a square matrix of distances for
        ``metric="precomputed"``.
    metric : str, Metric or callable
        A name (`wideberth.list_metrics`), a `wideberth.Metric`, or a function of two objects.
    labels : sequence, optional
        One label for each object.
    max_objects : int
        The most objects to examine; if there are more, a random choice of them. The time grows with
        the cube: about n^3 / 6 triangles, and the eigenvalues of two n x n matrices.
    n_jobs : int, optional
        How many cores measure distances; all by default.
    verbose : int
        0 shows progress in a terminal, 1 elsewhere too, as lines on standard error; -1 shows none.
    random_state : int, optional
        Seed of the random choice.

    Returns
    -------
    Diagnosis
        ``print`` shows it as a page of text; its attributes and ``to_dict()`` are for programs.

    Raises
    ------
    wideberth.errors.InvalidInput
        If there are fewer than two objects, or the labels do not fit them.

    Examples
    --------
    >>> found = diagnose([[0.0], [1.0], [2.0]], lambda one, other: (one[0] - other[0]) ** 2)
    >>> found.is_metric
    False
    >>> found.violation("triangle").values  # d(0, 2) > d(0, 1) + d(1, 2)
    (4.0, 1.0, 1.0)
    >>> [repair.name for repair in found.repairs if repair.new_objects]
    ['square_root', 'additive_constant', 'cap']
    """
    with task("diagnosis", verbose=verbose):
        return _diagnosed(*bind(objects, metric), labels, max_objects, n_jobs, random_state)


def _diagnosed(
    objects: Objects,
    measure: Metric,
    labels: Labels,
    max_objects: int,
    n_jobs: int | None,
    random_state: int | None,
) -> Diagnosis:
    prepared = measure.prepare(objects)
    n_objects = sample.count(prepared)
    coded = None if labels is None else code_labels(labels, n_objects)
    chosen = _choose(n_objects, max_objects, random_state)
    distances = pairwise_distances(
        sample.pick(prepared, chosen), None, unchecked(measure), n_jobs=n_jobs
    )
    held = sample.hold(objects, rows=measure.accepts == "rows")
    violations = tuple(
        violation.at(chosen) for violation in _find_violations(distances, held, chosen)
    )
    sound = _symmetric_and_finite(distances, violations)
    spectrum = () if sound is None else facts.spectrum_facts(sound, measure)
    known = _known(measure, violations, spectrum)
    return Diagnosis(
        metric=measure.name,
        promises=measure.promises,
        n_objects=n_objects,
        examined=tuple(map(int, chosen)),
        triangles_tried=triangle_count(len(chosen)),
        violations=violations,
        spectrum=spectrum,
        spread=None if sound is None else facts.measure_spread(sound),
        hubs=None if sound is None else facts.find_hubs(sound, chosen),
        labels=None if sound is None or coded is None else facts.label_facts(sound, coded, chosen),
        methods=facts.judge_methods(known, measure),
        repairs=offer_repairs(
            distances,
            triangle=bool(violations),
            hilbert=any(fact.promise == "hilbertian" and fact.violated for fact in spectrum),
        ),
        shown=_show(held, violations),
    )


def _choose(n_objects: int, max_objects: int, random_state: int | None) -> Indices:
    """The positions of the objects to examine, in increasing order."""
    if n_objects < 2 or max_objects < 2:
        raise InvalidInput(
            f"A distance needs at least two objects; there are {n_objects}, and "
            f"{setting('max_objects', shown=max_objects)}.",
            advice="Pass more objects, or a larger max_objects.",
            value=n_objects,
        )
    if n_objects <= max_objects:
        return np.arange(n_objects)
    return np.sort(
        np.random.default_rng(random_state).choice(n_objects, max_objects, replace=False)
    )


@doing("axioms")
def _find_violations(distances: Distances, held: Sample, chosen: Indices) -> list[Violation]:
    """All broken axioms among the chosen objects; the witnesses are positions in ``chosen``."""
    equal = _equal_pairs([sample.pick_one(held, index) for index in chosen])
    equal_but_apart = find_distant_twins(distances, equal)
    return [*([equal_but_apart] if equal_but_apart else []), *find_violations(distances)]


def _equal_pairs(objects: list[Any]) -> list[tuple[int, int]]:
    """For each object that equals an earlier one: the position of the first such one, and its own.

    Arrays are compared byte by byte, other objects by their hash and ``==``; those without a hash
    are left out.
    """
    first: dict[Any, int] = {}
    pairs = []
    for position, item in enumerate(objects):
        key = (item.shape, item.tobytes()) if isinstance(item, np.ndarray) else item
        try:
            earlier = first.setdefault(key, position)
        except TypeError:  # a list, a dict, or a tuple with one inside has no hash
            continue
        if earlier != position:
            pairs.append((earlier, position))
    return pairs


def _symmetric_and_finite(
    distances: Distances, violations: tuple[Violation, ...]
) -> Distances | None:
    """The mean of d(x, y) and d(y, x); None if a distance is NaN, infinite or negative, so that no
    statistics can be computed.
    """
    if any(violation.axiom in ("finite", "nonnegative") for violation in violations):
        return None
    return (distances + distances.T) / 2


def _known(
    metric: Metric, violations: tuple[Violation, ...], spectrum: tuple[facts.SpectrumFact, ...]
) -> dict[str, bool | None]:
    """What is known about each promise from the metric's declaration and the sample together: True,
    False or None.

    If the distances did not allow to compute a spectrum, an axiom is broken, and the Hilbert
    properties do not hold either.
    """
    without_spectrum = False if violations else None
    known: dict[str, bool | None] = {
        "hilbertian": without_spectrum,
        "negative_type": without_spectrum,
    }
    known |= {fact.promise: fact.holds for fact in spectrum}
    return known | {"obeys_triangle": False if violations else metric.obeys_triangle}


def _show(held: Sample, violations: tuple[Violation, ...]) -> dict[int, str]:
    """The repr of every object that takes part in a violation, cut to 50 characters."""
    witnesses = sorted({index for violation in violations for index in violation.objects})
    found = {index: sample.pick_one(held, index) for index in witnesses}
    texts = {
        index: repr(each.item() if isinstance(each, np.generic) else each)
        for index, each in found.items()
    }
    return {index: text if len(text) <= 50 else text[:47] + "..." for index, text in texts.items()}


# ---- What is shown


def _verdict(diagnosis: Diagnosis) -> str:
    words = {True: "a metric", False: "NOT a metric", None: "not known to be a metric"}
    return f"{diagnosis.metric}: {words[diagnosis.is_metric]}"


def _examined(diagnosis: Diagnosis) -> Iterator[str]:
    objects = f"all {diagnosis.n_objects:,} objects"
    triangles = counted(diagnosis.triangles_tried, "triangle", "triangles")
    if diagnosis.exhaustive:
        yield f"{objects}, {triangles}"
        return
    yield (
        f"{len(diagnosis.examined):,} of {diagnosis.n_objects:,} objects, chosen at random; all "
        f"their {triangles}"
    )


def _broken(diagnosis: Diagnosis) -> Iterator[str]:
    for violation in diagnosis.violations:
        yield violation.describe(diagnosis.metric)
        for index in sorted(set(violation.objects)):
            # of a matrix of distances the objects are their positions
            if diagnosis.shown[index] != str(index):
                yield f"object {index} is {diagnosis.shown[index]}"
        yield f"{violation.broken:,} of {violation.tried:,} tried ({violation.share:.2%}) break it"


def _axioms(diagnosis: Diagnosis) -> Iterator[str]:
    if not diagnosis.violations:
        promised = (
            "as promised" if diagnosis.promises.obeys_triangle else "not promised for other objects"
        )
        yield (
            "none broken (finite, nonnegative, symmetric, zero to itself and to its copies; "
            f"triangle inequality, {promised})"
        )


def _promises(diagnosis: Diagnosis) -> Iterator[str]:
    for promise in diagnosis.broken_promises:
        # the promise of the triangle inequality is that of all axioms (`Promises`)
        words = "a metric" if promise == "obeys_triangle" else _PROMISE_IN_WORDS[promise]
        yield f"{diagnosis.metric!r} promises {words}: these objects refute it"


def _spectrum(promise: str, diagnosis: Diagnosis) -> Iterator[str]:
    for fact in diagnosis.spectrum:
        if fact.promise == promise:
            yield f"{_MARK[fact.holds]} ({_evidence(fact)})"


def _evidence(fact: facts.SpectrumFact) -> str:
    """Why the property holds, does not hold or is unknown: the eigenvalues that refute it, or what
    the metric declares.
    """
    if fact.violated:
        return (
            f"smallest eigenvalue {fact.smallest:.4g}, largest {fact.largest:.4g}, negative part "
            f"{fact.negative_part:.2%}"
        )
    declared = {True: "promised", False: "declared by the metric", None: "not promised"}[
        fact.promised
    ]
    return f"{declared}; no negative eigenvalue on these objects"


def _spread(diagnosis: Diagnosis) -> Iterator[str]:
    spread = diagnosis.spread
    if spread is None:
        return
    yield (
        f"{spread.smallest:.4g} to {spread.largest:.4g}, median {spread.median:.4g}, "
        f"quartiles {spread.lower_quartile:.4g} and {spread.upper_quartile:.4g}; standard "
        f"deviation / mean {spread.variation:.2f}"
    )
    if spread.zero_pairs:
        yield f"{counted(spread.zero_pairs, 'pair', 'pairs')} at distance 0"
    if spread.distinct < spread.pairs / 10:
        values = counted(spread.distinct, "different value", "different values")
        yield f"only {values} in {spread.pairs:,} pairs: many ties"


def _hubs(diagnosis: Diagnosis) -> Iterator[str]:
    hubs = diagnosis.hubs
    if hubs is None:
        return
    strength = (
        "strong hubs" if hubs.skewness > 2 else "some hubs" if hubs.skewness > 1 else "no hubs"
    )
    yield (
        f"{strength}: object {hubs.most_popular} is among the {hubs.k} nearest of "
        f"{counted(hubs.most, 'other', 'others')}, {hubs.orphans:.0%} of the objects are among the "
        f"nearest of none (skewness {hubs.skewness:.1f})"
    )


def _labels(diagnosis: Diagnosis) -> Iterator[str]:
    labels = diagnosis.labels
    if labels is None:
        return
    sizes = ", ".join(
        f"{told(name)} {count:,}"
        for name, count in list(zip(labels.classes, labels.counts, strict=True))[:8]
    )
    yield (
        f"{counted(len(labels.classes), 'class', 'classes')}: "
        f"{sizes}{', ...' if len(labels.classes) > 8 else ''}"
    )
    yield (
        f"nearest-neighbour error {labels.nearest_error:.1%} among the examined "
        f"objects, each left out once (always the largest class: {labels.majority_error:.1%})"
    )
    if labels.conflicts:
        first = labels.first_conflicts[0]
        pairs = counted(labels.conflicts, "pair", "pairs")
        yield (
            f"{pairs} of equal objects with different labels, such as objects "
            f"{first.objects[0]} ({told(first.labels[0])}) and {first.objects[1]} "
            f"({told(first.labels[1])})"
        )


def _repairs(diagnosis: Diagnosis) -> Iterator[str]:
    if diagnosis.repairs:
        yield "wideberth.repair(distances, name) does what works on the examined objects"
        yield (
            "or a function of the distances of your own: "
            "wideberth.doctor.examine_transform(function) tells what it keeps"
        )


#: The facts in their order, by what they are called.
_PARTS: tuple[tuple[str, Callable[[Diagnosis], Iterator[str]]], ...] = (
    ("examined", _examined),
    ("broken", _broken),
    ("axioms", _axioms),
    ("promise", _promises),
    ("Hilbertian", partial(_spectrum, "hilbertian")),
    ("negative type", partial(_spectrum, "negative_type")),
    ("distances", _spread),
    ("hubs", _hubs),
    ("labels", _labels),
    ("repairs", _repairs),
)


def _method_row(verdict: facts.MethodVerdict) -> list[str | Cell]:
    needs = ", ".join(_PROMISE_IN_WORDS[need] for need in verdict.missing)
    unknown = "" if verdict.valid is False else ": not promised, not refuted here"
    reasons = [
        *([] if verdict.valid else [f"needs {needs}{unknown}"]),
        *([verdict.without] if verdict.without else []),
    ]
    tones: dict[bool | None, Tone] = {True: "good", False: "bad", None: "open"}
    return [Cell(_MARK[verdict.valid], tones[verdict.valid]), verdict.method, "; ".join(reasons)]


def _repair_row(repair: Repair) -> list[str]:
    scope = "also for new objects" if repair.new_objects else "for a fixed set of objects"
    return [
        repair.name,
        f"{repair.detail}; gives {_PROMISE_IN_WORDS[repair.mends]}, changes {repair.changed:.0%} of "
        f"the distances by factors from {number(repair.lower)} to {number(repair.upper)}, {scope}",
    ]
