"""Nothing of the objects of a model leaves the server unless it was allowed, and the log holds no
object.
"""

import json
import time

import numpy as np
import pytest
from families import class_name, families
from http_servers import JSON, question

import wideberth
from wideberth.serve.answering import Answering, Question
from wideberth.serve.app import described_model
from wideberth.serve.limits import Limits
from wideberth.serve.openapi import openapi
from wideberth.serve.served_model import served_model

SECRETS = [f"secret{letter}{number}word" for letter in "abcd" for number in range(10)]
SIDES = np.array(["left", "right"] * 20)
CALIBRATION = [f"hidden{number}thing" for number in range(40)]


def hidden(model, **options):
    given = {
        "calibration": None,
        "delta": 0.05,
        "unit": None,
        "witnesses": False,
        "limits": Limits(),
    } | options
    return served_model(model, **given)


@pytest.mark.few(2)
@pytest.mark.parametrize("model", families("strings"), ids=class_name)
def test_no_training_object_leaves(model):
    served = hidden(model.fit(SECRETS, SIDES), calibration=(CALIBRATION, SIDES))
    told = json.dumps(described_model(served)) + json.dumps(openapi(served, secured=False))
    answering = Answering(served)
    for asked in ("tea", "an unlike text", "secre"):
        told += answering.reply(question(asked), Question("json")).body.decode()
        told += answering.reply(question(asked), Question("json", change=True)).body.decode()
        assert answering.reply(question(asked), Question("json", witnesses=1)).status == 403
    assert not [secret for secret in [*SECRETS, *CALIBRATION, "hidden", "word"] if secret in told]


def test_the_pieces_of_linear_models_do_not_leave_as_changes():
    served = hidden(wideberth.LinearLipschitzClassifier("ngrams").fit(SECRETS, SIDES))
    assert Answering(served).reply(question("tea"), Question("json", change=True)).status == 403
    assert "pieces of its training texts" in described_model(served)["missing"]["change"]
    shown = hidden(served.saved.model, witnesses=True)
    assert Answering(shown).reply(question("tea"), Question("json", change=True)).status == 200


def test_an_impossible_distance_is_told_without_the_training_object():
    broken = wideberth.metric(
        lambda one, other: -1.0 if "tea" in (one, other) and one != other else float(one != other)
    )
    served = hidden(wideberth.NeighborsClassifier(broken).fit(SECRETS, SIDES))
    told = Answering(served).reply(question("tea"), Question("json"))
    assert told.status == 500
    assert "BrokenAxiom" in json.loads(told.body)["detail"]
    assert b"secret" not in told.body


def until_logged(server, ids):
    """Its events by their requests, as soon as all of these are there: a line is written when the
    answer has gone.
    """
    for _ in range(1000):
        logged = {event.get("id"): event for event in server.events()}
        if ids <= logged.keys():
            break
        time.sleep(0.01)
    return logged


def test_the_log_has_a_line_for_each_request_and_no_object(server, asked):
    told = asked.post("/predict?witnesses=1", content=question("Unforgettable"), headers=JSON)
    refused = asked.post("/predict", content=b'{"objects": ["Unforgettable", 7]}', headers=JSON)
    lost = asked.get("/Unforgettable?object=Unforgettable")
    ids = {answer.headers["x-request-id"] for answer in (told, refused, lost)}
    logged = until_logged(server, ids)
    for answer, status in ((told, 200), (refused, 400), (lost, 404)):
        line = logged[answer.headers["x-request-id"]]
        assert (line["event"], line["status"], line["client"]) == ("request", status, "127.0.0.1")
        assert line["milliseconds"] > 0
    assert logged[told.headers["x-request-id"]]["objects"] == 1
    assert "Unforgettable" not in server.log.read_text(encoding="utf-8")
