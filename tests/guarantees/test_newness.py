"""Training objects in disguise, copies among test objects, and objects that taught the metric prove
nothing; honest ones do.
"""

import io

import numpy as np
import pytest
from families import choosers, class_name, families, measures_distances
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

import wideberth as wb
from wideberth.guarantees.newness import kept_objects
from wideberth.transforms import cap, product, scale, total

N = 120


def vectors(random):
    return random.normal(size=(N, 3))


def masses(random):
    return random.dirichlet(np.ones(5), size=N)


def point_sets(random):
    return [random.normal(size=(random.integers(2, 6), 2)) for _ in range(N)]


def series(random):
    return [random.normal(size=random.integers(4, 8)) for _ in range(N)]


def graphs(random):
    made = []
    for _ in range(N):
        nodes = int(random.integers(6, 10))
        edges = [[i, j] for i in range(nodes) for j in range(i) if random.uniform() < 0.4]
        made.append({"nodes": random.choice(list("CNOS"), nodes).tolist(), "edges": edges})
    return made


def weighted_sets(random):
    return [
        {
            letter: float(random.gamma(2.0))
            for letter in random.choice(list("abcdefgh"), 4, replace=False)
        }
        for _ in range(N)
    ]


def tables(random):
    return [
        {
            "size": float(random.normal()),
            "age": float(random.uniform()),
            "kind": "ab"[random.integers(2)],
        }
        for _ in range(N)
    ]


def through_text(rows):
    """A file of comma-separated values with six digits, and back."""
    stream = io.StringIO()
    np.savetxt(stream, rows, fmt="%.6g", delimiter=",")
    stream.seek(0)
    return np.loadtxt(stream, delimiter=",")


def renumbered(graph):
    order = np.random.default_rng(len(graph["edges"])).permutation(len(graph["nodes"]))
    place = np.argsort(order)
    edges = [[int(place[j]), int(place[i])] for i, j in graph["edges"]]
    return {"nodes": [graph["nodes"][node] for node in order], "edges": edges[::-1]}


#: (metric, where its objects come from, the same objects in another form)
DISGUISES = {
    "single precision": ("euclidean", vectors, lambda rows: rows.astype("f4")),
    "a little more": ("euclidean", vectors, lambda rows: rows + 1e-15),
    "a little noise": ("manhattan", vectors, lambda rows: rows * (1 + 1e-9)),
    "text": ("chebyshev", vectors, through_text),
    "text, mahalanobis": (
        wb.metric("mahalanobis", covariance=np.diag([1.0, 2.0, 3.0])),
        vectors,
        through_text,
    ),
    "capped": (cap("euclidean", 2.0), vectors, lambda rows: rows.astype("f4")),
    "sum": (total("euclidean", "manhattan"), vectors, lambda rows: rows + 1e-15),
    "angles": ("angular", vectors, lambda rows: 3 * rows),
    "angles in single precision": ("angular", vectors, lambda rows: (7 * rows).astype("f4")),
    "places a turn away": (
        "haversine",
        lambda random: np.c_[random.uniform(-1.5, 1.5, N), random.uniform(0.1, 6, N)],
        lambda rows: rows - [0, 2 * np.pi],
    ),
    "masses": ("hellinger", masses, lambda rows: 2 * rows),
    "masses, thrice": ("jensen_shannon", masses, lambda rows: 3 * rows),
    "masses in text": ("total_variation", masses, through_text),
    "masses on a line": ("wasserstein_1d", masses, lambda rows: 5 * rows),
    "order of points": ("hausdorff", point_sets, lambda sets: [each[::-1] for each in sets]),
    "points twice": (
        "hausdorff",
        point_sets,
        lambda sets: [np.r_[each, each].astype("f4") for each in sets],
    ),
    "series": ("msm", series, lambda many: [each.astype("f4") for each in many]),
    "series that dwell": ("dtw", series, lambda many: [np.repeat(each, 2) for each in many]),
    "isomorphic graphs": ("weisfeiler_lehman", graphs, lambda many: list(map(renumbered, many))),
    "weighted sets": (
        "ruzicka",
        weighted_sets,
        lambda sets: [{key: each[key] * (1 + 1e-12) for key in sorted(each)} for each in sets],
    ),
    "rows": (
        "gower",
        tables,
        lambda rows: [row | {"size": float(np.float32(row["size"]))} for row in rows],
    ),
    "parts": (
        product({"size": "euclidean", "age": "euclidean", "kind": "levenshtein"}),
        tables,
        lambda rows: [row | {"size": float(np.float32(row["size"]))} for row in rows],
    ),
    "a function": (
        wb.metric(
            lambda one, other: float(np.abs(np.sort(one) - np.sort(other)).sum()),
            obeys_triangle=True,
        ),
        vectors,
        lambda rows: rows[:, ::-1],
    ),
}


