"""`diagnose` finds what is broken, with its witness, and claims nothing that the metric does not
promise.
"""

import json

import numpy as np
import pandas as pd
import pytest

import wideberth
from wideberth.doctor import repair
from wideberth.errors import InvalidInput

RANDOM = np.random.default_rng(7)
WALKS = RANDOM.normal(size=(40, 25)).cumsum(axis=1)
WORDS = ["abc", "ab", "bc", "ca", "b", "cab", "a", "bca", "c", "", "abcabc"]


def squared_euclidean(left, right):
    return ((left[:, None] - right) ** 2).sum(axis=-1)


def test_squared_euclidean_is_found_and_its_root_mends_it():
    points = RANDOM.normal(size=(60, 3))
    found = wideberth.diagnose(points, wideberth.Metric(squared_euclidean, name="squared"))
    assert found.is_metric is False
    triangle = found.violation("triangle")
    i, j, k = triangle.objects
    whole = squared_euclidean(points, points)
    assert triangle.values == pytest.approx((whole[i, j], whole[i, k], whole[k, j]))
    assert triangle.values[0] > triangle.values[1] + triangle.values[2]
    root = next(repair for repair in found.repairs if repair.name == "square_root")
    assert root.new_objects
    assert "NOT a metric" in str(found)
    mended = wideberth.diagnose(repair(whole, "square_root"), "precomputed")
    assert not mended.violations


def test_dtw_is_found_by_its_promise_and_by_its_witness():
    found = wideberth.diagnose(WALKS, "dtw")
    assert found.is_metric is False
    triangle = found.violation("triangle")
    assert triangle.values[0] > triangle.values[1] + triangle.values[2]
    i, j, k = (WALKS[index] for index in triangle.objects)
    dtw = wideberth.metric("dtw")
    assert dtw(i, j) > dtw(i, k) + dtw(k, j)
    assert f"object {triangle.objects[0]} is" in str(found)


def test_a_hand_broken_matrix_is_found_at_its_place():
    points = RANDOM.uniform(1, 2, size=(30, 2))
    matrix = wideberth.pairwise_distances(points, None, "euclidean")
    matrix[4, 9] = matrix[9, 4] = 50.0
    found = wideberth.diagnose(matrix, "precomputed")
    assert set(found.violation("triangle").objects[:2]) == {4, 9}
    assert found.violation("triangle").values[0] == 50.0
    assert "precomputed" in str(found)


def test_hamming_is_of_negative_type_and_not_hilbertian():
    found = wideberth.diagnose(["0000", "1100", "0101", "1111", "0110", "1001"], "hamming")
    known = {fact.promise: fact for fact in found.spectrum}
    assert known["negative_type"].holds is True
    assert known["hilbertian"].holds is False
    assert known["hilbertian"].negative_part > 0.01


def test_euclidean_is_hilbertian():
    found = wideberth.diagnose(RANDOM.normal(size=(50, 4)), "euclidean")
    assert found.is_metric is True
    assert all(fact.holds for fact in found.spectrum)
    assert all(verdict.valid for verdict in found.methods)
    assert found.repairs == ()


def test_levenshtein_is_neither():
    found = wideberth.diagnose(WORDS, "levenshtein")
    assert found.is_metric is True
    assert [fact.holds for fact in found.spectrum] == [False, False]
    assert all(fact.violated for fact in found.spectrum), (
        "the words must show it, not only the promise"
    )
    valid = {verdict.method: verdict.valid for verdict in found.methods}
    assert valid["nearest neighbours by an index that prunes"] is True
    assert valid["SVM (HilbertSVC)"] is False
    assert [repair.name for repair in found.repairs] == ["spectrum_clip"]


def test_no_violation_is_no_promise():
    found = wideberth.diagnose(WORDS, lambda one, other: abs(len(one) - len(other)))
    assert not found.violations
    assert found.is_metric is None
    assert [fact.holds for fact in found.spectrum] == [None, None]
    assert [verdict.valid for verdict in found.methods] == [
        True,
        True,
        True,
        None,
        None,
        None,
        None,
        None,
    ]
    assert "not known to be a metric" in str(found)
    assert "not promised, not refuted here" in str(found.card().tables)


def test_broken_promises_are_named():
    boast = wideberth.Metric(squared_euclidean, name="boast", obeys_triangle=True, hilbertian=True)
    found = wideberth.diagnose(RANDOM.normal(size=(20, 2)), boast)
    assert found.broken_promises == ("obeys_triangle", "hilbertian")
    assert found.is_metric is False
    assert "'boast' promises a metric: these objects refute it" in str(found)


def test_the_promise_of_a_metric_is_that_of_symmetry_too():
    """The words fit a distance whose triangles are sound."""
    distances = [[0.0, 1.0], [2.0, 0.0]]
    lopsided = wideberth.Metric(
        lambda left, right: np.array(distances), name="lopsided", obeys_triangle=True
    )
    found = wideberth.diagnose([[0.0], [1.0]], lopsided)
    assert [violation.axiom for violation in found.violations] == ["symmetric"]
    assert found.broken_promises == ("obeys_triangle",)
    assert "'lopsided' promises a metric: these objects refute it" in str(found)


def test_all_axioms_that_were_tried_are_listed():
    found = str(wideberth.diagnose(["rum", "tea", "tea"], "levenshtein"))
    assert "none broken (finite, nonnegative, symmetric, zero to itself and to its copies" in found


