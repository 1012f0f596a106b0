"""Margin neighbours: covers beside brute force, laws of any metric space, certificates in
simulation, radii under attack.
"""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.classifiers import votes
from scipy.stats import binom
from sklearn.datasets import load_digits, load_iris, make_blobs, make_moons
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.utils.estimator_checks import parametrize_with_checks
from strategies import metric_matrices

import wideberth
from wideberth.checks import check_classifier
from wideberth.classifiers.margin_neighbors.by_bound import certify_on_grid
from wideberth.classifiers.margin_neighbors.classifier import MarginNeighborsClassifier
from wideberth.classifiers.margin_neighbors.criteria import Settings
from wideberth.errors import InvalidInput, NotCertified
from wideberth.estimators.training import Training
from wideberth.metrics.precomputed import Precomputed

NAMES, SEXES = (list(part[:120]) for part in wideberth.datasets.load_first_names())
WHY = (
    "the objects set aside are drawn at random, so an object of weight 2 and two equal objects are "
    "drawn differently"
)


@parametrize_with_checks(
    [MarginNeighborsClassifier()],
    expected_failed_checks=lambda _: {
        "check_sample_weight_equivalence_on_dense_data": WHY,
        "check_sample_weight_equivalence_on_sparse_data": WHY,
    },
)
def test_scikit_learn_feels_at_home(estimator, check):
    check(estimator)


@pytest.mark.few(1)
@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"separation": 2.0},
        {"separation": 2.0, "condense": "net"},
        {"separation": "compression"},
        {"separation": "theory", "dimension": 2},
        {"separation": "theory"},
        {"cover": "exact"},
        {"condense": "p2l"},
        {"refit": True},
    ],
    ids=repr,
)
def test_objects_of_any_kind(parameters):
    check_classifier(MarginNeighborsClassifier("levenshtein", **parameters), NAMES, SEXES)


# ---- covers --------------------------------------------------------------------------------------


def smallest_cover(distances, codes, separation):
    n = len(codes)
    pairs = [
        (a, b)
        for a, b in combinations(range(n), 2)
        if codes[a] != codes[b] and distances[a, b] < separation
    ]
    return next(
        size
        for size in range(n + 1)
        if any(
            all(a in s or b in s for a, b in pairs) for s in map(set, combinations(range(n), size))
        )
    )


@st.composite
def labelled_spaces(draw, classes=3):
    distances = draw(metric_matrices(min_size=4, max_size=7))
    n = len(distances)
    codes = np.array(
        [0, 1, *draw(st.lists(st.integers(0, classes - 1), min_size=n - 2, max_size=n - 2))]
    )
    return distances, codes


@given(labelled_spaces(), st.sampled_from([1.0, 2.0, 3.0, 4.5, 7.0]))
@settings(max_examples=60, deadline=None)
def test_covers_are_as_good_as_promised(space, separation):
    distances, codes = space
    best = smallest_cover(distances, codes, separation)
    for cover, factor in (
        ("greedy", 2.0),
        ("lp", 2.0 - 2.0 / len(np.unique(codes))),
        ("exact", 1.0),
    ):
        model = MarginNeighborsClassifier("precomputed", separation=separation, cover=cover)
        if best == len(codes) or (
            cover == "greedy" and smallest_after_greedy(distances, codes, separation) == 0
        ):
            continue
        model.fit(distances, codes)
        path = model.cover_path_
        place = np.searchsorted(path.separations, separation)
        assert path.lower_bounds[place] <= best <= path.covers[place]
        assert (
            path.covers[place] <= factor * max(path.lower_bounds[place], 0) + 1e-9 or cover == "lp"
        )
        assert len(model.removed_) == path.covers[place]
        kept = model.kept_
        enemies = distances[np.ix_(kept, kept)][codes[kept][:, None] != codes[kept]]
        assert not len(enemies) or enemies.min() >= separation
        if cover == "exact":
            assert len(model.removed_) == best
        if cover == "lp":
            assert len(model.removed_) <= max(factor * path.lower_bounds[place], best) + 1e-9


def smallest_after_greedy(distances, codes, separation):
    """How many objects a greedy matching leaves."""
    n, free = len(codes), set(range(len(codes)))
    for _, a, b in sorted(
        (distances[a, b], a, b) for a, b in combinations(range(n), 2) if codes[a] != codes[b]
    ):
        if distances[a, b] < separation and {a, b} <= free:
            free -= {a, b}
    return len(free)


def scattered(seed, n_classes):
    """Points whose distances all differ, so that no order of the objects decides, one of them far
    away from all others.
    """
    random, codes = np.random.default_rng(seed), np.resize(np.arange(n_classes), 24)
    points = random.normal(size=(24, 2)) + codes[:, None]
    points[random.integers(24)] += 40.0
    return points, codes, random.uniform(0.3, 3.0, 24)


