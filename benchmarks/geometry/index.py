"""The index beside comparing all, scipy's cKDTree, scikit-learn's BallTree and pynndescent."""

import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

import wideberth as wb
from benchmarks.data import archive_has, archived
from benchmarks.keeping import kept
from benchmarks.results import Facts
from benchmarks.rows import TIMING_NOISE, Row
from benchmarks.samples import bell_curves, edited_names, overlapping_classes
from benchmarks.timing import seconds, table
from wideberth.errors import InvalidInput
from wideberth.geometry.search.index import ENGINES
from wideberth.objects import sample
from wideberth.papers.dimension import intrinsic_dimension

#: Objects of a first call of each peer, which loads or compiles what it needs.
FEW = 1_000


@dataclass(frozen=True)
class Case:
    """Objects to search in, objects to search for, and the metric."""

    name: str
    metric: str
    objects: Any
    queries: Any


def cases() -> Iterator[Case]:
    yield from vector_cases()
    yield words()
    yield case("places", "haversine", places(110_000), 10_000)
    yield case("bell curves", "msm", bell_curves(5_500), 500)
    yield from archive()


def vector_cases() -> Iterator[Case]:
    yield case("2-D vectors", "euclidean", overlapping_classes(110_000, 2)[0], 10_000)
    yield case("8-D vectors", "euclidean", overlapping_classes(110_000, 8)[0], 10_000)
    yield case("30-D vectors", "euclidean", overlapping_classes(22_000, 30)[0], 2_000)


def words() -> Case:
    return case("words", "levenshtein", edited_names(101_000)[0], 1_000)


def places(n: int) -> NDArray[np.float64]:
    """Latitudes and longitudes in radians, evenly spread over the sphere."""
    chance = np.random.default_rng(n)
    return np.stack([np.arcsin(chance.uniform(-1, 1, n)), chance.uniform(-np.pi, np.pi, n)], axis=1)


