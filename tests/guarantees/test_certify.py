"""certify: what labelled objects prove about a model, or why they prove nothing."""

import math

import numpy as np
import pandas as pd
import pytest
from families import every_classifier
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier

import wideberth
from wideberth.bounds.balls import (
    hilbert_rademacher,
    log_share,
    measured_ball_risk,
    offset_price,
    open_stratum,
)
from wideberth.bounds.binomial import holdout_bound
from wideberth.bounds.compression import preferent_bound, support_vector_bound
from wideberth.errors import InvalidInput

WORDS, KINDS = ["tea", "tee", "ten", "rum", "rom", "ram"], ["soft"] * 3 + ["hard"] * 3


def two_heaps(n, seed):
    """Points near 0 and near 2, so that margins are about 1, and which heap they are from."""
    random = np.random.default_rng(seed)
    sides = random.integers(0, 2, n)
    return 2.0 * sides[:, None] + random.normal(0, 0.01, (n, 1)), sides


#: Enough, at a delta of 30 %, for margins on these heaps to prove something.
POINTS, SIDES = two_heaps(240, 0)
NEW, TRUTH = two_heaps(200, 1)

MODELS = [
    *every_classifier(
        "vectors", cv=3, kernel="gaussian", width=1.0
    ),  # a width by the objects' distances proves nothing of them
    wideberth.NeighborsClassifier(n_neighbors=1),
    wideberth.MarginNeighborsClassifier(separation="compression"),
    wideberth.MarginNeighborsClassifier(separation="theory"),
    wideberth.HilbertSVCCV(kernel="gaussian", width=[1.0, 0.5], C=[1.0, 10.0], cv=3),
]


def risk_of_margin(about):
    share = math.log(about["delta"]) + log_share(about["stratum"])
    assert open_stratum(about["norm"])[0] == about["stratum"]
    if "displacement" in about:
        assert about["rademacher"] == pytest.approx(
            about["norm"] * about["displacement"] + about["noise"]
        )
    if "base_square_sum" in about:
        n, B = about["objects"], about["norm"]
        ball = hilbert_rademacher(np.r_[math.sqrt(about["base_square_sum"]), np.zeros(n - 1)], B)
        assert about["rademacher"] == pytest.approx(
            ball + offset_price(B * about["base_farthest"], n)
        )
    return min(
        1.0,
        measured_ball_risk(
            about["margin_loss"], about["rademacher"], about["objects"], log_delta=share
        ),
    )


RECOMPUTED = {
    "holdout": lambda about: holdout_bound(
        about["errors"],
        about["held_out"],
        log_delta=math.log(about["delta"]),
        candidates=about.get("candidates", 1),
    ),
    "margin": risk_of_margin,
    "Hilbert": risk_of_margin,
    "support": lambda about: support_vector_bound(
        about["kept"], about["objects"], log_delta=math.log(about["delta"] / about["machines"])
    ),
    "preferent": lambda about: preferent_bound(
        about["matched"] + about["condensed"],
        about["objects"],
        log_delta=math.log(about["delta"] / about["separations"]),
    ),
    "structural": lambda about: measured_ball_risk(
        about["without_margin"],
        about["rademacher"],
        about["objects"],
        log_delta=math.log(about["delta"]) + log_share(about["stratum"]),
    ),
}


@pytest.mark.few(3)
@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_every_value_can_be_recomputed_from_its_evidence(model):
    fitted = clone(model).fit(POINTS, SIDES)
    order = np.random.default_rng(2).permutation(len(POINTS))
    in_sample = wideberth.certify(fitted, POINTS[order], SIDES[order], delta=0.3, radius=0.1)
    on_new = wideberth.certify(fitted, NEW, TRUTH, delta=0.3, radius=0.1)
    for found in (in_sample, on_new):
        assert not any(each.void for each in found)
        for each in found:
            begin = next(begin for begin in RECOMPUTED if each.kind.startswith(begin))
            assert each.value == pytest.approx(RECOMPUTED[begin](each.evidence), rel=1e-12)
            assert f"{each.value:.4g}" in each.statement
            assert each.confidence == pytest.approx(0.7)
            assert wideberth.guarantees.Certificate.from_json(each.to_json()) == each
    assert {each.kind for each in on_new} == {
        "holdout",
        "holdout, class 0",
        "holdout, class 1",
        "holdout at a radius",
    }
    assert not on_new[0].vacuous


