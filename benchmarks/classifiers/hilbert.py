"""The SVM on a metric beside scikit-learn's bare SVC on a matrix: what asking costs, and what
landmarks save.
"""

import functools
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.svm import SVC

import wideberth as wb
from benchmarks.results import Facts
from benchmarks.rows import TIMING_NOISE, Row
from benchmarks.samples import edited_names, gaussian_pair, overlapping_classes, two_moons
from benchmarks.timing import Duel, duel, peak_memory, seconds, table

Floats = NDArray[np.float64]
Sample = tuple[Any, Any]

SIZES, PRICES = (1_000, 3_000), (1.0, 100.0)
ROUNDS = 3
#: How many times as long as the bare machine ours may take.
GOAL = 1.2


def letter_pairs(n: int) -> Sample:
    """Names as sets of two letters in a row."""
    names, sexes = edited_names(n)
    return [{name[at : at + 2] for at in range(len(name) - 1)} or {name} for name in names], sexes


#: The metrics promise that their kernels, the gaussian and that of Laplace, are valid.
SETS: dict[str, tuple[Callable[[int], Sample], str]] = {
    "two moons, noise 0.35": (two_moons, "euclidean"),
    "10-D blobs, Bayes error 10 %": (gaussian_pair, "euclidean"),
    "4-D clouds, 4 classes": (lambda n: overlapping_classes(n, 4), "euclidean"),
    "pairs of letters in names": (letter_pairs, "jaccard"),
}
LARGE, LANDMARKS, BUDGET = 20_000, 1_000, "1GB"
LARGE_SETS: dict[str, Callable[[int], tuple[Floats, NDArray[np.int64]]]] = {
    "two moons, noise 0.35": two_moons,
    "10-D blobs, Bayes error 10 %": gaussian_pair,
}


@dataclass(frozen=True)
class Ready:
    """Objects and their distances: those that learn among each other, and those that are asked
    about to them.
    """

    space: wb.MetricSpace
    labels: NDArray[Any]
    known: Floats
    asked: Floats

    @property
    def matrix(self) -> wb.Metric:
        """The distances as a metric that promises what the metric of the space does."""
        promises = self.space.metric
        return wb.metric(
            "precomputed",
            distances=self.known,
            hilbertian=promises.hilbertian,
            negative_type=promises.negative_type,
        )


@functools.cache
def ready(name: str, n: int) -> Ready:
    make, metric = SETS[name]
    objects, labels = make(2 * n)
    distances = wb.pairwise_distances(objects, metric=metric)
    known, asked = np.ascontiguousarray(distances[:n, :n]), np.ascontiguousarray(distances[n:, :n])
    return Ready(wb.MetricSpace(objects, metric), np.asarray(labels)[:n], known, asked)


def kernel_of(model: wb.HilbertSVC, distances: Floats) -> Floats:
    """The kernel as textbooks write it, and as anybody would who has NumPy."""
    power = {"gaussian": 2, "laplace": 1}[model.kernel_.name]
    return np.asarray(np.exp(-((distances / model.width_) ** power)))


def turns(ours: Callable[[], object], peer: Callable[[], object]) -> Duel:
    """Both in turns, by the work of all cores: others may be at work on the machine."""
    return duel(ours, peer, rounds=ROUNDS)


def line(words: list[str], on_kernel: Duel, on_distances: Duel) -> list[str]:
    numbers = [
        f"{on_kernel.peer:.3f}",
        f"{on_distances.peer:.3f}",
        f"{min(on_kernel.ours, on_distances.ours):.3f}",
    ]
    row = [*words, *numbers, f"{on_kernel.ratio:.2f}", f"{on_distances.ratio:.2f}"]
    print(*row, file=sys.stderr, sep=" | ", flush=True)
    return row


