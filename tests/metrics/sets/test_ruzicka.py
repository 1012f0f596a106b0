"""Ruzicka's distance: dictionaries, matrices and sparse matrices agree with the definition, with
scipy and with each other.
"""

import pickle
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.metrics import distances as twins
from oracles.metrics.weighted_sets import ruzicka
from scipy import sparse
from scipy.spatial.distance import cdist
from strategies import sets, weight_rows, weighted_sets

import wideberth
from wideberth.errors import InvalidInput
from wideberth.metrics.elements import Elements
from wideberth.metrics.sets.jaccard import Ruzicka
from wideberth.metrics.sets.multisets import Multisets

METRIC = Ruzicka()
DRINKS = [{"tea": 2, "milk": 1}, Counter(["tea", "rum"]), {}, {"rum": 0.5}]


@pytest.mark.kernels
@given(weighted_sets, weighted_sets)
@settings(max_examples=40, deadline=None)
def test_dictionaries_prepared_apart_equal_the_definition(left, right):
    expected = [[ruzicka(one, other) for other in right] for one in left]
    measured = METRIC.block(left, right)
    np.testing.assert_allclose(measured, expected, rtol=1e-12, atol=1e-15)
    np.testing.assert_array_equal(METRIC.block(right, left), measured.T)


@pytest.mark.kernels
@given(weight_rows, st.data())
@settings(max_examples=40, deadline=None)
def test_rows_sparse_rows_and_dictionaries_agree(rows, data):
    rows = (
        rows * data.draw(st.sampled_from([0, 1])) if len(rows) < 4 else np.where(rows < 20, 0, rows)
    )
    expected = [
        [ruzicka(dict(enumerate(one)), dict(enumerate(other))) for other in rows] for one in rows
    ]
    dense = METRIC.block(rows, rows)
    np.testing.assert_allclose(dense, expected, rtol=1e-12, atol=1e-15)
    np.testing.assert_array_equal(dense, dense.T)
    for kind in (sparse.csr_array, sparse.csc_matrix, sparse.coo_array):
        np.testing.assert_allclose(METRIC.block(kind(rows), rows), expected, rtol=1e-12, atol=1e-14)
        np.testing.assert_allclose(
            METRIC.block(rows, list(sparse.csr_matrix(kind(rows)))),
            expected,
            rtol=1e-12,
            atol=1e-14,
        )
    named = [dict(enumerate(row)) for row in rows]  # weights of zero among them
    np.testing.assert_allclose(METRIC.block(named, named), expected, rtol=1e-12, atol=1e-14)


@given(weight_rows)
@settings(max_examples=30, deadline=None)
def test_scipy_knows_a_monotone_function_of_it(rows):
    rows = rows + 0.1
    bray_curtis = cdist(rows, rows, "braycurtis")
    np.testing.assert_allclose(
        METRIC.block(rows, rows), 2 * bray_curtis / (1 + bray_curtis), rtol=1e-12, atol=1e-14
    )


@given(sets)
@settings(max_examples=30, deadline=None)
def test_weights_of_one_make_it_jaccard(objects):
    weighted = [dict.fromkeys(tokens, 1) for tokens in objects]
    expected = [[twins.jaccard(one, other) for other in objects] for one in objects]
    np.testing.assert_allclose(METRIC.block(weighted, weighted), expected, rtol=1e-12, atol=1e-15)


@given(weighted_sets, st.sampled_from([0.37, 3.0, 1e-200, 1e200]))
@settings(max_examples=30, deadline=None)
def test_the_unit_of_the_weights_does_not_matter(objects, unit):
    scaled = [{token: unit * weight for token, weight in weights.items()} for weights in objects]
    np.testing.assert_allclose(
        METRIC.block(scaled, scaled), METRIC.block(objects, objects), rtol=1e-9, atol=1e-12
    )


def test_weights_of_zero_do_not_count():
    assert METRIC({"tea": 1, "rum": 0}, {"tea": 1}) == 0
    assert METRIC({"rum": 0}, {}) == 0
    explicit = sparse.csr_array(
        (np.array([1.0, 0.0]), np.array([0, 1]), np.array([0, 2])), shape=(1, 2)
    )
    assert METRIC.block(explicit, [[1.0, 0.0]])[0, 0] == 0


def test_repeated_entries_of_a_sparse_matrix_are_added():
    repeated = sparse.coo_array(
        (np.array([1.0, 2.0]), (np.array([0, 0]), np.array([1, 1]))), shape=(1, 2)
    )
    assert METRIC.block(repeated, [[0.0, 3.0]])[0, 0] == 0


def test_forms_of_objects():
    rows = [[2, 1, 0], [1, 0, 1]]
    for table in (
        rows,
        np.array(rows),
        np.asfortranarray(rows, dtype=np.float32),
        pd.DataFrame(rows),
        sparse.csr_array(rows),
    ):
        assert METRIC.block(table, table)[0, 1] == 0.75
    assert METRIC.block(DRINKS, DRINKS)[0].tolist() == [0, 0.75, 1, 1]
    assert METRIC.block([], DRINKS).shape == (0, 4)
    assert METRIC.block([], np.ones((2, 3))).shape == (0, 2)


def test_a_matrix_that_cannot_be_written_is_measured():
    rows = np.eye(3)
    rows.setflags(write=False)
    assert METRIC.block(rows, rows)[0].tolist() == [0, 1, 1]