def test_labels_are_read_against_the_distance():
    words = ["tea", "tee", "tea", "rum", "rom", "rim"]
    found = wideberth.diagnose(
        words, "levenshtein", ["soft", "soft", "hard", "hard", "hard", "hard"]
    )
    assert found.labels.conflicts == 1
    assert found.labels.first_conflicts[0].objects == (0, 2)
    assert found.labels.first_conflicts[0].labels == ("soft", "hard")
    assert found.labels.majority_error == pytest.approx(2 / 6)
    # the nearest of "tea" (soft) is the equal "tea" (hard) and vice versa; of "tee" the first
    # "tea"; of the rums another rum
    assert found.labels.nearest_error == pytest.approx(2 / 6)
    assert "1 pair of equal objects with different labels" in str(found)


def test_hubs_are_found():
    centre, leaves = np.zeros((1, 30)), np.eye(30) * 5  # every leaf's nearest is the centre
    found = wideberth.diagnose(np.vstack([centre, leaves]), "euclidean")
    assert found.hubs.most_popular == 0
    assert found.hubs.most == 30


def test_large_samples_are_examined_in_part_and_say_so():
    points = RANDOM.normal(size=(300, 2))
    found = wideberth.diagnose(points, "euclidean", max_objects=40)
    assert not found.exhaustive
    assert len(found.examined) == 40
    assert found.triangles_tried == 40 * 39 * 38 // 6
    assert "40 of 300 objects, chosen at random" in str(found)
    assert found == wideberth.diagnose(points, "euclidean", max_objects=40), (
        "the choice is repeatable"
    )


@pytest.mark.parametrize(
    ("value", "axiom"),
    [(np.nan, "finite"), (np.inf, "finite"), (-1.0, "nonnegative")],
    ids=["nan", "inf", "negative"],
)
def test_distances_that_are_no_numbers_leave_the_rest_unexamined(value, axiom):
    matrix = wideberth.pairwise_distances(RANDOM.normal(size=(9, 2)), None, "euclidean")
    matrix[2, 5] = matrix[5, 2] = value
    found = wideberth.diagnose(matrix, "precomputed", list("aaabbbccc"))
    assert found.violation(axiom).objects == (2, 5)
    assert found.spread is found.hubs is found.labels is None
    assert all(verdict.valid is False for verdict in found.methods[3:])
    assert str(found)


def test_an_infinite_distance_can_be_mended_and_a_missing_one_not():
    matrix = wideberth.pairwise_distances(RANDOM.normal(size=(9, 2)), None, "euclidean")
    matrix[2, 5] = matrix[5, 2] = np.inf
    assert {"cap", "closure"} <= {
        repair.name for repair in wideberth.diagnose(matrix, "precomputed").repairs
    }
    matrix[2, 5] = matrix[5, 2] = np.nan
    assert wideberth.diagnose(matrix, "precomputed").repairs == ()


def test_equal_objects_apart_are_found():
    found = wideberth.diagnose(
        [str(number) for number in (1000, 2000, 1000)], lambda one, other: float(one is not other)
    )
    assert found.violation("zero_equal").objects == (0, 2)
    assert "puts the equal objects 0 and 2 at distance 1" in str(found)


def test_objects_without_a_hash_are_examined_too():
    found = wideberth.diagnose([{"a": 1}, ([2],), {"a": 3}], lambda one, other: float(one != other))
    assert not found.violations


def test_asymmetry_is_found():
    matrix = wideberth.pairwise_distances(RANDOM.normal(size=(9, 2)), None, "euclidean")
    matrix[2, 5] *= 1.01
    found = wideberth.diagnose(matrix, "precomputed")
    assert found.violation("symmetric").objects == (2, 5)
    assert found.spread is not None


def test_facts_are_plain_data():
    found = wideberth.diagnose(WORDS, "levenshtein", list("aabbccddeea"))
    facts = json.loads(json.dumps(found.to_dict()))
    assert facts["metric"] == "levenshtein"
    assert facts["is_metric"] is True
    broken = wideberth.diagnose([[0, 1, 4], [1, 0, 1], [4, 1, 0]], "precomputed").to_dict()
    assert "breaks the triangle inequality" in broken["violations"][0]["sentence"]


def test_equal_distances_and_two_objects_have_an_answer():
    assert str(wideberth.diagnose(["a", "b"], "levenshtein", ["x", "y"]))
    everywhere_one = 1 - np.eye(6)
    assert wideberth.diagnose(everywhere_one, "precomputed").spread.variation == 0
    nowhere = np.zeros((4, 4))
    assert wideberth.diagnose(nowhere, "precomputed", [1, 1, 2, 2]).labels.conflicts == 4


@pytest.mark.parametrize(
    ("objects", "labels", "message"),
    [
        (["tea"], None, "at least two objects; there are 1"),
        (["tea", "rum"], ["a"], "2 objects and 1 labels"),
        (["tea", "rum"], ["a", None], "Object 1 has no label"),
        (["tea", "rum"], [1.0, np.nan], "Object 1 has no label: nan"),
        (["tea", "rum"], ["1", 1], "Labels of kinds int, str cannot be sorted"),
        (["tea", "rum"], pd.Series(["a", pd.NA]), "Object 1 has no label"),
        (["tea", "rum"], np.zeros((2, 2)), "one for each object"),
    ],
)
def test_bad_samples_are_refused(objects, labels, message):
    with pytest.raises(InvalidInput, match=message):
        wideberth.diagnose(objects, "levenshtein", labels)
