"""One client cannot take what others need: places, workers and connections have shares, by
address.
"""

import asyncio
import socket
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from http_servers import JSON, PATIENCE, question, until, waiting

from wideberth.serve.limits import Limits
from wideberth.serve.workers import Workers

#: Addresses of this machine, each a client of its own.
ONE, OTHER, THIRD = "127.0.0.1", "127.0.0.2", "127.0.0.3"


def can_be_bound(address):
    with socket.socket() as probe:
        try:
            probe.bind((address, 0))
        except OSError:
            return False
    return True


pytestmark = pytest.mark.skipif(
    not can_be_bound(THIRD), reason="this system has one loopback address"
)


@pytest.fixture(scope="module")
def fair(tmp_path_factory):
    """One worker, four requests of a client, and six that wait."""
    with waiting(
        tmp_path_factory.mktemp("fair"), client=4, waiting=6, seconds=PATIENCE, idle=PATIENCE
    ) as server:
        yield server


@pytest.fixture(scope="module")
def behind_proxy(tmp_path_factory):
    """A proxy at one address, one request and three connections of a client, five connections of
    all.
    """
    constants = {"MOST_OF_ONE_CLIENT": 3, "MOST_CONNECTIONS": 5}
    folder = tmp_path_factory.mktemp("proxy")
    with waiting(
        folder, proxies=(ONE,), constants=constants, client=1, seconds=PATIENCE, idle=PATIENCE
    ) as server:
        yield server


def ask(server, address, word, **headers):
    """The answer to a client at an address, on a connection of its own."""
    with httpx.Client(
        transport=httpx.HTTPTransport(local_address=address), timeout=PATIENCE
    ) as client:
        return client.post(
            f"{server.address}/predict", content=question(word), headers=JSON | headers
        )


def counted(server, name):
    """A number of the moment."""
    lines = httpx.get(f"{server.address}/metrics", timeout=PATIENCE).text.splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"wideberth_{name} "))


def test_free_workers_go_to_clients_in_turn(fair, tmp_path):
    gate = tmp_path / "gate"
    before = len(answered(fair))
    with ThreadPoolExecutor(5) as threads:
        told = [threads.submit(ask, fair, ONE, f"wait:{gate}")]
        until(lambda: counted(fair, "requests_in_flight") == 2)
        told += [threads.submit(ask, fair, ONE, "aaa") for _ in range(3)]
        until(lambda: counted(fair, "requests_waiting") == 3)
        told.append(threads.submit(ask, fair, OTHER, "aaa"))
        until(lambda: counted(fair, "requests_waiting") == 4)
        gate.touch()
        assert [each.result(PATIENCE).status_code for each in told] == [200] * 5
    until(lambda: len(answered(fair)) == before + 5)
    assert answered(fair)[before:] == [ONE, OTHER, ONE, ONE, ONE]


def answered(server):
    """The clients whose requests were answered, in order."""
    return [event["client"] for event in server.events() if event.get("route") == "/predict"]


def test_a_client_beyond_its_share_is_told_so_and_others_are_not(fair, tmp_path):
    gate = tmp_path / "gate"
    with ThreadPoolExecutor(7) as threads:
        told = [threads.submit(ask, fair, ONE, f"wait:{gate}") for _ in range(4)]
        until(lambda: counted(fair, "requests_waiting") == 3)
        for headers in (
            {},
            {"X-Forwarded-For": "10.0.0.9", "Forwarded": "for=10.0.0.9"},
        ):  # whoever says so is not believed
            refused = ask(fair, ONE, "aaa", **headers)
            assert refused.status_code == 429
            assert refused.headers["retry-after"]
            assert refused.headers["connection"] == "close"
            assert "4 requests of this client" in refused.json()["detail"]
            assert "proxy" in refused.json()["advice"]
        assert httpx.get(f"{fair.address}/health", timeout=PATIENCE).status_code == 200
        told += [threads.submit(ask, fair, OTHER, "aaa") for _ in range(3)]
        until(lambda: counted(fair, "requests_waiting") == 6)
        full = ask(fair, THIRD, "aaa")
        assert full.status_code == 503
        assert "7 requests are in work or waiting" in full.json()["detail"]
        gate.touch()
        assert [each.result(PATIENCE).status_code for each in told] == [200] * 7
    assert ask(fair, ONE, "aaa").status_code == 200


