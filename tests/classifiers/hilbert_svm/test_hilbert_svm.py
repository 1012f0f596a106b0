"""The SVM on a metric against the bare LIBSVM, the papers' theorems, attacks on its radii, and the
laws of any metric space.
"""

import pickle
import warnings

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from oracles.classifiers.hulls import hull_distance
from sklearn.datasets import load_iris, load_wine, make_moons
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks
from strategies import metric_matrices, vectors

import wideberth
from wideberth import HilbertSVC, MetricSpace
from wideberth.checks import check_classifier
from wideberth.errors import (
    BrokenAxiom,
    GapWarning,
    InvalidFile,
    InvalidInput,
    NotCertified,
    NotHilbertianWarning,
)
from wideberth.geometry.shape.gram import centred

NAMES, SEXES = (column[::60] for column in wideberth.datasets.load_first_names())
REPAIRS = ["clip", "flip", "shift"]
#: A star: the centre is 1 from its leaves, which are 2 from each other. No Hilbert space has such
#: points.
STAR = np.array(
    [[0, 1, 1, 1, 1], [1, 0, 2, 2, 2], [1, 2, 0, 2, 2], [1, 2, 2, 0, 2], [1, 2, 2, 2, 0]],
    dtype=float,
)


def moons(n=80, noise=0.3, seed=0):
    return make_moons(n, noise=noise, random_state=seed)


def three_classes(n=90):
    points, labels = moons(n)
    return points, labels + (points[:, 0] > 1)


def matrix(distances, **promises):
    return wideberth.metric("precomputed", distances=distances, **promises)


@parametrize_with_checks([HilbertSVC(), HilbertSVC(kernel="distance"), HilbertSVC(landmarks=8)])
def test_scikit_learns_checks_pass_on_vectors(estimator, check):
    check(estimator)


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("metric", "objects", "options"),
    [
        ("levenshtein", NAMES[:40], {"repair": "clip"}),
        ("levenshtein", NAMES[:40], {"repair": "flip", "kernel": "distance"}),
        ("levenshtein", NAMES[:40], {"repair": "shift", "kernel": "gaussian"}),
        ("jaccard", [set(name) for name in NAMES[:40]], {}),
        (
            "dtw",
            [[float(ord(letter)) for letter in name] for name in NAMES[:40]],
            {"repair": "clip", "landmarks": 20},
        ),
    ],
)
def test_our_checks_pass_on_objects(metric, objects, options):
    check_classifier(HilbertSVC(metric, **options), objects, SEXES[:40])
    check_classifier(HilbertSVC(metric, C=30, **options), objects, [name[1] for name in NAMES[:40]])


# ---- the theorems ----


@pytest.mark.parametrize("labels_of", [moons, three_classes])
def test_the_solution_is_that_of_every_kernel_of_the_metric(labels_of):
    points, labels = labels_of()
    squared = wideberth.pairwise_distances(points) ** 2
    model = HilbertSVC(kernel="distance", tol=1e-8).fit(points, labels)
    anything = np.random.default_rng(0).normal(size=len(points))
    kernels = [
        -squared / 2,
        (squared[:1] + squared[:, :1] - squared) / 2,  # the origin at the first object
        -squared / 2 + anything[:, None] + anything,
    ]
    for kernel in kernels:
        bare = SVC(kernel="precomputed", C=model.C_, tol=1e-8, decision_function_shape="ovo").fit(
            kernel, labels
        )
        values = bare.decision_function(kernel).reshape(len(points), -1)
        mine = model._function.values(points) * (1 if values.shape[1] == 1 else -1)
        np.testing.assert_allclose(mine, values, atol=1e-4)
        np.testing.assert_array_equal(model.predict(points), bare.predict(kernel))


def test_the_solution_is_the_linear_one_on_vectors():
    points, labels = moons()
    model = HilbertSVC(kernel="distance", C=0.3, tol=1e-8).fit(points, labels)
    bare = SVC(kernel="linear", C=model.C_, tol=1e-8).fit(points, labels)
    queries = np.random.default_rng(1).normal(size=(50, 2))
    np.testing.assert_allclose(
        model.decision_function(queries), bare.decision_function(queries), atol=1e-4
    )
    assert model.margin_[0] == pytest.approx(1 / np.linalg.norm(bare.coef_), rel=1e-4)
    np.testing.assert_allclose(
        np.sort(abs(model.dual_coef_)), np.sort(abs(bare.dual_coef_)), atol=1e-2
    )


@pytest.mark.parametrize(
    ("metric", "kernel", "power"), [("euclidean", "gaussian", 2), ("manhattan", "laplace", 1)]
)
@pytest.mark.parametrize("labels_of", [moons, three_classes])
def test_kernels_are_those_of_textbooks(metric, kernel, power, labels_of):
    points, labels = labels_of()
    model = HilbertSVC(metric, tol=1e-6, C=10).fit(points, labels)
    assert (model.kernel_.name, model.kernel_report_.promised, model.hilbert_margin_) == (
        kernel,
        True,
        True,
    )
    distances = wideberth.pairwise_distances(points, None, metric)
    assert model.width_ == pytest.approx(np.median(distances[distances > 0]))
    gram = np.exp(-((distances / model.width_) ** power))
    bare = SVC(kernel="precomputed", C=model.C_, tol=1e-6).fit(gram, labels)
    np.testing.assert_array_equal(model.predict(points), bare.predict(gram))
    assert set(model.support_) == set(bare.support_)
    np.testing.assert_array_equal(model.support_, model.references_)
    assert model.dual_coef_.shape == bare.dual_coef_.shape


def margin_or_bound(machine, points, labels):
    """The margin found, or the bound that the error proves."""
    with warnings.catch_warnings(action="ignore", category=GapWarning):
        try:
            return machine.fit(points, labels).margin_[0], np.inf
        except InvalidInput as error:
            return 0.0, error.value


