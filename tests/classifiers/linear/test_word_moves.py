"""Radii of linear scores under edits of words and synonyms: exact by brute force over all texts
nearby, attained by the texts that they name, and never broken.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.classifiers.word_moves import (
    UNKNOWN,
    lowest_lead,
    one_edit_away,
    within_edits,
    within_synonyms,
)
from strategies import odd_letters

import wideberth as wb
from wideberth.classifiers.linear.changes import moved_words, replaced_words
from wideberth.classifiers.linear.features import Vocabulary, with_texts
from wideberth.classifiers.linear.robust_hinge import LinearPoint, RobustHinge, value_and_gradient
from wideberth.classifiers.linear.word_moves import SynonymMoves, WordEdits
from wideberth.errors import InvalidInput, NotCertified
from wideberth.guarantees import attack, certified_accuracy, certify
from wideberth.metrics.strings.word_edits import Synonyms, SynonymSteps

KNOWN = ("ale", "rum", "tea")
TABLE = {"tea": ("ale", "chai"), "rum": ("ale",), "cup": ("tea", "rum"), UNKNOWN: ("cup",)}
TEXTS = [
    *["hot tea with milk", "iced tea or milk tea", "milk and tea", "Tea, more tea!", "milk tea"],
    *["old rum and ale", "ale or rum", "rum with ale", "Ale; more ale", "a rum ale"],
]
KINDS = ["soft"] * 5 + ["hard"] * 5

#: Weights with ties among them, of which sums are exact.
eighths = st.integers(-8, 8).map(lambda number: number / 8)


@st.composite
def drawn(draw, most_words=4):
    """A text, weights for two or three classes, and the winner."""
    k = draw(st.integers(2, 3))
    row = st.lists(eighths, min_size=k, max_size=k)
    weights = {word: draw(row) for word in KNOWN}
    words = draw(st.lists(st.sampled_from([*KNOWN, "cup", UNKNOWN]), max_size=most_words))
    intercepts = draw(row)
    scores = np.array(intercepts) + sum(np.array(weights.get(word, [0.0] * k)) for word in words)
    return words, weights, intercepts, int(np.argmax(scores))


def moves_and_text(words, weights, intercepts, table=None):
    vocabulary = Vocabulary.of(KNOWN)
    matrix = np.array([weights[word] for word in vocabulary.names])
    model = vocabulary, matrix, np.array(intercepts), "spaces"
    moves = WordEdits(*model) if table is None else SynonymMoves.of(*model, table)
    return moves, " ".join(words), with_texts(wb.metric("words"), [" ".join(words)])


def check_against_all(moves, text, objects, winner, reached, distance, weights, intercepts):
    """The radius, and the worst texts, beside all texts that are within 0, 1, ... moves."""
    radius = moves.radii(objects, np.array([winner]))[0]
    for steps, sequences in enumerate(reached):
        lowest = np.inf
        for rival in set(range(len(intercepts))) - {winner}:
            of_rival = lowest_lead(sequences, winner, rival, weights, intercepts)
            worst = moves.worst_text(text, winner, rival, steps)
            scores = moves.scores(worst)
            assert scores[winner] - scores[rival] == of_rival
            assert distance(text, worst) <= steps
            lowest = min(lowest, of_rival)
        assert steps == 0 or (radius > steps) == (lowest > 0)  # a text keeps its own label


@given(drawn())
@settings(max_examples=60, deadline=None)
def test_word_edits_are_exact(case):
    words, weights, intercepts, winner = case
    moves, text, objects = moves_and_text(words, weights, intercepts)
    reached = within_edits(words, KNOWN, 2)
    distance = wb.metric("word_edit")
    check_against_all(moves, text, objects, winner, reached, distance, weights, intercepts)


@given(drawn(most_words=5))
@settings(max_examples=60, deadline=None)
def test_synonyms_are_exact(case):
    words, weights, intercepts, winner = case
    table = Synonyms.of(TABLE, "spaces")
    moves, text, objects = moves_and_text(words, weights, intercepts, table)
    reached = within_synonyms(words, TABLE, len(words))
    steps = SynonymSteps(table)
    check_against_all(moves, text, objects, winner, reached, steps, weights, intercepts)
    all_safe = np.isinf(moves.radii(objects, np.array([winner]))[0])
    assert all_safe == (moves.radii(objects, np.array([winner]))[0] > max(len(words), 1))


@pytest.mark.slow
@given(drawn(most_words=3))
@settings(max_examples=25, deadline=None)
def test_three_word_edits_are_exact(case):
    words, weights, intercepts, winner = case
    moves, text, objects = moves_and_text(words, weights, intercepts)
    reached = within_edits(words, KNOWN, 3)
    distance = wb.metric("word_edit")
    check_against_all(moves, text, objects, winner, reached, distance, weights, intercepts)


# ---- A fitted model: no move inside a radius changes a label, and the attack finds what does


def fitted(tokens="spaces", **settings):
    settings = {"min_count": 1, "unit": "word", "n_jobs": 1} | settings
    return wb.LinearLipschitzClassifier(wb.metric("words", tokens=tokens), **settings).fit(
        TEXTS, KINDS
    )


MODELS = {
    "by spaces": fitted(),
    "with punctuation": fitted("punctuation", margin=2.0),
    "no edits learned": fitted(edits=0),
    "scaled": wb.LinearLipschitzClassifier(
        wb.transforms.scale("words", 0.37), min_count=1, unit="word", n_jobs=1
    ).fit(TEXTS, KINDS),
    "synonyms": fitted(unit=None, synonyms={"tea": ["ale", "Chai"], "rum": ["milk"]}),
}


@pytest.mark.parametrize("name", MODELS)
def test_no_word_edit_inside_a_radius_changes_a_label(name):
    model = MODELS[name]
    for text in TEXTS:
        radius = model.certified_radius([text], "word")[0]
        label = model.predict([text])[0]
        edits = model.radius_unit("word").measure
        words = edits.prepare([text])[0]
        ring = [" ".join(each) for each in one_edit_away(words, model.feature_names_.tolist())]
        if radius > 1:
            assert (model.predict(ring) == label).all()
        else:
            assert (model.predict(ring) != label).any()


@pytest.mark.parametrize("name", MODELS)
def test_the_attack_is_as_near_as_the_radius_says(name):
    model = MODELS[name]
    units = ("word", "synonym") if model.synonyms else ("word",)
    for unit in units:
        radii, found = model.certified_radius(TEXTS, unit), attack(model, TEXTS, unit=unit)
        steps = model.radius_unit(unit).measure
        for text, radius, each in zip(TEXTS, radii, found, strict=True):
            if each.found:
                assert each.distance == radius == steps(text, each.changed)
                assert model.predict([each.changed])[0] == each.label != each.label_before
            else:
                assert np.isinf(radius)
                assert each.questions == 0  # nobody searches for what is not there


def test_explanations_name_the_nearest_text_in_the_unit_that_was_learned_for():
    why = MODELS["by spaces"].explain(["Hot   tea with milk"])[0]
    assert (why.unit, why.changed_label) == ("word edit", "hard")
    assert why.edits == MODELS["by spaces"].certified_radius(["Hot   tea with milk"], "word")[0]
    assert "Hot   " in why.changed  # what stays is as it was
    letters = wb.LinearLipschitzClassifier("words", min_count=1).fit(TEXTS, KINDS)
    assert letters.explain(["hot tea with milk"])[0].unit == "edit"


@given(st.data())
@settings(max_examples=40, deadline=None)
def test_random_moves_inside_radii(data):
    model = MODELS[data.draw(st.sampled_from(sorted(MODELS)))]
    text = " ".join(data.draw(st.lists(st.sampled_from(" ".join(TEXTS).split()), max_size=8)))
    text += data.draw(st.text(odd_letters, max_size=4))
    radius = model.certified_radius([text], "word")[0]
    edits = model.radius_unit("word").measure
    words = tuple(edits.prepare([text])[0])
    for _ in range(int(min(radius, 6)) - 1):
        ring = list(one_edit_away(words, model.feature_names_.tolist()))
        words = ring[data.draw(st.integers(0, len(ring) - 1))]
    assert model.predict([" ".join(words)]) == model.predict([text])


def test_radii_in_other_units_are_no_shorter_than_by_word_edits():
    for name in ("by spaces", "with punctuation", "scaled"):
        model = MODELS[name]
        by_words = model.certified_radius(TEXTS, "word")
        most = model.radius_unit("word").measure.dominated
        for unit in ("edit", "indel", "damerau", "hamming"):
            radii = model.certified_radius(TEXTS, unit)
            bound = most["levenshtein" if unit == "edit" else unit]
            assert (radii >= by_words / bound * (1 - 1e-9)).all()


def test_a_lead_that_no_word_can_take_is_safe_for_ever():
    weights = {word: [0.5, 0.0] for word in KNOWN}
    moves, _, objects = moves_and_text(["tea"], weights, [0.25, 0.0])
    assert np.isinf(moves.radii(objects, np.array([0]))[0])
    weights["ale"] = [0.0, 0.25]
    moves, text, objects = moves_and_text(["tea"], weights, [0.25, 0.0])
    assert moves.radii(objects, np.array([0]))[0] == 1.0
    assert moves.nearest_change(text, objects, 0) == ("ale ale", 2) or moves.nearest_change(
        text, objects, 0
    ) == ("ale", 1)


# ---- Learning


@pytest.mark.kernels
@pytest.mark.parametrize("edits", [1, 2, 3])
@pytest.mark.parametrize("seed", range(3))
def test_the_hinge_is_that_of_the_worst_moves(edits, seed):
    random = np.random.default_rng(seed)
    texts = [" ".join(random.choice([*KNOWN, "cup"], random.integers(0, 5))) for _ in range(7)]
    vocabulary, codes = Vocabulary.of(KNOWN), np.resize([0, 1, 2], 7).astype(np.intp)
    counts = np.array([[text.split().count(word) for word in vocabulary.names] for text in texts])
    weights, intercepts = random.normal(size=(3, 3)), random.normal(size=3)
    by_word = dict(zip(vocabulary.names, weights.tolist(), strict=True))
    steps = SynonymSteps(Synonyms.of(TABLE, "spaces"))
    reached = {
        "words": [within_edits(text.split(), KNOWN, edits)[-1] for text in texts],
        "synonyms": [within_synonyms(text.split(), TABLE, edits)[-1] for text in texts],
        "all": [within_synonyms(text.split(), TABLE, 9)[-1] for text in texts],
    }
    lists = {
        "words": (moved_words(texts, vocabulary, 1.0, "spaces"), edits),
        "synonyms": (replaced_words(texts, vocabulary, 1.0, steps), edits),
        "all": (replaced_words(texts, vocabulary, 1.0, steps), 1 << 40),
    }
    point = LinearPoint(weights, intercepts)
    for kind, (changes, number) in lists.items():
        hinge = RobustHinge(counts.astype(float), changes, codes, np.full(7, 1 / 7), 3)
        value, gradient = value_and_gradient(hinge, point.flat, 0.0, number)
        expected = 0.0
        for text, code, within in zip(texts, codes.tolist(), reached[kind], strict=True):
            for rival in {0, 1, 2} - {code}:
                for sequences in ([text.split()], within):
                    lead = lowest_lead(sequences, code, rival, by_word, intercepts)
                    expected += 0.5 / 7 * max(1 - lead, 0.0) ** 2
        assert value == pytest.approx(expected)
        moved = point.flat + 1e-6 * (direction := random.normal(size=len(point.flat)))
        slope = (value_and_gradient(hinge, moved, 0.0, number)[0] - value) / 1e-6
        assert slope == pytest.approx(gradient @ direction, rel=1e-3, abs=1e-4)
        solved = hinge.solve(0.05, edits=number)
        assert solved.relative_gap <= 1e-3


def test_learning_for_a_unit_makes_its_radii_longer():
    plain, words = fitted(edits=0), fitted(edits=2)
    assert words.edits_ == 2
    assert words.lipschitz_constant_ < plain.lipschitz_constant_
    boxed = fitted(margin=3.0)
    assert boxed.margin_ >= 3.0 * (1 - 1e-9)
    table = {"tea": ["rum"], "rum": ["tea"]}  # what tells them apart is worth nothing
    safe = fitted(unit=None, synonyms=table)
    assert safe.edits_ is None
    assert safe.preferred_unit() == "synonym"
    unsafe = fitted(edits=0, synonyms=table)
    proved = [
        certified_accuracy(each, TEXTS, KINDS, [99], unit="synonym").certified[0]
        for each in (safe, unsafe)
    ]
    assert proved[0] > proved[1]


# ---- What is refused, and how


@pytest.mark.parametrize("metric", ["ngrams", wb.transforms.total("words", "ngrams")])
def test_ngrams_say_why_they_have_no_radius_in_words(metric):
    model = wb.LinearLipschitzClassifier(metric).fit(TEXTS, KINDS)
    with pytest.raises(NotCertified, match=r"any number of letters.*'words' for texts"):
        model.certified_radius(TEXTS, "word")
    with pytest.raises(NotCertified, match="any number of letters"):
        wb.LinearLipschitzClassifier(metric, unit="word").fit(TEXTS, KINDS)


def test_synonyms_need_a_table_of_words():
    with pytest.raises(NotCertified, match=r"synonyms=\{'good': \['fine'\]\}"):
        fitted().certified_radius(TEXTS, "synonym")
    with pytest.raises(InvalidInput, match="'very hot' of 'tea' is not one word but 2"):
        fitted(synonyms={"tea": ["very hot"]})
    with pytest.raises(InvalidInput, match="is not a table of words"):
        fitted(synonyms={"tea": "chai"})
    with pytest.raises(InvalidInput, match=r"synonyms=\['tea'\]"):
        fitted(synonyms=["tea"])
    with pytest.raises(InvalidInput, match="3 of 'tea' is no text"):
        fitted(synonyms={"tea": [3]})
    # a word with its mark is two where marks are words
    fitted(synonyms={"tea": ["tea!"]})
    with pytest.raises(InvalidInput, match="not one word but 2"):
        fitted("punctuation", synonyms={"tea": ["tea!"]})
    with pytest.raises(InvalidInput, match="tokens='letters' is unknown to 'words'"):
        wb.metric("words", tokens="letters")


def test_a_table_goes_one_way_and_is_read_as_texts_are():
    model = fitted(unit=None, synonyms={"TEA": ["Rum", "tea"]}, edits=0)
    assert np.isinf(model.certified_radius(["ale rum"], "synonym")[0])
    found = attack(model, ["milk tea tea"], unit="synonym")[0]
    assert found.changed is None or set(found.changed.split()) <= {"milk", "tea", "rum"}


# ---- Everywhere


def test_certificates_say_what_a_word_edit_is():
    for tokens, told in (("spaces", "between white space"), ("punctuation", "run of letters")):
        model = fitted(tokens)
        fresh = ["cold milk", "strong old ale", "green tea"]
        found = certify(model, fresh, ["soft", "hard", "soft"], radius=1, unit="word", delta=0.2)
        assert any(told in " ".join(each.assumptions) for each in found)
        assert told in model.summary()


def test_certified_choices_learn_in_the_unit():
    choice = {"scoring": "certified", "radius": 1, "unit": "word", "cv": 2, "random_state": 0}
    chosen = wb.LinearLipschitzClassifierCV("words", C=[0.1, 1.0], min_count=1, **choice)
    chosen.fit(TEXTS, KINDS)
    assert chosen.best_estimator_.unit == "word"
    assert "word edit" in chosen.summary()
    boxed = wb.LinearLipschitzClassifierCV("words", margin=[1.0, 4.0], min_count=1, **choice)
    boxed.fit(TEXTS, KINDS)
    assert boxed.best_params_["margin"] in (1.0, 4.0)
    table = {"tea": ["chai"], "ale": ["beer"]}
    synonyms = wb.LinearLipschitzClassifierCV(
        "words", synonyms=table, C=[1.0], min_count=1, **(choice | {"unit": "synonym"})
    ).fit(TEXTS, KINDS)
    assert synonyms.certified_radius(TEXTS, "synonym").shape == (10,)
    auto = wb.AutoClassifier(
        prefer="certified", radius=1, unit="word", max_time=None, cv=2, random_state=0
    ).fit(TEXTS, KINDS)
    assert (auto.certified_radius(TEXTS, "word") > 0).all()
    left_out = {row["metric"]: row["why"] for row in auto.leaderboard_ if row["why"]}
    assert "any number of letters" in left_out.get("levenshtein", "any number of letters")


def test_models_come_back_from_files(tmp_path):
    for name, model in MODELS.items():
        wb.save(model, tmp_path / "model.wb")
        again = wb.load(tmp_path / "model.wb")
        unit = "synonym" if name == "synonyms" else "word"
        np.testing.assert_array_equal(
            again.certified_radius(TEXTS, unit), model.certified_radius(TEXTS, unit)
        )
        assert again.summary() == model.summary()


@pytest.mark.slow
def test_a_million_moves_break_nothing():
    random = np.random.default_rng(0)
    vocabulary = np.array([f"w{number}" for number in range(300)])
    topics = random.dirichlet(np.full(300, 0.1), size=3)
    codes = random.integers(3, size=600)
    texts = [" ".join(random.choice(vocabulary, 25, p=topics[code])) for code in codes]
    table = {str(word): [str(each) for each in random.choice(vocabulary, 3)] for word in vocabulary}
    model = wb.LinearLipschitzClassifier("words", unit="word", synonyms=table, n_jobs=1)
    model.fit(texts[:300], codes[:300])
    asked = texts[300:]
    labels = model.predict(asked)
    weights = dict(zip(model.feature_names_.tolist(), model.coef_.T.tolist(), strict=True))
    for unit in ("word", "synonym"):
        radii = model.certified_radius(asked, unit)
        found = attack(model, asked, unit=unit)
        assert all(each.found == bool(np.isfinite(r)) for each, r in zip(found, radii, strict=True))
        rows = np.flatnonzero(radii > 1)
        assert len(rows) > 50
        for _ in range(500):
            batch = rows[random.integers(len(rows), size=1_000)].tolist()
            changed = [
                _moved(random, asked[row].split(), radii[row], labels[row], unit, table, weights)
                for row in batch
            ]
            assert (model.predict(changed) == labels[batch]).all()


def _moved(random, words, radius, label, unit, table, weights):
    """As many moves as are safe: at random, or with the words that speak most for another label."""
    moves = int(min(radius - 1, len(words)))
    rival = (label + 1 + int(random.random() * 2)) % 3

    def value(word):
        return weights[word][label] - weights[word][rival] if word in weights else 0.0

    greedy = random.random() < 0.5
    if greedy:
        order = sorted(range(len(words)), key=lambda at: -value(words[at]))[:moves]
    else:
        order = random.permutation(len(words))[:moves].tolist()
    new = min(table, key=value) if greedy and unit == "word" else None
    for at in order:
        choices = list(table) if unit == "word" else [words[at], *table[words[at]]]
        pick = choices[int(random.random() * len(choices))]
        words[at] = (new or min(choices, key=value)) if greedy else pick
    return " ".join(words)