def labels_at_random(random):
    return random.integers(0, 2, N)


@pytest.mark.few(2)
@pytest.mark.filterwarnings("ignore::wideberth.errors.SlowMetricWarning")
@pytest.mark.parametrize(("metric", "source", "disguise"), DISGUISES.values(), ids=DISGUISES)
def test_training_objects_in_disguise_are_recognised_and_new_ones_are_not(metric, source, disguise):
    random = np.random.default_rng(5)
    objects, labels = source(random), labels_at_random(random)
    model = wb.NeighborsClassifier(metric, n_neighbors=1).fit(objects, labels)
    (found,) = wb.certify(model, disguise(objects), labels)
    assert any("training objects in another form" in reason for reason in found.void)
    assert found.evidence["known"] > 0.9 * N
    new = source(random)
    honest = wb.certify(model, new, labels_at_random(random))
    assert not any(each.void for each in honest)
    some = [*disguise(objects)[:40], *list(new)[:80]]
    (found,) = wb.certify(model, np.array(some) if isinstance(new, np.ndarray) else some, labels)
    assert found.void  # a third of them is no chance either


FAMILIES = families("vectors", like=measures_distances, kernel="gaussian", width=1.0, tol=1e-6)
CLASSIFIERS = [
    *FAMILIES,
    *choosers("vectors", like=measures_distances, cv=3),
    wb.LPMachineClassifier(references=20),
    wb.MarginNeighborsClassifier(separation=0.2, condense="net"),
]


@pytest.mark.few(4)
@pytest.mark.parametrize("model", CLASSIFIERS, ids=class_name)
@pytest.mark.parametrize(
    "disguise", [lambda rows: rows.astype("f4"), lambda rows: rows + 1e-15, through_text]
)
def test_every_classifier_recognises_a_disguise_and_says_what_it_compared(model, disguise):
    random = np.random.default_rng(6)
    points, labels = vectors(random), labels_at_random(random)
    fitted = clone(model).fit(points, labels)
    (found,) = wb.certify(fitted, disguise(points), labels)
    assert "training objects in another form" in found.void[0]
    honest = wb.certify(fitted, vectors(random), labels_at_random(random))
    assert not any(each.void for each in honest)
    kept = kept_objects(fitted)
    partly = any("is a training object in another form" in said for said in honest[0].assumptions)
    assert partly is (kept is None or len(kept) < N)


@pytest.mark.parametrize("model", FAMILIES, ids=class_name)
def test_a_model_from_a_file_recognises_a_disguise_too(model, tmp_path):
    random = np.random.default_rng(7)
    points, labels = vectors(random), labels_at_random(random)
    wb.save(clone(model).fit(points, labels), tmp_path / "model.wb")
    loaded = wb.load(tmp_path / "model.wb")
    assert wb.certify(loaded, points.astype("f4"), labels)[0].void
    assert not wb.certify(loaded, vectors(random), labels)[0].void


def test_a_single_copy_is_shown_with_its_partner():
    random = np.random.default_rng(8)
    points, labels = vectors(random), labels_at_random(random)
    model = wb.NeighborsClassifier("angular", n_neighbors=1).fit(points, labels)
    new = vectors(random)
    new[17] = 5 * points[33]
    (found,) = wb.certify(model, new, labels)
    assert "1 of 120 objects are training objects in another form" in found.void[0]
    assert "object 17, [" in found.void[0]
    assert not wb.certify(model, np.delete(new, 17, axis=0), np.delete(labels, 17))[
        0
    ].void  # the advice


def words(random, n):
    """Words drawn as in a language: the k-th most frequent has a probability of about 1 / k."""
    chances = 1 / np.arange(1, 401)
    return [f"w{number:b}" for number in random.choice(400, n, p=chances / chances.sum())]


