"""Clients that send or read byte by byte, or not at all, hold nothing for long."""

import socket

import httpx
import pytest
from http_servers import PATIENCE, until, waiting


@pytest.fixture(scope="module")
def hasty(tmp_path_factory):
    """A server that waits a second for everything."""
    with waiting(tmp_path_factory.mktemp("hasty"), seconds=1.0, idle=1.0) as server:
        yield server


def connected(server):
    """A connection that takes little of what nobody reads."""
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
    connection.settimeout(PATIENCE)
    connection.connect(("127.0.0.1", server.port))
    return connection


def drip(connection, letters):
    """Send one byte after the other until the server says or does something; what it says."""
    connection.settimeout(0.02)
    for letter in letters:
        try:
            connection.sendall(bytes([letter]))
            return connection.recv(65536)
        except TimeoutError:
            continue
        except (ConnectionResetError, BrokenPipeError):
            return b""
    raise AssertionError("the server goes on waiting")


def test_a_head_byte_by_byte_is_given_up(hasty):
    with connected(hasty) as slow:
        assert drip(slow, b"GET /health HTTP/1.1\r\nX: " + b"x" * 50 * PATIENCE) == b""


@pytest.mark.parametrize(
    ("framing", "body"),
    [
        ("Content-Length: 900000", b"x" * 50 * PATIENCE),
        ("Transfer-Encoding: chunked", b"1\r\nx\r\n" * 10 * PATIENCE),
    ],
)
def test_a_body_byte_by_byte_is_given_up(hasty, framing, body):
    with connected(hasty) as slow:
        slow.sendall(
            "POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
            f"text/csv\r\n{framing}\r\n\r\n".encode()
        )
        told = drip(slow, body)
    assert told.startswith(b"HTTP/1.1 408 ")
    assert b"connection: close" in told.lower()


def dropped(server):
    return sum(event["event"] == "client does not read" for event in server.events())


def in_flight(server):
    lines = httpx.get(f"{server.address}/metrics", timeout=PATIENCE).text.splitlines()
    return next(
        int(line.split()[1]) for line in lines if line.startswith("wideberth_requests_in_flight ")
    )


def rest(connection):
    """What is left to read on a connection that the other side has ended."""
    told = b""
    try:
        while part := connection.recv(65536):
            told += part
    except ConnectionResetError:
        pass
    return told


def test_a_client_that_reads_no_answer_is_dropped(hasty):
    """It asks on and on, so that answers pile up until the server waits for it to read."""
    before, asked = dropped(hasty), b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with connected(hasty) as greedy:
        greedy.sendall(asked * 100)
        until(lambda: dropped(hasty) == before + 1)
        until(lambda: in_flight(hasty) == 1)  # the question about it alone
        assert rest(greedy).count(b"HTTP/1.1 200 OK") < 100


@pytest.mark.slow
def test_a_last_answer_that_nobody_reads_is_dropped(hasty):
    """All of it fits into the buffers of the server, for which the request is done."""
    before = dropped(hasty)
    size = len(httpx.get(f"{hasty.address}/openapi.json", timeout=PATIENCE).content)
    with connected(hasty) as silent:
        silent.sendall(
            b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        )
        until(lambda: dropped(hasty) == before + 1)
        assert len(rest(silent)) < size


@pytest.mark.slow
def test_a_client_that_reads_slowly_but_reads_gets_everything(hasty):
    asked, count = b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n", 30
    with connected(hasty) as slow:
        slow.sendall(
            asked * (count - 1) + asked.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
        )
        assert rest(slow).count(b"HTTP/1.1 200 OK") == count
