"""Missing numbers of vectors: measured as the definition says, with every promise kept, from fit to
radii and files.
"""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.metrics.vectors import longer, minkowski, spread
from sklearn.model_selection import cross_val_score

import wideberth
from wideberth import transforms
from wideberth.checks import check_metric
from wideberth.errors import InvalidInput, MissingValuesWarning
from wideberth.metrics.named import METRICS
from wideberth.metrics.vectors.minkowski import Euclidean

POWERS = {
    "euclidean": (wideberth.metric("euclidean"), 2),
    "manhattan": (wideberth.metric("manhattan"), 1),
    "chebyshev": (wideberth.metric("chebyshev"), np.inf),
    "minkowski": (wideberth.metric("minkowski", p=3), 3),
}


@st.composite
def vectors_with_gaps(draw):
    n, d = draw(st.integers(2, 8)), draw(st.integers(1, 4))
    numbers = st.none() | st.integers(-9, 9).map(float) | st.floats(-100, 100)
    return np.array(
        [[draw(numbers) for _ in range(d)] for _ in range(n - 1)] + [[None] * d], dtype=np.float64
    )


def table(n=60, d=4, seed=0, share=0.3):
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(n, d)) * [1.0, 100.0, 0.01, 5.0][:d]
    rows[:, -1] = rng.integers(0, 3, n)
    labels = np.where(rows[:, 0] + rng.normal(size=n) * 0.3 > 0, "up", "low")
    return np.where(rng.random(rows.shape) < share, np.nan, rows), labels


