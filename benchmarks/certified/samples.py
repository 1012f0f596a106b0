"""The texts on which certificates are measured, each set cut once at random into texts to learn
from and texts to ask about.
"""

import csv
from dataclasses import dataclass, replace

import numpy as np

import wideberth as wb
from benchmarks.data import DATA, Indices, Labels


@dataclass(frozen=True)
class Cut:
    """Texts to learn from and to ask about, with their labels."""

    name: str
    texts: list[str]
    labels: Labels
    asked: list[str]
    truth: Labels
    #: Where the texts asked about stand in the file.
    places: Indices

    @property
    def largest_class(self) -> float:
        """The share of the texts asked about that have the most frequent label: what a constant
        certifies at every radius.
        """
        return float(np.unique(self.truth, return_counts=True)[1].max() / len(self.truth))

    def learned_from(self, n: int) -> "Cut":
        """The same cut with the first ``n`` texts to learn from."""
        return replace(self, texts=self.texts[:n], labels=self.labels[:n])


#: Seeds of the cuts, where more than one is measured.
CUTS = (0, 1, 2)

#: How many texts of each set are learned from, and how many others are asked about.
SIZES = {
    "AG-News": (5_600, 2_000),
    "sms": (3_900, 1_674),
    "words": (2_000, 1_000),
    "names": (2_000, 1_000),
    "first names": (2_000, 1_000),
}
FILES = {
    "sms": "sms_spam.csv",
    "words": "words_6_languages.csv",
    "names": "names_18_nationalities.csv",
}


def cut(name: str, seed: int = 0) -> Cut:
    """One set, cut by the first permutation of numpy's generator with the seed."""
    texts, labels = texts_of(name)
    n_known, n_asked = SIZES[name]
    order = np.random.default_rng(seed).permutation(len(texts))
    known, asked = order[:n_known], order[n_known : n_known + n_asked]
    classes, sizes = np.unique(labels[known], return_counts=True)
    known = known[np.isin(labels[known], classes[sizes >= 5])]  # five folds, each with every label
    learned, questions = [texts[i] for i in known], [texts[i] for i in asked]
    return Cut(name, learned, labels[known], questions, labels[asked], asked)


def texts_of(name: str) -> tuple[list[str], Labels]:
    """All texts of a set and their labels."""
    if name == "first names":
        names, sexes = wb.datasets.load_first_names()
        return list(names), np.asarray(sexes)
    return news() if name == "AG-News" else labelled_texts(FILES[name])


def news() -> tuple[list[str], Labels]:
    """Titles and texts, joined by a space."""
    with (DATA / "ag_news_test.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    return [f"{title} {text}" for _, title, text in rows], np.array([label for label, _, _ in rows])


def labelled_texts(file: str) -> tuple[list[str], Labels]:
    """The texts of a file and their labels."""
    records = wb.read(DATA / file)
    return list(records.objects), np.asarray(records.labels)
