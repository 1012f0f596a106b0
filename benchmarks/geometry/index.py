"""The index beside comparing all, scikit-learn's BallTree and pynndescent. A new metric joins by one line in `cases`."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

import wideberth as wb
from benchmarks.samples import bell_curves, edited_names, overlapping_classes
from benchmarks.timing import seconds, table
from wideberth.geometry.search.index import ENGINES
from wideberth.objects import sample
from wideberth.theory.dimension import intrinsic_dimension


@dataclass(frozen=True)
class Case:
    """Objects to search in, objects to search for, and the metric."""

    name: str
    metric: str
    objects: Any
    queries: Any


def cases() -> Iterator[Case]:
    yield case("2-D vectors", "euclidean", overlapping_classes(110_000, 2)[0], 10_000)
    yield case("8-D vectors", "euclidean", overlapping_classes(110_000, 8)[0], 10_000)
    yield case("30-D vectors", "euclidean", overlapping_classes(22_000, 30)[0], 2_000)
    yield case("words", "levenshtein", edited_names(101_000)[0], 1_000)
    yield case("places", "haversine", places(110_000), 10_000)
    yield case("bell curves", "msm", bell_curves(5_500), 500)
    yield from archive()


def places(n: int) -> NDArray[np.float64]:
    """Latitudes and longitudes in radians, evenly spread over the sphere."""
    chance = np.random.default_rng(n)
    return np.stack([np.arcsin(chance.uniform(-1, 1, n)), chance.uniform(-np.pi, np.pi, n)], axis=1)


def archive() -> Iterator[Case]:
    """Real series that come with aeon."""
    from aeon.datasets import load_arrow_head, load_gunpoint, load_italy_power_demand

    for load in (load_italy_power_demand, load_gunpoint, load_arrow_head):
        series = np.asarray(load()[0])[:, 0, :]
        yield case(load.__name__.removeprefix("load_"), "msm", series, len(series) // 10)


def case(name: str, metric: str, objects: Any, n_queries: int) -> Case:
    """Every so-manyth object asks; the others are searched."""
    asks = np.zeros(len(objects), dtype=bool)
    asks[np.linspace(0, len(objects) - 1, n_queries).astype(int)] = True
    held = sample.hold(objects)
    return Case(f"{name} (n = {(~asks).sum():,}, {n_queries:,} queries)", metric, held[~asks], held[asks])


def measure(each: Case) -> list[str]:
    n_pairs = len(each.objects) * len(each.queries)
    forced = {engine: seconds(partial(search, each, engine)) for engine in engines(each)}
    times = {engine: taken for engine, (taken, _) in forced.items()}
    ours, (index, found) = seconds(partial(search, each))
    truth = forced["brute"][1][1].indices
    for answer in (found, *(found for _, (_, found) in forced.values())):
        assert np.array_equal(answer.indices, truth), "an engine and comparing all disagree"
    dimension = intrinsic_dimension(each.objects, each.metric, method="twonn").value
    return [
        each.name,
        each.metric,
        f"{dimension:.1f}",
        index.engine,
        f"{n_pairs / index.distance_calls:.1f}",
        f"{times['brute']:.2f}",
        f"{ours / times['brute']:.2f}",
        *(f"{times[engine] / times['brute']:.2f}" if engine in times else "" for engine in ("kdtree", "pivots")),
        *peers(each, ours, truth),
    ]


def engines(each: Case) -> list[str]:
    """Those that take the metric; compiled code is loaded before anything is timed."""
    taken = [engine for engine in ENGINES if engine != "auto" and (engine != "kdtree" or vectors(each))]
    few = replace(each, objects=each.objects[:50], queries=each.queries[:5])
    for engine in taken:
        search(few, engine)
    return taken


def vectors(each: Case) -> bool:
    return each.metric == "euclidean"


def search(each: Case, engine: str = "auto") -> tuple[wb.Index, Any]:
    index = wb.Index(each.objects, each.metric, engine=engine)
    return index, index.nearest(each.queries)


def peers(each: Case, ours: float, truth: Any) -> list[str]:
    """Ours / BallTree, and ours / pynndescent with its recall: on vectors only, they know no others."""
    if not vectors(each):
        return ["", ""]
    from pynndescent import NNDescent
    from sklearn.neighbors import BallTree

    ball_time, answers = seconds(lambda: BallTree(each.objects).query(each.queries)[1])
    assert np.array_equal(answers, truth), "BallTree answers otherwise"
    graph_time, guesses = seconds(lambda: NNDescent(each.objects, random_state=0).query(each.queries, k=1)[0])
    return [f"{ours / ball_time:.2f}", f"{ours / graph_time:.2f} (recall {np.mean(guesses == truth):.1%})"]


def page() -> str:
    head = [
        "data",
        "metric",
        "TwoNN",
        "engine",
        "fewer calls",
        "brute s",
        "ours / brute",
        "kdtree / brute",
        "pivots / brute",
        "ours / BallTree",
        "ours / pynndescent",
    ]
    return "\n".join(
        [
            "# The exact index",
            "",
            "From `make bench` (`python -m benchmarks index`): nearest neighbours of the queries, building and choosing",
            "the engine included, all cores; 'fewer calls' is pairs over distances measured; TwoNN is the estimated dimension.",
            "'kdtree / brute' and 'pivots / brute' are the times of these engines where they are asked for, building included.",
            "",
            table(head, [measure(each) for each in cases()]),
            "",
        ]
    )
