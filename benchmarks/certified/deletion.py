"""Randomised deletion, the peer under edits of words: a vote of a classifier over copies of a text
in which each word is left out with a probability.

Whatever r words are put in, taken out or replaced, the share of copies without any of them is
:math:`p^r`, so the label stays while :math:`\\mu - (1 - p^r) > 1/2` for the share of the winner
:math:`\\mu`, which is known from samples (Huang et al., "RS-Del", NeurIPS 2023; CERT-ED for words).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import beta
from sklearn.base import clone
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

import wideberth as wb
from benchmarks.data import Labels

Words = Sequence[str]
#: Texts and labels.
Labelled = tuple[list[str], Labels]
#: Copies of a text that elect its label, and others whose votes are counted; how often a bound on
#: the share may be wrong.
ELECTING, COUNTED, ALPHA = 100, 1_000, 0.05
#: What classifiers choose from on folds of texts with words left out.
PRICES, PRICES_OF_REGRESSION, FOLDS = [0.1, 0.3, 1.0, 3.0], [1.0, 3.0, 10.0], 3


class Votes(NamedTuple):
    """The elected class of a text, and up to how many edits of words it certainly stays; -1 where
    its share is not surely above a half.
    """

    winner: int
    radius: int


@dataclass
class LinearScorer:
    """Scores that add up over words; ``weights`` have a row for each word of the vocabulary."""

    places: dict[str, int]
    weights: Any
    intercepts: Any

    def codes(self, words: Words) -> Any:
        """The places of the known words of a text, in order."""
        known = (self.places[word] for word in words if word in self.places)
        return np.sort(np.fromiter(known, np.intp))

    def scores(self, codes: Any, kept: Any) -> Any:
        """The scores of copies, of which each row of ``kept`` says which words are left."""
        return kept @ self.weights[codes] + self.intercepts


@dataclass
class TfidfScorer(LinearScorer):
    """Scores that add up over words, divided by the norm of what is left of the text."""

    idf: Any

    def scores(self, codes: Any, kept: Any) -> Any:
        if not len(codes):
            return super().scores(codes, kept)
        starts = np.flatnonzero(np.append(True, np.diff(codes) > 0))
        counts = np.add.reduceat(kept, starts, axis=1)
        norms = np.sqrt(counts**2 @ self.idf[codes[starts]] ** 2)
        return kept @ self.weights[codes] / np.maximum(norms, 1e-12)[:, None] + self.intercepts


def elected(
    scorer: LinearScorer, words: Words, probability: float, random: np.random.Generator
) -> Votes:
    """The class that most copies of a text have, and how far it is certified."""
    codes = scorer.codes(words)
    shape = (ELECTING + COUNTED, len(codes))
    kept = (random.random(shape, dtype=np.float32) >= probability).astype(np.float32)
    votes = scorer.scores(codes, kept).argmax(axis=1)
    winner = int(np.bincount(votes[:ELECTING]).argmax())
    for_it = int(np.sum(votes[ELECTING:] == winner))
    share = beta.ppf(ALPHA, for_it, COUNTED - for_it + 1) if for_it else 0.0
    sure = share > 0.5
    return Votes(winner, int(np.log(1.5 - share) / np.log(probability)) if sure else -1)


Learn = Callable[[Labelled, Labelled], LinearScorer]


def thinned(
    texts: Sequence[Words], probability: float, copies: int, random: np.random.Generator
) -> list[str]:
    """Copies of texts without some of their words, at least one of which is left."""
    found = []
    for words in texts:
        for _ in range(copies):
            left = [words[at] for at in np.flatnonzero(random.random(len(words)) >= probability)]
            found.append(" ".join(left or [words[random.integers(len(words))]]))
    return found


def linear(metric: Any) -> Learn:
    """How linear scores of ours learn: no edits, prices on folds."""

    def learn(for_choice: Labelled, known: Labelled) -> LinearScorer:
        settings: dict[str, Any] = {"edits": 0, "random_state": 0, "tol": 0.03, "n_jobs": 1}
        chooser = wb.LinearLipschitzClassifierCV(metric, C=PRICES, cv=FOLDS, **settings)
        price = chooser.fit(*for_choice).best_params_["C"]
        return scorer_of(wb.LinearLipschitzClassifier(metric, C=price, **settings).fit(*known))

    return learn


def scorer_of(model: Any) -> LinearScorer:
    """The scores of a linear model of words."""
    places = {word: place for place, word in enumerate(model.feature_names_.tolist())}
    return LinearScorer(places, model.coef_.T.astype(np.float32), model.intercept_)


def tfidf(for_choice: Labelled, known: Labelled) -> TfidfScorer:
    """TF-IDF and a logistic regression, with prices on folds."""
    search = GridSearchCV(
        make_pipeline(TfidfVectorizer(analyzer=str.split), LogisticRegression(max_iter=200)),
        {"logisticregression__C": PRICES_OF_REGRESSION},
        cv=FOLDS,
    ).fit(*for_choice)
    (_, vectors), (_, regression) = clone(search.best_estimator_).fit(*known).steps
    weights = (vectors.idf_ * regression.coef_).T.astype(np.float32)
    intercepts = regression.intercept_
    if len(intercepts) == 1:  # two classes have one score
        weights, intercepts = np.hstack([0 * weights, weights]), np.append(0.0, intercepts)
    return TfidfScorer(vectors.vocabulary_, weights, intercepts, vectors.idf_.astype(np.float32))


# ---- One attack for all scores of words


def worst_texts(scorer: LinearScorer, words: Words, winner: int, moves: int) -> Iterator[list[str]]:
    """Of the words that speak most for the winner, so many are replaced by the one that speaks most
    against it: one text for each other class. Before norms and votes, no edits take more.
    """
    names = list(scorer.places)
    for rival in range(len(scorer.intercepts)):
        if rival != winner:
            pulls = scorer.weights[:, winner] - scorer.weights[:, rival]
            own = [max(pulls[scorer.places[w]], 0) if w in scorer.places else 0 for w in words]
            moved = np.argsort(-np.array(own), kind="stable")[:moves]
            worst, changed = names[int(pulls.argmin())], list(words)
            for at in moved.tolist():
                changed[at] = worst
            yield [*changed, *[worst] * (moves - len(moved))]
