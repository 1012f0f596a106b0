"""How far one column may move alone within a radius: never too far, and no less than it could be."""

import numpy as np
import pytest

import wideberth as wb
from wideberth.transforms import cap, power, product, scale

ROW = {"age": 31.0, "size": "M", "city": "Ulm", "paid": 7.5}
GOWER = wb.metric(
    "gower",
    ranges={"age": 40.0, "size": ("S", "M", "L", "XL"), "city": None, "paid": 20.0},
    weights={"age": 2.0},
)
VECTOR = np.array([3.0, -1.0, 0.25])
COVARIANCE = [[4.0, 1.0, 0.0], [1.0, 2.0, 0.5], [0.0, 0.5, 1.0]]
#: For column 1, a missing one, which stays missing.
GAPS = [[2.0, 0.0, 1.0], [3.0, 1.0, 0.5]]
VECTORS = [
    wb.metric("euclidean"),
    wb.metric("manhattan"),
    wb.metric("chebyshev"),
    wb.metric("minkowski", p=3),
    wb.metric("standardized", scales=[10.0, 0.5, 2.0]),
    wb.metric("standardized", scales=[10.0, 0.5, 2.0], p=1),
    wb.metric("mahalanobis", covariance=COVARIANCE),
    scale("euclidean", 0.25),
    power("manhattan", 0.5),
    cap("euclidean", 3.0),
    *(wb.metric(name, gaps=GAPS) for name in ("euclidean", "manhattan", "chebyshev")),
    wb.metric("standardized", scales=[10.0, 0.5, 2.0], gaps=GAPS),
]
RADII = np.array([0.01, 0.15, 0.7])


@pytest.mark.parametrize("metric", VECTORS, ids=lambda metric: metric.name)
@pytest.mark.parametrize("column", [0, 2])
def test_of_vectors(metric, column):
    here = VECTOR.copy()
    if getattr(metric, "gaps", None) is not None:
        here[1] = np.nan
    for radius, most in zip(RADII, metric.moves_alone(column, RADII), strict=True):
        for sign in (-1, 1):
            moved = here + sign * most * (1 - 1e-9) * np.eye(3)[column]
            assert metric(here, moved) < radius
            moved = here + sign * most * (1 + 1e-6) * np.eye(3)[column]
            assert metric(here, moved) > radius


@pytest.mark.parametrize("column", ["age", "paid"])
def test_of_numbers_in_rows(column):
    for radius, most in zip(RADII, GOWER.moves_alone(column, RADII), strict=True):
        for sign in (-1, 1):
            if most == np.inf:
                assert all(
                    GOWER(ROW, ROW | {column: value}) < radius for value in (sign * 1e9, None)
                )
                continue
            assert GOWER(ROW, ROW | {column: ROW[column] + sign * most * (1 - 1e-9)}) < radius
            assert GOWER(ROW, ROW | {column: ROW[column] + sign * most * (1 + 1e-6)}) > radius


def test_of_categories_in_rows():
    steps = GOWER.moves_alone("size", np.array([0.05, 0.07, 0.14, 0.21]))
    assert GOWER(ROW, ROW | {"size": "L"}) == pytest.approx(1 / 15)
    assert np.ceil(steps[:3]).tolist() == [1, 2, 3]  # one less is safe
    assert steps[3] == np.inf
    assert GOWER.moves_alone("city", np.array([0.19, 0.2, 0.21])).tolist() == [0, 0, np.inf]
    assert GOWER(ROW, ROW | {"city": None}) == pytest.approx(0.2)


def test_of_products():
    people = product({"name": "levenshtein", "age": "euclidean"}, weights={"age": 0.1, "name": 2.0})
    assert people.moves_alone("age", RADII) == pytest.approx(10 * RADII)
    assert people.moves_alone("name", RADII) is None


def test_nothing_is_said_where_nothing_is_known():
    class Bent(type(wb.metric("euclidean"))):
        def _between(self, left, right):
            return super()._between(left, right) ** 2

        def _measure(self, left, right):
            return super()._measure(left, right)

    for silent in (Bent(), wb.metric("canberra"), wb.metric("levenshtein")):
        assert silent.moves_alone(0, RADII) is None
    assert wb.metric("gower", ranges=GOWER.ranges, missing="skip").moves_alone("age", RADII) is None
    assert GOWER.moves_alone("height", RADII) is None


def test_rows_come_back():
    rows = [ROW, ROW | {"city": None, "size": "S"}, ROW | {"age": None, "city": "Bonn"}]
    metric = GOWER
    assert metric.as_objects(metric.prepare(rows)).tolist() == rows
    people = product({"city": "levenshtein", "age": "euclidean"})
    assert people.as_objects(people.prepare([ROW])).tolist() == [{"city": "Ulm", "age": 31.0}]
    assert wb.metric("ngrams").as_objects(wb.metric("ngrams").prepare(["tea"])) is None