def cover_alone(points, codes, separation, cover):
    """How many objects a fit at this separation removes, and the lower bound of that."""
    try:
        alone = MarginNeighborsClassifier(separation=float(separation), cover=cover).fit(
            points, codes
        )
    except InvalidInput:  # it removes all of them
        return len(codes), None
    assert alone.cover_path_.separations[-1] == separation
    assert alone.cover_path_.covers[-1] == len(alone.removed_)
    return len(alone.removed_), alone.cover_path_.lower_bounds[-1]


@pytest.mark.few(1)
@pytest.mark.parametrize(
    "parameters",
    [
        *[{"cover": cover} for cover in ("auto", "greedy", "lp", "exact")],
        *[
            {"separation": "theory", "dimension": 2.0, "cover": cover}
            for cover in ("auto", "lp", "exact")
        ],
        *[{"separation": "compression"}, {"separation": "compression", "condense": "net"}],
        *[
            {"separation": 0.7},
            {"separation": 0.7, "condense": "p2l"},
            {"separation": 0.7, "cover": "exact"},
        ],
    ],
    ids=repr,
)
@given(st.integers(0, 10**6), st.integers(2, 3))
@settings(max_examples=3, deadline=None)
def test_every_cover_of_a_path_is_that_of_a_fit_at_its_separation_alone(
    parameters, seed, n_classes
):
    points, codes, _ = scattered(seed, n_classes)
    model = MarginNeighborsClassifier(**parameters).fit(points, codes)
    known, path = np.setdiff1d(np.arange(24), model.held_out_), model.cover_path_
    cover = parameters.get("cover", "greedy").replace("auto", "greedy")
    for separation, least, size in zip(
        path.separations, path.lower_bounds, path.covers, strict=True
    ):
        found, bound = cover_alone(points[known], codes[known], separation, cover)
        assert bound is None or least == bound
        if (
            cover == "lp" and n_classes > 2
        ):  # what is rounded depends on the order of the objects; the program does not
            assert max(size, found) <= (2 - 2 / n_classes) * least
        else:
            assert size == found
    if cover == "greedy":  # between two separations of the path nothing changes
        for before, after, size in zip(
            path.separations, path.separations[1:], path.covers[1:], strict=False
        ):
            between = (before + min(after, 2 * before + 1)) / 2
            assert size == cover_alone(points[known], codes[known], between, cover)[0]


@pytest.mark.few(1)
@pytest.mark.parametrize("cover", ["auto", "greedy"])
@given(st.integers(0, 10**6), st.integers(2, 3), st.booleans())
@settings(max_examples=5, deadline=None)
def test_the_risk_at_every_separation_is_that_of_a_fit_at_it_alone(
    cover, seed, n_classes, weighted
):
    """Of greedy covers, which are found for all separations at once; of the others there may be
    several of the same size.
    """
    points, codes, weights = scattered(seed, n_classes)
    weights = weights if weighted else np.ones(24)
    model = MarginNeighborsClassifier(cover=cover, holdout=0.4).fit(
        points, codes, sample_weight=weights
    )
    held, curve = model.held_out_, model.risk_curve_
    known = np.setdiff1d(np.arange(24), held)
    for separation, risk in zip(curve.separations, curve.risks, strict=True):
        alone = MarginNeighborsClassifier(separation=float(separation), cover=cover)
        alone.fit(points[known], codes[known], sample_weight=weights[known])
        assert risk == pytest.approx(
            np.average(alone.predict(points[held]) != codes[held], weights=weights[held])
        )


@given(labelled_spaces(), st.data())
@settings(max_examples=40, deadline=None)
def test_whole_weights_are_repetitions_at_every_separation(space, data):
    distances, codes = space
    n = len(codes)
    weights = np.array(data.draw(st.lists(st.integers(1, 3), min_size=n, max_size=n)))
    rows = np.repeat(np.arange(n), weights)
    for separation in np.append(np.unique(distances[distances > 0]), 99.0):
        model = MarginNeighborsClassifier("precomputed", separation=float(separation))
        try:
            weighted = model.fit(distances, codes, sample_weight=weights)
            kept, removed = set(weighted.kept_.tolist()), weighted.cover_path_.covers[-1]
        except InvalidInput:
            kept, removed = set(), None
        try:
            repeated = MarginNeighborsClassifier("precomputed", separation=float(separation)).fit(
                distances[np.ix_(rows, rows)], codes[rows]
            )
            assert kept == set(rows[repeated.kept_].tolist())
            assert removed == repeated.cover_path_.covers[-1]
        except InvalidInput:
            assert not kept


