"""The LP machine against the whole program, the papers' examples, attacks on its radii, and the
laws of any metric space.
"""

import pickle
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.classifiers.distance_programs import soft_margin
from sklearn.datasets import load_wine, make_moons
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks
from strategies import metric_matrices

import wideberth
from wideberth import LPMachineClassifier, MetricSpace
from wideberth.checks import check_classifier
from wideberth.classifiers.lp_machine import problem, smoothed_path
from wideberth.errors import BrokenAxiomWarning, GapWarning, InvalidInput, NotCertified
from wideberth.estimators.radial_expansions import Radial, chosen_radials
from wideberth.estimators.radius_rules import RadiusUnit

NAMES, SEXES = (column[::60] for column in wideberth.datasets.load_first_names())
SEVERAL = ["distance", "gaussian", "laplace", "bounded"]
#: A tolerance at which two ways to the same optimum agree.
EXACT = {"tol": 1e-6}
EXAMPLE_1 = np.array([[0, 2, 1, 1], [2, 0, 1, 1], [1, 1, 0, 2], [1, 1, 2, 0]], dtype=float)


def by_slopes(model, objects):
    """The radii by the Lipschitz constants of the scores alone."""
    return model.radius_rule().lipschitz.radii(
        model.admit_queries(objects), RadiusUnit(model.metric_)
    )


def as_metric_space(matrix):
    return wideberth.metric("precomputed", distances=matrix, obeys_triangle=True)


def fitted(matrix, labels, weights=None, **options):
    model = LPMachineClassifier(as_metric_space(matrix), **EXACT | options)
    return model.fit(np.arange(len(matrix)), labels, sample_weight=weights)


def moons(n=80, noise=0.35, seed=0):
    return make_moons(n, noise=noise, random_state=seed)


@parametrize_with_checks([LPMachineClassifier()])
def test_scikit_learns_checks_pass_on_vectors(estimator, check):
    check(estimator)


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("metric", "objects"),
    [
        ("levenshtein", NAMES[:40]),
        ("jaccard", [set(name) for name in NAMES[:40]]),
        ("manhattan", np.eye(40)[:, ::-1] * 3.0),
    ],
)
def test_our_checks_pass_on_objects(metric, objects):
    check_classifier(LPMachineClassifier(metric), objects, SEXES[:40])
    check_classifier(
        LPMachineClassifier(metric, C=300, radial=["distance", "laplace"]),
        objects,
        [name[1] for name in NAMES[:40]],
    )


# ---- the program ----


@given(metric_matrices(min_size=4), st.data())
@settings(max_examples=25, deadline=None)
def test_the_value_is_that_of_the_whole_program(matrix, data):
    n = len(matrix)
    n_classes = data.draw(st.sampled_from([2, 3]))
    labels = np.array(
        data.draw(
            st.lists(st.integers(0, n_classes - 1), min_size=n, max_size=n).filter(
                lambda y: len(set(y)) == n_classes
            )
        )
    )
    weights = np.array(
        data.draw(st.lists(st.sampled_from([0.5, 1.0, 2.0]), min_size=n, max_size=n))
    )
    radial = data.draw(st.sampled_from(["distance", SEVERAL]))
    model = fitted(
        0.37 * matrix,
        labels,
        weights,
        C=data.draw(st.sampled_from([0.4, 3.0, 30.0, 1000.0])),
        radial=radial,
    )
    columns = np.hstack([radial.column(0.37 * matrix) for radial in model.radials_])
    sides = [labels == 1] if n_classes == 2 else [labels == label for label in range(n_classes)]
    expected = sum(
        soft_margin(columns, np.where(side, 1.0, -1.0), C * weights)
        for side, C in zip(sides, model.C_, strict=True)
    )
    assert model.solution_.value == pytest.approx(expected, rel=1e-5)
    assert model.solution_.lower_bound <= expected * (1 + 1e-7)
    values = model.decision_function(np.arange(n)).reshape(n, -1)
    slacks = [
        np.maximum(0, 1 - np.where(side, f, -f)) for side, f in zip(sides, values.T, strict=True)
    ]
    paid = sum(C * weights @ slack for C, slack in zip(model.C_, slacks, strict=True))
    assert model.lipschitz_bound_.sum() + paid == pytest.approx(model.solution_.value, rel=1e-6)


