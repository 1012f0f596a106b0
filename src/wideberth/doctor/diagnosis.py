r"""`Diagnosis`, the result of `wideberth.diagnose`: facts as plain data, and the page of text that
shows them.

**Whether a distance embeds in a Hilbert space, judged by the eigenvalues of its centred matrix.**

Let D be the matrix of the :math:`d^2` (for ``hilbertian``) or of the d (for ``negative_type``) and
:math:`J = I - 11^T / n`. The objects are points of a Hilbert space with the squared distances D iff
:math:`-J D J / 2` has no negative eigenvalue (Schoenberg 1935; Hein, Bousquet & Schoelkopf 2005,
Theorem 3). A negative one on a sample refutes the property for the metric; none on a sample proves
nothing about other objects.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from wideberth.classifiers.named import CLASSIFIERS
from wideberth.doctor.neighborhood import Hubs, LabelFacts
from wideberth.doctor.repairs import Repair
from wideberth.geometry.shape.gram import Spectrum, centred
from wideberth.metrics.axioms import Violation
from wideberth.metrics.metric import Distances, Metric, Promises, promise_names
from wideberth.rounding import EIGENVALUE_ERROR

# ---- The distribution of the distances in a sample: quantiles, variation, ties


@dataclass(frozen=True)
class Spread:
    """Summary of the distances between the objects of a sample, each pair counted once.

    The unit of the first five is that of the metric.

    Attributes
    ----------
    smallest, lower_quartile, median, upper_quartile, largest : float
        Quantiles of the distances.
    variation : float
        Standard deviation divided by the mean; 0 if all distances are 0. Near 0, all objects are
        about equally far apart, and it means little which of them is nearest.
    distinct : int
        Number of different values. If it is small compared to ``pairs``, many neighbours are tied.
    pairs : int
        Number of pairs, n (n - 1) / 2.
    zero_pairs : int
        Number of pairs at distance 0.
    """

    smallest: float
    lower_quartile: float
    median: float
    upper_quartile: float
    largest: float
    variation: float
    distinct: int
    pairs: int
    zero_pairs: int


def measure_spread(distances: Distances) -> Spread:
    """Summarise a matrix of distances, without its diagonal.

    Parameters
    ----------
    distances : ndarray of shape (n, n)
        Symmetric and finite, n >= 2. Only the part above the diagonal is read.

    Returns
    -------
    Spread

    Examples
    --------
    >>> spread = measure_spread(np.array([[0.0, 1.0, 3.0], [1.0, 0.0, 2.0], [3.0, 2.0, 0.0]]))
    >>> spread.smallest, spread.median, spread.largest, spread.distinct, spread.pairs
    (1.0, 2.0, 3.0, 3, 3)
    """
    values = distances[np.triu_indices(len(distances), 1)]
    smallest, lower_quartile, median, upper_quartile, largest = np.quantile(
        values, [0, 0.25, 0.5, 0.75, 1]
    ).tolist()
    mean = values.mean()
    return Spread(
        smallest,
        lower_quartile,
        median,
        upper_quartile,
        largest,
        variation=float(values.std() / mean) if mean else 0.0,
        distinct=len(np.unique(values)),
        pairs=len(values),
        zero_pairs=int((values == 0).sum()),
    )


@dataclass(frozen=True)
class SpectrumFact:
    """One of the two Hilbert properties: what the metric promises, and what the eigenvalues show.

    Attributes
    ----------
    promise : {"hilbertian", "negative_type"}
        The property. "hilbertian": d embeds isometrically in a Hilbert space. "negative_type": the
        square root of d does.
    promised : bool or None
        What the metric declares; None if it declares nothing.
    negative_part : float
        Sum of the absolute negative eigenvalues divided by the sum of all absolute eigenvalues,
        from 0 to 1.
    smallest, largest : float
        The extreme eigenvalues, in the unit of d squared or of d.
    """

    promise: str
    promised: bool | None
    negative_part: float
    smallest: float
    largest: float

    @property
    def violated(self) -> bool:
        """Whether an eigenvalue is negative by more than rounding: the sample refutes the
        property.
        """
        return self.smallest < -EIGENVALUE_ERROR * self.largest

    @property
    def holds(self) -> bool | None:
        """True if promised and not refuted, False if refuted by the sample or declared False,
        otherwise None.
        """
        return False if self.violated else self.promised


def spectrum_facts(distances: Distances, metric: Metric) -> tuple[SpectrumFact, ...]:
    """Examine both Hilbert properties on a sample.

    Parameters
    ----------
    distances : ndarray of shape (n, n)
        The distances of the sample, symmetric and finite. The eigenvalues take O(n^3) time.
    metric : Metric
        Only its promises are read.

    Returns
    -------
    tuple of two SpectrumFact
        "hilbertian" first, then "negative_type".

    Examples
    --------
    Three points on a line with squared distances: their roots are Euclidean, the squared distances
    themselves are not.

    >>> import numpy as np
    >>> import wideberth
    >>> squared = np.array([[0.0, 1.0, 4.0], [1.0, 0.0, 1.0], [4.0, 1.0, 0.0]])
    >>> [
    ...     (fact.promise, fact.violated)
    ...     for fact in spectrum_facts(squared, wideberth.metric("precomputed", distances=squared))
    ... ]
    [('hilbertian', True), ('negative_type', False)]
    """
    return (
        _fact("hilbertian", metric.hilbertian, distances**2),
        _fact("negative_type", metric.negative_type, distances),
    )


def _fact(promise: str, promised: bool | None, squared: Distances) -> SpectrumFact:
    """Examine one property; ``squared`` has the squared distances that the points in the Hilbert
    space would have.
    """
    found = Spectrum.of(centred(squared))
    return SpectrumFact(promise, promised, found.negative_part, found.smallest, found.largest)


# ---- Which methods are valid on a distance, decided by the promises that each method needs


@dataclass(frozen=True)
class Method:
    """A way to use a distance, and the promises without which its results are wrong.

    Attributes
    ----------
    name : str
        A few words for the page, with the class to use in parentheses.
    needs : frozenset of str
        Names of promises (`wideberth.metrics.metric.promise_names`); the empty set for a method
        that any distance allows.
    without : str
        How to use it on a distance that lacks them; empty if there is no way.
    """

    name: str
    needs: frozenset[str]
    without: str = ""

    def __post_init__(self) -> None:
        assert self.needs <= set(promise_names()), self.needs


@dataclass(frozen=True)
class MethodVerdict:
    """Whether a method is valid on the distance that was examined.

    Attributes
    ----------
    method : str
        The name of the method.
    valid : bool or None
        True if everything that it needs is promised and not refuted, False if one of its needs is
        refuted or declared False, None if a promise is missing and nothing refutes it.
    missing : tuple of str
        The promises that it needs and that are not known to hold, in alphabetical order.
    without : str
        How to use it all the same; empty if it is valid, or there is no way.
    """

    method: str
    valid: bool | None
    missing: tuple[str, ...]
    without: str = ""


#: Uses of a distance besides the classifiers with their default settings.
OTHER_METHODS = (
    Method("nearest neighbours by an index that prunes", frozenset({"obeys_triangle"})),
    Method("certified radii of those above", frozenset({"obeys_triangle"})),
    Method(
        "SVM with the kernel exp(-g d^2) or -d^2/2 (HilbertSVC), Hilbert embedding",
        frozenset({"hilbertian"}),
    ),
)

#: The order of the list of methods, by the promise that they need: promises that fewer metrics make
#: come later.
_STRENGTH = ("obeys_triangle", "negative_type", "hilbertian")


def methods(metric: Any) -> list[Method]:
    """All methods: the classifiers that suit a metric with the promises that they declare to need,
    and other uses of a distance.

    Parameters
    ----------
    metric : str or Metric
        The distance; a classifier that needs more of objects than their distances is left out.

    Returns
    -------
    list of Method
        Methods that need nothing come first, then those that need the triangle inequality, then the
        Hilbert properties.

    Examples
    --------
    >>> methods("levenshtein")[0].needs, sorted(methods("levenshtein")[-1].needs)
    (frozenset(), ['hilbertian'])
    """
    known = [(entry, entry.load()) for entry in CLASSIFIERS.values() if entry.suits(metric)]
    classifiers = [
        Method(f"{entry.title} ({entry.class_name})", found.needs, found.without)
        for entry, found in known
    ]
    return sorted(
        [*classifiers, *OTHER_METHODS],
        key=lambda method: max(map(_STRENGTH.index, method.needs), default=-1),
    )


def judge_methods(known: dict[str, bool | None], metric: Any) -> tuple[MethodVerdict, ...]:
    """Judge every method by what is known about the promises that it needs.

    Parameters
    ----------
    known : dict from str to bool or None
        For "obeys_triangle", "hilbertian" and "negative_type": True (promised, not refuted), False
        (refuted) or None.
    metric : str or Metric
        The distance; methods that it does not suit are left out.

    Returns
    -------
    tuple of MethodVerdict
        One for each method, in a fixed order.

    Examples
    --------
    >>> judge_methods(
    ...     {"obeys_triangle": True, "hilbertian": None, "negative_type": False}, "levenshtein"
    ... )[-2].missing
    ('negative_type',)
    """
    return tuple(_judge(method, known) for method in methods(metric))


def _judge(method: Method, known: dict[str, bool | None]) -> MethodVerdict:
    """The verdict on one method."""
    missing = tuple(sorted(need for need in method.needs if known[need] is not True))
    refuted = any(known[need] is False for need in method.needs)
    return MethodVerdict(
        method.name,
        False if refuted else None if missing else True,
        missing,
        method.without if missing else "",
    )


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
            The attributes under their names, ``is_metric``, ``exhaustive`` and ``broken_promises``;
            every violation also has a ``sentence`` that describes it.

        Examples
        --------
        >>> import wideberth
        >>> wideberth.diagnose(["tea", "tee", "rum"], "levenshtein").to_dict()["spread"]["largest"]
        3.0
        """
        facts = asdict(self)
        facts["violations"] = [
            asdict(violation) | {"sentence": violation.describe(self.metric)}
            for violation in self.violations
        ]
        facts |= {
            "is_metric": self.is_metric,
            "exhaustive": self.exhaustive,
            "broken_promises": self.broken_promises,
        }
        return facts

    def __str__(self) -> str:
        return render(self)


