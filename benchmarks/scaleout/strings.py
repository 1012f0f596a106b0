"""Two hundred thousand strings on a cluster beside one process: nearest enemies, and a classifier
that keeps its margin.
"""

import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

import wideberth as wb
from benchmarks.geometry.filter import words as frequent_words
from benchmarks.keeping import kept
from benchmarks.results import Facts
from benchmarks.rows import Row
from benchmarks.scaleout.cluster import WORKERS, cost_here, cost_on, loaded, two_workers
from benchmarks.scaleout.shared_work import row_of_workers
from benchmarks.timing import table
from wideberth.geometry.classes.enemies import nearest_enemies
from wideberth.geometry.measure.parallel import on_one_core

N, ASKED = 200_000, 2_000
HEAD = [
    "",
    "one process, CPU s",
    "MB",
    "cluster, CPU s",
    "ratio",
    "clock, s",
    "of it client CPU",
    "MB a worker",
    "the same",
]

Labelled = tuple[list[str], list[str]]


def enemies(words: list[str], languages: list[str], new: list[str]) -> np.ndarray:
    """The distances and the indices of the nearest enemies of all words."""
    found = nearest_enemies(words, languages, "levenshtein")
    return np.concatenate([found.distances.ravel(), found.indices.ravel()])


def answers(words: list[str], languages: list[str], new: list[str]) -> np.ndarray:
    """The labels of new words, by a classifier of all others; it is fitted within the limits that
    are set around it.
    """
    return wb.MarginNeighborsClassifier("levenshtein").fit(words, languages).predict(new)


WORKS: dict[str, Callable[[list[str], list[str], list[str]], Any]] = {
    "nearest enemies": enemies,
    "`MarginNeighborsClassifier`, fit and answers": answers,
}


def measure() -> Facts:
    words, languages = frequent_words(N + ASKED)
    chance = np.random.default_rng(0).permutation(len(words))
    learned = [words[place] for place in chance[:N]], [languages[place] for place in chance[:N]]
    new = [words[place] for place in chance[N:]]
    found = {
        title: kept("scaleout.strings", title, partial(_compared, title, run, learned, new))
        for title, run in WORKS.items()
    }
    return {title: each for title, each in found.items() if each is not None} | {
        "n": N,
        "load": loaded(),
    }


def _compared(title: str, run: Callable[..., Any], learned: Labelled, new: list[str]) -> Facts:
    few = learned[0][:8_000], learned[1][:8_000]
    with two_workers() as client, wb.scaleout.on(client):
        run(*few, new)  # libraries and compiled code are loaded before anything is timed
        cluster, there = cost_on(client, lambda: run(*learned, new))
    print(title, cluster, file=sys.stderr, flush=True)
    with on_one_core():
        run(*few, new)
        alone, here = cost_here(lambda: run(*learned, new))
    print(title, alone, file=sys.stderr, flush=True)
    return {"cluster": cluster, "alone": alone, "same": bool(np.array_equal(there, here))}


def rows(facts: Facts) -> Iterator[Row]:
    """Both works beside one process."""
    for title in (each for each in WORKS if each in facts):
        cluster, alone = facts[title]["cluster"], facts[title]["alone"]
        yield row_of_workers(
            "strings", f"{facts['n']:,} words, {title}", cluster["cpu"], WORKERS, alone["cpu"]
        )


def page(facts: Facts) -> str:
    rows = [_row(title, facts[title]) for title in WORKS if title in facts]
    words = WORDS.format(n=facts["n"], load=facts["load"])
    return f"## {facts['n']:,} strings\n\n{words}\n\n{table(HEAD, rows)}"


def _row(title: str, found: Facts) -> list[str]:
    alone, cluster = found["alone"], found["cluster"]
    return [
        title,
        f"{alone['cpu']:.0f}",
        f"{alone['bytes'] / 1e6:.0f}",
        f"{cluster['cpu']:.0f}",
        f"{cluster['cpu'] / alone['cpu']:.2f}",
        f"{cluster['wall']:.0f}",
        f"{cluster['client_cpu']:.1f}",
        f"{cluster['worker_bytes'] / 1e6:.0f}",
        "yes" if found["same"] else "**no**",
    ]


WORDS = """\
{n:,} frequent words of six languages (wordfreq) under Levenshtein's distance, within `scaleout.on(client)` beside one process
with one core. Memory of one process is what the work took beyond the words; that of a worker is all of it, with the libraries.
*The same*: the nearest enemies with their distances, the labels of 2,000 other words. {load:.1f} processes wanted one of the
cores when it was measured."""
