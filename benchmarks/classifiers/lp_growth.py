"""Fits of LP machines to many objects, beside those of another checkout of this repository.

    PYTHONPATH=src python -m benchmarks.classifiers.lp_growth OLD [KIND N MEMORY]...

OLD is the folder of the other checkout. Each fit has a process of its own, one thread for linear
algebra, and the settings of `benchmarks.growth`; both checkouts take turns in one run. Shown are CPU
seconds, the share of them in which prices of all columns are measured or added up, the peak of memory
beyond the sample and the compiled code, the value, its proved gap, and the error on new objects.
"""

import json
import os
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.growth.fits import FIRST, sample
from benchmarks.samples import overlapping_classes
from benchmarks.timing import peak_memory, table
from wideberth import LPMachineClassifier
from wideberth.classifiers.lp_machine.problem import RadialColumns

#: What is fitted if nothing is named: kind, number of objects, memory.
USUAL = [
    ("vectors", 2_000, "2GB"),
    ("vectors", 5_000, "100MB"),
    ("vectors", 10_000, "2GB"),
    ("strings", 10_000, "2GB"),
    ("vectors", 20_000, "2GB"),
]
#: The most objects to which the old code is fitted.
MOST_OLD = 10_000
METRICS = {"vectors": "euclidean", "strings": "levenshtein"}
HEAD = ["data", "n", "max_memory", "code", "CPU s", "pricing", "peak MB", "value", "gap", "error"]


def print_fit(kind: str, n: int, memory: str) -> None:
    """Fit, and print what it took as JSON."""
    objects, labels, _ = sample(kind, n)
    fresh, truth = _new(kind, n)
    spent, price = [0.0], RadialColumns.price

    def timed(columns: RadialColumns, values: Any) -> Any:
        started = time.process_time()
        sums = price(columns, values)
        spent[0] += time.process_time() - started
        return sums

    RadialColumns.price = timed  # type: ignore[method-assign]
    model = LPMachineClassifier(METRICS[kind], max_memory=memory)
    with threadpool_limits(1), warnings.catch_warnings(action="ignore"):
        model.fit(objects[: 8 * FIRST], labels[: 8 * FIRST])  # loads what every fit needs
        spent[0] = 0.0
        started = time.process_time()
        peak = peak_memory(lambda: model.fit(objects, labels))
        seconds = time.process_time() - started
        wrong = float(np.mean(model.predict(fresh) != truth))
    found = model.solution_
    print(json.dumps([seconds, spent[0] / seconds, peak, found.value, found.relative_gap, wrong]))


def _new(kind: str, n: int) -> tuple[Any, Any]:
    """Objects to predict, with their labels: vectors of the same classes, or training names."""
    if kind == "vectors":
        return overlapping_classes(4_001, 4)
    objects, labels, _ = sample(kind, n)
    return objects[:1000], labels[:1000]


def line(code: str, folder: Path, kind: str, n: int, memory: str) -> list[str]:
    here = Path(__file__).parents[2]
    script = (
        "from benchmarks.classifiers.lp_growth import print_fit; "
        f"print_fit({kind!r}, {n}, {memory!r})"
    )
    paths = os.pathsep.join([str(folder / "src"), str(here)])
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": paths},
        cwd=here,
    )
    if done.returncode:
        return [kind, f"{n:,}", memory, code, done.stderr.strip().splitlines()[-1], *[""] * 5]
    seconds, share, peak, value, gap, wrong = json.loads(done.stdout.splitlines()[-1])
    return [
        kind,
        f"{n:,}",
        memory,
        code,
        f"{seconds:.2f}",
        f"{share:.0%}",
        f"{peak / 2**20:.0f}",
        f"{value:.5g}",
        f"{gap:.0e}",
        f"{wrong:.1%}",
    ]


def main(old: str, *wanted: str) -> None:
    named = [(k, int(n), m) for k, n, m in zip(*[iter(wanted)] * 3, strict=True)]
    here = Path(__file__).parents[2]
    lines = []
    for kind, n, memory in named or USUAL:
        for code, folder in (("new", here), ("old", Path(old))):
            if code == "new" or n <= MOST_OLD:
                lines.append(line(code, folder, kind, n, memory))
                print(*lines[-1], file=sys.stderr, flush=True)
    print(table(HEAD, lines))


if __name__ == "__main__":
    main(*sys.argv[1:])