def render(diagnosis: Diagnosis) -> str:
    """The page of plain text that ``print(diagnosis)`` shows.

    One paragraph for each kind of facts, in the order of the ``parts`` below; what was not measured
    is left out.

    Examples
    --------
    >>> import wideberth
    >>> print(render(wideberth.diagnose(["tea", "tee", "rum"], "levenshtein")).splitlines()[0])
    levenshtein: a metric
    """
    parts = (_head, _axioms, _spectrum, _spread, _hubs, _labels, _methods, _repairs)
    return "\n".join(line for part in parts for line in part(diagnosis))


def _head(diagnosis: Diagnosis) -> Iterator[str]:
    verdict = {True: "a metric", False: "NOT a metric", None: "not known to be a metric"}[
        diagnosis.is_metric
    ]
    yield f"{diagnosis.metric}: {verdict}"
    if diagnosis.exhaustive:
        yield (
            f"  examined  all {diagnosis.n_objects:,} objects, {diagnosis.triangles_tried:,} "
            "triangles"
        )
    else:
        yield (
            f"  examined  {len(diagnosis.examined):,} of {diagnosis.n_objects:,} objects, chosen "
            f"at random; all their {diagnosis.triangles_tried:,} triangles"
        )


def _axioms(diagnosis: Diagnosis) -> Iterator[str]:
    for violation in diagnosis.violations:
        yield f"  broken    {violation.describe(diagnosis.metric)}"
        for index in sorted(set(violation.objects)):
            yield f"            object {index} is {diagnosis.shown[index]}"
        yield (
            f"            {violation.broken:,} of {violation.tried:,} tried "
            f"({violation.share:.2%}) break it"
        )
    if not diagnosis.violations:
        promised = (
            "as promised" if diagnosis.promises.obeys_triangle else "not promised for other objects"
        )
        yield (
            "  axioms    none broken: finite, nonnegative, symmetric, zero to itself, triangle "
            f"inequality ({promised})"
        )
    for promise in diagnosis.broken_promises:
        yield (
            f"  promise   {diagnosis.metric!r} promises {_PROMISE_IN_WORDS[promise]}: these "
            "objects refute it"
        )


