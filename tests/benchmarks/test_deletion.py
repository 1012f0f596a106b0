"""Randomised deletion, the peer under edits of words: it scores as the classifiers that it votes of,
its bound is the published one, and the one attack for all is the worst that edits can do to sums.
"""

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import wideberth as wb

TEXTS = ["tea with milk", "milk tea", "tea milk tea", "rum and ale", "ale or rum", "rum with ale"]
KINDS = np.array(["soft"] * 3 + ["hard"] * 3)
ASKED = ["milk rum milk with", "tea", "nothing known", "ale ale and tea"]


@pytest.fixture
def deletion(benchmark_module):
    return benchmark_module("certified.deletion")


@pytest.mark.parametrize("texts", [TEXTS, [*TEXTS, "gin gin", "gin ice"]])
def test_whole_texts_have_the_scores_of_the_classifiers(deletion, texts, monkeypatch):
    kinds = np.append(KINDS, ["dry"] * (len(texts) - len(KINDS)))
    pipeline = make_pipeline(TfidfVectorizer(analyzer=str.split), LogisticRegression(C=1.0))
    model = wb.LinearLipschitzClassifier("words", edits=0, min_count=1).fit(texts, kinds)
    monkeypatch.setattr(deletion, "PRICES_OF_REGRESSION", [1.0])
    monkeypatch.setattr(deletion, "FOLDS", 2)
    of_words, of_tfidf = deletion.scorer_of(model), deletion.tfidf((texts, kinds), (texts, kinds))
    for text in ASKED:
        for scorer, other in ((of_words, model), (of_tfidf, pipeline.fit(texts, kinds))):
            codes = scorer.codes(text.split())
            scores = scorer.scores(codes, np.ones((1, len(codes)), dtype=np.float32))[0]
            expected = np.atleast_1d(other.decision_function([text])[0])
            if len(scores) == 2:
                scores = scores[1:] - scores[:1]
            leads = scores - scores[0], expected - expected[0]
            np.testing.assert_allclose(
                *(leads if len(scores) > 1 else (scores, expected)), atol=1e-5
            )


def test_the_radius_is_that_of_the_published_bound(deletion):
    """Of a word that decides alone, 20 % of the copies keep it: the other class has 80 %."""
    scorer = deletion.LinearScorer({"tea": 0}, np.array([[0.0, 2.0]]), np.array([1.0, 0.0]))
    votes = deletion.elected(scorer, ["tea"], 0.8, np.random.default_rng(0))
    assert (votes.winner, votes.radius) == (0, 1)  # 0.78 - (1 - 0.8) > 1/2, and 0.78 - 0.36 is not
    sure = deletion.elected(scorer, [], 0.9, np.random.default_rng(0))
    assert (sure.winner, sure.radius) == (0, 6)  # the most that 1,000 copies can show
    doubtful = deletion.elected(scorer, ["tea"], 0.5, np.random.default_rng(0))
    assert doubtful.radius <= 0


def test_thinned_texts_keep_a_word(deletion):
    found = deletion.thinned([["tea", "rum"]] * 300, 0.9, 2, np.random.default_rng(0))
    assert len(found) == 600
    assert set(found) == {"tea", "rum", "tea rum"}


@pytest.mark.parametrize("moves", [1, 2, 3])
def test_the_attack_is_the_worst_that_edits_of_words_can_do(deletion, moves):
    model = wb.LinearLipschitzClassifier("words", edits=0, min_count=1).fit(TEXTS, KINDS)
    scorer = deletion.scorer_of(model)
    for text in ASKED:
        label, radius = model.predict([text])[0], model.certified_radius([text], "word")[0]
        winner = int(np.flatnonzero(model.classes_ == label)[0])
        changed = deletion.worst_texts(scorer, text.split(), winner, moves)
        assert (radius > moves) == (
            model.predict([" ".join(each) for each in changed]) == label
        ).all()