RESTATED = [
    (wideberth.MarginNeighborsClassifier(), NEW, TRUTH, "holdout"),
    (wideberth.MarginNeighborsClassifier(), POINTS, SIDES, "holdout"),
    (
        wideberth.MarginNeighborsClassifier(separation="compression"),
        POINTS,
        SIDES,
        "preferent compression",
    ),
    (
        wideberth.MarginNeighborsClassifier(separation="theory"),
        POINTS,
        SIDES,
        "structural risk, complexity of the sample",
    ),
    (
        wideberth.HilbertSVC(kernel="gaussian", width=1.0),
        POINTS,
        SIDES,
        "support vector compression",
    ),
]


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("model", "X", "y", "bound"), RESTATED, ids=lambda each: each if isinstance(each, str) else ""
)
def test_a_certificate_is_restated_as_if_asked_for_at_once(model, X, y, bound):
    fitted = clone(model).fit(POINTS, SIDES)
    loose, strict = (
        {each.kind: each for each in wideberth.certify(fitted, X, y, delta=delta) if each.bound}
        for delta in (0.3, 0.01)
    )
    assert bound in loose
    for kind, each in loose.items():
        restated, asked = each.at(delta=0.01), strict[kind]
        assert (
            (restated.value, restated.confidence)
            == (asked.value, asked.confidence)
            == (asked.value, 0.99)
        )
        assert asked.statement.startswith(
            restated.statement
        )  # what all of them say together depends on the others
        assert restated.evidence == asked.evidence


def test_a_margin_is_not_restated_without_the_objects():
    found = wideberth.certify(wideberth.LipschitzClassifier().fit(POINTS, SIDES), POINTS, SIDES)[0]
    with pytest.raises(
        InvalidInput,
        match=r"cannot be restated for delta=0\.3.*wideberth\.certify, with that delta",
    ):
        found.at(0.3)


@pytest.mark.parametrize("measured_by", ["transport", "cells"])
def test_two_heaps_far_apart_are_certified_by_their_margin(monkeypatch, measured_by):
    if measured_by == "cells":
        monkeypatch.setattr("wideberth.guarantees.training_sample.MOST_MATCHED", 0)
    model = wideberth.NeighborsClassifier(n_neighbors=1).fit(POINTS, SIDES)
    whole, robust = wideberth.certify(model, POINTS, SIDES, delta=0.3, radius=0.5)
    assert not whole.vacuous
    assert ("draws" in whole.evidence) is (measured_by == "transport")
    assert whole.evidence["margin_loss"] < 0.05
    assert robust.value > whole.value
    assert "has another label less than 0.5 away" in robust.statement


@pytest.mark.slow
@pytest.mark.parametrize(
    "model", [*MODELS[:2], *MODELS[4:6], MODELS[7]], ids=lambda model: type(model).__name__
)
def test_labels_at_random_are_certified_by_no_model(model):
    """The error is 1/2 whatever was learned: no bound may be below it; without a price for
    complexity some would.
    """
    random = np.random.default_rng(3)
    points, sides = random.uniform(size=(600, 1)), random.integers(0, 2, 600)
    found = wideberth.certify(clone(model).fit(points, sides), points, sides)
    valid = [each for each in found if not each.void]
    assert valid
    assert all(each.value >= 0.5 for each in valid)


def test_a_hold_out_counts_errors():
    model = wideberth.NeighborsClassifier(n_neighbors=1).fit(POINTS, SIDES)
    wrong = np.arange(200) < 7
    found = wideberth.certify(model, NEW, np.where(wrong, 1 - TRUTH, TRUTH), delta=0.1)
    assert found[0].kind == "holdout"
    assert found[0].evidence == {"errors": 7, "held_out": 200, "delta": 0.1}
    of_class = {each.kind: each.evidence["errors"] for each in found[1:]}
    assert of_class == {
        f"holdout, class {each}": int((wrong & (each != TRUTH)).sum()) for each in (0, 1)
    }


def test_classes_of_few_objects_get_no_certificate_of_their_own():
    model = wideberth.NeighborsClassifier(n_neighbors=1).fit(POINTS, SIDES)
    few = np.r_[np.flatnonzero(TRUTH == 0), np.flatnonzero(TRUTH == 1)[:29]]
    assert [each.kind for each in wideberth.certify(model, NEW[few], TRUTH[few])] == [
        "holdout",
        "holdout, class 0",
    ]