def test_multipliers_prove_the_lower_bound_in_the_order_of_the_objects():
    points, labels = moons(60)
    points, labels = np.vstack([points, points[:20]]), np.r_[labels, labels[:20]]
    weights = np.random.default_rng(0).integers(0, 3, 80).astype(float)
    model = LPMachineClassifier(**EXACT).fit(points, labels, sample_weight=weights)
    (point,) = model.solution_.point
    assert np.all(point.multipliers >= 0)
    assert np.all(point.multipliers <= model.C_[0] * weights * (1 + 1e-9))
    signed = np.where(labels == 1, 1, -1) * point.multipliers
    assert signed.sum() == pytest.approx(0, abs=1e-9)
    distances = wideberth.pairwise_distances(points[weights > 0], points)
    assert abs(distances @ signed).max() <= 1 + 1e-6
    assert point.multipliers.sum() == pytest.approx(model.solution_.value, rel=1e-5)
    np.testing.assert_array_equal(point.coefficients.values, model.coef_.ravel())


def test_prediction_needs_the_references_alone():
    points, labels = moons()
    model = LPMachineClassifier(radial=SEVERAL).fit(points, labels)
    assert 0 < len(model.references_) < 30
    distances = wideberth.pairwise_distances(points, points[model.references_])
    values = sum(
        radial.column(distances) @ row
        for radial, row in zip(model.radials_, model.coef_[0], strict=True)
    )
    np.testing.assert_allclose(
        model.decision_function(points), values + model.intercept_[0], atol=1e-9
    )
    assert model.coef_.shape == (1, len(model.radials_), len(model.references_))
    assert model.lipschitz_bound_[0] == pytest.approx(abs(model.coef_).sum())


def test_little_memory_changes_nothing():
    points, labels = moons()
    plain, small = (
        LPMachineClassifier(max_memory=max_memory, radial=SEVERAL, **EXACT).fit(points, labels)
        for max_memory in ("2GB", 4096)
    )
    assert small.solution_.value == pytest.approx(plain.solution_.value, rel=1e-6)
    np.testing.assert_array_equal(
        small.decision_function(points[:1]), small.decision_function(points)[:1]
    )


def test_the_largest_blocks_of_many_objects_stay_far_below_the_memory(monkeypatch):
    """Counted, not timed: columns that are fetched, those that are held, and blocks of distances."""
    monkeypatch.setattr(problem, "FEW_COLUMNS", 60)
    monkeypatch.setattr(problem, "DRAWN", 40)
    monkeypatch.setattr(problem, "DRAWN_FOR_EACH", 40)
    monkeypatch.setattr(smoothed_path, "_ALWAYS_HELD", 10)
    monkeypatch.setattr(problem, "BLOCK", 500)
    points, labels = moons(400)
    sizes, fetch = [], problem.RadialColumns.columns
    monkeypatch.setattr(
        problem.RadialColumns,
        "columns",
        lambda self, indices: (sizes.append(8 * len(points) * len(indices)), fetch(self, indices))[
            1
        ],
    )
    euclidean = wideberth.metric("euclidean")

    def measured(left, right):
        sizes.append(8 * len(left) * len(right))
        return euclidean.block(left, right)

    memory = 600_000  # the matrix would take 1,280,000, and half of the memory is for it
    metric = wideberth.Metric(measured, obeys_triangle=True)
    model = LPMachineClassifier(metric, C=10, max_memory=memory, n_jobs=1).fit(points, labels)
    assert model.solution_.relative_gap <= model.tol
    assert max(sizes) <= memory / 4
    plain = LPMachineClassifier(C=10, **EXACT).fit(points, labels)
    assert model.solution_.lower_bound <= plain.solution_.value * (1 + 1e-9)
    assert plain.solution_.lower_bound <= model.solution_.value * (1 + 1e-9)


# ---- the hard margin ----


def test_example_1_has_no_hard_margin_and_the_error_says_why():
    with pytest.raises(
        InvalidInput, match="no hard margin: to every reference, the mean distance of the objects"
    ) as caught:
        fitted(EXAMPLE_1, ["a", "a", "b", "b"], C=np.inf)
    error = caught.value
    assert sorted(error.witness) == [0, 1, 2, 3]
    np.testing.assert_allclose(error.value, 0.5)
    assert "0 ('a', 50 %)" in str(error)
    means = (
        EXAMPLE_1[list(error.witness[:2])].mean(axis=0),
        EXAMPLE_1[list(error.witness[2:])].mean(axis=0),
    )
    np.testing.assert_allclose(*means)
    for way_out in ({"C": 100.0}, {"C": np.inf, "radial": "laplace"}):
        fitted(EXAMPLE_1, ["a", "a", "b", "b"], **way_out)


