"""The same thing has the same fingerprint in every process; different things have different
ones.
"""

import contextlib
import functools
import importlib
import itertools
import pickle
import pkgutil
import subprocess
import sys
import threading

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import letters

import wideberth
import wideberth.metrics
from wideberth import transforms
from wideberth.errors import InvalidInput
from wideberth.geometry.space.fingerprint import fingerprint
from wideberth.geometry.space.tiled_distances import BlockPart
from wideberth.metrics.containers import cut
from wideberth.metrics.functions import PairFunction
from wideberth.metrics.metric import Metric, Promises
from wideberth.metrics.named import METRICS


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

    return [
        *made,
        *map(scaled, closed),
        lambda one, other: abs(one - other),
        lambda one, other: abs(other + one),
    ]


DIFFERENT = [
    *[
        "",
        "tea",
        b"tea",
        Word("tea"),
        word("tea", "en"),
        1,
        1.0,
        True,
        None,
        np.float64(1),
        np.float32(1),
        1j,
        ...,
    ],
    *[
        ["tea", "rum"],
        ("tea", "rum"),
        ["tear", "um"],
        ["tearum"],
        [["tea"], "rum"],
        [["tea", "rum"]],
        [],
    ],
    *[
        [1, 2],
        [12],
        [1.0, 2.0],
        [1, 2.0],
        [None, 1],
        {"tea", "rum"},
        frozenset({"tea", "rum"}),
        {"tea": 1},
        {"tea": 2},
    ],
    *[{"tea": 1, "rum": 2}, {"rum": 2, "tea": 1}],
    *[np.arange(4), np.arange(4.0), np.arange(4).reshape(2, 2), np.array([{1}, "a"], dtype=object)],
    np.array([(1, "a")], dtype=[("x", int), ("y", object)]),
    *[pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}), pd.DataFrame({"a": [1, 2], "c": ["x", "y"]})],
    *[
        pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}, index=["tea", "rum"]),
        pd.Series([1, 2]),
        pd.Series([1, 2], index=[1, 0]),
    ],
    *[
        np.ma.array([1, 2], mask=[True, False]),
        np.ma.array([1, 2], mask=[False, True]),
        np.matrix([1, 2]),
    ],
    *[Thing(1), Thing(2), Gap(1), Gap(2), Gap(1).measure, Gap(2).measure],
    *[
        wideberth.metric("minkowski", p=3),
        wideberth.metric("minkowski", p=4),
        wideberth.metric("euclidean"),
    ],
    *[OwnMetric(), OwnMetric(2.0), wideberth.metric(Gap(1)), wideberth.metric(Gap(2))],
    *functions(),
    *[
        max,
        min,
        np.add,
        np.subtract,
        Gap,
        Thing,
        functools.partial(Gap(1), 2),
        functools.partial(Gap(1), 3),
    ],
    *[functools.lru_cache(functions()[0]), functools.lru_cache(functions()[1])],
]


def test_different_things_have_different_fingerprints():
    prints = [fingerprint(thing) for thing in DIFFERENT]
    for (one, first), (other, second) in itertools.combinations(
        zip(DIFFERENT, prints, strict=True), 2
    ):
        assert first != second, (one, other)


def test_the_same_thing_has_the_same_fingerprint():
    assert [fingerprint(thing) for thing in DIFFERENT] == [
        fingerprint(thing) for thing in DIFFERENT
    ]
    assert [fingerprint(thing) for thing in functions()] == [
        fingerprint(thing) for thing in functions()
    ]
    assert fingerprint({"rum", "tea"}) == fingerprint({"tea", "rum"})
    assert fingerprint({"a": 1, "b": 2}) == fingerprint(dict(zip("ab", (1, 2), strict=True)))
    assert fingerprint(np.arange(6).reshape(2, 3).T) == fingerprint(
        np.arange(6).reshape(2, 3).T.copy()
    )


def with_attrs(frame, **attached):
    frame.attrs.update(attached)
    return frame


def graded(order, **options):
    return pd.Series(["low", "mid"], dtype=pd.CategoricalDtype(order, **options))


def frames(series):
    """A column, frames that hold it as values, and some that hold it as labels."""
    return [
        series,
        series.to_frame("a"),
        pd.DataFrame({"a": series, "b": [1, 2]}),
        pd.Series([1, 2], index=pd.Index(series)),
    ]


#: Pairs with the same values as an array.
ALIKE_AS_ARRAYS = {
    "order of categories": (graded(["low", "mid"]), graded(["mid", "low"])),
    "unused categories": (graded(["low", "mid"]), graded(["low", "mid", "high"])),
    "ordered categories": (graded(["low", "mid"]), graded(["low", "mid"], ordered=True)),
    "categories or texts": (graded(["low", "mid"]), pd.Series(["low", "mid"], dtype=object)),
    "width of numbers": (pd.Series([1, 2], dtype="int64"), pd.Series([1, 2], dtype="int32")),
    "nullable numbers": (pd.Series([1, 2], dtype="int64"), pd.Series([1, 2], dtype="Int64")),
    "time zones": (pd.Series(pd.to_datetime([0, 1])), pd.Series(pd.to_datetime([0, 1], utc=True))),
}