def test_words_repeat_and_that_is_a_leak_unless_independent_draws_are_declared():
    random = np.random.default_rng(9)
    for model in (
        wb.NeighborsClassifier("levenshtein", n_neighbors=1),
        wb.LipschitzClassifier("levenshtein"),
    ):
        fitted = clone(model).fit(words(random, 150), random.integers(0, 2, 150))
        new, labels = words(random, 100), random.integers(0, 2, 100)
        (leak,) = wb.certify(fitted, new, labels)
        assert "are among those that the model learned from" in leak.void[0]
        assert "independent=True" in leak.void[0]
        found = wb.certify(fitted, new, labels, independent=True)  # the advice
        assert not any(each.void for each in found)
        allowed = (
            "also occur in the training data; that is allowed if all were drawn independently."
        )
        assert any(said.endswith(allowed) for said in found[0].assumptions)
        assert any(
            "of these 100 objects equal others of them; that is allowed" in said
            for said in found[0].assumptions
        )


def test_more_copies_than_words_repeat_are_a_leak():
    random = np.random.default_rng(10)
    learned = [
        f"{word}{'x' if number % 8 else ''}{number % 8 and number}"
        for number, word in enumerate(words(random, 200))
    ]
    model = wb.NeighborsClassifier("levenshtein", n_neighbors=1).fit(
        learned, random.integers(0, 2, 200)
    )
    assert 0 < model.learned_from_.repeats() < 40
    leaked = [*learned[:60], *[f"new{number}" for number in range(40)]]
    (found,) = wb.certify(model, leaked, random.integers(0, 2, 100))
    assert "60 of 100 objects are among those that the model learned from" in found.void[0]
    (found,) = wb.certify(model, leaked, random.integers(0, 2, 100), independent=True)
    assert (
        "Independent draws do not explain so many" in found.void[0]
    )  # a declaration is believed as far as it can be true


@pytest.mark.few(2)
@pytest.mark.parametrize("model", FAMILIES, ids=class_name)
@pytest.mark.parametrize("noise", [0.0, 1e-12])
def test_five_objects_are_not_two_thousand(model, noise):
    random = np.random.default_rng(11)
    fitted = clone(model).fit(vectors(random), labels_at_random(random))
    five = random.normal(size=(5, 3))
    many = np.repeat(five, 400, axis=0) + noise * random.normal(size=(2000, 3))
    (found,) = wb.certify(fitted, many, fitted.predict(many))
    assert "These are 5 different objects, not 2,000" in found.void[-1]
    assert not wb.certify(fitted, five, fitted.predict(five))[0].void  # the advice


def test_a_few_copies_among_many_are_noticed():
    points = np.arange(120.0)[:, None]
    model = wb.NeighborsClassifier(n_neighbors=1).fit(points, np.arange(120) % 2)
    new = points + 0.4
    new[100:] = new[:20]
    (found,) = wb.certify(model, new, np.zeros(120, dtype=int))
    assert "These are 100 different objects, not 120" in found.void[-1]


def test_a_training_sample_with_copies_is_noted():
    random = np.random.default_rng(12)
    points, labels = (
        np.repeat(random.normal(size=(30, 2)), 4, axis=0),
        np.repeat(random.integers(0, 2, 30), 4),
    )
    found = wb.certify(wb.NeighborsClassifier(n_neighbors=1).fit(points, labels), points, labels)
    assert any(
        "120 of these 120 objects equal others of them; that is allowed" in said
        for said in found[0].assumptions
    )


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    d=st.integers(1, 4),
    n=st.integers(5, 80),
    m=st.integers(1, 80),
    power=st.integers(-30, 30),
)
def test_honest_objects_of_any_dimension_scale_and_number_stay_valid(seed, d, n, m, power):
    random = np.random.default_rng(seed)
    points, new = (random.normal(size=(size, d)) * 10.0**power for size in (n, m))
    model = wb.NeighborsClassifier(n_neighbors=1).fit(points, np.arange(n) % 2)
    found = wb.certify(model, new, np.arange(m) % 2)
    assert not found[0].void
    assert len(found[0].assumptions) == 1


@pytest.mark.parametrize(("distance", "leaked"), [(5e-4, False), (1e-6, True)])
def test_of_many_training_objects_one_may_be_near_by_chance(distance, leaked):
    points = np.arange(300.0)[:, None]
    model = wb.NeighborsClassifier(n_neighbors=1).fit(points, np.arange(300) % 2)
    (found,) = wb.certify(model, points[:1] + distance, [0])
    assert bool(found.void) is leaked


