"""Answers of folds that a runner computes: the same as here, ahead where workers are idle, with no
distance measured twice.
"""

import pickle
import threading
import warnings
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import pytest
from families import choosers

import wideberth
from wideberth.errors import GapWarning
from wideberth.estimators.choosing.cross_validation import Examination, _race
from wideberth.estimators.choosing.fold_answers import Answers, Fold, FoldAnswers, Variant
from wideberth.geometry.measure.parallel import on_one_core, running_on
from wideberth.progress import task
from wideberth.scaleout.shipping import SentDistances

RNG = np.random.default_rng(0)
WORDS = ["".join(RNG.choice(list("abcd"), size=size)) for size in RNG.integers(1, 9, size=80)]
KINDS = np.array([word.count("a") > word.count("b") for word in WORDS]) ^ (
    RNG.uniform(size=80) < 0.1
)
VALUES = np.array([1.0, 2.0, 3.0])
FOLDS = [Fold(np.setdiff1d(np.arange(40), part), part) for part in np.split(np.arange(40), 4)]


class Sending:
    """A runner that takes everything; each piece of work gets a copy of its own, as other processes
    do.
    """

    worth_starting = 0.0

    def __init__(self, jobs=3):
        self.jobs, self.sent = jobs, []

    def results(self, work, chunks, seconds_a_chunk):
        pickled = pickle.dumps(work)
        for chunk in chunks:
            self.sent.append((work.func.__name__, chunk))
            with on_one_core():
                result = pickle.loads(pickled)(chunk)
            yield result

    def with_distances(self, value, *, for_all_threads):
        return SentDistances(value, for_all_threads=for_all_threads)

    @property
    def places(self):
        """The folds and variants that it was asked for."""
        return [chunk for name, chunk in self.sent if name == "_answers_there"]


@dataclass(frozen=True, eq=False)
class Odd(Variant):
    """A variant whose answers depend on all values that are asked at once; value by value, it errs
    more.
    """

    number: int = 0

    def answers(self, fold, values):
        if self.number == 1:
            warnings.warn("coarse", GapWarning, stacklevel=1)
        right = (fold.left_out[None] % 10) >= 3.0 * (values[:, None] - 1) + self.number
        scores = np.stack([np.where(right, 1.0, 0.0), np.full(right.shape, 0.5)], axis=2)
        return Answers(np.array([0, 1]), scores, np.full(right.shape, values.sum() + self.number))


def odd_variants(**more):
    shared = SimpleNamespace(labels=np.zeros(40, dtype=int), weights=np.ones(40), metric=None)
    return [Odd({}, SimpleNamespace(n_jobs=1, **more), shared, number) for number in range(2)]


def raced(variants):
    seen = []

    def observer(fold, place, tried, answers):
        seen.append((fold, place, tried.tolist(), answers.losses.tolist()))

    with (
        warnings.catch_warnings(record=True, action="always") as warned,
        task("racing", 1) as racing,
    ):
        scores, losses = _race(
            VALUES,
            variants,
            Examination(FOLDS, None, None, False, None, None, observer=observer),
            racing,
        )
    return scores, losses, seen, [each.category for each in warned]


def test_answers_ahead_that_became_wrong_are_computed_again():
    here = raced(odd_variants())
    assert np.isnan(here[0]).any()
    assert not np.isnan(here[0]).all(axis=(0, 2)).any()
    runner = Sending(jobs=5)
    with running_on(runner):
        there = raced(odd_variants())
    for one, other in zip(here[:2], there[:2], strict=True):
        np.testing.assert_array_equal(one, other)
    assert here[2] == there[2]
    assert set(there[3]) == {GapWarning}
    assert runner.places[:5] == [
        (0, 1),
        (1, 0),
        (1, 1),
        (2, 0),
        (2, 1),
    ]  # the first answer was computed here
    assert len(set(runner.places)) < len(runner.places)


def test_answers_ahead_are_used_while_all_values_run():
    runner, running = Sending(jobs=4), np.ones((2, 3), dtype=bool)
    with running_on(runner):
        answered = FoldAnswers(VALUES, odd_variants(), FOLDS)
        for fold in range(4):
            following = [(later, place) for later in range(fold + 1, 4) for place in range(2)]
            with warnings.catch_warnings(action="ignore"):
                found = [
                    place for place, _ in answered.of([(fold, 0), (fold, 1)], running, following)
                ]
            assert found == [(fold, 0), (fold, 1)]
    assert runner.places == [(fold, place) for fold in range(4) for place in range(2)][1:]


def test_what_cannot_be_sent_stays_here():
    runner = Sending()
    with running_on(runner):
        found = raced(odd_variants(lock=threading.Lock()))
    assert not runner.sent
    np.testing.assert_array_equal(found[0], raced(odd_variants())[0])


