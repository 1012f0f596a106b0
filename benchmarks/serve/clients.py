"""Clients that ask a server on this machine, several at a time, each on a connection that it
keeps.
"""

import http.client
import re
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from benchmarks.timing import cpu_of_process

#: Seconds after which a client gives up; no server that works takes so long.
PATIENCE = 300


class Asked(NamedTuple):
    """A request."""

    body: bytes
    path: str = "/predict"
    method: str = "POST"
    headers: Mapping[str, str] = {"Content-Type": "application/json"}


class Told(NamedTuple):
    """What came back, and after how many seconds; the status is 0 if the server closed the
    connection while we were sending.
    """

    status: int
    body: bytes
    seconds: float


def ask_all(port: int, requests: Sequence[Asked], clients: int) -> list[Told]:
    """Ask everything, each client every so-manieth request in turn; the answers are in the order of
    the requests.
    """
    told: list[Told] = [Told(0, b"", 0.0)] * len(requests)

    def ask_some(first: int) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        for place in range(first, len(requests), clients):
            told[place] = ask(connection, requests[place])
        connection.close()

    with ThreadPoolExecutor(clients) as threads:
        for done in [threads.submit(ask_some, first) for first in range(clients)]:
            done.result()
    return told


def ask(connection: http.client.HTTPConnection, asked: Asked) -> Told:
    """Ask once; on a kept connection that the server has closed meanwhile, once more on a new one,
    as clients have to.
    """
    started = time.perf_counter()
    for last in (False, True):
        try:
            connection.request(asked.method, asked.path, asked.body, dict(asked.headers))
            response = connection.getresponse()
            body = response.read()
        except (BrokenPipeError, ConnectionResetError, http.client.RemoteDisconnected):
            connection.close()
            if last:
                break
            continue
        return Told(response.status, body, time.perf_counter() - started)
    return Told(0, b"", time.perf_counter() - started)


def resident_memory(pid: int) -> int:
    """The bytes that a process and those that it started hold in memory, on Linux."""
    return sum(_resident(each) for each in [pid, *_children(pid)])


def _resident(pid: int) -> int:
    try:
        found = re.search(
            r"^VmRSS:\s+(\d+) kB",
            Path(f"/proc/{pid}/status").read_text(encoding="utf-8"),
            re.MULTILINE,
        )
    except FileNotFoundError:  # it has ended meanwhile
        return 0
    return 1024 * int(found[1]) if found else 0


def _children(pid: int) -> list[int]:
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for task in tasks for child in task.read_text(encoding="utf-8").split()]


def cpu_seconds(pid: int) -> float:
    """The seconds of all cores that a process and those that it started have taken so far, on
    Linux.
    """
    return sum(cpu_of_process(each) for each in [pid, *_children(pid)])
