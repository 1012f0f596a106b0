"""The Lipschitz classifier against the papers' own programs, their examples and lemmas, and attacks
on its radii.
"""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.classifiers.lipschitz_programs import several_classes, two_classes
from scipy.optimize import linprog
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_digits, make_moons
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.utils.estimator_checks import parametrize_with_checks
from strategies import metric_matrices

import wideberth
from wideberth import LipschitzClassifier, NeighborsClassifier
from wideberth.checks import check_classifier
from wideberth.errors import BrokenAxiom, BrokenAxiomWarning, GapWarning, InvalidInput, NotCertified
from wideberth.papers.extension import LipschitzExtension

NAMES, SEXES = (each[::60] for each in wideberth.datasets.load_first_names())


def as_metric_space(matrix):
    return wideberth.metric("precomputed", distances=matrix, obeys_triangle=True)


def fitted(matrix, labels, weights=None, **options):
    model = LipschitzClassifier(as_metric_space(matrix), tol=1e-8, **options)
    return model.fit(np.arange(len(matrix)).reshape(-1, 1), labels, sample_weight=weights)


@parametrize_with_checks([LipschitzClassifier()])
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
    check_classifier(LipschitzClassifier(metric), objects, SEXES[:40])
    check_classifier(LipschitzClassifier(metric, C=25.0), objects, [name[1] for name in NAMES[:40]])


# ---- the papers' programs ----


@given(metric_matrices(min_size=4), st.data())
@settings(max_examples=40, deadline=None)
def test_two_classes_reach_the_value_of_the_papers_program(matrix, data):
    n = len(matrix)
    labels = np.array(
        data.draw(
            st.lists(st.sampled_from([-1, 1]), min_size=n, max_size=n).filter(
                lambda y: len(set(y)) == 2
            )
        )
    )
    weights = np.array(
        data.draw(st.lists(st.sampled_from([0.5, 1.0, 2.0]), min_size=n, max_size=n))
    )
    model = fitted(
        0.37 * matrix, labels, weights, C=data.draw(st.sampled_from([0.4, 1.5, 5.0, 30.0]))
    )
    expected = two_classes(0.37 * matrix, labels, weights, model.C_)
    assert model.solution_.value == pytest.approx(expected, rel=1e-6)
    assert model.solution_.lower_bound <= expected * (1 + 1e-6)
    # the scores of two classes are plus and minus the function of the paper
    f = model.decision_function(np.arange(n).reshape(-1, 1)) / 2
    slope, lost = model.lipschitz_constant_, np.maximum(0, 1 - labels * f)
    assert slope + model.C_ * weights @ lost == pytest.approx(expected, rel=1e-6)
    assert (np.abs(f[:, None] - f) <= slope * 0.37 * matrix + 1e-9).all()
    assert model.margin_ == (1 / slope if slope else np.inf)


@given(metric_matrices(min_size=4, max_size=6), st.data())
@settings(max_examples=25, deadline=None)
def test_several_classes_reach_the_value_of_the_papers_program(matrix, data):
    n = len(matrix)
    codes = np.array(
        data.draw(
            st.lists(st.integers(0, 2), min_size=n, max_size=n).filter(
                lambda y: len(set(y)) == max(y) + 1 >= 2
            )
        )
    )
    weights = np.array(
        data.draw(st.lists(st.sampled_from([0.5, 1.0, 2.0]), min_size=n, max_size=n))
    )
    model = fitted(matrix, codes, weights, C=data.draw(st.sampled_from([0.4, 1.5, 5.0, 30.0])))
    expected = several_classes(matrix, codes, weights, model.C_)
    assert model.solution_.value == pytest.approx(expected, rel=1e-6)


@given(metric_matrices(min_size=4), st.data())
@settings(max_examples=40, deadline=None)
def test_the_function_itself_has_the_objective_and_the_slope(matrix, data):
    n = len(matrix)
    codes = np.array(
        data.draw(
            st.lists(st.integers(0, 3), min_size=n, max_size=n).filter(lambda y: len(set(y)) >= 2)
        )
    )
    model = fitted(matrix, codes, C=data.draw(st.sampled_from([0.5, 3.0, 20.0])))
    scores = model.scores(np.arange(n))
    own = scores[np.arange(n), np.searchsorted(model.classes_, codes)]
    value = model.lipschitz_constant_ + model.C_ * np.maximum(1 - own, 0).sum()
    if model.lipschitz_constant_ > 0:
        assert value == pytest.approx(model.solution_.value, rel=1e-7)
        np.testing.assert_allclose(model.slack_, 1 - own, atol=1e-9)
    steps = abs(scores[:, None] - scores[None, :]).max(axis=2)
    assert np.all(steps <= model.lipschitz_constant_ * matrix + 1e-9)


