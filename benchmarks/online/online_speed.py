"""How long a round of the sampling engine takes, beside the same at an earlier commit, on the same
machine.
"""

import json
import os
import subprocess
import sys
import time
from typing import Any

import numpy as np

from benchmarks.results import Facts
from benchmarks.timing import table

#: Labels, dimensions, rounds.
CASES = [(2, 20, 1000), (5, 10, 500), (10, 10, 300), (10, 20, 300)]
#: A folder with the sources of an earlier commit; without it, only those of today are timed.
BEFORE = "WIDEBERTH_BEFORE"
WARM = 30


def timed(k: int, d: int, rounds: int) -> dict[str, float]:
    """CPU milliseconds a round of one thread, loss and mistakes, near the boundaries."""
    import wideberth as wb

    generator = np.random.default_rng(0)
    centers = generator.normal(size=(k, d))
    centers /= np.linalg.norm(centers, axis=1, keepdims=True)
    learners = [
        wb.OnlinePartitionClassifier("inner", engine="sampling", random_state=0) for _ in range(2)
    ]
    queries = []
    for _ in range(rounds):
        one, other = generator.choice(k, 2, replace=False)
        normal = (centers[one] - centers[other]) / np.linalg.norm(centers[one] - centers[other])
        query = generator.normal(size=d)
        query -= (query @ normal) * normal
        query = (
            query / np.linalg.norm(query)
            + 10 ** generator.uniform(-4, 0) * generator.choice([-1, 1]) * normal
        )
        queries.append(query / np.linalg.norm(query))
    lost = 0.0
    for learner, stream in zip(learners, (queries[:WARM], queries), strict=True):
        start, lost = time.thread_time(), 0.0
        for query in stream:
            scores = centers @ query
            guess, label = learner.predict_one(query), int(scores.argmax())
            lost += 0.0 if guess is None else float(scores[label] - scores[guess])
            learner.learn_one(query, label)
    return {
        "milliseconds": 1000 * (time.thread_time() - start) / rounds,
        "lost": lost,
        "mistakes": learners[1].mistakes_,
    }


def measure() -> Facts:
    sources = {"now": None} | ({"before": os.environ[BEFORE]} if BEFORE in os.environ else {})
    found: dict[str, list[Any]] = {}
    for name, folder in sources.items():
        paths = os.pathsep.join([*([folder] if folder else []), os.environ.get("PYTHONPATH", "")])
        command = (
            "import json; from benchmarks.online.online_speed import CASES, timed; "
            "print(json.dumps([timed(*c) for c in CASES]))"
        )
        environment = os.environ | {"PYTHONPATH": paths, "OPENBLAS_NUM_THREADS": "1"}
        environment |= (
            {"NUMBA_CACHE_DIR": f"{environment['NUMBA_CACHE_DIR']}_{name}"}
            if "NUMBA_CACHE_DIR" in environment
            else {}
        )
        subprocess.run(
            [sys.executable, "-c", command], env=environment, capture_output=True, check=True
        )  # compiles
        done = subprocess.run(
            [sys.executable, "-c", command],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        found[name] = json.loads(done.stdout)
    return {"cases": CASES, **found}


def page(facts: Facts) -> str:
    body = []
    for place, (k, d, rounds) in enumerate(facts["cases"]):
        now = facts["now"][place]
        before = facts["before"][place] if "before" in facts else None
        ratio = [f"{before['milliseconds']:.2f}", f"{before['lost']:.2f}"] if before else ["", ""]
        times = f"{before['milliseconds'] / now['milliseconds']:.1f}" if before else ""
        body.append(
            [
                str(k),
                str(d),
                f"{rounds:,}",
                *ratio,
                f"{now['milliseconds']:.2f}",
                f"{now['lost']:.2f}",
                times,
            ]
        )
    header = ["k", "d", "rounds", "ms before", "lost", "ms now", "lost", "times as fast"]
    return f"""# Rounds of the sampling engine

From `python -m benchmarks online_speed`, with `WIDEBERTH_BEFORE` set to the folder `src` of an earlier commit (1e421cd). CPU
milliseconds of one thread for a round, guess and lesson, near the boundaries, and the total loss. Before, all of 320 points
walked after each cut; now 640 points keep their places and only copies walk, 32 side by side. Linear algebra is held to one
thread, which favours the earlier code: on a busy machine its threads wait for each other.

{table(header, body)}
"""
