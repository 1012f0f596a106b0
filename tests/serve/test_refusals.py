"""What cannot be answered is refused, in sentences, and nothing breaks."""

import errno
import json
import socket
from contextlib import suppress

import httpx
import numpy as np
import pytest
from hostile_requests import HOSTILE
from http_servers import JSON, PATIENCE, question
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

from wideberth import NeighborsClassifier
from wideberth.errors import InvalidInput
from wideberth.io.model_file.model_parts import Origin
from wideberth.io.model_file.read import read_model
from wideberth.io.model_file.write import write_model
from wideberth.serve import create_app
from wideberth.serve.answering import Answering, Question
from wideberth.serve.limits import Limits
from wideberth.serve.problems import HOW_OBJECTS_ARE_WRITTEN, problem_of
from wideberth.serve.served_model import served_model
from wideberth.wording import at, python, setting


def sent(asking, hostile):
    headers = [
        *hostile.headers,
        *([("Content-Type", hostile.media_type)] if hostile.media_type else []),
    ]
    return asking.request(hostile.method, hostile.path, content=hostile.body, headers=headers)


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_requests_get_a_sentence(asked, name):
    told = sent(asked, HOSTILE[name])
    assert told.status_code in HOSTILE[name].status, told.text
    problem = told.json()
    assert told.headers["content-type"] == "application/problem+json"
    assert problem["status"] == told.status_code
    assert problem["detail"].endswith(".")
    assert 10 < len(problem["detail"]) <= 700
    assert "Traceback" not in told.text
    assert "wideberth." not in told.text


def test_the_server_is_as_it_was(asked, names):
    for hostile in HOSTILE.values():
        sent(asked, hostile)
    told = asked.post("/predict", content=question(*names.new[:20]), headers=JSON).json()["answers"]
    assert [answer["label"] for answer in told] == names.model.predict(names.new[:20]).tolist()
    assert 'wideberth_workers_replaced_total{reason="died"} 0' in asked.get("/metrics").text


def test_a_refusal_shows_the_object_and_the_value(asked):
    told = asked.post("/predict", content=question("tea", 3), headers=JSON).json()
    assert told["object"] == 2
    assert "3" in told["detail"]
    table = asked.post(
        "/predict", content=b"name\ntea\n\xff\n", headers={"Content-Type": "text/csv"}
    )
    assert table.status_code == 400
    assert "line 3" in table.json()["detail"].lower()


@pytest.mark.parametrize(
    "start",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",  # the beginning of TLS
        b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        b"GET /\x00 HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: -5\r\n\r\n",
        b"POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"POST /predict HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"GET / TEA/1.1\r\nHost: localhost\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 2_000_000 + b"\r\n\r\n",
        b"\r\n" * 1000,
    ],
)
def test_what_is_no_http_is_refused_or_dropped(server, asked, start):
    with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as connection:
        told = b""
        try:
            connection.sendall(start)
            connection.shutdown(socket.SHUT_WR)
            while part := connection.recv(65536):
                told += part
        except OSError as reason:  # it may close the connection while we still send
            if reason.errno not in (errno.ECONNRESET, errno.EPIPE, errno.ENOTCONN):
                raise
    assert told == b"" or told.split(b" ", 2)[1][:1] == b"4"
    assert asked.get("/health").status_code == 200


SMUGGLED = b"GET /model HTTP/1.1\r\nHost: localhost\r\n\r\n"


@pytest.mark.parametrize(
    "head",
    [
        b"POST /predict HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n",
        b"POST /predict HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n",
        b"POST /predict HTTP/1.1\r\ntransfer-encoding: Chunked\r\ncontent-length: 0\r\n",
        b"POST /predict HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n",
        b"GET /health HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n",
        b"GET / HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n",
        b"OPTIONS /predict HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n",
        b"POST /predict HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 0\r\n",
        b"POST /predict HTTP/1.1\r\nTransfer-Encoding: identity, chunked\r\n",
        b"POST /predict HTTP/1.1\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
        b"POST /predict HTTP/1.1\r\nTransfer-Encoding : chunked\r\n",
    ],
)
def test_no_request_hides_in_the_body_of_another(server, head):
    """Where two ways to find the end of a body disagree, the request gets 400, and what follows it
    is never read.
    """
    sent = head + b"Host: localhost\r\nContent-Type: application/json\r\n\r\n0\r\n\r\n" + SMUGGLED
    with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as connection:
        told = b""
        connection.sendall(sent)
        with suppress(ConnectionResetError):
            while part := connection.recv(65536):
                told += part
    assert told.startswith(b"HTTP/1.1 400 ")
    assert told.count(b"HTTP/1.1 ") == 1
    assert b"connection: close" in told.lower()


def test_asking_from_a_browser_first_hides_no_request_either(names):
    """Browsers' questions whether they may ask are answered before the token is looked at."""
    app = create_app(
        names.model, token="0123456789abcdef", origins=("https://example.org",), hosts=None
    )
    headers = {
        "Origin": "https://example.org",
        "Access-Control-Request-Method": "POST",
        "Content-Length": "5",
    }
    asking = TestClient(app)  # not entered: no worker is needed
    assert asking.options("/predict", headers=headers).status_code == 200
    refused = asking.options("/predict", headers=headers | {"Transfer-Encoding": "chunked"})
    assert refused.status_code == 400
    assert refused.headers["connection"] == "close"


