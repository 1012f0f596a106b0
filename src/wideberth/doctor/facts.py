r"""Facts about a distance on a sample: hubs and labels, the spread of the distances, Hilbert
properties, and the methods that are valid on it.

**Whether a distance embeds in a Hilbert space, judged by the eigenvalues of its centred matrix.**

Let D be the matrix of the :math:`d^2` (for ``hilbertian``) or of the d (for ``negative_type``) and
:math:`J = I - 11^T / n`. The objects are points of a Hilbert space with the squared distances D iff
:math:`-J D J / 2` has no negative eigenvalue (Schoenberg 1935; Hein, Bousquet & Schoelkopf 2005,
Theorem 3). A negative one on a sample refutes the property for the metric; none on a sample proves
nothing about other objects.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from wideberth.classifiers.named import CLASSIFIERS
from wideberth.geometry.shape.gram import Spectrum, centred
from wideberth.metrics.metric import Distances, Metric, promise_names
from wideberth.objects.labels import CodedLabels
from wideberth.rounding import EIGENVALUE_ERROR

# ---- Nearest neighbours in a sample: hubs, and how well the labels agree with the distance


@dataclass(frozen=True)
class Hubs:
    """How often each object is among the k nearest neighbours of the others (Radovanovic,
    Nanopoulos & Ivanovic 2010).

    On average an object is k times among them. In spaces of high dimension the counts are often
    very unequal: a few objects, the hubs, are neighbours of most others, and decide most
    predictions of a nearest-neighbour rule.

    Attributes
    ----------
    k : int
        How many neighbours of each object were counted.
    most : int
        The largest count.
    most_popular : int
        The object with that count, as its position in the whole sample.
    skewness : float
        Skewness of the counts; above about 1 there are hubs. 0 if all counts are equal.
    orphans : float
        Share of the objects that are not among the k nearest of any other one.
    """

    k: int
    most: int
    most_popular: int
    skewness: float
    orphans: float


@dataclass(frozen=True)
class LabelConflict:
    """Two objects at distance 0 with different labels: no function of the distances can give both
    their label.

    Attributes
    ----------
    objects : tuple of two int
        Their positions in the sample.
    labels : tuple of two str
        Their labels, as text.
    """

    objects: tuple[int, int]
    labels: tuple[str, str]


@dataclass(frozen=True)
class LabelFacts:
    """How well the labels agree with the distance.

    Attributes
    ----------
    classes : tuple of str
        The classes in sorted order, as text.
    counts : tuple of int
        The number of objects of each class in the whole sample.
    nearest_error : float
        Leave-one-out error of the nearest neighbour among the examined objects; among equally near
        ones the first counts.
    majority_error : float
        Error on the examined objects of always predicting their largest class: what a useful
        distance has to beat.
    conflicts : int
        Number of pairs of examined objects at distance 0 with different labels.
    first_conflicts : tuple of LabelConflict
        Up to five of these pairs.
    """

    classes: tuple[str, ...]
    counts: tuple[int, ...]
    nearest_error: float
    majority_error: float
    conflicts: int
    first_conflicts: tuple[LabelConflict, ...]


def find_hubs(distances: Distances, indices: np.ndarray[Any, Any], k: int = 10) -> Hubs:
    """Count how often each object is among the k nearest neighbours of the others. Which of several
    tied neighbours count is arbitrary.

    Examples
    --------
    >>> # object 0 in the centre
    >>> star = np.array([[0, 1, 1, 1], [1, 0, 2, 2], [1, 2, 0, 2], [1, 2, 2, 0]], dtype=float)
    >>> hubs = find_hubs(star, np.array([5, 6, 7, 8]), k=1)
    >>> hubs.most_popular, hubs.most
    (5, 3)
    """
    k = min(k, len(distances) - 1)
    nearest = np.argpartition(_without_self(distances), k - 1, axis=1)[:, :k]
    times = np.bincount(nearest.ravel(), minlength=len(distances))
    deviation = times - times.mean()
    scale = np.sqrt((deviation**2).mean())
    return Hubs(
        k=k,
        most=int(times.max()),
        most_popular=int(indices[times.argmax()]),
        skewness=float((deviation**3).mean() / scale**3) if scale else 0.0,
        orphans=float((times == 0).mean()),
    )


def label_facts(
    distances: Distances, labels: CodedLabels, indices: np.ndarray[Any, Any]
) -> LabelFacts:
    """Compare the labels of the examined objects with their distances.

    Examples
    --------
    >>> from wideberth.objects.labels import code_labels
    >>> line = np.abs(np.subtract.outer([0.0, 0.0, 5.0, 6.0], [0.0, 0.0, 5.0, 6.0]))
    >>> facts = label_facts(line, code_labels(["tea", "rum", "rum", "rum"], 4), np.arange(4))
    >>> facts.conflicts, facts.first_conflicts[0].labels, facts.nearest_error
    (1, ('tea', 'rum'), 0.5)
    """
    codes = labels.codes[indices]
    nearest = _without_self(distances).argmin(axis=1)
    equal = np.argwhere(np.triu((distances == 0) & (codes[:, None] != codes[None, :]), 1))
    counts = np.bincount(labels.codes, minlength=len(labels.classes))
    names = [str(label) for label in labels.classes]
    return LabelFacts(
        classes=tuple(names),
        counts=tuple(map(int, counts)),
        nearest_error=float((codes[nearest] != codes).mean()),
        majority_error=float(1 - np.bincount(codes).max() / len(codes)),
        conflicts=len(equal),
        first_conflicts=tuple(
            LabelConflict((int(indices[i]), int(indices[j])), (names[codes[i]], names[codes[j]]))
            for i, j in equal[:5]
        ),
    )


def _without_self(distances: Distances) -> Distances:
    """A copy with an infinite diagonal, so that no object is its own neighbour."""
    others = distances.copy()
    np.fill_diagonal(others, np.inf)
    return others


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
    """Examine both Hilbert properties on a sample. "hilbertian" first, then "negative_type". The
    eigenvalues take O(n^3) time.

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


def methods(metric: str | Metric) -> list[Method]:
    """All methods: the classifiers that suit a metric with the promises that they declare to need,
    and other uses of a distance. Those that need nothing come first, then those that need the
    triangle inequality, then the Hilbert properties.

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


def judge_methods(known: dict[str, bool | None], metric: str | Metric) -> tuple[MethodVerdict, ...]:
    """Judge every method by what is known about the promises that it needs. ``known`` tells of
    each: True (promised, not refuted), False (refuted) or None.

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
