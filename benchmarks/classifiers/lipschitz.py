"""The Lipschitz classifier beside the papers' linear program, scikit-learn's SVC and its nearest
neighbours.
"""

import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

import wideberth as wb
from benchmarks.keeping import kept
from benchmarks.results import Facts
from benchmarks.rows import TIMING_NOISE, Row
from benchmarks.samples import edited_names, gaussian_pair, two_moons
from benchmarks.timing import digits, number, seconds, tables
from wideberth.classifiers.lipschitz.program import PairProgram

Floats = NDArray[np.float64]
Sample = tuple[Floats, NDArray[np.int64]]

PAPER_SIZES = [200, 400, 1000]
BESIDE_SVC, ROUNDS = 20_000, 2
#: The values of C, and how many times as long as SVC each may take.
GOALS = {25.0: 1.5, 5.0: 4.0, 2.0: 12.0}
GROWING = [2_500, 5_000, 10_000, 20_000, 40_000]
LARGE = 100_000
CLOUDS: dict[str, Callable[[int], Sample]] = {
    "two moons, noise 0.35": two_moons,
    "10-D blobs, Bayes error 10 %": gaussian_pair,
}


@dataclass
class Trace:
    """What the solver did: its rounds, the pairs it ended with, and the seconds in the linear
    program.
    """

    rounds: int = 0
    pairs: int = 0
    seconds: float = 0.0


@contextmanager
def traced() -> Iterator[Trace]:
    """Watch every linear program that is solved meanwhile."""
    trace, solve = Trace(), PairProgram.solve

    def watched(program: PairProgram, deadline: float) -> Any:
        spent, vertex = seconds(lambda: solve(program, deadline))
        trace.rounds, trace.pairs, trace.seconds = (
            trace.rounds + 1,
            len(program),
            trace.seconds + spent,
        )
        return vertex

    PairProgram.solve = watched
    try:
        yield trace
    finally:
        PairProgram.solve = solve


def papers_program(points: Floats, labels: NDArray[np.int64], price: float) -> float:
    """The best value of the program of von Luxburg & Bousquet (2004, section 4.2), with a
    constraint for each ordered pair.

    Minimise rho + price * (sum of slacks) over values f_i, slacks >= 0 and rho >= 0, subject to f_i
    - f_j <= rho d(x_i, x_j) for all i, j and y_i f_i >= 1 - slack_i.
    """
    n, signs = len(points), np.where(labels == labels.max(), 1.0, -1.0)
    distances = cdist(points, points)
    one, other = np.nonzero(~np.eye(n, dtype=bool))
    steps, own = np.arange(len(one)), np.arange(n)
    rows = np.concatenate([steps, steps, steps, len(one) + own, len(one) + own])
    columns = np.concatenate([one, other, np.full(len(one), 2 * n), own, n + own])
    entries = np.concatenate(
        [np.ones(len(one)), -np.ones(len(one)), -distances[one, other], -signs, -np.ones(n)]
    )
    matrix = csr_array((entries, (rows, columns)), shape=(len(one) + n, 2 * n + 1))
    limits = np.concatenate([np.zeros(len(one)), -np.ones(n)])
    costs = np.concatenate([np.zeros(n), np.full(n, price), [1.0]])
    bounds = [(None, None)] * n + [(0, None)] * (n + 1)
    return float(linprog(costs, A_ub=matrix, b_ub=limits, bounds=bounds, method="highs").fun)


def beside_the_paper(n: int, price: float = 0.1) -> list[str]:
    points, labels = two_moons(n)
    unit = wb.LipschitzClassifier(C=1.0).fit(points, labels).C_
    exact = wb.LipschitzClassifier(C=price / unit, tol=1e-8)
    usual = wb.LipschitzClassifier(C=price / unit)
    exact_time = min(seconds(lambda: exact.fit(points, labels))[0] for _ in range(5))
    usual_time = min(seconds(lambda: usual.fit(points, labels))[0] for _ in range(5))
    with traced() as trace:
        exact.fit(points, labels)
    paper_time, value = seconds(lambda: papers_program(points, labels, price))
    return [
        f"{n:,}",
        f"{n * (n - 1):,}",
        f"{trace.pairs:,}",
        digits(paper_time),
        digits(exact_time),
        f"{paper_time / exact_time:,.0f}",
        f"{paper_time / usual_time:,.0f}",
        f"{abs(exact.solution_.value - value) / value:.0e}",
    ]