def test_a_body_without_an_announced_length_is_limited_too(asked):
    def endless():
        for _ in range(2000):
            yield b"x" * 1000

    with suppress(
        httpx.WriteError, httpx.ReadError, httpx.RemoteProtocolError
    ):  # it may close the connection while we still send
        assert asked.post("/predict", content=endless(), headers=JSON).status_code == 413
    assert asked.get("/health").status_code == 200


#: Texts that are nearly bodies.
BODIES = st.one_of(
    st.binary(max_size=200),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    ).map(lambda value: json.dumps({"objects": value}).encode()),
    st.lists(st.text()).map(lambda values: json.dumps({"objects": values}).encode()),
    st.text().map(lambda text: f"name\n{text}\n".encode(errors="replace")),
)


@given(body=BODIES, written=st.sampled_from(["json", "jsonl", "csv"]))
def test_any_body_is_answered_or_refused(names, body, written):
    served = served_model(
        names.model, calibration=None, delta=0.05, unit=None, witnesses=False, limits=Limits()
    )
    told = Answering(served).reply(body, Question(written))
    assert told.status in (200, 400, 413, 422), told
    assert isinstance(json.loads(told.body), dict)


def test_errors_that_nobody_foresaw_are_told_without_their_message(names, monkeypatch):
    served = served_model(
        names.model, calibration=None, delta=0.05, unit=None, witnesses=False, limits=Limits()
    )
    answering = Answering(served)
    monkeypatch.setattr(answering, "_basic", lambda asked: {}["the secret object"])
    told = answering.reply(question("tea"), Question("json"))
    assert told.status == 500
    assert b"secret" not in told.body
    assert "KeyError" in told.fault
    assert "secret" not in told.fault


@pytest.mark.parametrize(
    ("body", "detail", "advice"),
    [
        (
            b'{"objects": [[1, 2, 3], [1, 2]]}',
            "Object 2: [1, 2] is 2 values, and 3 are needed: 'a', 'b', 'c'.",
            '"a": ...',
        ),
        (b'{"objects": [5]}', "Object 1: 5 is one value, and 3 are needed", '"a": ...'),
        (b"{bad", "The body is not JSON", '"objects": [...]'),
        (b'{"objects": [[1, 2, NaN]]}', "NaN is not a JSON number", "Numbers must be finite"),
    ],
)
def test_values_without_their_columns_are_counted_and_the_advice_fits(
    tmp_path, body, detail, advice
):
    model = NeighborsClassifier("euclidean", n_neighbors=1).fit(np.eye(3), ["x", "y", "z"])
    write_model(model, str(tmp_path / "m.wb"), Origin("vectors", ("a", "b", "c")))
    served = served_model(
        read_model(str(tmp_path / "m.wb")),
        calibration=None,
        delta=0.05,
        unit=None,
        witnesses=False,
        limits=Limits(),
    )
    told = Answering(served).reply(body, Question("json"))
    problem = json.loads(told.body)
    assert told.status == 400
    assert detail in problem["detail"]
    assert advice in problem["advice"]
    assert "'value'" not in problem["detail"]


def test_too_few_numbers_are_counted_where_columns_have_no_names():
    model = NeighborsClassifier("euclidean", n_neighbors=1).fit(np.eye(3), ["x", "y", "z"])
    served = served_model(
        model, calibration=None, delta=0.05, unit=None, witnesses=False, limits=Limits()
    )
    problem = json.loads(Answering(served).reply(b'{"objects": [[1, 2]]}', Question("json")).body)
    assert problem["detail"] == "2 numbers, and the model learned from objects of 3."


@pytest.mark.parametrize(
    "advice", [setting("kind", "rows"), python("wideberth.diagnose"), setting("unit")]
)
def test_advice_for_python_is_not_given_to_those_who_send_requests(advice):
    told = problem_of(InvalidInput(f"{at('Object', 4)} is no text.", advice=f"Try {advice}."))
    assert (told.status, told.detail, told.advice) == (
        422,
        "Object 5 is no text.",
        HOW_OBJECTS_ARE_WRITTEN,
    )
    assert told.facts == {"object": 5}


def test_advice_for_everybody_is_given():
    told = problem_of(
        InvalidInput(
            f"{at('Row', 0)} has no value in {at('column', 'age=')}.",
            advice="Fill it in: kind='rows'.",
        )
    )
    assert (told.detail, told.advice) == (
        "Row 1 has no value in column 'age='.",
        "Fill it in: kind='rows'.",
    )


def test_objects_that_a_metric_refuses_are_counted_from_1():
    model = NeighborsClassifier("angular", n_neighbors=1).fit(np.eye(3), ["x", "y", "z"])
    served = served_model(
        model, calibration=None, delta=0.05, unit=None, witnesses=False, limits=Limits()
    )
    told = Answering(served).reply(b'{"objects": [[1, 2, 3], [0, 0, 0]]}', Question("json"))
    problem = json.loads(told.body)
    assert told.status == 422
    assert problem["detail"].startswith("Object 2 is the zero vector")
    assert problem["object"] == 2