def met(rows: list[list[str]]) -> str:
    """In how many rows the goal is met, in words."""
    alone, with_kernel = (sum(float(row[place]) <= GOAL for row in rows) for place in (-2, -1))
    return (
        f"At most {GOAL:g} times as long as SVC in {alone} rows of {len(rows)}, as kernel and SVC "
        f"in {with_kernel}."
    )


def overheads() -> tuple[list[list[str]], list[list[str]]]:
    """Rows of two tables, for learning and for answering."""
    learning, answering = [], []
    for name, n, price in ((name, n, price) for name in SETS for n in SIZES for price in PRICES):
        given, rows = ready(name, n), np.arange(n)
        model = wb.HilbertSVC(given.matrix, C=price).fit(rows, given.labels)
        known, asked = kernel_of(model, given.known), kernel_of(model, given.asked)
        bare = SVC(kernel="precomputed", C=model.C_).fit(known, given.labels)
        differ = float(np.mean(bare.predict(asked) != model.predict(given.asked)))
        assert differ <= 0.002, f"{differ:.2%} of the labels differ"
        words = [name, f"{n:,}", f"{price:g}", f"{len(model.support_):,}"]
        learn = functools.partial(model.fit, rows, given.labels)
        learning.append(
            line(
                words,
                turns(learn, lambda: bare.fit(known, given.labels)),  # noqa: B023 - called at once, as all here
                turns(learn, lambda: bare.fit(kernel_of(model, given.known), given.labels)),  # noqa: B023
            )
        )
        answer = functools.partial(model.predict, given.asked)
        answering.append(
            line(
                words,
                turns(answer, lambda: bare.predict(asked)),  # noqa: B023
                turns(answer, lambda: bare.predict(kernel_of(model, given.asked))),  # noqa: B023
            )
        )
    return learning, answering


def other_ways(name: str, n: int) -> list[str]:
    """Seconds of learning and answering by a matrix with a promise, by a space, and by a matrix
    that promises nothing.
    """
    given, rows = ready(name, n), np.arange(n)
    index = given.space.index
    promised = wb.HilbertSVC(given.matrix)
    by_space = wb.HilbertSVC(given.space.metric)
    examined = wb.HilbertSVC("precomputed", kernel=promised.fit(rows, given.labels).kernel_.name)
    learns = [
        turns(
            lambda: by_space.fit(index[:n], given.labels), lambda: promised.fit(rows, given.labels)
        ),
        turns(
            lambda: examined.fit(given.known, given.labels),
            lambda: promised.fit(rows, given.labels),
        ),
    ]
    answers = turns(lambda: by_space.predict(index[n:]), lambda: promised.predict(given.asked))
    numbers = [learns[0].peer, learns[0].ours, learns[1].ours, answers.peer, answers.ours]
    return [name, f"{n:,}", *(f"{each:.3f}" for each in numbers)]


def print_large(name: str) -> None:
    """Learn with landmarks, and print seconds, peak bytes, error, what the landmarks leave out, and
    the kernel and C.
    """
    points, labels = LARGE_SETS[name](LARGE)
    fresh, truth = LARGE_SETS[name](LARGE + 1)
    wb.HilbertSVC(landmarks=10).fit(
        points[:100], labels[:100]
    )  # compiled code is loaded before anything is measured
    model = wb.HilbertSVC(landmarks=LANDMARKS, max_memory=BUDGET)
    spent, peak = seconds(lambda: peak_memory(lambda: model.fit(points, labels)))
    wrong = np.mean(model.predict(fresh) != truth)
    print(spent, peak, wrong, model.kernel_report_.approximation, model.width_, model.C_)


