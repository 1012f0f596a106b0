"""A model of first names, an application that serves it in this process, and servers in processes
of their own.
"""

import sys
from typing import NamedTuple

import httpx
import numpy as np
import pytest
from http_servers import PATIENCE, PATIENT, running
from starlette.testclient import TestClient

import wideberth
from wideberth.datasets import load_first_names
from wideberth.serve import create_app


class Names(NamedTuple):
    """A fitted model, with objects that it has not seen."""

    model: wideberth.NeighborsClassifier
    training: list[str]
    calibration: tuple[list[str], list[str]]
    new: list[str]


@pytest.fixture(scope="session")
def names():
    words, sexes = load_first_names()
    order = np.random.default_rng(0).permutation(len(words))
    drawn, labels = [str(words[at]) for at in order], [str(sexes[at]) for at in order]
    first = dict(zip(drawn, labels, strict=True))
    drawn, labels = list(first), list(first.values())
    model = wideberth.NeighborsClassifier("levenshtein", n_neighbors=3).fit(
        drawn[:200], labels[:200]
    )
    return Names(model, drawn[:200], (drawn[200:300], labels[200:300]), drawn[300:400])


@pytest.fixture(scope="session")
def client(names):
    """Asks an application that shows witnesses and was calibrated."""
    app = create_app(
        names.model, calibration=names.calibration, witnesses=True, hosts=None, limits=PATIENT
    )
    with TestClient(app) as asking:
        yield asking


@pytest.fixture(scope="session")
def model_file(names, tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "names.wb"
    wideberth.save(names.model, path)
    return path


@pytest.fixture(scope="session")
def server(model_file, tmp_path_factory):
    """The command, with two workers and all that a model without calibration can tell."""
    options = [
        "--port",
        "0",
        "--workers",
        "2",
        "--timeout",
        str(PATIENCE),
        "--max-batch",
        "50",
        "--max-length",
        "100",
    ]
    command = [sys.executable, "-m", "wideberth", "serve", str(model_file), "--witnesses", *options]
    with running(tmp_path_factory.mktemp("server"), *command) as found:
        yield found


@pytest.fixture(scope="session")
def asked(server):
    with httpx.Client(base_url=server.address, timeout=PATIENCE) as asking:
        yield asking
