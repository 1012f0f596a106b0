"""Nearest neighbours among objects with lifetimes: at every threshold equal to a sort of the
objects that are still there.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.classifiers.lasting_neighbors import nearest_lasting, records
from scipy.spatial.distance import cdist
from strategies import metric_matrices

import wideberth
from wideberth.classifiers.margin_neighbors import by_holdout as module
from wideberth.classifiers.margin_neighbors.by_holdout import lasting_neighbors, rounded_down
from wideberth.classifiers.margin_neighbors.vertex_cover import greedy_matching
from wideberth.errors import InvalidInput
from wideberth.geometry.search import kdtree

SCIPY = {"euclidean": "euclidean", "manhattan": "cityblock", "chebyshev": "chebyshev"}
fast = settings(deadline=None, max_examples=40)
rng = np.random.default_rng(0)
ends = st.sampled_from([-np.inf, 0.0, 0.5, 1.0, 2.0, 3.0, np.inf])


@pytest.fixture(scope="module", autouse=True)
def trees_of_few_points():
    """Vectors are searched in trees, however few they are."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kdtree, "FEW_POINTS", 0)
        yield


def as_lists(found):
    pairs = list(zip(found.indices.tolist(), found.until.tolist(), strict=True))
    return [
        pairs[start:stop] for start, stop in zip(found.starts[:-1], found.starts[1:], strict=True)
    ]


def of_matrix(distances, lifetimes, rows, **options):
    table = wideberth.metric("precomputed", distances=distances, obeys_triangle=True)
    return lasting_neighbors(np.arange(len(distances)), lifetimes, rows, table, **options)


def assert_right(found, distances, lifetimes):
    assert as_lists(found) == records(distances, lifetimes)
    thresholds = np.unique(np.concatenate([lifetimes, lifetimes + 0.25, [0.1]]))
    thresholds = rng.permutation(thresholds[thresholds > -np.inf])
    expected = [nearest_lasting(distances, lifetimes, threshold) for threshold in thresholds]
    assert found.at(thresholds).T.tolist() == expected


@fast
@given(metric_matrices(max_size=12), st.lists(ends, min_size=14, max_size=14))
def test_any_metric_equals_sorting(distances, lifetimes):
    lifetimes = np.array(lifetimes[: len(distances)])
    assert_right(of_matrix(distances, lifetimes, np.arange(len(distances))), distances, lifetimes)


@st.composite
def gridded(draw):
    """Points with many ties and duplicates, and queries among them."""
    dimension = draw(st.integers(1, 3))
    row = st.lists(
        st.integers(-2, 2).map(lambda value: 0.1 * value), min_size=dimension, max_size=dimension
    )
    points = np.array(draw(st.lists(row, min_size=1, max_size=40)))
    return (
        points,
        np.array(draw(st.lists(ends, min_size=len(points), max_size=len(points)))),
        np.array(draw(st.lists(row, min_size=1))),
    )


@fast
@given(gridded(), st.sampled_from(list(SCIPY)))
def test_vectors_equal_sorting(case, metric):
    points, lifetimes, queries = case
    assert_right(
        lasting_neighbors(points, lifetimes, queries, metric),
        cdist(queries, points, SCIPY[metric]),
        lifetimes,
    )


@pytest.mark.kernels
@pytest.mark.parametrize("metric", SCIPY)
def test_tree_on_a_few_points(metric):
    points, queries = np.round(rng.normal(size=(30, 2)), 1), np.round(rng.normal(size=(6, 2)), 1)
    for lifetimes in (
        rng.integers(0, 5, 30).astype(float),
        np.full(30, np.inf),
        np.where(rng.random(30) < 0.5, -np.inf, 1.0),
    ):
        assert_right(
            lasting_neighbors(points, lifetimes, queries, metric),
            cdist(queries, points, SCIPY[metric]),
            lifetimes,
        )


