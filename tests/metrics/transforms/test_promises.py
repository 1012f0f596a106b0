"""What transforms of metrics promise: all that is proved, and nothing else."""

import numpy as np
import pytest

import wideberth
from wideberth import transforms
from wideberth.checks import check_metric
from wideberth.metrics.metric import Metric, Promises
from wideberth.metrics.transforms.metric_preserving import (
    Capped,
    OneMinusExp,
    Power,
    Saturated,
    Scaled,
)
from wideberth.metrics.transforms.product_metric import Product
from wideberth.metrics.transforms.sum_and_maximum import Largest, Sum


def promising(**promises):
    return Metric(lambda left, right: np.zeros((len(left), len(right))), **promises)


METRIC = {"obeys_triangle": True, "separates": True, "bounded": False}
NEGATIVE = METRIC | {"negative_type": True, "hilbertian": False}
HILBERTIAN = METRIC | {"negative_type": True, "hilbertian": True}
NOTHING = {
    "obeys_triangle": False,
    "hilbertian": False,
    "negative_type": False,
    "separates": False,
    "bounded": False,
}


@pytest.mark.parametrize(
    ("promises", "exponent", "triangle", "hilbertian", "negative_type"),
    [
        (METRIC, 0.5, True, None, None),
        (METRIC, 1, True, None, None),
        (METRIC, 2, None, None, None),
        (NEGATIVE, 0.3, True, True, True),
        (NEGATIVE, 0.5, True, True, True),
        (NEGATIVE, 0.7, True, None, True),
        (NEGATIVE, 1, True, False, True),
        (NEGATIVE, 1.5, None, False, None),
        (NEGATIVE, 2, None, False, False),
        (HILBERTIAN, 0.5, True, True, True),
        (HILBERTIAN, 1, True, True, True),
        (HILBERTIAN, 1.5, None, None, True),
        (HILBERTIAN, 2, None, None, True),
        (HILBERTIAN, 3, None, None, None),
        ({"hilbertian": True}, 0.5, True, True, True),
        ({"negative_type": True, "obeys_triangle": False}, 0.5, True, True, True),
        ({"negative_type": True, "obeys_triangle": False}, 0.7, None, None, True),
        ({"negative_type": True, "obeys_triangle": False}, 1, False, False, True),
        (NOTHING, 0.4, None, None, None),
        (NOTHING, 0.5, None, False, None),
        (NOTHING, 1, False, False, False),
        (NOTHING, 2, False, False, False),
        ({}, 0.5, None, None, None),
        ({}, 2, None, None, None),
    ],
)
def test_powers_promise_what_schoenberg_proves(
    promises, exponent, triangle, hilbertian, negative_type
):
    metric = Power(promising(**promises), exponent)
    assert (metric.obeys_triangle, metric.hilbertian, metric.negative_type) == (
        triangle,
        hilbertian,
        negative_type,
    )
    assert (metric.separates, metric.bounded) == (
        promises.get("separates"),
        promises.get("bounded"),
    )


@pytest.mark.parametrize("promises", [METRIC, NEGATIVE, HILBERTIAN, NOTHING, {}], ids=str)
def test_squeezed_metrics_keep_what_is_true_and_refute_nothing(promises):
    inner = promising(**promises)
    for metric in (Saturated(inner), OneMinusExp(inner, 2.0)):
        for name in ("obeys_triangle", "hilbertian", "negative_type"):
            assert getattr(metric, name) is (promises.get(name) or None)
        assert metric.bounded is True
        assert metric.separates is promises.get("separates")
        assert metric.step is None
    capped = Capped(inner, 2.0)
    assert (capped.obeys_triangle, capped.bounded) == (promises.get("obeys_triangle") or None, True)
    assert (capped.hilbertian, capped.negative_type, capped.separates) == (
        None,
        None,
        promises.get("separates"),
    )
    assert Scaled(inner, 2.0).promises == inner.promises


def test_steps_follow():
    edits = wideberth.metric("levenshtein")
    assert Scaled(edits, 0.37).step == 0.37
    assert (Capped(edits, 10).step, Capped(edits, 2.5).step, Capped(edits, 0.5).step) == (
        1,
        None,
        0.5,
    )
    assert (Power(edits, 2).step, Power(edits, 0.5).step, Power(Scaled(edits, 2), 3).step) == (
        1,
        None,
        8,
    )
    assert Sum([Scaled(edits, 4), Scaled(edits, 6)]).step == 2
    assert Sum([Scaled(edits, 0.5), Scaled(edits, 0.5)]).step == 0.5
    assert Sum([Scaled(edits, 0.5), edits]).step is None
    assert Largest([edits, promising()]).step is None
    product = {"a": edits, "b": edits}
    assert (Product(product).step, Product(product, p=np.inf).step, Product(product, p=2).step) == (
        1,
        1,
        None,
    )
    assert Product(product, {"a": 4, "b": 6}).step == 2


