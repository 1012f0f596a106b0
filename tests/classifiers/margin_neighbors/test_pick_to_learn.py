"""Pick-to-learn: what it promises, on random finite metric spaces and beside the plain loop."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import metric_matrices

import wideberth
from wideberth.classifiers.margin_neighbors.criteria import pick_to_learn
from wideberth.errors import InvalidInput


def plainly(distances: np.ndarray, codes: np.ndarray, margin: float, eta: float) -> list[int]:
    picked = [0]
    while True:
        wrongs = {}
        for i in range(len(codes)):
            own = [distances[i, j] for j in picked if codes[j] == codes[i]]
            other = [distances[i, j] for j in picked if codes[j] != codes[i]]
            if i in picked or (own and not other):
                continue
            wrongs[i] = (1 + eta) * min(own) - min(other) + margin if own else np.inf
        worst = max(wrongs, key=lambda i: (wrongs[i], -i), default=None)
        if worst is None or wrongs[worst] < 0:
            return picked
        picked.append(worst)


def consistent(distances, codes):
    """Without the objects that are equal to an earlier one of another class."""
    n = len(codes)
    stays = [
        i
        for i in range(n)
        if not any(distances[i, j] == 0 and codes[i] != codes[j] for j in range(i))
    ]
    return distances[np.ix_(stays, stays)], codes[stays]


@st.composite
def labelled(draw):
    distances = draw(metric_matrices())
    codes = np.array(
        draw(st.lists(st.integers(0, 2), min_size=len(distances), max_size=len(distances)))
    )
    return consistent(distances, codes)


def pick(distances, codes, **parameters):
    metric = wideberth.metric("precomputed", distances=distances, obeys_triangle=True)
    return pick_to_learn(np.arange(len(codes)), codes, metric, **parameters)


@pytest.mark.kernels
@given(labelled(), st.sampled_from([0.0, 0.0, 1.0, 2.5]), st.sampled_from([0.0, 0.5]))
@settings(max_examples=80, deadline=None)
def test_it_equals_the_plain_loop_and_answers_right_for_all(space, margin, eta):
    distances, codes = space
    picked = pick(distances, codes, margin=margin, eta=eta)
    assert picked.tolist() == plainly(distances, codes, margin, eta)
    nearest = distances[:, picked].min(axis=1)
    for i in range(len(codes)):
        assert (codes[picked][distances[i, picked] <= (1 + eta) * nearest[i]] == codes[i]).all()


@given(labelled(), st.data())
@settings(max_examples=60, deadline=None)
def test_objects_that_were_not_picked_have_no_influence(space, data):
    distances, codes = space
    picked = pick(distances, codes)
    others = sorted(set(range(len(codes))) - set(picked.tolist()))
    dropped = set(data.draw(st.lists(st.sampled_from(others), unique=True))) if others else set()
    stays = [i for i in range(len(codes)) if i not in dropped]
    again = pick(distances[np.ix_(stays, stays)], codes[stays])
    assert [stays[i] for i in again] == picked.tolist()


def test_equal_objects_of_different_classes_are_refused():
    with pytest.raises(InvalidInput, match=r"Objects 0 and 2 are equal .* of different classes"):
        pick_to_learn(["tea", "rum", "tea"], [0, 1, 1], "levenshtein")
    with pytest.raises(InvalidInput, match="no objects"):
        pick_to_learn([], [], "levenshtein")


def test_few_are_enough_where_classes_are_far_apart():
    generator = np.random.default_rng(0)
    points = np.concatenate(
        [generator.normal(size=(300, 2)), generator.normal(size=(300, 2)) + np.array([20, 0])]
    )
    picked = pick_to_learn(points, np.repeat([0, 1], 300))
    assert len(picked) <= 6