@pytest.mark.kernels
def test_blocks_of_a_few_objects():
    distances = rng.integers(0, 4, size=(20, 20)).astype(float)
    for lifetimes in (
        rng.integers(0, 5, 20).astype(float),
        np.full(20, np.inf),
        np.where(rng.random(20) < 0.5, -np.inf, 1.0),
    ):
        assert_right(
            of_matrix(distances, lifetimes, np.arange(5), max_memory=8 * 64 * 20),
            distances[:5],
            lifetimes,
        )


@pytest.mark.kernels
@pytest.mark.parametrize("way", ["tree", "blocks"])
def test_each_farther_object_may_last_longer(way):
    points = np.arange(100.0)[:, None]
    lifetimes = np.arange(100.0)
    found = (
        lasting_neighbors(points, lifetimes, points[:2], "euclidean")
        if way == "tree"
        else of_matrix(cdist(points, points), lifetimes, [0, 1])
    )
    assert found.indices.tolist() == [*range(100), *range(1, 100)]
    assert found.until.tolist() == found.indices.tolist()


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_words_in_little_memory(n_jobs):
    words = ["".join(rng.choice(list("abc"), size=rng.integers(1, 5))) for _ in range(200)]
    lifetimes = rng.integers(0, 6, 150).astype(float)
    found = lasting_neighbors(
        words[:150], lifetimes, words[150:], "levenshtein", max_memory=50_000, n_jobs=n_jobs
    )
    assert as_lists(found) == records(
        wideberth.metric("levenshtein").block(words[150:], words[:150]), lifetimes
    )


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("dimension", "way"), [(2, "_TreeSearch.answer"), (40, "_search_in_blocks")]
)
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_many_vectors(monkeypatch, dimension, way, n_jobs):
    monkeypatch.setattr(module, "CHUNK_QUERIES", 100)
    called = []
    for name in ("_TreeSearch.answer", "_search_in_blocks"):
        holder, _, last = f"module.{name}".rpartition(".")
        owner = module._TreeSearch if holder.endswith("_TreeSearch") else module
        original = getattr(owner, last)
        monkeypatch.setattr(
            owner,
            last,
            lambda *given, name=name, original=original: called.append(name) or original(*given),
        )
    points, queries, lifetimes = (
        rng.normal(size=(1_200, dimension)),
        rng.normal(size=(350, dimension)),
        rng.random(1_200),
    )
    found = lasting_neighbors(points, lifetimes, queries, "euclidean", n_jobs=n_jobs)
    assert called == [way]
    assert as_lists(found) == records(cdist(queries, points), lifetimes)


def test_codes_of_the_answers():
    points, queries, lifetimes = rng.normal(size=(50, 2)), rng.normal(size=(9, 2)), rng.random(50)
    codes = rng.integers(0, 4, 50)
    found = lasting_neighbors(points, lifetimes, queries, "euclidean")
    thresholds = [0.7, 0.2, 2.0]
    answers = found.codes_at(thresholds, codes)
    assert answers.dtype == np.intp
    assert answers.shape == (9, 3)
    assert answers[:, :2].tolist() == codes[found.at(thresholds)[:, :2]].tolist()
    assert answers[:, 2].tolist() == [-1] * 9
    assert found.codes_at([], codes).shape == (9, 0)


@pytest.mark.parametrize("metric", ["euclidean", "levenshtein"])
def test_next_to_nothing(metric):
    objects = [[0.0], [1.0]] if metric == "euclidean" else ["tea", "rum"]
    never_present = lasting_neighbors(objects, [-np.inf, -np.inf], objects, metric)
    assert never_present.codes_at([0.0], [5, 6]).tolist() == [[-1], [-1]]
    assert len(lasting_neighbors(objects, [1.0, 1.0], objects[:0], metric)) == 0
    assert lasting_neighbors(objects[:0], [], objects, metric).codes_at(
        [0.0, 1.0], []
    ).tolist() == [[-1, -1], [-1, -1]]
    assert lasting_neighbors(objects[:1], [1.0], objects, metric).at([1.0, np.inf]).tolist() == [
        [0, -1],
        [0, -1],
    ]