@pytest.mark.parametrize(
    "indices", [slice(1, 3), slice(0, 0), slice(3, 1), slice(None, None, 2), [3, 0, 0], []]
)
def test_take_picks_like_a_list(indices):
    prepared = METRIC.prepare(DRINKS)
    picked = prepared.take(indices)
    wanted = np.arange(4)[indices]
    assert isinstance(picked, Multisets)
    assert len(picked) == len(wanted)
    np.testing.assert_array_equal(
        METRIC.block(picked, prepared), METRIC.block(DRINKS, DRINKS)[wanted]
    )
    np.testing.assert_array_equal(
        METRIC.block(DRINKS, picked), METRIC.block(DRINKS, DRINKS)[:, wanted]
    )


def test_prepared_sets_survive_pickle_and_plain_values():
    prepared = METRIC.prepare(DRINKS)
    for copy in (
        pickle.loads(pickle.dumps(prepared)),
        Multisets.from_plain(prepared.take([0, 1, 2, 3]).plain()),
    ):
        np.testing.assert_array_equal(METRIC.block(copy, prepared), METRIC.block(DRINKS, DRINKS))


@pytest.mark.parametrize(
    "change",
    [
        {"numbers": np.array([1.5, 2.0, 3.0])},
        {"numbers": np.array([0, 1, 3])},
        {"numbers": np.array([-1, 1, 2])},
        {"elements": {"letters": np.zeros(6, dtype=np.uint32), "starts": np.array([0, 2, 4, 6])}},
        {"elements": {"letters": np.arange(6, dtype=np.uint32), "starts": np.array([0, 2, 4, 7])}},
        {"elements": {"letters": np.arange(3, dtype=np.uint32), "starts": np.array([0, 1, 2, 3])}},
        {"elements": None},
        {"weights": np.array([1.0, -1.0, 1.0])},
        {"weights": np.array([1.0, np.nan, 1.0])},
        {"weights": np.array([1e308, 1e308, 1e308])},
        {"weights": np.ones(2)},
        {"starts": np.array([0, 4])},
        {"columns": 2},
        {"columns": "three"},
    ],
    ids=str,
)
def test_plain_values_that_make_no_sets_are_refused(change):
    elements = Elements.of_numbers(np.arange(3))[0].plain()
    plain = {
        "elements": elements,
        "numbers": np.arange(3),
        "weights": np.ones(3),
        "starts": np.array([0, 3]),
        "columns": 3,
    }
    assert len(Multisets.from_plain(plain)) == 1
    with pytest.raises(
        ValueError,
        match=r"flat array|offsets|columns|needed|weights are positive|others have weights|repeat",
    ):
        Multisets.from_plain(plain | change)


@pytest.mark.parametrize(
    ("objects", "message"),
    [
        (np.array([[1.0, -0.5]]), r"object 0 has -0.5 at column 1\. Shift or clip"),
        (np.array([[1.0], [np.nan]]), "object 1 has nan at column 0"),
        (np.array([[1e308, 1e308]]), r"with a finite sum: object 0 has 1e\+308 at column 0"),
        (sparse.csr_array([[1.0, 0.0], [0.0, -2.0]]), "object 1 has -2.0 at column 1"),
        (sparse.csr_array([[1.0, np.nan]]), "object 0 has nan at column 1"),
        ([{"tea": 1}, {"tea": -1}], "object 1 has -1 at token 'tea'"),
        ([{"tea": 1}, {"tea": np.inf}], "object 1 has inf at token 'tea'"),
        ([{"tea": 1}, {"tea": "two"}], "object 1 has 'two' at token 'tea'"),
        ([{"tea": 1}, {"tea": None}], "object 1 has None at token 'tea'"),
        ([{"tea": 1}, {"tea": [1, 2]}], r"object 1 has \[1, 2\] at token 'tea'"),
        (
            [{"tea": 1}, ["tea"]],
            r"Object 1 is not a dictionary token -> weight: \['tea'\]\. Count the tokens",
        ),
        (
            [{"tea": 1}, {wideberth: 1}],
            "Object 1 has a token that cannot be recognised again: module",
        ),
        ([{float("nan"): 1}], "NaN equals nothing"),
        ([["tea", "rum"]], "not a vector of numbers"),
    ],
)
@pytest.mark.filterwarnings("ignore:overflow")
def test_refused_objects_are_named(objects, message):
    with pytest.raises(InvalidInput, match=message):
        METRIC.block(objects, objects)


def test_the_advice_works():
    assert METRIC(Counter(["tea"]), Counter(["tea", "tea"])) == 0.5
    assert METRIC.block(np.maximum([[1.0, -0.5]], 0), [[1.0, 0.0]])[0, 0] == 0


def test_samples_must_fit_each_other():
    with pytest.raises(InvalidInput, match="Rows of 2 and of 3 weights"):
        METRIC.block([[1, 2]], [[1, 2, 3]])
    with pytest.raises(InvalidInput, match="Rows of 2 and of 3 weights"):
        METRIC.block([[1, 2]], sparse.csr_array([[1, 2, 3]]))
    with pytest.raises(InvalidInput, match="by token and weights by column"):
        METRIC.block([[1, 2]], [{0: 1}])


def test_huge_whole_numbers_may_be_tokens_and_weights():
    assert METRIC({2**70: 2**70}, {2**70: 2**71}) == 0.5


def test_a_classifier_takes_sparse_rows_and_keeps_them(tmp_path):
    counts = np.random.default_rng(0).integers(0, 3, (12, 5))
    model = wideberth.NeighborsClassifier("ruzicka", n_neighbors=1).fit(
        sparse.csr_array(counts), [0, 1] * 6
    )
    wideberth.save(model, tmp_path / "counts.wb")
    loaded = wideberth.load(tmp_path / "counts.wb")
    np.testing.assert_array_equal(loaded.predict(counts), model.predict(sparse.csr_array(counts)))
