"""What a metric recognises objects by, beneath the numbers of a space or of a matrix, and that it
never changes.
"""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import coo_array, csr_array

import wideberth
from wideberth.metrics.precomputed import DistanceRows
from wideberth.transforms import cap, product, scale, total

WORDS = ["tea", "rum", "milk"]


def digests(X, metric):
    return metric.digests(X, metric.prepare(X))


def test_a_space_and_transforms_of_it_stand_for_its_objects():
    space = wideberth.MetricSpace(WORDS, "levenshtein")
    found = digests([2, 0], space.metric)
    np.testing.assert_array_equal(found, digests(["milk", "tea"], wideberth.metric("levenshtein")))
    np.testing.assert_array_equal(found, digests([2, 0], wideberth.transforms.cap(space.metric, 2)))


def test_a_matrix_stands_for_its_rows():
    matrix = np.abs(np.arange(4.0)[:, None] - np.arange(4.0))
    table = wideberth.metric("precomputed", distances=matrix)
    np.testing.assert_array_equal(digests([3, 1], table), digests(matrix[[3, 1]], table))
    np.testing.assert_array_equal(digests(matrix, table), digests(matrix, DistanceRows(4)))
    assert digests([3, 1], DistanceRows(4)) is None  # the matrix is gone


def test_a_space_of_rows_is_recognised_as_the_rows_are():
    rows = [{"size": 1.0, "kind": "a"}, {"size": 2.5, "kind": "b"}, {"size": None, "kind": "a"}]
    space = wideberth.MetricSpace(rows, "gower")
    measure, some = space.measured_by, rows[1:]
    found = space.metric.all_digests(None, space.metric.prepare([1, 2]))
    expected = measure.all_digests(some, measure.prepare(some))
    assert found.texts is not None
    for one, other in zip(vars(found).values(), vars(expected).values(), strict=True):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(space.metric.taught_by, measure.taught_by)


def test_rows_of_tables_keep_the_names_of_their_columns():
    frame = pd.DataFrame({"size": [1.0, 2.0], "kind": ["a", "b"]})
    metric = wideberth.metric("gower").fitted(frame)
    np.testing.assert_array_equal(digests(frame, metric), digests(frame.to_dict("records"), metric))


def test_rows_are_known_again_by_name_and_by_place_and_with_values_missing():
    frame = pd.DataFrame({"size": [1, 2], "kind": ["a", None], "age": [np.nan, 3.0]})
    metric = wideberth.metric("gower").fitted(frame)
    by_place = [(1.0, "a", None), (2, None, 3)]
    for other in (frame[["age", "kind", "size"]], frame.astype({"size": float}), by_place):
        np.testing.assert_array_equal(digests(other, metric), digests(frame, metric))
    assert len(set(digests([*by_place, (2, "a", 3), (1, None, None), (3, None, 2)], metric))) == 5


def test_sets_are_known_again_as_lists():
    metric = wideberth.metric("jaccard")
    sets = [{"tea", "milk"}, {"a", "b"}, {3, 1}]
    lists = [["milk", "tea", "tea"], ("b", "a"), [1, 3]]
    np.testing.assert_array_equal(digests(lists, metric), digests(sets, metric))
    assert len(set(digests([*sets, {"tea"}], metric))) == 4


def test_a_prepared_container_is_not_recognised():
    metric = wideberth.metric("msm")
    assert digests(metric.prepare([[1.0, 2.0], [3.0]]), metric) is None


def test_sparse_rows_are_known_again_in_full_and_one_by_one():
    counts = np.random.default_rng(0).poisson(0.5, size=(6, 4)).astype(float)
    metric, rows = wideberth.metric("ruzicka"), csr_array(counts)
    for given in (rows, coo_array(counts), [rows[[place]] for place in range(6)]):
        np.testing.assert_array_equal(digests(given, metric), digests(counts, metric))


SPACE = wideberth.MetricSpace(WORDS[:2], "levenshtein")
POINTS, GAPS = np.array([[0.0, 1.5], [-2.0, 1e30]]), np.array([[0.0, 2.0], [2.0, 0.0]])
COUNTS = csr_array(np.array([[0.0, 2.0, 1.0], [0.0, 0.0, 3.0]]))
PEOPLE = [{"age": 20, "city": "Ulm"}, {"age": 60.5, "city": None}]
FRIENDS = [{"age": 20, "city": "Ulm"}, {"age": 60.5, "city": "Bonn"}]
MATRIX, FUNCTION = (
    wideberth.metric("precomputed", distances=GAPS),
    wideberth.metric(lambda one, other: 0.0),
)
GOWER = wideberth.metric("gower").fitted(PEOPLE)
PRODUCT = product({"age": "euclidean", "city": "levenshtein"})


class Drink:
    def __init__(self, strength):
        self.strength = strength


