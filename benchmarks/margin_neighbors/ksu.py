"""Margin neighbours beside ksu, the other library with a margin and a bound, in an environment of
old packages.
"""

import os
import subprocess
import sys
import venv
from collections.abc import Iterator
from math import hypot
from pathlib import Path

import numpy as np
from sklearn.datasets import make_moons
from sklearn.model_selection import train_test_split

import wideberth as wb
from benchmarks.folders import ROOT
from benchmarks.results import Facts
from benchmarks.rows import TIMING_NOISE, Row
from benchmarks.timing import digits, number, seconds, table

#: What ksu 0.5.1 still runs with; its own requirement, the package called sklearn, no longer
#: installs.
PACKAGES = [
    "numpy==1.23.5",
    "scipy<1.11",
    "scikit-learn==1.2.2",
    "numba<0.58",
    "POT",
    "tqdm",
    "requests",
    "nltk",
    "editdistance",
]
HOME = ROOT / ".venv-ksu"
N = 4000

RIVAL = """
import sys, numpy as np
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from ksu.KSU import KSU
def cpu():
    return sum(sum(getrusage(who)[:2]) for who in (RUSAGE_SELF, RUSAGE_CHILDREN))
data = np.load(sys.argv[1])
started = cpu()
model = KSU(data["known"], data["labels"], "l2")
model.compressData(0.05)
took = cpu() - started
wrong = np.mean(model.getClassifier().predict(data["asked"]) != data["truth"])
print("RESULT", took, len(model.getCompressedSet()[0]), wrong)
"""


def environment() -> Path:
    """Its Python, made at the first call."""
    python = HOME / "bin" / "python"
    if not (HOME / ".ready").exists():
        venv.create(HOME, with_pip=True, clear=True)
        for packages in (
            ["setuptools<70", "wheel", *PACKAGES],
            ["--no-deps", "--no-build-isolation", "ksu"],
        ):
            subprocess.run([python, "-m", "pip", "install", "--quiet", *packages], check=True)
        (HOME / ".ready").touch()
    return python


def methods() -> list[list[str]]:
    points, labels = make_moons(N, noise=0.35, random_state=0)
    known, asked = train_test_split(np.arange(N), test_size=0.5, random_state=0, stratify=labels)
    data = HOME / "moons.npz"
    python = environment()
    np.savez(
        data, known=points[known], labels=labels[known], asked=points[asked], truth=labels[asked]
    )
    ran = subprocess.run(
        [python, "-c", RIVAL, str(data)],
        check=True,
        capture_output=True,
        text=True,
        env=dict(os.environ),
    )
    took, kept, wrong = map(float, ran.stdout.split("RESULT")[1].split())
    found = [
        ["ksu 0.5.1", digits(took), f"{100 * kept / len(known):.1f} %", f"{100 * wrong:.2f}", ""]
    ]
    for condense in ("net", "p2l"):
        model = wb.MarginNeighborsClassifier(condense=condense)
        model.fit(points[known[:200]], labels[known[:200]])  # compiled before it is timed
        spent, fitted = seconds(lambda: model.fit(points[known], labels[known]))  # noqa: B023 - at once
        error = 100 * float(np.mean(fitted.predict(points[asked]) != labels[asked]))
        kept_share = f"{100 * len(fitted.kept_) / len(known):.1f} %"
        name = f"margin, {condense}"
        found.append(
            [
                name,
                digits(spent),
                kept_share,
                f"{error:.2f}",
                f"{100 * fitted.risk_bound_.value:.1f}",
            ]
        )
    print(*found, sep="\n", file=sys.stderr)
    return found


def measure() -> Facts:
    return {"rows": methods()}


def rows(facts: Facts) -> Iterator[Row]:
    """Time and error of both ways to condense beside ksu's."""
    (peer, took, _, wrong, _), *ours = facts["rows"]
    for name, spent, _, error, _ in ours:
        shares = [float(each) / 100 for each in (error, wrong)]
        errors = [100 * (share * (1 - share) / (N // 2)) ** 0.5 for share in shares]
        beside = {"key": f"ksu: two moons, {name}", "peer": peer}
        yield Row(
            topic="accuracy",
            **beside,
            ours=float(error),
            theirs=float(wrong),
            unit="% wrong",
            noise=hypot(*errors),
            own_noise=errors[0],
            installable=True,
        )
        beside["key"] += ", fit"
        yield Row(
            topic="fitting",
            **beside,
            ours=number(spent),
            theirs=number(took),
            unit="s of CPU",
            noise=TIMING_NOISE,
        )


def page(facts: Facts) -> str:
    return "\n".join(
        [
            "# Beside ksu",
            "",
            f"From `python -m benchmarks ksu`: two moons (0.35), learned from {N // 2} points, "
            "errors in % on as many others.",
            "ksu computes all distances and a net for every 200th of them, in Python; here with "
            "its defaults and delta = 0.05.",
            "It runs in an environment of its own with old packages, which the benchmark makes; "
            "all its processes are counted.",
            "",
            table(["method", "CPU s", "kept", "error", "bound"], facts["rows"]),
            "",
        ]
    )