@given(metric_matrices(min_size=4), st.data())
@settings(max_examples=40, deadline=None)
def test_the_hard_margin_is_the_nearest_neighbour(matrix, data):
    """Lemmas 12 and 13: the slope is 2 / (smallest distance between classes), and the labels are
    those of 1-NN.
    """
    n = len(matrix)
    codes = np.array(data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)))
    same = matrix == 0
    codes = codes[same.argmax(axis=1)]  # equal objects get one label
    if len(set(codes)) < 2:
        return
    known = np.arange(n) % 3 != 0
    if len(set(codes[known])) < 2:
        return
    index = np.arange(n).reshape(-1, 1)
    model = LipschitzClassifier(as_metric_space(matrix), C=np.inf).fit(index[known], codes[known])
    between = matrix[np.ix_(known, known)][codes[known][:, None] != codes[known]]
    assert model.margin_ == pytest.approx(between.min() / 2)
    np.testing.assert_allclose(model.predict(index[known]), codes[known])
    near = NeighborsClassifier(as_metric_space(matrix), n_neighbors=1).fit(
        index[known], codes[known]
    )
    to_own = matrix[~known][:, known]
    for row, query in enumerate(index[~known]):
        best = to_own[row].min()
        winners = set(codes[known][to_own[row] == best])
        assert model.predict([query])[0] in winners  # of equally near objects either may win
        if len(winners) == 1:
            assert model.predict([query])[0] == near.predict([query])[0]


EXAMPLE_1 = np.array([[0, 2, 1, 1], [2, 0, 1, 1], [1, 1, 0, 2], [1, 1, 2, 0]], dtype=float)
EXAMPLE_3 = np.array(
    [[0, 1, 1, 1, 1], [1, 0, 1, 1, 2], [1, 1, 0, 2, 1], [1, 1, 2, 0, 1], [1, 2, 1, 1, 0]],
    dtype=float,
)


def test_example_1_has_a_solution_where_distances_to_single_points_have_none():
    model = fitted(EXAMPLE_1, [1, 1, -1, -1], C=np.inf)
    assert model.lipschitz_constant_ == 2
    assert model.predict(np.arange(4)).tolist() == [1, 1, -1, -1]
    span = linprog(  # y_i (sum_j a_j d(x_j, x_i) + b) >= 1 has no solution
        np.zeros(5),
        A_ub=-np.array([1, 1, -1, -1])[:, None] * np.hstack([EXAMPLE_1, np.ones((4, 1))]),
        b_ub=-np.ones(4),
        bounds=[(None, None)] * 5,
    )
    assert span.status == 2


def test_example_3_is_steeper_between_the_training_points_than_it_looks():
    model = fitted(EXAMPLE_3[:4, :4], [1, 1, -1, -1], C=np.inf)
    assert model.lipschitz_constant_ == 2
    values = -2 * EXAMPLE_3[0] - 2 * EXAMPLE_3[1] + 3
    on_training = LipschitzExtension(np.arange(4), values[:4], metric=as_metric_space(EXAMPLE_3))
    everywhere = LipschitzExtension(np.arange(5), values, metric=as_metric_space(EXAMPLE_3))
    assert (on_training.slope, everywhere.slope) == (2, 4)


# ---- what it tells ----


def test_radii_on_strings_survive_every_edit():
    names, sexes = wideberth.datasets.load_first_names()
    model = LipschitzClassifier("levenshtein", C=2.0).fit(names[:2000], sexes[:2000])
    letters = "abcdefghijklmnopqrstuvwxyz"
    asked = names[2000::40]
    sure = [
        name
        for name, radius in zip(asked, model.certified_radius(asked), strict=True)
        if 1 < radius < np.inf
    ]
    assert len(sure) >= 5, "there must be names to attack"
    for name in sure:
        label = model.predict([name])[0]
        edits = {name[:i] + name[i + 1 :] for i in range(len(name))}
        edits |= {name[:i] + letter + name[i + 1 :] for i in range(len(name)) for letter in letters}
        edits |= {name[:i] + letter + name[i:] for i in range(len(name) + 1) for letter in letters}
        assert set(model.predict(sorted(edits))) == {label}


