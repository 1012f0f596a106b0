"""Transforms of metrics: their values on objects of every kind, and promises kept after any of
them.
"""

from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.metrics import transforms as twins
from strategies import hilbertian_matrices, metric_matrices, objects_of, table_rows, vectors, words

import wideberth
from wideberth import transforms
from wideberth.checks import check_metric
from wideberth.errors import InvalidInput
from wideberth.metrics.tables.gower import Gower
from wideberth.metrics.transforms.metric_preserving import Capped, Power

KINDS = ["euclidean", "manhattan", "chebyshev", "levenshtein", "hamming", "jaccard", "gower"]

#: Every function of one metric, with values of its parameter that matter.
OF_ONE = [
    partial(transforms.scale, factor=0.37),
    partial(transforms.scale, factor=3),
    partial(transforms.cap, at=0.8),
    partial(transforms.cap, at=2),
    partial(transforms.power, exponent=0.5),
    partial(transforms.power, exponent=0.9),
    partial(transforms.power, exponent=1),
    partial(transforms.power, exponent=2),
    transforms.saturate,
    partial(transforms.one_minus_exp, rate=0.37),
    partial(transforms.schoenberg, weights=[2.0], rates=[0.37]),
    partial(transforms.schoenberg, weights=(1, 3), rates=(2, 0.01), linear=0.1),
]
of_one = st.sampled_from(OF_ONE)


@st.composite
def transformed(draw, inner):
    """One to three functions after each other."""
    for function in draw(st.lists(of_one, min_size=1, max_size=3)):
        inner = function(inner)
    return inner


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
@settings(max_examples=30, deadline=None)
def test_whatever_is_promised_after_any_transforms_is_kept(kind, data):
    metric = data.draw(transformed(wideberth.metric(kind)))
    objects = data.draw(objects_of[kind])
    check_metric(metric, objects)
    assert not wideberth.diagnose(objects, metric).broken_promises


@given(metric_matrices(), st.data())
@settings(max_examples=50, deadline=None)
def test_any_metric_stays_one(matrix, data):
    inner = wideberth.metric("precomputed", distances=matrix, obeys_triangle=True)
    metric = data.draw(transformed(inner))
    check_metric(metric, np.arange(len(matrix)))
    exponents = [each for each in _chain(metric) if isinstance(each, Power) and each.exponent > 1]
    assert bool(metric.obeys_triangle) or exponents


@given(hilbertian_matrices(), st.data())
@settings(max_examples=50, deadline=None)
def test_hilbertian_spaces_stay_so(matrix, data):
    inner = wideberth.metric("precomputed", distances=matrix, hilbertian=True)
    metric = data.draw(transformed(inner))
    objects = np.arange(len(matrix))
    check_metric(metric, objects)
    assert not wideberth.diagnose(objects, metric).broken_promises
    lost = [
        each
        for each in _chain(metric)
        if isinstance(each, Capped) or (isinstance(each, Power) and each.exponent > 1)
    ]
    assert bool(metric.hilbertian) or lost


def _chain(metric):
    while not isinstance(metric, wideberth.metric("precomputed", distances=[[0]]).__class__):
        yield metric
        metric = metric.metric


@given(vectors(), st.floats(0.01, 100))
@settings(max_examples=30, deadline=None)
def test_values_equal_the_formulas(rows, parameter):
    distances = wideberth.metric("manhattan").block(rows, rows)
    for metric, twin in (
        (transforms.scale("manhattan", parameter), partial(twins.scaled, factor=parameter)),
        (transforms.cap("manhattan", parameter), partial(twins.capped, at=parameter)),
        (
            transforms.power("manhattan", parameter / 50),
            partial(twins.power, exponent=parameter / 50),
        ),
        (transforms.saturate("manhattan"), twins.saturated),
        (
            transforms.one_minus_exp("manhattan", parameter),
            partial(twins.one_minus_exp, rate=parameter),
        ),
    ):
        np.testing.assert_allclose(
            metric.block(rows, rows), np.vectorize(twin)(distances), rtol=1e-9, atol=1e-15
        )


@given(words, st.sampled_from([1, 2, np.inf]), st.lists(st.floats(0.1, 3), min_size=3, max_size=3))
@settings(max_examples=30, deadline=None)
def test_products_equal_the_formula(texts, p, weights):
    rows = [(text, len(text), set(text)) for text in texts]
    metric = transforms.product(
        {0: "levenshtein", 1: "euclidean", 2: "jaccard"}, dict(enumerate(weights)), p
    )
    parts = [
        wideberth.metric("levenshtein"),
        lambda one, other: abs(one - other),
        wideberth.metric("jaccard"),
    ]
    expected = [
        [
            twins.product(
                [part(a, b) for part, a, b in zip(parts, one, other, strict=True)], weights, p
            )
            for other in rows
        ]
        for one in rows
    ]
    np.testing.assert_allclose(metric.block(rows, rows), expected, rtol=1e-12, atol=1e-15)
    check_metric(metric, rows)


