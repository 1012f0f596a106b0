"""The search engine that filters by signatures, beside blocks of all distances and rapidfuzz:
names, words and DNA.
"""

import csv
import sys
import time
from functools import partial
from typing import Any
from unittest.mock import patch

import numpy as np
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cdist

import wideberth as wb
from benchmarks.outside_data import DATA, missing
from benchmarks.results import Facts
from benchmarks.timing import seconds, table
from wideberth.geometry.classes import enemies as searching
from wideberth.geometry.classes.enemies import nearest_enemies

LANGUAGES = ("en", "de", "fr", "es", "it", "nl")
ENGINES = ("brute", "filter")
METRICS = ("levenshtein", "normalized_levenshtein")
QUERIES, NEIGHBORS, ENEMIES_WANTED = 2_000, (1, 10), (1, 12)
GROWTH, MOST_IN_BLOCKS = (12_500, 25_000, 50_000, 100_000, 200_000), 100_000
DNA_LENGTH, DNA_STRINGS = 60, 20_000
#: What the cores did for this process, whoever else works on the machine.
CPU = time.process_time


def names() -> dict[str, tuple[list[str], list[str]]]:
    """Surnames with their nationalities, if they are there."""
    if missing(["names_18_nationalities.csv"]):
        return {}
    with (DATA / "names_18_nationalities.csv").open(encoding="utf-8") as file:
        rows = list(csv.reader(file))[1:]
    return {"names": ([row[0] for row in rows], [row[1] for row in rows])}


def words(n: int) -> tuple[list[str], list[str]]:
    """The most frequent words of six languages, from each language in turn; a word belongs to the
    first that has it.
    """
    from wordfreq import top_n_list

    found: dict[str, str] = {}
    for rank in zip(*(top_n_list(language, n) for language in LANGUAGES), strict=False):
        for language, word in zip(LANGUAGES, rank, strict=True):
            found.setdefault(word, language)
        if len(found) >= n:
            break
    return list(found)[:n], list(found.values())[:n]


def dna() -> dict[str, list[str]]:
    chance = np.random.default_rng(0)
    letters = chance.choice(list("ACGT"), (DNA_STRINGS, DNA_LENGTH))
    drawn = {"random DNA": ["".join(row) for row in letters]}
    if missing(["splice_junctions.csv"]):
        return drawn
    with (DATA / "splice_junctions.csv").open(encoding="utf-8") as file:
        return {"splice junctions": [row[0] for row in csv.reader(file)][1:], **drawn}


def measure() -> Facts:
    several = {**names(), "words": words(50_000)}
    nearest_enemies(
        *words(2_000), "levenshtein"
    )  # compiled code is loaded before anything is timed
    for metric in METRICS:
        for engine in ENGINES:
            wb.Index(["tea", "rum"], metric, engine=engine).nearest(["tea"], 2)
    with in_blocks():
        nearest_enemies(*words(2_000), "levenshtein")
    return {
        "neighbors": [
            shown(neighbors(name, strings, metric, k))
            for name, (strings, _) in several.items()
            for metric in METRICS
            for k in NEIGHBORS
        ],
        "enemies": [
            shown(enemies(name, *each, metric, k))
            for name, each in several.items()
            for metric in METRICS
            for k in ENEMIES_WANTED
        ],
        "growth": [shown(grown(n)) for n in GROWTH],
        "dna": [shown(choice(name, strings)) for name, strings in dna().items()],
    }


def neighbors(name: str, strings: list[str], metric: str, k: int) -> Facts:
    """Every so-manyth string asks for its nearest among the others."""
    step = len(strings) // QUERIES
    queries, others = (
        strings[::step][:QUERIES],
        [string for place, string in enumerate(strings) if place % step],
    )
    brute, filtered = both_engines(others, queries, metric, k)
    assert np.array_equal(brute["found"], filtered["found"]), "the engines disagree"
    peer, _ = seconds(partial(by_rapidfuzz, queries, others, k), CPU)
    return {
        "data": name,
        "metric": metric,
        "k": k,
        "n": len(others),
        "left": filtered["calls"] / (len(queries) * len(others)),
        "chosen": wb.Index(others, metric).engine,
        "brute": brute["cpu"],
        "filter": filtered["cpu"],
        "rapidfuzz": peer if metric == "levenshtein" else None,
    }