def test_equal_objects_of_different_classes_have_no_hard_margin():
    words, labels = ["tea", "rum", "tea", "ale", "gin"], ["soft", "hard", "hard", "hard", "hard"]
    with pytest.raises(InvalidInput, match=r"object \d \('hard'\)|object \d \('soft'\)") as caught:
        LPMachineClassifier("levenshtein", C=np.inf, radial=["distance", "gaussian"]).fit(
            words, labels
        )
    assert "every radial function of the distance" in str(caught.value)
    assert set(caught.value.witness) == {0, 2}
    assert LPMachineClassifier("levenshtein", C=100).fit(words, labels).predict(["gin"]) == "hard"
    three = ["soft", "hard", "hard", "mild", "mild"]
    with pytest.raises(InvalidInput, match="no hard margin"):
        LPMachineClassifier("levenshtein", C=np.inf).fit(words, three)


def test_the_hard_margin_separates_with_margin_one():
    points, labels = moons(60, noise=0.05)
    model = LPMachineClassifier(C=np.inf, **EXACT).fit(points, labels)
    margins = np.where(labels == 1, 1, -1) * model.decision_function(points)
    assert margins.min() == pytest.approx(1, abs=1e-6)
    assert np.all(model.certified_radius(points) >= (1 - 1e-6) / model.lipschitz_bound_[0])
    path = LPMachineClassifier(**EXACT).path(points, labels, [np.inf, 10.0])
    assert path[0].solution_.value == pytest.approx(model.solution_.value, rel=1e-6)


# ---- explanations and radii ----


@pytest.mark.few(1)
@pytest.mark.parametrize("radial", ["distance", SEVERAL])
def test_radii_on_strings_survive_every_edit(radial):
    names, sexes = (column[::10] for column in wideberth.datasets.load_first_names())
    names = [3 * name for name in names]  # farther apart
    model = LPMachineClassifier("levenshtein", C=5.0, radial=radial).fit(names[::2], sexes[::2])
    letters = "abcdefghijklmnopqrstuvwxyz"
    queries = names[1::2]
    sure = [
        name
        for name, radius in zip(queries, model.certified_radius(queries), strict=True)
        if 1 < radius < np.inf
    ]
    assert len(sure) >= 5, "there must be names to attack"
    for name in sure[:20]:
        label = model.predict([name])[0]
        edits = {name[:i] + name[i + 1 :] for i in range(len(name))}
        edits |= {name[:i] + letter + name[i + 1 :] for i in range(len(name)) for letter in letters}
        edits |= {name[:i] + letter + name[i:] for i in range(len(name) + 1) for letter in letters}
        assert set(model.predict(sorted(edits))) == {label}


@pytest.mark.few(2)
@pytest.mark.parametrize(
    ("metric", "n_classes", "radial"),
    [
        ("euclidean", 2, "distance"),
        ("euclidean", 4, SEVERAL),
        ("chebyshev", 3, "distance"),
        ("manhattan", 2, SEVERAL),
    ],
)
def test_radii_on_vectors_are_never_broken(metric, n_classes, radial):
    random = np.random.default_rng(n_classes)
    points, labels = random.normal(size=(150, 2)), random.integers(n_classes, size=150)
    points[:, 0] += labels
    model = LPMachineClassifier(metric, radial=radial).fit(points, labels)
    queries = random.normal(size=(60, 2))
    answers, radii = model.predict(queries), model.certified_radius(queries)
    assert radii.max() > 0
    measure = wideberth.metric(metric)
    for query, answer, radius in zip(queries, answers, radii, strict=True):
        towards = np.vstack([random.normal(size=(100, 2)), points[:100] - query])
        lengths = measure.block(towards, np.zeros((1, 2)))
        assert set(model.predict(query + towards / lengths * radius * 0.999999)) == {answer}


