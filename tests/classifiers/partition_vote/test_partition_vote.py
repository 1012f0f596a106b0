"""The vote of parts: what it withstands against all changes of a few parts and rows, parts that depend
on their rows alone, and the conventions of scikit-learn.
"""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from oracles.classifiers import changed_rows
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_iris
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

import wideberth
from wideberth import (
    AutoClassifier,
    LinearLipschitzClassifier,
    NeighborsClassifier,
    PartitionVoteClassifier,
)
from wideberth.classifiers.partition_vote.votes import NOBODY, PartVotes
from wideberth.errors import InvalidInput, NotCertified

WORDS = [f"{first}{middle}{last}" for first in "tr" for middle in "aeiou" for last in "nms"]
KINDS = ["soft" if word[0] == "t" else "hard" for word in WORDS]


NUMBERS = np.random.default_rng(0).normal(size=(len(WORDS), 2))


class FirstLetter(ClassifierMixin, BaseEstimator):
    """The label that most rows with the first letter of a word have, else that of most rows."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self._rows = [(word[0], label) for word, label in zip(X, y, strict=True)]
        return self

    def predict(self, X):
        return np.array([self._one(word[0]) for word in X])

    def _one(self, letter):
        own = [label for first, label in self._rows if first == letter]
        labels = own or [label for _, label in self._rows]
        return max(sorted(set(labels)), key=labels.count)


votes_of_parts = st.lists(st.sampled_from([None, 0, 1, 2]), min_size=1, max_size=5).filter(
    lambda codes: any(code is not None for code in codes)
)


def as_votes(codes):
    return PartVotes(np.array([[NOBODY if code is None else code for code in codes]]), 3)


@given(votes_of_parts)
@example([0, 0])  # a label that nobody has comes first
@example([1, 1, 0])  # and so does one that others have
@settings(max_examples=60, deadline=None)
def test_no_fewer_changes_of_parts_elect_another_class(codes):
    assert as_votes(codes).changes_withstood()[0] == changed_rows.parts_withstood(codes, 3)


def assert_radius_is_exact(codes, radii, knows, changed):
    knows = [
        [known or code == label for label, known in enumerate(row)]
        for code, row in zip(codes, knows, strict=True)
    ]
    # a part that knows one label gives no other one
    radii = [np.inf if sum(row) == 1 else far for row, far in zip(knows, radii, strict=True)]
    found = as_votes(codes).radii(np.array([radii], dtype=float), np.array(knows), changed)
    assert found[0] == changed_rows.parts_radius(codes, radii, knows, 3, changed)


def test_radii_are_exact_for_all_votes_of_parts_that_change_or_do_not_stay():
    random = np.random.default_rng(0)
    for _ in range(400):
        n = int(random.integers(1, 5))
        codes = [None if code == 3 else int(code) for code in random.integers(0, 4, n)]
        if any(code is not None for code in codes):
            knows = random.random((n, 3)) < 0.4
            changed = int(random.integers(0, min(n, 2) + 1))
            assert_radius_is_exact(codes, random.integers(1, 4, n).tolist(), knows, changed)


@pytest.mark.slow
@given(votes_of_parts, st.integers(0, 2), st.data())
@settings(max_examples=300, deadline=None)
def test_radii_are_exact_for_more_parts(codes, changed, data):
    n = len(codes)
    radii = data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    knows = data.draw(
        st.lists(st.tuples(*3 * [st.booleans()]), min_size=n, max_size=n).map(np.array)
    )
    assert_radius_is_exact(codes, radii, knows, min(changed, n))


def changed_samples(words, kinds, more):
    """All samples that one change leads to: a row removed, flipped or added."""
    rows = list(zip(words, kinds, strict=True))
    for here, (word, kind) in enumerate(rows):
        others = rows[:here] + rows[here + 1 :]
        yield others
        yield from ([*others, (word, label)] for label in ("hard", "soft", "a") if label != kind)
    yield from ([*rows, (word, label)] for word in more for label in ("hard", "soft", "a"))


def assert_withstood(samples, vote, queries, changes):
    """No sample that so many changes led to gets another answer where more are withstood."""
    sure = vote.certified_rows(queries) >= changes
    answers = vote.predict(queries)
    for rows in samples:
        words, kinds = map(list, zip(*rows, strict=True))
        changed = clone(vote).fit(words, kinds).predict(queries)
        assert (changed[sure] == answers[sure]).all()
    return int(sure.sum())


@pytest.mark.parametrize("n_parts", [1, 3, 6])
def test_one_changed_row_changes_no_answer_that_withstands_it(n_parts):
    vote = PartitionVoteClassifier(FirstLetter(), n_parts=n_parts).fit(WORDS[::2], KINDS[::2])
    samples = changed_samples(WORDS[::2], KINDS[::2], ["tea", "r", "x"])
    sure = assert_withstood(samples, vote, ["tax", "rex", "kex"], 1)
    assert sure or n_parts < 6


@pytest.mark.slow
def test_two_changed_rows_change_no_answer_that_withstands_them():
    words, kinds = WORDS[::2], KINDS[::2]
    vote = PartitionVoteClassifier(FirstLetter(), n_parts=5).fit(words, kinds)
    samples = (
        twice
        for once in changed_samples(words, kinds, ["tea", "rx"])
        for twice in changed_samples(*map(list, zip(*once, strict=True)), ["tea", "x"])
    )
    assert assert_withstood(samples, vote, ["tax", "rex", "kex"], 2)


@pytest.mark.slow
def test_rows_and_edits_at_once_change_no_answer_within_the_radius():
    words = [5 * first + last for first in "tr" for last in "abcdefgh"]
    kinds = 8 * ["soft"] + 8 * ["hard"]
    nearest = NeighborsClassifier("hamming", n_neighbors=1, calibrate=None)
    vote = PartitionVoteClassifier(nearest, n_parts=5).fit(words, kinds)
    queries = ["ttttta", "rrrrrb", "tttrrb"]
    radii = vote.certified_radius(queries, rows=1)
    assert (radii[:2] > 1).all()
    moved = [
        [word[:at] + letter + word[at + 1 :] for at in range(6) for letter in "traz"]
        for word in queries
    ]
    answers = vote.predict(queries)
    for rows in changed_samples(words, kinds, ["trtrta", "ttttta", "rrrrrz"]):
        changed = clone(vote).fit(*map(list, zip(*rows, strict=True)))
        for near, radius, answer in zip(moved, radii, answers, strict=True):
            if radius > 1:
                assert (changed.predict(near) == answer).all()


def test_a_part_is_told_by_the_object_alone():
    vote = PartitionVoteClassifier(FirstLetter(), n_parts=4).fit(WORDS, KINDS)
    numbers = vote.part_of(WORDS)
    assert len(set(numbers.tolist())) == 4
    assert (vote.part_of(WORDS[::-1]) == numbers[::-1]).all()
    assert vote.part_of(["tan", "tan"]).tolist() == [numbers[0]] * 2
    assert [part.n_rows for part in vote.parts_] == np.bincount(numbers).tolist()
    other = PartitionVoteClassifier(FirstLetter(), n_parts=4)
    other.fit(["more", *WORDS[5:]], ["soft", *KINDS[:1], *KINDS[6:]])
    assert (other.part_of(WORDS) == numbers).all()


def test_a_row_beside_others_of_another_type_is_in_the_same_part():
    numbers = np.arange(24.0).reshape(12, 2)
    tree = PartitionVoteClassifier(DecisionTreeClassifier(), n_parts=5)
    of_numbers = tree.fit(numbers, np.arange(12) % 2).part_of(numbers)
    mixed = np.array([*numbers.tolist(), ["tea", 1.0]], dtype=object)
    for same in (numbers.astype("f4"), numbers.astype(int), csr_array(numbers), mixed[:-1]):
        assert (tree.part_of(same) == of_numbers).all()
    assert (tree.part_of(mixed)[:-1] == of_numbers).all()
    assert (tree.part_of(pd.DataFrame(numbers, columns=["x", "y"])) == of_numbers).all()


def test_parts_learn_what_they_know_from_their_own_rows():
    """Vocabulary, scale and settings of a part stay whatever rows another part has."""
    texts = [f"{word} {word[::-1]}" for word in WORDS]
    vote = PartitionVoteClassifier(LinearLipschitzClassifier("words", min_count=1), n_parts=3)
    before = vote.fit(texts, KINDS)
    moved = before.part_of(["a new text"])[0]
    after = clone(vote).fit([*texts, "a new text"], [*KINDS, "soft"])
    for number, (one, other) in enumerate(zip(before.parts_, after.parts_, strict=True)):
        same = set(one.classifier.feature_names_) == set(other.classifier.feature_names_)
        assert same == (number != moved)
    numbers = np.random.default_rng(0).normal(size=(60, 2))
    scaled = PartitionVoteClassifier(NeighborsClassifier("standardized"), n_parts=3)
    scaled.fit(numbers, numbers[:, 0] > 0)
    assert len({repr(part.classifier.metric_) for part in scaled.parts_}) == 3


def test_seeds_depend_on_the_part_alone():
    tree = DecisionTreeClassifier(max_features=1)
    X, y = load_iris(return_X_y=True)
    vote = PartitionVoteClassifier(tree, n_parts=4).fit(X, y)
    again = clone(vote).fit(X[::-1], y[::-1])
    seeds = [part.classifier.random_state for part in vote.parts_]
    assert seeds == [part.classifier.random_state for part in again.parts_]
    assert len(set(seeds)) == 4
    assert tree.random_state is None
    fixed = PartitionVoteClassifier(DecisionTreeClassifier(random_state=7), n_parts=2).fit(X, y)
    assert {part.classifier.random_state for part in fixed.parts_} == {7}


def test_empty_parts_do_not_vote_and_parts_of_one_class_vote_for_it():
    vote = PartitionVoteClassifier(FirstLetter(), n_parts=40).fit(["tan", "ten"], ["soft", "hard"])
    assert vote.predict(["tin"]).tolist() == ["hard"]  # one vote each: the first class
    assert sorted(part.n_rows for part in vote.parts_)[-2:] == [1, 1]
    assert {part.constant for part in vote.parts_} == {None, "soft", "hard"}
    assert np.abs(vote.decision_function(["tin"])).tolist() == [0.0]
    assert vote.certified_rows(["tin"]).tolist() == [0]
    assert "38 parts are empty" in vote.summary()


def test_a_part_that_the_classifier_refuses_votes_for_its_most_frequent_label():
    parts = PartitionVoteClassifier(FirstLetter(), n_parts=5).fit(WORDS, KINDS).parts_
    sizes = [part.n_rows for part in parts if len(part.classes) > 1]
    some = NeighborsClassifier("hamming", n_neighbors=min(sizes) + 1)
    with pytest.warns(UserWarning, match=r"of 5 parts vote .* n_neighbors=\d+ does not fit"):
        vote = PartitionVoteClassifier(some, n_parts=5).fit(WORDS, KINDS)
    refused = [part for part in vote.parts_ if part.classifier is None and len(part.classes) > 1]
    assert len(refused) == sizes.count(min(sizes))
    assert all(part.constant in ("hard", "soft") for part in refused)
    with pytest.raises(InvalidInput, match="n_neighbors=99 does not fit"):
        PartitionVoteClassifier(NeighborsClassifier("hamming", n_neighbors=99), n_parts=3).fit(
            WORDS, KINDS
        )


def test_a_wrong_label_of_each_sort_is_counted_in_a_vote_of_pipelines():
    texts = [f"{word} {word[::-1]}" for word in WORDS]
    pipeline = make_pipeline(CountVectorizer(), MultinomialNB())
    vote = PartitionVoteClassifier(pipeline, n_parts=5).fit(texts, KINDS)
    assert vote.certified_rows(texts[:3]).tolist() == vote.certified_flips(texts[:3]).tolist()
    with pytest.raises(NotCertified, match="certifies no radius"):
        vote.certified_radius(texts[:1])


def test_radii_need_one_measure_for_all_parts():
    numbers = np.random.default_rng(0).normal(size=(60, 2))
    vote = PartitionVoteClassifier(NeighborsClassifier("standardized", n_neighbors=1), n_parts=3)
    vote.fit(numbers, numbers[:, 0] > 0)
    with pytest.raises(NotCertified, match="metric that it took from its own rows"):
        vote.certified_radius(numbers[:2])
    same = PartitionVoteClassifier(NeighborsClassifier("manhattan", n_neighbors=1), n_parts=3)
    radii = same.fit(numbers, numbers[:, 0] > 0).certified_radius(numbers[:20])
    assert (radii > 0).any()
    assert (same.certified_radius(numbers[:20], rows=1) <= radii).all()


@pytest.mark.parametrize(
    ("vote", "reason"),
    [
        (
            PartitionVoteClassifier(
                AutoClassifier("levenshtein", candidates=["neighbors"], max_time=60), n_parts=2
            ),
            "the clock decides",
        ),
        (
            PartitionVoteClassifier(
                NeighborsClassifier(wideberth.metric("standardized").fitted(NUMBERS)), n_parts=2
            ),
            "rows of several parts",
        ),
    ],
)
def test_parts_that_depend_on_more_than_their_rows_are_not_certified(vote, reason):
    objects = WORDS if reason == "the clock decides" else NUMBERS
    vote.fit(objects, KINDS)
    for certified in (vote.certified_rows, vote.certified_flips, vote.certified_radius):
        with pytest.raises(NotCertified, match=reason):
            certified(objects[:1])
    assert reason in vote.summary()


@pytest.mark.parametrize(
    ("X", "estimator", "reason"),
    [
        (np.zeros((4, 4)), NeighborsClassifier("precomputed"), "nothing of them"),
        ([object()] * 4, FirstLetter(), "cannot be read"),
        (
            pd.DataFrame({"a": pd.Categorical(list("abab")), "b": list("abab")}),
            make_pipeline(CountVectorizer(), LogisticRegression()),
            "categories of all rows",
        ),
        (["a", "b", "c", "d"], "trees", "is no classifier"),
        ([], FirstLetter(), "no objects"),
    ],
)
def test_rows_that_cannot_be_put_into_parts_are_refused(X, estimator, reason):
    with pytest.raises(InvalidInput, match=reason):
        PartitionVoteClassifier(estimator, n_parts=2).fit(X, ["a", "b", "a", "b"][: len(X)])


def test_a_number_of_rows_is_checked():
    vote = PartitionVoteClassifier(NeighborsClassifier("hamming"), n_parts=3).fit(WORDS, KINDS)
    with pytest.raises(InvalidInput, match="rows=-1"):
        vote.certified_radius(["tan"], rows=-1)
    with pytest.raises(InvalidInput, match="n_parts=0"):
        clone(vote).set_params(n_parts=0).fit(WORDS, KINDS)


@pytest.mark.parametrize(
    "estimator",
    [
        NeighborsClassifier("hamming", n_neighbors=1),
        LinearLipschitzClassifier("ngrams", min_count=1),
        NeighborsClassifier(wideberth.metric("hamming"), n_neighbors=1),
        AutoClassifier(candidates=["neighbors"], max_time=None, metric="hamming"),
    ],
    ids=["named metric", "linear", "metric", "choice"],
)
def test_a_vote_is_saved_and_loaded(estimator, tmp_path):
    vote = PartitionVoteClassifier(estimator, n_parts=4).fit([*WORDS, "xyz"], [*KINDS, "soft"])
    wideberth.save(vote, tmp_path / "vote.wb")
    for same in (wideberth.load(tmp_path / "vote.wb"), pickle.loads(pickle.dumps(vote))):
        assert repr(same) == repr(vote)
        assert same.summary() == vote.summary()
        for method in ("predict", "certified_rows", "decision_function", "part_of"):
            found, expected = (getattr(each, method)(["tun", "rax"]) for each in (same, vote))
            np.testing.assert_array_equal(found, expected)
        assert (clone(same).fit(WORDS, KINDS).predict(WORDS) == np.array(KINDS)).mean() > 0.8


def test_votes_of_other_libraries_are_not_saved(tmp_path):
    vote = PartitionVoteClassifier(DecisionTreeClassifier(), n_parts=2)
    vote.fit(*load_iris(return_X_y=True))
    with pytest.raises(InvalidInput, match="vote of DecisionTreeClassifier cannot be saved"):
        wideberth.save(vote, tmp_path / "vote.wb")


@pytest.mark.slow
@parametrize_with_checks(
    [
        PartitionVoteClassifier(NeighborsClassifier(n_neighbors=1), n_parts=4),
        PartitionVoteClassifier(DecisionTreeClassifier(), n_parts=4),
    ]
)
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)