@pytest.mark.parametrize("weights", [None, rng.integers(0, 4, 120)])
def test_what_a_matching_leaves_answers_at_every_separation(weights):
    points, labels, queries = (
        rng.normal(size=(120, 2)),
        rng.integers(0, 3, 120),
        rng.normal(size=(30, 2)),
    )
    matching = greedy_matching(points, labels, weights=weights)
    found = lasting_neighbors(points, matching.exhausted(), queries, "euclidean")
    distances = cdist(queries, points)
    separations = np.unique(matching.distances)[::5]
    for separation, answers in zip(separations, found.codes_at(separations, labels).T, strict=True):
        kept = np.flatnonzero(matching.exhausted() >= separation)
        conflicts = (cdist(points[kept], points[kept]) < separation) & (
            labels[kept][:, None] != labels[kept]
        )
        assert not conflicts.any()
        assert answers.tolist() == labels[kept[distances[:, kept].argmin(axis=1)]].tolist()


# ---- laws ----------------------------------------------------------------------------------------


@fast
@given(metric_matrices(), st.lists(ends, min_size=10, max_size=10))
def test_scale_does_not_matter_and_lasts_only_by_their_order(distances, lifetimes):
    lifetimes, rows = np.array(lifetimes[: len(distances)]), np.arange(len(distances))
    found = of_matrix(distances, lifetimes, rows)
    assert as_lists(of_matrix(0.37 * distances, lifetimes, rows)) == as_lists(found)
    moved = of_matrix(distances, 0.37 * lifetimes + 5, rows)
    assert moved.starts.tolist() == found.starts.tolist()
    assert moved.indices.tolist() == found.indices.tolist()


def test_order_does_not_matter_and_queries_come_one_by_one():
    points, queries, lifetimes = (
        rng.normal(size=(80, 2)),
        rng.normal(size=(20, 2)),
        rng.integers(0, 9, 80).astype(float),
    )
    order = rng.permutation(80)
    found = lasting_neighbors(points, lifetimes, queries, "euclidean")
    shuffled = lasting_neighbors(points[order], lifetimes[order], queries, "euclidean")
    assert order[shuffled.indices].tolist() == found.indices.tolist()
    alone = [
        as_lists(lasting_neighbors(points, lifetimes, queries[[q]], "euclidean"))[0]
        for q in range(20)
    ]
    assert alone == as_lists(found)


@fast
@given(gridded(), st.lists(st.sampled_from([0.0, 0.3, 1.0, 2.5, np.inf]), min_size=1, max_size=4))
def test_rounding_down_keeps_the_answers_at_the_thresholds(case, thresholds):
    points, lifetimes, queries = case
    rounded = lasting_neighbors(points, rounded_down(lifetimes, thresholds), queries, "euclidean")
    assert (
        rounded.at(thresholds).tolist()
        == lasting_neighbors(points, lifetimes, queries, "euclidean").at(thresholds).tolist()
    )
    assert np.diff(rounded.starts).max() <= len(set(thresholds))


# ---- refusals ------------------------------------------------------------------------------------


def test_vectors_of_another_dimension_are_refused():
    with pytest.raises(InvalidInput):
        lasting_neighbors([[0.0], [1.0]], [1.0, 2.0], [[0.0, 1.0]], "euclidean")


@pytest.mark.kernels
@pytest.mark.parametrize("way", ["tree", "blocks"])
def test_too_many_answers(way):
    points = np.arange(400.0)[:, None]
    lifetimes, max_memory = np.arange(400.0), 400 * 64 * 3
    metric = (
        "euclidean"
        if way == "tree"
        else wideberth.metric(lambda one, other: abs(one[0] - other[0]))
    )
    queries = points[:40]
    with pytest.raises(
        InvalidInput, match=r"too many for a memory of 76.8 kB. Round `lifetimes` down"
    ):
        lasting_neighbors(points, lifetimes, queries, metric, max_memory=max_memory, n_jobs=1)
    few = rounded_down(lifetimes, np.arange(0.0, 400.0, 100.0))
    assert (
        lasting_neighbors(points, few, queries, metric, max_memory=max_memory, n_jobs=1)
        .at([100.0])[:, 0]
        .tolist()
        == [100] * 40
    )
