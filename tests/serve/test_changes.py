"""Changes that alter a label are what they say, also where nothing of the training objects may be
used.
"""

import json

import numpy as np
import pytest
from http_servers import question

import wideberth
from wideberth.serve.answering import Answering, Question, found_change
from wideberth.serve.limits import Limits
from wideberth.serve.served_model import served_model

RANDOM = np.random.default_rng(3)
SIDES = np.array(["low"] * 20 + ["up"] * 20)
POINTS = RANDOM.normal(size=(40, 2)) + 3.0 * (SIDES == "up")[:, None]
SERIES = [np.cumsum(RANDOM.normal(size=8)) + 5.0 * (side == "up") for side in SIDES]


@pytest.mark.parametrize(
    ("metric", "training", "asked"),
    [
        ("euclidean", POINTS, [0.5, 0.5]),
        ("msm", SERIES, [0.5, 1.0, 0.5, 0.0]),
        ("levenshtein", None, "tee"),
    ],
)
@pytest.mark.parametrize("witnesses", [False, True])
def test_a_change_has_its_label_and_its_distance(metric, training, asked, witnesses):
    objects, labels = (
        (["tea", "tee", "rum", "rom"], ["soft", "soft", "hard", "hard"])
        if training is None
        else (training, SIDES)
    )
    model = wideberth.NeighborsClassifier(metric, n_neighbors=1).fit(objects, labels)
    served = served_model(
        model, calibration=None, delta=0.05, unit=None, witnesses=witnesses, limits=Limits()
    )
    told = Answering(served).reply(question(asked), Question("json", change=True))
    [answer] = json.loads(told.body)["answers"]
    change = answer["change"]
    assert change is not None
    one = asked if isinstance(asked, str) else np.array(asked)
    other = change["object"] if isinstance(change["object"], str) else np.array(change["object"])
    assert model.predict([other])[0] == change["label"] != answer["label"]
    assert np.isclose(
        wideberth.pairwise_distances([one], [other], metric=metric)[0, 0],
        change["distance"]["value"],
    )
    assert change["distance"]["value"] >= answer["radius"]["value"]


def test_objects_that_cannot_be_changed_have_none():
    model = wideberth.NeighborsClassifier("jaccard").fit([{"a"}, {"b"}], ["one", "other"])
    assert found_change(model, [{"a"}], None, None) is None