@pytest.mark.parametrize(("one", "other"), ALIKE_AS_ARRAYS.values(), ids=ALIKE_AS_ARRAYS)
def test_types_of_columns_count(one, other):
    for first, second in zip(frames(one), frames(other), strict=True):
        assert fingerprint(first) == fingerprint(first.copy()) != fingerprint(second)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (pd.Series([1, 2]), pd.Series([1, 2], name="a")),
        (pd.Series([1, 2]), with_attrs(pd.Series([1, 2]), unit="m")),
        (pd.DataFrame({"a": [1]}), with_attrs(pd.DataFrame({"a": [1]}), unit="m")),
        (
            pd.Series([1, 2], index=pd.Index([3, 4])),
            pd.Series([1, 2], index=pd.Index([3, 4], name="a")),
        ),
        (
            pd.DataFrame([[1]], columns=pd.Index(["a"])),
            pd.DataFrame([[1]], columns=pd.Index(["a"], name="b")),
        ),
        (
            pd.MultiIndex.from_tuples([(1, 2)], names=["a", "b"]),
            pd.MultiIndex.from_tuples([(1, 2)], names=["a", "c"]),
        ),
        (pd.Series([1]), pd.Series([1]).to_frame()),
        (pd.Series([1]), pd.Index([1])),
        # numbers that are the same after conversion to a common type
        (pd.DataFrame({"a": [2**53], "b": [0.5]}), pd.DataFrame({"a": [2**53 + 1], "b": [0.5]})),
        (pl.Series(["a"], dtype=pl.Enum(["a", "b"])), pl.Series(["a"], dtype=pl.Enum(["b", "a"]))),
        (pl.Series("a", [1]), pl.Series("b", [1])),
        (pl.DataFrame({"a": [2**53], "b": [0.5]}), pl.DataFrame({"a": [2**53 + 1], "b": [0.5]})),
        (pa.array([1, 2], pa.int64()), pa.array([1, 2], pa.int32())),
        (pa.array(["a"]).dictionary_encode(), pa.array(["a"])),
    ],
)
def test_all_of_a_frame_counts(one, other):
    assert fingerprint(one) == fingerprint(pickle.loads(pickle.dumps(one))) != fingerprint(other)


class Convertible(Gap):
    """A distance that is no data frame, though it has a method of one."""

    def to_numpy(self):
        return np.zeros(1)


def test_a_method_of_data_frames_makes_none():
    assert fingerprint(Convertible(1)) == fingerprint(Convertible(1)) != fingerprint(Convertible(2))
    assert fingerprint(Convertible(1).to_numpy) != fingerprint(Convertible(2).to_numpy)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.one_of(st.text(letters), st.integers(), st.floats(allow_nan=False)), max_size=4),
    st.data(),
)
def test_lists_are_told_apart(things, data):
    other = data.draw(st.permutations(things))
    same = [(type(thing), thing) for thing in things] == [
        (type(thing), thing) for thing in other
    ] and repr(things) == repr(other)
    assert (fingerprint(things) == fingerprint(other)) == same


@pytest.mark.slow
def test_another_process_recognises_sets_and_texts():
    code = "from wideberth.geometry.space.fingerprint import fingerprint as f"
    code += "; print(f([{'tea', 'rum', 'milk'}, 'ß\\ud800', {'a': 1.5}]))"
    prints = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": seed},
        ).stdout.strip()
        for seed in ("1", "2")
    }
    assert prints == {fingerprint([{"tea", "rum", "milk"}, "ß\ud800", {"a": 1.5}])}


def test_a_metric_of_ours_is_known_by_the_version_too(monkeypatch):
    before = fingerprint(wideberth.metric("euclidean"))
    monkeypatch.setattr(wideberth, "__version__", "99.0")
    assert fingerprint(wideberth.metric("euclidean")) != before


#: What caches on disk are called, with version 0.1.0 of the library: a change orphans them.
GOLDEN = [
    (wideberth.metric("euclidean"), "8ec8f012e3b976baf14c6e24e4a540fe6598bd92"),
    (wideberth.metric("minkowski", p=3), "14564fd473beea3d8ba1f099bfa4531c0122c95b"),
    (wideberth.metric("levenshtein"), "1fa9bbb580057f99248bb15a2f48f0d56a7771fc"),
    (
        wideberth.metric("weighted_edit", gaps={"e": 0.5}),
        "0ba0803abe167c993b0d2fa1d9f2e8c73a1bb1af",
    ),
    (
        wideberth.metric("precomputed", distances=np.array([[0.0, 2.0], [2.0, 0.0]])),
        "cec0b0722f645cb1fdbc94607b0a2d1f7a140083",
    ),
    (transforms.cap("levenshtein", 10), "f93d37570e9099ab35e22640bde3e1bc4ebcb5c0"),
    (
        transforms.total("manhattan", transforms.scale("chebyshev", 2.0)),
        "ce4a143f51a1f2fb199c48c6ab8256e9fe5bf769",
    ),
    (
        transforms.product({"name": "levenshtein", "age": "euclidean"}, weights={"age": 0.1}),
        "7a9860a007dbfbc4193e4f6acdd29b1fe140d4d8",
    ),
]