def test_at_a_radius_uncertain_objects_count_as_wrong():
    model = wideberth.NeighborsClassifier(n_neighbors=1).fit([[0.0], [10.0]], ["low", "up"])
    queries = np.array([[1.0], [2.0], [4.0], [9.0]])  # radii 4, 3, 1, 4
    found = {
        each.kind: each
        for each in wideberth.certify(
            model, queries, ["low", "low", "low", "low"], radius=3.0 - 1e-6
        )
    }
    assert found["holdout"].evidence["errors"] == 1
    assert found["holdout at a radius"].evidence["errors"] == 2
    assert "less than 3 away" in found["holdout at a radius"].statement


def test_the_best_come_first_and_void_ones_last():
    noisy = wideberth.HilbertSVC().fit(
        POINTS, SIDES
    )  # its width is the median distance of these objects
    found = wideberth.certify(noisy, POINTS, SIDES)
    assert [bool(each.void) for each in found] == sorted(bool(each.void) for each in found)
    assert found[-1].void[0].startswith("The kernel or its width was taken from these objects")
    on_new = wideberth.certify(noisy, NEW, TRUTH, radius=0.1)
    assert on_new[0].kind == "holdout"
    assert [each.value for each in on_new[1:]] == sorted(each.value for each in on_new[1:])


def test_joint_use_is_said_where_several_are_shown():
    model = wideberth.NeighborsClassifier(n_neighbors=1).fit(POINTS, SIDES)
    found = wideberth.certify(model, NEW, TRUTH)
    assert "all 3 together with confidence 85%" in str(found)
    assert "all 2 together with confidence 90%" in str(found[:2])
    assert "all 3 together with confidence 97%" in str(
        wideberth.certify(model, NEW, TRUTH, delta=0.01)
    )
    assert not any("together" in str(each) for each in found)
    assert "together" not in str(wideberth.certify(model, POINTS, SIDES)[:1])


def test_objects_that_were_learned_from_void_a_hold_out():
    model = wideberth.NeighborsClassifier("levenshtein", n_neighbors=1).fit(WORDS, KINDS)
    (found,) = wideberth.certify(model, ["milk", "rum", "ram"], ["soft", "hard", "hard"])
    assert found.evidence == {"objects": 3, "known": 2}
    assert found.value == 1.0
    assert (
        "2 of 3 objects are among those that the model learned from, such as object 1, 'rum'."
        in found.void[0]
    )
    (advised,) = wideberth.certify(model, ["milk"], ["soft"])  # the advice
    assert not advised.void


@pytest.mark.parametrize(
    ("words", "kinds", "reason"),
    [
        (WORDS[:4], KINDS[:4], "All 4 objects are among the 6 that the model learned from"),
        (WORDS, KINDS[::-1], "but their labels are not those of fit"),
        ([*WORDS, "tea"], [*KINDS, "soft"], "All 7 objects are among the 6"),
    ],
)
def test_a_part_of_the_sample_proves_nothing(words, kinds, reason):
    model = wideberth.NeighborsClassifier("levenshtein", n_neighbors=1).fit(WORDS, KINDS)
    (found,) = wideberth.certify(model, words, kinds)
    assert reason in found.void[0]


@pytest.mark.filterwarnings("ignore::wideberth.errors.SlowMetricWarning")
def test_what_cannot_be_recognised_is_not_certified():
    model = wideberth.NeighborsClassifier("levenshtein", n_neighbors=1).fit(WORDS, KINDS)
    model.learned_from_ = None
    (found,) = wideberth.certify(model, ["milk"], ["soft"])
    assert found.void[0].startswith(
        "It cannot be known whether the model learned from these objects"
    )

    class Drink:
        __slots__ = ("strength",)

        def __init__(self, strength):
            self.strength = strength

    drinks = [Drink(each) for each in range(6)]
    strange = wideberth.NeighborsClassifier(
        lambda one, other: abs(one.strength - other.strength)
    ).fit(drinks, KINDS)
    assert wideberth.certify(strange, [Drink(9)], ["hard"])[0].void


def squares(left, right):
    return (np.asarray(left, float) - np.asarray(right, float).T) ** 2