def test_a_body_that_does_not_come_holds_a_place(fair):
    """So that bodies in memory are bounded; the time for a body ends it."""
    head = b"POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{"
    slow = [socket.create_connection((ONE, fair.port), PATIENCE) for _ in range(4)]
    try:
        for each in slow:
            each.sendall(head)
        until(lambda: counted(fair, "requests_in_flight") == 5)
        assert ask(fair, ONE, "aaa").status_code == 429
        assert ask(fair, OTHER, "aaa").status_code == 200
    finally:
        for each in slow:
            each.close()
    until(lambda: ask(fair, ONE, "aaa").status_code == 200)


def test_clients_behind_a_proxy_that_is_known_are_told_apart(behind_proxy, tmp_path):
    gate = tmp_path / "gate"
    with ThreadPoolExecutor(3) as threads:
        told = [
            threads.submit(
                ask,
                behind_proxy,
                ONE,
                f"wait:{gate}",
                **{"X-Forwarded-For": f"10.0.0.9, 10.0.0.{last}"},
            )
            for last in (1, 2)
        ]
        until(lambda: counted(behind_proxy, "requests_in_flight") == 3)
        assert ask(behind_proxy, ONE, "aaa", **{"X-Forwarded-For": "10.0.0.1"}).status_code == 429
        told.append(threads.submit(ask, behind_proxy, OTHER, f"wait:{gate}"))
        until(lambda: counted(behind_proxy, "requests_in_flight") == 4)
        refused = ask(
            behind_proxy, OTHER, "aaa", **{"X-Forwarded-For": "10.0.0.3"}
        )  # this one is no proxy
        assert refused.status_code == 429
        gate.touch()
        assert [each.result(PATIENCE).status_code for each in told] == [200] * 3
    assert {"10.0.0.1", "10.0.0.2", OTHER} <= set(answered(behind_proxy))
    assert "10.0.0.3" not in answered(behind_proxy)


class Served:
    """All that workers which are never started ask of a model."""

    limits = Limits(seconds=PATIENCE)


@pytest.mark.few(1)
@pytest.mark.parametrize("first", ["the worker comes", "the client leaves"])
def test_a_worker_that_comes_when_nobody_waits_any_more_is_not_lost(first):
    worker, workers = object(), Workers(Served, 1, print)

    async def leave():
        waiting = asyncio.get_running_loop().create_task(workers._next(ONE))
        await asyncio.sleep(0)
        if first == "the client leaves":
            waiting.cancel()
        workers._add(worker)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert workers.waiting == 0
        assert await workers._next(OTHER) is worker

    asyncio.run(leave())
    assert workers._at_work == {OTHER: 1}


def connected(server, address):
    return socket.create_connection((ONE, server.port), PATIENCE, source_address=(address, 0))


def everything(connection):
    """All that comes until the end of a connection."""
    told = b""
    while part := connection.recv(65536):
        told += part
    return told


@pytest.mark.slow
def test_connections_of_one_client_and_of_all_are_limited(behind_proxy):
    open_ones = []
    try:
        open_ones += [connected(behind_proxy, OTHER) for _ in range(3)]
        with connected(behind_proxy, OTHER) as refused:
            told = everything(refused)
        assert told.startswith(b"HTTP/1.1 429 ")
        assert b"3 connections of this client" in told
        open_ones += [connected(behind_proxy, ONE) for _ in range(2)]
        with connected(behind_proxy, THIRD) as refused:
            told = everything(refused)
        assert told.startswith(b"HTTP/1.1 503 ")
        assert b"5 connections are open" in told
    finally:
        for each in open_ones:
            each.close()
    until(lambda: httpx.get(f"{behind_proxy.address}/health", timeout=PATIENCE).status_code == 200)
