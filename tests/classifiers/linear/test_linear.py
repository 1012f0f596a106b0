"""`LinearLipschitzClassifier`: what it learns, laws that hold for any texts, radii under attack,
files, and refusals.
"""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.classifiers.linear_scores import edited_once
from scipy.sparse import coo_array, csc_array, csr_array
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

import wideberth
from wideberth import LinearLipschitzClassifier, LinearLipschitzClassifierCV
from wideberth.checks import check_classifier
from wideberth.errors import GapWarning, InvalidInput, NotCertified

TEXTS = [
    *["hot tea with milk", "iced tea or milk tea", "milk and tea", "tea", "some tea and some milk"],
    *["old rum and ale", "ale or rum", "rum with ale", "a cask of rum, old rum", "ale"],
    *[
        "bread and cheese",
        "cheese with bread",
        "bread",
        "old cheese and bread",
        "some bread or cheese",
    ],
]
KINDS = ["soft"] * 5 + ["hard"] * 5 + ["food"] * 5
QUERIES = ["milk tea", "a cup of ale", "Bread, cheese", "gin", "", "tea and rum and cheese"]
SETTINGS = {
    "robust": {"edits": 1},
    "plain": {"edits": 0},
    "box": {"edits": 0, "margin": 2.0},
    "robust box": {"edits": 1, "margin": 2.0},
}
METRICS = {
    "words": "words",
    "ngrams": "ngrams",
    "text": wideberth.metric("ngrams", at="text", orders=(1, 2)),
    "both": wideberth.transforms.total("words", wideberth.transforms.scale("ngrams", 0.25)),
}
each_setting = pytest.mark.parametrize("setting", SETTINGS)
each_metric = pytest.mark.parametrize("metric", METRICS)


def fitted(metric="words", setting="plain", texts=TEXTS, kinds=KINDS, **parameters):
    changed = SETTINGS[setting] | ({} if metric == "words" else {"edits": 0})
    return LinearLipschitzClassifier(METRICS.get(metric, metric), **(changed | parameters)).fit(
        texts, kinds
    )


@parametrize_with_checks([LinearLipschitzClassifier("manhattan")])
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks(
    [LinearLipschitzClassifierCV("manhattan", C=[0.3, 3], cv=2, random_state=0)]
)
def test_scikit_learns_checks_of_the_one_that_chooses(estimator, check):
    check(estimator)


@pytest.mark.few(3)
@each_metric
@each_setting
def test_it_keeps_its_interface(metric, setting):
    check_classifier(fitted(metric, setting), TEXTS, KINDS)


@pytest.mark.slow
def test_so_does_the_one_that_chooses():
    check_classifier(
        LinearLipschitzClassifierCV("words", C=[0.3, 3], cv=3, random_state=0), TEXTS, KINDS
    )


@pytest.mark.few(3)
@each_metric
@each_setting
def test_it_learns(metric, setting):
    model = fitted(metric, setting)
    assert np.mean(model.predict(TEXTS) == KINDS) >= 0.8
    assert model.predict(QUERIES[:3]).tolist() == ["soft", "hard", "food"]
    assert model.coef_.shape == (3, len(model.feature_names_))
    assert model.solution_.lower_bound <= model.solution_.value
    assert model.solution_.relative_gap <= model.tol


@pytest.mark.few(2)
@each_setting
def test_order_copies_and_names_of_classes_change_nothing(setting):
    model, rows = fitted(setting=setting), np.random.default_rng(0).permutation(15)
    scores = model.decision_function(QUERIES)
    texts, kinds = np.array(TEXTS, dtype=object), np.array(KINDS)
    reordered = fitted(setting=setting, texts=texts[rows], kinds=kinds[rows])
    np.testing.assert_array_equal(reordered.coef_, model.coef_)
    copied = fitted(setting=setting, texts=np.repeat(texts, 2), kinds=np.repeat(kinds, 2))
    np.testing.assert_allclose(copied.decision_function(QUERIES), scores, atol=1e-6)
    assert copied.feature_names_.tolist() == model.feature_names_.tolist()
    renamed = np.array([{"soft": "a", "hard": "b", "food": "c"}[kind] for kind in KINDS])
    other = fitted(setting=setting, kinds=renamed)
    np.testing.assert_allclose(
        other.decision_function(QUERIES), scores[:, [2, 1, 0]], atol=0.02 * np.abs(scores).max()
    )


