"""What starting costs: commands that only tell something, answers of saved models, and first fits,
which compile loops.
"""

import csv
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from importlib.metadata import distribution, requires
from pathlib import Path

import wideberth as wb
from benchmarks.results import Facts
from benchmarks.rows import TIMING_NOISE, Row
from benchmarks.timing import cpu_of_command, table
from wideberth.classifiers.named import CLASSIFIERS

#: What everything is set beside.
YARDSTICK = [sys.executable, "-c", "import sklearn.base"]
WIDEBERTH = [sys.executable, "-m", "wideberth"]
MODELS = [name for name, entry in CLASSIFIERS.items() if entry.suits("levenshtein")]
#: How many objects are learned from, and how often each command runs; the best time counts.
OBJECTS, ROUNDS = 200, 5

#: Fits a classifier twice, and prints the time of the first fit beyond that of the second and the
#: loops compiled for it.
FIRST_FIT = """
import sys, time
import numpy as np
import wideberth as wb
from wideberth.classifiers.named import CLASSIFIERS
from wideberth.compilation import recorded_compilations

def seconds_of_fit():
    started = time.process_time()
    CLASSIFIERS[sys.argv[1]].set_up(metric, len(labels)).fit(objects, labels)
    return time.process_time() - started

CLASSIFIERS[sys.argv[1]].load()  # and with it scikit-learn
records = wb.read(sys.argv[2], target="label")
objects, labels, metric = records.objects, records.labels, sys.argv[3]
started = time.process_time()
with recorded_compilations() as compiled_so_far:
    loading = time.process_time() - started
    first, loops = seconds_of_fit(), len(compiled_so_far())
print(loading + first - seconds_of_fit(), loops)
"""


def measure() -> Facts:
    """Seconds of all cores for each command, in turns; seconds and loops of first fits; the
    megabytes of what is installed.
    """
    with tempfile.TemporaryDirectory() as folder:
        files = {
            "strings": _names(Path(folder, "strings.csv")),
            "vectors": _points(Path(folder, "vectors.csv")),
        }
        commands = {"`python -c 'import sklearn.base'`": YARDSTICK}
        commands |= {
            f"`wideberth {word}`": [*WIDEBERTH, word] for word in ("--version", "--help", "metrics")
        }
        for model in MODELS:
            saved = str(Path(folder, f"{model}.wb"))
            cpu_of_command(
                [
                    *WIDEBERTH,
                    "fit",
                    files["strings"],
                    "--target",
                    "label",
                    "--model",
                    model,
                    "-o",
                    saved,
                ]
            )
            commands[f"`wideberth predict`, {model}"] = [
                *WIDEBERTH,
                "predict",
                saved,
                files["strings"],
            ]
        times = {name: min(_rounds(command)) for name, command in commands.items()}
        first_fits = {
            kind: {model: _first_fit(model, file, kind) for model in MODELS}
            for kind, file in files.items()
        }
    return {"objects": OBJECTS, "times": times, "first_fits": first_fits, "megabytes": _megabytes()}


def _rounds(command: list[str]) -> list[float]:
    return [cpu_of_command(command)[0] for _ in range(ROUNDS)]


def _first_fit(model: str, file: str, kind: str) -> Facts:
    """The seconds and the loops compiled of a fit where nothing is on the disk."""
    metric = {"strings": "levenshtein", "vectors": "euclidean"}[kind]
    with tempfile.TemporaryDirectory() as nothing:
        environment = os.environ | {"NUMBA_CACHE_DIR": nothing, "OMP_NUM_THREADS": "1"}
        _, printed = cpu_of_command(
            [sys.executable, "-c", FIRST_FIT, model, file, metric], environment
        )
    seconds, loops = printed.split()
    return {"seconds": float(seconds), "loops": int(loops)}


def _names(path: Path) -> str:
    names, sexes = wb.datasets.load_first_names()
    every = len(names) // OBJECTS
    return _written(
        path, ["name", "label"], list(zip(names, sexes, strict=True))[::every][:OBJECTS]
    )


def _points(path: Path) -> str:
    import numpy as np

    points = np.random.default_rng(0).normal(size=(OBJECTS, 3)).tolist()
    rows = [(*point, "in" if abs(point[0]) < 0.7 else "out") for point in points]
    return _written(path, ["x", "y", "z", "label"], rows)


def _written(path: Path, head: list[str], rows: list[tuple[object, ...]]) -> str:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([head, *rows])
    return str(path)


def _megabytes() -> Facts:
    """What an installation takes on the disk, by package, with what the dependencies depend on."""
    sizes: dict[str, float] = {}
    waiting = ["wideberth"]
    while waiting:
        name = waiting.pop()
        needed = [
            re.split(r"[^\w.-]", line, maxsplit=1)[0]
            for line in requires(name) or []
            if ";" not in line
        ]
        if name != "wideberth":
            paths = [Path(str(file.locate())) for file in distribution(name).files or []]
            sizes[name] = sum(path.stat().st_size for path in paths if path.is_file()) / 1e6
        waiting += [other for other in needed if other not in sizes and other not in waiting]
    return sizes


def quick() -> Facts:
    """As it is: it takes two minutes."""
    return measure()


def rows(facts: Facts) -> Iterator[Row]:
    """Whole commands beside a Python that imports scikit-learn's base classes."""
    (peer, theirs), *ours = facts["times"].items()
    for name, cpu in ours:
        key = f"startup: {name.replace('`', '')}"
        yield Row(
            topic="starting",
            key=key,
            ours=cpu,
            peer=peer.strip("`"),
            theirs=theirs,
            unit="s of CPU",
            noise=TIMING_NOISE,
        )


def page(facts: Facts) -> str:
    yardstick = next(iter(facts["times"].values()))
    commands = [
        [name, f"{cpu:.2f}", f"{cpu / yardstick:.2f}"] for name, cpu in facts["times"].items()
    ]
    fits = [
        [model, *(_fit(facts["first_fits"][kind][model]) for kind in ("strings", "vectors"))]
        for model in MODELS
    ]
    compiler = sum(facts["megabytes"].get(name, 0.0) for name in ("numba", "llvmlite"))
    return "\n\n".join(
        [
            "## Starting",
            WORDS.format(objects=facts["objects"], rounds=ROUNDS),
            table(["command", "seconds of CPU", "beside scikit-learn's base"], commands),
            FIRST_FITS.format(objects=facts["objects"], yardstick=yardstick),
            table(["classifier", "strings", "vectors"], fits),
            INSTALLED.format(total=sum(facts["megabytes"].values()), compiler=compiler),
        ]
    )


def _fit(fit: Facts) -> str:
    return f"{fit['seconds']:.2f} ({fit['loops']})"


WORDS = """\
Seconds of all cores for a whole command, the best of {rounds}, beside a Python that imports scikit-learn's base classes and does
nothing with them. Models of {objects} first names were saved before; `predict` labels the same names, and nothing is compiled."""
FIRST_FITS = """\
A first fit where no compiled code is on the disk: seconds of CPU beyond a second fit to the same {objects} objects, with loading
the compiler, and in brackets how many loops were compiled; importing scikit-learn's base classes takes {yardstick:.2f} s.
`wideberth warmup` compiles everything once."""
INSTALLED = """\
What the dependencies take on the disk, and what these depend on: **{total:.0f} MB**, {compiler:.0f} MB of it numba and
llvmlite."""
