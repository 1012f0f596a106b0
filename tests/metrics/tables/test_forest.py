"""The metric of randomised trees: its definition, what teaches it, what files may not say, and the
whole way through classifiers, which teach it anew without the objects that they leave out.
"""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.metrics import forest as twin
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold, cross_val_score

import wideberth
from wideberth import (
    AutoClassifier,
    HilbertSVC,
    HilbertSVCCV,
    LipschitzClassifierCV,
    LPMachineClassifierCV,
    MarginNeighborsClassifier,
    NeighborsClassifier,
    PartitionVoteClassifier,
    transforms,
)
from wideberth.checks import check_metric
from wideberth.errors import InvalidInput, NotCertified
from wideberth.estimators.training import Training
from wideberth.metrics.elements import written_token
from wideberth.metrics.tables.forest import Forest
from wideberth.metrics.tables.tree_kernels import grow_tree

RANDOM = np.random.default_rng(0)
#: The first two columns tell the label together, neither does alone; the others are noise.
POINTS = RANDOM.normal(size=(120, 5))
LABELS = np.where(POINTS[:, 0] * POINTS[:, 1] > 0, "same", "different")
NEW = RANDOM.normal(size=(400, 5))
NEW_LABELS = np.where(NEW[:, 0] * NEW[:, 1] > 0, "same", "different")


#: Rows with a name of their own, by which trees know the labels of those that taught them, and
#: labels that nothing tells.
NAMED = [{"name": f"row {place}", "size": float(place % 7)} for place in range(80)]
GUESSED = RANDOM.permutation(["no", "yes"] * 40)


def people(n, seed=0):
    """Rows whose label the city tells, with missing values of both kinds, and their labels."""
    random = np.random.default_rng(seed)
    cities = random.choice(["Ulm", "Bonn", "Kiel", "Jena", None], n)
    rows = [
        {
            "age": None if random.random() < 0.2 else float(random.integers(20, 70)),
            "city": None if city is None else str(city),
            "since": pd.Timestamp("2020-01-01") + pd.Timedelta(days=int(random.integers(900))),
        }
        for city in cities
    ]
    return rows, np.array([city in ("Ulm", "Kiel", None) for city in cities])


# ---- Trees


@st.composite
def samples(draw):
    n, columns = draw(st.integers(1, 30)), draw(st.integers(1, 4))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    ranks = random.integers(-1, draw(st.integers(1, 6)), size=(columns, n)).astype(np.int32)
    classes = random.integers(0, draw(st.integers(1, 3)), size=n)
    codes = np.unique(classes, return_inverse=True)[1].astype(np.int64)
    tried, least = draw(st.integers(1, columns)), draw(st.integers(1, 4))
    weights = random.integers(1, 4, size=n).astype(float)
    return ranks, codes, weights, tried, least, draw(st.integers(1, 2**31 - 2))


@pytest.mark.kernels
@given(samples())
@settings(max_examples=30, deadline=None)
def test_a_tree_grows_as_its_definition_says(drawn):
    ranks, codes, weights, tried, least, seed = drawn
    size = 2 * ranks.shape[1]
    columns, cuts = np.zeros(size, dtype=np.int32), np.zeros(size, dtype=np.int32)
    shares, sides = np.zeros(size), np.zeros(size, dtype=bool)
    children = np.zeros((size, 2), dtype=np.int32)
    classes = int(codes.max()) + 1
    count = grow_tree(
        *(ranks, codes, weights, classes, tried, least, seed),
        *(columns, cuts, shares, sides, children),
    )
    expected = twin.grow(ranks, codes, weights, tried, least, seed)
    assert count == len(expected)
    for node, split in enumerate(expected):
        assert (columns[node] < 0) == (split is None)
        if split is not None:
            found = columns[node], cuts[node], shares[node], sides[node], tuple(children[node])
            assert found == tuple(
                split[name] for name in ("column", "cut", "share", "missing left", "children")
            )