def both_engines(
    strings: list[str], queries: list[str], metric: str, k: int
) -> list[dict[str, Any]]:
    """What blocks and signatures find, and what it costs."""
    return [search(engine, strings, queries, metric, k) for engine in ENGINES]


def search(
    engine: str, strings: list[str], queries: list[str], metric: str, k: int
) -> dict[str, Any]:
    def run() -> tuple[wb.Index, Any]:
        index = wb.Index(strings, metric, engine=engine)
        return index, index.nearest(queries, k)

    cpu, (index, found) = seconds(run, CPU)
    return {
        "cpu": cpu,
        "calls": index.distance_calls,
        "found": np.concatenate([found.indices, found.distances]),
    }


def by_rapidfuzz(queries: list[str], strings: list[str], k: int) -> Any:
    """All distances as small numbers, and the least of them: what one would write with rapidfuzz
    alone.
    """
    distances = cdist(queries, strings, scorer=Levenshtein.distance, dtype=np.uint8)
    return distances.argmin(axis=1) if k == 1 else np.argpartition(distances, k, axis=1)[:, :k]


def enemies(
    name: str, strings: list[str], labels: list[str], metric: str, k: int, *, blocks: bool = True
) -> Facts:
    """The k nearest strings of other classes of every string."""
    search = partial(nearest_enemies, strings, labels, metric, k)
    ours, found = seconds(search, CPU)
    mean = float(found.distances.mean())
    facts = {
        "data": name,
        "metric": metric,
        "k": k,
        "n": len(strings),
        "ours": ours,
        "mean": mean,
        "blocks": None,
    }
    if blocks:
        with in_blocks():
            facts["blocks"], wanted = seconds(search, CPU)
        assert np.array_equal(found.indices, wanted.indices), "the engines disagree"
    return facts


def grown(n: int) -> Facts:
    return enemies("words", *words(n), "levenshtein", 1, blocks=n <= MOST_IN_BLOCKS)