@given(labelled_spaces(), st.integers(0, 3))
@settings(max_examples=30, deadline=None)
def test_scaling_the_metric_scales_the_separation_and_nothing_else(space, seed):
    distances, codes = space
    # pick-to-learn compares differences of distances, of which rounding makes different ones unless
    # the scale is a power of 2
    for scale, parameters in (
        (0.37, {"holdout": 0.4}),
        (0.37, {"separation": "compression", "condense": "net"}),
        (0.25, {"separation": "compression"}),
    ):
        one = MarginNeighborsClassifier("precomputed", random_state=seed, **parameters).fit(
            distances, codes
        )
        other = MarginNeighborsClassifier("precomputed", random_state=seed, **parameters).fit(
            scale * distances, codes
        )
        assert other.separation_ == pytest.approx(scale * one.separation_)
        np.testing.assert_array_equal(one.kept_, other.kept_)
        assert other.risk_bound_.value == pytest.approx(one.risk_bound_.value)


# ---- certificates --------------------------------------------------------------------------------


def as_training(points, labels):
    model = MarginNeighborsClassifier()
    return model.admit(points, labels, None)


def certified(points, labels, order, separation, condense, eta) -> tuple[set[int], float]:
    options = Settings("greedy", condense, eta, 0.05, None, 0.2, False, 10**8, 1, 0)
    training: Training = as_training(points, labels)
    choice = certify_on_grid(
        training, order, np.empty(0, dtype=np.intp), np.array([separation]), options
    )
    return set(choice.kept.tolist()) | set(choice.removed.tolist()), choice.certificate.value


@pytest.mark.parametrize("condense", ["net", "p2l"])
@pytest.mark.parametrize("seed", range(8))
def test_objects_that_are_not_used_have_no_influence(condense, seed):
    generator = np.random.default_rng(seed)
    points, labels = make_moons(150, noise=0.25, random_state=seed)
    order, eta = generator.permutation(150), (0.0, 0.3)[seed % 2]
    used, _ = certified(points, labels, order, 0.15, condense, eta)
    stays = np.array([index for index in order if index in used or generator.random() < 0.5])
    renumbered = {old: new for new, old in enumerate(np.sort(stays).tolist())}
    places = np.array([renumbered[index] for index in stays.tolist()])
    again, _ = certified(
        points[np.sort(stays)], labels[np.sort(stays)], places, 0.15, condense, eta
    )
    assert again == {renumbered[index] for index in used}


@pytest.mark.parametrize("condense", ["net", "p2l"])
@pytest.mark.parametrize("eta", [0.0, 0.5])
def test_no_neighbour_that_eta_allows_is_wrong_for_an_object_left_out(condense, eta):
    """What the proof of a compression rests on: an object that would not change it is answered
    right, and is not novel.
    """
    points, labels = make_moons(400, noise=0.2, random_state=0)
    model = MarginNeighborsClassifier(separation=0.3, condense=condense, eta=eta).fit(
        points, labels
    )
    others = np.setdiff1d(np.arange(400), model.removed_)
    distances = np.linalg.norm(points[others, None] - points[model.kept_], axis=2)
    own = labels[others, None] == labels[model.kept_]
    nearest, rival = (
        np.where(own, distances, np.inf).min(axis=1),
        np.where(own, np.inf, distances).min(axis=1),
    )
    assert ((1 + eta) * nearest < rival).all()
    if condense == "net":
        assert ((1 + eta) * nearest < 0.3 + 1e-12).all()
        assert not model.novel(points[others]).any()


@pytest.mark.few(2)
@pytest.mark.parametrize(
    "parameters",
    [{}, {"condense": "p2l"}, {"condense": "net"}, {"cover": "lp"}, {"cover": "greedy"}],
    ids=repr,
)
def test_the_hold_out_judges_the_classifier_that_answers(parameters):
    """Distances of words tie all the time, and whoever breaks the ties otherwise judges another
    classifier.
    """
    names, sexes = wideberth.datasets.load_first_names()
    for seed in range(4):
        some = np.random.default_rng(seed).choice(len(names), 300, replace=False)
        words, truth = [names[i] for i in some], np.array(sexes)[some]
        model = MarginNeighborsClassifier("levenshtein", random_state=seed, **parameters).fit(
            words, truth
        )
        evidence = model.risk_bound_.evidence
        answers = model.predict([words[i] for i in model.held_out_])
        assert evidence["errors"] == np.count_nonzero(answers != truth[model.held_out_])
        assert evidence["candidates"] == len(model.risk_curve_) * (
            1 if "cover" in parameters else 2
        )
        loose = MarginNeighborsClassifier(
            "levenshtein", random_state=seed, eta=0.3, **parameters
        ).fit(words, truth)
        answers = loose.predict([words[i] for i in loose.held_out_])
        assert loose.risk_bound_.evidence["errors"] >= np.count_nonzero(
            answers != truth[loose.held_out_]
        )


def flipped_moons(n, seed):
    points, labels = make_moons(n, noise=0.15, random_state=seed)
    generator = np.random.default_rng(seed + 10**6)
    flipped = generator.random(n) < 0.05
    return points, np.where(flipped, 1 - labels, labels)