@pytest.mark.kernels
def test_blocks_are_the_share_of_trees_with_different_leaves():
    rows, labels = people(80)
    metric = Forest(n_trees=12).taught(rows, labels)
    asked = [*people(9, seed=1)[0], {"age": 1e9, "city": "Rome", "since": None}]
    order, unseen = metric.trees["orders"][0], metric.trees["unseen"][0]

    def leaves(row):
        days = (
            None if row["since"] is None else (row["since"] - pd.Timestamp(0)) / pd.Timedelta("1D")
        )
        written = written_token(row["city"])
        place = order.index(written) if written in order else unseen
        return [twin.leaf(metric.trees, tree, (row["age"], days, place)) for tree in range(12)]

    expected = [
        [np.mean(np.not_equal(leaves(one), leaves(other))) for other in rows] for one in asked
    ]
    np.testing.assert_array_equal(metric.block(asked, rows), expected)
    check_metric(metric, asked)
    assert not wideberth.diagnose(asked, metric).broken_promises


def test_trees_are_what_the_rows_teach_and_nothing_else():
    one, again = (Forest(n_trees=20).taught(POINTS, LABELS) for _ in range(2))
    assert pickle.dumps(one.trees) == pickle.dumps(again.trees)
    other = Forest(n_trees=20, random_state=1).taught(POINTS, LABELS)
    assert pickle.dumps(one.trees) != pickle.dumps(other.trees)
    # labels by other names, other units of the columns, and rows of weight 0 change no distance
    renamed = Forest(n_trees=20).taught(POINTS, (LABELS == "same").astype(int))
    units = np.array([1000.0, 0.37, 2.0, 5.0, 1.0])
    scaled = Forest(n_trees=20).taught(POINTS * units, LABELS)
    more, weights = np.vstack([POINTS, NEW]), np.repeat([1.0, 0.0], [120, 400])
    unweighed = Forest(n_trees=20).taught(more, np.append(LABELS, NEW_LABELS), weights)
    expected = one.block(NEW, POINTS)
    np.testing.assert_array_equal(renamed.block(NEW, POINTS), expected)
    np.testing.assert_array_equal(scaled.block(NEW * units, POINTS * units), expected)
    np.testing.assert_array_equal(unweighed.block(NEW, POINTS), expected)


def test_columns_count_as_far_as_they_tell_labels_apart():
    metric, blind = Forest().taught(POINTS, LABELS), Forest().fitted(POINTS)
    assert metric.uses_labels
    assert not blind.uses_labels
    assert repr(metric).endswith("trees=<200 that labels taught>)")
    assert repr(blind).endswith("trees=<200 cut at random>)")
    moves = [POINTS + 2.0 * (np.arange(5) == column) for column in range(5)]
    far = [metric.block(moved, POINTS).diagonal().mean() for moved in moves]
    assert min(far[:2]) > 1.2 * max(far[2:])
    far = [blind.block(moved, POINTS).diagonal().mean() for moved in moves]
    assert max(far) < 1.3 * min(far)


def test_categories_stand_in_the_order_of_their_labels():
    rows, labels = people(200)
    trees = Forest(n_trees=5).taught(rows, labels).trees
    ordered = [written.partition(b":")[2].decode() for written in trees["orders"][0]]
    apart = {"Bonn", "Jena"}
    assert set(ordered[:2]) == apart or set(ordered[-2:]) == apart
    # a category that nobody knows stands between them
    assert 1 <= trees["unseen"][0] + 0.5 <= 4


def test_a_missing_value_that_tells_is_told_apart():
    lacking = POINTS.copy()
    lacking[::3, 4] = np.nan
    labels = np.isnan(lacking[:, 4])
    model = NeighborsClassifier("forest", n_neighbors=5).fit(lacking, labels)
    asked = NEW.copy()
    asked[::2, 4] = np.nan
    assert (model.predict(asked) == np.isnan(asked[:, 4])).mean() > 0.95
    # where no value was missing, a row without one goes with the majority, and is measured
    assert np.isfinite(Forest().taught(POINTS, LABELS).block(asked, POINTS)).all()


