"""Thousands of requests from 16 clients, a tenth of them hostile: every answer is right, nothing
crashes, memory stays flat.
"""

import json
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from hostile_requests import HOSTILE

from wideberth.cards.values import probability

CLIENTS = 16


@pytest.fixture
def load(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2]))
    return import_module("benchmarks.serve.clients")


def drawn(load, names, count, seed):
    """Requests in a random order: one to five objects each, and each tenth from the hostile
    ones.
    """
    random = np.random.default_rng(seed)
    hostile = [
        each for name, each in HOSTILE.items() if name not in ("a long body", "compressed")
    ]  # sent in other tests
    requests, expected = [], []
    for place in range(count):
        if place % 10 == 3:
            bad = hostile[random.integers(len(hostile))]
            headers = dict(bad.headers) | (
                {"Content-Type": bad.media_type} if bad.media_type else {}
            )
            requests.append(load.Asked(bad.body, bad.path, bad.method, headers))
            expected.append(bad.status)
        else:
            objects = [
                names.new[at] for at in random.integers(len(names.new), size=random.integers(1, 6))
            ]
            requests.append(load.Asked(json.dumps({"objects": objects}).encode()))
            expected.append(objects)
    return requests, expected


def check(told, expected, right):
    """Each answer is that of the model, each refusal has its status."""
    for answer, asked in zip(told, expected, strict=True):
        if isinstance(asked, tuple):
            assert answer.status in (*asked, 0), answer
        else:
            assert answer.status == 200, answer
            found = [
                (each["label"], each["probability"], each["radius"]["value"])
                for each in json.loads(answer.body)["answers"]
            ]
            assert found == [right[name] for name in asked]


@pytest.mark.parametrize("count", [600, pytest.param(5000, marks=pytest.mark.slow)])
def test_every_answer_is_right_under_load(load, server, asked, names, count):
    model, new = names.model, names.new
    probable, radii = (
        [probability(each) for each in model.predict_proba(new).max(axis=1)],
        model.certified_radius(new, unit="edit").tolist(),
    )
    right = {
        name: each
        for name, *each in zip(new, model.predict(new).tolist(), probable, radii, strict=True)
    }
    right = {name: tuple(each) for name, each in right.items()}
    first, expected = drawn(load, names, count // 3, seed=1)
    check(load.ask_all(server.port, first, CLIENTS), expected, right)
    before = load.resident_memory(server.process.pid)
    rest, expected = drawn(load, names, count - count // 3, seed=2)
    check(load.ask_all(server.port, rest, CLIENTS), expected, right)
    after = load.resident_memory(server.process.pid)
    assert after < 1.1 * before, "memory grows with the requests"
    assert server.process.poll() is None
    counts = asked.get("/metrics").text
    for reason in ("died", "time"):
        assert f'wideberth_workers_replaced_total{{reason="{reason}"}} 0' in counts