@given(vectors())
@settings(max_examples=20, deadline=None)
def test_sums_and_maxima_of_vector_metrics(rows):
    names = ("euclidean", "manhattan", "chebyshev")
    blocks = [wideberth.metric(name).block(rows, rows) for name in names]
    for metric, expected in (
        (transforms.total(*names), sum(blocks)),
        (transforms.largest(*names), np.maximum.reduce(blocks)),
    ):
        np.testing.assert_allclose(metric.block(rows, rows), expected, rtol=1e-12)
        assert metric.accepts == "vectors"
        assert metric.prepare(rows).shape == rows.shape
        check_metric(metric, rows)


@given(words)
@settings(max_examples=20, deadline=None)
def test_sums_and_maxima_of_metrics_that_prepare_differently(texts):
    tokens = [list(text) for text in texts]
    for metric in (
        transforms.total("levenshtein", "jaccard"),
        transforms.largest("levenshtein", "jaccard", lambda a, b: 0.5),
    ):
        check_metric(metric, tokens)
        assert metric.accepts == "objects"
    edits, shared = (
        wideberth.metric(name).block(tokens, tokens) for name in ("levenshtein", "jaccard")
    )
    np.testing.assert_allclose(
        transforms.total("levenshtein", "jaccard").block(tokens, tokens), edits + shared
    )


@given(table_rows(), st.sampled_from([1, 2, np.inf]))
@settings(max_examples=20, deadline=None)
def test_parts_learn_from_their_columns(rows, p):
    nested = [{"row": row, "name": str(place)} for place, row in enumerate(rows)]
    metric = transforms.product({"row": "gower", "name": transforms.cap("levenshtein", 1)}, p=p)
    check_metric(metric, nested)
    fitted = metric.fitted(nested)
    assert fitted.parts["row"].ranges == Gower().fitted(rows).ranges
    assert metric.parts["row"].ranges is None


PLACES = [
    {"name": "Ann", "at": (0.0, 0.0), "likes": {"tea"}},
    {"name": "Anna", "at": (3.0, 4.0), "likes": {"tea", "rum"}},
    {"name": "Bo", "at": (0.0, 1.0), "likes": {"rum"}},
]
PLACE = transforms.product({"name": "levenshtein", "at": "euclidean", "likes": "jaccard"})


@pytest.mark.parametrize(
    "rows",
    [
        PLACES,
        pd.DataFrame(PLACES),
        pd.DataFrame(PLACES)[["likes", "name", "at"]],
        [row for _, row in pd.DataFrame(PLACES).iterrows()],
    ],
    ids=["dicts", "frame", "other order", "rows of pandas"],
)
def test_objects_of_parts_come_in_many_forms(rows):
    np.testing.assert_allclose(PLACE.block(rows, PLACES)[0], [0, 6.5, 5])


def test_columns_of_numbers_are_vectors_of_one_number():
    metric = transforms.product({"name": "levenshtein", "age": transforms.scale("euclidean", 0.1)})
    for rows in (
        [{"name": "Ann", "age": 20}, {"name": "Anna", "age": 50}],
        pd.DataFrame({"name": ["Ann", "Anna"], "age": [20, 50]}),
        pl.DataFrame({"name": ["Ann", "Anna"], "age": [20, 50]}),
    ):
        assert metric.block(rows, rows)[0, 1] == 4
    assert (
        transforms.product({0: "euclidean"}).block(np.array([[1.0, 2.0]]), np.array([[4.0, 2.0]]))
        == 3
    )
    assert transforms.product({1: "euclidean"}).block([("a", 1)], [("b", 3)]) == 2
    assert metric.block([], [{"name": "Ann", "age": 20}]).shape == (0, 1)


def test_refused_parts_are_named():
    metric = transforms.product({"name": "levenshtein", "age": "euclidean"})
    with pytest.raises(
        InvalidInput, match=r"Part 'name': Object 1 is not a string.*None"
    ) as refused:
        metric.prepare([{"name": "Ann", "age": 1}, {"age": 2}])
    assert refused.value.witness == 1
    with pytest.raises(
        InvalidInput,
        match=r"no column 'age', which 'product\(name: levenshtein, age: euclidean\)' measures",
    ):
        metric.prepare([{"name": "Ann"}])
    with pytest.raises(InvalidInput, match="no column 'name'"):
        metric.prepare([("Ann", 3)])
    with pytest.raises(InvalidInput, match="Part 'age': Object 0 has no number at position 0"):
        metric.prepare(pd.DataFrame({"name": ["Ann"], "age": [np.nan]}))


def test_infinite_distances_become_the_largest():
    matrix = wideberth.metric("precomputed", distances=[[0, np.inf], [np.inf, 0]])
    assert [
        function(matrix)(0, 1) for function in (transforms.saturate, transforms.one_minus_exp)
    ] == [1, 1]
    assert transforms.cap(matrix, 3)(0, 1) == 3


def test_names_say_what_they_are():
    assert transforms.cap("levenshtein", 10).name == "cap(levenshtein, 10)"
    assert (
        transforms.power(transforms.saturate("jaccard"), 0.5).name
        == "power(saturate(jaccard), 0.5)"
    )
    assert transforms.total("euclidean", "manhattan").name == "total(euclidean, manhattan)"
    assert repr(transforms.scale("euclidean", 2)) == "Scaled(metric=Euclidean(), factor=2)"
