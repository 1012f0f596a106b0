"""Whoever can write letters that have the key of any word changes no distance, no score and no
label.
"""

from itertools import islice

import attacked_keys
import numpy as np
import pytest
from attacked_keys import ATTACKS, ONCE_COLLIDING, WORDS, colliding

import wideberth as wb
from wideberth.errors import InvalidInput
from wideberth.metrics.elements import Elements


@pytest.mark.few(1)
@pytest.mark.parametrize("attacked", ATTACKS)
def test_an_attack_finds_nothing(attacked):
    cases, false = ATTACKS[attacked]()
    assert cases > 3
    assert false == 0


@pytest.mark.parametrize("word", [*WORDS, [0x110000, 101, 102, 103, 104, 0x110000]])
def test_the_attacker_can_do_what_the_attacks_need(word):
    letters = list(map(ord, word)) if isinstance(word, str) else word
    for other in islice(colliding(word), 3):
        assert attacked_keys.key(list(map(ord, other))) == attacked_keys.key(letters)
        assert other.lower().split() == [other]
    if len(word) > 6 and isinstance(word, str):
        for other in islice(attacked_keys.colliding_while_counted(word, 12345), 3):
            two, others = (
                attacked_keys.counted_words(each, 12345).tolist() for each in (word, other)
            )
            assert two == others


def test_a_label_inside_of_an_exact_radius_stays():
    texts = (
        [f"congratulations w{i}" for i in range(20)]
        + [f"x{i} lunch" for i in range(20)]
        + [f"y{i} z{i}" for i in range(20)]
    )
    model = wb.LinearLipschitzClassifier("words").fit(texts, ["spam"] * 20 + ["ham"] * 40)
    for other in (ONCE_COLLIDING["congratulations"], *islice(colliding("congratulations"), 3)):
        assert wb.metric("words")(other, "congratulations") == 2
        assert model.predict([f"{other} ya"]) == model.predict(["see ya"]) == "ham"


def test_colliding_words_are_two_features(tmp_path):
    other = next(colliding("congratulations"))
    texts = [f"congratulations a{i}" for i in range(8)] + [f"{other} b{i}" for i in range(8)]
    model = wb.LinearLipschitzClassifier("words").fit(texts, ["spam"] * 8 + ["ham"] * 8)
    wb.save(model, tmp_path / "model.wb")
    for each in (model, wb.load(tmp_path / "model.wb")):
        assert each.predict(["congratulations", other]).tolist() == ["spam", "ham"]
        radii = each.certified_radius(["congratulations", other], unit="edit")
        assert (radii <= max(len("congratulations"), len(other))).all()


@pytest.mark.parametrize("metric", ["words", "ngrams", "rare_ngrams"])
def test_models_from_files_compare_letters_too(metric, tmp_path):
    kind = wb.metric(metric) if metric == "words" else wb.metric(metric, orders=(6,), at="text")
    texts, labels = (
        ["congratulations", "the winner", "at lunch", "a meeting"],
        ["spam", "spam", "ham", "ham"],
    )
    model = wb.NeighborsClassifier(kind, n_neighbors=1).fit(texts, labels)
    wb.save(model, tmp_path / "model.wb")
    again = wb.load(tmp_path / "model.wb")
    queries = [text.replace("winner", next(colliding("winner"))) for text in texts]
    measured = again.metric_.block(again.metric_.prepare(queries), again.metric_.prepare(texts))
    unknown = [text.replace("winner", "\U0010fffd" * 6) for text in texts]
    np.testing.assert_array_equal(measured, model.metric_.block(unknown, texts))
    assert again.certified_radius(queries).tolist() == model.certified_radius(unknown).tolist()


def test_categories_and_tokens_are_told_apart_by_what_they_are():
    one, other = "congratulations", next(colliding("congratulations"))
    assert wb.metric("ruzicka")({one: 1.0}, {other: 1.0}) == 1.0
    assert wb.metric("gower", ranges={0: None})((one,), (other,)) == 1.0
    assert (
        wb.metric("weisfeiler_lehman")(
            {"nodes": [one], "edges": []}, {"nodes": [other], "edges": []}
        )
        == 1.0
    )


def test_clusters_add_up_what_is_equal_and_nothing_else():
    merging = pytest.importorskip("wideberth.scaleout.collections.linear_fits")
    group = ["congratulations", *islice(colliding("congratulations"), 3)]
    parts = [Elements.of_texts(group[first : first + 2])[0] for first in range(3)]
    different, sums = merging.merged_counts(parts, [np.ones(2, dtype=np.int64)] * 3)
    words = ["".join(map(chr, word)) for word in different.tuples()]
    assert dict(zip(words, sums.tolist(), strict=True)) == dict(
        zip(group, [1, 2, 2, 1], strict=True)
    )


def test_a_file_that_names_a_feature_twice_is_refused():
    texts, labels = ["tea tea", "tea", "rum", "rum rum"], ["soft", "soft", "hard", "hard"]
    model = wb.LinearLipschitzClassifier("words", min_count=1).fit(texts, labels)
    state = model.state()
    (vocabulary,) = state["features"]
    twice = {
        "letters": np.concatenate([vocabulary["letters"][:3]] * 2),
        "starts": np.array([0, 3, 6]),
    }
    with pytest.raises(InvalidInput, match="twice"):
        model.restore(state | {"features": [twice]})
    marked = {
        "letters": np.where(
            vocabulary["letters"] == 117, np.uint32(0x110000), vocabulary["letters"]
        )
    }
    with pytest.raises(InvalidInput, match="no letter"):
        model.restore(state | {"features": [vocabulary | marked]})