#: Digests that model files remember since there are any: (metric, objects, digests).
REMEMBERED = {
    "words": ("levenshtein", WORDS[:2], [0x53F31E8552F4672E, 0x78E7431A0B6227C8]),
    "tokens": ("levenshtein", [["a", "bc"], [1, 2]], [0xE7CCED59B3B18AC6, 0x9CACFCE809518D9A]),
    "points": ("euclidean", POINTS, [0x547C506490FC76F2, 0xE5931679461B3FDE]),
    "series": ("msm", [[1.0, 2.0], [3.0]], [0x9CACFCE809518D9A, 0x4F831BADF25C6795]),
    "space": (SPACE.metric, [1, 0], [0x78E7431A0B6227C8, 0x53F31E8552F4672E]),
    "capped space": (cap(SPACE.metric, 2), [1, 0], [0x78E7431A0B6227C8, 0x53F31E8552F4672E]),
    "sum on a space": (
        total(SPACE.metric, SPACE.metric),
        [1, 0],
        [0xEF3DAF61FCACE065, 0x48218226FF3CD4BF],
    ),
    "matrix": (MATRIX, [0, 1], [0x34FC186D55F8C567, 0xA45BCB6AD794849C]),
    "sum on a matrix": (total(MATRIX, MATRIX), GAPS, [0x34FC186D55F8C567, 0xA45BCB6AD794849C]),
    "rows of distances": (MATRIX, GAPS + 1, [0xC057EEBB9C9BAC1C, 0x8BBD10C80FC9DAB6]),
    "rows of distances to a saved model": (
        DistanceRows(2),
        GAPS + 1,
        [0xC057EEBB9C9BAC1C, 0x8BBD10C80FC9DAB6],
    ),
    "mixed rows": (GOWER, PEOPLE, [0xD7987D4367CF42F1, 0x6004AC4B83E9DC7B]),
    "scaled mixed rows": (
        scale(GOWER, 2),
        pd.DataFrame(PEOPLE),
        [0xD7987D4367CF42F1, 0x6004AC4B83E9DC7B],
    ),
    "sum on mixed rows": (total(GOWER, GOWER), PEOPLE, [0x6CFAF8648B826566, 0x5AF3F4F45EE5B6C5]),
    "product": (PRODUCT, FRIENDS, [0x6CFAF8648B826566, 0xBA9387FA919D739]),
    "product on a frame": (PRODUCT, pd.DataFrame(FRIENDS), [0x6CFAF8648B826566, 0xBA9387FA919D739]),
    "sets": ("jaccard", [{"a", "b"}, {3}], [0x3F6993E2884139B7, 0x81ACEB1734AC4031]),
    "sets as lists": ("jaccard", [["b", "a", "a"], (3,)], [0x3F6993E2884139B7, 0x81ACEB1734AC4031]),
    "capped sets": (
        cap("jaccard", 0.5),
        [["b", "a", "a"], (3,)],
        [0x3F6993E2884139B7, 0x81ACEB1734AC4031],
    ),
    "sum on sets": (
        total("jaccard", "jaccard"),
        [["b", "a", "a"], (3,)],
        [0xCC138AE3849372D1, 0x4F831BADF25C6795],
    ),
    "sets as indicators": (
        "jaccard",
        np.array([[1, 0], [1, 1]]),
        [0x92C2758002ED792, 0x29D6392B19680EE6],
    ),
    "sparse rows": ("ruzicka", COUNTS, [0x57426497C6B798A0, 0x9BF89BBA55D303F3]),
    "sparse rows one by one": (
        "ruzicka",
        [COUNTS[[0]], COUNTS[[1]]],
        [0x57426497C6B798A0, 0x9BF89BBA55D303F3],
    ),
    "capped sparse rows": (cap("ruzicka", 0.5), COUNTS, [0x57426497C6B798A0, 0x9BF89BBA55D303F3]),
    "sum on sparse rows": (
        total("ruzicka", "ruzicka"),
        COUNTS,
        [0x57426497C6B798A0, 0x9BF89BBA55D303F3],
    ),
    "sparse objects of a function": (
        FUNCTION,
        [COUNTS[[0]], COUNTS[[1]]],
        [0x57426497C6B798A0, 0x9BF89BBA55D303F3],
    ),
    "weighted sets": ("ruzicka", [{"a": 1.0}, {"b": 2}], [0x8BB9DDDE0EE9B300, 0xFAD23BD3CDF7613A]),
    "trees": (
        "tree_edit",
        [["a", []], ["b", [["c", []]]]],
        [0x428A7CE8D9D59C91, 0xF83FC9E44B40AAF9],
    ),
    "molecules": ("tanimoto", [[1, 0, 1], [0, 1, 1]], [0xD1031CBD04D5296B, 0xA7D6CD970CE59F61]),
    "own objects": (FUNCTION, [Drink(1), Drink(2)], [0xD2298B4B7D8ADE74, 0x25C1E7F7E0089C8E]),
}


@pytest.mark.parametrize(("metric", "objects", "remembered"), REMEMBERED.values(), ids=REMEMBERED)
def test_digests_in_old_files_still_hold(metric, objects, remembered):
    assert digests(objects, wideberth.metric(metric)).tolist() == remembered


def test_objects_that_show_nothing_are_not_recognised():
    assert digests([object(), object()], FUNCTION) is None
