"""Every function of the geometry on samples whose matrix of distances would not fit: peak memory
under a budget of 1 GB.
"""

import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from benchmarks.keeping import kept
from benchmarks.results import Facts
from benchmarks.rows import TIMING_NOISE, Row
from benchmarks.samples import edited_names, overlapping_classes
from benchmarks.timing import peak_memory, seconds, table
from wideberth.classifiers.margin_neighbors.vertex_cover import greedy_matching
from wideberth.geometry.classes.duplicates import group_equal
from wideberth.geometry.classes.enemies import conflict_pairs, nearest_enemies
from wideberth.geometry.search.index import Index
from wideberth.geometry.shape.nets import farthest_first, greedy_net
from wideberth.geometry.space.space import MetricSpace
from wideberth.papers.dimension import intrinsic_dimension
from wideberth.papers.vertex_covers import covers

BUDGET = "1GB"
Sample = tuple[Any, Any, str]

SAMPLES: dict[str, Callable[[], Sample]] = {
    "200,000 vectors, 4-D": lambda: (*overlapping_classes(200_000, 4), "euclidean"),
    "50,000 words": lambda: (*edited_names(50_000), "levenshtein"),
}
#: A distance at which a few objects in a hundred have an enemy nearer.
SMALL = {"euclidean": 0.05, "levenshtein": 1.0}

JOBS: dict[str, Callable[[Any, Any, str], object]] = {
    "group_equal": lambda objects, labels, metric: group_equal(objects, metric, labels),
    "MetricSpace, a twentieth of all pairs": lambda objects, labels, metric: _stream(
        MetricSpace(objects, metric, max_memory=BUDGET)
    ),
    "Index.nearest of all": lambda objects, labels, metric: Index(
        objects, metric, max_memory=BUDGET
    ).nearest(objects, 2),
    "Index.within, small radius": lambda objects, labels, metric: Index(
        objects, metric, max_memory=BUDGET
    ).within(objects, SMALL[metric]),
    "farthest_first, 200 centres": lambda objects, labels, metric: farthest_first(
        objects, metric, count=200
    ),
    "greedy_net": lambda objects, labels, metric: greedy_net(
        objects, metric, {"euclidean": 1.5, "levenshtein": 7}[metric]
    ),
    "intrinsic_dimension": lambda objects, labels, metric: intrinsic_dimension(objects, metric),
    "nearest_enemies": lambda objects, labels, metric: nearest_enemies(
        objects, labels, metric, max_memory=BUDGET
    ),
    "conflict_pairs": lambda objects, labels, metric: sum(
        len(chunk[0])
        for chunk in conflict_pairs(
            objects, labels, metric, threshold=2 * SMALL[metric], max_memory=BUDGET
        )
    ),
    "greedy_matching": lambda objects, labels, metric: greedy_matching(
        objects, labels, metric, max_memory=BUDGET
    ),
    "covers": lambda objects, labels, metric: covers(
        objects, labels, metric, [2 * SMALL[metric]], max_memory=BUDGET
    ),
}


def _stream(space: MetricSpace, rows: int = 100) -> None:
    """One row in twenty against all: more than the budget holds."""
    for start in range(0, len(space) // 20, rows):
        space.metric.block(space.index[start : start + rows], space.index)


def print_peak(sample_name: str, job: str) -> None:
    objects, labels, metric = SAMPLES[sample_name]()
    elapsed, peak = seconds(lambda: peak_memory(lambda: JOBS[job](objects, labels, metric)))
    print(f"{elapsed:.1f} {peak / 2**20:.1f}")


def row(sample_name: str, job: str) -> list[str]:
    script = (
        f"from benchmarks.geometry.memory import print_peak; print_peak({sample_name!r}, {job!r})"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    if done.returncode:
        return [sample_name, job, "failed", done.stderr.strip().splitlines()[-1]]
    elapsed, peak = done.stdout.split()
    print(sample_name, job, elapsed, peak, file=sys.stderr, flush=True)
    return [sample_name, job, elapsed, peak]


def measure() -> Facts:
    pairs = [(sample_name, job) for sample_name in SAMPLES for job in JOBS]
    found = [kept("memory", ", ".join(pair), partial(row, *pair)) for pair in pairs]
    return {"rows": [each for each in found if each is not None]}


def rows(facts: Facts) -> Iterator[Row]:
    """Peaks beside the matrix of all distances, which nobody has to hold."""
    for sample, job, elapsed, peak in facts["rows"]:
        if elapsed != "failed":
            n = int(sample.partition(" ")[0].replace(",", ""))
            key, matrix = f"memory: {sample}, {job}", 8 * n**2 / 2**20
            yield Row(
                topic="memory",
                key=key,
                ours=float(peak),
                peer="all distances",
                theirs=matrix,
                unit="MB",
                noise=TIMING_NOISE,
            )


def page(facts: Facts) -> str:
    return "\n".join(
        [
            "# Memory",
            "",
            "From `make bench` (`python -m benchmarks memory`): each function in its own process, "
            f"max_memory={BUDGET!r}; the",
            "peak is what the process takes beyond the sample itself, compiled code included. "
            "Seconds are of all cores.",
            "",
            table(["sample", "function", "seconds", "peak MB"], facts["rows"]),
            "",
        ]
    )