def test_up_to_one_step_only_equality_is_left():
    metric = transforms.cap("levenshtein", 1)
    assert metric.hilbertian
    assert metric.negative_type
    check_metric(metric, ["tea", "tee", "coffee", "", "tea"])


def test_a_cap_in_the_plane_loses_negative_type_so_none_is_promised():
    """A square grid, closer than the cap: 1 - min(t, 1) is not positive definite in the plane."""
    grid = np.array([[x, y] for x in np.linspace(0, 2, 9) for y in np.linspace(0, 2, 9)])
    _, spectrum = wideberth.diagnose(grid, transforms.cap("euclidean", 1.0)).spectrum
    assert spectrum.promise == "negative_type"
    assert spectrum.violated
    _, spectrum = wideberth.diagnose(grid[:9, 1:], transforms.cap("euclidean", 1.0)).spectrum
    assert not spectrum.violated


@pytest.mark.parametrize("kind", [Sum, Largest])
def test_functions_of_several_promise_what_all_do(kind):
    metric, other = promising(**HILBERTIAN), promising(**NOTHING)
    both, one = kind([metric, metric]), kind([metric, other])
    assert both.promises == Promises(
        obeys_triangle=True,
        negative_type=True if kind is Sum else None,
        bounded=False,
        separates=True,
    )
    assert one.promises == Promises(bounded=False, separates=True)
    assert kind([other, other]).promises == Promises(bounded=False)
    bounded = promising(bounded=True)
    assert kind([bounded, bounded]).bounded is True
    assert kind([bounded, promising()]).bounded is None


@pytest.mark.parametrize(
    ("parts", "p", "expected"),
    [
        (
            [HILBERTIAN, HILBERTIAN],
            1,
            {"obeys_triangle": True, "hilbertian": False, "negative_type": True},
        ),
        (
            [HILBERTIAN, HILBERTIAN],
            2,
            {"obeys_triangle": True, "hilbertian": True, "negative_type": True},
        ),
        (
            [HILBERTIAN, HILBERTIAN],
            np.inf,
            {"obeys_triangle": True, "hilbertian": None, "negative_type": None},
        ),
        (
            [HILBERTIAN, NEGATIVE],
            1,
            {"obeys_triangle": True, "hilbertian": False, "negative_type": True},
        ),
        (
            [HILBERTIAN, NEGATIVE],
            2,
            {"obeys_triangle": True, "hilbertian": False, "negative_type": None},
        ),
        (
            [HILBERTIAN, NEGATIVE],
            np.inf,
            {"obeys_triangle": True, "hilbertian": False, "negative_type": None},
        ),
        (
            [HILBERTIAN, METRIC],
            2,
            {"obeys_triangle": True, "hilbertian": None, "negative_type": None},
        ),
        (
            [HILBERTIAN, NOTHING],
            1,
            {
                "obeys_triangle": False,
                "hilbertian": False,
                "negative_type": False,
                "separates": False,
            },
        ),
        (
            [HILBERTIAN, NOTHING],
            2,
            {
                "obeys_triangle": False,
                "hilbertian": False,
                "negative_type": False,
                "separates": False,
            },
        ),
        (
            [NOTHING, NOTHING],
            2,
            {"obeys_triangle": None, "hilbertian": None, "negative_type": None, "separates": None},
        ),
        ([HILBERTIAN], np.inf, {"obeys_triangle": True, "hilbertian": True, "negative_type": True}),
        ([NOTHING], 1, NOTHING),
    ],
)
def test_products_promise_what_their_parts_do(parts, p, expected):
    metric = Product({place: promising(**each) for place, each in enumerate(parts)}, p=p)
    for name, value in {"separates": True, "bounded": False, **expected}.items():
        assert getattr(metric, name) is value, name


def test_what_products_refute_is_seen():
    words_and_numbers = [
        (word, number) for word in ("", "a", "b", "ab", "ba") for number in (0.0, 1.0)
    ]
    for p in (1, 2, np.inf):
        metric = transforms.product({0: "levenshtein", 1: "euclidean"}, p=p)
        found = wideberth.diagnose(words_and_numbers, metric)
        assert metric.hilbertian is False
        assert found.spectrum[0].violated
        assert not found.broken_promises
    square = transforms.product({0: "euclidean", 1: "euclidean"})
    assert wideberth.diagnose([(0, 0), (0, 1), (1, 0), (1, 1)], square).spectrum[0].violated


def test_the_root_of_a_squared_distance_is_a_metric_again():
    squared = transforms.power("euclidean", 2)
    assert (squared.obeys_triangle, squared.negative_type) == (None, True)
    assert transforms.power(squared, 0.5).hilbertian
    assert wideberth.diagnose(np.arange(4.0).reshape(-1, 1), squared).violation("triangle")