# ---- metrics that learned ------------------------------------------------------------------------


def space_of(points, metric):
    space = wb.MetricSpace(points, metric)
    return space.metric, space.index


LEARNED = {
    "space": lambda points: space_of(points, "mahalanobis"),
    "capped space": lambda points: (
        cap(space_of(points, "mahalanobis")[0], 3.0),
        np.arange(len(points)),
    ),
    "space of a capped metric": lambda points: space_of(points, cap("mahalanobis", 3.0)),
    "sum of spaces": lambda points: (
        total(*[space_of(points, "mahalanobis")[0]] * 2),
        np.arange(len(points)),
    ),
    "fitted before": lambda points: (wb.metric("mahalanobis").fitted(points), points),
    "scaled": lambda points: (scale("mahalanobis", 2.0).fitted(points), points),
    "sum": lambda points: (total("mahalanobis", "euclidean").fitted(points), points),
    "sum of fitted": lambda points: (
        total(wb.metric("mahalanobis").fitted(points), wb.metric("euclidean")),
        points,
    ),
    "rows": lambda points: (wb.metric("gower").fitted(points), points),
    "space of rows": lambda points: space_of(points, "gower"),
}


@pytest.mark.few(4)
@pytest.mark.parametrize("make", LEARNED.values(), ids=LEARNED)
@pytest.mark.parametrize("model", FAMILIES, ids=class_name)
def test_objects_that_taught_the_metric_are_not_new(make, model):
    random = np.random.default_rng(13)
    points, labels = vectors(random), labels_at_random(random)
    metric, objects = make(points)
    fitted = clone(model).set_params(metric=metric).fit(objects[:60], labels[:60])
    found = wb.certify(fitted, objects[60:], labels[60:])
    assert all("took its parameters from" in each.void[0] for each in found)
    in_sample = wb.certify(fitted, objects[:60], labels[:60])
    assert all(
        "took its parameters from these objects" in " ".join(each.void)
        for each in in_sample
        if each.kind != "separation"
    )


@pytest.mark.few(2)
@pytest.mark.parametrize("model", FAMILIES, ids=class_name)
def test_one_rule_for_a_metric_that_learned_in_fit(model):
    random = np.random.default_rng(14)
    points, labels = vectors(random), labels_at_random(random)
    fitted = clone(model).set_params(metric="mahalanobis").fit(points, labels)
    for found in wb.certify(fitted, points, labels):
        assert any(
            "'mahalanobis' took its parameters from these objects" in reason
            for reason in found.void
        )
    assert not wb.certify(fitted, vectors(random), labels)[0].void
    advised = (
        clone(model)
        .set_params(metric=wb.metric("mahalanobis", covariance=np.eye(3)))
        .fit(points, labels)
    )
    assert not any(each.void for each in wb.certify(advised, points, labels))


def test_a_metric_taught_by_other_objects_is_fixed(tmp_path):
    random = np.random.default_rng(15)
    others, points, labels = vectors(random), vectors(random), labels_at_random(random)
    model = wb.NeighborsClassifier(wb.metric("mahalanobis").fitted(others)).fit(points, labels)
    assert not any(each.void for each in wb.certify(model, points, labels))
    assert not any(each.void for each in wb.certify(model, vectors(random), labels))
    wb.save(model, tmp_path / "model.wb")
    for each in (model, wb.load(tmp_path / "model.wb"), clone(model).fit(points, labels)):
        assert (
            "took its parameters from 120 of these 120 objects too"
            in wb.certify(each, others, labels)[0].void[0]
        )
    search = GridSearchCV(model, {"n_neighbors": [1, 3]}, cv=2).fit(points, labels)
    assert wb.certify(search, others, labels)[0].void
    changed = model.metric.set_params(covariance=np.eye(3))
    assert changed.taught_by is None


def test_objects_that_came_to_a_space_later_are_new():
    random = np.random.default_rng(16)
    points, labels = vectors(random), labels_at_random(random)
    space = wb.MetricSpace(points[:60], "mahalanobis")
    model = wb.NeighborsClassifier(space.metric).fit(space.index, labels[:60])
    assert not wb.certify(model, space.append(points[60:]), labels[60:])[0].void