def large(name: str) -> list[str]:
    """Landmarks in a process of their own, beside SVC, which knows the vectors and measures
    distances again and again.
    """
    script = f"from benchmarks.classifiers.hilbert import print_large; print_large({name!r})"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    spent, peak, wrong, left_out, width, price = map(float, done.stdout.split())
    points, labels = LARGE_SETS[name](LARGE)
    fresh, truth = LARGE_SETS[name](LARGE + 1)
    bare_spent, bare = seconds(lambda: SVC(C=price, gamma=1 / width**2).fit(points, labels))
    bare_wrong = np.mean(bare.predict(fresh) != truth)
    row = [
        name,
        f"{spent:.1f}",
        f"{peak / 1e6:,.0f}",
        f"{8 * LARGE**2 / 1e6:,.0f}",
        f"{left_out:.2%}",
        f"{wrong:.2%}",
    ]
    row += [f"{bare_wrong:.2%}", f"{bare_spent:.1f}"]
    print(*row, file=sys.stderr, flush=True)
    return row


def measure() -> Facts:
    learning, answering = overheads()
    ways, saved = (
        [other_ways(name, SIZES[-1]) for name in SETS],
        [large(name) for name in LARGE_SETS],
    )
    return {"learning": learning, "answering": answering, "ways": ways, "landmarks": saved}


def rows(facts: Facts) -> Iterator[Row]:
    """Learning and answering beside SVC that makes its kernel from the distances, as ours does."""
    for part, topic in (("learning", "fitting"), ("answering", "prediction")):
        for name, n, price, *_, ratio in facts[part]:
            key = f"hilbert: {name}, n = {n}, C = {price}, {part}"
            unit, ours = "times the peer's seconds", float(ratio)
            yield Row(
                topic=topic,
                key=key,
                ours=ours,
                peer="kernel and SVC",
                theirs=1.0,
                unit=unit,
                noise=TIMING_NOISE,
            )


def page(facts: Facts) -> str:
    learning, answering = facts["learning"], facts["answering"]
    head = [
        "data",
        "n",
        "C",
        "support vectors",
        "SVC s",
        "kernel, SVC s",
        "ours s",
        "ours / SVC",
        "ours / kernel, SVC",
    ]
    ways = ["data", "n", "fit: promised", "space", "examined", "predict: promised", "space"]
    saved = ["data", "fit s", "peak MB", "n x n MB", "left out", "error", "SVC's error", "SVC s"]
    return "\n".join(
        [
            "# The SVM on a metric",
            "",
            "From `make bench` (`python -m benchmarks hilbert`).",
            "",
            "## Beside the bare SVC",
            "",
            "`HilbertSVC` on a ready matrix of distances whose metric promises a valid kernel, and "
            "scikit-learn's",
            "`SVC(kernel='precomputed')` with the same kernel and the same C. SVC s: the kernel "
            "matrix is ready too. Kernel, SVC",
            "s: it is made from the distances, `exp(-(D / s) ** 2)`, as ours has to be. Seconds of "
            "work of all cores, the best",
            f"of {ROUNDS} runs in turns. C is ours, `C_ = 1000 C / n` is that of LIBSVM.",
            "",
            f"Learning. {met(learning)}",
            "",
            table(head, learning),
            "",
            f"Answering for n new objects, given by their distances. {met(answering)}",
            "",
            table(head, answering),
            "",
            "## Other ways in",
            "",
            "Seconds with C = 1: a matrix with a promise, a `MetricSpace` that knows all "
            "distances, and a matrix that promises",
            "nothing, whose kernel is examined by a Cholesky factorisation.",
            "",
            table(ways, facts["ways"]),
            "",
            f"## Landmarks, n = {LARGE:,}",
            "",
            f"Vectors with `landmarks={LANDMARKS}`, `max_memory={BUDGET!r}`, C = 1, in its own "
            "process; the peak is what fit",
            "takes beyond the sample. n x n is what the kernel matrix takes. Left out: the share "
            "of the kernel's trace beyond",
            f"the landmarks. Errors are on {LARGE + 1:,} fresh points; SVC has the same kernel and "
            "C, and the vectors.",
            "",
            table(saved, facts["landmarks"]),
            "",
        ]
    )
