"""Digests recognise an object in whatever form it comes, and tell different ones apart."""

from dataclasses import dataclass
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import letters, objects_of

from wideberth.objects import digests
from wideberth.objects.digests import joint_digest, object_digests, row_digests
from wideberth.objects.disguises import (
    bag_digests,
    multiset_digests,
    ragged_digests,
    rounded_digests,
)
from wideberth.objects.sample import hold


def digest(thing):
    return object_digests(hold([thing]))[0]


@dataclass
class Drink:
    name: str
    strength: float


class Bare:
    __slots__ = ()


@pytest.mark.parametrize(
    "forms",
    [
        [
            [1, 2, 3],
            (1.0, 2.0, 3.0),
            np.array([1, 2, 3]),
            np.array([[1.0, 2.0, 3.0]]),
            [True, 2, 3],
            np.float32([1, 2, 3]),
        ],
        ["tea", b"tea", ["t", "e", "a"], np.str_("tea"), ("t", "e", "a")],
        ["", [], (), b""],
        [1, 1.0, True, np.int8(1), [1]],
        [0.0, -0.0],
        [{1, 2, "tea"}, frozenset(["tea", 2.0, 1])],
        [{"a": [1, 2], "b": "x"}, {"b": "x", "a": (1, 2)}, {"b": "x", "a": np.array([1.0, 2.0])}],
        [["root", [["leaf", []]]], ("root", (("leaf", ()),))],
        [Drink("tea", 1), Drink("tea", 1.0)],
        [2**70, 2**70 + 0],
        [[[1, 2], [3]], ((1, 2), [3.0])],
    ],
)
def test_an_object_is_the_same_in_all_its_forms(forms):
    assert len({digest(form) for form in forms}) == 1


def test_a_sample_is_the_same_in_all_its_forms():
    rows = np.arange(12.0).reshape(4, 3)
    forms = [
        rows,
        rows.tolist(),
        np.asfortranarray(rows),
        rows.astype(np.int32),
        pd.DataFrame(rows),
        list(rows),
    ]
    assert len({object_digests(hold(form)).tobytes() for form in forms}) == 1
    frame = pd.DataFrame({"a": [1, 2], "b": ["x", "y"]})
    assert (
        object_digests(hold(frame)).tolist() == object_digests(hold([[1, "x"], [2, "y"]])).tolist()
    )


def test_different_objects_differ():
    things = [
        "tea",
        "tee",
        "eat",
        ["tea"],
        ["te", "a"],
        1,
        2,
        [1, 2],
        [2, 1],
        [1, 2, 0],
        0,
        {"tea"},
        {"t", "e", "a"},
        None,
    ]
    things += [
        {"tea": 1},
        {"tea": 2},
        {1: "tea"},
        ["root", [["leaf", []]]],
        ["root", [["leaf", []], ["leaf", []]]],
        2**70,
        1j,
    ]
    things += [Drink("tea", 1), Drink("tea", 2), [[1, 2], [3]], [[1], [2, 3]]]
    assert len({digest(thing) for thing in things}) == len(things)


def test_rows_of_small_whole_numbers_differ():
    rows = np.array(list(product([0.0, 1.0, 2.0, -1.0], repeat=8)))
    assert len(np.unique(row_digests(rows))) == len(rows)


def test_one_bit_makes_a_difference():
    row = np.ones(5)
    bits = [row.copy() for _ in range(5 * 64)]
    for place, flipped in enumerate(bits):
        flipped.view(np.uint64)[place // 64] ^= np.uint64(1) << np.uint64(place % 64)
    finite = [flipped for flipped in bits if np.isfinite(flipped).all()]
    assert len(np.unique(row_digests(np.array([row, *finite])))) == len(finite) + 1


def test_what_is_digested_at_once_does_not_matter(monkeypatch):
    rows = np.random.default_rng(0).normal(size=(50, 7))
    whole = row_digests(rows)
    monkeypatch.setattr(digests, "_CHUNK", 10)
    np.testing.assert_array_equal(row_digests(rows), whole)
    np.testing.assert_array_equal([row_digests(row[None, :])[0] for row in rows], whole)


@given(st.lists(st.text(letters, max_size=5), min_size=2, max_size=8))
def test_texts_are_told_apart(texts):
    found = object_digests(hold(texts))
    np.testing.assert_array_equal(
        found[:, None] == found, [[one == other for one in texts] for other in texts]
    )


@pytest.mark.parametrize("metric", sorted(set(objects_of) - {"precomputed"}))
@given(st.data())
@settings(max_examples=3, deadline=None)
def test_objects_of_every_metric_are_recognised(metric, data):
    objects = data.draw(objects_of[metric])
    found = object_digests(hold(objects))
    again = object_digests(hold(list(reversed(list(objects)))))
    np.testing.assert_array_equal(found, again[::-1])


def test_what_does_not_show_what_it_holds_is_not_recognised():
    assert object_digests(hold([object()])) is None
    assert object_digests(hold([["tea", Bare()]])) is None
    loop = []
    loop.append(loop)
    assert object_digests(hold([loop])) is None


def test_what_is_no_number_is_known_again_whatever_its_bits():
    other = np.array([0xFFF8000000000000], dtype=np.uint64).view(np.float64)[
        0
    ]  # as processors make it of 0 / 0
    assert np.isnan(other)
    assert row_digests(np.array([[1.0, np.nan]])) == row_digests(np.array([[1.0, other]]))


def test_files_count_on_these_numbers():
    """They stand in model files: a change would make all training objects new ones."""
    assert row_digests(np.array([[1.0, 2.5]])).tolist() == [ROW]
    assert [int(digest(item)) for item in ("tea", {"tea"}, ["tea", 1], {"tea": 1})] == OTHERS
    assert (
        joint_digest(np.array([1, 2], dtype=np.uint64), np.array([3, 4], dtype=np.uint64)) == JOINT
    )


ROW, JOINT = 417070436813706953, 16105191802849202815
OTHERS = [6049212282459940654, 14179922437780911880, 2071837348649832567, 5607651068574254082]


def test_nothing_has_no_digests_and_empty_objects_have_one():
    nothing = np.array([0])
    assert len(rounded_digests(np.empty((0, 3)))) == len(rounded_digests(np.empty((0, 2, 2)))) == 0
    assert (
        len(ragged_digests(np.empty(0), nothing))
        == len(bag_digests(np.empty((0, 2)), nothing))
        == 0
    )
    empty = np.array([0, 0, 0])
    for found in (
        ragged_digests(np.empty(0), empty),
        multiset_digests(np.empty(0, dtype=np.int64), np.empty(0), empty),
    ):
        assert found[0] == found[1]
