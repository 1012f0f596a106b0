"""A request that takes too long ends with 503, and its work is stopped; the end of a server loses
no request.
"""

import os
import signal
import socket
import threading
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from http_servers import JSON, PATIENCE, question, until, waiting
from starlette.testclient import TestClient
from waiting_metric import waiting_model

from wideberth.serve import Limits, create_app


def is_alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_work_that_takes_too_long_is_stopped(tmp_path):
    app = create_app(waiting_model(), hosts=None, limits=Limits(seconds=2.0))
    with TestClient(app) as asking:
        (before,) = app.state.workers.pids
        told = asking.post("/predict", content=question(f"wait:{tmp_path}/never"), headers=JSON)
        assert told.status_code == 503
        assert told.headers["retry-after"]
        assert "stopped" in told.json()["detail"]
        assert not is_alive(before)
        until(lambda: asking.get("/health").status_code == 200)  # another worker takes its place
        assert app.state.workers.pids != {before}
        until(
            lambda: (
                asking.post("/predict", content=question("aaa"), headers=JSON).status_code == 200
            )
        )
        assert (
            'wideberth_workers_replaced_total{reason="time"} 0' not in asking.get("/metrics").text
        )
        (last,) = app.state.workers.pids
    assert not is_alive(last)


@pytest.mark.slow
def test_a_worker_that_dies_is_replaced(tmp_path):
    app = create_app(waiting_model(), hosts=None, limits=Limits(seconds=PATIENCE))
    with TestClient(app) as asking, ThreadPoolExecutor(1) as threads:
        (pid,) = app.state.workers.pids
        told = threads.submit(
            asking.post, "/predict", content=question(f"wait:{tmp_path}/never"), headers=JSON
        )
        until(lambda: "wideberth_requests_in_flight 2" in asking.get("/metrics").text)
        os.kill(pid, signal.SIGKILL)
        assert told.result(PATIENCE).status_code == 503
        assert asking.post("/predict", content=question("aaa"), headers=JSON).status_code == 200
        assert 'wideberth_workers_replaced_total{reason="died"} 1' in asking.get("/metrics").text


@pytest.mark.slow
def test_more_than_may_wait_are_refused_at_once(tmp_path):
    gate = tmp_path / "gate"
    app = create_app(waiting_model(), hosts=None, limits=Limits(seconds=PATIENCE, waiting=2))
    with TestClient(app) as asking, ThreadPoolExecutor(3) as threads:
        told = [
            threads.submit(asking.post, "/predict", content=question(f"wait:{gate}"), headers=JSON)
            for _ in range(3)
        ]
        until(lambda: "wideberth_requests_waiting 2" in asking.get("/metrics").text)
        refused = asking.post("/predict", content=question("aaa"), headers=JSON)
        assert refused.status_code == 503
        assert "waiting" in refused.json()["detail"]
        gate.touch()
        assert [each.result(PATIENCE).status_code for each in told] == [200] * 3


@pytest.fixture
def waiting_server(tmp_path):
    with waiting(tmp_path, workers=2, seconds=PATIENCE) as server:
        yield server


@pytest.mark.slow
def test_sigterm_loses_no_request_that_was_accepted(waiting_server, tmp_path):
    gate, clients = tmp_path / "gate", 6
    asked = [f"wait:{gate}", "b" * 21] * (clients // 2)

    def ask(word):
        return httpx.post(
            f"{waiting_server.address}/predict",
            content=question(word, "aaa"),
            headers=JSON,
            timeout=PATIENCE,
        )

    with ThreadPoolExecutor(clients) as threads:
        told = [threads.submit(ask, word) for word in asked[::2]]
        until(
            lambda: (
                f"in_flight {clients // 2 + 1}"
                in httpx.get(f"{waiting_server.address}/metrics", timeout=PATIENCE).text
            )
        )
        told += [threads.submit(ask, word) for word in asked[1::2]]
        until(
            lambda: (
                f"in_flight {clients + 1}"
                in httpx.get(f"{waiting_server.address}/metrics", timeout=PATIENCE).text
            )
        )
        waiting_server.process.send_signal(signal.SIGTERM)
        until(lambda: not is_listening(waiting_server.port))
        assert not any(each.done() for each in told)
        gate.touch()
        answers = [each.result(PATIENCE) for each in told]
    assert [answer.status_code for answer in answers] == [200] * clients
    for word, answer in zip([*asked[::2], *asked[1::2]], answers, strict=True):
        expected = waiting_model().predict([word, "aaa"]).tolist()
        assert [each["label"] for each in answer.json()["answers"]] == expected
    assert waiting_server.process.wait(PATIENCE) == 0
    logged = [event for event in waiting_server.events() if event.get("route") == "/predict"]
    assert [event["status"] for event in logged] == [200] * clients


def is_listening(port):
    with socket.socket() as probe:
        probe.settimeout(PATIENCE)
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.mark.slow
def test_whatever_was_accepted_before_sigterm_under_load_is_answered(waiting_server):
    """Clients ask as fast as they can, each request on a connection of its own; the server logs one
    line for every answer.
    """
    answered, lock, go_on = [], threading.Lock(), threading.Event()

    def ask_on():
        while not go_on.is_set():
            try:
                told = httpx.post(
                    f"{waiting_server.address}/predict",
                    content=question("aaa"),
                    headers=JSON,
                    timeout=PATIENCE,
                )
            except (
                httpx.ConnectError,
                httpx.ReadError,
                httpx.RemoteProtocolError,
                httpx.WriteError,
            ):
                return  # the server does not listen any more, or never took up the connection
            with lock:
                answered.append((told.status_code, told.json()["answers"][0]["label"]))

    clients = [threading.Thread(target=ask_on) for _ in range(8)]
    for each in clients:
        each.start()
    until(lambda: len(answered) >= 40)
    code = waiting_server.stop()
    go_on.set()
    for each in clients:
        each.join(PATIENCE)
    assert code == 0
    assert set(answered) == {(200, "short")}
    assert len(answered) == len(
        [event for event in waiting_server.events() if event.get("route") == "/predict"]
    )


@pytest.mark.slow  # it waits for the time that the command grants
def test_connections_that_send_no_head_are_closed(server):
    """Two connections, one silent and one that sends half a head, end by themselves."""
    address = ("127.0.0.1", server.port)
    with (
        socket.create_connection(address, PATIENCE) as silent,
        socket.create_connection(address, PATIENCE) as slow,
    ):
        slow.sendall(b"GET /health HTTP/1.1\r\nHost: ")
        assert silent.recv(1) == b""
        assert slow.recv(1) == b""
