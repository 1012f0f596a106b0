"""Choosing by certified accuracy: the table of a slow twin, the floor that keeps constants away,
files, and advice that works.
"""

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import StratifiedKFold

import wideberth
from wideberth import (
    HilbertSVC,
    HilbertSVCCV,
    LipschitzClassifier,
    LipschitzClassifierCV,
    LPMachineClassifier,
    LPMachineClassifierCV,
)
from wideberth.errors import InvalidInput, NotCertified
from wideberth.estimators.choosing.cross_validation import Tried
from wideberth.estimators.choosing.scoring import CertifiedScore

NAMES, SEXES = (
    np.array(each[::60], dtype=object) for each in wideberth.datasets.load_first_names()
)
FOLDS = StratifiedKFold(3, shuffle=True, random_state=1)
#: A class that chooses, its parameters, and the class that it chooses among with the same
#: parameters. An infinite C has no smooth version, so that LP machines are solved in the folds as
#: they are afterwards.
KINDS = [
    (
        LipschitzClassifierCV,
        {"tol": 1e-9, "C": [2.0, 5.0, 20.0]},
        partial(LipschitzClassifier, tol=1e-9),
        [{}],
    ),
    (
        LPMachineClassifierCV,
        {"tol": 1e-9, "C": [3.0, 30.0, np.inf], "radial": ["distance", ("gaussian", 6.0)]},
        partial(LPMachineClassifier, tol=1e-9),
        [{"radial": "distance"}, {"radial": ("gaussian", 6.0)}],
    ),
    (
        HilbertSVCCV,
        {
            "tol": 1e-7,
            "C": [1.0, 10.0],
            "kernel": "laplace",
            "width": [0.3, 0.6],
            "repair": "shift",
        },
        partial(HilbertSVC, tol=1e-7, repair="shift"),
        [{"kernel": "laplace", "width": 0.3}, {"kernel": "laplace", "width": 0.6}],
    ),
]
KINDS = [pytest.param(*each, id=each[0].__name__) for each in KINDS]
#: The metric and the radius of each.
PLACES = {HilbertSVCCV: ("normalized_levenshtein", 0.01)}


def two_shares(right, proved, labels, balanced):
    """The accuracy and the certified accuracy: of all objects, or the mean over the classes."""
    parts = (
        [labels == label for label in np.unique(labels)]
        if balanced
        else [np.full(len(labels), True)]
    )
    return np.mean([right[part].mean() for part in parts]), np.mean(
        [(right & proved)[part].mean() for part in parts]
    )


def slow_twin(single, values, variants, objects, labels, score):
    """Fit every candidate on every fold, along paths, since optima are not unique, and ask for its
    radii.

    Both results have the shape (folds, candidates).
    """
    accuracies, certified = [], []
    for known, left_out in FOLDS.split(np.zeros(len(labels)), labels):
        rows = []
        for variant in variants:
            for model in single(**variant).path(objects[known], labels[known], C=values):
                proved = model.certified_radius(objects[left_out], score.unit) > score.radius
                truth = labels[left_out]
                rows.append(
                    two_shares(
                        model.predict(objects[left_out]) == truth, proved, truth, score.balanced
                    )
                )
        accuracies.append([row[0] for row in rows])
        certified.append([row[1] for row in rows])
    return np.array(accuracies), np.array(certified)


@pytest.mark.few(2)
@pytest.mark.parametrize("scoring", ["certified", "certified_balanced"])
@pytest.mark.parametrize(("chosen", "parameters", "single", "variants"), KINDS)
@pytest.mark.filterwarnings("ignore")
def test_the_choice_is_that_of_a_slow_twin(chosen, parameters, single, variants, scoring):
    objects, (metric, radius) = NAMES, PLACES.get(chosen, ("levenshtein", 1.0))
    model = chosen(metric, cv=FOLDS, scoring=scoring, radius=radius, floor=0.1, **parameters).fit(
        objects, SEXES
    )
    score = CertifiedScore(radius, None, 0.1, scoring == "certified_balanced")
    accuracies, certified = slow_twin(
        partial(single, metric), parameters["C"], variants, objects, SEXES, score
    )
    table = model.cv_results_
    for fold in range(3):
        np.testing.assert_allclose(
            table[f"split{fold}_test_accuracy"], accuracies[fold], atol=1e-12
        )
        np.testing.assert_allclose(table[f"split{fold}_test_score"], certified[fold], atol=1e-12)
    np.testing.assert_allclose(table["mean_test_accuracy"], accuracies.mean(axis=0))
    allowed = accuracies.mean(axis=0) >= accuracies.mean(axis=0).max() - 0.1 - 1e-9
    best = certified.mean(axis=0)[allowed].max()
    assert allowed[model.best_index_]
    assert model.best_score_ == pytest.approx(best)
    assert table["rank_test_score"][model.best_index_] == 1
    assert (
        table["rank_test_score"][~allowed] > table["rank_test_score"][allowed].max()
    ).all() or allowed.all()
    assert certified.max() > 0
    stays = model.certified_radius(objects) > radius
    expected = two_shares(model.predict(objects) == SEXES, stays, SEXES, score.balanced)[1]
    assert model.score(objects, SEXES) == pytest.approx(expected)


