"""The answers on two workers are those of one process: distances, searches, classifiers,
cross-validations.
"""

import numpy as np
import pytest
from families import class_name, every_classifier
from faulty_metrics import faulty_metric

import wideberth
from wideberth.geometry.classes.enemies import conflict_pairs, nearest_enemies
from wideberth.geometry.search.weighted import WeightedNeighbors

RNG = np.random.default_rng(0)
POINTS = RNG.normal(size=(220, 6))
SIGNS = (POINTS[:, 0] + 0.3 * RNG.normal(size=220) > 0).astype(int)
WORDS = ["".join(RNG.choice(list("abcd"), size=size)) for size in RNG.integers(1, 9, size=300)]
KINDS = RNG.integers(0, 3, size=300)
COUNTED = wideberth.metric("levenshtein")


def distances():
    return [
        wideberth.pairwise_distances(POINTS, POINTS[:40], "canberra"),
        wideberth.pairwise_distances(WORDS, metric=COUNTED),
    ]


def enemies():
    return [
        *nearest_enemies(WORDS, KINDS, COUNTED, 3, max_memory=10**5),
        *nearest_enemies(POINTS, SIGNS, "canberra"),
    ]


def conflicts():
    found = list(conflict_pairs(WORDS, KINDS, COUNTED, 3.0, max_memory=10**5))
    pairs = np.stack([np.concatenate(part) for part in zip(*found, strict=True)])
    return [pairs[:, np.lexsort(pairs)]]


def neighbors():
    index = wideberth.Index(WORDS, "levenshtein", engine="brute")
    return [*index.nearest(WORDS[:50], k=4), index.distance_calls]


def weighted():
    found = WeightedNeighbors(POINTS, wideberth.metric("canberra"), max_memory=10**5)
    return [*found.least(POINTS[:100], np.arange(220) / 220, 0.7, k=2), found.distance_calls]


def space():
    made = wideberth.MetricSpace(WORDS[:150], "levenshtein")
    return [made.metric.block(made.index, made.index), made.distance_calls]


def python_function():
    return [wideberth.pairwise_distances(WORDS[:40], WORDS[:30], faulty_metric())]


@pytest.mark.few(3)
@pytest.mark.parametrize(
    "ask", [distances, enemies, conflicts, neighbors, weighted, space, python_function]
)
def test_geometry_on_workers(ask, client, everything_pays):
    here = ask()
    with wideberth.scaleout.on(client):
        there = ask()
    for one, other in zip(here, there, strict=True):
        np.testing.assert_array_equal(one, other)


MODELS = [
    *every_classifier("strings"),
    wideberth.HilbertSVCCV(
        "levenshtein", C=[1.0, 10.0], cv=2, random_state=0, scoring="balanced_accuracy"
    ),
    wideberth.AutoClassifier(
        "levenshtein", max_time=None, cv=2, candidates=["neighbors", "svm"], random_state=0
    ),
]


@pytest.mark.few(1)
@pytest.mark.parametrize("model", MODELS, ids=class_name)
def test_classifiers_on_workers(model, client, everything_pays):
    words, kinds, asked = WORDS[:90], KINDS[:90] > 0, WORDS[200:240]

    def ask():
        fitted = model.fit(words, kinds)
        return [fitted.predict(asked), fitted.decision_function(asked)]

    here = ask()
    with wideberth.scaleout.on(client):
        there = ask()
    for one, other in zip(here, there, strict=True):
        np.testing.assert_array_equal(one, other)