@pytest.mark.few(1)
@pytest.mark.filterwarnings("ignore::wideberth.errors.BrokenAxiomWarning")
@pytest.mark.parametrize("promise", [True, None, False])
def test_a_broken_triangle_voids_what_needs_it_and_shows_the_witness(promise):
    squared = wideberth.Metric(squares, name="squared", accepts="vectors", obeys_triangle=promise)
    for model in (
        wideberth.LPMachineClassifier(squared),
        wideberth.MarginNeighborsClassifier(squared, separation="theory"),
    ):
        if promise:
            with pytest.raises(
                wideberth.errors.BrokenAxiom, match="refutes the promise obeys_triangle=True"
            ):
                model.fit(POINTS, SIDES)
            continue
        fitted = model.fit(POINTS, SIDES)
        for found in (
            wideberth.certify(fitted, POINTS, SIDES),
            wideberth.certify(fitted, NEW, TRUTH, radius=0.5),
        ):
            needy = [
                each
                for each in found
                if not each.kind.startswith("holdout") or "radius" in each.kind
            ]
            assert needy
            assert all(each.void for each in needy)
            assert all("triangle inequality" in " ".join(each.void) for each in needy)
            margin = [
                each for each in needy if each.kind.startswith("margin") or "radius" in each.kind
            ]
            assert all(
                "breaks the triangle inequality at objects" in each.void[0] for each in margin
            )
            assert not any(each.void for each in found if each not in needy)


def test_a_repaired_kernel_voids_all_that_an_svm_proves_by_its_hilbert_margin():
    model = wideberth.HilbertSVC("levenshtein", kernel="laplace", width=1.0, repair="clip").fit(
        WORDS, KINDS
    )
    found = {each.kind: " ".join(each.void) for each in wideberth.certify(model, WORDS, KINDS)}
    assert (
        "repaired (clip) on these objects" in found["Hilbert ball"]
        or "does not promise" in found["Hilbert ball"]
    )
    by_radii = found.pop(
        "margin and complexity of the sample"
    )  # these are proved by the triangle inequality
    assert by_radii == ""
    assert found
    assert all(found.values())
    new = ["milk", "gin"], ["soft", "hard"]
    (robust,) = [
        each for each in wideberth.certify(model, *new, radius=1.0) if "radius" in each.kind
    ]
    assert not robust.void  # so is this
    silent = wideberth.metric(
        "precomputed",
        distances=wideberth.pairwise_distances([*WORDS, *new[0]], None, "levenshtein"),
    )
    model = wideberth.HilbertSVC(silent, kernel="laplace", width=1.0, repair="clip").fit(
        np.arange(len(WORDS)), KINDS
    )
    asked = np.arange(len(WORDS), len(WORDS) + 2), new[1]
    (robust,) = [
        each for each in wideberth.certify(model, *asked, radius=1.0) if "radius" in each.kind
    ]
    assert robust.void


def test_asymmetry_voids_a_compression():
    longer_up = wideberth.Metric(
        lambda left, right: np.where(left > right.T, 2.0, 1.0) * np.abs(left - right.T),
        name="uphill",
        accepts="vectors",
    )
    model = wideberth.MarginNeighborsClassifier(longer_up, separation="compression").fit(
        POINTS, SIDES
    )
    found = {each.kind: each for each in wideberth.certify(model, POINTS, SIDES)}
    assert "'uphill' is not symmetric" in found["preferent compression"].void[0]


def test_weights_and_learned_metrics_void_the_margin():
    weighted = wideberth.NeighborsClassifier().fit(POINTS, SIDES, sample_weight=1.0 + SIDES)
    assert "different weights" in wideberth.certify(weighted, POINTS, SIDES)[0].void[0]
    assert not wideberth.certify(weighted, NEW, TRUTH)[0].void
    learned = wideberth.NeighborsClassifier("mahalanobis").fit(np.c_[POINTS, POINTS**2], SIDES)
    assert (
        "took its parameters from these objects"
        in wideberth.certify(learned, np.c_[POINTS, POINTS**2], SIDES)[0].void[0]
    )


def test_a_search_over_the_sample_is_not_paid_for():
    search = GridSearchCV(wideberth.NeighborsClassifier(), {"n_neighbors": [1, 3]}, cv=2).fit(
        POINTS, SIDES
    )
    assert all(
        "chosen by a search" in each.void[0] for each in wideberth.certify(search, POINTS, SIDES)
    )
    assert not wideberth.certify(search, NEW, TRUTH)[0].void


