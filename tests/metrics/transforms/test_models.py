"""Transformed metrics in indices, spaces, classifiers, searches and model files."""

from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.utils.estimator_checks import parametrize_with_checks
from strategies import sets

import wideberth
from wideberth import transforms
from wideberth.errors import InvalidInput
from wideberth.geometry.classes.duplicates import group_equal
from wideberth.io.model_file.model_parts import metric_from_plain
from wideberth.metrics.containers import PartsSample

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

CLOUD = np.random.default_rng(0).normal(size=(300, 2)) + np.repeat(
    [[0.0, 0.0], [2.5, 0.0]], 150, axis=0
)
SIDES = np.repeat(["left", "right"], 150)
VECTOR_METRICS = [
    transforms.scale("euclidean", 0.37),
    transforms.cap("euclidean", 1.0),
    transforms.power("manhattan", 0.5),
    transforms.saturate("euclidean"),
    transforms.total("euclidean", "chebyshev"),
]


@pytest.mark.parametrize("metric", VECTOR_METRICS, ids=lambda metric: metric.name)
def test_indices_of_every_engine_agree(metric):
    expected = np.sort(metric.block(CLOUD[:20], CLOUD), axis=1)[:, :5]
    for engine in ("auto", "brute", "pivots"):
        index = wideberth.Index(CLOUD, metric, engine=engine)
        np.testing.assert_allclose(index.nearest(CLOUD[:20], k=5).distances, expected, rtol=1e-12)


@pytest.mark.parametrize("metric", VECTOR_METRICS, ids=lambda metric: metric.name)
def test_equal_rows_are_grouped(metric):
    rows = np.vstack([CLOUD[:50], CLOUD[:10]])
    assert group_equal(rows, metric).group_of.tolist() == [*range(50), *range(10)]
    tiny = np.array([[0.0, 1e-200], [0.0, 0.0], [0.0, 2e-200]])
    vanish = metric.block(tiny, tiny)[0, 1] == 0
    assert len(group_equal(tiny, metric)) == (1 if vanish else 3)


@pytest.mark.parametrize(
    "metric", [transforms.cap("levenshtein", 3), transforms.saturate("levenshtein")], ids=str
)
def test_certified_radii_hold(metric):
    texts = ["tea", "tee", "ten", "rum", "rom", "ram", "gin", "gym"]
    model = wideberth.LipschitzClassifier(metric, C=5).fit(texts, ["soft"] * 3 + ["hard"] * 5)
    radii = model.certified_radius(texts)
    assert radii.max() > 0
    others = (
        [text + letter for text in texts for letter in "abt"] + [text[1:] for text in texts] + texts
    )
    within = metric.block(texts, others) < radii[:, None]
    assert not (within & (model.predict(texts)[:, None] != model.predict(others))).any()


@parametrize_with_checks(
    [
        wideberth.NeighborsClassifier(transforms.saturate("euclidean")),
        wideberth.NeighborsClassifier(transforms.total("euclidean", "chebyshev")),
    ]
)
def test_scikit_learn_finds_nothing_wrong_with_vectors(estimator, check):
    check(estimator)


@pytest.mark.slow
def test_searches_reach_parameters_inside():
    search = GridSearchCV(
        wideberth.NeighborsClassifier(transforms.cap("minkowski", 1.0), n_neighbors=3),
        {"metric__metric__p": [1, 2], "metric__at": [0.5, 3]},
        cv=3,
    ).fit(CLOUD, SIDES)
    assert search.best_score_ > 0.8
    assert search.best_estimator_.n_features_in_ == 2
    people = pd.DataFrame({"x": CLOUD[:, 0], "name": np.where(CLOUD[:, 1] > 0, "Ann", "Bo")})
    model = wideberth.NeighborsClassifier(
        transforms.product({"x": "minkowski", "name": "levenshtein"}), n_neighbors=3
    )
    search = GridSearchCV(model, {"metric__parts__x__p": [1, 2], "metric__p": [1, 2]}, cv=3).fit(
        people, SIDES
    )
    assert search.best_score_ > 0.8
    space = wideberth.MetricSpace(CLOUD, "euclidean")
    model = wideberth.NeighborsClassifier(transforms.cap(space.metric, 1.0), n_neighbors=3)
    assert (
        GridSearchCV(model, {"metric__at": [0.5, 3.0]}, cv=3).fit(space.index, SIDES).best_score_
        > 0.8
    )


