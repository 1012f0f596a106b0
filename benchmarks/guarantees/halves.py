"""Data sets cut in three: some objects that are set aside, one half of the others to learn from,
and one to test on.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.preprocessing import StandardScaler

import wideberth as wb
from benchmarks.data import Case, Indices, Labels, cases
from wideberth.objects.digests import object_digests

#: The sets, each with a metric that obeys the triangle inequality.
SETS = (
    *(
        ("wine", "euclidean"),
        ("breast_cancer", "euclidean"),
        ("digits", "euclidean"),
        ("promoters", "hamming"),
    ),
    *(
        ("splice_junctions", "hamming"),
        ("bbbp", "tanimoto"),
        ("bace", "tanimoto"),
        ("enzymes", "weisfeiler_lehman"),
    ),
    *(("proteins", "weisfeiler_lehman"), ("words_6_languages", "normalized_levenshtein")),
    *(("names_18_nationalities", "normalized_levenshtein"), ("sms_spam", "normalized_levenshtein")),
    *(("glycans_kingdom", "tree_edit, normalized=True"), ("apes", "Kendall's shape distance")),
    *(("GunPoint", "msm"), ("ItalyPowerDemand", "msm")),
)


@dataclass(frozen=True, eq=False)
class Halves:
    """A space, the labels of its objects, and the numbers of those set aside, learned from and
    tested on.

    The parts are drawn at random. Objects set aside are neither learned from nor tested on: what is
    taken from them was fixed before the others were seen. ``left_out`` objects of the half to test
    on are left out because they are in the other half too.
    """

    name: str
    metric_name: str
    space: wb.MetricSpace
    labels: Labels
    aside: Indices
    known: Indices
    asked: Indices
    left_out: int

    @property
    def unit(self) -> float:
        """The median distance of the objects set aside."""
        distances = self.space.metric.block(
            self.space.index[self.aside], self.space.index[self.aside]
        )
        return float(np.median(distances[np.triu_indices(len(self.aside), 1)]))

    @property
    def guessing(self) -> float:
        """The share of the objects to learn from that are not of their largest class."""
        return float(
            1 - np.unique(self.labels[self.known], return_counts=True)[1].max() / len(self.known)
        )

    @property
    def size(self) -> str:
        """How many objects to learn from and to test on, and how many classes."""
        return f"{len(self.known):,} + {len(self.asked):,} / {len(np.unique(self.labels))}"


def halves(most: int, aside: float, *, two_classes: bool = False) -> Iterator[Halves]:
    """All sets, with ``most`` objects at most, a share set ``aside``; on request those of their two
    largest classes only.
    """
    there = {(case.name, case.metric_name): case for case in cases()}
    for each in SETS:
        if each in there:
            yield cut(there[each], most, aside, two_classes)


def cut(case: Case, most: int, aside: float, two_classes: bool) -> Halves:
    chosen = np.arange(len(case.labels))
    if two_classes:
        classes, sizes = np.unique(case.labels, return_counts=True)
        chosen = chosen[np.isin(case.labels, classes[np.argsort(-sizes, kind="stable")[:2]])]
    chosen = np.random.default_rng(0).permutation(chosen)[:most]
    objects, labels = _picked(case.objects, chosen), case.labels[chosen]
    first = round(aside * len(chosen))
    middle = first + (len(chosen) - first) // 2
    if case.name in (
        "wine",
        "breast_cancer",
    ):  # standardised on all objects: here by those set aside alone
        objects = StandardScaler().fit(objects[:first]).transform(objects)
    space = wb.MetricSpace(objects, case.metric)
    digests = object_digests(space.objects)
    assert digests is not None  # all sets hold texts, numbers, and lists and dicts of them
    asked = np.arange(middle, len(chosen))
    new = asked[~np.isin(digests[asked], digests[first:middle])]
    return Halves(
        case.name,
        case.metric_name,
        space,
        labels,
        np.arange(first),
        np.arange(first, middle),
        new,
        len(asked) - len(new),
    )


def _picked(objects: Any, chosen: Indices) -> Any:
    return (
        objects[chosen] if isinstance(objects, np.ndarray) else [objects[each] for each in chosen]
    )