def test_one_row_and_one_class_teach_too():
    assert Forest().taught([[1.0]], ["a"]).block([[1.0]], [[5.0]]).tolist() == [[0.0]]
    alike = Forest(n_trees=9).taught(POINTS, np.zeros(120, dtype=int))
    assert alike.block(POINTS[:5], POINTS[5:9]).min() > 0
    with pytest.raises(InvalidInput, match="no rows"):
        Forest().fitted([])
    with pytest.raises(InvalidInput, match="0 labels teach no trees"):
        Forest().taught(POINTS, [])
    with pytest.raises(InvalidInput, match="no trees yet"):
        Forest(ranges={0: 1.0}).block([[1.0]], [[2.0]])


def test_the_largest_numbers_have_thresholds_between_them():
    values = np.array([-1e308, -1.0, np.nextafter(-1.0, 0), 7e307]).repeat(5)[:, None]
    metric = Forest(n_trees=50).taught(values / 2, np.arange(4).repeat(5))
    distances = metric.block(values[::5] / 2, values[::5] / 2)
    np.testing.assert_array_equal(distances, 1.0 - np.eye(4))


@pytest.mark.parametrize("parameter", [{"n_trees": 0}, {"random_state": -1}, {"n_trees": 2.5}])
def test_other_parameters_are_refused(parameter):
    with pytest.raises(InvalidInput, match="whole number"):
        Forest(**parameter)


def test_forged_trees_are_refused():
    metric = Forest(n_trees=3).taught(POINTS, LABELS)
    assert Forest(ranges=metric.ranges, trees=metric.trees)(NEW[0], NEW[1]) == metric(
        NEW[0], NEW[1]
    )

    def forged(name, change):
        array = metric.trees[name].copy()
        change(array)
        return metric.trees | {name: array}

    def set_at(place, value):
        return lambda array: array.__setitem__(place, value)

    for trees, what in [
        (forged("children", set_at((0, 0), 0)), "behind their parent"),
        (forged("children", set_at((0, 1), 10**6)), "behind their parent"),
        (forged("children", set_at((0, 1), -5)), "behind their parent"),
        (forged("columns", set_at(0, 5)), "a column that there is not"),
        (forged("columns", set_at(0, -2)), "a column that there is not"),
        (forged("thresholds", set_at(0, np.nan)), "a threshold is a number"),
        (forged("starts", set_at(0, 1)), "each tree has a root"),
        (forged("starts", set_at(-1, 1)), "root"),
        (metric.trees | {"columns": metric.trees["columns"].astype(float)}, "an array of int32"),
        (metric.trees | {"columns": metric.trees["columns"][:-1]}, "each node"),
        (metric.trees | {"orders": ((b"text:Ulm",),)}, "0 columns of categories"),
        (metric.trees | {"labelled": 1}, "orders of categories"),
        ({"starts": 1}, "missing"),
        (metric.trees | {"code": "import os"}, "code"),
        (7, "mapping"),
    ]:
        with pytest.raises(InvalidInput, match=what):
            Forest(ranges=metric.ranges, trees=trees)
    with pytest.raises(InvalidInput, match="without ranges"):
        Forest(trees=metric.trees)


# ---- What classifiers learn by it


def test_it_learns_what_no_single_column_tells():
    """A distance that weighs all columns alike does not."""
    taught, alike = (
        HilbertSVC(metric).fit(POINTS, LABELS).score(NEW, NEW_LABELS)
        for metric in ("forest", "standardized")
    )
    assert taught > alike + 0.03
    assert cross_val_score(NeighborsClassifier("forest"), POINTS, LABELS).mean() > 0.7


FAMILIES = {
    "svm": HilbertSVCCV("forest", C=[1.0, 10.0], width=["100%"], cv=3, random_state=0),
    "lipschitz": LipschitzClassifierCV("forest", C=[2.0, 10.0], cv=3, random_state=0),
    "lp": LPMachineClassifierCV(
        "forest", C=[10.0], radial=["distance"], references=30, cv=3, random_state=0
    ),
    "sum": HilbertSVCCV(
        transforms.total("gower", transforms.scale("forest", 2.0)),
        C=[1.0, 10.0],
        width=["100%"],
        cv=3,
        random_state=0,
    ),
}


