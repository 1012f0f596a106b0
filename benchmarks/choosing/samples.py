"""The five sets on which choosing is measured, each cut at random into objects to learn from and
objects to ask about.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import wideberth as wb
from benchmarks.data import DATA, Labels, of_packages

#: How many objects are learned from; as many others are asked about, or all others where there are
#: fewer.
LEARNED = 1_000
#: Sets that install with packages, by their names in `benchmarks.data`.
INSTALLED = ("first names", "frequent words")
SETS = {
    "words": ("words_6_languages.csv", "normalized_levenshtein"),
    "names": ("names_18_nationalities.csv", "normalized_levenshtein"),
    "splice": ("splice_junctions.csv", "hamming"),
    "BBBP": ("bbbp.csv", "tanimoto"),
    "PROTEINS": ("proteins.jsonl", "weisfeiler_lehman"),
}


@dataclass(frozen=True)
class Cut:
    """Objects to learn from and to ask about, with their labels, and the name of their metric."""

    metric: str
    objects: Any
    labels: Labels
    asked: Any
    truth: Labels


def cuts(name: str, count: int, learned: int = LEARNED) -> Iterator[Cut]:
    """``count`` random cuts of a set, the same in every run. A label of a single object to learn
    from is left out.
    """
    objects, labels, metric = _objects_of(name)
    for seed in range(count):
        order = np.random.default_rng(seed).permutation(len(labels))
        known, asked = order[:learned], order[learned : 2 * learned]
        classes, sizes = np.unique(labels[known], return_counts=True)
        known = known[np.isin(labels[known], classes[sizes > 1])]
        yield Cut(
            metric,
            [objects[i] for i in known],
            labels[known],
            [objects[i] for i in asked],
            labels[asked],
        )


def here() -> list[str]:
    """The sets whose data are there."""
    found = [name for name, (file, _) in SETS.items() if (DATA / file).exists()]
    return [*found, *(each.name for each in of_packages() if each.name in INSTALLED)]


def _objects_of(name: str) -> tuple[Any, Labels, str]:
    if name in INSTALLED:
        case = next(each for each in of_packages() if each.name == name)
        return case.objects, case.labels, case.metric_name
    file, metric = SETS[name]
    records = wb.read(DATA / file)
    return records.objects, np.asarray(records.labels), metric