@pytest.mark.few(2)
@each_setting
def test_weights_are_copies(setting):
    counts = np.resize([1, 2, 3], 15)
    weighted = LinearLipschitzClassifier(**SETTINGS[setting]).fit(
        TEXTS, KINDS, sample_weight=counts
    )
    copied = LinearLipschitzClassifier(**SETTINGS[setting]).fit(
        np.repeat(TEXTS, counts), np.repeat(KINDS, counts)
    )
    np.testing.assert_allclose(
        weighted.decision_function(QUERIES), copied.decision_function(QUERIES), atol=1e-6
    )
    balanced = LinearLipschitzClassifier(**SETTINGS[setting], class_weight={"soft": 2.0}).fit(
        TEXTS, KINDS
    )
    double = LinearLipschitzClassifier(**SETTINGS[setting]).fit(
        TEXTS, KINDS, sample_weight=np.repeat([2, 1, 1], 5)
    )
    np.testing.assert_allclose(
        balanced.decision_function(QUERIES), double.decision_function(QUERIES), atol=1e-6
    )


@pytest.mark.few(2)
@each_setting
def test_a_multiple_of_the_metric_changes_no_score(setting):
    scaled = wideberth.transforms.scale("words", 0.37)
    one, other = (
        fitted(setting=setting),
        LinearLipschitzClassifier(scaled, **SETTINGS[setting]).fit(TEXTS, KINDS),
    )
    np.testing.assert_allclose(
        other.decision_function(QUERIES), one.decision_function(QUERIES), atol=1e-4
    )
    np.testing.assert_allclose(other.coef_ * 0.37, one.coef_, atol=1e-4)
    assert other.margin_ == pytest.approx(one.margin_, rel=1e-4)


def test_a_larger_price_means_fewer_training_errors_and_steeper_scores():
    models = LinearLipschitzClassifier(edits=0, tol=1e-6).path(TEXTS, KINDS, C=[10.0, 0.01, 0.3])
    assert [model.C for model in models] == [10.0, 0.01, 0.3]
    ordered = sorted(models, key=lambda model: model.C)
    slopes = [model.lipschitz_constant_ for model in ordered]
    assert slopes == sorted(slopes)
    alone = LinearLipschitzClassifier(edits=0, C=0.3, tol=1e-6).fit(TEXTS, KINDS)
    np.testing.assert_allclose(models[2].coef_, alone.coef_, atol=1e-3)


def test_the_margin_is_what_was_asked_for():
    model = fitted(setting="box", margin=8.0)
    assert model.margin_ >= 8.0 * (1 - 1e-9)
    assert np.abs(model.coef_).max() <= 1.0 / (2 * 3 * 8.0) + 1e-12
    assert np.inf == model.C_


def test_short_texts_are_not_asked_to_survive_edits():
    assert LinearLipschitzClassifier().fit(TEXTS, KINDS).edits_ == 0
    longer = [f"{text} {text} {text}" for text in TEXTS]
    assert LinearLipschitzClassifier().fit(longer, KINDS).edits_ == 1
    assert LinearLipschitzClassifier().fit([f"{text} {text}" for text in longer], KINDS).edits_ == 2


def test_robust_scores_survive_more():
    """Of two words that are always there and ten that sometimes are, learning for two edits leaves
    the lead that it asks for.
    """
    random, sure = np.random.default_rng(0), {"soft": "tea milk", "hard": "rum ale"}
    often = {
        "soft": "juice cocoa water cream sugar lemon honey syrup coffee shake",
        "hard": "whisky brandy sherry vodka cider stout punch cognac liqueur grog",
    }
    texts = [
        f"{sure[kind]} {' '.join(random.permutation(often[kind].split())[:5])}"
        for kind in sure
        for _ in range(20)
    ]
    labels = np.repeat(list(sure), 20)
    robust, plain = (LinearLipschitzClassifier(edits=edits).fit(texts, labels) for edits in (2, 0))
    assert (robust.certified_radius(texts, "edit") >= 3).all()
    codes = np.repeat([1, 0], 20)
    left = [
        model._function.paths.lowest_leads(texts, codes, 2)[np.arange(40), :, 1 - codes]
        for model in (robust, plain)
    ]
    assert left[0][:, 2].min() > 0.95
    assert left[1][:, 2].max() < 0.5


# ---- radii ---------------------------------------------------------------------------------------