def test_the_radius_is_at_least_the_score_over_the_bound():
    points, labels = moons()
    model = LPMachineClassifier().fit(points, labels)
    expected = abs(model.decision_function(points)) / model.lipschitz_bound_[0]
    np.testing.assert_allclose(by_slopes(model, points), expected, atol=1e-9)
    assert (model.certified_radius(points) >= expected - 1e-9).all()
    three = LPMachineClassifier().fit(points, np.arange(80) % 3)
    scores = three.decision_function(points)
    rows, winners = np.arange(80), scores.argmax(axis=1)
    leads = scores[rows, winners][:, None] - scores
    both = three.lipschitz_bound_[winners][:, None] + three.lipschitz_bound_
    expected = np.sort(leads / both, axis=1)[:, 1]
    np.testing.assert_allclose(by_slopes(three, points), expected, atol=1e-9)
    assert (three.certified_radius(points) >= expected - 1e-9).all()
    assert (
        three.certified_radius(points) > 1.01 * expected
    ).any()  # functions of two classes cancel where they share terms


@pytest.mark.parametrize("n_classes", [2, 3])
def test_explanations_add_up_to_the_score(n_classes):
    points, labels = moons(60)
    labels = labels + (points[:, 0] > 1) * (n_classes - 2)
    weights = np.random.default_rng(0).integers(1, 3, 60)
    model = LPMachineClassifier(radial=["distance", "laplace"]).fit(
        points, labels, sample_weight=weights
    )
    queries = np.random.default_rng(1).normal(size=(20, 2))
    scores = model.decision_function(queries)
    of_label = np.abs(scores) if n_classes == 2 else scores.max(axis=1)
    everywhere = model.decision_function(points)
    for row, why in enumerate(model.explain(queries)):
        assert why.label == model.predict(queries[[row]])[0]
        assert why.score == pytest.approx(of_label[row])
        assert why.score == pytest.approx(why.baseline + sum(push.push for push in why.pushes))
        own = (
            everywhere * (1 if why.label else -1)
            if n_classes == 2
            else everywhere[:, model.classes_ == why.label].ravel()
        )
        assert why.baseline == pytest.approx(np.average(own, weights=weights))
        sizes = [abs(push.push) for push in why.pushes]
        assert sizes == sorted(sizes, reverse=True)
        for push in why.pushes:
            assert push.reference in model.references_
            assert push.distance == pytest.approx(
                np.linalg.norm(points[push.reference] - queries[row])
            )


def test_probabilities_come_with_folds():
    points, labels = moons()
    model = LPMachineClassifier(calibrate=3, random_state=0).fit(points, labels)
    probabilities = model.predict_proba(points)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    np.testing.assert_array_equal(
        model.classes_[probabilities.argmax(axis=1)], model.predict(points)
    )
    assert not hasattr(LPMachineClassifier(), "predict_proba")
    with pytest.raises(InvalidInput, match="3 objects of every class"):
        LPMachineClassifier(calibrate=3).fit(points[:5], [0, 0, 0, 1, 1])


# ---- scale, weights, repetition, paths ----


@pytest.mark.parametrize("factor", [0.37, 1e-8, 1e8])
@pytest.mark.parametrize("radial", ["distance", SEVERAL])
def test_the_unit_of_the_metric_changes_the_unit_alone(factor, radial):
    points, labels = moons()
    model = LPMachineClassifier(radial=radial, **EXACT).fit(points, labels)
    scaled = LPMachineClassifier(radial=radial, **EXACT).fit(factor * points, labels)
    assert scaled.solution_.value * factor == pytest.approx(model.solution_.value, rel=1e-6)
    assert scaled.solution_.relative_gap <= 1e-6
    np.testing.assert_allclose(scaled.lipschitz_bound_ * factor, model.lipschitz_bound_, rtol=1e-3)
    np.testing.assert_allclose(scaled.C_ * factor, model.C_, rtol=1e-9)
    np.testing.assert_allclose(
        scaled.certified_radius(factor * points) / factor, model.certified_radius(points), atol=1e-4
    )


def test_whole_weights_are_repetitions_and_repeating_the_sample_changes_nothing():
    points, labels = moons(50)
    weights = np.random.default_rng(0).integers(0, 4, 50)
    queries = np.random.default_rng(1).normal(size=(30, 2))
    weighted = LPMachineClassifier(radial=SEVERAL).fit(points, labels, sample_weight=weights)
    repeated = LPMachineClassifier(radial=SEVERAL).fit(
        np.repeat(points, weights, axis=0), np.repeat(labels, weights)
    )
    np.testing.assert_array_equal(
        weighted.decision_function(queries), repeated.decision_function(queries)
    )
    once = LPMachineClassifier(radial=SEVERAL, **EXACT).fit(points, labels)
    thrice = LPMachineClassifier(radial=SEVERAL, **EXACT).fit(
        np.tile(points, (3, 1)), np.tile(labels, 3)
    )
    np.testing.assert_allclose(
        thrice.decision_function(queries), once.decision_function(queries), atol=1e-6
    )
    assert thrice.solution_.value == pytest.approx(once.solution_.value, rel=1e-6)
    np.testing.assert_allclose(thrice.C_ * 3, once.C_)