def test_the_choice_of_a_search_is_not_forgotten_by_what_it_chose():
    """Its width is a number by then, but one that was taken from the objects."""
    search = wideberth.HilbertSVCCV(kernel="gaussian", width=["100%", "50%"], C=[1.0], cv=3).fit(
        POINTS, SIDES
    )
    found = {each.kind: each for each in wideberth.certify(search.best_estimator_, POINTS, SIDES)}
    for kind in ("Hilbert ball", "support vector compression"):
        assert "chosen by a search over these objects" in found[kind].void[0]
    assert not found[
        "margin and complexity of the sample"
    ].void  # which is for all classifiers at once
    assert not any(each.void for each in wideberth.certify(search.best_estimator_, NEW, TRUTH))


def test_margins_assume_that_all_classes_are_known():
    found = wideberth.certify(
        wideberth.HilbertSVC(kernel="gaussian", width=1.0).fit(POINTS, SIDES), POINTS, SIDES
    )
    needs = {
        each.kind: any("no more than 2 classes" in said for said in each.assumptions)
        for each in found
    }
    ball, margin, vectors = (
        "Hilbert ball",
        "margin and complexity of the sample",
        "support vector compression",
    )
    assert needs == {ball: True, margin: True, vectors: False}


def test_a_separation_chosen_before_a_refit_is_not_the_models():
    model = wideberth.MarginNeighborsClassifier(refit=True).fit(POINTS, SIDES)
    found = {each.kind: each for each in wideberth.certify(model, POINTS, SIDES)}
    assert "Fit with refit=False" in found["holdout"].void[0]
    fixed = wideberth.MarginNeighborsClassifier(separation=1.0).fit(POINTS, SIDES)
    assert any(
        "no objects were set aside" in " ".join(each.void)
        for each in wideberth.certify(fixed, POINTS, SIDES)
    )


@pytest.mark.few(2)
@pytest.mark.parametrize(
    ("parameters", "reason"),
    [
        ({"kernel": "distance", "width": "auto"}, "The unit of C is the mean squared distance"),
        ({"C": np.inf}, "The margin is hard"),
        ({"class_weight": "balanced"}, "class_weight='balanced'"),
        ({"landmarks": 20}, "The landmarks were chosen among these objects"),
    ],
)
def test_a_machine_that_depends_on_all_objects_is_no_compression(parameters, reason):
    model = wideberth.HilbertSVC(**({"kernel": "gaussian", "width": 1.0} | parameters)).fit(
        POINTS, SIDES
    )
    found = {each.kind: each for each in wideberth.certify(model, POINTS, SIDES)}
    assert any(reason in each for each in found["support vector compression"].void)
    assert not found["Hilbert ball"].void


def test_several_classes_have_support_vectors_too():
    points = (
        np.random.default_rng(6).normal(0, 0.3, (240, 1)) + np.repeat([0.0, 3.0, 6.0], 80)[:, None]
    )
    model = wideberth.HilbertSVC(kernel="gaussian", width=3.0, tol=1e-6).fit(
        points, np.repeat(["a", "b", "c"], 80)
    )
    found = {
        each.kind: each for each in wideberth.certify(model, points, np.repeat(["a", "b", "c"], 80))
    }
    assert set(found) == {"support vector compression", "margin and complexity of the sample"}
    assert len(model.support_) <= found["support vector compression"].evidence["kept"] < 240
    assert not found["support vector compression"].vacuous


def test_a_matrix_of_distances_is_certified_too(tmp_path):
    matrix = np.abs(POINTS - POINTS.T)
    table = wideberth.metric("precomputed", distances=matrix, obeys_triangle=True)
    on_numbers = wideberth.NeighborsClassifier(table, n_neighbors=1).fit(np.arange(240), SIDES)
    on_points = wideberth.NeighborsClassifier("manhattan", n_neighbors=1).fit(POINTS, SIDES)
    expected = wideberth.certify(on_points, POINTS, SIDES)[0].value
    assert wideberth.certify(on_numbers, np.arange(240), SIDES)[0].value == pytest.approx(expected)
    assert wideberth.certify(on_numbers, matrix, SIDES)[0].value == pytest.approx(expected)
    order = np.roll(np.arange(240), 1)
    assert (
        "pass the matrix in the order of fit"
        in wideberth.certify(on_numbers, matrix[order], SIDES[order])[0].void[0]
    )
    wideberth.save(on_numbers, tmp_path / "model.wb")
    loaded = wideberth.load(tmp_path / "model.wb")
    assert wideberth.certify(loaded, matrix, SIDES)[0].value == pytest.approx(expected)
    assert not wideberth.certify(loaded, np.abs(NEW - POINTS.T), TRUTH)[0].void


