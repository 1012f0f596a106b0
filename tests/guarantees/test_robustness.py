"""Certified radii hold under attack, on every classifier and kind of object, and attacks find what
exhaustive search finds.
"""

from itertools import product

import numpy as np
import pytest
from families import every_classifier
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris, make_moons

import wideberth as wb
from wideberth.errors import InvalidInput, NotCertified
from wideberth.estimators.choosing.scoring import CertifiedScore
from wideberth.guarantees.attacks import Attack, apply_edits, attack, single_edits
from wideberth.guarantees.robustness import Curve, certified_accuracy

NAMES, SEXES = (each[::25] for each in wb.datasets.load_first_names())
CODES = ["".join(np.random.default_rng(each).choice(list("ACGT"), 8)) for each in range(80)]
PARTS = [code.count("A") + code.count("C") > 4 for code in CODES]
PLANTS = load_iris(return_X_y=True)
MOONS = make_moons(200, noise=0.2, random_state=0)
_WAVES = np.random.default_rng(3).normal(size=(60, 6)).cumsum(axis=1)
WAVES = [wave[: 6 - place % 2] for place, wave in enumerate(_WAVES)]
RISES = [wave[-1] > wave[0] for wave in WAVES]

MODELS = [
    (wb.NeighborsClassifier("levenshtein", n_neighbors=1), NAMES, SEXES),
    (wb.NeighborsClassifier("damerau", n_neighbors=3), NAMES, SEXES),
    (wb.NeighborsClassifier("hamming", n_neighbors=4), CODES, PARTS),
    (wb.NeighborsClassifier("levenshtein", n_neighbors=5, class_weight="balanced"), NAMES, SEXES),
    (wb.MarginNeighborsClassifier("levenshtein", separation=2.0), NAMES, SEXES),
    (
        wb.MarginNeighborsClassifier("levenshtein", separation=2.0, class_weight="balanced"),
        NAMES,
        SEXES,
    ),
    (wb.MarginNeighborsClassifier("levenshtein", separation=2.0, eta=0.5), NAMES, SEXES),
    (wb.LipschitzClassifier("levenshtein"), NAMES, SEXES),
    (wb.LipschitzClassifier("weighted_edit"), NAMES, SEXES),
    (wb.LipschitzClassifierCV("levenshtein", C=[10, 40], cv=2), NAMES, SEXES),
    (wb.LPMachineClassifier("levenshtein"), NAMES, SEXES),
    (wb.HilbertSVC("hamming"), CODES, PARTS),
    (wb.NeighborsClassifier("euclidean", n_neighbors=1), *MOONS),
    (wb.NeighborsClassifier("euclidean", n_neighbors=5), *PLANTS),
    (wb.NeighborsClassifier("euclidean", n_neighbors=5, class_weight={0: 3.0, 1: 0.4}), *PLANTS),
    (wb.MarginNeighborsClassifier("euclidean", class_weight={0: 3.0}), *PLANTS),
    (wb.NeighborsClassifier(wb.metric("minkowski", p=3), n_neighbors=2), *PLANTS),
    (wb.MarginNeighborsClassifier("manhattan", separation=0.3), *PLANTS),
    (wb.MarginNeighborsClassifier("euclidean", separation=0.3), *PLANTS),
    (wb.LipschitzClassifier("chebyshev"), *PLANTS),
    (wb.LPMachineClassifier("manhattan"), *MOONS),
    (wb.LPMachineClassifierCV("euclidean", C=[1, 10], cv=2), *MOONS),
    (wb.HilbertSVC("euclidean"), *PLANTS),
    (wb.HilbertSVCCV("euclidean", C=[1, 10], width="100%", cv=2), *MOONS),
    (wb.LinearLipschitzClassifier("ngrams"), NAMES, SEXES),
    *((model, *PLANTS) for model in every_classifier("vectors")),
    (wb.NeighborsClassifier("msm", n_neighbors=3), WAVES, RISES),
    (wb.MarginNeighborsClassifier("erp", separation=0.5), WAVES, RISES),
    (wb.LipschitzClassifier("twe"), WAVES, RISES),
]


def every_third(objects):
    return [objects[place] for place in range(1, len(objects), 3)]


@pytest.mark.few(3)
@pytest.mark.parametrize(
    ("model", "objects", "labels"),
    MODELS,
    ids=lambda each: repr(each)[:60] if hasattr(each, "fit") else "",
)
def test_no_attack_comes_closer_than_a_certified_radius_and_all_find_something(
    model, objects, labels
):
    model.fit(objects, labels)
    asked = every_third(objects)[:5]
    radii, before = model.certified_radius(asked), model.predict(asked)
    attacks = attack(model, asked, towards=objects, max_questions=500)
    for target, radius, label, found in zip(asked, radii, before, attacks, strict=True):
        assert found.found
        assert found.distance >= radius * (1 - 1e-9)
        assert found.label_before == label != found.label == model.predict([found.changed])[0]
        assert model.metric_(target, found.changed) == pytest.approx(found.distance)
        assert 0 < found.questions <= 500
    assert sum(each.distance for each in attacks) > 0


