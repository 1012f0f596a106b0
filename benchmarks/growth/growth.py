"""How the time and the memory of fits grow with the number of objects, for every classifier, on
vectors and on strings.
"""

import sys
from collections.abc import Iterator
from functools import partial
from math import inf, log

import numpy as np

from benchmarks.growth.fits import ASKED, fit, methods
from benchmarks.keeping import cpu_seconds, kept, noted
from benchmarks.results import Facts
from benchmarks.rows import Row
from benchmarks.timing import table

#: Numbers of objects: half a power of ten apart.
SIZES = (1_000, 3_162, 10_000, 31_623, 100_000)
#: Seconds of CPU that a fit may be expected to take, so that a classifier's fits to one kind of
#: object stay within 10 minutes, and minutes that all of them may take.
MOST_SECONDS, MOST_MINUTES = 180, 25
#: The same for a short run, and its numbers of objects.
QUICK_SECONDS, QUICK_SIZES = 15, SIZES[:3]
#: Exponents are fitted to so many sizes, the largest ones.
FITTED = 3
#: Peaks of memory below so many bytes say nothing about n.
SMALL = 4 * 2**20
KINDS = ("vectors", "strings")
#: What is compared with the peer: under which name, where on the front page, in which unit.
COMPARED = (
    ("fit", "fitting", "s to fit"),
    ("answer", "prediction", "s an answer"),
    ("peak", "memory", "bytes"),
)
#: The peers beside which times of the largest common size are set.
BESIDE = {"vectors": "SVC", "strings": "TF-IDF + LR"}
#: A peer that does the same.
LIKE = {("vectors", "neighbors"): "KNeighborsClassifier"}


def measure() -> Facts:
    return fits(SIZES, MOST_SECONDS, MOST_MINUTES)


def quick() -> Facts:
    """Up to 10,000 objects."""
    return fits(QUICK_SIZES, QUICK_SECONDS)


def fits(sizes: tuple[int, ...], most_seconds: float, most_minutes: float = inf) -> Facts:
    """All fits that are expected to end in time: a larger sample is tried if the growth so far
    promises it.

    Small samples of all classifiers come first, and of one size those that take least: a run that
    is stopped has something of each.
    """
    started = cpu_seconds()
    found: Facts = {
        "most_seconds": most_seconds,
        "kinds": {kind: {method: {} for method in methods(kind)} for kind in KINDS},
    }
    pairs = [
        (found["kinds"][kind][method], kind, method) for kind in KINDS for method in methods(kind)
    ]
    for place, n in enumerate(sizes):
        going_on = [
            pair
            for pair in pairs
            if len(pair[0]) == place and not any("failed" in each for each in pair[0].values())
        ]
        for series, kind, method in sorted(going_on, key=lambda pair: expected(pair[0], n)):
            spent = cpu_seconds() - started + noted()["spent_before"]
            if expected(series, n) <= min(most_seconds, 60 * most_minutes - spent):
                outcome = kept(
                    "growth",
                    f"{method}, {kind}, {n}",
                    partial(fit, method, kind, n, 2 * most_seconds),
                )
                if outcome is not None:
                    series[str(n)] = outcome
                    print(kind, method, n, outcome, file=sys.stderr, flush=True)
    return found


def expected(series: Facts, n: int) -> float:
    """Seconds of CPU of the next fit, if time goes on to grow as it did last, and not less than
    n.
    """
    done = [(int(size), each["fit"]) for size, each in series.items()]
    if not done:
        return 0.0
    last, spent = done[-1]
    power = 1.0
    if len(done) > 1 and done[-2][1] > 0:
        power = max(power, log(spent / done[-2][1]) / log(last / done[-2][0]))
    return float(spent * (n / last) ** power)


def exponent(series: Facts, what: str, least: float = 0.0) -> tuple[float, float] | None:
    """The power of n that the largest sizes show, and by how much it differs between the steps;
    None with fewer than two.
    """
    done = [
        (int(n), each[what])
        for n, each in series.items()
        if "failed" not in each and each[what] > least
    ][-FITTED:]
    if len(done) < 2:
        return None
    sizes, values = np.log(np.array(done, dtype=float)).T
    steps = np.diff(values) / np.diff(sizes)
    return float(np.polyfit(sizes, values, 1)[0]), float(np.ptp(steps) / 2)