@pytest.mark.few(4)
@each_metric
@each_setting
def test_no_edit_inside_a_radius_changes_a_label(metric, setting):
    model = fitted(metric, setting)
    for query in ["milk tea", "ale", "tea and rum"]:
        [radius], [label] = model.certified_radius([query], "edit"), model.predict([query])
        edited = list(edited_once(query, "abehklmrtu"))
        changed = model.predict(edited) != label
        if radius > 1:
            assert not changed.any()


@each_setting
def test_radii_of_words_are_exact_and_attacked_by_the_nearest_text(setting):
    model = fitted(setting=setting)
    radii = model.certified_radius(QUERIES, "edit")
    for query, radius, found in zip(
        QUERIES, radii, wideberth.guarantees.attack(model, QUERIES, unit="edit"), strict=True
    ):
        label = model.predict([query])[0]
        one_edit = model.predict(list(edited_once(query, "".join(model.feature_names_)))) != label
        assert one_edit.any() == (radius == 1), query
        if radius <= model.exact_edits:
            assert found.distance == radius
            assert model.predict([found.changed])[0] == found.label != label
            assert wideberth.metric("levenshtein")(query, found.changed) <= radius


@pytest.mark.parametrize("metric", ["ngrams", "text"])
def test_radii_of_ngrams_are_exact_too(metric):
    model = fitted(metric, exact_edits=2)
    for query in ["milk tea", "ale", "gin"]:
        [radius], [label] = model.certified_radius([query], "edit"), model.predict([query])
        changed = model.predict(list(edited_once(query, "abcdefghiklmnorstuw,"))) != label
        assert changed.any() == (radius == 1)
        [found] = wideberth.guarantees.attack(model, [query], unit="edit")
        assert found.distance == radius or radius > model.exact_edits


def test_words_and_ngrams_together_have_bounds_by_paths():
    model = fitted("both", exact_edits=1)
    assert "Radii in edits are bounds by shortest paths" in model.summary()
    assert (
        model.certified_radius(TEXTS, "edit")
        >= fitted("both", exact_edits=0).certified_radius(TEXTS, "edit")
    ).all()
    assert model.explain(["milk tea"])[0].changed is None
    longer = LinearLipschitzClassifier(
        wideberth.metric("ngrams", orders=(1, 4)), exact_edits=1
    ).fit(TEXTS, KINDS)
    assert "for these features there are no shortest paths" in longer.summary()
    assert (longer.certified_radius(TEXTS, "edit") > 0).all()


@each_metric
def test_radii_in_the_metric_hold_and_are_leads_over_slopes(metric):
    model = fitted(metric)
    radii = model.certified_radius(TEXTS)
    distances = model.metric_.block(TEXTS, TEXTS)
    labels = model.predict(TEXTS)
    assert (
        distances[labels[:, None] != labels[None, :]]
        >= np.broadcast_to(radii[:, None], (15, 15))[labels[:, None] != labels[None, :]]
    ).all()
    row = 3
    scores = np.sort(model.decision_function([TEXTS[row]])[0])
    assert radii[row] >= (scores[-1] - scores[-2]) / model._function.slopes.max() * (1 - 1e-9)
    bound = model.certified_radius(TEXTS, "damerau")
    by_slopes = radii / model.metric_.dominated["damerau"]
    assert (bound >= by_slopes * (1 - 1e-9)).all()  # for words edits of words may prove more
    if metric != "words":
        np.testing.assert_allclose(bound, by_slopes, rtol=1e-9)


def test_more_exact_edits_never_shorten_a_radius():
    radii = [fitted(exact_edits=edits).certified_radius(TEXTS, "edit") for edits in (0, 1, 2, 3)]
    for fewer, more in pairwise(radii):
        assert (more >= fewer).all()


@given(
    rows=st.lists(
        st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=4, max_size=12, unique=True
    )
)
@settings(max_examples=25, deadline=None)
def test_vectors_keep_their_label_within_the_radius(rows):
    points = np.array(rows, dtype=float)
    labels = (points.sum(axis=1) > 0).astype(int)
    model = LinearLipschitzClassifier("manhattan").fit(points, labels)
    radii, predicted = model.certified_radius(points), model.predict(points)
    if len(model.classes_) == 1:
        assert np.isinf(radii).all()
        return
    for sign, axis in ((1, 0), (-1, 0), (1, 1), (-1, 1)):
        moved = points.copy()
        moved[:, axis] += sign * np.minimum(radii, 1e6) * (1 - 1e-9)
        np.testing.assert_array_equal(model.predict(moved), predicted)