@pytest.mark.slow
@pytest.mark.parametrize(
    "parameters",
    [
        {"separation": "holdout", "holdout": 0.4},
        pytest.param({"separation": 0.15, "condense": "net"}, marks=pytest.mark.slow),
        pytest.param(
            {"separation": "holdout", "holdout": 0.4, "condense": "p2l"}, marks=pytest.mark.slow
        ),
        pytest.param({"separation": "holdout", "holdout": 0.4, "eta": 0.5}, marks=pytest.mark.slow),
        pytest.param({"separation": 0.15, "condense": "p2l", "eta": 0.5}, marks=pytest.mark.slow),
        pytest.param({"separation": "compression", "condense": "net"}, marks=pytest.mark.slow),
        pytest.param({"separation": "compression", "condense": "p2l"}, marks=pytest.mark.slow),
    ],
    ids=repr,
)
def test_bounds_hold_as_often_as_they_say(parameters):
    """At most the 99.9 % quantile of Binomial(300, 0.2) of 300 runs may break a bound of confidence
    0.8.
    """
    queries, truth = flipped_moons(2000, 12345)
    broken = 0
    for run in range(300):
        points, labels = flipped_moons(120, run)
        model = MarginNeighborsClassifier(delta=0.2, random_state=run, n_jobs=1, **parameters).fit(
            points, labels
        )
        assert model.risk_bound_.confidence == pytest.approx(0.8)
        wrong = model.predict(queries) != truth
        if parameters.get("condense") == "net":
            wrong |= model.novel(queries)
        broken += wrong.mean() > model.risk_bound_.value
    assert broken <= binom.ppf(0.999, 300, 0.2)


def test_the_bound_says_what_it_is_worth():
    points, labels = make_moons(400, noise=0.2, random_state=0)
    held = MarginNeighborsClassifier().fit(points, labels).risk_bound_
    assert held.kind == "holdout"
    assert not held.vacuous
    assert held.evidence["held_out"] == 80
    small = MarginNeighborsClassifier(separation="compression").fit(points, labels).risk_bound_
    assert small.kind == "preferent compression"
    assert not small.vacuous
    theory = (
        MarginNeighborsClassifier(separation="theory", dimension=2).fit(points, labels).risk_bound_
    )
    assert theory.vacuous
    assert any("doubling dimension 2" in assumption for assumption in theory.assumptions)
    given_ = MarginNeighborsClassifier(separation=0.3).fit(points, labels).risk_bound_
    assert given_.vacuous
    assert "no objects were set aside" in given_.statement


@pytest.mark.few(2)
@pytest.mark.parametrize(
    ("parameters", "chooses_by_delta"),
    [
        ({}, False),
        ({"refit": True}, False),
        ({"separation": 0.3, "condense": "net"}, False),
        ({"separation": "compression"}, True),
        ({"separation": "theory"}, True),
        ({"separation": "theory", "dimension": 2}, True),
    ],
    ids=str,
)
def test_a_bound_is_restated_for_another_delta(parameters, chooses_by_delta):
    points, labels = make_moons(300, noise=0.2, random_state=0)
    model = MarginNeighborsClassifier(**parameters).fit(points, labels)
    fresh = MarginNeighborsClassifier(delta=0.01, **parameters).fit(points, labels)
    restated = model.risk_bound_.at(delta=0.01)
    assert model.risk_bound_.at(delta=0.05) == model.risk_bound_
    assert f"at most {restated.value:.4g}." in restated.statement
    assert restated.confidence == fresh.risk_bound_.confidence == 0.99
    assert model.separation_ == fresh.separation_ or chooses_by_delta
    if model.separation_ == fresh.separation_:
        assert restated == fresh.risk_bound_
    else:  # the one fitted for it had the choice
        assert restated.value >= fresh.risk_bound_.value


def test_no_bound_is_not_restated():
    points, labels = make_moons(100, noise=0.2, random_state=0)
    with pytest.raises(InvalidInput, match="kind 'none' cannot be restated"):
        MarginNeighborsClassifier(separation=0.3).fit(points, labels).risk_bound_.at(0.01)