@given(
    vectors(min_size=4), st.sampled_from(["distance", "gaussian", "laplace", "bounded"]), st.data()
)
@settings(max_examples=40, deadline=None)
def test_twice_the_margin_is_the_distance_of_the_convex_hulls(points, kernel, data):
    labels = np.array(
        data.draw(st.lists(st.booleans(), min_size=len(points), max_size=len(points)))
    )
    assume(0 < labels.sum() < len(labels))
    distances = wideberth.pairwise_distances(points)
    assume(distances[np.ix_(labels, ~labels)].min() > 1e-3 * distances.max())
    induced = HilbertSVC(kernel=kernel).fit(points, labels).kernel_.metric(distances)
    apart = hull_distance(induced**2, labels)
    machine = HilbertSVC(kernel=kernel, C=np.inf)
    if (
        apart < 0.01 * induced.max()
    ):  # too narrow to be found for sure, but what is said of it is true
        margin, bound = margin_or_bound(machine, points, labels)
        assert margin <= apart / 2 + 1e-6 * induced.max() <= bound + 2e-6 * induced.max()
        return
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", GapWarning)
        margin = machine.fit(points, labels).margin_[0]
    assert 2 * margin <= apart + 1e-6 * induced.max()
    assert told or 2 * margin >= 0.99 * apart - 1e-6 * induced.max()


# ---- which kernel, and why ----


def test_promises_come_first():
    cases = {
        "hellinger": (np.random.default_rng(0).random((20, 4)), "gaussian"),
        "jaccard": ([set(name) for name in NAMES[:20]], "laplace"),
        "hamming": ([name[:3] for name in NAMES[:20]], "laplace"),
    }
    for metric, (objects, kernel) in cases.items():
        report = HilbertSVC(metric, repair="clip").fit(objects, [0, 1] * 10).kernel_report_
        assert (
            report.kernel,
            report.promised,
            report.examined,
            report.spectrum,
            report.repair,
        ) == (kernel, True, 0, None, None)
        assert f"promises {report.needs}" in str(report)


def test_without_a_promise_the_eigenvalues_decide():
    points, labels = moons(60)
    model = HilbertSVC("precomputed").fit(wideberth.pairwise_distances(points), labels)
    report = model.kernel_report_
    assert (report.kernel, report.promised, report.examined, report.spectrum) == (
        "gaussian",
        False,
        60,
        None,
    )
    assert "positive on 60 objects: measured, not promised" in str(report)
    assert model.hilbert_margin_
    np.testing.assert_array_equal(
        model.predict(wideberth.pairwise_distances(points)),
        HilbertSVC().fit(points, labels).predict(points),
    )
    distances = wideberth.pairwise_distances(NAMES, None, "levenshtein")
    assert (
        HilbertSVC("levenshtein", width=3.0).fit(NAMES, SEXES).kernel_.name == "laplace"
    )  # the gaussian is indefinite there
    with pytest.raises(InvalidInput, match="'gaussian' has eigenvalues"):
        HilbertSVC("levenshtein", kernel="gaussian", width=3.0, repair="error").fit(NAMES, SEXES)
    spectrum = np.linalg.eigvalsh(centred(2 - 2 * np.exp(-((distances / 3.0) ** 2))))
    assert spectrum[0] < 0 < spectrum[-1]


def test_an_indefinite_kernel_is_an_error_with_the_numbers_and_the_choices():
    metric = matrix(STAR, obeys_triangle=True)
    labels = [0, 0, 0, 1, 1]
    with pytest.raises(InvalidInput) as caught:
        HilbertSVC(metric, kernel="distance", repair="error").fit(range(5), labels)
    ((smallest, largest, negative),) = caught.value.value
    eigenvalues = np.linalg.eigvalsh(centred(STAR**2))
    assert (smallest, largest) == pytest.approx((eigenvalues[0], eigenvalues[-1]))
    assert negative == pytest.approx(-eigenvalues[0] / abs(eigenvalues).sum())
    for words in (
        f"{smallest:.3g} to {largest:.3g}",
        f"{negative:.2%}",
        "on 5 objects",
        "does not promise hilbertian",
    ):
        assert words in str(caught.value)
    for repair in REPAIRS:
        assert repair in str(caught.value)
        assert (
            not HilbertSVC(metric, kernel="distance", repair=repair)
            .fit(range(5), labels)
            .hilbert_margin_
        )
    assert (
        HilbertSVC(metric, kernel="laplace").fit(range(5), labels).hilbert_margin_
    )  # another kernel
    with pytest.raises(InvalidInput, match="a narrower width"):
        HilbertSVC(metric, kernel="gaussian", width="300%", repair="error").fit(range(5), labels)
    assert HilbertSVC(metric, kernel="gaussian", width="50%").fit(range(5), labels).hilbert_margin_
    snowflake = wideberth.transforms.power(metric, 0.5)  # another metric
    assert HilbertSVC(snowflake, kernel="distance").fit(range(5), labels).hilbert_margin_


@pytest.mark.parametrize(
    ("spoil", "problem"),
    [
        ([(0, 1, np.nan)], "is nan between"),
        ([(0, 1, -1.0), (1, 0, -1.0)], "negative"),
        ([(2, 2, 1.0)], "from itself"),
        ([(0, 1, 9.0)], "not symmetric"),
    ],
)
@pytest.mark.parametrize("repair", ["error", "clip"])
def test_what_is_no_distance_is_refused_with_the_witness(spoil, problem, repair):
    spoiled = STAR.copy()
    for row, column, value in spoil:
        spoiled[row, column] = value
    with pytest.raises(BrokenAxiom, match=problem) as caught:
        HilbertSVC("precomputed", repair=repair).fit(spoiled, [0, 0, 1, 1, 1])
    assert set(caught.value.witness) <= {0, 1, 2}


# ---- repairs ----


def repaired_by_hand(kernel, repair):
    """The repaired centred kernel matrix, and what takes centred rows of new objects to rows of
    it.
    """
    values, axes = np.linalg.eigh(kernel)
    kept = abs(values) > 1e-8 * values.max()
    signs = {
        "clip": np.where(values > 0, 1.0, 0.0),
        "flip": np.sign(values),
        "shift": np.ones(len(values)),
    }[repair] * kept
    through = (axes * signs) @ axes.T
    return kernel @ through + (
        -values[0] * np.eye(len(values)) if repair == "shift" else 0
    ), through