def _spectrum(diagnosis: Diagnosis) -> Iterator[str]:
    for fact in diagnosis.spectrum:
        name = {"hilbertian": "Hilbertian", "negative_type": "negative type"}[fact.promise]
        yield f"  {name + ':':<15}{_MARK[fact.holds].strip()} ({_evidence(fact)})"


def _evidence(fact: SpectrumFact) -> str:
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
        f"  distances {spread.smallest:.4g} to {spread.largest:.4g}, median {spread.median:.4g}, "
        f"quartiles {spread.lower_quartile:.4g} and {spread.upper_quartile:.4g}; standard "
        f"deviation / mean {spread.variation:.2f}"
    )
    if spread.zero_pairs:
        yield f"            {spread.zero_pairs:,} pairs at distance 0"
    if spread.distinct < spread.pairs / 10:
        yield (
            f"            only {spread.distinct:,} different values in {spread.pairs:,} pairs: "
            "many ties"
        )


def _hubs(diagnosis: Diagnosis) -> Iterator[str]:
    hubs = diagnosis.hubs
    if hubs is None:
        return
    strength = (
        "strong hubs" if hubs.skewness > 2 else "some hubs" if hubs.skewness > 1 else "no hubs"
    )
    yield (
        f"  hubs      {strength}: object {hubs.most_popular} is among the {hubs.k} nearest of "
        f"{hubs.most} others, {hubs.orphans:.0%} of the objects are among the nearest of none "
        f"(skewness {hubs.skewness:.1f})"
    )


