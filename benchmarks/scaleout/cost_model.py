"""What collections of a million, ten million and a billion objects cost: by a model, checked by
runs and by simulation.
"""

import heapq
import pickle
import sys
import time
import tracemalloc

import numpy as np

import wideberth as wb
from benchmarks.results import Facts
from benchmarks.scaleout.cluster import cost_on, loaded, two_workers
from benchmarks.scaleout.made_objects import DIMENSION, array_of, texts, vectors
from benchmarks.timing import table

LEARNED, CALIBRATED, CHECKED = 20_000, 20_000, (100_000, 1_000_000)
#: Tasks without work by which the cost of a task is measured.
EMPTY_TASKS = 200
SIZES, WORKERS, SECONDS_A_TASK = (10**6, 10**7, 10**9), (16, 256, 4096), 1.0
#: Seconds that a distance takes where nothing is said.
DISTANCE = 1e-6


def measure() -> Facts:
    model = wb.NeighborsClassifier(n_neighbors=3, calibrate=None, n_jobs=1).fit(
        *vectors(0, LEARNED)
    )
    rows, sides = vectors(1, CALIBRATED)
    model.predict(rows[:1000])
    started = time.process_time()
    model.predict(rows)
    each = (time.process_time() - started) / CALIBRATED
    found: Facts = {
        "object_seconds": each,
        "model_bytes": len(pickle.dumps(model)),
        **_bytes_each(model, rows, sides),
    }
    with two_workers() as client:
        wb.scaleout.predict(model, array_of(vectors, 100, 50)).compute()
        empty, _ = cost_on(
            client, lambda: wb.scaleout.predict(model, array_of(vectors, EMPTY_TASKS, 1)).compute()
        )
        found["task_seconds"] = empty["cpu"] / EMPTY_TASKS
        found["task_clock"] = empty["wall"] / EMPTY_TASKS
        found["checks"] = []
        for n in CHECKED:
            parts = array_of(vectors, n, round(SECONDS_A_TASK / each), first=1)
            cost, _ = cost_on(
                client, lambda parts=parts: wb.scaleout.predict(model, parts).compute()
            )
            expected = n * each + parts.npartitions * found["task_seconds"]
            found["checks"].append(
                {
                    "n": n,
                    "parts": parts.npartitions,
                    "expected": expected,
                    "cpu": cost["cpu"],
                    "memory": cost["worker_bytes"],
                }
            )
            print(found["checks"][-1], file=sys.stderr, flush=True)
    found["simulated"] = [
        {
            "n": n,
            "workers": workers,
            **_simulated(round(n * each / SECONDS_A_TASK), workers, found["task_clock"]),
        }
        for n in SIZES
        for workers in WORKERS
    ]
    return found | {"load": loaded()}


def _bytes_each(model: wb.NeighborsClassifier, rows: np.ndarray, sides: np.ndarray) -> Facts:
    """For each object: seconds and bytes sent of an evaluation, bytes sent and memory of a fit of
    linear scores.
    """
    from wideberth.scaleout.collections.gathering import Wanted, facts_of_piece
    from wideberth.scaleout.collections.linear_fits import admit_piece, merge_pieces
    from wideberth.scaleout.collections.partitions import LabelledPiece

    facts_of_piece(model, LabelledPiece(rows[:100], sides[:100], None), 0, Wanted(radii=True))
    started = time.process_time()
    facts = facts_of_piece(model, LabelledPiece(rows, sides, None), 0, Wanted(radii=True))
    seconds = time.process_time() - started
    some, topics = texts(1, CALIBRATED)
    identity = admit_piece(
        wb.LinearLipschitzClassifier("manhattan"), LabelledPiece(some, topics, None), 0
    ).facts
    tracemalloc.start()
    merge_pieces([identity], None)
    memory = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    sent = len(pickle.dumps(identity))
    return {
        "evaluation_seconds": seconds / len(rows),
        "evaluation_bytes": len(pickle.dumps(facts)) / len(rows),
        "linear_bytes": sent / CALIBRATED,
        "linear_memory": (sent + memory) / CALIBRATED,
    }


def _simulated(tasks: int, workers: int, clock: float) -> Facts:
    """Tasks of about a second on workers that one scheduler serves, one after the other: hours, and
    how busy the workers are.
    """
    lengths = SECONDS_A_TASK * np.random.default_rng(0).gamma(16.0, 1 / 16.0, max(1, tasks))
    free = [0.0] * workers
    given = 0.0
    for length in lengths.tolist():
        begins = max(heapq.heappop(free), given)
        given = (
            max(given, begins - 1.0) + clock
        )  # the scheduler sends work ahead, but cannot send faster than this
        heapq.heappush(free, begins + length)
    end = max(free)
    return {
        "tasks": len(lengths),
        "hours": end / 3600,
        "busy": float(lengths.sum() / (workers * end)),
    }