@given(st.data())
@settings(max_examples=25, deadline=None)
def test_words_of_any_model_are_safe_within_their_radius(data):
    word = st.text("ab", max_size=5)
    words = data.draw(st.lists(word, min_size=4, max_size=8, unique=True))
    labels = [place % 2 for place in range(len(words))]
    make = data.draw(
        st.sampled_from(
            [
                lambda: wb.NeighborsClassifier(
                    "levenshtein", n_neighbors=data.draw(st.integers(1, len(words)))
                ),
                lambda: wb.MarginNeighborsClassifier("levenshtein", separation=1.5),
                lambda: wb.LipschitzClassifier("levenshtein", C=5.0),
            ]
        )
    )
    try:
        model = make().fit(words, labels)
    except InvalidInput:  # each word is closer than the separation to one of the other class
        assume(not isinstance(make(), wb.MarginNeighborsClassifier))
        raise
    asked = data.draw(st.lists(word, min_size=1, max_size=3))
    for radius, found in zip(
        model.certified_radius(asked),
        attack(model, asked, towards=words, max_questions=300),
        strict=True,
    ):
        assert found.distance >= radius


def exhaustive_radius(model, word):
    """The distance of the closest word over two letters with another label, of those at most one
    letter longer.
    """
    others = [
        "".join(each) for length in range(len(word) + 2) for each in product("ab", repeat=length)
    ]
    distances = wb.pairwise_distances([word], others, metric=model.metric_)[0]
    return distances[model.predict(others) != model.predict([word])[0]].min(initial=np.inf)


@pytest.mark.few(1)
@pytest.mark.parametrize("make", [wb.NeighborsClassifier, wb.LipschitzClassifier])
def test_attacks_on_words_find_what_exhaustive_search_finds(make):
    generator = np.random.default_rng(1)
    words = ["".join(generator.choice(["a", "b"], generator.integers(4, 8))) for _ in range(30)]
    model = make("levenshtein").fit(words, [word.count("ab") % 2 for word in words])
    attacks = attack(model, words, max_questions=1000)
    exact = np.array([exhaustive_radius(model, word) for word in words])
    found = np.array([each.distance for each in attacks])
    assert (found[exact == 1] == 1).all()  # all single edits are tried
    assert (exact > 1).any()
    assert np.mean(found <= exact) >= 0.9  # longer words than those of the search may be closer


@pytest.mark.slow
def test_attacks_on_vectors_come_close_to_the_exact_radius():
    points, sides = MOONS
    model = wb.MarginNeighborsClassifier(separation=0.05).fit(points, sides)
    asked = make_moons(8, noise=0.2, random_state=1)[0]
    exact = model.certified_radius(asked, exact=True)
    found = np.array([each.distance for each in attack(model, asked, towards=points)])
    assert (found >= exact * (1 - 1e-9)).all()
    assert np.median(found / exact) < 1.01


@pytest.mark.slow
def test_an_attack_refutes_radii_that_are_too_large():
    points, sides = MOONS
    model = wb.NeighborsClassifier(n_neighbors=1).fit(points, sides)
    asked = points[:10] + 0.01
    found = np.array(
        [each.distance for each in attack(model, asked, towards=points, max_questions=800)]
    )
    assert (found < 1.3 * model.certified_radius(asked)).mean() > 0.5


def test_the_curve_counts_what_is_right_and_robust():
    model = wb.NeighborsClassifier("levenshtein", n_neighbors=1).fit(NAMES, SEXES)
    asked, truth = (
        every_third(wb.datasets.load_first_names()[0])[:40],
        every_third(wb.datasets.load_first_names()[1])[:40],
    )
    radii = [0, 0.5, 1, 1.5, 2, 3, np.inf]
    plain, curve = (
        certified_accuracy(model, asked, truth, radii, attacks=attacks)
        for attacks in (None, attack(model, asked, towards=NAMES, max_questions=300))
    )
    assert plain.attacked is None
    assert plain.broken is None
    np.testing.assert_array_equal(plain.certified, curve.certified)
    assert curve.certified[0] == curve.attacked[0] == pytest.approx(model.score(asked, truth))
    assert (np.diff(curve.certified) <= 0).all()
    assert (curve.certified <= curve.attacked).all()
    assert curve.certified[0] == curve.certified[1]  # between whole numbers there are no distances
    right = model.predict(asked) == np.array(truth)
    single = np.mean(right & (model.certified_radius(asked) > 1))
    assert curve.certified[2] == curve.certified[3] == pytest.approx(single)
    assert 0 < single < 1