@pytest.mark.few(2)
@pytest.mark.parametrize(
    ("metric", "n_classes"),
    [("euclidean", 2), ("euclidean", 4), ("chebyshev", 3), ("manhattan", 2)],
)
def test_radii_on_vectors_are_never_broken(metric, n_classes):
    random = np.random.default_rng(n_classes)
    points, labels = random.normal(size=(200, 2)), random.integers(n_classes, size=200)
    points[:, 0] += labels
    model = LipschitzClassifier(metric).fit(points, labels)
    queries = random.normal(size=(100, 2))
    answers, radii = model.predict(queries), model.certified_radius(queries)
    measure = wideberth.metric(metric)
    for query, answer, radius in zip(queries, answers, radii, strict=True):
        directions = random.normal(size=(200, 2))
        towards = np.vstack([directions, points[:100] - query])
        lengths = measure.block(towards, np.zeros((1, 2)))
        moved = query + towards / lengths * radius * 0.999999
        assert set(model.predict(moved)) == {answer}


def test_training_objects_keep_their_label_within_the_hard_margin():
    points, labels = make_moons(200, noise=0.05, random_state=0)
    model = LipschitzClassifier(C=np.inf).fit(points, labels)
    assert np.all(model.certified_radius(points) >= model.margin_ * (1 - 1e-9))


def test_explanations_name_the_objects_that_set_the_score():
    points, labels = make_moons(100, noise=0.3, random_state=0)
    model = LipschitzClassifier().fit(points, labels)
    queries = np.random.default_rng(0).normal(size=(20, 2))
    scores = model.scores(queries)
    for row, why in enumerate(model.explain(queries)):
        assert why.label == model.predict(queries[[row]])[0]
        assert why.score == pytest.approx(scores[row].max())
        up, down = why.pushes
        assert why.score == pytest.approx(up.push + down.push)
        assert up.push <= why.score / 2 + 1e-12 <= down.push + 2e-12
        for each in (up, down):
            assert each.distance == pytest.approx(
                np.linalg.norm(points[each.reference] - queries[row])
            )


def test_the_interval_holds_the_score():
    points, labels = make_moons(100, noise=0.3, random_state=0)
    model = LipschitzClassifier().fit(points, labels)
    lower, upper = model.score_interval(points + 0.1)
    assert np.all(lower <= upper + 1e-12)
    np.testing.assert_allclose((lower + upper) / 2, model.scores(points + 0.1))


def test_scores_are_those_of_all_training_objects():
    points, labels = make_moons(300, noise=0.35, random_state=1)
    model = LipschitzClassifier(C=3.0).fit(points, labels)
    assert sorted(model.support_) == list(range(len(points)))
    winners, margins = np.where(model.slack_ <= 1, labels, 1 - labels), abs(1 - model.slack_)
    queries = np.random.default_rng(0).normal(size=(50, 2))
    distances = wideberth.pairwise_distances(queries, points)
    for each in (0, 1):
        values = np.where(winners == each, margins, -margins)
        upper = (values + model.lipschitz_constant_ * distances).min(axis=1)
        lower = (values - model.lipschitz_constant_ * distances).max(axis=1)
        np.testing.assert_allclose(model.scores(queries)[:, each], (upper + lower) / 2, atol=1e-9)


# ---- scale, paths, weights ----


def test_the_price_of_errors_has_no_unit():
    points, labels = make_moons(150, noise=0.35, random_state=2)
    model = LipschitzClassifier(tol=1e-8).fit(points, labels)
    scaled = LipschitzClassifier(tol=1e-8).fit(0.37 * points, labels)
    doubled = LipschitzClassifier(tol=1e-8).fit(np.vstack([points, points]), np.tile(labels, 2))
    assert scaled.lipschitz_constant_ == pytest.approx(model.lipschitz_constant_ / 0.37, rel=1e-6)
    assert doubled.lipschitz_constant_ == pytest.approx(model.lipschitz_constant_, rel=1e-6)
    assert doubled.solution_.value == pytest.approx(model.solution_.value, rel=1e-6)