def page(facts: Facts) -> str:
    each = facts["object_seconds"]
    checks = [
        [
            f"{c['n']:,}",
            str(c["parts"]),
            f"{c['expected']:.1f}",
            f"{c['cpu']:.1f}",
            f"{c['cpu'] / c['expected']:.2f}",
            f"{c['memory'] / 1e6:.0f}",
        ]
        for c in facts["checks"]
    ]
    simulated = [
        [
            f"{s['n']:.0e}".replace("e+0", "e").replace("e+", "e"),
            f"{s['workers']:,}",
            f"{s['tasks']:,}",
            _duration(3600 * s["hours"]),
            f"{s['busy']:.0%}",
        ]
        for s in facts["simulated"]
    ]
    return "\n\n".join(
        [
            "## The cost model",
            WORDS.format(
                micro=1e6 * each,
                task=1e3 * facts["task_seconds"],
                clock=1e3 * facts["task_clock"],
                model=facts["model_bytes"] / 1e6,
                evaluation=facts["evaluation_bytes"],
                linear=facts["linear_bytes"],
            ),
            table(
                [
                    "n",
                    "what",
                    "distances",
                    "CPU time",
                    "bytes to the client",
                    "memory of the client",
                    "memory a worker",
                ],
                _model(facts),
            ),
            CHECKS.format(load=facts["load"]),
            table(
                ["objects", "partitions", "expected, CPU s", "measured", "ratio", "MB a worker"],
                checks,
            ),
            SIMULATED,
            table(["objects", "workers", "partitions", "time", "workers busy"], simulated),
        ]
    )


def _model(facts: Facts) -> list[list[str]]:
    """What each sort of work costs, for each number of objects."""
    base = max(check["memory"] for check in facts["checks"])
    rows = []
    for n in SIZES:
        predicting = n * facts["object_seconds"] * (1 + facts["task_seconds"] / SECONDS_A_TASK)
        pairs = n * (n - 1) / 2
        vectors_bytes = 8 * DIMENSION * n
        size = f"{n:.0e}".replace("e+0", "e").replace("e+", "e")
        rows += [
            [
                size,
                "predict, kd-tree",
                "-",
                _duration(predicting),
                "0, if they are written there",
                "the model",
                _bytes(base),
            ],
            [
                size,
                "certify or evaluate",
                "-",
                _duration(n * facts["evaluation_seconds"]),
                *2 * [_bytes(facts["evaluation_bytes"] * n)],
                _bytes(base),
            ],
            [
                size,
                "a step of linear scores",
                "0",
                "-",
                _bytes(8 * 2 * 20_000),
                _bytes(facts["linear_memory"] * n),
                "as measured above",
            ],
            [
                size,
                "fit by all pairs",
                f"{pairs:.2g}",
                _duration(pairs * DISTANCE),
                _bytes(vectors_bytes),
                _bytes(2 * vectors_bytes),
                "the objects",
            ],
        ]
    return rows


def _duration(seconds: float) -> str:
    for unit, length in (("years", 365.25 * 86_400), ("days", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= length:
            return (
                f"{seconds / length:,.0f} {unit}"
                if seconds >= 10 * length
                else f"{seconds / length:.1f} {unit}"
            )
    return f"{seconds:.2g} s"


def _bytes(number: float) -> str:
    for unit, size in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if number >= size:
            return f"{number / size:.3g} {unit}"
    return f"{number:.0f} bytes"


WORDS = f"""\
Measured, for a model of {LEARNED:,} vectors in {DIMENSION} dimensions: an answer takes {{micro:.0f}} us; a task {{task:.1f}} ms
of CPU beyond its work, and one without work is done in {{clock:.1f}} ms by two workers here; the model has {{model:.1f}} MB
and goes once to each worker; an evaluation sends {{evaluation:.0f}} bytes for each object to the client, a fit of linear scores
{{linear:.0f}}. From these, with partitions of {SECONDS_A_TASK:.0f} s and {1e6 * DISTANCE:.0f} us for a distance where all pairs
are measured:"""
CHECKS = (
    "Checked by predictions; {load:.1f} processes wanted one of the cores when it was measured:"
)
SIMULATED = """\
Simulated: tasks of about a second, and one scheduler that gives them out one by one, as fast as empty ones were done here, on a
busy machine. Where workers are not busy, they wait for it, or there are too few partitions: take longer partitions."""
