"""How many rows a vote of neighbours withstands: all flips, additions and removals tried; what is
not certified says why.
"""

import numpy as np
import pytest
from families import class_name, families
from hypothesis import example, given, settings
from hypothesis import strategies as st
from oracles.classifiers import changed_rows

from wideberth import AutoClassifier, NeighborsClassifier
from wideberth import metric as as_metric
from wideberth.classifiers.named import CLASSIFIERS
from wideberth.errors import NotCertified
from wideberth.metrics.precomputed import Precomputed


@st.composite
def neighborhoods(draw, max_size=6):
    """Few rows at few distances from an object, so that many are tied, and a number of votes."""
    n = draw(st.integers(1, max_size))
    distances = draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    codes = draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    return np.array(distances, dtype=float), np.array(codes), draw(st.integers(1, n))


def withstood(distances, codes, k):
    """The certified flips and rows of an object at these distances from the rows."""
    n = len(distances)
    matrix = np.zeros((n + 1, n + 1))
    matrix[0, 1:] = matrix[1:, 0] = distances
    model = NeighborsClassifier(Precomputed(matrix), n_neighbors=k, calibrate=None)
    model.fit(np.arange(1, n + 1), codes)
    return int(model.certified_flips([0])[0]), int(model.certified_rows([0])[0])


def assert_exact(found, expected, most):
    """Fewest changes are one more than those withstood; None says that ``most`` are not enough."""
    assert found == expected - 1 if expected is not None else found >= most


@given(neighborhoods())
@example((np.array([1.0, 1.0]), np.array([0, 0]), 2))  # a label that nobody has comes first
@settings(max_examples=60, deadline=None)
def test_certified_flips_are_exact(neighborhood):
    flips, _ = withstood(*neighborhood)
    expected = changed_rows.fewest(*neighborhood, adding=False, most=2)
    assert_exact(flips, expected, 2)


@given(neighborhoods(4))
@example((np.array([0.0, 2, 2, 2, 2]), np.array([1, 2, 2, 2, 2]), 4))  # one more at the distance 0
@settings(max_examples=25, deadline=None)
def test_certified_rows_are_exact(neighborhood):
    _, rows = withstood(*neighborhood)
    assert_exact(rows, changed_rows.fewest(*neighborhood, adding=True, most=1), 1)


@pytest.mark.slow
@given(neighborhoods(6))
@settings(max_examples=400, deadline=None)
def test_up_to_three_changes_of_all_kinds_are_exact(neighborhood):
    flips, rows = withstood(*neighborhood)
    assert_exact(flips, changed_rows.fewest(*neighborhood, adding=False, most=3), 3)
    most = 3 if len(neighborhood[0]) < 5 else 2
    assert_exact(rows, changed_rows.fewest(*neighborhood, adding=True, most=most), most)


@pytest.mark.parametrize(("last", "flips"), [([0, 0], 1), ([1, 1], 0), ([0, 1], 1)])
def test_a_tie_is_followed_to_the_farthest_shell(last, flips):
    # one flip among the nearest two leaves one vote each, and so does every shell but the last
    distances, codes = np.repeat(np.arange(1.0, 13.0), 2), np.tile([0, 1], 12)
    codes[:2], codes[-2:] = 0, last
    assert withstood(distances, codes, 2) == (flips, 0)
    assert changed_rows.fewest(distances, codes, 2, adding=False, most=1) == (None if flips else 1)


def test_a_row_at_the_object_decides_one_neighbor():
    model = NeighborsClassifier("levenshtein", n_neighbors=1)
    model.fit(["tea", "tea", "tea", "rum"], ["soft"] * 3 + ["hard"])
    assert model.certified_rows(["tea", "teas"]).tolist() == [1, 0]
    assert model.certified_flips(["tea", "teas"]).tolist() == [1, 1]


def test_as_many_labels_as_are_certified_may_be_wrong_and_no_more():
    words, kinds = ["tea", "tee", "ten", "tan", "tin", "rum"], np.array(["soft"] * 5 + ["hard"])
    model = NeighborsClassifier("levenshtein", n_neighbors=5).fit(words, kinds)
    flips = int(model.certified_flips(["tea"])[0])
    assert flips == 2
    for wrong, answer in ((flips, "soft"), (flips + 1, "hard")):
        kinds[:wrong] = "hard"
        changed = NeighborsClassifier("levenshtein", n_neighbors=5).fit(words, kinds)
        assert changed.predict(["tea"]).tolist() == [answer]


WORDS, KINDS = ["tea", "tee", "ten", "tan", "rum", "rom", "rim", "ram"], ["soft"] * 4 + ["hard"] * 4


@pytest.mark.parametrize(
    ("model", "weights", "reason"),
    [
        (NeighborsClassifier("levenshtein"), None, "chose 1 by the labels"),
        (
            NeighborsClassifier("levenshtein", n_neighbors=3, class_weight="balanced"),
            None,
            "another weight",
        ),
        (NeighborsClassifier("levenshtein", n_neighbors=3), [2.0] * 8, "one vote each"),
        (AutoClassifier("levenshtein", candidates=["neighbors"]), None, "another model"),
    ],
)
def test_votes_that_depend_on_the_labels_are_not_certified(model, weights, reason):
    fitted = model.fit(WORDS, KINDS, sample_weight=weights)
    for certified in (fitted.certified_flips, fitted.certified_rows):
        with pytest.raises(NotCertified, match=reason) as error:
            certified(["tea"])
        assert error.value.missing == "changed_rows"


def test_a_metric_that_learned_from_the_rows_withstands_flips_only():
    numbers = np.arange(8.0)[:, None]
    model = NeighborsClassifier("standardized", n_neighbors=3).fit(numbers, KINDS)
    assert model.certified_flips(numbers[:1]).tolist() == [1]
    with pytest.raises(NotCertified, match="took its parameters from the rows"):
        model.certified_rows(numbers[:1])
    fixed = NeighborsClassifier(as_metric("euclidean"), n_neighbors=3).fit(numbers, KINDS)
    assert fixed.certified_rows(numbers[:1]).tolist() == [1]


@pytest.mark.parametrize(
    "model", families("strings", like=lambda entry: entry.name != "neighbors"), ids=class_name
)
def test_families_for_which_one_row_decides_say_so(model):
    model.fit(WORDS, KINDS)
    if model.one_row_decides:
        assert model.certified_rows(WORDS[:2]).tolist() == [0, 0]
    else:
        with pytest.raises(NotCertified, match="PartitionVoteClassifier"):
            model.certified_rows(WORDS[:2])
    with pytest.raises(NotCertified, match="PartitionVoteClassifier"):
        model.certified_flips(WORDS[:2])


@pytest.mark.parametrize("name", ["margin", "lipschitz"])
def test_one_row_does_decide_where_it_is_said(name):
    """The statement is not only safe: there is such a row."""
    numbers, sides = np.array([[0.0], [1.0], [10.0], [11.0]]), np.array(["low", "low", "up", "up"])
    entry = CLASSIFIERS[name]
    parameters = {"C": np.inf} if name == "lipschitz" else {"separation": 0.1}
    assert entry.load().one_row_decides
    before, after = (entry.load()("euclidean", **parameters) for _ in range(2))
    assert before.fit(numbers, sides).predict([[2.0]]).tolist() == ["low"]
    after.fit(np.append(numbers, [[2.0]], axis=0), np.append(sides, "up"))
    assert after.predict([[2.0]]).tolist() == ["up"]