def test_class_weights_weigh():
    points, labels = moons(100, noise=0.5)
    plain = LPMachineClassifier().fit(points, labels)
    by_class = LPMachineClassifier(class_weight={0: 1.0, 1: 4.0}, **EXACT).fit(points, labels)
    by_object = LPMachineClassifier(**EXACT).fit(
        points, labels, sample_weight=np.where(labels == 1, 4.0, 1.0)
    )
    np.testing.assert_allclose(
        by_class.decision_function(points), by_object.decision_function(points), atol=1e-6
    )
    np.testing.assert_allclose(by_class.C_, plain.C_)
    assert by_class.predict(points).sum() > plain.predict(points).sum()
    with pytest.raises(InvalidInput, match="no weight to the class 1"):
        LPMachineClassifier(class_weight={0: 1.0, 1: 0.0}).fit(points, labels)


def test_a_path_is_separate_fits():
    points, labels = moons()
    values = [100.0, 2.0, np.inf, 30.0]
    path = LPMachineClassifier(radial=["distance", "gaussian"], **EXACT).path(
        points, labels, values
    )
    assert [model.C for model in path] == values
    for model in path:
        alone = LPMachineClassifier(C=model.C, radial=["distance", "gaussian"], **EXACT).fit(
            points, labels
        )
        assert model.solution_.value == pytest.approx(alone.solution_.value, rel=1e-5)
        np.testing.assert_allclose(model.C_, alone.C_)
    with pytest.raises(InvalidInput, match="C=-1"):
        LPMachineClassifier().path(points, labels, [2, -1])


# ---- references ----


def test_a_number_of_references_is_a_net_of_them():
    points, labels = moons()
    model = LPMachineClassifier(C=1000, references=10).fit(points, labels)
    assert len(model.references_) <= 10
    np.testing.assert_allclose(model._function.references, points[model.references_])
    everything = LPMachineClassifier().fit(points, labels)
    for many in (80, 10**6, np.int64(500)):
        more = LPMachineClassifier(references=many).fit(points, labels)
        np.testing.assert_array_equal(
            more.decision_function(points), everything.decision_function(points)
        )


def test_references_may_be_objects_without_labels():
    names, others = NAMES[:60], NAMES[60:]
    model = LPMachineClassifier("levenshtein", C=100, references=others, **EXACT).fit(
        names, SEXES[:60]
    )
    distances = wideberth.pairwise_distances(names, others, "levenshtein")
    expected = soft_margin(
        distances,
        np.where(np.array(SEXES[:60]) == model.classes_[1], 1.0, -1.0),
        np.full(60, model.C_[0]),
    )
    assert model.solution_.value == pytest.approx(expected, rel=1e-6)
    assert list(model._function.references) == [others[position] for position in model.references_]


def test_references_by_number_in_a_space_and_in_a_matrix():
    names, others, sexes = NAMES[:60], NAMES[60:], SEXES[:60]
    plain = LPMachineClassifier("levenshtein", references=others).fit(names, sexes)
    space = MetricSpace(names, "levenshtein")
    index = space.index
    in_space = LPMachineClassifier(space.metric, references=space.append(others)).fit(index, sexes)
    np.testing.assert_array_equal(in_space.references_, plain.references_)
    np.testing.assert_array_equal(in_space.decision_function(index), plain.decision_function(names))
    matrix = wideberth.pairwise_distances(NAMES, None, "levenshtein")
    numbers = np.arange(60, len(NAMES))
    known = (np.arange(len(NAMES)) < 60).astype(float)
    in_matrix = LPMachineClassifier("precomputed", references=numbers).fit(
        matrix, SEXES, sample_weight=known
    )
    np.testing.assert_array_equal(
        in_matrix.decision_function(matrix[:60]), plain.decision_function(names)
    )
    with pytest.raises(InvalidInput, match="references are row numbers") as caught:
        LPMachineClassifier("precomputed", references=matrix[60:]).fit(matrix, SEXES)
    assert "sample_weight 0" in str(caught.value)
    with pytest.raises(InvalidInput, match="there is no number 100"):
        LPMachineClassifier("precomputed", references=[100]).fit(matrix, SEXES)


