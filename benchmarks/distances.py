"""Blocks of distances beside the raw call of the library below, and elastic distances beside aeon's."""

import random
from collections.abc import Callable
from itertools import repeat
from typing import Any

import numpy as np
from rapidfuzz.distance import Hamming, Levenshtein
from rapidfuzz.process import cdist as string_cdist
from scipy.spatial.distance import cdist

import wideberth as wb
from benchmarks.timing import duel, table
from wideberth.objects import sample

RANDOM = np.random.default_rng(0)
WIDE = 1000


def words(n: int, length: tuple[int, int]) -> list[str]:
    letters = random.Random(n)
    return ["".join(letters.choices("abcdefghijklmnopqrstuvwxyz", k=letters.randint(*length))) for _ in range(n)]


def raw_strings(scorer: Any) -> Callable[[Any, Any], Any]:
    return lambda left, right: string_cdist(left, right, scorer=scorer, dtype=np.float64)


def raw_vectors(name: str, **options: Any) -> Callable[[Any, Any], Any]:
    return lambda left, right: cdist(left, right, name, **options)


def blocks() -> list[list[str]]:
    """Ours / raw for a block of a million pairs and for a row of 200, on one core."""
    vectors, dna, texts = RANDOM.normal(size=(WIDE, 10)), words(WIDE, (60, 60)), words(WIDE, (3, 12))
    bits = RANDOM.random((WIDE, 64)) < 0.2
    rivals: list[tuple[str, dict[str, Any], Any, str, Callable[[Any, Any], Any]]] = [
        ("euclidean", {}, vectors, "scipy", raw_vectors("euclidean")),
        ("manhattan", {}, vectors, "scipy", raw_vectors("cityblock")),
        ("chebyshev", {}, vectors, "scipy", raw_vectors("chebyshev")),
        ("minkowski", {"p": 3}, vectors, "scipy", raw_vectors("minkowski", p=3)),
        ("levenshtein", {}, texts, "rapidfuzz", raw_strings(Levenshtein.distance)),
        ("normalized_levenshtein", {}, texts, "rapidfuzz levenshtein", raw_strings(Levenshtein.distance)),
        ("hamming", {}, dna, "rapidfuzz", raw_strings(Hamming.distance)),
        ("jaccard", {}, bits, "scipy", raw_vectors("jaccard")),
    ]
    return [_block_row(*rival) for rival in rivals]


def _block_row(name: str, parameters: dict[str, Any], objects: Any, library: str, raw: Callable[[Any, Any], Any]) -> list[str]:
    metric = wb.metric(name, **parameters)
    ready = metric.prepare(objects)
    one, others = sample.pick(ready, slice(0, 1)), sample.pick(ready, slice(0, 200))
    block = duel(lambda: metric.block(ready, ready), lambda: raw(objects, objects))
    row = duel(lambda: _many(metric.block, one, others), lambda: _many(raw, objects[:1], objects[:200]))
    return [name, library, f"{1e9 * block.ours / WIDE**2:.0f}", f"{block.ratio:.2f}", f"{row.ratio:.2f}"]


def _many(measure: Callable[[Any, Any], Any], one: Any, others: Any) -> None:
    """A row of 200 pairs, a hundred times: one is too short to time."""
    for _ in repeat(None, 100):
        measure(one, others)


def elastic() -> list[list[str]]:
    """Ours and aeon's on one core, and ours on all."""
    from aeon.distances import dtw_pairwise_distance, erp_pairwise_distance, msm_pairwise_distance, twe_pairwise_distance

    rivals = (
        ("msm", msm_pairwise_distance),
        ("dtw", dtw_pairwise_distance),
        ("erp", erp_pairwise_distance),
        ("twe", twe_pairwise_distance),
    )
    return [_elastic_row(name, peer, length, n) for name, peer in rivals for length, n in ((24, 300), (150, 120), (500, 60))]


def _elastic_row(name: str, peer: Callable[[Any], Any], length: int, n: int) -> list[str]:
    series = RANDOM.normal(size=(n, length)).cumsum(axis=1)
    metric = wb.metric(name)
    # aeon measures each pair once, so ours gets as many pairs: half as many rows
    one = duel(lambda: metric.block(series[: n // 2], series), lambda: peer(series), rounds=3)
    both = duel(
        lambda: wb.pairwise_distances(series, None, metric, n_jobs=2),
        lambda: wb.pairwise_distances(series, None, metric, n_jobs=1),
        rounds=3,
    )
    return [name, str(length), f"{1e6 * one.ours / (n * n / 2):.1f}", f"{1 / one.ratio:.1f}", f"{1 / both.ratio:.2f}"]


def page() -> str:
    return "\n".join(
        [
            "# Distances",
            "",
            "From `make bench` (`python -m benchmarks distances`). Best of several runs in turns; the ratios are what counts.",
            "",
            "Blocks of 1000 x 1000 and rows of 1 x 200 pairs on one core, objects prepared once, beside the raw call of the",
            "library below into float64:",
            "",
            table(["metric", "raw call", "ns a pair", "ours / raw, block", "ours / raw, row of 200"], blocks()),
            "",
            "Elastic distances of random walks, beside aeon on one core, and what the second core brings:",
            "",
            table(["metric", "length", "us a pair", "times faster than aeon", "times faster on two cores"], elastic()),
            "",
        ]
    )
