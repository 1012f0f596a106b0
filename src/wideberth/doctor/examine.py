"""Examine a distance on a sample."""

from collections.abc import Callable
from typing import Any

import numpy as np

from wideberth.doctor.diagnosis import Diagnosis
from wideberth.doctor.methods import judge_methods
from wideberth.doctor.neighborhood import hubs_of, label_facts
from wideberth.doctor.repairs import offer_repairs
from wideberth.doctor.spectrum import SpectrumFact, spectrum_facts
from wideberth.doctor.spread import spread_of
from wideberth.errors import InvalidInput
from wideberth.geometry.measure.blocks import pairwise_distances
from wideberth.metrics.axioms import Violation, find_distant_twins, find_violations, triangle_count
from wideberth.metrics.metric import Distances, Metric
from wideberth.metrics.named import bind
from wideberth.objects import sample
from wideberth.objects.labels import code_labels


def diagnose(
    objects: Any,
    metric: str | Metric | Callable[[Any, Any], float] = "euclidean",
    labels: Any = None,
    *,
    max_objects: int = 500,
    n_jobs: int | None = None,
    random_state: int | None = 0,
) -> Diagnosis:
    """Is this distance a metric on these objects, what may be done with it, and what is odd in the data.

    Up to ``max_objects`` objects are examined, all of them or a random choice, in all their pairs and triangles: finite,
    nonnegative and symmetric distances, zero from an object to itself, the triangle inequality, the two Hilbert properties by
    eigenvalues (`Promises`), hubs, the spread of the distances and, given ``labels``, equal objects with different
    labels. Broken axioms come with their worst witness and with the repairs that were tried and work. A sample without a
    violation proves nothing about other objects: what nobody has promised stays unknown.

    >>> found = diagnose([[0.0], [1.0], [2.0]], lambda one, other: (one[0] - other[0]) ** 2)
    >>> found.is_metric
    False
    >>> found.violation("triangle").values  # d(0, 2) > d(0, 1) + d(1, 2)
    (4.0, 1.0, 1.0)
    >>> [repair.name for repair in found.repairs if repair.new_objects]
    ['square_root', 'additive_constant', 'cap']
    """
    objects, measure = bind(objects, metric)
    prepared = measure.prepare(objects)
    n_objects = sample.count(prepared)
    coded = None if labels is None else code_labels(labels, n_objects)
    chosen = _choose(n_objects, max_objects, random_state)
    distances = pairwise_distances(sample.pick(prepared, chosen), None, measure, n_jobs=n_jobs)
    held = sample.hold(objects, rows=measure.accepts == "rows")
    violations = tuple(violation.at(chosen) for violation in _find_violations(distances, held, chosen))
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
        spread=None if sound is None else spread_of(sound),
        hubs=None if sound is None else hubs_of(sound, chosen),
        labels=None if sound is None or coded is None else label_facts(sound, coded, chosen),
        methods=judge_methods(known),
        repairs=offer_repairs(
            distances, triangle=bool(violations), hilbert=any(fact.promise == "hilbertian" and fact.violated for fact in spectrum)
        ),
        shown=_show(held, violations),
    )


def _choose(n_objects: int, max_objects: int, random_state: int | None) -> np.ndarray[Any, np.dtype[np.intp]]:
    if n_objects < 2 or max_objects < 2:
        raise InvalidInput(
            f"A distance needs two objects at least; there are {n_objects}, of which {max_objects} may be examined.",
            advice="Pass more objects.",
            value=n_objects,
        )
    if n_objects <= max_objects:
        return np.arange(n_objects)
    return np.sort(np.random.default_rng(random_state).choice(n_objects, max_objects, replace=False))


def _find_violations(distances: Distances, held: Any, chosen: np.ndarray[Any, np.dtype[np.intp]]) -> list[Violation]:
    twins = find_distant_twins(distances, _twins([sample.pick_one(held, index) for index in chosen]))
    return [*([twins] if twins else []), *find_violations(distances)]


def _twins(objects: list[Any]) -> list[tuple[int, int]]:
    """Positions of objects equal to an earlier one, with that one; objects that Python cannot compare by value are no twins."""
    first: dict[Any, int] = {}
    pairs = []
    for position, each in enumerate(objects):
        key = (each.shape, each.tobytes()) if isinstance(each, np.ndarray) else each
        try:
            earlier = first.setdefault(key, position)
        except TypeError:  # a list, a dict, or a tuple with one inside has no hash
            continue
        if earlier != position:
            pairs.append((earlier, position))
    return pairs


def _symmetric_and_finite(distances: Distances, violations: tuple[Violation, ...]) -> Distances | None:
    """The mean of the two directions, or None where distances that are no numbers leave nothing to measure."""
    if any(violation.axiom in ("finite", "nonnegative") for violation in violations):
        return None
    return (distances + distances.T) / 2


def _known(metric: Metric, violations: tuple[Violation, ...], spectrum: tuple[SpectrumFact, ...]) -> dict[str, bool | None]:
    """What promise and sample say together; an unexamined Hilbert property is refuted with the axioms."""
    unsound = False if violations else None
    known: dict[str, bool | None] = {"hilbertian": unsound, "negative_type": unsound}
    known |= {fact.promise: fact.holds for fact in spectrum}
    return known | {"obeys_triangle": False if violations else metric.obeys_triangle}


def _show(held: Any, violations: tuple[Violation, ...]) -> dict[int, str]:
    """How the witnesses look, short enough for a line."""
    witnesses = sorted({index for violation in violations for index in violation.objects})
    looks = {index: repr(sample.pick_one(held, index)) for index in witnesses}
    return {index: look if len(look) <= 50 else look[:47] + "..." for index, look in looks.items()}
