"""How the time and the memory of fits of LP machines grow with the number of objects.

    PYTHONPATH=src python -m benchmarks.classifiers.lp_growth OLD [KIND N MEMORY]...

sets fits of another checkout of this repository, in the folder OLD, beside those of this one: both
take turns in one run.
"""

import json
import os
import subprocess
import sys
import time
import warnings
from functools import partial
from math import log
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.folders import ROOT
from benchmarks.growth.fits import ASKED, sample
from benchmarks.keeping import kept
from benchmarks.results import Facts
from benchmarks.samples import edited_names, overlapping_classes
from benchmarks.timing import peak_memory, table
from wideberth import LPMachineClassifier
from wideberth.classifiers.lp_machine.problem import RadialColumns

#: What is fitted: kind, number of objects, memory.
FITS = [
    ("vectors", 2_000, "2GB"),
    ("vectors", 5_000, "2GB"),
    ("vectors", 10_000, "2GB"),
    ("vectors", 20_000, "2GB"),
    ("vectors", 50_000, "2GB"),
    ("vectors", 2_000, "100MB"),
    ("vectors", 5_000, "100MB"),
    ("vectors", 10_000, "100MB"),
    ("strings", 2_000, "2GB"),
    ("strings", 5_000, "2GB"),
    ("strings", 10_000, "2GB"),
]
#: Powers of n are between these numbers of objects.
FROM, TO = 2_000, 20_000
#: Objects of a first fit, which loads all that a fit to many needs.
FIRST = 2_200
METRICS = {"vectors": "euclidean", "strings": "levenshtein"}
HEAD = [
    "data",
    "n",
    "max_memory",
    "CPU s",
    "pricing",
    "peak MB",
    "value",
    "gap",
    "references",
    "% wrong",
]


def print_fit(kind: str, n: int, memory: str) -> None:
    """Fit, and print what it took as JSON."""
    objects, labels, asked = sample(kind, n)
    first = sample(kind, FIRST)
    spent, price = [0.0], RadialColumns.price

    def timed(columns: RadialColumns, values: Any) -> Any:
        started = time.process_time()
        sums = price(columns, values)
        spent[0] += time.process_time() - started
        return sums

    RadialColumns.price = timed  # type: ignore[method-assign]
    model = LPMachineClassifier(METRICS[kind], max_memory=memory, n_jobs=1)
    with threadpool_limits(1), warnings.catch_warnings(action="ignore"):
        model.fit(*first[:2])
        spent[0] = 0.0
        started = time.process_time()
        peak = peak_memory(lambda: model.fit(objects, labels))
        seconds = time.process_time() - started
        wrong = float(np.mean(model.predict(asked) != truth(kind, n)))
    found = model.solution_
    told = {
        "cpu": seconds,
        "pricing": spent[0],
        "peak": peak,
        "value": found.value,
        "gap": found.relative_gap,
        "references": len(model.references_),
        "wrong": wrong,
    }
    print(json.dumps(told))


def truth(kind: str, n: int) -> Any:
    """The labels of the objects that a fitted model is asked about."""
    if kind == "vectors":
        return overlapping_classes(n + ASKED, 4)[1][n:]
    sexes = np.asarray(edited_names(n + ASKED)[1])
    return sexes[np.random.default_rng(n).permutation(n + ASKED)][n:]


def fit(folder: Path, kind: str, n: int, memory: str) -> Facts:
    """What a fit takes with the code in a folder, in a process of its own."""
    script = (
        "from benchmarks.classifiers.lp_growth import print_fit; "
        f"print_fit({kind!r}, {n}, {memory!r})"
    )
    paths = os.pathsep.join([str(folder / "src"), str(ROOT)])
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": paths},
        cwd=ROOT,
    )
    if done.returncode:
        return {"failed": (done.stderr.strip().splitlines() or ["no words"])[-1]}
    found = json.loads(done.stdout.splitlines()[-1])
    print(kind, n, memory, folder, found, file=sys.stderr, flush=True)
    return found


def measure() -> Facts:
    fits = []
    for kind, n, memory in FITS:
        name = f"{kind}, {n}, {memory}"
        found = kept("lp_growth", name, partial(fit, ROOT, kind, n, memory))
        if found is not None:
            fits.append({"kind": kind, "n": n, "max_memory": memory} | found)
    return {"fits": fits}


def page(facts: Facts) -> str:
    fits = facts["fits"]
    powers = [line for kind in METRICS if (line := _powers(kind, fits))]
    return "\n\n".join(
        [
            "# The LP machine on many objects",
            WORDS,
            table(HEAD, [_line(each) for each in fits]),
            *powers,
        ]
    )


def _line(found: Facts) -> list[str]:
    own = [found["kind"], f"{found['n']:,}", found["max_memory"]]
    if "failed" in found:
        return [*own, found["failed"], *[""] * 6]
    return [
        *own,
        f"{found['cpu']:.2f}",
        f"{found['pricing'] / found['cpu']:.0%}",
        f"{found['peak'] / 1e6:.0f}",
        f"{found['value']:.5g}",
        f"{found['gap']:.0e}",
        f"{found['references']:,}",
        f"{100 * found['wrong']:.1f}",
    ]


def _powers(kind: str, fits: list[Facts]) -> str:
    """With which power of n time grew between the two ends, those with the memory of the first."""
    done = [
        each
        for each in fits
        if each["kind"] == kind
        and each["max_memory"] == FITS[0][2]
        and FROM <= each["n"] <= TO
        and "failed" not in each
    ]
    if len(done) < 2:
        return ""
    first, last = done[0], done[-1]
    power = log(last["cpu"] / first["cpu"]) / log(last["n"] / first["n"])
    return (
        f"*{kind.capitalize()}*: from {first['n']:,} to {last['n']:,} the time grew with "
        f"n^{power:.2f}."
    )


WORDS = """\
From `make bench` (`python -m benchmarks lp_growth`). `LPMachineClassifier` with the settings that it has by default, in a process
of its own and on one core: vectors in four dimensions in four classes that overlap, Euclidean distance; first names of the
census and names a few edits away from them, by sex, Levenshtein distance. CPU seconds of the fit, to a proved gap of 0.1 % of the
program with all n columns; *pricing* is the share of them in which prices of all columns are measured or added up: the proof
needs all n² distances once. *Peak* is the memory beyond the sample and the compiled code, in millions of bytes, beside the
`max_memory` that was asked for. *Wrong* is the error on 1,000 new objects."""


# ---- beside another checkout ---------------------------------------------------------------------


def main(old: str, *wanted: str) -> None:
    named = [(k, int(n), m) for k, n, m in zip(*[iter(wanted)] * 3, strict=True)]
    lines = []
    for kind, n, memory in named or FITS:
        for code, folder in (("this one", ROOT), ("the other", Path(old))):
            found = {"kind": kind, "n": n, "max_memory": memory} | fit(folder, kind, n, memory)
            lines.append([code, *_line(found)])
    print(table(["code", *HEAD], lines))


if __name__ == "__main__":
    main(*sys.argv[1:])