def test_a_path_is_separate_fits():
    points, labels = make_moons(200, noise=0.35, random_state=3)
    values = [25.0, 2.0, np.inf, 5.0]
    base = LipschitzClassifier(tol=1e-7)
    path = base.path(points, labels, values)
    assert [model.C for model in path] == values
    for model in path:
        alone = LipschitzClassifier(C=model.C, tol=1e-7).fit(points, labels)
        assert model.solution_.value == pytest.approx(alone.solution_.value, rel=1e-6)
        assert model.predict(points).shape == labels.shape


def test_class_weights_weigh():
    points, labels = make_moons(150, noise=0.4, random_state=2)
    plain = LipschitzClassifier(tol=1e-7).fit(points, labels)
    by_class = LipschitzClassifier(tol=1e-7, class_weight={0: 1.0, 1: 4.0}).fit(points, labels)
    by_object = LipschitzClassifier(tol=1e-7).fit(
        points, labels, sample_weight=np.where(labels == 1, 4.0, 1.0)
    )
    assert by_class.solution_.value == pytest.approx(by_object.solution_.value, rel=1e-6)
    assert by_class.solution_.value != pytest.approx(plain.solution_.value, rel=1e-3)
    assert (by_class.slack_[labels == 1] > 1).sum() <= (plain.slack_[labels == 1] > 1).sum()


def test_slack_is_in_the_order_of_the_training_objects():
    points, labels = make_moons(60, noise=0.4, random_state=2)
    weights = np.ones(60)
    weights[[3, 59]] = 0
    model = LipschitzClassifier().fit(points, labels, sample_weight=weights)
    assert len(model.slack_) == 60
    assert np.flatnonzero(np.isnan(model.slack_)).tolist() == [3, 59]


# ---- edge cases ----


def test_equal_objects_with_different_labels():
    words, labels = ["tea", "rum", "tea", "ale"], ["soft", "hard", "hard", "hard"]
    with pytest.raises(
        InvalidInput, match=r"Objects 0 \('soft'\) and 2 \('hard'\) are equal"
    ) as error:
        LipschitzClassifier("levenshtein", C=np.inf).fit(words, labels)
    assert set(error.value.witness) == {0, 2}
    model = LipschitzClassifier("levenshtein", C=5.0).fit(words, labels)
    assert model.slack_[0] + model.slack_[2] >= 2 - 1e-9


def test_cheap_errors_give_constant_scores():
    model = LipschitzClassifier("levenshtein", C=0.01).fit(
        ["tea", "rum", "ale"], ["soft", "hard", "hard"]
    )
    assert model.lipschitz_constant_ == 0
    assert model.margin_ == np.inf
    assert model.predict(["tea", "zzz"]).tolist() == ["hard", "hard"]
    assert np.all(np.isinf(model.certified_radius(["tea"])))
    lower, upper = model.score_interval(["tea"])
    np.testing.assert_array_equal(lower, upper)
    with pytest.raises(InvalidInput, match="Raise C"):
        model.explain(["tea"])


def test_one_class_and_two_objects_and_as_many_classes_as_objects():
    one = LipschitzClassifier("levenshtein").fit(["tea", "rum"], ["drink", "drink"])
    assert one.predict(["ale"]).tolist() == ["drink"]
    assert np.isinf(one.certified_radius(["ale"])[0])
    two = LipschitzClassifier("levenshtein", C=30.0).fit(["tea", "rum"], ["soft", "hard"])
    assert two.predict(["tea", "rum"]).tolist() == ["soft", "hard"]
    own = LipschitzClassifier("levenshtein", C=50.0).fit(NAMES[:8], NAMES[:8])
    assert own.predict(NAMES[:8]).tolist() == list(NAMES[:8])
    constant = LipschitzClassifier("precomputed", C=30.0).fit(1 - np.eye(6), [0, 0, 0, 1, 1, 1])
    assert constant.predict(1 - np.eye(6)).tolist() == [0, 0, 0, 1, 1, 1]


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        ((1, 2), np.nan, "nan between objects 1 and 2"),
        ((1, 2), 9.0, "not symmetric"),
        ((3, 3), 1.0, "from itself"),
    ],
)
def test_matrices_that_are_no_distances_are_refused(place, value, message):
    matrix = 1 - np.eye(5)
    matrix[place] = value
    with pytest.raises(BrokenAxiom, match=message):
        LipschitzClassifier("precomputed").fit(matrix, [0, 0, 0, 1, 1])


