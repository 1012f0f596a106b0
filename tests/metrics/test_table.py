"""Every metric of the table: the public checks on random objects of its kind, and the plain
definition as its twin.
"""

import pickle
from functools import partial
from itertools import product
from typing import get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.metrics import distances as twins
from sklearn.base import BaseEstimator, clone
from strategies import objects_of

import wideberth
from wideberth.checks import check_metric
from wideberth.errors import InvalidInput, UnknownName
from wideberth.metrics.containers import Prepared
from wideberth.metrics.metric import Kind
from wideberth.metrics.named import CONTAINERS, KNOWN_KINDS, METRICS, USUAL_METRIC, bind


def make(name: str, n: int = 8) -> wideberth.Metric:
    if name != "precomputed":
        return wideberth.metric(name)
    line = np.arange(float(n))
    return wideberth.metric(
        name,
        distances=abs(line[:, None] - line),
        obeys_triangle=True,
        hilbertian=True,
        negative_type=True,
    )


@pytest.mark.parametrize("name", wideberth.list_metrics())
@given(data=st.data())
@settings(max_examples=30, deadline=None)
def test_every_metric_keeps_its_promises(name, data):
    check_metric(make(name), data.draw(objects_of[name]))


@pytest.mark.kernels
@pytest.mark.parametrize(
    ("name", "twin"),
    [
        ("euclidean", partial(twins.minkowski, p=2)),
        ("manhattan", partial(twins.minkowski, p=1)),
        ("chebyshev", partial(twins.minkowski, p=np.inf)),
        ("levenshtein", twins.levenshtein),
        ("normalized_levenshtein", twins.normalized_levenshtein),
        ("hamming", twins.hamming),
        ("jaccard", twins.jaccard),
    ],
)
@given(data=st.data())
@settings(max_examples=30, deadline=None)
def test_blocks_equal_the_definition(name, twin, data):
    objects = data.draw(objects_of[name])
    expected = [[twin(one, other) for other in objects] for one in objects]
    np.testing.assert_allclose(
        wideberth.metric(name).block(objects, objects), expected, rtol=1e-12, atol=1e-12
    )


@given(data=st.data(), p=st.sampled_from([0.5, 1, 1.5, 2, 3, np.inf]))
@settings(max_examples=40, deadline=None)
def test_minkowski_equals_its_definition_and_promises_by_its_exponent(data, p):
    objects = data.draw(objects_of["minkowski"])
    metric = wideberth.metric("minkowski", p=p)
    expected = [[twins.minkowski(one, other, p) for other in objects] for one in objects]
    np.testing.assert_allclose(metric.block(objects, objects), expected, rtol=1e-9, atol=1e-9)
    check_metric(metric, objects)
    assert metric.obeys_triangle == (p >= 1)
    assert metric.hilbertian == (p == 2)
    assert metric.negative_type == (1 <= p <= 2)


@pytest.mark.parametrize("p", [0.3, 0.5, 0.9, 6, np.inf])
def test_minkowski_is_seen_not_to_be_of_negative_type(p):
    grid = np.array(list(product(range(3), repeat=2 if p < 1 else 3)), dtype=float)
    found = wideberth.diagnose(grid, wideberth.metric("minkowski", p=p))
    assert any(fact.promise == "negative_type" and fact.violated for fact in found.spectrum)
    assert not found.broken_promises


@pytest.mark.parametrize("name", wideberth.list_metrics())
def test_scikit_learn_clones_and_python_pickles(name):
    metric = make(name)
    assert repr(clone(metric)) == repr(metric)
    assert repr(pickle.loads(pickle.dumps(metric))) == repr(metric)


class Holder(BaseEstimator):
    def __init__(self, metric=None):
        self.metric = metric


def test_a_metrics_parameters_are_reached_through_an_estimator():
    holder = Holder(wideberth.metric("minkowski", p=3))
    assert holder.get_params()["metric__p"] == 3
    assert clone(holder).set_params(metric__p=1).metric.p == 1
    assert holder.metric.p == 3


def test_names_are_forgiving_in_their_errors():
    with pytest.raises(UnknownName, match="Did you mean 'levenshtein'"):
        wideberth.metric("levenshtien")
    with pytest.raises(UnknownName, match="Known: affixes, angular") as unknown:
        wideberth.metric("zzz")
    assert unknown.value.value == "zzz"
    with pytest.raises(InvalidInput, match=r"no parameter 'q'\. It takes p"):
        wideberth.metric("minkowski", q=3)
    with pytest.raises(InvalidInput, match=r"no parameter 'p'\. It takes none"):
        wideberth.metric("levenshtein", p=3)
    with pytest.raises(InvalidInput, match="not int 3"):
        wideberth.metric(3)
    with pytest.raises(InvalidInput, match="would be lost"):
        wideberth.metric(wideberth.metric("minkowski"), p=3)
    with pytest.raises(InvalidInput, match="alone has no distances"):
        wideberth.metric("precomputed")


def test_set_params_is_checked_like_construction():
    metric = wideberth.metric("minkowski")
    for wrong in (-1, np.nan, "2", None, True):
        with pytest.raises(InvalidInput, match=f"must be a positive number, not {wrong!r}"):
            metric.set_params(p=wrong)
    with pytest.raises(InvalidInput, match="no parameter 'q'"):
        metric.set_params(q=1)
    assert metric.p == 2


def test_bind_takes_the_matrix_as_objects():
    matrix = np.array([[0.0, 2.0], [2.0, 0.0]])
    objects, metric = bind(matrix, "precomputed")
    assert metric.block(objects, objects).tolist() == matrix.tolist()
    assert bind(["a"], "levenshtein")[0] == ["a"]


# ---- The table of kinds of objects


def test_every_kind_of_objects_is_in_the_table():
    assert set(KNOWN_KINDS) == set(get_args(Kind))


@pytest.mark.parametrize("kind", USUAL_METRIC)
def test_the_usual_metric_eats_its_kind(kind):
    name = USUAL_METRIC[kind]
    assert name in METRICS
    if kind != "distances":  # a matrix, whose metric says what it accepts once it has one
        assert METRICS[name].accepts == kind


def test_a_name_in_model_files_means_one_container():
    assert len(set(CONTAINERS.values())) == len(CONTAINERS)
    for known in KNOWN_KINDS.values():
        assert known.containers.items() <= CONTAINERS.items()
    assert all(issubclass(each, Prepared) for each in CONTAINERS.values())
