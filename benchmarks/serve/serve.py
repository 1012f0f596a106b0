"""Answers over HTTP beside those of the bare model: times, requests a second, and a run with
hostile requests.
"""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

import wideberth as wb
from benchmarks.results import Facts
from benchmarks.serve.clients import PATIENCE, Asked, ask_all, cpu_seconds, resident_memory
from benchmarks.timing import Clock, table

#: Names that the model learns from, worker processes, clients, and requests of each kind.
LEARNED, WORKERS, CLIENTS = 2000, 2, 16
REQUESTS = {1: 1000, 100: 100}
#: Requests of the run in which a tenth is hostile.
MIXED = 5000

#: Requests that cannot be answered, each with the status that it gets.
HOSTILE: list[tuple[bytes, dict[str, str], int]] = [
    (body, {"Content-Type": kind}, status)
    for body, kind, status in (
        (b"{", "application/json", 400),
        (b'{"objects": [NaN]}', "application/json", 400),
        (b'{"objects": ' + b"[" * 20_000 + b"]" * 20_000 + b"}", "application/json", 400),
        (b'{"objects": ["\\ud83c"]}', "application/json", 400),
        (b'{"objects": ["tea", 3]}', "application/json", 400),
        (b'{"objects": ["' + b"x" * 20_000 + b'"]}', "application/json", 413),
        (b'name\n"tea\n', "text/csv", 400),
        (b"\x80\x04.", "application/octet-stream", 415),
    )
]


def measure() -> Facts:
    model, names = fitted()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "names.wb")
        wb.save(model, file)
        with serving(file, Path(folder, "log.jsonl")) as (port, pid):
            ask_all(port, questions(names, 1, 200), CLIENTS)  # everything has run once
            rows = [
                each
                for size, count in REQUESTS.items()
                for each in compared(model, names, size, count, port, pid)
            ]
            mixed = with_hostile(model, names, port, pid)
    return {"learned": LEARNED, "workers": WORKERS, "rows": rows, "mixed": mixed}


def fitted() -> tuple[wb.NeighborsClassifier, list[str]]:
    """A model of first names, and names that it has not seen."""
    words, sexes = wb.datasets.load_first_names()
    order = np.random.default_rng(0).permutation(len(words))
    known = order[:LEARNED]
    model = wb.NeighborsClassifier("levenshtein", n_neighbors=3).fit(
        [words[at] for at in known], np.asarray(sexes)[known]
    )
    return model, [str(words[at]) for at in order[LEARNED:]]


@contextmanager
def serving(file: Path, log: Path) -> Iterator[tuple[int, int]]:
    """The port and the process of a server."""
    command = [
        sys.executable,
        "-m",
        "wideberth",
        "serve",
        str(file),
        "--port",
        "0",
        "--workers",
        str(WORKERS),
    ]
    with log.open("wb") as out:
        process = subprocess.Popen(
            [*command, "--timeout", str(PATIENCE)], stdout=out, stderr=subprocess.DEVNULL
        )
    try:
        while '"listening"' not in log.read_text(encoding="utf-8"):
            if process.poll() is not None:
                raise RuntimeError("the server did not start")
            time.sleep(0.1)
        address = json.loads(log.read_text(encoding="utf-8").splitlines()[0])["address"]
        yield int(address.rpartition(":")[2]), process.pid
    finally:
        process.terminate()
        process.wait(PATIENCE)


def questions(names: list[str], size: int, count: int, seed: int = 0) -> list[Asked]:
    return [
        Asked(json.dumps({"objects": some}).encode()) for some in _drawn(names, size, count, seed)
    ]


def _drawn(names: list[str], size: int, count: int, seed: int) -> list[list[str]]:
    places = np.random.default_rng(seed).integers(len(names), size=(count, size))
    return [[names[at] for at in row] for row in places.tolist()]


def compared(
    model: Any, names: list[str], size: int, count: int, port: int, pid: int
) -> Iterator[dict[str, Any]]:
    """The bare model, which gives the same answers in this process, and the server with one client
    and with many.
    """
    some = _drawn(names, size, count, 0)
    yield {
        "who": "the model itself",
        "objects": size,
        **_timed(lambda: [_seconds(model, each) for each in some], time.process_time),
    }
    for clients in (1, CLIENTS):
        asked = questions(names, size, count)

        def run(clients: int = clients, asked: list[Asked] = asked) -> list[float]:
            told = ask_all(port, asked, clients)
            assert all(each.status == 200 for each in told)
            return [each.seconds for each in told]

        yield {
            "who": f"HTTP, {clients} client{'s' if clients > 1 else ''}",
            "objects": size,
            **_timed(run, lambda: cpu_seconds(pid)),
        }