def test_vectors_know_no_edits():
    model = LinearLipschitzClassifier("manhattan").fit([[0.0], [2.0]], [0, 1])
    with pytest.raises(NotCertified, match="No radius is proved in the unit 'edit'"):
        model.certified_radius([[0.5]], "edit")
    assert model.certified_radius([[0.5]])[0] == pytest.approx(0.5)


def test_a_declared_constant_gives_radii_in_edits():
    """Vectors of letter counts: a substitution changes two of them by 1."""
    letters = wideberth.metric("manhattan", dominated={"levenshtein": 2})
    words = ["tea", "tee", "eat", "rum", "rom", "murr"]
    points = [[word.count(letter) for letter in "aemortu"] for word in words]
    model = LinearLipschitzClassifier(letters).fit(points, [0, 0, 0, 1, 1, 1])
    np.testing.assert_allclose(
        model.certified_radius(points, "edit"), model.certified_radius(points) / 2, rtol=1e-9
    )
    assert model.margin_ == pytest.approx(1 / (2 * model._function.slopes.max()))
    assert "Radii in edits are bounds" in model.summary()


def test_sparse_vectors_are_vectors(tmp_path):
    random = np.random.default_rng(0)
    points = random.poisson(0.5, size=(40, 6)).astype(float)
    labels = np.where(points[:, 0] > points[:, 1], "a", "b")
    dense, sparse = (
        LinearLipschitzClassifier("manhattan").fit(each, labels)
        for each in (points, csr_array(points))
    )
    np.testing.assert_allclose(sparse.coef_, dense.coef_, atol=1e-4)
    np.testing.assert_allclose(
        sparse.certified_radius(coo_array(points)), sparse.certified_radius(points)
    )
    assert sparse.predict(csc_array(points)).tolist() == dense.predict(points).tolist()
    assert [why.label for why in sparse.explain(csr_array(points[:3]))] == dense.predict(
        points[:3]
    ).tolist()
    wideberth.save(sparse, tmp_path / "model.wb")
    np.testing.assert_array_equal(
        wideberth.load(tmp_path / "model.wb").predict(csr_array(points)), sparse.predict(points)
    )
    chosen = LinearLipschitzClassifierCV("manhattan", C=[0.3, 3], cv=2, random_state=0).fit(
        csr_array(points), labels
    )
    assert chosen.predict(points).tolist() == chosen.predict(csr_array(points)).tolist()
    with pytest.raises(InvalidInput, match="Sparse data was passed"):
        wideberth.NeighborsClassifier("manhattan").fit(csr_array(points), labels)


# ---- explanations, summaries, probabilities ------------------------------------------------------


@pytest.mark.few(2)
@each_metric
def test_pushes_add_up_to_the_lead(metric):
    model = fitted(metric)
    for text, why in zip(QUERIES, model.explain(QUERIES), strict=True):
        scores = np.sort(model.decision_function([text])[0])
        assert why.score == pytest.approx(scores[-1] - scores[-2])
        assert why.baseline + sum(push.push for push in why.pushes) == pytest.approx(why.score)
        assert why.label == model.predict([text])[0] != why.rival
        sizes = [abs(push.push) for push in why.pushes]
        assert sizes == sorted(sizes, reverse=True)


def test_an_explanation_shows_the_nearest_text_with_another_label():
    model = fitted()
    why = model.explain(["milk tea"])[0]
    assert model.predict([why.changed])[0] == why.changed_label != why.label
    assert why.edits == model.certified_radius(["milk tea"], "edit")[0]


def test_summaries_say_which_radii_are_exact():
    assert "exact up to 3 edits, by shortest paths" in fitted().summary()
    assert "robust to 1 edit" in fitted(setting="robust").summary()
    vectors = LinearLipschitzClassifier("manhattan").fit([[0.0], [1.0]], [0, 1])
    assert "units of the metric" in vectors.summary()
    assert "edits" not in vectors.summary()


def test_probabilities():
    model = fitted(calibrate=2, random_state=0)
    probabilities = model.predict_proba(QUERIES)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    assert model.classes_[probabilities.argmax(axis=1)].tolist() == model.predict(QUERIES).tolist()
    assert not hasattr(fitted(), "predict_proba")


def test_one_class():
    model = LinearLipschitzClassifier().fit(TEXTS[:3], ["soft"] * 3)
    assert model.predict(["rum"]).tolist() == ["soft"]
    assert np.isinf(model.certified_radius(["rum"], "edit")).all()
    assert model.margin_ == np.inf
    assert "the only one there is" in model.summary()
    assert model.explain(["rum"])[0].rival is None


