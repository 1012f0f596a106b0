"""Probabilities of classifiers on objects that they have not seen, beside those of scikit-learn's
CalibratedClassifierCV.
"""

import sys
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_digits

import wideberth as wb
from benchmarks.data import DATA, Labels
from benchmarks.results import Facts
from benchmarks.rows import Row
from benchmarks.timing import table
from wideberth.array_types import Floats, Integers

#: Objects to learn from, as many to be asked, and the fewest objects of a class.
N, FEWEST = 1200, 20
#: The files, the metrics, and where they are.
FILES = {
    "names_18_nationalities": "ngrams",
    "words_6_languages": "ngrams",
    "bbbp": "ngrams",
    "splice_junctions": "hamming",
    "sms_spam": "words",
}
#: How CalibratedClassifierCV may calibrate.
PEERS = ("sigmoid", "isotonic", "temperature")
#: Answers are sorted by probability and cut into so many groups.
GROUPS = 10
#: Taken for the standard error of a ratio of log losses where a result holds none, as those of
#: before do.
LOSS_NOISE = 0.03


def data() -> Iterator[tuple[str, str, Any, Labels]]:
    """Name, metric, objects and labels; without the classes that are too small for folds."""
    digits = load_digits()
    yield from _drawn("digits", "euclidean", list(digits.data), digits.target)
    for name, metric in FILES.items():
        if (DATA / f"{name}.csv").exists():
            records = wb.read(DATA / f"{name}.csv", kind="strings")
            yield from _drawn(name, metric, records.objects, np.asarray(records.labels))


def _drawn(
    name: str, metric: str, objects: list[Any], labels: Labels
) -> Iterator[tuple[str, str, Any, Labels]]:
    some = np.random.default_rng(0).permutation(len(labels))[: 2 * N]
    classes, counts = np.unique(labels[some], return_counts=True)
    some = some[np.isin(labels[some], classes[counts >= FEWEST])]
    yield name, metric, [objects[place] for place in some], labels[some]


def models(metric: Any) -> dict[str, Any]:
    """Classifiers that calibrate themselves."""
    return {
        "15 neighbours": wb.NeighborsClassifier(metric, n_neighbors=15),
        "1 neighbour": wb.NeighborsClassifier(metric, n_neighbors=1),
        "margin neighbours": wb.MarginNeighborsClassifier(metric, refit=True, calibrate=5),
        "Lipschitz": wb.LipschitzClassifier(metric, calibrate=5, random_state=0),
        "SVM": wb.HilbertSVC(metric, repair="clip", calibrate=5, random_state=0),
    }


def log_losses(probabilities: Floats, codes: Integers) -> Floats:
    """The log loss of every object."""
    return np.asarray(-np.log(np.maximum(probabilities[np.arange(len(codes)), codes], 1e-15)))


def quality(probabilities: Floats, codes: Integers) -> list[float]:
    """The log loss, the mean distance between confidence and accuracy in groups of answers, and the
    error.
    """
    confidence, right = probabilities.max(axis=1), probabilities.argmax(axis=1) == codes
    groups = np.array_split(np.argsort(confidence, kind="stable"), GROUPS)
    gaps = [len(group) * abs(confidence[group].mean() - right[group].mean()) for group in groups]
    return [
        float(log_losses(probabilities, codes).mean()),
        float(sum(gaps) / len(codes)),
        float(1 - right.mean()),
    ]


def row(name: str, metric: str, objects: Any, labels: Labels) -> list[dict[str, Any]]:
    """All classifiers and all calibrations on one set."""
    space, codes = wb.MetricSpace(objects, metric), np.unique(labels, return_inverse=True)[1]
    known, new = np.arange(len(labels) // 2), np.arange(len(labels) // 2, len(labels))
    rows = []
    for each, model in models(space.metric).items():
        fitted = clone(model).fit(space.index[known], codes[known])
        ours = fitted.predict_proba(space.index[new])
        found, noise = {"wideberth": quality(ours, codes[new])}, {}
        plain = clone(model).set_params(calibrate=None)
        for method in PEERS:
            peer = CalibratedClassifierCV(plain, method=method, cv=5, ensemble=False).fit(
                space.index[known], codes[known]
            )
            theirs = peer.predict_proba(space.index[new])
            found[method] = quality(theirs, codes[new])
            differences = log_losses(ours, codes[new]) - log_losses(theirs, codes[new])
            noise[method] = float(differences.std(ddof=1) / np.sqrt(len(new)))
        error = float((fitted.predict(space.index[new]) != codes[new]).mean())
        rows.append(
            {
                "name": name,
                "classes": len(np.unique(codes)),
                "n": len(known),
                "model": each,
                "found": found,
                "noise": noise,
                "error": error,
            }
        )
        print(
            name,
            each,
            {way: np.round(values, 3).tolist() for way, values in found.items()},
            file=sys.stderr,
            flush=True,
        )
    return rows


def measure() -> Facts:
    with warnings.catch_warnings(action="ignore"):
        return {"rows": [each for case in data() for each in row(*case)]}


def rows(facts: Facts) -> Iterator[Row]:
    """The log loss beside the best of CalibratedClassifierCV's three ways, picked by the
    answers.
    """
    for each in facts["rows"]:
        losses = {way: found[0] for way, found in each["found"].items()}
        peer = min(PEERS, key=lambda way: losses[way])
        yield Row(
            topic="probabilities",
            key=f"probabilities: {each['name']}, {each['model']}",
            ours=losses["wideberth"],
            peer=f"CalibratedClassifierCV, {peer}",
            theirs=losses[peer],
            unit="log loss",
            noise=each["noise"][peer] / losses[peer] if "noise" in each else LOSS_NOISE,
        )


def page(facts: Facts) -> str:
    ways = ("wideberth", *PEERS)
    lines = [
        [
            each["name"],
            f"{each['classes']}",
            each["model"],
            *(f"{each['found'][way][0]:.3f}" for way in ways),
            *(f"{each['found'][way][1]:.3f}" for way in ways),
        ]
        for each in facts["rows"]
    ]
    losses = {way: [each["found"][way][0] for each in facts["rows"]] for way in ways}
    gaps = {way: [each["found"][way][1] for each in facts["rows"]] for way in ways}
    count = len(lines)
    for name, average in (("mean", np.mean), ("median", np.median)):
        lines.append(
            [
                name,
                "",
                "",
                *(f"{average(found[way]):.3f}" for found in (losses, gaps) for way in ways),
            ]
        )
    wins = {
        way: sum(
            ours <= theirs for ours, theirs in zip(losses["wideberth"], losses[way], strict=True)
        )
        for way in PEERS
    }
    told = ", ".join(f"{won} of {count} beside {way}" for way, won in wins.items())
    return "\n".join(
        [
            "# Probabilities",
            "",
            "From `python -m benchmarks probabilities`: `predict_proba` of classifiers on as many "
            "new objects, beside that of",
            "scikit-learn's `CalibratedClassifierCV(model, method, cv=5, ensemble=False)` with the "
            "same classifier. On the left",
            "the log loss; on the right the mean distance between confidence and accuracy in "
            f"{GROUPS} groups of answers, sorted",
            "by confidence. Smaller is better. Ours is a softmax with one temperature and an "
            "offset for each class, in which the",
            "label stays the most probable class; those of scikit-learn, `temperature` apart, may "
            "prefer another one.",
            "",
            table(
                ["data", "classes", "classifier", *ways, *(f"gap, {way}" for way in ways)], lines
            ),
            "",
            f"The log loss is not larger in {told}.",
            "",
        ]
    )
