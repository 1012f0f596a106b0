"""Greedy matching of close pairs of different classes, for all thresholds at once, beside one query
of scipy's kd-tree.

The page also has maximum matchings, which are in `conflict_graphs`.
"""

import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from scipy.spatial import cKDTree

from benchmarks.geometry import conflict_graphs
from benchmarks.keeping import kept
from benchmarks.results import Facts
from benchmarks.rows import TIMING_NOISE, Row
from benchmarks.samples import edited_names, overlapping_classes
from benchmarks.timing import digits, duel, number, peak_memory, seconds, table
from wideberth.classifiers.margin_neighbors.vertex_cover import greedy_matching
from wideberth.geometry.measure.blocks import pairwise_distances


def vectors(n: int, dimension: int, rounds: int) -> list[str]:
    points, labels = overlapping_classes(n, dimension)
    tree = cKDTree(points)
    times = duel(
        lambda: greedy_matching(points, labels, n_jobs=1),
        lambda: tree.query(points, k=2, workers=1),
        rounds=rounds,
    )
    calls = greedy_matching(points, labels, n_jobs=1).distance_calls / n
    return [
        f"{n:,} points, {dimension}-D, 4 classes",
        digits(times.ours),
        f"{digits(times.peer)} (cKDTree 1-NN of all)",
        f"{times.ratio:.2f}",
        f"{calls:.0f}",
        f"{peak_bytes(n, dimension) / n:.0f}",
    ]


def words(n: int) -> list[str]:
    names, sexes = edited_names(n)
    ours, found = seconds(lambda: greedy_matching(names, sexes, "levenshtein"))
    brute, expected = seconds(lambda: sorted_matching(names, np.array(sexes)))
    assert np.array_equal(np.stack([found.first, found.second]), expected), (
        "the two matchings differ"
    )
    return [
        f"{n:,} words, Levenshtein, 2 classes",
        digits(ours),
        f"{digits(brute)} (all pairs sorted)",
        f"{ours / brute:.2f}",
        f"{found.distance_calls / n:.0f}",
        "",
    ]


def sorted_matching(objects: list[str], labels: Any) -> np.ndarray[Any, Any]:
    """All pairs of different classes by (distance, smaller index, larger index); a pair is matched
    if both ends are free.
    """
    distances = pairwise_distances(objects, None, "levenshtein").astype(np.uint8)
    first, second = np.nonzero(np.triu(labels[:, None] != labels[None, :], 1))
    order = np.argsort(distances[first, second], kind="stable")
    free = np.ones(len(objects), dtype=bool)
    pairs = []
    for i, j in zip(first[order].tolist(), second[order].tolist(), strict=True):
        if free[i] and free[j]:
            free[i] = free[j] = False
            pairs.append((i, j))
    return np.array(pairs).T


def peak_bytes(n: int, dimension: int) -> int:
    """What the matching takes beyond its input, in a process of its own."""
    script = f"from benchmarks.geometry.matching import print_peak; print_peak({n}, {dimension})"
    return int(
        subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, check=True
        ).stdout
    )


def print_peak(n: int, dimension: int) -> None:
    greedy_matching(
        *overlapping_classes(1000, dimension), n_jobs=1
    )  # compiled code is loaded before it is weighed
    points, labels = overlapping_classes(n, dimension)
    print(peak_memory(lambda: greedy_matching(points, labels, n_jobs=1)))


def measure() -> Facts:
    runs = {
        "1,000,000 points": partial(vectors, 1_000_000, 2, rounds=2),
        "100,000 points": partial(vectors, 100_000, 8, rounds=2),
        "words": partial(words, 20_000),
    }
    greedy = [kept("matching", f"greedy, {name}", run) for name, run in runs.items()]
    return {
        "greedy": [line for line in greedy if line is not None],
        "maximum": list(conflict_graphs.lines()),
    }


def rows(facts: Facts) -> Iterator[Row]:
    """Greedy matching beside one query of a kd-tree, or beside sorting; maximum matching beside
    scipy's where that ends.
    """
    for name, ours, theirs, *_ in facts["greedy"]:
        shown, _, peer = theirs.partition(" ")
        yield _row(f"matching: greedy, {name}", number(ours), peer.strip("()"), number(shown))
    for name, _, _, ours, *_, ratio in facts["maximum"]:
        if not ratio.startswith(">"):
            yield _row(
                f"matching: maximum, {name}", number(ours), "scipy", number(ours) * number(ratio)
            )


def _row(key: str, ours: float, peer: str, theirs: float) -> Row:
    return Row(
        topic="search", key=key, ours=ours, peer=peer, theirs=theirs, unit="s", noise=TIMING_NOISE
    )


def page(facts: Facts) -> str:
    head = [
        "data",
        "seconds",
        "peer's seconds",
        "ours / peer",
        "distances a point",
        "peak bytes a point",
    ]
    return "\n".join(
        [
            "# Matching of close pairs of different classes",
            "",
            "From `make bench` (`python -m benchmarks matching`); ours and scipy's on one core, in "
            "turns.",
            "",
            "## Greedy matching for all thresholds",
            "",
            table(head, facts["greedy"]),
            "",
            "## Maximum matching at one threshold",
            "",
            conflict_graphs.WORDS,
            "",
            table(conflict_graphs.HEAD, facts["maximum"]),
            "",
        ]
    )