def rows(facts: Facts) -> Iterator[Row]:
    """Fit and answers of ours at the largest size that the peer has too."""
    for kind, found in facts["kinds"].items():
        for method in (each for each in found if each not in _peers(kind)):
            name = LIKE.get((kind, method), BESIDE[kind])
            peer = found[name]
            both = [
                n
                for n, each in found[method].items()
                if "failed" not in each and "failed" not in peer.get(n, {"failed": ""})
            ]
            for what, topic, words in COMPARED:
                if both and min(found[method][both[-1]][what], peer[both[-1]][what]) > (
                    SMALL if what == "peak" else 0
                ):
                    ours, theirs = found[method][both[-1]][what], peer[both[-1]][what]
                    key = f"growth: {kind}, {method}, {what}, n = {int(both[-1]):,}"
                    yield Row(
                        topic=topic,
                        key=key,
                        ours=ours,
                        peer=name,
                        theirs=theirs,
                        unit=words,
                        noise=0.1,
                    )


def _peers(kind: str) -> list[str]:
    from benchmarks.growth.fits import PEERS

    return list(PEERS[kind])


def page(facts: Facts) -> str:
    parts = ["# Growth with the number of objects", WORDS.format(limit=facts["most_seconds"])]
    for kind, found in facts["kinds"].items():
        head = [
            "classifier",
            "largest n",
            "fit s",
            "power of n",
            "peak MB",
            "power of n",
            "answer ms",
            "power of n",
            "ended by",
        ]
        parts += [
            f"## {kind.capitalize()}",
            table(
                head,
                [
                    _line(method, series, facts["most_seconds"])
                    for method, series in found.items()
                    if series
                ],
            ),
        ]
        sizes = sorted({int(n) for series in found.values() for n in series})
        times = [
            [method, *(_seconds(series.get(str(n))) for n in sizes)]
            for method, series in found.items()
        ]
        parts += [
            "Seconds of CPU of the fits:",
            table(["classifier", *(f"{n:,}" for n in sizes)], times),
        ]
    return "\n\n".join(parts)


def _line(method: str, series: Facts, most_seconds: float) -> list[str]:
    done = {n: each for n, each in series.items() if "failed" not in each}
    failed = next((each["failed"] for each in series.values() if "failed" in each), "")
    if not done:
        return [method, *[""] * 7, failed]
    n, last = list(done.items())[-1]
    return [
        method,
        f"{int(n):,}",
        f"{last['fit']:.3g}",
        _power(exponent(series, "fit")),
        f"{last['peak'] / 2**20:,.0f}",
        _power(exponent(series, "peak", SMALL)),
        f"{1000 * last['answer']:.3g}",
        _power(exponent(series, "answer")),
        failed or _ended_by(series, int(n), most_seconds),
    ]


def _ended_by(series: Facts, last: int, most_seconds: float) -> str:
    larger = [n for n in SIZES if n > last]
    if not larger:
        return ""
    return (
        "the next would take longer"
        if expected(series, larger[0]) > most_seconds
        else "no time for the next in this run"
    )


def _power(found: tuple[float, float] | None) -> str:
    if found is None:
        return ""
    return f"{found[0]:.2f} ± {found[1]:.2f}" if found[1] > 0 else f"{found[0]:.2f} (two sizes)"


def _seconds(outcome: Facts | None) -> str:
    return "" if outcome is None else "-" if "failed" in outcome else f"{outcome['fit']:.3g}"


WORDS = f"""\
From `make bench` (`python -m benchmarks growth`). Vectors in four dimensions in four classes that overlap, Euclidean distance
(Manhattan for linear scores); first names of the census and names a few edits away from them, by sex, Levenshtein distance
(n-grams for linear scores). Each fit has its own process, one thread for linear algebra, and the settings that `wideberth fit`
takes for so many objects. CPU seconds of the fit, bytes that it takes at its peak beyond the sample and the compiled code, and
CPU time of an answer, over {ASKED:,} new objects. Sizes go on while the growth so far promises a fit within {{limit:.0f}} s, and
all fits within {MOST_MINUTES} minutes, those that take least first. Powers of n are fitted to the {FITTED} largest sizes; after ±
half the difference of the two steps between them. Peaks below 4 MB are left out of powers. scikit-learn's models are fitted as
they are; TF-IDF counts n-grams up to five letters."""