# ---- files and copies ----------------------------------------------------------------------------


@pytest.mark.few(3)
@each_metric
@each_setting
def test_a_file_holds_features_and_coefficients(metric, setting, tmp_path):
    model = fitted(metric, setting)
    wideberth.save(model, tmp_path / "model.wb")
    loaded = wideberth.load(tmp_path / "model.wb")
    np.testing.assert_array_equal(
        loaded.decision_function(QUERIES), model.decision_function(QUERIES)
    )
    np.testing.assert_array_equal(
        loaded.certified_radius(QUERIES, "edit"), model.certified_radius(QUERIES, "edit")
    )
    assert loaded.feature_names_.tolist() == model.feature_names_.tolist()
    assert loaded.summary() == model.summary()
    assert loaded.state()["objects"] is None
    assert (
        clone(loaded).fit(TEXTS, KINDS).predict(QUERIES).tolist() == model.predict(QUERIES).tolist()
    )


def test_a_search_chooses_price_and_edits_and_is_saved(tmp_path):
    model = LinearLipschitzClassifierCV(C=[0.3, 3], edits=[0, 1], cv=3, random_state=0).fit(
        TEXTS, KINDS
    )
    assert len(model.cv_results_["params"]) == 4
    assert set(model.best_params_) == {"C", "edits"}
    assert model.best_estimator_.edits_ == model.best_params_["edits"]
    wideberth.save(model, tmp_path / "model.wb")
    loaded = wideberth.load(tmp_path / "model.wb")
    np.testing.assert_array_equal(
        loaded.decision_function(QUERIES), model.decision_function(QUERIES)
    )
    np.testing.assert_array_equal(
        loaded.certified_radius(QUERIES, "edit"), model.certified_radius(QUERIES, "edit")
    )
    assert wideberth.guarantees.attack(model, ["milk tea"], unit="edit")[
        0
    ].distance == loaded.certified_radius(["milk tea"], "edit")


# ---- refusals ------------------------------------------------------------------------------------


def test_metrics_that_count_nothing_are_refused_with_a_way_out():
    with pytest.raises(InvalidInput, match=r"'levenshtein' counts nothing.*Take metric='words'"):
        LinearLipschitzClassifier("levenshtein").fit(TEXTS, KINDS)
    LinearLipschitzClassifier("words").fit(TEXTS, KINDS)
    space = wideberth.MetricSpace(TEXTS, "words")
    with pytest.raises(InvalidInput, match=r"need the objects themselves.*Pass the texts"):
        LinearLipschitzClassifier(space.metric).fit(space.index, KINDS)
    with pytest.raises(InvalidInput, match="need the objects themselves"):
        LinearLipschitzClassifier("precomputed").fit(np.zeros((2, 2)), [0, 1])


@pytest.mark.parametrize(
    ("parameters", "said", "advice"),
    [
        (
            {"metric": METRICS["both"], "edits": 2},
            "what an edit changes in the counts of 'total",
            {"edits": None},
        ),
        ({"C": np.inf}, "C=inf does not fit", {"C": 1.0}),
        ({"edits": -1}, "edits=-1 does not fit", {"edits": 0}),
        ({"margin": 0.0}, "margin=0.0 does not fit", {"margin": 8.0}),
        ({"exact_edits": 100}, "exact_edits=100 does not fit", {"exact_edits": 3}),
        ({"min_count": 99}, "No feature of 'words' occurs in min_count=99", {"min_count": 1}),
        ({"min_count": 0}, "min_count=0 does not fit", {"min_count": 1}),
    ],
)
def test_refused_parameters_and_the_advice_followed(parameters, said, advice):
    with pytest.raises(InvalidInput, match=said):
        LinearLipschitzClassifier(**parameters).fit(TEXTS, KINDS)
    LinearLipschitzClassifier(**(parameters | advice)).fit(TEXTS, KINDS)


def test_nothing_to_choose_from():
    with pytest.raises(InvalidInput, match="there is nothing to choose from"):
        LinearLipschitzClassifierCV(edits=[]).fit(TEXTS, KINDS)


def test_what_is_no_text_is_refused():
    with pytest.raises(InvalidInput, match="Object 1 is not a text"):
        LinearLipschitzClassifier().fit(["tea", ["a", "list"]], [0, 1])


def test_time_that_is_up_is_said():
    with pytest.warns(GapWarning, match="stopped at max_time"):
        LinearLipschitzClassifier(max_time=1e-9).fit(TEXTS, KINDS)
