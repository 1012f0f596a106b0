"""`diagnose`: examine a distance on a sample and collect the facts."""

from collections.abc import Callable
from typing import Any

import numpy as np

from wideberth.array_types import Indices
from wideberth.doctor.diagnosis import (
    Diagnosis,
    SpectrumFact,
    judge_methods,
    measure_spread,
    spectrum_facts,
)
from wideberth.doctor.neighborhood import find_hubs, label_facts
from wideberth.doctor.repairs import offer_repairs
from wideberth.errors import InvalidInput
from wideberth.geometry.measure.blocks import pairwise_distances
from wideberth.metrics.axioms import Violation, find_distant_twins, find_violations, triangle_count
from wideberth.metrics.functions import unchecked
from wideberth.metrics.metric import Distances, Metric
from wideberth.metrics.named import bind
from wideberth.objects import sample
from wideberth.objects.labels import code_labels
from wideberth.progress import doing, task
from wideberth.wording import setting


def diagnose(
    objects: Any,
    metric: str | Metric | Callable[[Any, Any], float] = "euclidean",
    labels: Any = None,
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
        return _examined(*bind(objects, metric), labels, max_objects, n_jobs, random_state)


def _examined(
    objects: Any,
    measure: Metric,
    labels: Any,
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
    spectrum = () if sound is None else spectrum_facts(sound, measure)
    known = _known(measure, violations, spectrum)
    return Diagnosis(
        metric=measure.name,
        promises=measure.promises,
        n_objects=n_objects,
        examined=tuple(map(int, chosen)),
        triangles_tried=triangle_count(len(chosen)),
        violations=violations,
        spectrum=spectrum,
        spread=None if sound is None else measure_spread(sound),
        hubs=None if sound is None else find_hubs(sound, chosen),
        labels=None if sound is None or coded is None else label_facts(sound, coded, chosen),
        methods=judge_methods(known, measure),
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
def _find_violations(distances: Distances, held: Any, chosen: Indices) -> list[Violation]:
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
    metric: Metric, violations: tuple[Violation, ...], spectrum: tuple[SpectrumFact, ...]
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


def _show(held: Any, violations: tuple[Violation, ...]) -> dict[int, str]:
    """The repr of every object that takes part in a violation, cut to 50 characters."""
    witnesses = sorted({index for violation in violations for index in violation.objects})
    texts = {index: repr(sample.pick_one(held, index)) for index in witnesses}
    return {index: text if len(text) <= 50 else text[:47] + "..." for index, text in texts.items()}