@pytest.mark.parametrize(
    ("parameters", "problem"),
    [
        ({"C": 0}, "C=0"),
        ({"C": np.nan}, "C=nan"),
        ({"tol": 2}, "tol=2"),
        ({"max_time": 0}, "max_time=0"),
        ({"calibrate": 1}, "calibrate=1"),
        ({"references": 0}, "references=0"),
        ({"references": "all"}, "references='all'"),
        ({"references": 0.5}, "references=0.5"),
        ({"references": True}, "references=True"),
        ({"references": np.empty((0, 2))}, "empty"),
        ({"references": [[1.0, 2.0, 3.0]]}, "3"),
        ({"radial": "cubic"}, "'cubic' is not a radial function"),
        ({"radial": []}, "names no radial function"),
        ({"radial": ("gaussian", -1.0)}, "-1.0"),
        ({"radial": ("distance", 1.0)}, "no width"),
        ({"radial": ("gaussian", "tea%")}, "'tea%' is not a radial function"),
        ({"radial": ("gaussian", "-5%")}, "does not fit"),
        ({"max_memory": "tea"}, "not a size"),
    ],
)
def test_what_does_not_fit_is_refused(parameters, problem):
    points, labels = moons(20)
    with pytest.raises(InvalidInput, match=problem):
        LPMachineClassifier(**parameters).fit(points, labels)


def test_radial_functions_are_written_in_several_ways():
    assert chosen_radials(("gaussian", 2), 1.0) == (Radial("gaussian", 2.0),)
    assert chosen_radials(("gaussian", "50%"), 6.0) == (Radial("gaussian", 3.0),)
    assert chosen_radials(("distance", "bounded"), 4.0) == (
        Radial("distance"),
        *(Radial("bounded", s) for s in (1.0, 2.0, 4.0)),
    )
    assert chosen_radials(["laplace", ["laplace", 4.0]], 4.0) == tuple(
        Radial("laplace", s) for s in (1.0, 2.0, 4.0)
    )


# ---- edge cases ----


def test_one_class_and_as_many_classes_as_objects_and_equal_objects():
    one = LPMachineClassifier("levenshtein").fit(["tea", "rum"], ["drink", "drink"])
    assert one.predict(["ale"]).tolist() == ["drink"]
    assert np.isinf(one.certified_radius(["ale"])[0])
    assert (one.solution_.value, one.solution_.point) == (0, ())
    assert one.explain(["ale"])[0].pushes == ()
    own = LPMachineClassifier("levenshtein", C=1000).fit(NAMES[:8], NAMES[:8])
    assert own.predict(NAMES[:8]).tolist() == list(NAMES[:8])
    same = LPMachineClassifier("levenshtein").fit(["tea"] * 5, list("aabbb"))
    assert same.predict(["tea", "rum"]).tolist() == ["b", "b"]


def test_cheap_errors_give_the_largest_class():
    for labels in (list("abb"), [*"abbcc", "b"]):
        words = ["tea", "rum", "ale", "gin", "ram", "rim"][: len(labels)]
        model = LPMachineClassifier("levenshtein", C=0.5).fit(words, labels)
        assert len(model.references_) == 0
        assert set(model.predict([*words, "zzz"])) == {"b"}
        assert np.isinf(model.certified_radius(["zzz"])[0])
        assert model.explain(["tea"])[0].pushes == ()


def test_a_broken_triangle_is_a_warning_and_certifies_nothing():
    points, labels = np.arange(10.0).reshape(-1, 1), np.arange(10) % 2
    distance = wideberth.Metric(lambda left, right: (left - right.T) ** 2, name="squared")
    with pytest.warns(BrokenAxiomWarning, match="breaks the triangle inequality"):
        model = LPMachineClassifier(distance).fit(points, labels)
    with pytest.raises(NotCertified, match="does not promise"):
        model.certified_radius(points)


@pytest.mark.parametrize("C", [300.0, np.inf])
def test_time_runs_out_with_a_warning_that_tells_the_gap(C):
    random = np.random.default_rng(0)
    points, labels = random.normal(size=(400, 2)), random.integers(2, size=400)
    with pytest.warns(GapWarning, match=r"max_time") as told:
        model = LPMachineClassifier(C=C, max_time=0.02).fit(points, labels)
    assert told[0].filename == __file__
    assert not model.solution_.relative_gap <= model.tol
    assert model.predict(points).shape == (400,)
    with warnings.catch_warnings():
        warnings.simplefilter("error", GapWarning)
        LPMachineClassifier(C=3.0, max_time=1e6).fit(points, labels)


