"""One fit to n objects in a process of its own: its seconds of CPU, its peak of memory, and the
time of answers.
"""

import json
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from typing import IO, Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from benchmarks.results import Facts
from benchmarks.samples import edited_names, overlapping_classes
from benchmarks.timing import cpu_of_process, peak_memory
from wideberth.classifiers.named import CLASSIFIERS

#: New objects that a fitted model answers for.
ASKED = 1000
#: Objects of a first fit, which compiles; fits that take less than so many seconds are made twice.
FIRST, SHORT = 200, 10.0
#: Bytes that a process may take.
MOST_BYTES = 16 * 2**30

#: The usual metric of each kind of object, and that of linear scores.
METRICS = {"vectors": ("euclidean", "manhattan"), "strings": ("levenshtein", "ngrams")}
#: What people use, by the kind of object.
PEERS: dict[str, dict[str, Callable[[], Any]]] = {
    "vectors": {
        "KNeighborsClassifier": KNeighborsClassifier,
        "SVC": SVC,
        "HistGB": lambda: HistGradientBoostingClassifier(random_state=0),
    },
    "strings": {
        "TF-IDF + LR": lambda: make_pipeline(
            TfidfVectorizer(analyzer="char_wb", ngram_range=(1, 5)),
            LogisticRegression(max_iter=1000),
        )
    },
}


def methods(kind: str) -> list[str]:
    """The classifiers by their short names, and the peers."""
    return [*CLASSIFIERS, *PEERS[kind]]


def sample(kind: str, n: int) -> tuple[Any, Any, Any]:
    """Objects to learn from, their labels, and objects to ask about, which are not among them."""
    if kind == "vectors":
        points, labels = overlapping_classes(n + ASKED, 4)
        return points[:n], labels[:n], points[n:]
    names, sexes = edited_names(n + ASKED)
    order = np.random.default_rng(n).permutation(n + ASKED)
    shuffled, labels = [names[each] for each in order], np.asarray(sexes)[order]
    return shuffled[:n], labels[:n], shuffled[n:]


def model(method: str, kind: str, n: int) -> Any:
    """An unfitted model, with the settings that its table proposes for so many objects."""
    if method in PEERS[kind]:
        return PEERS[kind][method]()
    metric = next(each for each in METRICS[kind] if CLASSIFIERS[method].suits(each))
    return CLASSIFIERS[method].set_up(metric, n)


def print_fit(method: str, kind: str, n: int) -> None:
    """Fit, and print what it took as JSON."""
    objects, labels, asked = sample(kind, n)
    with threadpool_limits(1), warnings.catch_warnings(action="ignore"):
        model(method, kind, n).fit(objects[:FIRST], labels[:FIRST]).predict(
            asked[:10]
        )  # loads what every fit needs
        found = _run(method, kind, objects, labels, asked)
        if (
            found["fit"] < SHORT
        ):  # the first one may have compiled or loaded something, which takes memory too
            again = _run(method, kind, objects, labels, asked)
            found = {what: min(found[what], again[what]) for what in ("fit", "answer")} | {
                "peak": again["peak"]
            }
    print(json.dumps(found))


def _run(method: str, kind: str, objects: Any, labels: Any, asked: Any) -> dict[str, float]:
    chosen = model(method, kind, len(labels))
    started = time.process_time()
    peak = peak_memory(lambda: chosen.fit(objects, labels))
    fitted = time.process_time()
    chosen.predict(asked)
    return {
        "fit": fitted - started,
        "peak": peak,
        "answer": (time.process_time() - fitted) / len(asked),
    }


def fit(method: str, kind: str, n: int, most_seconds: float) -> Facts:
    """What a fit took, or why there is none.

    The limit of CPU is watched from outside: a limit of the process itself would make its clock
    coarse.
    """
    script = f"from benchmarks.growth.fits import print_fit; print_fit({method!r}, {kind!r}, {n})"
    limit = (
        f"import resource; resource.setrlimit(resource.RLIMIT_AS, ({MOST_BYTES}, {MOST_BYTES})); "
        f"{script}"
    )
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as told:
        process = subprocess.Popen(
            [sys.executable, "-c", limit], stdout=out, stderr=told, text=True
        )
        try:
            while process.poll() is None:
                time.sleep(0.1)
                if cpu_of_process(process.pid) > most_seconds:
                    return {"failed": f"more than {most_seconds:.0f} s of CPU"}
        finally:
            process.kill()
            process.wait()
        lines = [_read(out), _read(told)]
    return (
        json.loads(lines[0][-1])
        if process.returncode == 0
        else {"failed": (lines[1] or ["no words"])[-1]}
    )


def _read(file: IO[str]) -> list[str]:
    file.seek(0)
    return file.read().strip().splitlines()