def choice(name: str, strings: list[str]) -> Facts:
    """What the engine that was chosen is, and what finding that out cost beside the queries it is
    meant for.
    """
    cpu, index = seconds(partial(wb.Index, strings, "levenshtein"), CPU)
    queries = strings[:: len(strings) // 200][:200]
    brute, filtered = (found["cpu"] for found in both_engines(strings, queries, "levenshtein", 10))
    return {
        "data": name,
        "n": len(strings),
        "chosen": index.engine,
        "choosing": cpu,
        "answering": brute * len(strings) / 10 / len(queries),
        "filter_over_brute": filtered / brute,
    }


def in_blocks() -> Any:
    """While this is in force, nearest enemies are found in blocks of all distances."""
    return patch.object(searching, "engine_for_enemies", lambda *_, **__: None)


def shown(facts: Facts) -> Facts:
    print(facts, file=sys.stderr, flush=True)
    return facts


def page(facts: Facts) -> str:
    first, *_, last = facts["growth"]
    exponents = [
        f"{_exponent(first['ours'], last['ours'], first['n'], last['n']):.2f} by signatures",
        f"{_exponent(*_blocks(facts['growth'])):.2f} in blocks",
    ]
    return "\n\n".join(
        [
            INTRODUCTION,
            table(NEIGHBORS_HEAD, [_neighbors_row(each) for each in facts["neighbors"]]),
            ENEMIES,
            table(ENEMIES_HEAD, [_enemies_row(each) for each in facts["enemies"]]),
            GROWTH_WORDS.format(exponents=", ".join(exponents)),
            table(ENEMIES_HEAD, [_enemies_row(each) for each in facts["growth"]]),
            DNA,
            table(DNA_HEAD, [_dna_row(each) for each in facts["dna"]]),
        ]
    )


def _neighbors_row(each: Facts) -> list[str]:
    return [
        *_asked(each),
        f"{each['left']:.2%}",
        each["chosen"],
        *_compared(each["brute"], each["filter"]),
        "" if each["rapidfuzz"] is None else f"{each['rapidfuzz'] / each['filter']:.1f}",
    ]


def _enemies_row(each: Facts) -> list[str]:
    return [*_asked(each), f"{each['mean']:.2f}", *_compared(each["blocks"], each["ours"])]


def _dna_row(each: Facts) -> list[str]:
    share = each["choosing"] / each["answering"]
    costs = [
        f"{each['choosing']:.3f}",
        f"{each['answering']:.1f}",
        f"{share:.1%}",
        f"{each['filter_over_brute']:.1f}",
    ]
    return [_strings(each), each["chosen"], *costs]


def _asked(each: Facts) -> list[str]:
    return [_strings(each), each["metric"], str(each["k"])]


def _strings(each: Facts) -> str:
    return f"{each['data']} ({each['n']:,})"


def _compared(blocks: float | None, ours: float) -> list[str]:
    """Seconds of both, and how often ours are in those of blocks; those may not have been
    measured.
    """
    return (
        ["", f"{ours:.2f}", ""]
        if blocks is None
        else [f"{blocks:.2f}", f"{ours:.2f}", f"{blocks / ours:.1f}"]
    )


def _blocks(growth: list[Facts]) -> tuple[float, float, int, int]:
    measured = [each for each in growth if each["blocks"] is not None]
    return measured[0]["blocks"], measured[-1]["blocks"], measured[0]["n"], measured[-1]["n"]


def _exponent(little: float, much: float, few: int, many: int) -> float:
    return float(np.log(much / little) / np.log(many / few))


NEIGHBORS_HEAD = [
    "strings",
    "metric",
    "k",
    "left to measure",
    "chosen",
    "blocks s",
    "filter s",
    "blocks / filter",
    "rapidfuzz / filter",
]
ENEMIES_HEAD = ["strings", "metric", "k", "mean distance", "blocks s", "ours s", "blocks / ours"]
DNA_HEAD = [
    "strings",
    "chosen",
    "choosing s",
    "answering s",
    "choosing / answering",
    "filter / blocks if it is forced",
]

INTRODUCTION = f"""\
# Filtered search

From `python -m benchmarks filter`: the engine `"filter"` of `wideberth.Index`, which bounds edit distances by signatures of
128 bits and measures what the bounds leave, beside the engine `"brute"`, which measures blocks of all distances by rapidfuzz,
and beside rapidfuzz's `cdist` with small numbers and numpy's `argmin` or `argpartition`. Seconds are those of the processor,
on all cores, building included. Names are of 18 nationalities; words are the most frequent ones of {len(LANGUAGES)} languages
(wordfreq). All answers are compared, ties included. {QUERIES:,} strings ask for their k nearest among the others:"""
ENEMIES = """\
## Nearest enemies

The k nearest strings of other classes for every string (`nearest_enemies`); `MarginNeighborsClassifier` begins with 12 of them.
Blocks measure each pair of different classes once. Where the ratio is 1, the trial found that signatures would not be twice as
fast, and took blocks."""
GROWTH_WORDS = """\
## As n grows

The same on growing lists of words. Seconds grow with the power {exponents}."""
DNA = f"""\
## Nothing to gain

Strings of {DNA_LENGTH} letters out of four have similar counts of them all, so that bounds rule out nothing. Trials on a few
strings show that, and blocks are chosen. Choosing is beside the time of the n / 10 queries it is done for."""