def test_every_bound_says_what_it_assumes_and_that_nothing_was_held_out():
    points, labels = make_moons(100, noise=0.2, random_state=0)
    theory = MarginNeighborsClassifier(separation="theory").fit(points, labels).risk_bound_
    small = MarginNeighborsClassifier(separation="compression").fit(points, labels).risk_bound_
    named = (
        MarginNeighborsClassifier(separation=0.3, condense="net").fit(points, labels).risk_bound_
    )
    assert all(
        "No objects were held out" in certificate.statement
        for certificate in (theory, small, named)
    )
    assert not any("dimension" in assumption for assumption in theory.assumptions)
    assert any(
        "diameter" in assumption and "no more than 2 classes" in assumption
        for assumption in theory.assumptions
    )
    assert any("without a look at these objects" in assumption for assumption in named.assumptions)
    assert len(small.assumptions) == 1
    for learned in (
        MarginNeighborsClassifier("mahalanobis").fit(points, labels).risk_bound_,
        MarginNeighborsClassifier("mahalanobis", separation="compression")
        .fit(points, labels)
        .risk_bound_,
    ):
        assert "'mahalanobis' took its parameters from these objects" in learned.void[0]
    fixed = (
        MarginNeighborsClassifier(wideberth.metric("mahalanobis", covariance=np.eye(2)))
        .fit(points, labels)
        .risk_bound_
    )
    assert len(fixed.assumptions) == 1
    assert not fixed.void


def test_theorems_are_not_stretched():
    points, labels = make_moons(200, noise=0.2, random_state=0)

    def bound(metric="euclidean", sample_weight=None, objects=points, **parameters):
        model = MarginNeighborsClassifier(metric, separation="theory", **parameters)
        return model.fit(objects, labels, sample_weight=sample_weight).risk_bound_

    assert bound(dimension=2).evidence["without_margin"] < 1
    thin = bound(
        dimension=2, condense="p2l"
    )  # the margin is proved for the few objects that answer, and no others
    assert thin.evidence["without_margin"] > 0.8
    assert "weights differ" in bound(sample_weight=np.arange(1.0, 201.0)).statement
    assert "'dtw' does not promise" in bound("dtw").statement
    assert bound(eta=0.1).evidence["rademacher"] >= bound().evidence["rademacher"]
    twins = MarginNeighborsClassifier(separation="theory").fit([[0.0]] * 4, [0, 1, 0, 1])
    assert "equal to one of another class" in twins.risk_bound_.statement


def test_too_few_objects_for_a_scale_have_no_bound():
    points, labels = make_moons(19, noise=0.1, random_state=0)
    model = MarginNeighborsClassifier(separation="compression").fit(points, labels)
    assert "19 objects are too few" in model.risk_bound_.statement
    assert len(model.held_out_) == 0
    warped = MarginNeighborsClassifier("dtw", separation="compression").fit(
        *make_moons(40, noise=0.1, random_state=0)
    )
    assert any("'dtw' is symmetric" in assumption for assumption in warped.risk_bound_.assumptions)
    assert len(warped.held_out_) == 4


@pytest.mark.slow
def test_an_assumed_dimension_can_say_something():
    generator = np.random.default_rng(0)
    points = generator.uniform(size=(4000, 1))
    noisy = (points[:, 0] > 0.5) ^ (generator.random(4000) < 0.02)
    model = MarginNeighborsClassifier(separation="theory", dimension=1).fit(points, noisy)
    queries = generator.uniform(size=(4000, 1))
    error = np.mean(model.predict(queries) != (queries[:, 0] > 0.5)) + 0.02
    assert error < model.risk_bound_.value < 0.35


@pytest.mark.slow
def test_complexity_measured_on_the_sample_can_say_something():
    points, labels = make_blobs(4000, centers=3, cluster_std=0.5, random_state=1)
    found = MarginNeighborsClassifier(separation="theory").fit(points, labels).risk_bound_
    assert not found.vacuous
    assert (
        MarginNeighborsClassifier(separation="theory", dimension=2)
        .fit(points, labels)
        .risk_bound_.vacuous
    )


# ---- answers -------------------------------------------------------------------------------------


@pytest.mark.slow
def test_noise_is_thrown_out():
    points, labels = load_digits(return_X_y=True)
    generator = np.random.default_rng(0)
    noisy = np.where(
        generator.random(len(labels)) < 0.15, generator.integers(0, 10, len(labels)), labels
    )
    known, held_out = np.arange(0, 1797, 2), np.arange(1, 1797, 2)
    plain = wideberth.NeighborsClassifier(n_neighbors=1).fit(points[known], noisy[known])
    model = MarginNeighborsClassifier(refit=True).fit(points[known], noisy[known])
    errors = [
        np.mean(classifier.predict(points[held_out]) != labels[held_out])
        for classifier in (plain, model)
    ]
    assert errors[1] < 0.4 * errors[0]


@pytest.mark.slow
def test_strings_under_attack_keep_their_labels():
    model = MarginNeighborsClassifier("levenshtein", separation=2.0).fit(NAMES, SEXES)
    queries = ["Maria", "Johann", "Elisabetta", "Robertson"]
    radii, labels = model.certified_radius(queries), model.predict(queries)
    assert (radii > 1).any()
    generator = np.random.default_rng(0)
    for query, radius, label in zip(queries, radii, labels, strict=True):
        for _ in range(200):
            letters = list(query)
            for _ in range(max(0, int(np.ceil(radius)) - 1)):
                place = generator.integers(0, len(letters) + 1)
                letters[place : place + generator.integers(0, 2)] = list("aeiou")[
                    generator.integers(0, 5)
                ]
            assert model.predict(["".join(letters)])[0] == label