def beside_svc(name: str) -> Iterator[list[str]]:
    """Ours and SVC in turns; the best of as many runs of each counts."""
    points, labels = CLOUDS[name](BESIDE_SVC)
    fresh, truth = CLOUDS[name](BESIDE_SVC + 1)
    svc = SVC(kernel="rbf")
    for price, allowed in GOALS.items():
        model = wb.LipschitzClassifier(C=price)
        ours = theirs = np.inf
        trace = Trace(seconds=np.inf)
        for _ in range(ROUNDS):
            theirs = min(theirs, seconds(lambda: svc.fit(points, labels))[0])
            with traced() as now:
                ours = min(ours, seconds(lambda model=model: model.fit(points, labels))[0])
            trace = min(trace, now, key=lambda each: each.seconds)
        yield [
            name,
            f"{price:g}",
            digits(theirs),
            digits(ours),
            f"{trace.seconds:.1f}",
            f"{trace.rounds}",
            f"{trace.pairs:,}",
            f"{model.solution_.relative_gap:.0e}",
            f"{ours / theirs:.2f}",
            f"{allowed:g}",
            f"{np.mean(model.predict(fresh) != truth):.1%} / "
            f"{np.mean(svc.predict(fresh) != truth):.1%}",
        ]
        print(name, price, ours, theirs, trace, file=sys.stderr, flush=True)


def growth(price: float) -> list[list[str]]:
    """Time and pairs against the number of objects, and the exponents of both."""
    found = []
    for n in GROWING:
        points, labels = two_moons(n)
        with traced() as trace:
            spent, _ = seconds(
                lambda points=points, labels=labels: wb.LipschitzClassifier(C=price).fit(
                    points, labels
                )
            )
        found.append((n, spent, trace.seconds, trace.pairs))
        print(price, found[-1], file=sys.stderr, flush=True)
    sizes, *measured = np.log(np.array(found).T)
    exponents = [f"n^{np.polyfit(sizes, each, 1)[0]:.2f}" for each in measured]
    return [
        *(
            [f"{price:g}", f"{n:,}", f"{spent:.2f}", f"{inside:.2f}", f"{pairs:,}"]
            for n, spent, inside, pairs in found
        ),
        [f"{price:g}", "exponent", *exponents],
    ]


def print_large(n: int, price: float) -> None:
    """Seconds and megabytes of one large fit, the sample included; run in a process of its own."""
    points, labels = two_moons(n)
    wb.LipschitzClassifier(C=price).fit(
        points[:200], labels[:200]
    )  # compiled code is loaded before it is timed
    with traced() as trace:
        spent, model = seconds(lambda: wb.LipschitzClassifier(C=price).fit(points, labels))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{spent:.1f};{trace.seconds:.1f};{trace.pairs:,};{peak:.0f};{model.solution_.relative_gap:.0e}"
    )