@pytest.mark.parametrize(("metric", "known"), GOLDEN, ids=repr)
def test_metrics_keep_their_fingerprints(metric, known, monkeypatch):
    monkeypatch.setattr(wideberth, "__version__", "0.1.0")
    assert fingerprint(metric) == known


@contextlib.contextmanager
def called(thing, **names):
    """A class or a function with other names and another module, for a while."""
    before = {name: getattr(thing, name) for name in names}
    try:
        for name, value in names.items():
            setattr(thing, name, value)
        yield
    finally:
        for name, value in before.items():
            setattr(thing, name, value)


@pytest.mark.parametrize("metric", [metric for metric, _ in GOLDEN], ids=repr)
def test_a_metric_of_the_tables_may_move_and_its_class_may_change_its_name(metric):
    before = fingerprint(metric)
    with called(
        type(metric), __module__="wideberth.elsewhere", __name__="Renamed", __qualname__="Renamed"
    ):
        assert fingerprint(metric) == before


def own_distance(one, other):
    return abs(one - other)


PREPARED = [
    wideberth.metric(name).prepare(objects)
    for name, objects in [
        ("levenshtein", ["tea", "rum"]),
        ("levenshtein", [["tea", 1], ["rum", 2]]),
        ("jaccard", [{1, 2}, {3}]),
        ("msm", [[1.0, 2.0], [3.0]]),
        ("tree_edit", [["a", [["b", []]]]]),
    ]
]


@pytest.mark.parametrize(
    ("thing", "moved"),
    [
        *((prepared, type(prepared)) for prepared in PREPARED),
        (transforms.total("manhattan", "chebyshev").prepare([[1.0, 2.0]]), type(PREPARED[0])),
        (Promises(step=1.0), Promises),
        (BlockPart(0, 1, 2, slice(1, 2)), BlockPart),
        (Promises, Promises),
        (cut, cut),
        ([Thing(cut)], cut),
        ([Thing(Promises(step=1.0))], Promises),
        (Metric(own_distance), Metric),
        (PairFunction(own_distance), PairFunction),
        (Metric(wideberth.metric("euclidean").block), Metric.block),
    ],
    ids=lambda thing: getattr(thing, "__name__", type(thing).__name__),
)
def test_whatever_of_ours_may_move(thing, moved):
    before = fingerprint(thing)
    with called(moved, __module__="wideberth.elsewhere"):
        assert fingerprint(thing) == before


@pytest.mark.parametrize(
    ("thing", "moved"),
    [(OwnMetric(), OwnMetric), (own_distance, own_distance), (Gap, Gap)],
    ids=["metric", "function", "class"],
)
def test_the_module_of_a_stranger_counts(thing, moved):
    before = fingerprint(thing)
    with called(moved, __module__="another_stranger"):
        assert fingerprint(thing) != before


def test_a_stranger_with_a_name_of_ours_is_another():
    class Euclidean(METRICS["euclidean"]):
        pass

    with called(Euclidean, __qualname__="Euclidean"):
        assert fingerprint(Euclidean()) != fingerprint(METRICS["euclidean"]())


def test_metrics_and_prepared_samples_of_ours_differ_in_their_names():
    modules = [
        module.name
        for module in pkgutil.walk_packages(wideberth.metrics.__path__, "wideberth.metrics.")
    ]
    found = {
        value
        for module in modules
        for value in vars(importlib.import_module(module)).values()
        if isinstance(value, type)
    }
    kept = [
        cls
        for cls in found
        if cls.__module__.startswith("wideberth.")
        and (issubclass(cls, Metric) or hasattr(cls, "take"))
    ]
    assert len({cls.__qualname__ for cls in kept}) == len(kept) > len(METRICS)


def test_code_that_was_edited_is_other_code(monkeypatch):
    before = fingerprint(OwnMetric())
    monkeypatch.setattr(
        OwnMetric, "_measure", lambda self, left, right: 2 * np.abs(np.subtract.outer(left, right))
    )
    assert fingerprint(OwnMetric()) != before


def test_what_cannot_be_recognised_is_refused():
    endless = []
    endless.append(endless)
    for thing in (threading.Lock(), endless, lambda one, other: endless):
        with pytest.raises(InvalidInput, match="cache=None"):
            fingerprint([thing])
