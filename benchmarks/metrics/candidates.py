"""Data of every kind, at most 1,000 objects of each set, and the metrics that are compared on them."""

from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_wine

import wideberth as wb
from benchmarks.data import DATA, Labels

#: How many objects of a set are taken, chosen at random.
MOST = 1_000
transforms = wb.transforms


@dataclass(frozen=True)
class Compared:
    """Objects with labels, and metrics by the words in which the page names them."""

    kind: str
    data: str
    objects: Any
    labels: Labels
    metrics: dict[str, wb.Metric]

    @property
    def learned_sum(self) -> wb.Metric | None:
        """The sum of the metrics marked by a plus sign, whose weights are learned from the training half; or None."""
        parts = [metric for words, metric in self.metrics.items() if words.endswith("+")]
        return transforms.total(*parts) if len(parts) > 1 else None


def compared() -> Iterator[Compared]:
    """All sets; those beside the repository if they are there, those of aeon if it is installed."""
    yield from _vectors()
    names, sexes = wb.datasets.load_first_names()
    yield _chosen("words", "first names by sex", names, sexes, _of_words())
    yield from _of_files() if DATA.exists() else ()
    yield from _series()


def _chosen(kind: str, data: str, objects: Any, labels: Any, metrics: dict[str, wb.Metric], most: int = MOST) -> Compared:
    """At most so many of the objects, chosen at random, in their order."""
    given = np.asarray(labels)
    some = np.sort(np.random.default_rng(0).choice(len(given), min(most, len(given)), replace=False))
    held = objects[some] if isinstance(objects, np.ndarray) else [objects[each] for each in some]
    return Compared(kind, data, held, given[some], metrics)


def _vectors() -> Iterator[Compared]:
    metrics = {
        "euclidean": wb.metric("euclidean"),
        "manhattan": wb.metric("manhattan"),
        "canberra": wb.metric("canberra"),
        "standardized +": wb.metric("standardized"),
        "standardized, p=1 +": wb.metric("standardized", p=1),
        "mahalanobis": wb.metric("mahalanobis"),
        "geodesic of standardized": transforms.geodesic("standardized"),
    }
    for load in (load_wine, load_breast_cancer):
        vectors, labels = load(return_X_y=True)
        yield _chosen("vectors", load.__name__.removeprefix("load_") + ", in its own units", vectors, labels, metrics)
    digits = load_digits()
    images = {
        "euclidean +": wb.metric("euclidean"),
        "manhattan +": wb.metric("manhattan"),
        "angular +": wb.metric("angular"),
        "standardized": wb.metric("standardized"),
        "geodesic of euclidean": transforms.geodesic("euclidean"),
    }
    yield _chosen("vectors", "digits, pixels", digits.data, digits.target, images)


def _of_words() -> dict[str, wb.Metric]:
    share = wb.metric("ngrams", form="ruzicka")
    suffixes = wb.metric("affixes", prefixes=(), suffixes=(1, 2, 3))
    return {
        "levenshtein": wb.metric("levenshtein"),
        "normalized_levenshtein +": wb.metric("normalized_levenshtein"),
        "ngrams": wb.metric("ngrams"),
        "ngrams, share +": share,
        "affixes +": wb.metric("affixes"),
        "affixes, suffixes only": suffixes,
        "normalized_levenshtein and ngrams, share": transforms.total("normalized_levenshtein", share),
        "ngrams, share, and suffixes / 6": transforms.total(share, transforms.scale(suffixes, 1 / 6)),
    }


def _of_sites() -> dict[str, wb.Metric]:
    return {
        "hamming +": wb.metric("hamming"),
        "levenshtein": wb.metric("levenshtein"),
        "weighted_edit, transitions": wb.metric("weighted_edit", substitutions="transitions"),
        "weighted_edit, opening=1": wb.metric("weighted_edit", opening=1.0),
        "ngrams of the text, share +": wb.metric("ngrams", orders=(3, 4, 5), at="text", form="ruzicka"),
        "hamming / 10 and ngrams, share": transforms.total(
            transforms.scale("hamming", 0.1), wb.metric("ngrams", orders=(3, 4, 5), at="text", form="ruzicka")
        ),
    }


def _of_messages() -> dict[str, wb.Metric]:
    return {
        "normalized_levenshtein +": wb.metric("normalized_levenshtein"),
        "words": wb.metric("words"),
        "ngrams": wb.metric("ngrams"),
        "ngrams, share +": wb.metric("ngrams", form="ruzicka"),
    }


def _of_molecules() -> dict[str, wb.Metric]:
    kinds = {name: wb.metric("tanimoto", fingerprint=name) for name in ("morgan", "features", "atom_pairs")}
    return {f"tanimoto, {name} +": metric for name, metric in kinds.items()} | {
        "all three tanimoto": transforms.total(*kinds.values())
    }


def _of_graphs() -> dict[str, wb.Metric]:
    return {f"weisfeiler_lehman, {rounds} rounds": wb.metric("weisfeiler_lehman", iterations=rounds) for rounds in (1, 2, 3, 5)}


def _of_trees() -> dict[str, wb.Metric]:
    return {"tree_edit +": wb.metric("tree_edit"), "tree_edit, normalized +": wb.metric("tree_edit", normalized=True)}


def _of_files() -> Iterator[Compared]:
    """The sets beside the repository."""
    for kind, file, metrics, most in (
        ("words", "words_6_languages.csv", _of_words(), MOST),
        ("words", "names_18_nationalities.csv", _of_words(), MOST),
        ("texts", "sms_spam.csv", _of_messages(), MOST),
        ("DNA", "promoters.csv", _of_sites(), MOST),
        ("DNA", "splice_junctions.csv", _of_sites(), MOST),
        ("molecules", "bbbp.csv", _of_molecules(), MOST),
        ("molecules", "bace.csv", _of_molecules(), MOST),
        ("graphs", "enzymes.jsonl", _of_graphs(), MOST),
        ("graphs", "proteins.jsonl", _of_graphs(), MOST),
        ("trees", "glycans_kingdom.jsonl", _of_trees(), 400),
    ):
        records = wb.read(DATA / file)
        yield _chosen(kind, file.partition(".")[0], records.objects, records.labels, metrics, most)


def _series() -> Iterator[Compared]:
    """Series of the UCR archive that the wheel of aeon carries; read from its files, so that it need not be imported."""
    found = find_spec("aeon")
    if found is None or found.origin is None:
        return
    shape = transforms.derivative(transforms.znormalized("euclidean"))
    metrics = {
        "euclidean +": wb.metric("euclidean"),
        "znormalized(euclidean)": transforms.znormalized("euclidean"),
        "derivative(euclidean)": transforms.derivative("euclidean"),
        "derivative(znormalized(euclidean)) +": shape,
        "euclidean and derivative(znormalized(euclidean))": transforms.total("euclidean", shape),
        "msm +": wb.metric("msm"),
        "derivative(msm) +": transforms.derivative("msm"),
        "twe": wb.metric("twe"),
        "dtw": wb.metric("dtw", window=0.1),
    }
    for name in ("GunPoint", "ItalyPowerDemand", "ArrowHead"):
        folder = Path(found.origin).parent / "datasets" / "data" / name
        both = [wb.read(folder / f"{name}_{part}.ts") for part in ("TRAIN", "TEST")]
        objects = np.array([np.ravel(series) for records in both for series in records.objects])
        labels = np.concatenate([np.asarray(records.labels) for records in both])
        yield _chosen("series", name, objects, labels, metrics, 500)