def round_trip(model, folder):
    wideberth.save(model, folder / "model.wb")
    return wideberth.load(folder / "model.wb")


FRAME = pd.DataFrame(
    {"x": CLOUD[:40, 0], "name": ["Ann", "Bo"] * 20, "city": ["Ulm", "Bonn", "Kiel", "Ulm"] * 10}
)
TOKENS = [list(word) for word in ("tea", "tee", "rum", "rom")] * 10


@pytest.mark.few(3)
@pytest.mark.parametrize(
    ("metric", "objects"),
    [
        (transforms.cap("euclidean", 1.5), CLOUD[:40]),
        (transforms.total("euclidean", "chebyshev"), CLOUD[:40]),
        (transforms.scale("mahalanobis", 2.0), CLOUD[:40]),
        (
            transforms.schoenberg("euclidean", weights=[1.0, 2], rates=(0.5, 3), linear=0.25),
            CLOUD[:40],
        ),
        (
            transforms.schoenberg("levenshtein", weights=np.array([2.0]), rates=np.array([0.1])),
            TOKENS,
        ),
        (transforms.largest("levenshtein", transforms.power("jaccard", 0.5)), TOKENS),
        (transforms.product({"x": "euclidean", "name": "levenshtein"}, {"x": 0.5}, p=2), FRAME),
        (
            transforms.cap(
                transforms.product({"x": "euclidean", "name": transforms.saturate("levenshtein")}),
                2.0,
            ),
            FRAME,
        ),
        (transforms.power("gower", 0.5), FRAME),
        (transforms.total("gower", transforms.product({"name": "levenshtein"})), FRAME),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
@pytest.mark.parametrize("kind", [wideberth.NeighborsClassifier, wideberth.LipschitzClassifier])
def test_models_of_transformed_metrics_are_saved(metric, objects, kind, tmp_path):
    model = kind(metric).fit(objects, [0, 1] * 20)
    loaded = round_trip(model, tmp_path)
    np.testing.assert_array_equal(
        loaded.decision_function(objects), model.decision_function(objects)
    )
    assert repr(loaded.metric_) == repr(model.metric_)
    assert loaded.metric_.promises == model.metric_.promises
    again = clone(loaded).fit(objects, [0, 1] * 20)
    np.testing.assert_array_equal(again.predict(objects), model.predict(objects))


def test_models_on_spaces_and_matrices_are_saved(tmp_path):
    objects, labels = CLOUD[::5], SIDES[::5]
    space = wideberth.MetricSpace(objects, "euclidean")
    model = wideberth.NeighborsClassifier(
        transforms.saturate(transforms.cap(space.metric, 2.0))
    ).fit(space.index, labels)
    np.testing.assert_array_equal(
        round_trip(model, tmp_path).predict(objects), model.predict(space.index)
    )
    distances = wideberth.pairwise_distances(objects)
    matrix = transforms.cap(
        wideberth.metric("precomputed", distances=distances, obeys_triangle=True), 2.0
    )
    model = wideberth.NeighborsClassifier(matrix).fit(np.arange(len(objects)), labels)
    loaded = round_trip(model, tmp_path)
    np.testing.assert_array_equal(loaded.predict(distances), model.predict(np.arange(len(objects))))
    assert loaded.metric_.obeys_triangle
    several = wideberth.NeighborsClassifier(transforms.total(space.metric, space.metric)).fit(
        space.index, labels
    )
    assert (several.predict(space.index) == labels).mean() > 0.8
    with pytest.raises(InvalidInput, match="Fit on the objects"):
        wideberth.save(several, tmp_path / "several.wb")
    own = wideberth.NeighborsClassifier(transforms.cap(lambda a, b: abs(a[0] - b[0]), 2.0)).fit(
        objects[:20], labels[:20]
    )
    with pytest.raises(InvalidInput, match="Python code of your own"):
        wideberth.save(own, tmp_path / "own.wb")


def test_wrapping_changes_nothing_but_the_distance():
    inner = wideberth.metric("minkowski")
    for function in OF_ONE:
        metric = function(inner)
        assert (metric.accepts, metric.parallel, metric.metric) == (
            inner.accepts,
            inner.parallel,
            inner,
        )
        assert metric.fitted(CLOUD) is metric
        assert metric.nanoseconds(metric.prepare(CLOUD)) == inner.nanoseconds(inner.prepare(CLOUD))
    slow = transforms.total("euclidean", wideberth.metric(lambda a, b: 0.0))
    assert slow.parallel == "processes"
    assert slow.accepts == "vectors"
    assert slow.nanoseconds(slow.prepare(CLOUD)) > 10_000
    parts = transforms.product({0: "euclidean", 1: "euclidean"})
    assert parts.nanoseconds(parts.prepare(CLOUD)) == pytest.approx(2 * 2.6)
    space = wideberth.MetricSpace(CLOUD[:5])
    assert transforms.total(space.metric, space.metric).parallel is None
    assert replace(transforms.scale(inner, 1).promises) == inner.promises


@given(sets)
@settings(max_examples=10, deadline=None)
def test_unfitted_metrics_inside_are_fitted_by_everybody(objects):
    rows = [{"members": len(each), "likes": str(sorted(map(str, each)))} for each in objects]
    for metric in (transforms.cap("gower", 0.5), transforms.total("gower", "gower")):
        assert wideberth.pairwise_distances(rows, metric=metric).shape == (len(rows), len(rows))
        assert wideberth.MetricSpace(rows, metric).metric(0, 0) == 0
        assert wideberth.Index(rows, metric).nearest(rows).distances.max() == 0


def test_values_in_files_that_make_no_metric_are_refused():
    euclidean = {"name": "euclidean", "parameters": {"gaps": None}, "metrics": {}}
    inner = {"metric": {"one": euclidean}}
    assert (
        metric_from_plain({"transform": "cap", "parameters": {"at": 1}, "metrics": inner}).at == 1
    )
    for wrong in (
        {"transform": "os.system", "parameters": {}, "metrics": inner},
        {"transform": ["cap"], "parameters": {"at": 1}, "metrics": inner},
        {"transform": "cap", "parameters": {"at": 1}},
        {"transform": "cap", "parameters": {"at": 1, "metric": "euclidean"}, "metrics": {}},
        {"transform": "cap", "parameters": {}, "metrics": inner},
        {"transform": "cap", "parameters": {"at": "1"}, "metrics": inner},
        {"transform": "cap", "parameters": {"at": 1, "more": 2}, "metrics": inner},
        {
            "transform": "cap",
            "parameters": {"at": 1},
            "metrics": {"metric": {"one": {"name": "os.system", "parameters": {}}}},
        },
        {"transform": "cap", "parameters": {"at": 1}, "metrics": {"metric": {"one": "euclidean"}}},
        {"transform": "cap", "parameters": {"at": 1}, "metrics": {"metric": {"call": 1}}},
        {"transform": "cap", "parameters": {"at": 1}, "metrics": [inner]},
        {"transform": "total", "parameters": {}, "metrics": {"metrics": {"several": []}}},
        {"transform": "product", "parameters": {}, "metrics": {"parts": {"by_key": [["a"]]}}},
        {"name": "minkowski", "parameters": {"q": 1}, "metrics": {}},
        {"name": "minkowski", "parameters": {}, "metrics": {}},
        {"name": "minkowski", "parameters": {"p": 1}},
    ):
        with pytest.raises(
            (TypeError, ValueError, LookupError)
        ):  # all of them a refusal of the file
            metric_from_plain(wrong)


@pytest.mark.parametrize("parts", [[], None, [[1, 2], [1]]])
def test_parts_in_files_that_do_not_fit_are_refused(parts):
    with pytest.raises(ValueError, match="parts of as many objects"):
        PartsSample.from_plain({"parts": parts})
    for metric in (
        transforms.product({"a": "levenshtein", "b": "levenshtein"}),
        transforms.total("levenshtein", "jaccard"),
    ):
        with pytest.raises(InvalidInput, match="prepared for 1 metrics, not for 2"):
            metric.prepare(PartsSample.from_plain({"parts": [["tea"]]}))