@pytest.mark.parametrize("family", FAMILIES)
def test_choices_on_guessed_labels_are_guesses(family):
    """The labels of the objects that a fold leaves out have taught it nothing."""
    model = FAMILIES[family].fit(NAMED, GUESSED)
    # under the metric that all labels taught, folds do not err
    inside = clone(model).set_params(metric=model.metric_).fit(NAMED, GUESSED)
    assert inside.best_score_ > 0.9
    assert 0.3 < model.best_score_ < 0.7


def test_other_families_leave_out_before_they_teach():
    nearest = NeighborsClassifier("forest").fit(NAMED, GUESSED)
    assert min(nearest.loo_errors_.values()) > 0.3
    assert abs(nearest.predict_proba(NAMED) - 0.5).max() < 0.2
    svm = HilbertSVC("forest", calibrate=3, random_state=0).fit(NAMED, GUESSED)
    assert abs(svm.predict_proba(NAMED) - 0.5).max() < 0.2
    margin = MarginNeighborsClassifier("forest", random_state=0).fit(NAMED, GUESSED)
    assert margin.risk_curve_.risks.min() > 0.2


def test_a_fold_never_sees_labels_of_what_it_leaves_out():
    """Whatever these labels are, the objects are under the same metric."""
    known, other = np.arange(60), LABELS.copy()
    other[60:] = np.random.default_rng(0).permutation(other[60:])
    blocks = []
    for labels in (LABELS, other):
        codes = (labels == "same").astype(np.intp)
        for metric in (Forest(n_trees=20), transforms.total(Forest(n_trees=20), "standardized")):
            taught = metric.taught(POINTS, codes)
            training = Training(
                *(taught.prepare(POINTS), taught, codes, np.ones(120), 2, np.arange(120), 120),
                labels_taught=True,
            ).taught_by(known)
            blocks.append(training.metric.block(training.objects, training.objects))
    np.testing.assert_array_equal(blocks[0], blocks[2])
    np.testing.assert_array_equal(blocks[1], blocks[3])
    # and it is what the known objects alone would have taught
    alone = Forest(n_trees=20).taught(POINTS[known], LABELS[known])
    np.testing.assert_array_equal(alone.block(POINTS, POINTS), blocks[0])


@pytest.mark.few(1)
@pytest.mark.parametrize("seed", range(3))
def test_the_automatic_choice_expects_the_error_that_it_makes(seed):
    folds = StratifiedKFold(3, shuffle=True, random_state=seed)
    asked = {"candidates": ["neighbors", "svm"], "random_state": 0, "cv": folds, "max_time": None}
    blind = AutoClassifier(["gower", "forest"], **asked).fit(NAMED, GUESSED)
    assert blind.expected_error_ > 0.35
    model = AutoClassifier(["standardized", "forest"], **asked).fit(POINTS, LABELS)
    assert "forest" in model.leaderboard_[0]["metric"]
    assert abs((model.predict(NEW) != NEW_LABELS).mean() - model.expected_error_) < 0.12


def test_certificates_are_void_in_sample_and_hold_on_other_objects():
    model = HilbertSVC("forest").fit(POINTS, LABELS)
    for certificate in wideberth.certify(model, POINTS, LABELS):
        assert certificate.void
        assert certificate.value == 1.0
    holdout, *_ = wideberth.certify(model, NEW, NEW_LABELS)
    assert not holdout.void
    assert model.score(NEW, NEW_LABELS) > 1 - holdout.value > 0.5
    # a metric that other objects taught before is fixed, and theirs are known
    before = Forest().taught(POINTS, LABELS)
    model = HilbertSVC(before).fit(NEW[:100], NEW_LABELS[:100])
    assert not any(each.void for each in wideberth.certify(model, NEW[100:], NEW_LABELS[100:]))
    assert wideberth.certify(model, POINTS, LABELS)[0].void