def test_a_space_is_certified_too():
    space = wideberth.MetricSpace(POINTS, "manhattan")
    model = wideberth.NeighborsClassifier(space.metric, n_neighbors=1).fit(space.index, SIDES)
    on_points = wideberth.NeighborsClassifier("manhattan", n_neighbors=1).fit(POINTS, SIDES)
    expected = wideberth.certify(on_points, POINTS, SIDES)[0].value
    assert wideberth.certify(model, space.index, SIDES)[0].value == pytest.approx(expected)
    assert wideberth.certify(model, space.append(NEW), TRUTH)[0].kind == "holdout"


def test_one_class_and_a_few_objects_are_no_trouble():
    model = wideberth.LipschitzClassifier("levenshtein").fit(["tea", "tee"], ["soft", "soft"])
    for found in (
        wideberth.certify(model, ["tea", "tee"], ["soft", "soft"]),
        wideberth.certify(model, ["ten"], ["soft"]),
    ):
        assert all(each.vacuous for each in found)
        assert not any(each.void for each in found)
    several = wideberth.LipschitzClassifier("levenshtein").fit(WORDS, ["a", "b", "c"] * 2)
    assert wideberth.certify(several, WORDS, ["a", "b", "c"] * 2)[0].vacuous


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"delta": 0.0}, r"delta=0\.0 is not a probability between 0 and 1\. Pass 0\.05"),
        ({"delta": 1}, "delta=1 is not a probability"),
        (
            {"radius": 0.0},
            r"radius=0\.0 is not a distance by which objects may move\. Pass a positive number",
        ),
        ({"radius": math.inf}, "radius=inf is not a distance"),
        ({"radius": math.nan}, "radius=nan is not a distance"),
        (
            {"y": ["hot", "cold"]},
            r"None of the labels is a class of the model: \['cold', 'hot'\] beside \['hard', 'soft'\]",
        ),
        ({"y": [1, 2]}, "None of the labels is a class of the model"),
        ({"y": ["soft"]}, "2 objects and 1 labels"),
        ({"X": [], "y": []}, "There are no objects to certify the model on"),
        (
            {"model": KNeighborsClassifier()},
            "A KNeighborsClassifier cannot be certified. Pass a fitted classifier of wideberth",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(arguments, message):
    given = {
        "model": wideberth.NeighborsClassifier("levenshtein").fit(WORDS, KINDS),
        "X": ["milk", "gin"],
        "y": ["soft", "hard"],
    }
    with pytest.raises(InvalidInput, match=message):
        wideberth.certify(**(given | arguments))
    wideberth.certify(**given)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (np.zeros((4, 2)), "X has 2 features, but NeighborsClassifier is expecting 3"),
        (np.full((4, 3), np.inf), "Input X contains infinity .*: object 0"),
        (np.zeros(4), "Expected 2D array"),
        (pd.DataFrame(np.zeros((4, 3)), columns=list("abd")), "feature names should match"),
    ],
    ids=["features", "infinity", "dimensions", "names"],
)
def test_objects_are_checked_as_those_to_classify_are(asked, message):
    table = pd.DataFrame(np.random.default_rng(0).normal(size=(20, 3)), columns=list("abc"))
    model = wideberth.NeighborsClassifier(n_neighbors=1).fit(table, np.arange(20) % 2)
    with pytest.raises(wideberth.errors.InvalidInput, match=message):
        wideberth.certify(model, asked, np.zeros(4))


def test_a_model_that_is_not_fitted_is_refused():
    with pytest.raises(NotFittedError):
        wideberth.certify(wideberth.NeighborsClassifier("levenshtein"), WORDS, KINDS)


