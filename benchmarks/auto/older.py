"""The automatic choice beside that of another checkout of this repository.

    PYTHONPATH=src python -m benchmarks.auto.older OLD HALVES SET...

OLD is the folder of the other checkout; the first so many HALVES of each set are learned from, by a
process each, both checkouts in turns. There is no limit of time: what is compared is what a choice
costs that tries all it wants to. Compiled code is loaded before, by a fit to few objects. Shown are
CPU seconds of the fits, what was chosen, and the errors on the other halves, with the standard
error of their difference, paired by object.
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

from benchmarks.timing import table

#: Objects of a first fit.
FIRST = 100
HEAD = [
    "data",
    "half",
    "known",
    "CPU s",
    "older",
    "ratio",
    "wrong",
    "older",
    "difference",
    "chosen",
    "older",
]


def print_choice(name: str, half: int, max_time: float | None) -> None:
    """Choose for a half of a set, and print what it took and which answers are wrong as JSON."""
    import wideberth as wb
    from benchmarks.auto.sets import labelled_set

    data = labelled_set(name)
    known, asked = data.fold(half // 2, half % 2)  # type: ignore[misc]

    def fit(chosen: Any, limit: float | None) -> Any:
        model = wb.AutoClassifier(data.proposed(chosen), max_time=limit, random_state=0, verbose=-1)
        return model.fit(data.some(chosen), data.labels[chosen])

    with threadpool_limits(1), warnings.catch_warnings(action="ignore"):
        fit(np.random.default_rng(0).permutation(known)[:FIRST], None)
        started = time.process_time()
        model = fit(known, max_time)
        seconds = time.process_time() - started
        wrong = np.flatnonzero(model.predict(data.some(asked)) != data.labels[asked])
    best = model.leaderboard_[0]
    print(
        json.dumps(
            {
                "known": len(known),
                "asked": len(asked),
                "cpu": seconds,
                "wrong": wrong.tolist(),
                "chosen": f"{best['family']}, {best['metric']}",
                "in words": model.choice_,
            }
        )
    )


def choice(folder: Path, name: str, half: int, max_time: float | None = None) -> dict[str, Any]:
    """What the code in a folder chooses, in a process of its own."""
    here = Path(__file__).parents[2]
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "from benchmarks.auto.older import print_choice; "
            f"print_choice({name!r}, {half}, {max_time!r})",
        ],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(folder / "src"), str(here)])},
        cwd=here,
    )
    if done.returncode:
        raise RuntimeError(done.stderr)
    return dict(json.loads(done.stdout.splitlines()[-1]))


def line(name: str, half: int, new: dict[str, Any], old: dict[str, Any]) -> list[str]:
    n, sides = new["asked"], [np.zeros(new["asked"]) for _ in range(2)]
    for side, found in zip(sides, (new, old), strict=True):
        side[found["wrong"]] = 1.0
    difference = sides[0] - sides[1]
    error = difference.std(ddof=1) / np.sqrt(n)
    return [
        name,
        str(half),
        f"{new['known']:,}",
        f"{new['cpu']:.1f}",
        f"{old['cpu']:.1f}",
        f"{new['cpu'] / old['cpu']:.2f}",
        *(f"{side.mean():.1%}" for side in sides),
        f"{100 * difference.mean():+.1f} ± {100 * error:.1f}",
        *(found["chosen"] for found in (new, old)),
    ]


def main(old: str, halves: str, *names: str) -> None:
    here, lines = Path(__file__).parents[2], []
    sums, differences = [0.0, 0.0], []
    for name in names:
        for half in range(int(halves)):
            new, other = (choice(folder, name, half) for folder in (here, Path(old)))
            lines.append(line(name, half, new, other))
            sums = [sums[0] + new["cpu"], sums[1] + other["cpu"]]
            differences.append(100 * (len(new["wrong"]) - len(other["wrong"])) / new["asked"])
            print(*lines[-1], sep=" | ", file=sys.stderr, flush=True)
    print(table(HEAD, lines))
    error = np.std(differences, ddof=1) / np.sqrt(len(differences))
    print(
        f"together {sums[0]:.0f} and {sums[1]:.0f} s, ratio {sums[0] / sums[1]:.2f}; errors "
        f"{np.mean(differences):+.2f} ± {error:.2f} points over {len(differences)} halves"
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