def test_radii_grow_from_any_metric_to_bisectors_to_exact():
    points, labels = make_moons(300, noise=0.2, random_state=1)
    queries = make_moons(50, noise=0.3, random_state=2)[0]
    model = MarginNeighborsClassifier(separation=0.1).fit(points, labels)
    general = MarginNeighborsClassifier(wideberth.metric("minkowski", p=2), separation=0.1).fit(
        points, labels
    )
    half, bisector, exact = (
        general.certified_radius(queries),
        model.certified_radius(queries),
        model.certified_radius(queries, exact=True),
    )
    assert (half <= bisector + 1e-7).all()
    assert (bisector <= exact + 1e-9).all()
    assert bisector.mean() > 1.1 * half.mean()
    np.testing.assert_array_equal(model.predict(queries), general.predict(queries))


def test_neighbours_may_be_a_little_too_far():
    points, labels = load_iris(return_X_y=True)
    exact = MarginNeighborsClassifier(separation=0.3).fit(points, labels)
    loose = MarginNeighborsClassifier(separation=0.3, eta=0.5).fit(points, labels)
    assert np.mean(exact.predict(points) == loose.predict(points)) > 0.9
    radii = loose.certified_radius(points)
    assert (radii <= exact.certified_radius(points) + 1e-9).all()
    generator = np.random.default_rng(0)
    moves = generator.normal(size=points.shape)
    moves *= (0.999 * radii / np.linalg.norm(moves, axis=1))[:, None]
    np.testing.assert_array_equal(loose.predict(points + moves), loose.predict(points))


def test_what_is_far_from_all_is_novel():
    points, labels = make_moons(300, noise=0.1, random_state=0)
    for condense in (None, "net"):
        model = MarginNeighborsClassifier(separation=0.2, condense=condense).fit(points, labels)
        assert model.novel([[5.0, 5.0], points[model.kept_[0]]]).tolist() == [True, False]
    with pytest.raises(InvalidInput, match="condense='net'"):
        MarginNeighborsClassifier(separation=0.2, condense="p2l").fit(points, labels).novel(points)


def test_condensed_sets_answer_alike_for_what_was_kept():
    points, labels = make_moons(500, noise=0.2, random_state=0)
    whole = MarginNeighborsClassifier(separation=0.2).fit(points, labels)
    for condense in ("net", "p2l"):
        small = MarginNeighborsClassifier(separation=0.2, condense=condense).fit(points, labels)
        assert len(small.kept_) < len(whole.kept_) / 3
        np.testing.assert_array_equal(small.predict(points[whole.kept_]), labels[whole.kept_])


def test_an_answer_is_explained():
    model = MarginNeighborsClassifier("levenshtein", separation=1.0).fit(
        ["tea", "tee", "rum"], ["soft", "soft", "hard"]
    )
    (why,) = model.explain(["ten"])
    assert (why.label, why.rival, why.score) == ("soft", "hard", 2.0)
    told = [(push.reference, push.distance, push.label, push.push) for push in why.pushes]
    assert told == [(0, 1.0, "soft", 3.0), (2, 3.0, "hard", -1.0)]
    assert why.score == model.answers(["ten"]).leads[0]
    alone = MarginNeighborsClassifier("levenshtein", separation=1.0).fit(
        ["tea", "tee"], ["soft", "soft"]
    )
    assert alone.explain(["ten"])[0].rival is None
    assert np.isinf(alone.certified_radius(["ten"])[0])


def test_it_goes_through_scikit_learns_tools():
    names, sexes = NAMES, np.array(SEXES)
    search = GridSearchCV(
        MarginNeighborsClassifier("levenshtein"), {"condense": [None, "p2l"]}, cv=3
    )
    assert search.fit(pd.Series(names), sexes).best_score_ > 0.5
    space = wideberth.MetricSpace(names, "levenshtein")
    scores = cross_val_score(
        MarginNeighborsClassifier(space.metric, separation=2.0), space.index, sexes, cv=3
    )
    assert scores.mean() > 0.5


@pytest.mark.few(1)
@pytest.mark.parametrize(
    "parameters",
    [{}, {"separation": "compression"}, {"separation": 2.0, "condense": "net"}],
    ids=repr,
)
def test_a_saved_model_answers_alike(tmp_path, parameters):
    model = MarginNeighborsClassifier("levenshtein", **parameters).fit(NAMES, SEXES)
    wideberth.save(model, tmp_path / "names.wb")
    again = wideberth.load(tmp_path / "names.wb")
    queries = ["Anna", "Otto", "Zoe"]
    np.testing.assert_array_equal(again.predict(queries), model.predict(queries))
    np.testing.assert_array_equal(again.certified_radius(queries), model.certified_radius(queries))
    np.testing.assert_array_equal(
        again.decision_function(queries), model.decision_function(queries)
    )
    assert again.risk_bound_ == model.risk_bound_
    assert again.separation_ == model.separation_
    np.testing.assert_array_equal(again.cover_path_.ratios, model.cover_path_.ratios)
    np.testing.assert_array_equal(again.risk_curve_.risks, model.risk_curve_.risks)
    assert again.explain(queries) == model.explain(queries)