@pytest.mark.few(1)
@pytest.mark.parametrize("unit", [None, "edit"])
def test_approximate_functions_of_folds_prove_nearly_what_exact_ones_do(unit):
    score = {"cv": FOLDS, "scoring": "certified", "radius": 1.0, "unit": unit, "floor": 0.1}
    smooth, exact = (
        LPMachineClassifierCV(
            "levenshtein", C=[4.0, 8.0, *more], radial=("gaussian", "70%"), **score
        ).fit(NAMES, SEXES)
        for more in ([], [np.inf])
    )
    assert exact.cv_results_["mean_test_score"][0] > 0.2
    np.testing.assert_allclose(
        smooth.cv_results_["mean_test_score"], exact.cv_results_["mean_test_score"][:2], atol=0.2
    )
    np.testing.assert_allclose(
        smooth.cv_results_["mean_test_accuracy"],
        exact.cv_results_["mean_test_accuracy"][:2],
        atol=0.1,
    )


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([None, "edit"]), st.booleans())
def test_no_single_edit_changes_what_an_approximate_function_has_proved(
    seed, unit, given_references
):
    from wideberth.classifiers.lp_machine.cross_validation import SmoothedVariant, in_one_matrix
    from wideberth.estimators.choosing.fold_answers import Fold, Shared

    random = np.random.default_rng(seed)
    words = np.array(
        ["".join(random.choice(list("ab"), random.integers(1, 7))) for _ in range(30)], dtype=object
    )
    labels = np.array([word.count("a") > 1.5 for word in words])
    if len(np.unique(labels[:20])) < 2:
        return
    places = [(word, place) for word in words[20:] for place in range(len(word) + 1)]
    edits = [
        word[:place] + new + word[place + cut :]
        for word, place in places
        for new in ("", "a", "b")
        for cut in (0, 1)
    ]
    everything = np.array([*words, *edits], dtype=object)
    metric = wideberth.metric("levenshtein")
    more = metric.prepare(["abab", "b"]) if given_references else None
    truth = np.concatenate([labels, np.ones(len(edits), dtype=bool)])
    shared = Shared(
        metric.prepare(everything), metric, truth, np.ones(len(everything)), 10**8, more
    )
    looked_up = in_one_matrix(shared, 1)
    classifier = LPMachineClassifier(metric, radial="gaussian", references=more)
    classifier.remembers = False
    variant = SmoothedVariant({}, classifier, shared, looked_up, np.arange(len(everything)))
    score = CertifiedScore(1.0, unit, 0.03, balanced=False)
    fold = Fold(np.arange(20), np.arange(20, len(everything)))
    answers = variant.certified_answers(fold, np.array([2.0, 20.0]), score)
    apart = np.array(
        [[wideberth.metric("levenshtein").block([one], edits)[0]] for one in words[20:]]
    )[:, 0]
    for place in range(2):
        winners = answers.scores[place].argmax(axis=1)
        for word in range(10):
            if answers.stable[place, word]:
                assert (winners[10:][apart[word] <= 1] == winners[word]).all()


def test_a_constant_is_not_chosen_where_others_are_more_accurate():
    words = np.array(
        ["tea", "teas", "tee", "tees", "tear", "rum", "rums", "rim", "rims", "ram"] * 3,
        dtype=object,
    )
    words = np.array(
        [
            word + ending
            for word, ending in zip(words, np.repeat(["x", "yy", "zzz"], 10), strict=True)
        ],
        dtype=object,
    )
    kinds = np.array((["soft"] * 5 + ["hard"] * 5) * 3)
    parameters = {
        "C": [1e-3, 5.0, 30.0],
        "cv": FOLDS,
        "scoring": "certified",
        "radius": 1,
        "unit": "edit",
    }
    model = LipschitzClassifierCV("levenshtein", **parameters).fit(words, kinds)
    table = model.cv_results_
    assert table["mean_test_score"][0] == pytest.approx(
        0.5
    )  # the constant keeps its label everywhere
    assert table["mean_test_accuracy"][0] == pytest.approx(0.5)
    assert model.best_params_["C"] > 1
    bare = LipschitzClassifierCV("levenshtein", **parameters, floor=1.0).fit(words, kinds)
    assert bare.best_params_["C"] == 1e-3 or table["mean_test_score"].max() > 0.5
    assert "the largest class has 50.0%." in model.summary()
    assert "within 1 edit" in model.summary()


def test_the_search_is_saved_with_its_accuracies(tmp_path):
    model = LipschitzClassifierCV(
        "levenshtein", C=[2.0, 20.0], cv=3, scoring="certified", radius=1, floor=0.05
    )
    model.fit(NAMES, SEXES)
    wideberth.save(model, tmp_path / "names.wb")
    loaded = wideberth.load(tmp_path / "names.wb")
    assert loaded.get_params()["radius"] == 1
    assert loaded.summary() == model.summary()
    assert (loaded.best_index_, loaded.best_score_) == (model.best_index_, model.best_score_)
    for name in ("mean_test_accuracy", "mean_test_score", "split0_test_accuracy"):
        np.testing.assert_array_equal(loaded.cv_results_[name], model.cv_results_[name])
    wideberth.save(loaded, tmp_path / "again.wb")
    assert wideberth.load(tmp_path / "again.wb").best_params_ == model.best_params_


