"""The criteria of other methods that benchmarks use: votes kept as objects move equal votes counted
anew.
"""

from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from wideberth.classifiers.margin_neighbors.quantisation import quantise


@pytest.fixture
def criteria(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2]))
    return import_module("benchmarks.margin_neighbors.criteria")


@pytest.fixture
def blobs():
    generator = np.random.default_rng(0)
    codes = generator.integers(0, 3, 200)
    return np.round(
        generator.normal(size=(200, 2)) + 2 * codes[:, None], 1
    ), codes  # some points are equal


def votes(points, codes, centres, voters):
    """Errors of the majorities among the voters, each with its nearest centre, the first of
    equals.
    """
    owner = ((points[voters, None] - points[None, centres]) ** 2).sum(axis=2).argmin(axis=1)
    cells = [codes[voters][owner == cell] for cell in range(len(centres))]
    return sum(len(cell) - np.bincount(cell).max() for cell in cells if len(cell))


def test_errors_of_all_nets(criteria, blobs):
    points, codes = blobs
    found = quantise(points, codes)
    everybody = np.arange(len(codes))
    expected = [
        votes(points, codes, found.centres[:m], everybody) for m in range(1, len(found) + 1)
    ]
    assert criteria.majority_errors(found).tolist() == expected


def test_errors_of_all_numbers_of_prototypes(criteria, blobs):
    points, codes = blobs
    found = quantise(points, codes, order=np.arange(100))
    expected = [votes(points, codes, np.arange(m), np.arange(m, len(codes))) for m in range(1, 101)]
    assert criteria.majority_errors(found, with_centres=False).tolist() == expected


def test_what_is_chosen_is_the_best(criteria, blobs):
    points, codes = blobs
    found = quantise(points, codes, count=100)
    errors = criteria.majority_errors(found)
    for name, choice in criteria.by_criteria(points, codes).items():
        values = [
            criteria.CRITERIA[name](m, int(errors[m - 1]), len(codes), 3)
            for m in range(1, len(found) + 1)
        ]
        assert choice.value == min(values)
        assert (
            choice.errors
            == errors[len(choice.kept) - 1]
            == round(200 * choice.error(points, points, codes))
        )
    chosen = criteria.by_prototypes(points, codes)
    assert chosen.kept.tolist() == list(range(len(chosen.kept)))
    others = np.arange(len(chosen.kept), 200)
    assert chosen.errors == round(len(others) * chosen.error(points, points[others], codes[others]))