def test_within_one_edit_means_after_every_single_edit():
    model = wb.NeighborsClassifier("levenshtein", n_neighbors=1).fit(
        ["aaaaaa", "bbbbbb"], ["x", "y"]
    )
    words, truth = ["aaaaab", "aaabbb", "bbbbba", "bbbbbb"], np.array(["x", "x", "y", "x"])
    kept = [
        (model.predict(single_edits(word, list("abc"))) == model.predict([word])).all()
        for word in words
    ]
    curve = certified_accuracy(model, words, truth, [1], unit="edit")
    assert curve.certified == np.mean(kept & (model.predict(words) == truth)) == 0.5


@pytest.mark.parametrize(
    ("metric", "unit"), [("levenshtein", "edit"), ("levenshtein", None), ("words", "edit")]
)
@pytest.mark.parametrize("radius", [0, 0.5, 1, 1.5, 2])
def test_a_curve_and_a_score_mean_the_same_by_a_radius(metric, unit, radius):
    model = wb.LipschitzClassifier(metric, C=100).fit(TEXTS, DRINKS)
    score = CertifiedScore(radius, unit, 0.03, balanced=False)
    stable = score.stable(model, model.metric_.prepare(TEXTS)) | (
        model.radius_unit(score.unit).reach(score.radius) == 0
    )
    curve = certified_accuracy(model, TEXTS, DRINKS, [radius], unit=unit)
    assert curve.certified == np.mean(stable & (model.predict(TEXTS) == np.array(DRINKS)))


def test_the_radius_of_a_share_is_where_the_curve_falls_below_it():
    points, sides = MOONS
    model = wb.LipschitzClassifier().fit(points[::2], sides[::2])
    curve = certified_accuracy(model, points[1::2], sides[1::2], 0.1)
    assert curve.certified.shape == (1,)
    for share in (0.1, 0.5, 0.8):
        at = curve.radius(share)
        inside, outside = certified_accuracy(
            model, points[1::2], sides[1::2], [at, at * 1.0001]
        ).certified
        assert outside < share <= inside
    assert curve.radius(1.0) == -np.inf  # not all labels are right
    with pytest.raises(InvalidInput, match="above 0 and at most 1, not 0"):
        curve.radius(0)
    with pytest.raises(InvalidInput, match="There were no attacks"):
        curve.attacked_radius()
    attacks = attack(model, points[1:20:2], towards=points, max_questions=200)
    attacked = certified_accuracy(model, points[1:20:2], sides[1:20:2], 0.1, attacks=attacks)
    assert attacked.attacked_radius() == np.sort(attacked.broken)[5] >= attacked.radius()
    assert (
        max(found.distance for found in attacks) > attacked.broken.max()
    )  # at that distance it is another label


def test_tokens_and_bytes_are_edited_too():
    assert single_edits([1, 2], [3], resizable=False) == [[3, 2], [1, 3], [2, 1]]
    assert b"cb" in single_edits(b"ab", list(b"c"))
    assert apply_edits((1, 2, 3), (1, 3), [("delete", 1, 1)]) == (1, 3)
    lists = [[1, 2, 3], [1, 2, 4], [7, 8, 9], [7, 8, 6]]
    model = wb.NeighborsClassifier("levenshtein", n_neighbors=1).fit(lists, [0, 0, 1, 1])
    found = attack(model, lists)
    assert [each.distance for each in found] == [2.0] * 4
    assert all(isinstance(each.changed, list) for each in found)


def test_the_same_seed_finds_the_same():
    model = wb.NeighborsClassifier(n_neighbors=3).fit(*PLANTS)
    once, again = (
        attack(model, PLANTS[0][50:53], towards=PLANTS[0], max_questions=300, random_state=4)
        for _ in range(2)
    )
    assert [each.distance for each in once] == [each.distance for each in again]


def test_where_all_have_one_label_nothing_is_found():
    alone = wb.NeighborsClassifier("levenshtein", n_neighbors=1).fit(
        ["tea", "tee"], ["soft", "soft"]
    )
    (found,) = attack(alone, ["rum"])
    assert (found.found, found.changed, found.label, found.label_before, found.questions) == (
        False,
        None,
        None,
        "soft",
        0,
    )
    assert certified_accuracy(alone, ["rum"], ["soft"], [np.inf], attacks=[found]).attacked == [1.0]


def test_attacks_in_replacements_keep_the_length():
    texts = ["a cup of tea", "tea with milk", "rum and ale", "an old cask of rum", "rumba or rum!"]
    model = wb.NeighborsClassifier("words", n_neighbors=1).fit(
        texts, ["soft", "soft", "hard", "hard", "hard"]
    )
    found = attack(model, texts[:2], towards=texts, unit="replacement")
    assert all(
        not each.found or len(each.changed) == len(text)
        for each, text in zip(found, texts, strict=False)
    )
    assert found[1].found
    proved = model.certified_radius(texts[:2], "replacement")
    assert all(each.distance >= radius for each, radius in zip(found, proved, strict=True))