def archive() -> Iterator[Case]:
    """Real series that come with aeon."""
    for name in ("ItalyPowerDemand", "GunPoint", "ArrowHead"):
        if archive_has(name):
            series = archived(name)[0]
            yield case(name, "msm", series, len(series) // 10)


def case(name: str, metric: str, objects: Any, n_queries: int) -> Case:
    """Every so-manyth object asks; the others are searched."""
    asks = np.zeros(len(objects), dtype=bool)
    asks[np.linspace(0, len(objects) - 1, n_queries).astype(int)] = True
    held = sample.hold(objects)
    return Case(
        f"{name} (n = {(~asks).sum():,}, {n_queries:,} queries)", metric, held[~asks], held[asks]
    )


def outcome(each: Case) -> Facts:
    """Seconds of every engine and of the peers, building included, and how many distances ours
    measured.
    """
    forced = {engine: seconds(partial(search, each, engine)) for engine in engines(each)}
    ours, (index, found) = seconds(partial(search, each))
    truth = forced["brute"][1][1].indices
    for answer in (found, *(found for _, (_, found) in forced.values())):
        assert np.array_equal(answer.indices, truth), "an engine and comparing all disagree"
    facts = {
        "name": each.name,
        "metric": each.metric,
        "dimension": intrinsic_dimension(each.objects, each.metric, method="twonn").value,
        "engine": index.engine,
        "pairs": len(each.objects) * len(each.queries),
        "calls": index.distance_calls,
        "ours": ours,
        "engines": {engine: taken for engine, (taken, _) in forced.items()},
        "peers": peers(each, truth),
    }
    print(facts, file=sys.stderr, flush=True)
    return facts


def engines(each: Case) -> list[str]:
    """Those that take the metric; compiled code is loaded before anything is timed."""
    taken, few = [], replace(each, objects=each.objects[:50], queries=each.queries[:5])
    for engine in (name for name in ENGINES if name != "auto"):
        with suppress(InvalidInput):
            search(few, engine)
            taken.append(engine)
    return taken


def vectors(each: Case) -> bool:
    return each.metric == "euclidean"


def search(each: Case, engine: str = "auto") -> tuple[wb.Index, Any]:
    index = wb.Index(each.objects, each.metric, engine=engine)
    return index, index.nearest(each.queries)


def peers(each: Case, truth: Any) -> Facts:
    """Seconds of trees and of an approximate graph, with the share of true neighbours: on vectors
    only, they know no others.
    """
    if not vectors(each):
        return {}
    from pynndescent import NNDescent
    from scipy.spatial import cKDTree
    from sklearn.neighbors import BallTree

    ways: dict[str, Callable[[Any, Any], Any]] = {
        "cKDTree": lambda objects, queries: cKDTree(objects).query(queries)[1][:, None],
        "BallTree": lambda objects, queries: BallTree(objects).query(queries)[1],
        "pynndescent": lambda objects, queries: NNDescent(objects, random_state=0).query(
            queries, k=1
        )[0],
    }
    found = {}
    for name, run in ways.items():
        run(
            each.objects[:FEW], each.queries[:10]
        )  # pynndescent compiles for a minute at its first call
        taken, answers = seconds(partial(run, each.objects, each.queries))
        found[name] = {"seconds": taken, "recall": float(np.mean(answers == truth))}
    return found


def measure() -> Facts:
    found = [
        kept("index", f"{each.name}, {each.metric}", partial(outcome, each)) for each in cases()
    ]
    return {"cases": [each for each in found if each is not None]}


def quick() -> Facts:
    """Vectors alone, which peers know."""
    return {"cases": [outcome(each) for each in (*vector_cases(), words())]}


def rows(facts: Facts) -> Iterator[Row]:
    """Times beside the trees, beside the approximate graph and beside comparing all; distances
    beside all pairs.
    """
    for case in facts["cases"]:
        for peer, found in (
            case["peers"] | {"comparing all": {"seconds": case["engines"]["brute"]}}
        ).items():
            key, theirs = f"index: {case['name']}, {case['metric']}, {peer}", found["seconds"]
            yield Row(
                topic="search",
                key=key,
                ours=case["ours"],
                peer=peer,
                theirs=theirs,
                unit="s",
                noise=2 * TIMING_NOISE,
            )
        yield Row(
            topic="distance calls",
            key=f"index: {case['name']}, {case['metric']}, distances",
            ours=case["calls"],
            peer="all pairs",
            theirs=case["pairs"],
            unit="distances",
            noise=0.01,
        )


#: Engines that are asked for by name.
FORCED = ("kdtree", "pivots", "filter")
PEERS = ("cKDTree", "BallTree", "pynndescent")


def page(facts: Facts) -> str:
    head = [
        "data",
        "metric",
        "TwoNN",
        "engine",
        "fewer calls",
        "brute s",
        "ours / brute",
        *(f"{engine} / brute" for engine in FORCED),
    ]
    lines = [_line(case) for case in facts["cases"]]
    return "\n\n".join(
        ["# The exact index", WORDS, table([*head, *(f"ours / {peer}" for peer in PEERS)], lines)]
    )


def _line(case: Facts) -> list[str]:
    times, brute = case["engines"], case["engines"]["brute"]
    ratios = [f"{times[engine] / brute:.2f}" if engine in times else "" for engine in FORCED]
    return [
        *(case["name"], case["metric"], f"{case['dimension']:.1f}", case["engine"]),
        *(f"{case['pairs'] / case['calls']:.1f}", f"{brute:.2f}", f"{case['ours'] / brute:.2f}"),
        *ratios,
        *(_beside(case, peer) for peer in PEERS),
    ]


def _beside(case: Facts, peer: str) -> str:
    found = case["peers"].get(peer)
    if found is None:
        return ""
    recall = f" (recall {found['recall']:.1%})" if found["recall"] < 1 else ""
    return f"{case['ours'] / found['seconds']:.2f}{recall}"


WORDS = """\
From `make bench` (`python -m benchmarks index`): nearest neighbours of the queries, building and choosing the engine included,
seconds of all cores together; 'fewer calls' is pairs over distances measured; TwoNN is the estimated dimension. 'kdtree /
brute' and others are the times of these engines where they are asked for, and take the metric. Beside scipy's cKDTree,
scikit-learn's BallTree and pynndescent with their defaults, building included, compiling not; recall is said where an
answer is not the true neighbour."""
