"""The same thing has the same fingerprint in every process; different things have different ones."""

import functools
import itertools
import subprocess
import sys
import threading

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wideberth
from wideberth.errors import InvalidInput
from wideberth.geometry.fingerprint import fingerprint
from wideberth.metrics.metric import Metric


class Word(str):
    """A text that holds more than its letters."""

    def __init__(self, text):
        self.language = None


class Thing:
    def __init__(self, size):
        self.size = size


class Gap:
    def __init__(self, factor):
        self.factor = factor

    def __call__(self, one, other):
        return self.factor * abs(one - other)

    def measure(self, one, other):
        return self(one, other)


class OwnMetric(Metric):
    def __init__(self, factor=1.0):
        self.factor = factor

    def _measure(self, left, right):
        return self.factor * np.abs(np.subtract.outer(left, right))


def word(text, language):
    made = Word(text)
    made.language = language
    return made


def functions():
    closed = [2.0, 3.0]
    made = [(lambda one, other, factor=factor: factor * abs(one - other)) for factor in closed]

    def scaled(factor):
        return lambda one, other: factor * abs(one - other)

    return [*made, *map(scaled, closed), lambda one, other: abs(one - other), lambda one, other: abs(other + one)]


DIFFERENT = [
    *["", "tea", b"tea", Word("tea"), word("tea", "en"), 1, 1.0, True, None, np.float64(1), np.float32(1), 1j, ...],
    *[["tea", "rum"], ("tea", "rum"), ["tear", "um"], ["tearum"], [["tea"], "rum"], [["tea", "rum"]], []],
    *[[1, 2], [12], [1.0, 2.0], [1, 2.0], [None, 1], {"tea", "rum"}, frozenset({"tea", "rum"}), {"tea": 1}, {"tea": 2}],
    *[np.arange(4), np.arange(4.0), np.arange(4).reshape(2, 2), np.array([{1}, "a"], dtype=object)],
    np.array([(1, "a")], dtype=[("x", int), ("y", object)]),
    *[pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}), pd.DataFrame({"a": [1, 2], "c": ["x", "y"]})],
    *[Thing(1), Thing(2), Gap(1), Gap(2), Gap(1).measure, Gap(2).measure],
    *[wideberth.metric("minkowski", p=3), wideberth.metric("minkowski", p=4), wideberth.metric("euclidean")],
    *[OwnMetric(), OwnMetric(2.0), wideberth.metric(Gap(1)), wideberth.metric(Gap(2))],
    *functions(),
    *[max, min, np.add, np.subtract, Gap, Thing, functools.partial(Gap(1), 2), functools.partial(Gap(1), 3)],
    *[functools.lru_cache(functions()[0]), functools.lru_cache(functions()[1])],
]


def test_different_things_have_different_fingerprints():
    prints = [fingerprint(each) for each in DIFFERENT]
    for (one, first), (other, second) in itertools.combinations(zip(DIFFERENT, prints, strict=True), 2):
        assert first != second, (one, other)


def test_the_same_thing_has_the_same_fingerprint():
    assert [fingerprint(each) for each in DIFFERENT] == [fingerprint(each) for each in DIFFERENT]
    assert [fingerprint(each) for each in functions()] == [fingerprint(each) for each in functions()]
    assert fingerprint({"rum", "tea"}) == fingerprint({"tea", "rum"})
    assert fingerprint({"a": 1, "b": 2}) == fingerprint({"b": 2, "a": 1})
    assert fingerprint(np.arange(6).reshape(2, 3).T) == fingerprint(np.arange(6).reshape(2, 3).T.copy())


@settings(max_examples=40, deadline=None)
@given(st.lists(st.one_of(st.text(), st.integers(), st.floats(allow_nan=False)), max_size=4), st.data())
def test_lists_are_told_apart(things, data):
    other = data.draw(st.permutations(things))
    same = [(type(each), each) for each in things] == [(type(each), each) for each in other] and repr(things) == repr(other)
    assert (fingerprint(things) == fingerprint(other)) == same


def test_another_process_recognises_sets_and_texts():
    code = (
        "from wideberth.geometry.fingerprint import fingerprint as f; print(f([{'tea', 'rum', 'milk'}, 'ß\\ud800', {'a': 1.5}]))"
    )
    prints = {
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": seed}
        ).stdout.strip()
        for seed in ("1", "2")
    }
    assert prints == {fingerprint([{"tea", "rum", "milk"}, "ß\ud800", {"a": 1.5}])}


def test_a_metric_of_ours_is_known_by_the_version_too(monkeypatch):
    before = fingerprint(wideberth.metric("euclidean"))
    monkeypatch.setattr(wideberth, "__version__", "99.0")
    assert fingerprint(wideberth.metric("euclidean")) != before


def test_code_that_was_edited_is_other_code(monkeypatch):
    before = fingerprint(OwnMetric())
    monkeypatch.setattr(OwnMetric, "_measure", lambda self, left, right: 2 * np.abs(np.subtract.outer(left, right)))
    assert fingerprint(OwnMetric()) != before


def test_what_cannot_be_recognised_is_refused():
    endless = []
    endless.append(endless)
    for thing in (threading.Lock(), endless, lambda one, other: endless):
        with pytest.raises(InvalidInput, match="cache=None"):
            fingerprint([thing])