def test_of_equally_certified_candidates_the_most_accurate_is_taken():
    params = [{"C": 1.0}, {"C": 2.0}, {"C": 3.0}]
    accuracies = np.array([[0.70, 0.72, 0.60]])
    assert Tried(params, np.zeros((1, 3)), np.array([0.1, 0.2, 0.0]), accuracies).best == 1
    certified = np.array([[0.2, 0.1, 0.6]])
    assert Tried(params, certified, np.zeros(3), accuracies).best == 0
    assert Tried(params, certified, np.zeros(3), accuracies).results()[
        "rank_test_score"
    ].tolist() == [1, 2, 3]
    assert Tried(params, certified, np.zeros(3), accuracies, floor=0.2).best == 2


def test_damaged_accuracies_in_a_file_are_refused():
    tried = Tried([{"C": 1.0}], np.ones((2, 1)), np.zeros(1), np.ones((2, 1)), 0.03, 0.5)
    assert Tried.from_plain(tried.to_plain()).largest_class == 0.5
    plain = tried.to_plain()
    with pytest.raises(InvalidInput, match="not accuracies in every fold"):
        Tried.from_plain(
            plain | {"certified": plain["certified"] | {"accuracies": np.ones((1, 1))}}
        )
    with pytest.raises(InvalidInput, match="floor"):
        Tried.from_plain(plain | {"certified": plain["certified"] | {"floor": 2.0}})
    assert Tried.of(tried.results()).accuracies.shape == (2, 1)


@pytest.mark.few(3)
@pytest.mark.parametrize(
    ("wrong", "advised", "message"),
    [
        (
            {"scoring": "certified"},
            {"scoring": "certified", "radius": 1, "unit": "edit"},
            "needs a radius",
        ),
        (
            {"scoring": "certified", "radius": -1},
            {"scoring": "certified", "radius": 1},
            "needs a radius",
        ),
        (
            {"scoring": "certified", "radius": 1, "floor": 3},
            {"scoring": "certified", "radius": 1, "floor": 0.03},
            "floor=3",
        ),
        (
            {"radius": 1},
            {"radius": 1, "scoring": "certified"},
            "radius=1 has no meaning with scoring=None",
        ),
        ({"unit": "edit"}, {}, "unit='edit' has no meaning"),
        (
            {"floor": 0.1, "scoring": "accuracy"},
            {"scoring": "accuracy"},
            "floor=0.1 has no meaning with scoring='accuracy'",
        ),
    ],
)
def test_parameters_without_meaning_are_refused_with_advice_that_works(wrong, advised, message):
    model = LipschitzClassifierCV("levenshtein", C=[2.0, 20.0], cv=2)
    with pytest.raises(InvalidInput, match=message):
        clone(model).set_params(**wrong).fit(NAMES, SEXES)
    clone(model).set_params(**advised).fit(NAMES, SEXES)


def test_what_cannot_be_proved_is_refused_before_anything_is_learned():
    series = [[float(ord(letter)) for letter in name] for name in NAMES]
    with pytest.raises(NotCertified, match="'dtw' does not obey"):
        LPMachineClassifierCV("dtw", scoring="certified", radius=1.0).fit(series, SEXES)
    with pytest.raises(NotCertified, match="No radius is proved in the unit 'edit'"):
        LipschitzClassifierCV(scoring="certified", radius=1.0, unit="edit").fit(
            np.eye(4), [0, 1, 0, 1]
        )


def test_weights_count_in_both_accuracies():
    weights = np.where(SEXES == "female", 3.0, 1.0)
    model = LipschitzClassifierCV(
        "levenshtein", C=[2.0, 20.0], cv=FOLDS, scoring="certified", radius=1
    ).fit(NAMES, SEXES, weights)
    assert model.cv_results_["mean_test_score"].shape == (2,)
    assert model._tried.largest_class == pytest.approx(
        weights[SEXES == "female"].sum() / weights.sum()
    )
    balanced = LipschitzClassifierCV(
        "levenshtein", C=[20.0], cv=FOLDS, scoring="certified_balanced", radius=0
    ).fit(NAMES, SEXES)
    plain = LipschitzClassifierCV(
        "levenshtein", C=[20.0], cv=FOLDS, scoring="balanced_accuracy"
    ).fit(NAMES, SEXES)
    np.testing.assert_allclose(
        balanced.cv_results_["mean_test_accuracy"], plain.cv_results_["mean_test_score"]
    )
    assert (
        balanced.score(NAMES, SEXES)
        <= balanced_accuracy_score(SEXES, balanced.predict(NAMES)) + 1e-12
    )
