"""What the comparison of embeddings computes itself: the norm of a signed sum of objects, and the
norm at a given loss.
"""

from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.spatial.distance import cdist


@pytest.fixture
def balls(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2]))
    return import_module("benchmarks.guarantees.embedded_balls")


@pytest.fixture
def embeddings(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2]))
    return import_module("benchmarks.guarantees.embeddings")


def best_function(distances, base, signs):
    """The largest signed sum of a function with Lipschitz constant 1 that is 0 at the base, as a
    linear program.
    """
    n = len(signs)
    pairs = [(i, j) for i in range(n) for j in range(n) if i != j]
    slopes = np.zeros((len(pairs), n))
    for row, (i, j) in enumerate(pairs):
        slopes[row, [i, j]] = 1, -1
    bounds = [(0, 0) if i == base else (None, None) for i in range(n)]
    return -linprog(-signs, slopes, [distances[pair] for pair in pairs], bounds=bounds).fun


@pytest.mark.parametrize("seed", range(8))
def test_norm_of_a_signed_sum(balls, seed):
    generator = np.random.default_rng(seed)
    points = generator.random((9, 2))
    distances, signs = cdist(points, points), generator.choice([-1.0, 1.0], 9)
    assert balls.molecule_norm(distances, 4, signs) == pytest.approx(
        best_function(distances, 4, signs)
    )


def test_equal_signs_are_all_carried_to_the_base(balls):
    distances = cdist([[0.0], [1.0], [3.0]], [[0.0], [1.0], [3.0]])
    assert (
        balls.molecule_norm(distances, 1, np.ones(3))
        == balls.molecule_norm(distances, 1, -np.ones(3))
        == 3.0
    )


def test_norm_at_a_loss(embeddings):
    margins = np.random.default_rng(0).normal(0.5, 1.0, 200)
    loss = np.mean(margins <= 0) + 0.1
    norm = embeddings.norm_at(margins, loss)
    assert np.clip(1 - norm * margins, 0, 1).mean() == pytest.approx(loss)
    assert embeddings.norm_at(margins, np.mean(margins <= 0)) == np.inf
    assert embeddings.norm_at(10 * margins, loss) == pytest.approx(norm / 10)


def test_halves_share_no_object(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2]))
    halves, data = import_module("benchmarks.guarantees.halves"), import_module("benchmarks.data")
    words = [f"{letter}{number}" for letter in "ab" for number in range(20)] * 2
    labels = np.array([word[0] for word in words])
    found = halves.cut(data.Case("words", "levenshtein", words, labels), 60, 0.1, two_classes=True)
    learned = {found.space.objects[each] for each in found.known}
    assert not learned & {found.space.objects[each] for each in found.asked}
    assert (len(found.aside), len(found.known), len(found.asked) + found.left_out) == (6, 27, 27)
    assert found.left_out > 0
    assert all(found.space.objects[each][0] == found.labels[each] for each in range(60))