@pytest.mark.parametrize("repair", REPAIRS)
@pytest.mark.parametrize("kernel", ["distance", "gaussian"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_training_and_new_objects_go_through_the_same_repair(repair, kernel, n_classes):
    names = list(dict.fromkeys(NAMES))
    known, queries = names[:60], names[60:]
    labels = np.array([len(name) % n_classes for name in known])
    model = HilbertSVC(
        "levenshtein", kernel=kernel, width="auto", repair=repair, tol=1e-8, C=5
    ).fit(known, labels)
    assert model.kernel_report_.repair == repair
    assert not model.hilbert_margin_
    distances = wideberth.pairwise_distances(known, None, "levenshtein")
    squared = -2 * wideberth.classifiers.hilbert_svm.kernel.HilbertKernel(
        kernel, model.width_
    ).values(distances)
    gram, through = repaired_by_hand(centred(squared), repair)
    bare = SVC(kernel="precomputed", C=model.C_, tol=1e-8, decision_function_shape="ovo").fit(
        gram, labels
    )
    sign = 1 if n_classes == 2 else -1
    shape = (-1, n_classes * (n_classes - 1) // 2)
    np.testing.assert_allclose(
        sign * model._function.values(model.metric_.prepare(known)),
        bare.decision_function(gram).reshape(shape),
        atol=1e-3,
    )
    new = wideberth.pairwise_distances(queries, known, "levenshtein")
    rows = -2 * wideberth.classifiers.hilbert_svm.kernel.HilbertKernel(kernel, model.width_).values(
        new
    )
    mapped = (
        -0.5 * (rows - rows.mean(axis=1)[:, None] - squared.mean(axis=0) + squared.mean()) @ through
    )
    if repair == "shift":
        mapped = -0.5 * (rows - rows.mean(axis=1)[:, None] - squared.mean(axis=0) + squared.mean())
    np.testing.assert_allclose(
        sign * model._function.values(model.metric_.prepare(queries)),
        bare.decision_function(mapped).reshape(shape),
        atol=1e-3,
    )
    np.testing.assert_array_equal(model.predict(queries), bare.predict(mapped))


@pytest.mark.parametrize("repair", REPAIRS)
def test_a_repair_reports_what_it_did_and_ends_the_hilbert_radius(repair):
    model = HilbertSVC("levenshtein", kernel="gaussian", repair=repair).fit(NAMES, SEXES)
    report = model.kernel_report_
    assert report.spectrum.violated
    assert {"clip": "clipped", "flip": "flipped", "shift": "shifted"}[repair] in str(report)
    assert f"{report.spectrum.negative_part:.2%}" in str(report)
    distances = wideberth.pairwise_distances(NAMES, None, "levenshtein")
    before = np.sqrt(2 - 2 * np.exp(-((distances / model.width_) ** 2)))
    gram, _ = repaired_by_hand(centred(before**2), repair)
    diagonal = np.diagonal(gram)
    after = np.sqrt(np.maximum(diagonal[:, None] + diagonal - 2 * gram, 0))
    ratios = after[before > 0] / before[before > 0]
    assert (report.distortion.lower, report.distortion.upper) == pytest.approx(
        (ratios.min(), ratios.max()), rel=1e-6
    )
    one, other = report.distortion.upper_pair
    assert after[one, other] / before[one, other] == pytest.approx(ratios.max(), rel=1e-6)
    with pytest.raises(NotCertified, match="repaired") as caught:
        model.hilbert_radius(NAMES)
    assert caught.value.missing == "hilbertian"
    assert (
        model.certified_radius(NAMES) > 0
    ).any()  # the advice: the triangle inequality is enough
    silent = HilbertSVC(matrix(distances), kernel="gaussian", repair=repair).fit(
        range(len(NAMES)), SEXES
    )
    with pytest.raises(NotCertified, match="repaired"):
        silent.certified_radius([0])


def test_a_valid_kernel_is_left_as_it_is():
    points, labels = moons(40)
    for repair in REPAIRS:
        model = HilbertSVC(repair=repair).fit(points, labels)
        assert model.hilbert_margin_
        np.testing.assert_array_equal(
            model.decision_function(points),
            HilbertSVC().fit(points, labels).decision_function(points),
        )


# ---- radii ----


@pytest.mark.few(3)
@pytest.mark.parametrize(
    ("metric", "n_classes", "options"),
    [
        ("euclidean", 2, {"kernel": "distance"}),
        ("euclidean", 2, {"kernel": "gaussian", "width": "50%"}),
        ("euclidean", 5, {"kernel": "gaussian"}),
        ("euclidean", 3, {"kernel": "bounded"}),
        ("manhattan", 2, {}),
        ("manhattan", 4, {}),
        ("euclidean", 3, {"landmarks": 25}),
    ],
)
def test_radii_on_vectors_are_never_broken(metric, n_classes, options):
    random = np.random.default_rng(n_classes)
    points, labels = random.normal(size=(150, 2)), random.integers(n_classes, size=150)
    points[:, 0] += 1.5 * labels
    model = HilbertSVC(metric, **options).fit(points, labels)
    queries = random.normal(size=(60, 2)) + np.array([n_classes / 2, 0])
    answers, radii, induced = (
        model.predict(queries),
        model.certified_radius(queries),
        model.hilbert_radius(queries),
    )
    assert np.median(radii) > 0
    finite = np.isfinite(radii)
    assert (model.kernel_.metric(radii[finite]) >= induced[finite] - 1e-9).all()
    measure = wideberth.metric(metric)
    for query, answer, radius in zip(queries[finite], answers[finite], radii[finite], strict=True):
        towards = np.vstack([random.normal(size=(100, 2)), points[:100] - query])
        lengths = measure.block(towards, np.zeros((1, 2)))
        assert set(model.predict(query + towards / lengths * radius * 0.999999)) == {answer}


@pytest.mark.slow
def test_radii_on_sets_survive_every_element():
    random = np.random.default_rng(0)
    labels = np.arange(120) // 2 % 2
    sets = [
        set((30 * label + random.choice(60, size=40, replace=False)).tolist()) for label in labels
    ]
    model = HilbertSVC("jaccard", C=1).fit(sets[::2], labels[::2])
    measure = wideberth.metric("jaccard")
    attacked = 0
    for query, radius in zip(sets[1::2], model.certified_radius(sets[1::2]), strict=True):
        changed = [query ^ {one} for one in range(90)] + [
            query ^ {one, other} for one in range(8) for other in range(60, 68)
        ]
        near = [other for other in changed if measure(query, other) < radius]
        attacked += len(near)
        if near:
            assert set(model.predict(near)) == set(model.predict([query]))
    assert attacked > 20


def test_the_radius_is_the_distance_from_the_border():
    points = np.random.default_rng(0).normal(size=(80, 3))
    labels = (points @ [1.0, 2.0, 2.0] > 0.3).astype(int)
    model = HilbertSVC(kernel="distance", C=100, tol=1e-8).fit(points, labels)
    bare = SVC(kernel="linear", C=model.C_, tol=1e-8).fit(points, labels)
    expected = abs(bare.decision_function(points)) / np.linalg.norm(bare.coef_)
    np.testing.assert_allclose(model.certified_radius(points), expected, rtol=1e-3, atol=1e-5)
    np.testing.assert_allclose(
        model.certified_radius(points), model.hilbert_radius(points), rtol=1e-10
    )


@pytest.mark.few(2)
@pytest.mark.parametrize("kernel", ["distance", "gaussian", "laplace", "bounded"])
@pytest.mark.parametrize("apart", [1e-8, 1e-9, 1e-12])
def test_radii_gain_nothing_by_rounding(kernel, apart):
    random = np.random.default_rng(0)
    points = random.normal(size=(40, 2))
    twins = np.vstack(
        [points, points + apart * random.normal(size=(40, 2))]
    )  # of another class: functions that hardly vary
    for price in (1e-3, 1.0, 100.0):
        model = HilbertSVC(kernel=kernel, C=price).fit(twins, np.repeat([0, 1], 40))
        queries = np.vstack([twins, random.normal(size=(500, 2))])
        reached = (
            wideberth.pairwise_distances(twins, queries) < model.certified_radius(twins)[:, None]
        )
        differ = model.predict(twins)[:, None] != model.predict(queries)
        assert not (reached & differ).any()


def test_a_radius_beyond_the_reach_of_the_kernel_is_infinite():
    points = np.r_[np.zeros(20), np.ones(1)].reshape(-1, 1) + np.linspace(0, 0.01, 21)[:, None]
    model = HilbertSVC(C=0.01, kernel="gaussian").fit(points, [0] * 20 + [1])
    assert (model.predict(points) == 0).all()
    assert np.isinf(model.certified_radius(points[:20])).all()
    assert np.isfinite(model.hilbert_radius(points)).all()
    assert (model.predict(np.linspace(-100, 100, 1000).reshape(-1, 1)) == 0).all()


def test_a_radius_needs_the_promise():
    points, labels = moons(40)
    distances = wideberth.pairwise_distances(points)
    for model in (
        HilbertSVC(matrix(distances)),
        HilbertSVC(matrix(distances, obeys_triangle=True)),
    ):
        model.fit(range(40), labels)
        with pytest.raises(NotCertified, match="needs the promise 'hilbertian'") as caught:
            model.hilbert_radius([0])
        assert caught.value.missing == "hilbertian"
        if model.metric_.obeys_triangle:  # the advice
            assert (model.certified_radius(range(40)) > 0).all()
        else:
            with pytest.raises(NotCertified, match="needs the promise 'hilbertian'"):
                model.certified_radius([0])
    promised = HilbertSVC(matrix(distances, hilbertian=True), tol=1e-8).fit(
        range(40), labels
    )  # the advice
    plain = HilbertSVC(tol=1e-8).fit(points, labels)
    np.testing.assert_allclose(
        promised.hilbert_radius(range(40)), plain.hilbert_radius(points), atol=1e-4
    )
    np.testing.assert_allclose(
        promised.certified_radius(range(40)), plain.certified_radius(points), rtol=0.01
    )


# ---- scale, weights, repetition, paths ----


@pytest.mark.parametrize("factor", [0.37, 1e-8, 1e8])
@pytest.mark.parametrize(
    "options",
    [{"kernel": "distance"}, {}, {"kernel": "bounded"}, {"landmarks": 20, "kernel": "distance"}],
)
def test_the_unit_of_the_metric_changes_the_unit_alone(factor, options):
    points, labels = moons()
    model = HilbertSVC(tol=1e-8, **options).fit(points, labels)
    scaled = HilbertSVC(tol=1e-8, **options).fit(factor * points, labels)
    np.testing.assert_allclose(
        scaled.decision_function(factor * points), model.decision_function(points), atol=1e-3
    )
    np.testing.assert_allclose(
        scaled.certified_radius(factor * points) / factor, model.certified_radius(points), atol=1e-3
    )
    if model.width_ is None:
        assert scaled.C_ * factor**2 == pytest.approx(model.C_)
        np.testing.assert_allclose(scaled.margin_ / factor, model.margin_, rtol=1e-3)
    else:
        assert scaled.width_ / factor == pytest.approx(model.width_)
        np.testing.assert_allclose(scaled.C_, model.C_)


@pytest.mark.parametrize("options", [{}, {"kernel": "distance"}])
def test_whole_weights_are_repetitions_and_repeating_the_sample_changes_nothing(options):
    points, labels = moons(50)
    weights = np.random.default_rng(0).integers(0, 4, 50)
    queries = np.random.default_rng(1).normal(size=(30, 2))
    weighted = HilbertSVC(**options).fit(points, labels, sample_weight=weights)
    repeated = HilbertSVC(**options).fit(
        np.repeat(points, weights, axis=0), np.repeat(labels, weights)
    )
    np.testing.assert_allclose(
        weighted.decision_function(queries), repeated.decision_function(queries), atol=1e-9
    )
    once = HilbertSVC(tol=1e-8, **options).fit(points, labels)
    thrice = HilbertSVC(tol=1e-8, **options).fit(np.tile(points, (3, 1)), np.tile(labels, 3))
    np.testing.assert_allclose(
        thrice.decision_function(queries), once.decision_function(queries), atol=1e-4
    )
    np.testing.assert_allclose(thrice.C_ * 3, once.C_)


@pytest.mark.parametrize("repair", REPAIRS)
def test_repeated_objects_do_not_change_a_repair(repair):
    once = HilbertSVC("levenshtein", kernel="gaussian", repair=repair).fit(NAMES[:50], SEXES[:50])
    often = HilbertSVC("levenshtein", kernel="gaussian", repair=repair).fit(
        NAMES[:50] * 2, SEXES[:50] * 2
    )
    np.testing.assert_allclose(
        often.decision_function(NAMES), once.decision_function(NAMES), atol=1e-6
    )


def test_class_weights_weigh():
    points, labels = moons(100, noise=0.5)
    plain = HilbertSVC().fit(points, labels)
    by_class = HilbertSVC(class_weight={0: 1.0, 1: 4.0}, C=0.5).fit(points, labels)
    by_object = SVC(kernel="rbf", gamma=1 / plain.width_**2, C=by_class.C_).fit(
        points, labels, sample_weight=np.where(labels == 1, 4.0, 1.0)
    )
    np.testing.assert_allclose(
        by_class.decision_function(points), by_object.decision_function(points), atol=1e-2
    )
    np.testing.assert_allclose(by_class.C_, plain.C_ / 2)
    assert (
        by_class.predict(points).sum() > HilbertSVC(C=0.5).fit(points, labels).predict(points).sum()
    )
    with pytest.raises(InvalidInput, match="no weight to the class 1"):
        HilbertSVC(class_weight={0: 1.0, 1: 0.0}).fit(points, labels)


@pytest.mark.parametrize("options", [{}, {"landmarks": 20}, {"kernel": "distance"}])
def test_a_path_is_separate_fits(options):
    points, labels = three_classes()
    values = [100.0, 0.1, 3.0]
    path = HilbertSVC(**options).path(points, labels, values)
    assert [model.C for model in path] == values
    for model in path:
        alone = HilbertSVC(C=model.C, **options).fit(points, labels)
        np.testing.assert_array_equal(
            model.decision_function(points), alone.decision_function(points)
        )
        assert model.C_ == alone.C_
    with pytest.raises(InvalidInput, match="C=-1"):
        HilbertSVC().path(points, labels, [2, -1])


# ---- the hard margin ----


def test_the_hard_margin_separates_with_margin_one():
    points, labels = moons(60, noise=0.05)
    model = HilbertSVC(C=np.inf, tol=1e-6).fit(points, labels)
    margins = np.where(labels == 1, 1, -1) * model.decision_function(points)
    assert margins.min() == pytest.approx(1, abs=1e-4)
    assert np.all(model.hilbert_radius(points) >= model.margin_[0] * (1 - 1e-4))
    assert np.isinf(model.C_)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_what_has_no_hard_margin_is_an_error_that_says_how_narrow(n_classes):
    points = np.repeat(np.arange(6.0), 2).reshape(-1, 1)
    labels = np.arange(12) % n_classes
    for options in (
        {"kernel": "distance"},
        {"kernel": "gaussian"},
    ):  # equal objects of different classes
        with pytest.raises(
            InvalidInput, match="no hard margin between the classes 0 and 1 that is wider than"
        ) as caught:
            HilbertSVC(C=np.inf, **options).fit(points, labels)
        assert caught.value.witness == (0, 1)
        assert 0 <= caught.value.value < 0.01
        HilbertSVC(C=100, **options).fit(points, labels)
    line = np.arange(4.0).reshape(-1, 1)
    with pytest.raises(InvalidInput, match="narrower kernel"):
        HilbertSVC(C=np.inf, kernel="distance").fit(line, [0, 1, 0, 1])
    assert (
        HilbertSVC(C=np.inf, kernel="gaussian", width=1.0)
        .fit(line, [0, 1, 0, 1])
        .score(line, [0, 1, 0, 1])
        == 1
    )
    with pytest.raises(InvalidInput, match="leave landmarks out"):
        HilbertSVC(C=np.inf, landmarks=2).fit(line, [0, 1, 0, 1])


def test_a_margin_that_libsvm_did_not_reach_is_said_to_be_too_narrow(monkeypatch):
    points, labels = moons(40, noise=0.05)
    widest = HilbertSVC(C=np.inf).fit(points, labels).margin_[0]
    monkeypatch.setattr("wideberth.classifiers.hilbert_svm.solving._HARD_STEPS", 20)
    monkeypatch.setattr("wideberth.classifiers.hilbert_svm.solving._HARD_STEPS_EACH", 0)
    with pytest.warns(GapWarning, match="narrower than the widest one, by") as told:
        early = HilbertSVC(C=np.inf).fit(points, labels)
    assert told[0].filename == __file__
    assert early.score(points, labels) == 1
    missing = float(str(told[0].message).rpartition("by ")[2].partition("%")[0]) / 100
    assert early.margin_[0] < widest <= early.margin_[0] / (1 - missing) * 1.01


# ---- landmarks ----


def test_landmarks_approach_the_whole_matrix_and_report_how_near():
    points, labels = three_classes(200)
    whole = HilbertSVC(C=10).fit(points, labels)
    errors = []
    for landmarks in (5, 20, 80):
        model = HilbertSVC(C=10, landmarks=landmarks).fit(points, labels)
        assert len(model.references_) == landmarks
        assert not hasattr(model, "support_")
        distances = wideberth.pairwise_distances(points, points[model.references_])
        gram = np.exp(-((distances / model.width_) ** 2))
        approximate = gram @ np.linalg.pinv(gram[model.references_], rcond=1e-10) @ gram.T
        left_out = 1 - np.diagonal(
            approximate
        )  # from all that they span, not only from the plane through them
        assert model.kernel_report_.farthest**2 >= left_out.max() - 1e-6
        assert f"{model.kernel_report_.approximation:.2%}" in str(model.kernel_report_)
        errors.append(model.kernel_report_.approximation)
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < 1e-4
    np.testing.assert_allclose(model.margin_, whole.margin_, rtol=0.02)
    assert np.mean(model.predict(points) == whole.predict(points)) > 0.97
    everything = HilbertSVC(C=10, landmarks=10_000).fit(points, labels)
    np.testing.assert_array_equal(
        everything.decision_function(points), whole.decision_function(points)
    )


def test_landmarks_that_nothing_distinguishes_give_one_label():
    points = 1e-200 * np.random.default_rng(0).normal(size=(9, 2))  # their squared distances vanish
    model = HilbertSVC(
        wideberth.metric("mahalanobis", covariance=np.eye(2)), kernel="laplace", landmarks=4
    )
    model.fit(points, [0] * 6 + [1] * 3)
    assert set(model.predict(points)) == {0}


@pytest.mark.parametrize("kernel", ["distance", "gaussian"])
def test_what_landmarks_leave_out_is_the_distance_from_their_span(kernel):
    points = np.random.default_rng(0).normal(size=(40, 6))
    model = HilbertSVC(kernel=kernel, landmarks=4).fit(points, np.arange(40) % 2)
    squared = model.kernel_.metric(wideberth.pairwise_distances(points)) ** 2
    gram = centred(squared)
    marks = model.references_
    from_centre = gram - gram[marks].mean(
        axis=0
    )  # products with the landmarks' centre as the origin
    from_centre = from_centre - from_centre[:, marks].mean(axis=1)[:, None]
    projected = (
        from_centre[:, marks]
        @ np.linalg.pinv(from_centre[np.ix_(marks, marks)], rcond=1e-9)
        @ from_centre[marks]
    )
    left_out = np.diagonal(from_centre - projected)
    assert model.kernel_report_.farthest == pytest.approx(np.sqrt(left_out.max()), rel=1e-6)
    assert model.kernel_report_.approximation == pytest.approx(
        left_out.sum() / np.trace(from_centre), rel=1e-6
    )


def test_an_indefinite_kernel_is_found_on_and_beyond_landmarks():
    with pytest.raises(InvalidInput, match="on 60 objects 'gaussian' has eigenvalues"):
        HilbertSVC("levenshtein", kernel="gaussian", landmarks=60, repair="error").fit(NAMES, SEXES)
    clipped = HilbertSVC("levenshtein", kernel="gaussian", landmarks=60, repair="clip").fit(
        NAMES, SEXES
    )
    assert clipped.kernel_report_.spectrum.violated
    assert clipped.kernel_report_.distortion.upper > 1
    assert not clipped.hilbert_margin_
    for repair in ("flip", "shift"):
        other = HilbertSVC("levenshtein", kernel="gaussian", landmarks=60, repair=repair).fit(
            NAMES, SEXES
        )
        assert other.score(NAMES, SEXES) > 0.7
    star = matrix(STAR, obeys_triangle=True)
    with pytest.raises(
        InvalidInput, match="positive on 4 landmarks, but object 4 lies at a squared distance of -"
    ) as caught:
        HilbertSVC(star, kernel="distance", landmarks=4, repair="error").fit(
            [1, 2, 3, 4, 0], [0, 0, 1, 1, 1]
        )
    assert caught.value.witness == 4
    beyond = HilbertSVC(star, kernel="distance", landmarks=4, repair="clip").fit(
        [1, 2, 3, 4, 0], [0, 0, 1, 1, 1]
    )
    assert not beyond.hilbert_margin_
    assert "not beyond them" in str(beyond.kernel_report_)


def test_a_shift_of_many_objects_knows_the_ends_of_the_spectrum(tmp_path):
    names, sexes = (column[::16] for column in wideberth.datasets.load_first_names())
    model = HilbertSVC("levenshtein", kernel="gaussian", repair="shift").fit(names, sexes)
    report = model.kernel_report_
    assert not report.spectrum.whole
    assert "of their sum negative" not in str(report)
    values = model.kernel_.values(wideberth.pairwise_distances(names, None, "levenshtein"))
    every = np.linalg.eigvalsh(centred(-2 * values))
    assert every[0] > -1e-6 * every[-1], "after the shift nothing is negative"
    wideberth.save(model, tmp_path / "names.wb")
    assert str(wideberth.load(tmp_path / "names.wb").kernel_report_) == str(report)


def test_liblinear_says_when_it_stops_early(monkeypatch):
    monkeypatch.setattr("wideberth.classifiers.hilbert_svm.solving._LINEAR_ROUNDS", 2)
    monkeypatch.setattr("wideberth.classifiers.hilbert_svm.solving._LINEAR_WORK", 1.0)
    points, labels = moons()
    with pytest.warns(GapWarning, match="stopped after 2 rounds") as told:
        HilbertSVC(landmarks=20, C=100).fit(points, labels)
    assert told[0].filename == __file__


def test_too_many_objects_are_an_error_that_names_what_fits():
    points, labels = moons(400)
    with pytest.raises(
        InvalidInput, match=r"400 objects the kernel matrix would take 1.6 MB; max_memory=1 MB"
    ) as caught:
        HilbertSVC(max_memory="1MB").fit(points, labels)
    assert "landmarks=40" in str(caught.value)
    assert (
        HilbertSVC(max_memory="1MB", landmarks=40).fit(points, labels).score(points, labels) > 0.85
    )
    with pytest.raises(InvalidInput, match="eigenvalues, which no promise makes positive"):
        HilbertSVC(lambda one, other: float(np.abs(one - other).sum()), max_memory="1MB").fit(
            list(points), labels
        )
    with pytest.raises(InvalidInput, match="Take fewer landmarks"):
        HilbertSVC(max_memory="1MB", landmarks=300).fit(points, labels)


# ---- explanations and probabilities ----


@pytest.mark.parametrize("options", [{}, {"kernel": "distance"}, {"landmarks": 15}])
@pytest.mark.parametrize("labels_of", [moons, three_classes])
def test_explanations_add_up_to_the_score(labels_of, options):
    points, labels = labels_of()
    model = HilbertSVC(C=10, **options).fit(points, labels)
    queries = np.random.default_rng(1).normal(size=(20, 2))
    values = model._function.values(queries)
    for row, why in enumerate(model.explain(queries)):
        assert why.label == model.predict(queries[[row]])[0] != why.rival
        assert why.score == pytest.approx(why.baseline + sum(push.push for push in why.pushes))
        assert min(abs(abs(values[row]) - abs(why.score))) < 1e-9
        sizes = [abs(push.push) for push in why.pushes]
        assert sizes == sorted(sizes, reverse=True)
        for push in why.pushes:
            assert push.reference in model.references_
            assert push.distance == pytest.approx(
                np.linalg.norm(points[push.reference] - queries[row])
            )


def test_probabilities_come_with_folds():
    points, labels = three_classes()
    model = HilbertSVC(calibrate=3, random_state=0).fit(points, labels)
    probabilities = model.predict_proba(points)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    np.testing.assert_array_equal(
        model.classes_[probabilities.argmax(axis=1)], model.predict(points)
    )
    assert not hasattr(HilbertSVC(), "predict_proba")
    with pytest.raises(InvalidInput, match="3 objects of every class"):
        HilbertSVC(calibrate=3).fit(points[:5], [0, 0, 0, 1, 1])
    calls = 0

    def distance(one, other):
        nonlocal calls
        calls += 1
        return float(abs(len(one) - len(other)) + (one[0] != other[0]))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        words = HilbertSVC(distance, calibrate=3, repair="clip", n_jobs=1).fit(
            NAMES[:30], SEXES[:30]
        )
    assert calls <= 2 * 30**2 + 30, "distances must be measured twice at most"
    assert words.predict_proba(NAMES[:3]).shape == (3, 2)


def test_prediction_needs_the_support_alone():
    points, labels = moons()
    model = HilbertSVC(C=10).fit(points, labels)
    assert len(model.support_) < 60
    distances = wideberth.pairwise_distances(points, points[model.support_])
    kernel = np.exp(-((distances / model.width_) ** 2))
    np.testing.assert_allclose(
        model.decision_function(points), kernel @ model.dual_coef_[0] + model.intercept_, atol=1e-9
    )
    np.testing.assert_allclose(model.coef_.toarray(), model.dual_coef_, atol=1e-9)
    assert abs(model.dual_coef_).max() <= model.C_ * (1 + 1e-9)
    small = HilbertSVC(C=10, max_memory=100_000).fit(points, labels)
    small.max_memory = 4096
    small._set_derived_attributes(small._function.references)
    np.testing.assert_array_equal(small.decision_function(points), model.decision_function(points))
    np.testing.assert_array_equal(
        model.decision_function(points[:1]), model.decision_function(points)[:1]
    )


# ---- edge cases ----


def test_one_class_and_as_many_classes_as_objects_and_equal_objects():
    one = HilbertSVC("jaccard").fit([{1}, {2}], ["drink", "drink"])
    assert one.predict([{3}]).tolist() == ["drink"]
    assert np.isinf(one.certified_radius([{3}])[0])
    assert one.explain([{3}])[0].pushes == ()
    own = HilbertSVC("levenshtein", kernel="laplace", C=1000).fit(NAMES[:8], NAMES[:8])
    assert own.predict(NAMES[:8]).tolist() == list(NAMES[:8])
    same = HilbertSVC("levenshtein").fit(["tea"] * 5, list("aabbb"))
    assert same.predict(["tea", "rum"]).tolist() == ["b", "b"]
    assert np.isinf(same.margin_).all()
    alone = HilbertSVC().fit([[1.0]], ["a"])
    assert alone.predict([[5.0]]).tolist() == ["a"]
    assert (alone.support_.shape, alone.dual_coef_.shape) == ((0,), (0, 0))


def test_another_fit_leaves_nothing_of_the_one_before():
    points, labels = moons(40)
    model = HilbertSVC().fit(points, labels)
    assert len(model.support_)
    assert not hasattr(model.set_params(landmarks=5).fit(points, labels), "support_")
    assert not hasattr(model, "dual_coef_")


@given(metric_matrices(min_size=4), st.data())
@settings(max_examples=25, deadline=None)
def test_labels_are_those_of_the_bare_machine_on_any_metric(distances, data):
    n = len(distances)
    labels = np.array(data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)))
    labels = labels[
        (distances == 0).argmax(axis=1)
    ]  # equal objects, equal labels: or the solution is one of many
    assume(len(set(labels)) > 1)
    model = HilbertSVC(matrix(0.37 * distances), kernel="laplace", repair="shift", tol=1e-8).fit(
        range(n), labels
    )
    assert model.kernel_report_.promised is False
    gram = np.exp(-0.37 * distances / model.width_)
    if model.kernel_report_.repair is not None:
        gram[distances == 0] += model.kernel_.jump
    bare = SVC(kernel="precomputed", C=model.C_, tol=1e-8, decision_function_shape="ovo").fit(
        gram, labels
    )
    values = bare.decision_function(gram).reshape(n, -1)
    clear = abs(values).min(axis=1) > 1e-3
    np.testing.assert_array_equal(model.predict(range(n))[clear], bare.predict(gram)[clear])


@pytest.mark.parametrize(
    ("parameters", "problem"),
    [
        ({"C": 0}, "C=0"),
        ({"C": np.nan}, "C=nan"),
        ({"tol": 2}, "tol=2"),
        ({"calibrate": 1}, "calibrate=1"),
        ({"kernel": "cubic"}, "kernel='cubic'"),
        ({"kernel": None}, "kernel=None"),
        ({"kernel": ["gaussian"]}, "kernel="),
        ({"width": 0}, "width=0"),
        ({"width": np.inf}, "width=inf"),
        ({"width": "wide"}, "width='wide'"),
        ({"width": "-5%"}, "width='-5%'"),
        ({"width": None}, "width=None"),
        ({"kernel": "distance", "width": 2.0}, "'distance' has no width"),
        ({"repair": "glue"}, "repair='glue'"),
        ({"repair": None}, "repair=None"),
        ({"landmarks": 1}, "landmarks=1"),
        ({"landmarks": 0.5}, "landmarks=0.5"),
        ({"max_memory": "tea"}, "not a size"),
    ],
)
def test_what_does_not_fit_is_refused(parameters, problem):
    points, labels = moons(20)
    with pytest.raises(InvalidInput, match=problem):
        HilbertSVC(**parameters).fit(points, labels)


# ---- model files and parameter search ----


@pytest.mark.parametrize(
    ("options", "labels"),
    [
        ({"kernel": "laplace", "width": 1.0, "calibrate": 2}, SEXES[:40]),
        ({"repair": "clip", "kernel": "gaussian"}, SEXES[:40]),
        ({"repair": "shift", "kernel": "distance"}, [name[1] for name in NAMES[:40]]),
        (
            {"repair": "flip", "kernel": "gaussian", "landmarks": 20},
            [len(name) for name in NAMES[:40]],
        ),
        ({"repair": "clip"}, ["one"] * 40),
    ],
)
def test_what_is_saved_comes_back(tmp_path, options, labels):
    model = HilbertSVC("levenshtein", **options).fit(NAMES[:40], labels)
    wideberth.save(model, tmp_path / "m.wb")
    loaded = wideberth.load(tmp_path / "m.wb")
    np.testing.assert_array_equal(loaded.decision_function(NAMES), model.decision_function(NAMES))
    assert loaded.explain(NAMES[:3]) == model.explain(NAMES[:3])
    assert loaded.kernel_ == model.kernel_
    assert str(loaded.kernel_report_) == str(model.kernel_report_)
    assert loaded.kernel_report_.distortion == model.kernel_report_.distortion
    names = ("intercept_", "references_", "margin_", "C_", "width_", "hilbert_margin_")
    for name in (*names, "support_", "dual_coef_") if hasattr(model, "support_") else names:
        np.testing.assert_array_equal(getattr(loaded, name), getattr(model, name))
    if "calibrate" in options:
        np.testing.assert_array_equal(loaded.predict_proba(NAMES), model.predict_proba(NAMES))
    thawed = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(thawed.predict(NAMES), model.predict(NAMES))


def test_radii_come_back_too(tmp_path):
    points, labels = three_classes()
    model = HilbertSVC(kernel="bounded", width="60%").fit(points, labels)
    wideberth.save(model, tmp_path / "m.wb")
    np.testing.assert_array_equal(
        wideberth.load(tmp_path / "m.wb").certified_radius(points), model.certified_radius(points)
    )


@pytest.mark.parametrize(
    ("name", "value", "problem"),
    [
        ("kernel", ["cubic", 1.0, 0.0], "no kernel 'cubic'"),
        ("kernel", ["gaussian", None, 0.0], "no kernel 'gaussian' of width None"),
        ("kernel", ["gaussian", -1.0, 0.0], "not positive"),
        ("repair", "glue", "no repair 'glue'"),
        ("promised", 1, "incomplete"),
        ("ends", np.array([0, -1]), "not between"),
        ("ends", np.array([1, 40]), "do not follow"),
        ("columns", np.array([10**6]), "numbers"),
        ("norms", np.array([-1.0]), "from 0 on"),
        ("intercepts", np.array([np.inf]), "not finite"),
    ],
)
def test_a_file_that_claims_nonsense_is_refused(tmp_path, monkeypatch, name, value, problem):
    points, labels = moons(40)
    model = HilbertSVC(C=0.1).fit(points, labels)
    state = model.state()
    assert name in state
    if name == "ends" and value[0] == 1:
        value = np.array([1, len(state["coefficients"])])
    monkeypatch.setattr(HilbertSVC, "state", lambda self: state | {name: value})
    wideberth.save(model, tmp_path / "m.wb")
    with pytest.raises(InvalidFile, match=problem):
        wideberth.load(tmp_path / "m.wb")


def test_parameters_can_be_searched_on_strings_and_on_a_space():
    labels = np.array(SEXES)
    grid = {"kernel": ["gaussian", "laplace"], "width": ["50%", "100%"], "C": [1, 10]}
    on_words = GridSearchCV(HilbertSVC("levenshtein", repair="clip"), grid, cv=3).fit(NAMES, labels)
    space = MetricSpace(NAMES, "levenshtein")
    on_space = GridSearchCV(HilbertSVC(space.metric, repair="clip"), grid, cv=3).fit(
        space.index, labels
    )
    assert on_words.best_params_ == on_space.best_params_
    np.testing.assert_allclose(
        on_words.cv_results_["mean_test_score"], on_space.cv_results_["mean_test_score"]
    )
    assert space.distance_calls <= len(NAMES) * (len(NAMES) - 1) // 2
    points, moon = moons(60)
    powers = GridSearchCV(
        HilbertSVC(wideberth.metric("minkowski")), {"metric__p": [1, 2]}, cv=2
    ).fit(points, moon)
    assert powers.best_score_ > 0.8


def test_it_learns_real_data():
    wine = load_wine()
    assert (
        cross_val_score(
            make_pipeline(StandardScaler(), HilbertSVC()), wine.data, wine.target, cv=3
        ).mean()
        > 0.96
    )
    iris = load_iris()
    assert (
        cross_val_score(HilbertSVC(kernel="distance"), iris.data, iris.target, cv=3).mean() > 0.94
    )


def test_an_indefinite_kernel_is_clipped_with_one_warning_for_all_folds():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        scores = cross_val_score(HilbertSVC("levenshtein", kernel="gaussian"), NAMES, SEXES, cv=3)
    told = [str(each.message) for each in caught if each.category is NotHilbertianWarning]
    assert len(told) == 1
    assert "repair='clip'" in told[0]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        cross_val_score(HilbertSVC("levenshtein", kernel="gaussian"), NAMES, SEXES, cv=3)
    assert sum(each.category is NotHilbertianWarning for each in caught) == 3
    silent = HilbertSVC("levenshtein", kernel="gaussian", repair="clip")
    with warnings.catch_warnings():
        warnings.simplefilter("error", NotHilbertianWarning)
        np.testing.assert_array_equal(cross_val_score(silent, NAMES, SEXES, cv=3), scores)