def _labels(diagnosis: Diagnosis) -> Iterator[str]:
    labels = diagnosis.labels
    if labels is None:
        return
    sizes = ", ".join(
        f"{name} {count:,}"
        for name, count in list(zip(labels.classes, labels.counts, strict=True))[:8]
    )
    yield (
        f"  labels    {len(labels.classes)} classes: "
        f"{sizes}{', ...' if len(labels.classes) > 8 else ''}"
    )
    yield (
        f"            nearest-neighbour error {labels.nearest_error:.1%} among the examined "
        f"objects, each left out once (always the largest class: {labels.majority_error:.1%})"
    )
    if labels.conflicts:
        first = labels.first_conflicts[0]
        yield (
            f"            {labels.conflicts:,} pairs of equal objects with different labels, such "
            f"as objects {first.objects[0]} ({first.labels[0]}) and {first.objects[1]} "
            f"({first.labels[1]})"
        )


def _methods(diagnosis: Diagnosis) -> Iterator[str]:
    yield "  valid methods"
    for verdict in diagnosis.methods:
        needs = ", ".join(_PROMISE_IN_WORDS[need] for need in verdict.missing)
        reason = (
            ""
            if verdict.valid
            else " (needs "
            f"{needs}{'' if verdict.valid is False else ': not promised, not refuted here'})"
        )
        yield (
            f"    {_MARK[verdict.valid]} "
            f"{verdict.method}{reason}{f'; {verdict.without}' if verdict.without else ''}"
        )


def _repairs(diagnosis: Diagnosis) -> Iterator[str]:
    if not diagnosis.repairs:
        return
    yield "  repairs that work on the examined objects: wideberth.doctor.repair(distances, name)"
    for repair in diagnosis.repairs:
        scope = "also for new objects" if repair.new_objects else "for a fixed set of objects"
        yield (
            f"    {repair.name:<18}{repair.detail}; gives {_PROMISE_IN_WORDS[repair.mends]}, "
            f"changes {repair.changed:.0%} of the distances by factors from {repair.lower:.3g} to "
            f"{repair.upper:.3g}, {scope}"
        )
    yield (
        "    or a function of the distances of your own: "
        "wideberth.doctor.examine_transform(function) tells what it keeps"
    )
