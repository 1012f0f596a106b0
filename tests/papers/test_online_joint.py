"""Online learning from all centres at once: its knowledge beside linear programs over all duels, and
the learner."""

import pickle

import numpy as np
import pytest
from oracles.classifiers.partitions import (
    centers_in_ball,
    distances,
    queries_in_ball,
    queries_near_borders,
)
from scipy.optimize import linprog
from sklearn.base import clone

from wideberth.classifiers.online.lifts import InnerLift
from wideberth.errors import InvalidInput
from wideberth.papers import JointPartitionClassifier
from wideberth.papers.online_joint import JointKnowledge, JointPartition

LABELS = 4


def joint(similarity="inner", **options):
    return JointPartitionClassifier(similarity, random_state=0, **options)


def stream(similarity="inner", rounds=200, seed=0, p=2):
    generator = np.random.default_rng(seed)
    centers = centers_in_ball(LABELS, 3, generator)
    near = queries_near_borders(rounds // 2, similarity, centers, generator, p)
    queries = generator.permutation(
        np.concatenate([near, queries_in_ball(rounds - len(near), 3, generator)])
    )
    return (
        queries,
        [int(distances(similarity, query, centers, p).argmin()) for query in queries],
        centers,
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("similarity", "p", "rounds"), [("inner", 2, 200), ("euclidean", 2, 200), ("lp", 4, 100)]
)
def test_few_mistakes_and_what_it_says_of_them_holds(similarity, p, rounds):
    queries, labels, centers = stream(similarity, rounds, p=p)
    learner = joint(similarity, p=p)
    for query, label in zip(queries, labels, strict=True):
        if learner.__sklearn_is_fitted__() and label in learner.classes_:
            guess, sure, bound = (
                learner.predict_one(query),
                learner.certain(query),
                learner.loss_bound(query),
            )
            gaps = distances(similarity, query, centers, p)
            among = gaps[learner.classes_].min()
            assert gaps[guess] - among <= bound + 1e-6
            assert not sure or (guess == label and bound == 0)
        learner.learn_one(query, label)
    assert learner.mistakes_ < 60
    assert np.mean([learner.certain(query) for query in queries]) > (0.5 if p == 2 else 0.2)
    assert (learner.predict(queries) == labels).mean() > 0.9


def test_nothing_bounds_the_loss_to_come():
    queries, labels, _ = stream(rounds=20)
    learner = joint().partial_fit(queries, labels)
    assert (learner.proved_, learner.remaining_loss_bound(), learner.potential()) == (
        False,
        np.inf,
        np.inf,
    )
    assert learner.engine_ == "joint"
    assert learner.failure_probability() == 0
    assert learner.remaining_loss_bound(certain=True) == np.inf
    assert learner.predict_proba_one(queries[0])[learner.predict_one(queries[0])] == 1.0


def test_predicting_changes_nothing_and_a_pickle_goes_on_exactly():
    queries, labels, _ = stream(rounds=60)
    silent, queried = joint(), joint()
    for number, (query, label) in enumerate(zip(queries, labels, strict=True)):
        silent.learn_one(query, label)
        for other in queries[number % 7 :: 7]:
            queried.predict_one(other)
        queried.learn_one(query, label)
        if number == 30:
            queried = pickle.loads(pickle.dumps(queried))
    one, two = (learner._stream.partition.knowledge for learner in (silent, queried))
    assert np.array_equal(one.points, two.points)
    assert np.array_equal(one.rows.directions, two.rows.directions)
    assert silent.mistakes_ == queried.mistakes_


def test_a_contradiction_names_rounds_that_suffice():
    queries, labels, _ = stream(rounds=150)
    learner = joint(inconsistent="error").partial_fit(queries, labels)
    sure = next(query for query in queries[::-1] if learner.certain(query))
    wrong = next(label for label in range(LABELS) if label != learner.predict_one(sure))
    with pytest.raises(InvalidInput, match="Round 151") as caught:
        learner.learn_one(sure, wrong)
    rounds = list(caught.value.witness)
    assert rounds
    assert rounds == sorted(set(rounds))
    assert len(rounds) < 40
    places = np.array(rounds) - 1
    again = joint(inconsistent="error").partial_fit(
        queries[places], np.array(labels)[places], classes=range(LABELS)
    )
    with pytest.raises(InvalidInput, match="imply the opposite"):
        again.learn_one(sure, wrong)
    assert learner.rounds_ == 150


@pytest.mark.few(1)
@pytest.mark.parametrize("policy", ["ignore", "soften"])
def test_wrong_labels_by_policy(policy):
    queries, labels, _ = stream(rounds=150)
    wrong = [label if number % 10 else (label + 1) % LABELS for number, label in enumerate(labels)]
    learner = joint(inconsistent=policy).partial_fit(queries, wrong)
    assert learner.contradictions_ > 0
    assert learner.engine_ == ("joint" if policy == "ignore" else "soft")
    assert (learner.predict(queries) == labels).mean() > 0.5  # a wrong label that fits stays
    assert learner.remaining_loss_bound() == np.inf


@pytest.mark.few(1)
@pytest.mark.parametrize("similarity", ["inner", "euclidean"])
def test_more_coordinates(similarity):
    queries, labels, _ = stream(similarity, rounds=80)
    learner = joint(similarity).partial_fit(queries, labels)
    sure = [learner.certain(query) for query in queries]
    learner.widen(5)
    wider = np.pad(queries, ((0, 0), (0, 2)))
    assert [learner.certain(query) for query in wider] == sure
    assert (learner.predict(wider) == labels).mean() > 0.9
    learner.learn_one(wider[0], labels[0])


def test_rankings_and_labels_that_come_late():
    queries, _, centers = stream(rounds=40)
    learner = joint()
    for place, query in enumerate(queries):
        seen = LABELS if place >= 20 else 2
        learner.learn_one(query, ranking=np.argsort(-(centers[:seen] @ query)).tolist())
    assert set(learner.classes_) == set(range(LABELS))
    assert (learner.predict(queries) == (queries @ centers.T).argmax(axis=1)).mean() > 0.8


def test_scikit_learn_clones_it_and_other_powers_are_refused():
    assert clone(joint(alpha=2.0)).get_params() == joint(alpha=2.0).get_params()
    with pytest.raises(InvalidInput, match="No finite number of features"):
        joint("lp", p=3).learn_one([0.1], 0)


def test_the_ball_grows_with_the_queries():
    learner = joint("euclidean").learn_one([0.1, 0.0], 0).learn_one([-0.1, 0.0], 1)
    assert learner.predict_one([30.0, 1.0]) in (0, 1)
    assert learner.radius_ == 0.2
    assert learner.learn_one([30.0, 1.0], 0).radius_ >= 30


@pytest.mark.parametrize("length", [1.0, 1e-12])
def test_a_round_that_contradicts_itself_is_a_witness_however_short_its_query(length):
    """Three rounds say that label 2 is not nearer than both others at a query, but leave open that
    it is nearer than one.
    """
    partition = JointPartition(InnerLift(2), update="informative", seed=0)
    for _ in range(3):
        partition.add_label()
    across = np.array([0.0, 0.4])
    for number, (query, duel) in enumerate(
        [([0.8, -0.4], (0, 2)), ([0.8, 0.4], (1, 2)), (across, (0, 1))], start=1
    ):
        assessment = partition.assess(np.asarray(query))
        partition.learn(assessment, [duel], guess=duel[1], label=duel[0], round_number=number)
    assessment = partition.assess(np.array([length, 0.0]))
    assert partition.first_refuted(assessment, [(2, 0), (2, 1)]) == (2, 1)
    assert partition.rounds_implying(assessment, 1, 2, 4) == [1, 2, 3, 4]


def fresh(labels, dimension, seed=0):
    knowledge = JointKnowledge(dimension, radius=2.0, seed=seed)
    for _ in range(labels):
        knowledge.add_label()
    return knowledge


def duels(label, labels):
    return [(label, other) for other in range(labels) if other != label]


def contrast(query, winner, loser, labels):
    row = np.zeros((labels, len(query)))
    row[winner], row[loser] = query, -query
    return row.ravel()


def can_all_win(rows, contrasts):
    """Whether some centres obey the rows and give every duel of a query a lead: the largest lead,
    by a linear program.
    """
    size = len(contrasts[0])
    leads = np.column_stack([-np.array(contrasts), np.ones(len(contrasts))])
    obeyed = np.column_stack([-np.reshape(rows, (-1, size)), np.zeros(len(rows))])
    found = linprog(
        np.append(np.zeros(size), -1.0),
        np.vstack([leads, obeyed]),
        np.zeros(len(leads) + len(obeyed)),
        bounds=(-1, 1),
    )
    return -found.fun > 1e-7


@pytest.mark.few(2)
@pytest.mark.parametrize("seed", range(6))
def test_labels_are_denied_where_no_centres_agree(seed):
    """Labels at random: some agree with all earlier labels, some do not."""
    generator, labels, dimension = np.random.default_rng(seed), 3 + seed % 2, 2 + seed % 2
    knowledge, rows, verdicts = fresh(labels, dimension, seed), [], []
    for _ in range(25):
        query, label = generator.normal(size=dimension), int(generator.integers(labels))
        outcomes = duels(label, labels)
        contrasts = [contrast(query, *duel, labels) for duel in outcomes]
        possible = can_all_win(rows, contrasts)
        assert (knowledge.first_refuted(query, outcomes) is None) == possible
        verdicts.append(possible)
        if possible:
            kept = knowledge.learn(query, outcomes)
            rows += [contrast(query, *duel, labels) for duel in kept]
    assert True in verdicts
    assert False in verdicts


@pytest.mark.few(1)
@pytest.mark.parametrize(("labels", "dimension"), [(2, 3), (3, 2), (5, 4)])
def test_reaches_hold_for_the_hidden_centres_and_end_where_nothing_is_open(labels, dimension):
    generator = np.random.default_rng(labels)
    centres = generator.normal(size=(labels, dimension))
    centres /= np.linalg.norm(centres, axis=1, keepdims=True)
    knowledge, implied = fresh(labels, dimension), 0
    for query in generator.normal(size=(80, dimension)):
        scores = centres @ query
        for winner, loser in duels(0, labels):
            reach = knowledge.reach(query, winner, loser)
            assert reach >= scores[winner] - scores[loser] - 1e-9
            rows = knowledge.rows.directions
            assert (reach > 1e-7) == can_all_win(rows, [contrast(query, winner, loser, labels)])
            implied += reach <= 1e-7
        knowledge.learn(query, duels(int(scores.argmax()), labels))
    assert implied > 20


def test_points_obey_all_rows_and_stay_spread():
    knowledge = fresh(4, 3)
    generator = np.random.default_rng(0)
    centres = generator.normal(size=(4, 3))
    for query in generator.normal(size=(60, 3)):
        knowledge.learn(query, duels(int((centres @ query).argmax()), 4))
    points = knowledge.points.reshape(len(knowledge.points), -1)
    assert (points @ knowledge.rows.directions.T >= -1e-8).all()
    assert len(np.unique(points.round(12), axis=0)) == len(points)
    assert len(knowledge.rows) < 60 * 3


def test_a_new_label_leaves_the_others_as_they_were():
    knowledge = fresh(2, 2)
    knowledge.learn(np.array([1.0, 0.0]), [(0, 1)])
    knowledge.add_label()
    assert knowledge.reach(np.array([1.0, 0.0]), 1, 0) == pytest.approx(0.0, abs=1e-12)
    assert knowledge.reach(np.array([1.0, 0.0]), 2, 0) == pytest.approx(2.0)
    assert knowledge.points.shape[1:] == (3, 2)
    assert (knowledge.points[:, 0, 0] >= knowledge.points[:, 1, 0] - 1e-8).all()


def test_zero_says_nothing():
    knowledge = fresh(3, 2)
    zero = np.zeros(2)
    assert knowledge.first_refuted(zero, duels(0, 3)) is None
    assert knowledge.learn(zero, duels(0, 3), guess=1) == []
    assert knowledge.reach(zero, 0, 1) == 0.0
