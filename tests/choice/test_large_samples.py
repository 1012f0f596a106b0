"""What the automatic choice does where only some of the objects are compared: cheap families first,
and their price again on all objects.
"""

import numpy as np
import pytest

from wideberth import AutoClassifier, LinearLipschitzClassifier
from wideberth.choice import contest, entries
from wideberth.choice.entries import Entry
from wideberth.choice.time_limit import Budget


def noisy_words(n=240, seed=0):
    """Words whose class is told by many pairs of letters, each of them rare and unsure."""
    rng = np.random.default_rng(seed)
    pairs = np.array([a + b for a in "abcdefgh" for b in "abcdefgh"])
    sides = rng.integers(0, 2, len(pairs))
    chosen = rng.integers(0, len(pairs), (n, 5))
    labels = sides[chosen].sum(axis=1) > 2
    return ["".join(row) for row in pairs[chosen]], np.where(labels, "more", "less")


@pytest.fixture
def some_compared(monkeypatch):
    monkeypatch.setattr(contest, "MOST_COMPARED", 60)


def choice(X, y, metric="ngrams", **parameters):
    usual = {"candidates": "linear", "max_time": None, "random_state": 0, "cv": 3}
    return AutoClassifier(metric, **usual | parameters).fit(X, y)


def price_by_hand(X, y, price):
    """The price that is best on a fifth of all objects, as long as each is better than the last."""
    order = np.random.default_rng(0).permutation(len(y))
    known, rest = np.sort(order[: len(y) * 4 // 5]), order[len(y) * 4 // 5 :]
    texts = np.array(X, dtype=object)
    fewest, found = np.inf, price
    for larger in (1.0, 3.0, 10.0, 30.0):
        model = LinearLipschitzClassifier("ngrams", C=larger * price, random_state=0)
        model.fit(list(texts[known]), y[known])
        wrong = (model.predict(list(texts[rest])) != y[rest]).sum()
        if wrong >= fewest:
            break
        fewest, found = wrong, larger * price
    return found


def test_the_price_is_chosen_again_on_all_objects(some_compared):
    grown = []
    for seed in (2, 3):  # it grows with the first
        X, y = noisy_words(seed=seed)
        model = choice(X, y)
        first = _price_on_some(X, y)
        assert first in contest._PRICES_ON_SOME
        found = model.leaderboard_[0]["settings"]["C"]
        assert found == pytest.approx(price_by_hand(X, y, first))
        assert found == model.best_estimator_.C
        grown.append(found > first)
    assert any(grown)


def _price_on_some(X, y):
    """The price that was chosen on the objects that were compared."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(entries, "_LARGER_PRICES", ())
        return choice(X, y).leaderboard_[0]["settings"]["C"]


def test_without_time_the_price_stays(some_compared, monkeypatch):
    X, y = noisy_words()
    monkeypatch.setattr(Entry, "seconds_on_all", 20.0)
    budget = Budget(60.0, clock=lambda: 0.0)
    found = []

    def remembered(self, numbered, given):
        found.append((self._price_for_all(budget), self.chosen["C"]))
        return as_usual(self, numbered, given)

    as_usual = Entry.fitted_on_all
    monkeypatch.setattr(Entry, "fitted_on_all", remembered)
    choice(X, y)
    assert found[0][0] == found[0][1]


def test_all_objects_that_were_compared_keep_their_price():
    X, y = noisy_words(60)
    calls = []
    with pytest.MonkeyPatch.context() as patched:
        learn = LinearLipschitzClassifier.learn
        patched.setattr(
            LinearLipschitzClassifier,
            "learn",
            lambda self, training: calls.append(len(training)) or learn(self, training),
        )
        choice(X, y)
    assert calls.count(48) == 0  # no fifth was left out of the 60


def test_cheap_families_come_second_where_not_all_are_compared(monkeypatch):
    order = []
    as_usual = contest.enter

    def entered(family, *rest):
        order.append(family.name)
        return as_usual(family, *rest)

    monkeypatch.setattr(contest, "enter", entered)
    X, y = noisy_words(90)
    for most, expected in (
        (60, ["neighbors", "linear", "svm"]),
        (90, ["neighbors", "svm", "linear"]),
    ):
        monkeypatch.setattr(contest, "MOST_COMPARED", most)
        order.clear()
        choice(X, y, candidates=["svm", "linear", "neighbors"])
        assert order == expected
