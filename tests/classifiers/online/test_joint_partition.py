"""The joint engine of the online classifier."""

import pickle

import numpy as np
import pytest
from oracles.classifiers.partitions import (
    centers_in_ball,
    distances,
    queries_in_ball,
    queries_near_borders,
)

import wideberth as wb
from wideberth.classifiers.online.joint_partition import JointPartition
from wideberth.classifiers.online.lifts_by_similarity import features_of
from wideberth.errors import InvalidInput

LABELS = 4


def joint(similarity="inner", **options):
    return wb.OnlinePartitionClassifier(similarity, engine="joint", random_state=0, **options)


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


@pytest.mark.parametrize("policy", ["ignore", "soften"])
def test_wrong_labels_by_policy(policy):
    queries, labels, _ = stream(rounds=150)
    wrong = [label if number % 10 else (label + 1) % LABELS for number, label in enumerate(labels)]
    learner = joint(inconsistent=policy).partial_fit(queries, wrong)
    assert learner.contradictions_ > 0
    assert learner.engine_ == ("joint" if policy == "ignore" else "soft")
    assert (learner.predict(queries) == labels).mean() > 0.5  # a wrong label that fits stays
    assert learner.remaining_loss_bound() == np.inf


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


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"update": "paper"}, "always learns from every label"),
        (
            {"similarity": "lp", "p": 3, "separation": 1.0, "resolution": 0.3, "radius": 1.0},
            "no rungs",
        ),
        ({"noise": 0.1}, "cannot handle noise=0.1"),
    ],
)
def test_what_the_joint_engine_refuses(options, message):
    with pytest.raises(InvalidInput, match=message):
        joint(**options).learn_one([0.1], 0)


@pytest.mark.parametrize("length", [1.0, 1e-12])
def test_a_round_that_contradicts_itself_is_a_witness_however_short_its_query(length):
    """Three rounds say that label 2 is not nearer than both others at a query, but leave open that
    it is nearer than one.
    """
    partition = JointPartition(
        features_of("inner", 2), engine="joint", update="informative", noise=0.0, seed=0
    )
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