@pytest.mark.slow
def test_learning_again_never_loses_everything():
    for seed in range(40):
        points = np.random.default_rng(seed).normal(size=(10, 2))
        model = MarginNeighborsClassifier(refit=True, random_state=seed).fit(points, [0, 1] * 5)
        assert len(model.kept_) > 0
        assert "learned without the objects set aside" in model.risk_bound_.statement


def test_a_class_of_which_nothing_is_kept_comes_last():
    points = np.array([[0.0], [0.2], [0.4], [10.0], [10.2], [20.0], [20.1]])
    labels = ["a", "lost", "a", "b", "b", "c", "c"]
    model = MarginNeighborsClassifier(separation=0.5).fit(points, labels)
    assert model.classes_.tolist() == ["a", "b", "c", "lost"]
    scores = model.decision_function([[0.0], [12.0], [500.0]])
    assert np.isfinite(scores).all()
    assert (scores[:, 3] < scores[:, :3].min(axis=1)).all()
    np.testing.assert_array_equal(
        model.classes_[scores.argmax(axis=1)], model.predict([[0.0], [12.0], [500.0]])
    )
    assert np.isfinite(
        MarginNeighborsClassifier(separation=50.0)
        .fit(points, ["a"] * 6 + ["b"])
        .decision_function([[0.0]])
    ).all()


@pytest.mark.parametrize(
    "parameters",
    [{}, {"separation": "compression"}, {"separation": np.inf}, {"separation": 1e-320}],
    ids=repr,
)
@pytest.mark.parametrize("n", [1, 2, 30])
def test_one_class_is_a_class(tmp_path, parameters, n):
    model = MarginNeighborsClassifier(**parameters).fit(
        np.arange(n, dtype=float).reshape(-1, 1), ["only"] * n
    )
    assert model.predict([[0.5]]).tolist() == ["only"]
    assert np.isinf(model.certified_radius([[0.5]])).all()
    wideberth.save(model, tmp_path / "one.wb")
    assert wideberth.load(tmp_path / "one.wb").separation_ == model.separation_


def test_few_objects_are_kept_as_they_are():
    model = MarginNeighborsClassifier().fit([[0.0], [1.0], [5.0]], ["a", "b", "b"])
    assert model.kept_.tolist() == [0, 1, 2]
    assert model.separation_ == 1.0
    assert "too few" in model.risk_bound_.statement
    labels = np.empty(5, dtype=object)
    labels[np.random.default_rng(0).permutation(5)] = [
        "a",
        "a",
        "a",
        "b",
        "b",
    ]  # the first of these is set aside
    twins = MarginNeighborsClassifier().fit([[0.0]] * 5, labels)
    assert "equal to one of another class" in twins.risk_bound_.statement
    assert twins.lipschitz_constant_ == np.inf


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"separation": "widest"}, "separation='widest' does not fit"),
        ({"separation": -1.0}, "a positive distance"),
        ({"separation": True}, "a positive distance"),
        ({"cover": "best"}, "cover='best' does not fit"),
        ({"condense": "rss"}, "condense='rss' does not fit"),
        ({"eta": -0.1}, "eta=-0.1"),
        ({"delta": 0}, "delta=0"),
        ({"holdout": 1.0}, "holdout=1.0"),
        ({"dimension": -1}, "dimension=-1"),
        ({"dimension": "adaptive"}, "dimension='adaptive'"),
        ({"separation": "compression", "cover": "exact"}, "void the certificate"),
        ({"separation": 99.0}, "every object is removed"),
    ],
)
def test_what_does_not_fit_is_refused(parameters, message):
    with pytest.raises(InvalidInput, match=message):
        MarginNeighborsClassifier("levenshtein", **parameters).fit(
            ["tea", "tee", "rum", "rom"], [0, 1, 0, 1]
        )