CHOOSERS = [
    (wideberth.LipschitzClassifierCV, {"C": [1.5, 6.0, 1e-3]}),
    (wideberth.LPMachineClassifierCV, {"C": [2.0, 20.0], "radial": ["distance", "gaussian"]}),
    (
        wideberth.LPMachineClassifierCV,
        {"C": [2.0, 20.0], "radial": ["distance"], "references": WORDS[:20]},
    ),
    (wideberth.HilbertSVCCV, {"C": [1.0, 10.0], "width": ["100%", "50%"]}),
    (wideberth.LinearLipschitzClassifierCV, {"C": [0.1, 1.0], "edits": [0, 1], "metric": "ngrams"}),
    (
        wideberth.HilbertSVCCV,
        {"C": [1.0, 10.0], "width": ["100%"], "landmarks": 20, "repair": "clip"},
    ),
]
CHOOSERS += [
    (type(each), {"metric": each.metric})
    for each in choosers("strings")
    if type(each) not in {made for made, _ in CHOOSERS}
]
SCORINGS = [
    {},
    {"scoring": "balanced_accuracy"},
    {"scoring": "certified", "radius": 1.0, "unit": "edit"},
]


def length_difference(one, other):
    MEASURED.append((one, other))
    return float(abs(len(one) - len(other)) + (one[:1] != other[:1]))


MEASURED = []


def fitted(chooser, parameters, metric):
    weights = np.where(np.arange(80) % 3, 1.0, 2.0)
    model = chooser(**{"metric": metric, "cv": 3, "random_state": 0} | parameters).fit(
        WORDS, KINDS, weights
    )
    scores = {
        name: column
        for name, column in model.cv_results_.items()
        if name.startswith(("split", "mean"))
    }
    return model.best_params_, scores, model.decision_function(WORDS[:30])


def assert_same(one, other):
    assert one[0] == other[0]
    assert one[1].keys() == other[1].keys()
    for name in one[1]:
        np.testing.assert_array_equal(one[1][name], other[1][name], err_msg=name)
    np.testing.assert_array_equal(one[2], other[2])


@pytest.mark.few(1)
@pytest.mark.parametrize("scoring", SCORINGS, ids=lambda each: each.get("scoring", "accuracy"))
@pytest.mark.parametrize(("chooser", "parameters"), CHOOSERS)
def test_the_choice_is_the_same_elsewhere(chooser, parameters, scoring):
    if scoring.get("radius") and "landmarks" in parameters:
        pytest.skip("a repaired kernel has no radius")
    runner = Sending()
    here = fitted(chooser, parameters | scoring, "levenshtein")
    with running_on(runner):
        there = fitted(chooser, parameters | scoring, "levenshtein")
    assert_same(here, there)
    assert len(runner.places) >= 2


@pytest.mark.few(2)
@pytest.mark.parametrize(("chooser", "parameters"), CHOOSERS[:-2])
def test_no_distance_is_measured_twice(chooser, parameters):
    """Each pair once, as without a runner, though the folds were answered by copies."""
    metric, runner = (
        wideberth.metric(length_difference, accepts="strings", obeys_triangle=True),
        Sending(),
    )
    MEASURED.clear()
    here = fitted(chooser, parameters, metric)
    once = len(MEASURED)
    with running_on(runner):
        there = fitted(chooser, parameters, metric)
    assert_same(here, there)
    assert runner.places
    assert len(MEASURED) - once <= once


def test_the_space_of_a_user_goes_with_its_distances():
    space = wideberth.MetricSpace(
        WORDS, wideberth.metric(length_difference, accepts="strings", obeys_triangle=True)
    )
    chooser = wideberth.LPMachineClassifierCV(
        space.metric, C=[2.0, 20.0], radial=["distance", "laplace"], cv=3, random_state=0
    )
    here, runner = chooser.fit(space.index, KINDS).cv_results_["split2_test_score"], Sending()
    MEASURED.clear()
    with running_on(runner):
        there = chooser.fit(space.index, KINDS).cv_results_["split2_test_score"]
    np.testing.assert_array_equal(here, there)
    assert runner.places
    assert not MEASURED


def test_a_space_that_its_memory_does_not_hold_stays_here():
    space = wideberth.MetricSpace(WORDS, "levenshtein", max_memory=1000)
    chooser, runner = (
        wideberth.LipschitzClassifierCV(space.metric, C=[2.0, 6.0], cv=3, random_state=0),
        Sending(),
    )
    with running_on(runner):
        chooser.fit(space.index, KINDS)
    assert not runner.places
