"""Digests that objects keep through what files and exports do to them."""

import unicodedata

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from wideberth.objects import sample
from wideberth.objects.digests import given_digests
from wideberth.objects.disguises import ROUNDINGS, ObjectDigests, plain_text

FLOATS = st.floats(-1e4, 1e4, allow_nan=False)


def digests(objects, kind="objects"):
    held = objects if scipy.sparse.issparse(objects) else sample.hold(objects)
    return ObjectDigests.of(given_digests(objects), None, held, kind)


@given(text=st.text(max_size=12))
def test_plain_texts_are_the_same_in_every_form(text):
    plain = plain_text(text)
    assert plain_text(plain) == plain
    forms = [
        f" {text}\r\n",
        f"\ufeff{text}",
        *(unicodedata.normalize(form, text) for form in ("NFC", "NFD", "NFKC", "NFKD")),
    ]
    assert {plain_text(form) for form in forms} == {plain}
    if any(letter.isalnum() for letter in text):
        assert {plain_text(form) for form in (f'"{text}"', f"{text}.", f"“{text}”")} == {plain}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("tea", "teas"),
        ("tea milk", "teamilk"),
        ("C#", "C"),
        ("a.b", "ab"),
        ("...", "."),
        ("-1", "1"),
    ],
)
def test_other_texts_stay_other_texts(one, other):
    assert plain_text(one) != plain_text(other)


def test_an_empty_cell_at_the_end_of_a_row_says_nothing():
    found = digests([("tea", ""), ("tea",), ("tea", "milk"), ("tea", "milk", "", "")]).texts
    assert found[0] == found[1] != found[2] == found[3]


def test_the_case_of_formulas_has_a_meaning():
    cyclohexane, benzene = "C1CCCCC1", "c1ccccc1"
    assert plain_text(cyclohexane, case=False) != plain_text(benzene, case=False)
    found = digests([cyclohexane, benzene, f"{benzene}\r"], "molecules").texts
    assert found[0] != found[1] == found[2]


@given(values=st.lists(FLOATS, min_size=1, max_size=5))
def test_rounding_twice_changes_nothing(values):
    """What was rounded in one way has the digest of what it was."""
    row = np.array([values])
    forms = {
        "single precision": row.astype("f4"),
        "half precision": row.astype("f2"),
        **{
            f"{places} decimal places": np.array(
                [[float(f"{value:.{places}f}") for value in values]]
            )
            for places in (4, 3, 2)
        },
        **{
            f"{count} significant digits": np.array(
                [[float(f"{value:.{count}g}") for value in values]]
            )
            for count in (6, 4, 2)
        },
    }
    mine = digests(row).rounded[0]
    names = list(ROUNDINGS)
    for name, form in forms.items():
        exact = ROUNDINGS[name](row)[0]
        near_a_tie = name[0].isdigit() and not np.array_equal(
            exact, ROUNDINGS[name](form.astype(float))[0]
        )
        again = digests(form).rounded[0]
        assert near_a_tie or again[names.index(name)] == mine[names.index(name)]


def test_a_row_has_the_same_digests_in_every_container():
    row = np.random.default_rng(0).normal(size=(3, 4))
    full = digests(row).rounded
    for form in (
        list(row),
        [each.tolist() for each in row],
        scipy.sparse.csr_array(row),
        row[:, None, :],
    ):
        np.testing.assert_array_equal(digests(form).rounded, full)
    wide = np.random.default_rng(1).normal(size=(2, 500))
    np.testing.assert_array_equal(
        digests(scipy.sparse.csr_array(wide)).rounded, digests(wide).rounded
    )


def test_numbers_in_mixed_objects_are_rounded_and_names_of_nodes_are_not():
    rows = [
        {"size": 1.23456, "count": 3, "kind": " Ash"},
        {"size": 1.23, "count": 3.0, "kind": "ash"},
    ]
    found = digests(rows, "rows")
    place = list(ROUNDINGS).index("2 decimal places")
    assert found.rounded[0, place] == found.rounded[1, place]
    assert found.rounded[0, 0] != found.rounded[1, 0]
    assert digests([{"nodes": ["a", "b"], "edges": [[0, 1]]}], "graphs").rounded is None
    assert (
        digests([[1e400, 10**400, float("nan"), True, None, "a"]]).rounded is None
    )  # nothing to round
    assert digests([[10**400, 1.5, float("nan"), True, None, "a"]]).rounded is not None


def test_objects_without_contents_have_none():
    held = sample.hold([object()])
    found = ObjectDigests.of(np.zeros(1, dtype=np.uint64), None, held, "objects")
    assert found.texts is found.rounded is found.cut is None


def test_digests_of_parts_are_those_of_the_whole():
    words = ["Tea", "rum", "ale"]
    whole, parts = digests(words), ObjectDigests.together([digests(words[:1]), digests(words[1:])])
    np.testing.assert_array_equal(whole.texts, parts.texts)
    np.testing.assert_array_equal(whole[np.array([2])].exact, digests(["ale"]).exact)
    assert len(parts) == 3
    assert ObjectDigests.together([digests(words), digests([1.0])]).texts is None