def _seconds(model: Any, objects: list[str]) -> float:
    """How long the model takes for what an answer holds: labels, probabilities, radii, novelty."""
    started = time.perf_counter()
    model.predict(objects)
    model.predict_proba(objects)
    model.certified_radius(objects, unit="edit")
    return time.perf_counter() - started


def _timed(run: Callable[[], Sequence[float]], clock: Clock) -> dict[str, float]:
    """What a run takes in time, and by a clock of processor time that counts whoever answers."""
    started, cpu = time.perf_counter(), clock()
    each = run()
    took, cpu = time.perf_counter() - started, clock() - cpu
    p50, p99 = np.percentile(each, [50, 99]).tolist()
    return {
        "requests": len(each),
        "per_second": len(each) / took,
        "p50": p50,
        "p99": p99,
        "cpu": cpu / len(each),
    }


def with_hostile(model: Any, names: list[str], port: int, pid: int) -> dict[str, Any]:
    """Single objects, a tenth of them replaced by hostile requests: how many answers are wrong, and
    what memory does.
    """
    objects = _drawn(names, 1, MIXED, seed=7)
    asked, expected = questions(names, 1, MIXED, seed=7), [200] * MIXED
    for place in range(3, MIXED, 10):
        body, headers, expected[place] = HOSTILE[(place // 10) % len(HOSTILE)]
        asked[place] = Asked(body, headers=headers)
    started, memory = time.perf_counter(), []
    told = []
    for part in range(5):
        told += ask_all(port, asked[part * MIXED // 5 : (part + 1) * MIXED // 5], CLIENTS)
        memory.append(resident_memory(pid))
    took = time.perf_counter() - started
    right = dict(
        zip(
            [name for [name] in objects],
            model.predict([name for [name] in objects]).tolist(),
            strict=True,
        )
    )
    wrong = sum(
        each.status != status
        or (status == 200 and json.loads(each.body)["answers"][0]["label"] != right[name])
        for each, status, [name] in zip(told, expected, objects, strict=True)
    )
    times = [each.seconds for each, status in zip(told, expected, strict=True) if status == 200]
    p50, p99 = np.percentile(times, [50, 99]).tolist()
    return {
        "requests": MIXED,
        "clients": CLIENTS,
        "hostile": sum(status != 200 for status in expected),
        "wrong": wrong,
        "failed": sum(each.status in (0, 500, 503) for each in told),
        "memory": memory,
        "per_second": MIXED / took,
        "p50": p50,
        "p99": p99,
    }


def page(facts: Facts) -> str:
    mixed = facts["mixed"]
    rows = [
        [
            each["who"],
            *(f"{each[name]:,}" for name in ("objects", "requests")),
            *_rates(each),
            *_milliseconds(each),
        ]
        for each in facts["rows"]
    ]
    first, last = mixed["memory"][0] / 1e6, mixed["memory"][-1] / 1e6
    return "\n".join(
        [
            INTRODUCTION.format(**facts),
            "",
            table(
                [
                    "who answers",
                    "objects a request",
                    "requests",
                    "requests/s",
                    "objects/s",
                    "p50 (ms)",
                    "p99 (ms)",
                    "CPU (ms)",
                ],
                rows,
            ),
            "",
            *("## A tenth hostile", ""),
            f"{mixed['requests']:,} requests of one name from {mixed['clients']} clients, "
            f"{mixed['hostile']:,} of them malformed or hostile: {mixed['wrong']:,} wrong answers "
            f"or statuses, {mixed['failed']:,} requests failed. {mixed['per_second']:,.0f} "
            f"requests a second, p50 {1000 * mixed['p50']:.1f} ms, p99 {1000 * mixed['p99']:.1f} "
            f"ms. The server and its workers held {first:.0f} MB after the first fifth, {last:.0f} "
            "MB after the last.",
            "",
        ]
    )


def _rates(each: dict[str, Any]) -> list[str]:
    return [f"{each['per_second']:,.0f}", f"{each['per_second'] * each['objects']:,.0f}"]


def _milliseconds(each: dict[str, Any]) -> list[str]:
    return [f"{1000 * each[name]:.1f}" for name in ("p50", "p99", "cpu")]


INTRODUCTION = """\
# A model over HTTP

From `make bench` (`python -m benchmarks serve`). Three nearest neighbours of {learned:,} first names by Levenshtein's distance,
served by `wideberth serve` with {workers} worker processes, asked by clients in one Python process on the same machine, each on a
connection that it keeps. The model itself answers for the same names in a loop: label, probability and certified radius; the
server tells novelty too, reads the request and writes the answer. Times are what a client waits, on a machine that others used
too; processor time is that of the process which answers, or of the server and its workers together, for a request."""
