"""Black-box attacks: search near a string, a vector or a series for an object to which a classifier
gives another label.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from rapidfuzz.distance import Levenshtein

from wideberth.array_types import Flags, Floats, Objects, Sample
from wideberth.errors import InvalidInput
from wideberth.estimators.metric_classifier import MetricClassifier
from wideberth.estimators.metric_estimator import without_names
from wideberth.metrics.metric import Metric
from wideberth.metrics.parameters import is_whole
from wideberth.metrics.strings.sample import read_sequences
from wideberth.objects import sample
from wideberth.wording import setting


@dataclass(frozen=True, eq=False)
class Attack:
    """The result of an attack on the label of one object: a changed object with another label, as
    close as one was found.

    The distance bounds the true robustness radius of the object from above: nothing is certified
    beyond it. How far above the true radius it is, is not known.

    Attributes
    ----------
    changed : object or None
        The changed object; None if none with another label was found.
    distance : float
        Its distance from the original object, by the metric of the model or in another unit;
        infinite if none was found.
    label : label or None
        The label that the model gives to the changed object.
    label_before : label
        The label that the model gives to the original object.
    questions : int
        How many objects the model was asked about.

    Examples
    --------
    >>> Attack("rea", distance=1.0, label="hard", label_before="soft", questions=7).found
    True
    """

    changed: Any
    distance: float
    label: Any
    label_before: Any
    questions: int

    @property
    def found(self) -> bool:
        """Whether a changed object with another label was found."""
        return bool(np.isfinite(self.distance))


class AdversarialSearch:
    """The questions to a model about the surroundings of one object, and the closest object with
    another label so far.

    The model is a black box: only its ``predict`` and ``decision_function`` are called, on
    ``max_questions`` objects at most. Distances cost no question. Targets are prepared unless they
    are strings.

    Examples
    --------
    >>> from wideberth import NeighborsClassifier
    >>> model = NeighborsClassifier("levenshtein", n_neighbors=1).fit(
    ...     ["tea", "rum"], ["soft", "hard"]
    ... )
    >>> search = AdversarialSearch(model, "tea", np.str_("soft"), max_questions=10)
    >>> search.ask(["sea", "rua"], search.distances(["sea", "rua"]))
    array([False,  True])
    >>> search.closest, search.distance, search.questions_left
    ('rua', 2.0, 8)
    """

    def __init__(
        self,
        model: MetricClassifier,
        target: Any,
        label: Any,
        max_questions: int,
        measure: Metric | None = None,
    ) -> None:
        self.target, self.label, self.max_questions = target, label, max_questions
        self.questions = 0
        self.closest: Any = None
        self.distance = np.inf
        self.changed_label: Any = None
        self._model, self._measure = model, model.metric_ if measure is None else measure
        self._sign = 1.0 if len(model.classes_) == 2 and label == model.classes_[1] else -1.0
        self._own = int(np.flatnonzero(model.classes_ == label)[0])

    @property
    def questions_left(self) -> int:
        """How many objects the model may still be asked about."""
        return self.max_questions - self.questions

    def distances(self, candidates: Sample) -> Floats:
        """The distances of the candidates from the target, shape (n,)."""
        if not len(candidates):
            return np.empty(0)
        if self._measure is not self._model.metric_ and _has_gaps([self.target], candidates):
            return _keeping_gaps(self._measure, self.target, candidates)
        return np.asarray(self._measure.block([self.target], candidates)[0])

    def ask(self, candidates: Sample, distances: Floats) -> Flags:
        """Ask the model for the labels of candidates at given distances, and keep the closest one
        that has another label; which of them have, False for those beyond the questions left.
        """
        asked = candidates[: self.questions_left]
        changed = np.zeros(len(candidates), dtype=bool)
        if not len(asked):
            return changed
        labels = self._model.predict(asked)
        self.questions += len(asked)
        changed[: len(asked)] = labels != self.label
        for place in np.flatnonzero(changed):
            if distances[place] < self.distance:
                self.closest = asked[place]
                self.distance = float(distances[place])
                self.changed_label = labels[place].item()
        return changed

    def leads(self, candidates: Sample, *, already_asked: bool) -> Floats:
        """By how much the score of the target's label is above the largest other score; below 0
        where another label wins.
        """
        self.questions += 0 if already_asked else len(candidates)
        scores = self._model.decision_function(candidates)
        if scores.ndim == 1:
            return np.asarray(self._sign * scores)
        others = np.delete(scores, self._own, axis=1)
        return np.asarray(scores[:, self._own] - others.max(axis=1, initial=-np.inf))

    def attack(self) -> Attack:
        """The result of the search so far."""
        return Attack(
            self.closest, self.distance, self.changed_label, self.label.item(), self.questions
        )


def _has_gaps(*samples: Sample) -> bool:
    """Whether numbers are missing in vectors; never in other objects."""
    return any(
        isinstance(each[0], np.ndarray) and each[0].ndim == 1 and bool(np.isnan(each).any())
        for each in samples
    )


def _keeping_gaps(measure: Metric, target: Floats, candidates: Floats) -> Floats:
    """Distances in the unit of another metric, which does not know what missing numbers mean: radii
    in it hold as long as what is missing stays missing, so all others are infinitely far.

    Examples
    --------
    >>> from wideberth.metrics.vectors.minkowski import Manhattan
    >>> here, there = np.array([np.nan, 1.0]), np.array([[np.nan, 3.0], [0.0, 1.0]])
    >>> _keeping_gaps(Manhattan(), here, there)
    array([ 2., inf])
    """
    absent = np.isnan(candidates)
    kept = (absent == np.isnan(target)).all(axis=1)
    filled = np.where(np.isnan(target), 0.0, target)[None], np.where(absent, 0.0, candidates)
    return np.where(kept, measure.block(*filled)[0], np.inf)


def nearest_first(search: AdversarialSearch, others: Sample, most: int) -> Sample:
    """The ``most`` objects nearest to the target of a search, the nearest first.

    Examples
    --------
    >>> from wideberth import NeighborsClassifier
    >>> model = NeighborsClassifier("levenshtein", n_neighbors=1).fit(
    ...     ["tea", "rum"], ["soft", "hard"]
    ... )
    >>> search = AdversarialSearch(model, "tea", np.str_("soft"), max_questions=10)
    >>> nearest_first(search, sample.hold(["rum", "rea", "ream"]), 2).tolist()
    ['rea', 'ream']
    """
    return sample.pick(others, np.argsort(search.distances(others), kind="stable")[:most])


# ---- Strings, or any sequences of tokens: edits

#: How many objects with other labels, the nearest ones, are approached.
_ENEMIES_OF_STRINGS = 4
#: The width of the beam at most: how many strings are edited further in each round.
_BEAM = 4
#: The number of edits that the beam search expects to need if nothing was found before.
_DEPTH = 4
#: The number of letters tried at most; of more, as many are drawn at random.
_LETTERS = 64

#: The operation ("replace", "insert" or "delete"), the position in the string, and the position in
#: the other string.
Edit = tuple[str, int, int]


def attack_string(
    search: AdversarialSearch, enemies: Sample, letters: list[Any], generator: np.random.Generator
) -> None:
    """Search for a string with another label: on the way to enemies first, then by a beam search
    over single edits.

    From an enemy, which has another label, the edits that lead to it are taken back as long as the
    label stays another one: many at once at first, in the end one by one. Of several possibilities,
    the one with the smallest lead of the target's label is taken. The beam search then edits the
    target, among strings that are closer than the closest found, until the questions are used up.
    Where the metric compares only strings of equal length, strings keep their length.

    Examples
    --------
    >>> from wideberth import NeighborsClassifier
    >>> model = NeighborsClassifier("levenshtein", n_neighbors=1).fit(
    ...     ["tea", "rum"], ["soft", "hard"]
    ... )
    >>> search = AdversarialSearch(model, "tea", np.str_("soft"), max_questions=200)
    >>> attack_string(
    ...     search, np.array(["rum"], dtype=object), list("tearum"), np.random.default_rng(0)
    ... )
    >>> search.distance
    2.0
    """
    resizable = _compares_any_lengths(search)
    if not resizable:
        alike = [place for place, enemy in enumerate(enemies) if len(enemy) == len(search.target)]
        enemies = sample.pick(enemies, np.array(alike, dtype=np.intp))
    for enemy in nearest_first(search, enemies, _ENEMIES_OF_STRINGS):
        _take_edits_back(search, enemy, resizable)
    if len(letters) > _LETTERS:
        letters = [
            letters[place]
            for place in np.sort(generator.choice(len(letters), _LETTERS, replace=False))
        ]
    _beam_search(search, letters, resizable, generator)
    if search.closest is not None:
        _take_edits_back(search, search.closest, resizable)


def single_edits(string: Any, letters: list[Any], resizable: bool = True) -> list[Any]:
    """All strings that are one substitution, swap of neighbours, deletion or insertion away.

    Examples
    --------
    >>> single_edits("ab", ["c"])
    ['cb', 'ac', 'ba', 'b', 'a', 'cab', 'acb', 'abc']
    """
    n, parts = len(string), [_same_type(string, [letter]) for letter in letters]
    found = [string[:at] + part + string[at + 1 :] for at in range(n) for part in parts]
    found += [
        string[:at] + string[at + 1 : at + 2] + string[at : at + 1] + string[at + 2 :]
        for at in range(n - 1)
    ]
    if resizable:
        found += [string[:at] + string[at + 1 :] for at in range(n)]
        found += [string[:at] + part + string[at:] for at in range(n + 1) for part in parts]
    return [edited for edited in found if edited != string]


def apply_edits(string: Any, other: Any, edits: list[Edit]) -> Any:
    """Apply some of the edits that turn a string into another.

    Examples
    --------
    >>> edits = [("replace", 0, 0), ("insert", 3, 3)]
    >>> apply_edits("tea", "seat", edits), apply_edits("tea", "seat", edits[1:])
    ('seat', 'teat')
    """
    letters, at = [], 0
    for operation, place, there in edits:
        letters += list(string[at:place])
        letters += [] if operation == "delete" else [other[there]]
        at = place if operation == "insert" else place + 1
    return _same_type(string, letters + list(string[at:]))


def _same_type(string: Any, letters: list[Any]) -> Any:
    """Letters as a sequence of the same type as the string."""
    return "".join(letters) if isinstance(string, str) else type(string)(letters)


def _compares_any_lengths(search: AdversarialSearch) -> bool:
    """Whether the metric can compare the target with a longer string."""
    try:
        search.distances([search.target + search.target[:1], search.target])
    except InvalidInput:
        return False
    return True


def _take_edits_back(search: AdversarialSearch, enemy: Any, resizable: bool) -> None:
    """Take back edits that lead to an enemy, as long as the label stays another one than the
    target's.

    Blocks of edits are taken back first, half of them at once, and shorter blocks where that fails.
    """
    edits = _edits(search.target, enemy, resizable)
    search.ask([enemy], search.distances([enemy]))
    together = max(1, len(edits) // 2)
    while len(edits) > 1 and together and search.questions_left > 0:
        without = [
            edits[:start] + edits[start + together :] for start in range(0, len(edits), together)
        ]
        nearer = [apply_edits(search.target, enemy, kept) for kept in without]
        changed = np.flatnonzero(search.ask(nearer, search.distances(nearer)))
        if len(changed):
            edits = without[
                changed[
                    search.leads(
                        [nearer[candidate] for candidate in changed], already_asked=True
                    ).argmin()
                ]
            ]
        together = min(together, len(edits) // 2 or 1) if len(changed) else together // 2


def _edits(target: Any, enemy: Any, resizable: bool) -> list[Edit]:
    """The edits that turn the target into an enemy, in the order of their positions.

    Without ``resizable`` both have the same length, and the edits are substitutions.
    """
    if resizable:
        return [
            (edit.tag, edit.src_pos, edit.dest_pos) for edit in Levenshtein.editops(target, enemy)
        ]
    return [("replace", at, at) for at in range(len(target)) if target[at] != enemy[at]]


def _beam_search(
    search: AdversarialSearch, letters: list[Any], resizable: bool, generator: np.random.Generator
) -> None:
    """Edit the target, and then the edited strings with the smallest leads, until no string is
    closer than the closest found.
    """
    beam, seen = [search.target], {_key(search.target)}
    depth = (
        _DEPTH if search.closest is None else len(_edits(search.target, search.closest, resizable))
    )
    width = int(
        np.clip(
            search.questions_left
            // max(1, depth * len(single_edits(search.target, letters, resizable))),
            1,
            _BEAM,
        )
    )
    while beam and search.questions_left > 0:
        candidates = []
        for edited in (
            edited for string in beam for edited in single_edits(string, letters, resizable)
        ):
            if _key(edited) not in seen:
                seen.add(_key(edited))
                candidates.append(edited)
        distances = search.distances(candidates)
        closer = generator.permutation(
            np.flatnonzero((distances < search.distance) & (distances > 0))
        )[: search.questions_left]
        candidates = [candidates[place] for place in closer]
        changed = search.ask(candidates, distances[closer])
        kept = [
            candidate
            for candidate, is_changed in zip(candidates, changed, strict=True)
            if not is_changed
        ]
        beam = (
            [
                kept[place]
                for place in np.argsort(search.leads(kept, already_asked=True), kind="stable")[
                    :width
                ]
            ]
            if kept
            else []
        )


def _key(string: Any) -> Any:
    return string if isinstance(string, str | bytes) else tuple(string)


# ---- Vectors and series: changes of their numbers

#: How many objects with other labels, the nearest ones, are approached.
_ENEMIES_OF_NUMBERS = 8
#: Points on the line to each of them that are tried, and how often the first interval in which the
#: label changes is halved.
_PLACES, _HALVINGS = 8, 12
#: How far a line is followed, relative to the distance of the closest object found; how many
#: coordinates sparse directions have.
_BEYOND, _FEW = 1.1, (1, 4, 16)
#: The step of a difference quotient, relative to the root mean square of the change so far; the
#: relative gain in distance below which slopes are not measured again.
_SLOPE_STEP, _GAIN = 1e-3, 1e-3
#: Candidates drawn at a time in the random walk.
_BATCH = 24
#: Step sizes of the random walk, relative to the distance: the first, and the smallest, at which it
#: ends.
_STEP, _SMALLEST_STEP = 0.5, 1e-4


@dataclass(frozen=True, eq=False)
class NumberRanges:
    """Where changed numbers may lie: between the smallest and the largest value seen, of each
    coordinate of vectors, of all values of series.
    """

    low: Floats
    high: Floats


def attack_numbers(
    search: AdversarialSearch, enemies: Sample, ranges: NumberRanges, generator: np.random.Generator
) -> None:
    """Search for numbers with another label: on lines to enemies, then in the directions in which
    the lead falls, then at random.

    1. The label is looked up on the lines from the target to the nearest enemies, and each change
       of label is located by bisection.
    2. The slopes of the lead at the closest object found give directions from the target: the
       slopes themselves, their signs, and the steepest coordinates alone. These are the shortest
       ways to a plane boundary in the Euclidean, the Chebyshev and the Manhattan distance. It is
       repeated as long as the distance falls.
    3. A random walk along the boundary changes few or many numbers, moves some back towards the
       target, and asks about candidates that are closer than the closest so far; its steps become
       smaller where that fails.

    Where numbers of vectors are missing, the lines are followed twice: what is missing is what the
    target misses, and then what the enemy misses, whose other numbers are found. The other steps
    keep the gaps of the closest object found.

    Examples
    --------
    >>> from wideberth import NeighborsClassifier
    >>> model = NeighborsClassifier(n_neighbors=1).fit([[0.0], [4.0]], ["low", "high"])
    >>> search = AdversarialSearch(model, np.array([1.0]), np.str_("low"), max_questions=200)
    >>> ranges = NumberRanges(np.array([0.0]), np.array([4.0]))
    >>> attack_numbers(search, np.array([[4.0]]), ranges, np.random.default_rng(0))
    >>> round(search.distance, 2)  # the boundary is at 2
    1.0
    """
    target = np.asarray(search.target, dtype=np.float64)
    same_shape = [
        _resampled(enemy, target.shape[-1])
        for enemy in nearest_first(search, enemies, _ENEMIES_OF_NUMBERS)
    ]
    if same_shape:
        towards = np.array(same_shape)
        if _has_gaps([target], towards):
            towards = np.concatenate([_with_gaps_of(target, towards), towards])
        _search_lines(search, target, towards)
    if np.isfinite(search.distance):
        start = _with_gaps_of(np.asarray(search.closest), target)
        _follow_slopes(search, start, ranges)
        _random_walk(search, start, ranges, generator)


def _with_gaps_of(other: Floats, numbers: Floats) -> Floats:
    """Numbers with the gaps of another object, which lends its numbers where there are none.

    >>> _with_gaps_of(np.array([np.nan, 1.0, 2.0]), np.array([3.0, np.nan, 4.0]))
    array([nan,  1.,  4.])
    """
    return np.where(np.isnan(other) | np.isnan(numbers), other, numbers)


def _resampled(series: Sample, length: int) -> Floats:
    """A series resampled to ``length`` points by linear interpolation.

    A series of several channels has the shape (channels, time); each channel is resampled on its
    own.
    """
    numbers = np.asarray(series, dtype=np.float64)
    if numbers.shape[-1] == length:
        return numbers
    places = np.linspace(0, numbers.shape[-1] - 1, length)
    rows = [np.interp(places, np.arange(numbers.shape[-1]), row) for row in np.atleast_2d(numbers)]
    return np.array(rows).reshape(*numbers.shape[:-1], length)


def _search_lines(search: AdversarialSearch, target: Floats, enemies: Floats) -> None:
    """Find where the label changes on the lines from the target to ``enemies`` of the same shape.

    Lines on which every point has the target's label are left out; a stretched enemy may have it
    too.
    """

    def label_changes(shares: Floats, towards: Floats) -> Flags:
        start = _with_gaps_of(towards, target)
        there = start + shares.reshape(-1, *[1] * target.ndim) * (towards - start)
        return search.ask(there, search.distances(there))

    shares = np.linspace(1 / _PLACES, 1, _PLACES)
    changed = np.array(
        [label_changes(shares, np.repeat(enemy[None], _PLACES, axis=0)) for enemy in enemies]
    )
    reached = changed.any(axis=1)
    _bisect(label_changes, shares[changed.argmax(axis=1)][reached], enemies[reached])


def _bisect(
    label_changes: Callable[[Floats, Floats], Flags], ends: Floats, towards: Floats
) -> None:
    """Halve the intervals before ``ends`` in which the label changes, `_HALVINGS` times.

    ``ends`` are shares of the way to ``towards``; ``label_changes`` asks the model and records the
    closest points.
    """
    starts = ends - 1 / _PLACES
    for _ in range(_HALVINGS if len(ends) else 0):
        middle = (starts + ends) / 2
        changed = label_changes(middle, towards)
        starts, ends = np.where(changed, starts, middle), np.where(changed, middle, ends)


def _follow_slopes(search: AdversarialSearch, target: Floats, ranges: NumberRanges) -> None:
    """Search in the directions in which the lead falls at the closest object found, again as long
    as the distance falls.

    A round takes a question for each number of the target, for difference quotients; it is left out
    if that is more than half of the questions left.
    """
    while target.size < search.questions_left // 2:
        best, place = search.distance, np.asarray(search.closest)
        change = _SLOPE_STEP * _size(place - target)
        around = place + change * np.eye(target.size).reshape(-1, *target.shape)
        leads = search.leads(np.concatenate([around, place[None]]), already_asked=False)
        slopes = (leads[-1] - leads[:-1]).reshape(target.shape)
        if not slopes.any():  # the votes of neighbours are constant near most points
            return
        directions = _directions(slopes)
        lengths = search.distances(target + directions).reshape(-1, *[1] * target.ndim)
        ends = target + directions * _BEYOND * best / np.where(lengths > 0, lengths, 1.0)
        _search_lines(search, target, np.clip(ends, ranges.low, ranges.high))
        if search.distance > (1 - _GAIN) * best:
            return


def _size(change: Floats) -> float:
    """The root mean square of a change, in which a missing number stays missing."""
    return float(np.sqrt(np.mean(np.where(np.isnan(change), 0.0, change) ** 2)))


def _directions(slopes: Floats) -> Floats:
    """Directions in which the lead falls, with entries of at most 1 in size.

    They are the slopes, their signs, and the slopes of the steepest coordinates alone.
    """
    sizes = np.abs(slopes).ravel()
    least = np.sort(sizes)[::-1][[few - 1 for few in _FEW if few < sizes.size]]
    few = [np.where(np.abs(slopes) >= smallest, slopes, 0.0) for smallest in least]
    return np.asarray(np.array([slopes, np.sign(slopes), *few]) / sizes.max())


def _random_walk(
    search: AdversarialSearch, target: Floats, ranges: NumberRanges, generator: np.random.Generator
) -> None:
    """Move the closest object found towards the target by random steps, larger after a success and
    smaller after a failure.
    """
    step = _STEP
    while search.questions_left > 0 and step > _SMALLEST_STEP:
        best = search.distance
        candidates = _candidates(np.asarray(search.closest), target, step, ranges, generator)
        distances = search.distances(candidates)
        closer = np.flatnonzero(distances < best)
        search.ask(candidates[closer], distances[closer])
        step = min(1.3 * step, 1.0) if search.distance < best else 0.8 * step


def _candidates(
    place: Floats, target: Floats, step: float, ranges: NumberRanges, generator: np.random.Generator
) -> Floats:
    """Random changes of a ``place`` of the relative size ``step``.

    Some numbers are moved back towards the target, some are perturbed, and then all are contracted
    towards the target.
    """
    shape = (_BATCH, *place.shape)
    density = generator.uniform(0, 1, (_BATCH, *[1] * place.ndim)) ** 2
    back = np.where(
        generator.random(shape) < density, generator.uniform(0, 1, density.shape) * 2 * step, 0.0
    )
    spread = _size(place - target)
    moved = np.where(
        generator.random(shape) < density, generator.normal(size=shape) * step * spread, 0.0
    )
    moved[: _BATCH // 2] = 0.0  # half of the candidates are only moved back towards the target
    closer = 1 - 0.5 * step * generator.random(density.shape)
    changed = target + closer * ((1 - np.minimum(back, 1.0)) * (place - target) + moved)
    return np.clip(changed, ranges.low, ranges.high)


# ---- The attack on all objects of a sample


def attack(
    model: MetricClassifier,
    X: Objects,
    *,
    towards: Objects = None,
    unit: str | None = None,
    max_questions: int = 2000,
    random_state: int = 0,
) -> list[Attack]:
    """Search for the closest object with another label near each object, by questions to the model
    alone.

    Strings are edited, letter by letter, on the way to objects of other labels and where that
    lowers the lead of their label; vectors and series are moved straight to such objects, then
    along the boundary. What is found is a fact, and never closer than ``certified_radius``. That
    nothing closer was found proves nothing, unless the model itself can name the nearest text, as
    `wideberth.LinearLipschitzClassifier` can: then that is the attack.

    Parameters
    ----------
    model : metric classifier
        A fitted one, on strings, vectors or series.
    X : sample
        The objects whose labels are attacked.
    towards : sample, optional
        Objects of all labels to move towards, such as the training objects; X itself by default.
        The letters of these and of X are those tried in strings, and changed numbers stay within
        the ranges of both.
    unit : str, optional
        What distances are measured in, "edit" or a metric's name, as in `certified_radius`; by
        default the metric of the model.
    max_questions : int
        How many objects the model is asked about for each object of X, at most.
    random_state : int
        The seed of the random steps.

    Returns
    -------
    list of Attack
        For each object of X the changed object, its distance in the unit, and its label.

    Examples
    --------
    >>> from wideberth import NeighborsClassifier
    >>> clf = NeighborsClassifier("levenshtein", n_neighbors=1).fit(
    ...     ["tea", "rum"], ["soft", "hard"]
    ... )
    >>> found = attack(clf, ["tea"], towards=["rum"])[0]
    >>> found.distance, found.label, clf.certified_radius(["tea"])
    (2.0, 'hard', array([1.5]))
    """
    kind = model.metric_.accepts if hasattr(model, "metric_") else None
    if kind not in ("strings", "vectors", "series"):
        raise InvalidInput(
            f"Attacks are known on strings, vectors and series; {type(model).__name__} has "
            f"{kind or 'no metric'}.",
            advice="Fit a metric classifier on objects of these kinds, not on a matrix of "
            "distances or on a MetricSpace.",
            value=kind,
        )
    if not is_whole(max_questions, 1):
        raise InvalidInput(
            f"{setting('max_questions', max_questions)} is not a number of questions.",
            advice="Pass a whole number, 1 or more.",
            value=max_questions,
        )
    targets = _held(X, model, kind)
    others = targets if towards is None else _held(towards, model, kind)
    with without_names():
        labels, labels_of_others = model.predict(targets), model.predict(others)
        enemies = {
            label: sample.pick(others, np.flatnonzero(labels_of_others != label))
            for label in np.unique(labels)
        }
        allowed = _letters(targets, others) if kind == "strings" else _ranges(targets, others, kind)
        find: Any = attack_string if kind == "strings" else attack_numbers
        measure, attacks = model.radius_unit(unit).measure, []
        for place, label in enumerate(labels):
            search = AdversarialSearch(
                model, sample.pick_one(targets, place), label, max_questions, measure
            )
            nearest = model.nearest_change(search.target, unit) if kind == "strings" else None
            if nearest is not None and nearest[0] is not None:
                search.ask([nearest[0]], np.array([nearest[1]]))
            elif nearest is not None:
                pass  # nothing that could be found has another label
            elif len(model.classes_) > 1:
                find(search, enemies[label], allowed, np.random.default_rng([random_state, place]))
            attacks.append(search.attack())
    return attacks


def _held(objects: Objects, model: MetricClassifier, kind: str) -> Sample:
    """The objects, held so that each can be picked: strings as they are, vectors and series as the
    metric prepares them, of tables in the order of the columns that the model knows.
    """
    if kind == "strings":
        return sample.hold(read_sequences(objects))
    return model.metric_.prepare(model.admit_with_given(objects)[1])


def _letters(targets: Sample, others: Sample) -> list[Any]:
    """All letters, or tokens, in the order in which they first occur."""
    return list(
        dict.fromkeys(
            letter for strings in (targets, others) for string in strings for letter in string
        )
    )


def _ranges(targets: Sample, others: Sample, kind: str) -> NumberRanges:
    """The ranges of the numbers in both samples: of each coordinate of vectors, of all values of
    series.
    """
    if kind == "vectors":
        both = np.concatenate([targets, others])
        # of those that are there; NaN where none is, and stays
        return NumberRanges(np.fmin.reduce(both), np.fmax.reduce(both))
    values = np.concatenate([targets.values, others.values])
    return NumberRanges(values.min(), values.max())