def test_what_cannot_be_attacked_is_refused():
    matrix = wb.NeighborsClassifier("precomputed", n_neighbors=1).fit([[0, 1], [1, 0]], [0, 1])
    with pytest.raises(
        InvalidInput, match="strings, vectors and series; NeighborsClassifier has indices"
    ):
        attack(matrix, [[0, 1]])
    with pytest.raises(InvalidInput, match="OnlinePartitionClassifier has no metric"):
        attack(wb.OnlinePartitionClassifier(), [[0.0]])
    model = wb.NeighborsClassifier(n_neighbors=1).fit(*PLANTS)
    with pytest.raises(InvalidInput, match="max_questions=0 is not a number of questions"):
        attack(model, PLANTS[0], max_questions=0)


def test_curves_without_radii_or_with_strange_ones_are_refused():
    model = wb.NeighborsClassifier(n_neighbors=1).fit(*PLANTS)
    with pytest.raises(InvalidInput, match="Radii are numbers from 0 on"):
        certified_accuracy(model, *PLANTS, [-1.0])
    with pytest.raises(InvalidInput, match="There are 150 objects and 1 attacks"):
        certified_accuracy(model, *PLANTS, [1.0], attacks=[Attack(None, np.inf, None, 0, 1)])
    with pytest.raises(InvalidInput, match="There are 150 objects and 2 labels"):
        certified_accuracy(model, PLANTS[0], [0, 1], [1.0])
    with pytest.raises(InvalidInput, match="OnlinePartitionClassifier certifies no radii"):
        certified_accuracy(wb.OnlinePartitionClassifier(), [[0.0]], [0], [1.0])
    warped = wb.NeighborsClassifier("dtw", n_neighbors=1).fit([[0.0, 1.0], [2.0]], [0, 1])
    with pytest.raises(NotCertified, match="triangle inequality"):
        certified_accuracy(warped, [[0.0]], [0], [1.0])
    assert isinstance(certified_accuracy(model, *PLANTS, [0.0]), Curve)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "objects", "labels"),
    MODELS,
    ids=lambda each: repr(each)[:60] if hasattr(each, "fit") else "",
)
def test_no_patient_attack_comes_closer_than_a_certified_radius(model, objects, labels):
    model.fit(every_third(objects), every_third(labels))
    asked = objects[::2][:40]
    found = np.array(
        [
            each.distance
            for each in attack(model, asked, towards=objects, max_questions=5000, random_state=1)
        ]
    )
    assert (found >= model.certified_radius(asked) * (1 - 1e-9)).all()
    assert np.isfinite(found).mean() > 0.5


TEXTS = [
    "a cup of tea",
    "tea with milk and a cake",
    "green tea",
    "rum and ale",
    "a bottle of rum",
    "old ale from a cask",
]
DRINKS = ["soft", "soft", "soft", "hard", "hard", "hard"]


@pytest.mark.few(2)
@pytest.mark.parametrize(
    "metric",
    [wb.metric("words"), wb.metric("ngrams", form="ruzicka"), wb.transforms.cap("words", 9)],
    ids=repr,
)
@pytest.mark.parametrize("unit", ["edit", "damerau"])
def test_no_attack_in_edits_comes_closer_than_a_radius_in_edits(metric, unit):
    model = wb.LipschitzClassifier(metric, C=100).fit(TEXTS, DRINKS)
    attacks = attack(model, TEXTS, unit=unit, max_questions=300)
    counted = wb.metric("levenshtein" if unit == "edit" else unit)
    for text, radius, found in zip(
        TEXTS, model.certified_radius(TEXTS, unit), attacks, strict=True
    ):
        assert found.found
        assert found.distance == counted(text, found.changed) >= radius * (1 - 1e-9)
    curve = certified_accuracy(model, TEXTS, DRINKS, [0, 1, 2, 3], unit=unit, attacks=attacks)
    assert curve.certified[0] == 1
    assert (curve.certified <= curve.attacked).all()
    whole = np.ceil(model.certified_radius(TEXTS, unit)) - 1  # edits come in whole numbers
    np.testing.assert_array_equal(curve.proved, np.maximum(whole, 0))


def test_certified_accuracy_in_a_unit_without_a_proof_is_refused():
    model = wb.NeighborsClassifier("euclidean", n_neighbors=1).fit(*MOONS)
    with pytest.raises(NotCertified, match="unit 'edit'"):
        certified_accuracy(model, *MOONS, [0, 1], unit="edit")
    with pytest.raises(NotCertified, match="unit 'edit'"):
        attack(model, MOONS[0][:1], unit="edit")