def test_flipped_labels_are_other_metrics():
    model = NeighborsClassifier("forest", n_neighbors=5).fit(POINTS, LABELS)
    for prove in (model.certified_flips, model.certified_rows):
        with pytest.raises(NotCertified, match="Labels taught 'forest'"):
            prove(NEW[:2])
    fixed = Forest().taught(NEW, NEW_LABELS)
    model = NeighborsClassifier(fixed, n_neighbors=5).fit(POINTS, LABELS)
    assert model.certified_flips(NEW).max() > 0
    vote = PartitionVoteClassifier(NeighborsClassifier("forest", n_neighbors=1), n_parts=9)
    assert vote.fit(POINTS, LABELS).certified_flips(NEW).max() > 0


def test_no_object_within_a_radius_gets_another_label():
    model = NeighborsClassifier("forest", n_neighbors=3).fit(POINTS, LABELS)
    radii, labels = model.certified_radius(NEW), model.predict(NEW)
    inside = model.metric_.block(NEW, NEW) < radii[:, None]
    assert not (inside & (labels[:, None] != labels)).any()
    assert inside.sum() > len(NEW)


# ---- Sums with metrics on vectors, frames and files


def test_a_sum_with_a_metric_on_vectors_measures_vectors(tmp_path):
    both = transforms.total("standardized", "forest")
    assert both.accepts == "vectors"
    frame = pd.DataFrame(POINTS, columns=list("abcde"))
    model = HilbertSVC(both).fit(frame, LABELS)
    known = model.metric_
    parts = [part.block(NEW, POINTS) for part in known.metrics]
    np.testing.assert_array_equal(known.block(NEW, POINTS), parts[0] + parts[1])
    prepared = known.prepare(NEW)
    assert known.prepare(prepared).shape == NEW.shape == np.asarray(prepared).shape
    np.testing.assert_array_equal(np.asarray(prepared), NEW)
    # columns in another order would be other numbers
    asked = pd.DataFrame(NEW, columns=list("abcde"))
    with pytest.raises(ValueError, match="feature names"):
        model.predict(asked[list("edcba")])
    wideberth.save(model, tmp_path / "sum.wb")
    loaded = wideberth.load(tmp_path / "sum.wb")
    np.testing.assert_array_equal(loaded.decision_function(asked), model.decision_function(asked))
    assert wideberth.certify(loaded, frame, LABELS)[0].void


def test_frames_go_through_the_automatic_choice_and_files(tmp_path):
    rows, labels = people(90)
    frame = pd.DataFrame(rows)
    model = AutoClassifier(candidates="svm", cv=StratifiedKFold(3), max_time=None).fit(
        frame, labels
    )
    assert {"gower", "forest"} <= {row["metric"] for row in model.leaderboard_}
    asked, truth = people(60, seed=5)
    assert model.score(pd.DataFrame(asked)[["since", "city", "age"]], truth) > 0.9
    taught = NeighborsClassifier("forest", n_neighbors=3).fit(frame, labels)
    wideberth.save(taught, tmp_path / "forest.wb")
    loaded = wideberth.load(tmp_path / "forest.wb")
    np.testing.assert_array_equal(loaded.decision_function(asked), taught.decision_function(asked))
    assert str(loaded.explain(asked[:1])) == str(taught.explain(asked[:1]))
    with pytest.raises(NotCertified, match="Labels taught"):
        loaded.certified_flips(asked)


def test_labels_that_taught_it_before_are_not_taken_for_fixed():
    """A flipped label might have made it another metric, whenever it was taught."""
    points = np.random.default_rng(0).random((40, 2))
    labels = np.where(points[:, 0] > 0.5, "high", "low")
    taught = wideberth.metric("forest", n_trees=10).taught(points, labels)
    model = wideberth.NeighborsClassifier(taught, n_neighbors=5).fit(points, labels)
    with pytest.raises(NotCertified, match=r"Some of these rows.*taught 'forest' before"):
        model.certified_flips(points[:2])