@pytest.mark.parametrize(
    "parameters", [{}, {"separation": 0.5}, {"refit": True}, {"condense": "net"}], ids=repr
)
def test_weights_of_classes_multiply_those_of_objects(parameters):
    random = np.random.default_rng(1)
    points, labels = random.normal(size=(150, 2)), random.choice(2, 150, p=[0.8, 0.2])
    weights, queries = random.integers(1, 3, 150), random.normal(size=(40, 2))
    by_object = MarginNeighborsClassifier(**parameters).fit(
        points, labels, sample_weight=weights * np.where(labels, 4.0, 1.0)
    )
    by_class = MarginNeighborsClassifier(**parameters, class_weight={1: 4.0}).fit(
        points, labels, sample_weight=weights
    )
    np.testing.assert_array_equal(by_class.kept_, by_object.kept_)
    np.testing.assert_array_equal(
        by_class.certified_radius(queries), by_object.certified_radius(queries)
    )
    assert "weights differ" in by_class.risk_bound_.statement or by_class.risk_bound_.kind == "none"


def test_balanced_classes_keep_the_rare_one():
    random = np.random.default_rng(0)
    points, labels = (
        np.r_[random.normal(size=(380, 2)), random.normal(1.5, size=(20, 2))],
        np.repeat([0, 1], [380, 20]),
    )
    plain, balanced = (
        MarginNeighborsClassifier(separation=0.3, class_weight=class_weight).fit(points, labels)
        for class_weight in (None, "balanced")
    )
    assert (
        np.isin(balanced.removed_, np.flatnonzero(labels)).sum()
        < np.isin(plain.removed_, np.flatnonzero(labels)).sum()
    )
    assert (balanced.predict(points)[labels == 1] == 1).mean() > (
        plain.predict(points)[labels == 1] == 1
    ).mean()


def test_weights_and_radii_have_limits():
    words, labels = ["tea", "tee", "rum", "rom"], [0, 0, 1, 1]
    with pytest.raises(InvalidInput, match="takes every object once"):
        MarginNeighborsClassifier("levenshtein", separation="compression").fit(
            words, labels, sample_weight=[1, 2, 1, 1]
        )
    with pytest.raises(InvalidInput, match="takes every object once"):
        MarginNeighborsClassifier("levenshtein", cover="lp").fit(
            words, labels, sample_weight=[1, 2, 1, 1]
        )
    weighted = MarginNeighborsClassifier("levenshtein").fit(
        words * 5, labels * 5, sample_weight=[1, 2, 1, 1] * 5
    )
    assert "weights differ" in weighted.risk_bound_.statement
    with pytest.raises(InvalidInput, match="class_weight work with"):
        MarginNeighborsClassifier("levenshtein", cover="lp", class_weight={0: 2}).fit(words, labels)
    model = MarginNeighborsClassifier("levenshtein", separation=1.0).fit(words, labels)
    with pytest.raises(InvalidInput, match="Exact radii are known in Euclidean space"):
        model.certified_radius(words, exact=True)
    warped = MarginNeighborsClassifier("dtw", separation=1.0).fit(
        [[0, 1], [5, 6], [5, 7]], [0, 1, 1]
    )
    with pytest.raises(NotCertified):
        warped.certified_radius([[0, 1]])
    with pytest.raises(InvalidInput, match="do not fit the memory"):
        MarginNeighborsClassifier("levenshtein", cover="lp", max_memory=1000).fit(NAMES, SEXES)


@given(metric_matrices(min_size=5, max_size=12), st.data())
@settings(max_examples=60, deadline=None)
def test_several_nearest_objects_elect_a_class(matrix, data):
    n = len(matrix)
    codes = np.array(data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)))
    weights = np.array(
        data.draw(st.lists(st.sampled_from([1.0, 2.0, 2.5]), min_size=n, max_size=n))
    )
    metric = Precomputed(matrix, obeys_triangle=True)
    separation = float(matrix[matrix > 0].min(initial=1.0)) / 2
    model = MarginNeighborsClassifier(metric, separation=separation)
    try:
        model.fit(np.arange(n), codes, weights)
    except InvalidInput:  # every object equals one of another class
        return
    kept, everything = model.kept_, np.arange(n)
    expected = [votes.elected(row[kept], codes[kept], 1, weights[kept]) for row in matrix]
    np.testing.assert_array_equal(model.predict(everything), expected)
    scores = model.decision_function(everything)
    by_score = scores.argmax(axis=1) if scores.ndim > 1 else (scores > 0).astype(int)
    np.testing.assert_array_equal(model.classes_[by_score], expected)
    assert [why.label for why in model.explain(everything)] == expected
    radii = model.certified_radius(everything)
    for x in everything:
        assert (np.array(expected)[matrix[x] < radii[x]] == expected[x]).all()


def test_weights_of_kept_objects_are_saved(tmp_path):
    model = MarginNeighborsClassifier("levenshtein", separation=0.5)
    model.fit(["tea", "ten"], ["soft", "hard"], sample_weight=[2.0, 1.0])
    assert model.predict(["tee"]).tolist() == ["soft"]
    wideberth.save(model, tmp_path / "drinks.wb")
    assert wideberth.load(tmp_path / "drinks.wb").predict(["tee"]).tolist() == ["soft"]
    assert model.certified_radius(["tee"]).tolist() == [0.0]