# ---- model files and parameter search ----


def test_what_is_saved_comes_back(tmp_path):
    model = LPMachineClassifier(
        "levenshtein", radial=[("gaussian", 3.0), "distance"], references=NAMES[40:60], calibrate=2
    )
    model.fit(NAMES[:40], SEXES[:40])
    wideberth.save(model, tmp_path / "m.wb")
    loaded = wideberth.load(tmp_path / "m.wb")
    np.testing.assert_array_equal(loaded.decision_function(NAMES), model.decision_function(NAMES))
    np.testing.assert_array_equal(loaded.predict_proba(NAMES), model.predict_proba(NAMES))
    np.testing.assert_array_equal(loaded.certified_radius(NAMES), model.certified_radius(NAMES))
    assert loaded.explain(NAMES[:3]) == model.explain(NAMES[:3])
    assert loaded.radials_ == model.radials_
    for name in ("coef_", "intercept_", "references_", "lipschitz_bound_", "C_"):
        np.testing.assert_array_equal(getattr(loaded, name), getattr(model, name))
    assert (loaded.solution_.value, loaded.solution_.gap) == (
        model.solution_.value,
        model.solution_.gap,
    )
    one = LPMachineClassifier("levenshtein").fit(["tea", "rum"], ["drink", "drink"])
    for constant in (
        one,
        LPMachineClassifier("levenshtein", C=0.5).fit(NAMES[:9], list("abbcccccc")),
    ):
        wideberth.save(constant, tmp_path / "c.wb")
        assert wideberth.load(tmp_path / "c.wb").predict(["ale"]) == constant.predict(["ale"])
    thawed = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(thawed.predict(NAMES), model.predict(NAMES))


def test_parameters_of_metrics_and_radial_functions_can_be_searched():
    points, labels = moons(60)
    grid = {"metric__p": [1, 3], "radial": ["distance", ["distance", "laplace"]]}
    search = GridSearchCV(LPMachineClassifier(wideberth.metric("minkowski")), grid, cv=2).fit(
        points, labels
    )
    assert search.best_score_ > 0.7


@pytest.mark.slow
def test_it_learns_real_data():
    wine = load_wine()
    model = make_pipeline(StandardScaler(), LPMachineClassifier())
    assert cross_val_score(model, wine.data, wine.target, cv=3).mean() > 0.94
    names, sexes = map(np.array, wideberth.datasets.load_first_names())
    balanced = np.concatenate([np.flatnonzero(sexes == sex)[:600:2] for sex in ("female", "male")])
    known, queries = balanced[::2], balanced[1::2]
    machine = LPMachineClassifier("levenshtein", radial=["distance", "gaussian"]).fit(
        names[known], sexes[known]
    )
    assert machine.score(names[queries], sexes[queries]) > 0.6  # a constant has 0.5


@given(
    exponent=st.floats(9.5, 100),
    seed=st.integers(0, 2**32),
    n_classes=st.integers(2, 4),
    radial=st.sampled_from(
        ["distance", "bounded", "gaussian", ("gaussian", 1.0), ["distance", "laplace"]]
    ),
    C=st.sampled_from([1.0, 30.0, 1e4]),
)
@settings(max_examples=30, deadline=None)
def test_references_too_far_away_are_never_taken_without_a_word(
    exponent, seed, n_classes, radial, C
):
    rng = np.random.default_rng(seed)
    points, labels = rng.normal(size=(30, 2)), np.arange(30) % n_classes
    far = 10.0**exponent * np.array([[1.0, 0.0], [0.0, 1.0]])
    with pytest.warns(GapWarning, match=r"do not distinguish the objects|relative gap"):
        model = LPMachineClassifier(references=far, radial=radial, C=C).fit(points, labels)
    with warnings.catch_warnings():
        warnings.simplefilter("error", GapWarning)
        LPMachineClassifier(references=points[:2], C=C).fit(
            points, labels
        )  # what the warning advises
        LPMachineClassifier(references=far, radial=radial, C=0.5).fit(
            points, labels
        )  # a constant is the optimum
    assert len(model.predict(points)) == 30