def test_a_broken_triangle_is_a_warning_or_an_error():
    def squared(left, right):
        return (left - right.T) ** 2

    points, labels = np.arange(10.0).reshape(-1, 1), np.arange(10) % 2
    distance = wideberth.Metric(squared, name="squared")
    with pytest.warns(
        BrokenAxiomWarning,
        match="breaks the triangle inequality at objects 0, ., 9.*no radius is certified",
    ):
        model = LipschitzClassifier(distance).fit(points, labels)
    with pytest.raises(NotCertified, match="does not promise"):
        model.certified_radius(points)
    with warnings.catch_warnings():
        warnings.simplefilter("error", BrokenAxiomWarning)
        with pytest.raises(BrokenAxiomWarning):
            LipschitzClassifier(distance).fit(points, labels)
    with pytest.raises(NotCertified, match="'dtw' does not obey"):
        LipschitzClassifier("dtw").fit([[0.0, 1.0], [2.0], [5.0, 1.0]], [0, 1, 1]).certified_radius(
            [[0.0]]
        )


def test_the_clock_is_obeyed_with_what_is_proved():
    points, labels = make_moons(3000, noise=0.35, random_state=1)
    with pytest.warns(GapWarning, match="stopped at max_time"):
        model = LipschitzClassifier(C=2.0, tol=1e-9, max_time=0.2).fit(points, labels)
    full = LipschitzClassifier(C=2.0, tol=1e-3).fit(points, labels)
    assert model.solution_.lower_bound <= full.solution_.value * (1 + 1e-9)
    assert model.solution_.value >= full.solution_.lower_bound * (1 - 1e-9)


@pytest.mark.parametrize(
    "options", [{"C": 0}, {"C": -1}, {"tol": 0}, {"max_time": 0}, {"calibrate": 1}]
)
def test_wrong_parameters_are_refused(options):
    with pytest.raises(InvalidInput, match=f"{next(iter(options))}="):
        LipschitzClassifier("levenshtein", **options).fit(["tea", "rum"], [0, 1])


# ---- scikit-learn around it ----


def test_probabilities_exist_only_when_calibrated():
    assert not hasattr(LipschitzClassifier(), "predict_proba")
    points, labels = make_moons(400, noise=0.35, random_state=1)
    model = LipschitzClassifier(calibrate=4, random_state=0).fit(points[:200], labels[:200])
    probabilities = model.predict_proba(points[200:])
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    np.testing.assert_array_equal(probabilities.argmax(axis=1), model.predict(points[200:]))
    loss = -np.log(probabilities[np.arange(200), labels[200:]]).mean()
    assert loss < 0.5, "much better than 0.69 for guessing"
    with pytest.raises(
        InvalidInput, match="calibrate=5 needs 5 objects of every class; one class has 1"
    ):
        LipschitzClassifier("levenshtein", calibrate=5).fit(["tea", "rum", "ale"], [0, 1, 1])


@pytest.mark.slow
def test_real_data_are_learned_under_label_noise():
    points, labels = load_digits(return_X_y=True)
    points, labels = points[:600], labels[:600].copy()
    random = np.random.default_rng(0)
    wrong = random.random(600) < 0.15
    labels[wrong] = random.integers(10, size=wrong.sum())
    ours = cross_val_score(LipschitzClassifier(C=3.0), points, labels, cv=3).mean()
    nearest = cross_val_score(NeighborsClassifier(n_neighbors=1), points, labels, cv=3).mean()
    assert ours > nearest + 0.05


def test_a_space_is_tuned_on_without_measuring_twice():
    space = wideberth.MetricSpace(NAMES, "levenshtein")
    search = GridSearchCV(LipschitzClassifier(space.metric), {"C": [2.0, 5.0]}, cv=3).fit(
        space.index, SEXES
    )
    assert space.distance_calls <= len(NAMES) * (len(NAMES) - 1) // 2
    assert search.predict(space.append(["Marianne"]))[0] in SEXES
    calibrated = CalibratedClassifierCV(LipschitzClassifier("levenshtein"), cv=3).fit(NAMES, SEXES)
    assert calibrated.predict_proba(NAMES[:2]).shape == (2, 2)