@pytest.mark.parametrize("name", POWERS)
@given(rows=vectors_with_gaps())
@settings(deadline=None, max_examples=12)
def test_blocks_equal_the_definition(name, rows):
    metric, p = POWERS[name]
    metric = metric.fitted(rows)
    whole = [longer(row, *metric.gaps) for row in rows.tolist()]
    expected = [[minkowski(one, other, p) for other in whole] for one in whole]
    np.testing.assert_allclose(metric.block(rows, rows), expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("p", [1, 2])
@given(rows=vectors_with_gaps())
@settings(deadline=None, max_examples=12)
def test_standardized_blocks_equal_the_definition(p, rows):
    metric = wideberth.metric("standardized", p=p).fitted(rows)
    known = [column[~np.isnan(column)].tolist() for column in rows.T]
    scales = np.array([spread(column) if column else 1.0 for column in known])
    np.testing.assert_allclose(metric.scales, scales, rtol=1e-9)
    medians = [np.median(column) if column else 0.0 for column in known]
    whole = [
        longer((row / scales).tolist(), medians / scales, np.ones(len(scales))) for row in rows
    ]
    expected = [[minkowski(one, other, p) for other in whole] for one in whole]
    np.testing.assert_allclose(metric.block(rows, rows), expected, rtol=1e-9, atol=1e-9)


WORDS = ["tea", "a cup of tea", "rum", "a glass of rum"]
#: Metrics that take missing values, and what they are functions of. Rows have a text too, which is
#: never missing, where a part of a metric measures it.
WITH_MISSING = [
    *(wideberth.metric(name) for name, kind in METRICS.items() if kind.takes_missing),
    wideberth.metric("standardized", p=1),
    wideberth.metric("standardized", scales=[2.0, 0.5, 1.0, 7.0]),
    wideberth.metric("minkowski", p=1.5),
    wideberth.metric("minkowski", p=4),
    wideberth.metric("gower", weights={1: 5.0, 3: 0.2}),
    wideberth.metric("gower", ordered={3: (2.0, 0.0, 1.0)}),
    transforms.cap("euclidean", 3.0),
    transforms.power("standardized", 0.5),
    transforms.saturate("manhattan"),
    transforms.one_minus_exp("chebyshev", 0.3),
    transforms.scale("gower", 0.37),
    transforms.total("standardized", transforms.scale("euclidean", 0.01)),
    transforms.largest("manhattan", "standardized"),
    transforms.geodesic("standardized", 4),
    *(transforms.product({4: "words", 0: "euclidean", 1: "standardized"}, p=p) for p in (1, 2)),
]


@pytest.mark.few(10)
@pytest.mark.parametrize("metric", WITH_MISSING, ids=lambda metric: f"{metric.name}")
def test_promises_hold_in_all_triples_of_rows_with_gaps(metric):
    rows = np.vstack([table(60)[0], [[np.nan] * 4, [0.0] * 4]])
    rows = np.vstack(
        [rows, np.nanmedian(rows, axis=0)]
    )  # in the place of the gaps; 250,047 triples
    given_rows, texts = rows, np.zeros(len(rows))
    if metric.accepts == "rows":
        texts = np.arange(len(rows)) % len(WORDS)
        given_rows = [(*row, WORDS[text]) for row, text in zip(rows, texts, strict=True)]
    if metric.name.startswith("product"):
        rows = rows[:, :2]
    metric = metric.fitted(given_rows)
    distances = metric.block(given_rows, given_rows)
    assert metric.obeys_triangle
    assert metric.takes_missing or metric.name.startswith("product")
    np.testing.assert_array_equal(distances, distances.T)
    detours = np.min(distances[:, :, None] + distances[None, :, :], axis=1)
    assert (distances <= detours * (1 + 1e-12)).all()
    equal = (np.isclose(rows[:, None], rows[None], rtol=0, atol=0, equal_nan=True)).all(axis=2)
    if metric.separates:
        np.testing.assert_array_equal(distances == 0, equal & (texts[:, None] == texts))
    centring = np.eye(len(rows)) - 1 / len(rows)
    for promised, power in ((metric.hilbertian, 2), (metric.negative_type, 1)):
        if promised:
            inner = -centring @ distances**power @ centring
            assert np.linalg.eigvalsh(inner).min() >= -1e-9 * np.abs(inner).max()
    check_metric(metric, given_rows[:12])


def test_without_gaps_nothing_changes():
    rows, _ = table(share=0.0)
    for name in ("euclidean", "manhattan", "chebyshev", "minkowski"):
        metric = wideberth.metric(name)
        assert metric.fitted(rows) is metric
        gaps = metric.fitted(np.vstack([rows, [np.nan] * 4]))
        holed = np.vstack([rows, [[np.nan, 1.0, np.nan, 2.0]]])
        np.testing.assert_array_equal(gaps.block(rows, rows), metric.block(rows, rows))
        np.testing.assert_array_equal(gaps.block(holed, holed)[:-1, :-1], metric.block(rows, rows))
    assert wideberth.metric("standardized").fitted(rows).gaps is None


def test_a_gap_is_as_far_from_others_as_they_are_from_each_other():
    column = np.random.default_rng(3).normal(7.0, 2.0, size=(2000, 1))
    metric = Euclidean().fitted(np.vstack([column, [[np.nan]]]))
    to_a_gap = np.mean(metric.block(column, [[np.nan]]) ** 2)
    to_each_other = np.mean(metric.block(column, column) ** 2)
    assert to_a_gap == pytest.approx(to_each_other, rel=0.05)


def test_the_rule_has_the_units_of_the_data():
    rows, _ = table()
    rows[:, 3] = np.where(np.isnan(rows[:, 3]), np.nan, 7.0)  # a constant column too
    for name in ("euclidean", "manhattan"):
        metric, scaled = (wideberth.metric(name).fitted(each) for each in (rows, 0.37 * rows))
        np.testing.assert_allclose(
            scaled.block(0.37 * rows, 0.37 * rows), 0.37 * metric.block(rows, rows), rtol=1e-9
        )


def far_apart(n=60, d=12):
    """Two classes that differ in the first columns, where little is missing, by more than a gap in
    the others is worth, so that radii are larger than one gap.
    """
    rng = np.random.default_rng(2)
    codes, apart = np.arange(n) % 2, np.arange(d) < 4
    rows = rng.normal(size=(n, d)) * np.where(apart, 1.0, 0.5) + 8.0 * codes[:, None] * apart
    missing = rng.random(rows.shape) < np.where(apart, 0.03, 0.2)
    return np.where(missing, np.nan, rows), np.array(["low", "up"])[codes]


def changed(rows, rng, times=20):
    """Random changes of all rows: small moves, numbers lost and numbers found."""
    base = np.repeat(np.arange(len(rows)), times)
    new, other = rows[base], rows[rng.integers(0, len(rows), len(base))]
    new = new + rng.normal(size=new.shape) * rng.choice([0.0, 0.3], (len(base), 1))
    new = np.where(rng.random(new.shape) < 0.08, np.nan, new)
    return base, np.where(np.isnan(new) & (rng.random(new.shape) < 0.15), other, new)


FAMILIES = {
    "1 neighbour": lambda metric: wideberth.NeighborsClassifier(metric, n_neighbors=1),
    "3 neighbours": lambda metric: wideberth.NeighborsClassifier(metric, n_neighbors=3),
    "lipschitz": wideberth.LipschitzClassifier,
    "margin": wideberth.MarginNeighborsClassifier,
    "lp": wideberth.LPMachineClassifier,
    "lp, gaussian": lambda metric: wideberth.LPMachineClassifier(metric, radial="gaussian"),
    "svm": lambda metric: wideberth.HilbertSVC(metric, repair="clip"),
}
ATTACKED = {
    "standardized": wideberth.metric("standardized", scales=[1.0] * 12),
    "standardized(p=1)": wideberth.metric("standardized", p=1),
    "gower": wideberth.metric("gower", weights=dict.fromkeys(range(4), 10.0)),
    "euclidean": "euclidean",
    "manhattan": "manhattan",
    "chebyshev": "chebyshev",
    "minkowski(p=3)": wideberth.metric("minkowski", p=3),
    "cap": transforms.cap("euclidean", 30.0),
    "total": transforms.total("standardized", "manhattan"),
}


@pytest.mark.few(3)
@pytest.mark.parametrize(
    ("family", "name"), [(family, name) for name in ATTACKED for family in FAMILIES]
)
def test_radii_hold_against_changes_of_what_is_missing(family, name, tmp_path):
    rows, labels = far_apart()
    model = FAMILIES[family](ATTACKED[name]).fit(rows, labels)
    radii, answers = model.certified_radius(rows), model.predict(rows)
    base, new = changed(rows, np.random.default_rng(1))
    moved = model.metric_.block(rows, new)[base, np.arange(len(base))]
    inside = moved < radii[base]
    other_gaps = (np.isnan(rows[base]) != np.isnan(new)).any(axis=1)
    assert (inside & other_gaps).sum() > 50
    assert not inside.all()
    np.testing.assert_array_equal(model.predict(new[inside]), answers[base[inside]])
    wideberth.save(model, tmp_path / "model.wb")
    again = wideberth.load(tmp_path / "model.wb")
    np.testing.assert_array_equal(again.certified_radius(rows), radii)


@pytest.mark.slow
def test_attacks_lose_and_find_numbers_or_keep_the_gaps():
    rows, labels = far_apart()
    frame = pd.DataFrame(rows, columns=list("abcdefghijkl"))
    model = wideberth.NeighborsClassifier("standardized", n_neighbors=1).fit(frame, labels)
    few = frame.iloc[:4]
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # the model knows names, the candidates have none
        found = wideberth.guarantees.attack(model, few, towards=frame, max_questions=300)
        kept = wideberth.guarantees.attack(
            model, few, towards=frame, unit="manhattan", max_questions=300
        )
    for each, row, radius in zip(found, few.to_numpy(), model.certified_radius(few), strict=True):
        changed = pd.DataFrame([each.changed], columns=frame.columns)
        assert each.label == model.predict(changed)[0] != each.label_before
        assert radius <= each.distance == pytest.approx(model.metric_(row, each.changed))
    gaps = [np.isnan(each.changed) != np.isnan(row) for each, row in zip(found, rows, strict=False)]
    assert np.any(gaps)
    for each, row in zip(kept, rows, strict=False):
        np.testing.assert_array_equal(np.isnan(each.changed), np.isnan(row))
        assert each.distance == pytest.approx(np.nansum(np.abs(each.changed - row)))


def test_a_number_missing_for_the_first_time_counts_as_the_median():
    rows, labels = table(share=0.0)
    frame = pd.DataFrame(rows, columns=list("abcd"))
    model = wideberth.NeighborsClassifier("standardized", n_neighbors=3).fit(frame, labels)
    new = frame.copy()
    new.loc[[4, 7], "b"] = np.nan
    with pytest.warns(MissingValuesWarning, match="in 2 objects, first in object 4 at feature 'b'"):
        found = model.certified_radius(new)
    np.testing.assert_array_equal(found, model.certified_radius(new.fillna(frame.median())))
    holed, _ = table(share=0.3)
    holed[:, 0] = rows[:, 0]  # never missing in training
    model = wideberth.NeighborsClassifier("standardized").fit(holed, labels)
    assert len(model.predict([[np.nan, 1.0, 2.0, np.nan]])) == 1


def test_folds_without_gaps_meet_objects_with_gaps():
    rows, labels = table(share=0.0)
    rows[3, 1] = np.nan
    with pytest.warns(MissingValuesWarning):
        scores = cross_val_score(wideberth.LipschitzClassifier("standardized"), rows, labels, cv=3)
    assert scores.min() > 0.5


def test_new_objects_are_recognised_with_their_gaps():
    rows, labels = table(80)
    model = wideberth.NeighborsClassifier("euclidean").fit(rows, labels)
    known = model.digests(rows)
    assert len(np.unique(known)) == len(np.unique(rows, axis=0, equal_nan=True))
    metric = model.metric_
    alike = metric.alike_digests(metric.prepare(rows))
    assert len(np.unique(alike)) > 60
    assert (alike == metric.alike_digests(metric.prepare(rows * (1 + 1e-13)))).mean() > 0.9


@pytest.mark.parametrize("name", ["canberra", "angular", "mahalanobis", "total_variation"])
def test_other_metrics_name_those_that_take_them(name):
    rows, labels = table()
    with pytest.raises(
        InvalidInput, match=r"takes? (them|missing numbers): 'standardized'.*'gower'"
    ):
        wideberth.NeighborsClassifier(name).fit(np.abs(rows), labels)
    wideberth.NeighborsClassifier("standardized").fit(rows, labels)  # the advice


def test_what_adds_up_features_says_so():
    rows, labels = table()
    model = wideberth.LinearLipschitzClassifier("manhattan")
    assert not model.__sklearn_tags__().input_tags.allow_nan
    with pytest.raises(InvalidInput, match="classifier that measures distances"):
        model.fit(rows, labels)


@pytest.mark.parametrize(
    ("metric", "takes"),
    [
        ("euclidean", True),
        ("standardized", True),
        ("gower", True),
        ("canberra", False),
        (wideberth.transforms.cap("euclidean", 3.0), True),
        (wideberth.transforms.total("euclidean", "canberra"), False),
        (wideberth.transforms.total("euclidean", "manhattan"), True),
        (wideberth.transforms.product({"a": "gower", "b": "canberra"}), False),
        ("precomputed", False),
    ],
    ids=str,
)
def test_tags_say_which_metrics_take_them(metric, takes):
    model = wideberth.NeighborsClassifier(metric)
    assert model.__sklearn_tags__().input_tags.allow_nan is takes


@pytest.mark.parametrize("make", ["cap", "power", "total"])
def test_functions_of_such_metrics_take_them(make):
    metric = {
        "cap": lambda: wideberth.transforms.cap("euclidean", 3.0),
        "power": lambda: wideberth.transforms.power("standardized", 0.5),
        "total": lambda: wideberth.transforms.total("standardized", "manhattan"),
    }[make]()
    rows, labels = table()
    model = wideberth.NeighborsClassifier(metric).fit(rows, labels)
    assert (model.predict(rows) == labels).mean() > 0.7


def test_gaps_that_do_not_fit_are_refused():
    for wrong in ([[1.0]], [[1.0], [0.0]], [[np.nan], [1.0]], "far", [[1.0], [-1.0]]):
        with pytest.raises(InvalidInput, match="does not say what missing numbers mean"):
            Euclidean(gaps=wrong)
    with pytest.raises(InvalidInput, match="knows what is missing in 1 columns"):
        Euclidean(gaps=[[0.0], [1.0]]).block([[1.0, 2.0]], [[1.0, 2.0]])
    with pytest.raises(InvalidInput, match=r"has not learned .*fitted\(objects\)") as refused:
        wideberth.metric("euclidean").block([[1.0, 2.0]], [[1.0, None]])
    assert refused.value.witness == (0, 1)