def test_an_online_learner_is_certified_by_its_losses():
    random = np.random.default_rng(0)
    centres, queries = np.array([[0.5, 0.0], [-0.5, 0.3]]), random.uniform(-0.7, 0.7, (60, 2))
    labels = np.linalg.norm(queries[:, None] - centres, axis=2).argmin(axis=1)
    proved = wideberth.OnlinePartitionClassifier(engine="ellipsoid").fit(queries[:40], labels[:40])
    found = {each.kind: each for each in wideberth.certify(proved, queries[40:], labels[40:])}
    remaining, largest = found["remaining loss"], found["loss of these queries"]
    assert remaining.value == proved.remaining_loss_bound()
    assert remaining.confidence is None
    assert not remaining.void
    assert not remaining.vacuous
    assert largest.value == max(map(proved.loss_bound, queries[40:]))
    assert largest.evidence["certain"] == sum(map(proved.certain, queries[40:]))
    likely = wideberth.OnlinePartitionClassifier(engine="sampling", random_state=0).fit(
        queries[:40], labels[:40]
    )
    assert wideberth.certify(proved, queries[40:], labels[40:])[0].guessing > largest.value
    found = {each.kind: each for each in wideberth.certify(likely, queries[40:], labels[40:])}
    assert "bounds its losses by no proof" in found["remaining loss"].void[0]
    assert not found["loss of these queries"].void
    sure = np.array([likely.certain(query) for query in queries[40:]])
    lies = np.where(sure, 1 - labels[40:], labels[40:])
    assert sure.any()
    assert all(
        "The past implies the label" in each.void[0]
        for each in wideberth.certify(likely, queries[40:], lies)
    )
    noisy = wideberth.OnlinePartitionClassifier(noise=0.1, random_state=0).fit(
        queries[:40], labels[:40]
    )
    assert all(each.void for each in wideberth.certify(noisy, queries[40:], labels[40:]))


@pytest.mark.few(5)
@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_a_probability_is_at_most_1_and_then_vacuous(model):
    random = np.random.default_rng(4)
    points, sides = random.uniform(size=(40, 3)), random.integers(0, 2, 40)
    fitted = clone(model).fit(points, sides)
    new, truth = random.uniform(size=(20, 3)), random.integers(0, 2, 20)
    found = [
        *wideberth.certify(fitted, points, sides, radius=0.1),
        *wideberth.certify(fitted, new, truth, radius=0.1),
    ]
    found += [fitted.risk_bound_] if hasattr(fitted, "risk_bound_") else []
    for each in found:
        assert 0 <= each.value <= 1
        assert each.void or f"{each.value:.4g}" in each.statement
        assert each.value < 1 or each.vacuous


def test_a_learner_that_was_taught_nothing_new_has_vacuous_bounds():
    """Both labels were seen at one place, which says nothing of where the centres are."""
    same = np.zeros((4, 2))
    for engine in ("exact", "ellipsoid"):
        model = wideberth.OnlinePartitionClassifier(engine=engine)
        fresh = clone(model).fit(same[:1], ["a"])
        fresh._learned_stream.add_labels(["b"])
        for found in wideberth.certify(fresh, np.array([[0.3, 0.1]]), ["a"]):
            assert found.vacuous is (found.value >= found.guessing)
            assert found.guessing < math.inf
    noisy = wideberth.OnlinePartitionClassifier(noise=0.1, random_state=0).fit(
        [[0.0], [0.5]], ["a", "b"]
    )
    assert all(
        each.vacuous
        for each in wideberth.certify(noisy, [[0.1]], ["a"])
        if each.kind == "remaining loss"
    )


def test_a_radius_in_edits_is_certified_on_new_and_on_known_texts():
    def text(place):
        return " ".join(f"{'tea' if place % 2 else 'rum'}{place}{word}" for word in "abcdefgh")

    texts, labels = (
        [text(place) for place in range(80)],
        ["soft" if place % 2 else "hard" for place in range(80)],
    )
    model = wideberth.NeighborsClassifier("words", n_neighbors=1).fit(texts[:40], labels[:40])
    new = {
        found.kind: found
        for found in wideberth.certify(model, texts[40:], labels[40:], radius=2, unit="edit")
    }
    assert "less than 2 edits away" in new["holdout at a radius"].statement
    known = {
        found.kind: found
        for found in wideberth.certify(model, texts[:40], labels[:40], radius=1, unit="edit")
    }
    at_radius = known["margin and complexity of the sample, at a radius"]
    assert "less than 1 edit away" in at_radius.statement
    assert at_radius.evidence["radius"] == 3.0
    points, sides = [[0.0], [1.0], [3.0]], [0, 1, 1]
    root = wideberth.NeighborsClassifier(
        wideberth.transforms.power("euclidean", 0.5), n_neighbors=1
    ).fit(points, sides)
    void = [
        found.void for found in wideberth.certify(root, points, sides, radius=1, unit="euclidean")
    ]
    assert any("No constant bounds" in reason for reasons in void for reason in reasons)