def large(price: float) -> list[str]:
    script = (
        f"from benchmarks.classifiers.lipschitz import print_large; print_large({LARGE}, {price})"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return [f"{price:g}", f"{LARGE:,}", *done.stdout.strip().split(";")]


def prediction(name: str, points: Any, labels: Any, metric: str, peer: Any) -> list[str]:
    """Answers a second for the second half of the objects, learned from the first half."""
    half = len(labels) // 2
    model = wb.LipschitzClassifier(metric, C=25.0).fit(points[:half], labels[:half])
    peer.fit(points[:half], labels[:half])
    queries = points[half:]
    model.predict(queries[:100]), peer.predict(queries[:100])
    ours = min(seconds(lambda: model.predict(queries))[0] for _ in range(3))
    theirs = min(seconds(lambda: peer.predict(queries))[0] for _ in range(3))
    kept = f"{len(model.support_):,} of {half:,}"
    return [
        name,
        kept,
        type(peer).__name__,
        f"{len(queries) / ours:,.0f}",
        f"{len(queries) / theirs:,.0f}",
        f"{theirs / ours:.2f}",
    ]


def predictions() -> Iterator[list[str]]:
    for name, cloud in CLOUDS.items():
        yield prediction(
            name, *cloud(2 * BESIDE_SVC), "euclidean", KNeighborsClassifier(1, n_jobs=-1)
        )
    words, labels = edited_names(6_000)
    order = np.random.default_rng(0).permutation(len(words))
    shuffled, labels = np.array(words, dtype=object)[order], np.array(labels)[order]
    yield prediction(
        "words, Levenshtein",
        shuffled,
        labels,
        "levenshtein",
        wb.NeighborsClassifier("levenshtein", n_neighbors=1),
    )


PARTS: dict[str, tuple[str, list[str], Callable[[], list[list[str]]]]] = {
    "The papers' linear program": (
        "Two moons, C_ = 0.1, solved to a gap of 1e-8; scipy's HiGHS solves the program of von "
        "Luxburg & Bousquet with all its\nLipschitz constraints. The last but one column is for "
        "the usual tolerance of 1e-3, the last one the difference of the\nobjectives at 1e-8, "
        "relative.",
        ["n", "constraints", "pairs", "paper s", "ours s", "times faster", "at 1e-3", "difference"],
        lambda: [beside_the_paper(n) for n in PAPER_SIZES],
    ),
    f"SVC with a Gaussian kernel, n = {BESIDE_SVC:,}": (
        f"Fitting, the better of {ROUNDS} runs in turns. 'LP s' is our time inside the simplex "
        "method.\nErrors are on as many fresh points, ours / SVC. The goals were set for times by "
        "the clock.",
        [
            "data",
            "C",
            "SVC s",
            "ours s",
            "LP s",
            "rounds",
            "pairs",
            "gap",
            "ours / SVC",
            "goal",
            "errors",
        ],
        lambda: [row for name in CLOUDS for row in beside_svc(name)],
    ),
    "Growth with n": (
        "Two moons, noise 0.35.",
        ["C", "n", "s", "LP s", "pairs"],
        lambda: [row for price in (25.0, 5.0) for row in growth(price)],
    ),
    f"n = {LARGE:,}": (
        "Two moons, noise 0.35, in a process of its own; peak memory of the whole process.",
        ["C", "n", "s", "LP s", "pairs", "peak MB", "gap"],
        lambda: [large(25.0)],
    ),
    "Prediction": (
        "Answers a second of CPU, C = 25; 'kept' are the training objects that can set a score.",
        ["data", "kept", "peer", "ours / s", "peer / s", "times as fast as the peer"],
        lambda: list(predictions()),
    ),
}


PAPER, SVC_PART, *_, PREDICTION = PARTS


def measure() -> Facts:
    wb.LipschitzClassifier().fit(*two_moons(500))  # compiled code is loaded before it is timed
    found = {title: kept("lipschitz", title, measured) for title, (_, _, measured) in PARTS.items()}
    return {"parts": {title: each for title, each in found.items() if each is not None}}


def rows(facts: Facts) -> Iterator[Row]:
    """Fits beside the papers' program and beside SVC, answers beside nearest neighbours."""
    for n, _, _, paper, ours, *_ in facts["parts"].get(PAPER, []):
        key = f"lipschitz: two moons, n = {n}, to 1e-8"
        yield _row("fitting", key, number(ours), "HiGHS on the papers' program", number(paper))
    for name, price, theirs, ours, *_ in facts["parts"].get(SVC_PART, []):
        yield _row(
            "fitting", f"lipschitz: {name}, C = {price}, fit", number(ours), "SVC", number(theirs)
        )
    for name, _, peer, ours, theirs, _ in facts["parts"].get(PREDICTION, []):
        rates = [1 / number(each) for each in (ours, theirs)]
        yield _row("prediction", f"lipschitz: {name}, answers", rates[0], peer, rates[1])


def _row(topic: str, key: str, ours: float, peer: str, theirs: float) -> Row:
    return Row(
        topic=topic, key=key, ours=ours, peer=peer, theirs=theirs, unit="s", noise=TIMING_NOISE
    )


def page(facts: Facts) -> str:
    title = (
        "# The Lipschitz classifier\n\nFrom `make bench` (`python -m benchmarks lipschitz`). "
        "Seconds of all cores together."
    )
    return tables(title, {name: part[:2] for name, part in PARTS.items()}, facts["parts"])
