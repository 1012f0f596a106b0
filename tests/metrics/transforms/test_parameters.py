"""Parameters of metrics inside metrics: checked, copied, and reached by name."""

import pickle
from functools import partial

import numpy as np
import pytest
from sklearn.base import clone

import wideberth
from wideberth import transforms
from wideberth.errors import InvalidInput
from wideberth.metrics.transforms.metric_preserving import Scaled
from wideberth.metrics.transforms.product_metric import Product
from wideberth.metrics.transforms.sum_and_maximum import Largest

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

NESTED = [
    *(function("minkowski") for function in OF_ONE),
    transforms.cap(transforms.saturate(transforms.scale("minkowski", 2)), 0.5),
    transforms.total("minkowski", transforms.cap("minkowski", 1)),
    transforms.largest("minkowski", "chebyshev"),
    transforms.product({"a": "minkowski", 3: "levenshtein"}, weights={"a": 2.0}, p=2),
]


@pytest.mark.parametrize("metric", NESTED, ids=repr)
def test_clones_and_pickles_are_equal(metric):
    for copy in (clone(metric), pickle.loads(pickle.dumps(metric))):
        assert repr(copy) == repr(metric)
        assert copy is not metric
        assert copy.name == metric.name
        assert copy.promises == metric.promises


@pytest.mark.parametrize(
    ("metric", "path"),
    [
        (NESTED[0], "metric__p"),
        (
            transforms.cap(transforms.saturate(transforms.scale("minkowski", 2)), 0.5),
            "metric__metric__metric__p",
        ),
        (transforms.total("minkowski", transforms.cap("minkowski", 1)), "metrics__0__p"),
        (transforms.total("minkowski", transforms.cap("minkowski", 1)), "metrics__1__metric__p"),
        (transforms.product({"a": "minkowski", "b": "levenshtein"}), "parts__a__p"),
        (transforms.product({"with__lines": "minkowski"}), "parts__with__lines__p"),
        (transforms.product({0: "minkowski"}), "parts__0__p"),
    ],
)
def test_parameters_inside_are_reached_and_others_are_not_touched(metric, path):
    untouched = metric.get_params()
    copy = clone(metric).set_params(**{path: 3})
    assert copy.get_params()[path] == 3
    assert metric.get_params()[path] == 2.0
    inner = path.rpartition("__")[0]
    held = copy.get_params()[inner]
    copy.set_params(**{path: 1.5})
    assert held.p == 3  # somebody who holds the metric inside keeps what they hold
    assert (
        copy.set_params(**{inner: wideberth.metric("euclidean")}).get_params()[inner].name
        == "euclidean"
    )
    assert metric.get_params().keys() == untouched.keys()


def test_a_new_metric_and_its_parameter_can_be_set_at_once():
    metric = transforms.cap("levenshtein", 1).set_params(
        metric__p=3, metric=wideberth.metric("minkowski")
    )
    assert (metric.metric.p, metric.accepts) == (3, "vectors")
    with pytest.raises(InvalidInput, match=r"'minkowski' has no parameter 'q'"):
        metric.set_params(metric__q=3)
    with pytest.raises(
        InvalidInput, match=r"parameter 'metrics' has no '7' in it\. It holds \['0', '1'\]"
    ):
        transforms.total("levenshtein", "indel").set_params(metrics__7__p=3)
    with pytest.raises(InvalidInput, match=r"parameter 'at' has no 'p' in it\. It is 1"):
        metric.set_params(at__p=3)
    assert transforms.product({"a": "indel"}, {"a": 2}).set_params(weights__a=3).weights == {"a": 3}


def test_a_space_keeps_its_distances_when_parameters_change():
    metric = transforms.cap("minkowski", 100)
    space = wideberth.MetricSpace([[0.0, 0.0], [3.0, 4.0]], metric)
    metric.set_params(metric__p=1)
    assert (space.metric(0, 1), metric([0, 0], [3, 4])) == (5.0, 7.0)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (
            lambda: transforms.scale("euclidean", 0),
            r"factor of 'scale' must be a positive number, not 0",
        ),
        (
            lambda: transforms.scale("euclidean", True),
            "factor of 'scale' must be a positive number, not True",
        ),
        (
            lambda: transforms.cap("euclidean", np.inf),
            "at of 'cap' must be a positive number, not inf",
        ),
        (
            lambda: transforms.power("euclidean", -1),
            "exponent of 'power' must be a positive number, not -1",
        ),
        (lambda: transforms.one_minus_exp("euclidean", "2"), "must be a positive number, not '2'"),
        (
            lambda: Scaled("euclidean", 2),
            r"Scaled needs a Metric.*wideberth.transforms.scale also takes names",
        ),
        (lambda: transforms.total("euclidean"), "Sum needs two metrics at least"),
        (lambda: Largest(["euclidean", "manhattan"]), "wideberth.transforms.largest"),
        (lambda: Product(["euclidean"]), "needs a metric for each part"),
        (lambda: transforms.product({}), "needs a metric for each part"),
        (lambda: transforms.product({"a": "euclidean"}, p=3), "p=3 is no way"),
        (
            lambda: transforms.product({"a": "euclidean"}, {"b": 1}),
            "a weight for 'b', which is no part",
        ),
        (
            lambda: transforms.product({"a": "euclidean"}, {"a": 0}),
            r"weights\['a'\] must be a positive number, not 0",
        ),
        (lambda: transforms.product({"a": "euclidean"}, [1]), "do not say which part"),
    ],
)
def test_parameters_are_checked(wrong, message):
    with pytest.raises(InvalidInput, match=message):
        wrong()
