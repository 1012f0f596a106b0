"""Labels that were made wrong, and how many are found: by `label_issues`, by cleanlab, by what
margin neighbours remove.
"""

import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import StratifiedKFold

import wideberth as wb
from benchmarks.data import DATA, Labels
from benchmarks.results import Facts
from benchmarks.rows import Row
from benchmarks.timing import seconds, table
from wideberth.estimators.calibration import calibrated_on
from wideberth.estimators.metric_classifier import single_classifier
from wideberth.insight.out_of_fold import fold_scores
from wideberth.objects.labels import code_labels

#: The share of labels that are replaced by another one, and how often they are drawn.
WRONG, DRAWS = 0.1, 3


def data() -> Iterator[tuple[str, str | wb.Metric, Any, Labels]]:
    """Name, metric, objects and labels."""
    names, sexes = wb.datasets.load_first_names()
    yield "first names", "ngrams", names, np.array(sexes)
    if DATA.exists():
        records = wb.read(DATA / "names_18_nationalities.csv")
        some = np.random.default_rng(0).permutation(len(records))[:4000]
        yield (
            "4,000 surnames",
            "ngrams",
            [records.objects[i] for i in some],
            np.asarray(records.labels)[some],
        )
    digits = load_digits()
    yield "digits", "euclidean", digits.data, digits.target
    train, sides = _gun_point()
    if train is not None:
        yield "GunPoint", "msm", train, sides
    if DATA.exists():
        records = wb.read(DATA / "bbbp.csv")
        yield "bbbp", "tanimoto", records.objects, np.asarray(records.labels)


def _gun_point() -> tuple[Any, Any]:
    """The series that aeon brings with it, training and test objects together; nothing where aeon
    is not installed.
    """
    found = find_spec("aeon")
    if found is None or found.origin is None:
        return None, None
    folder = Path(found.origin).parent / "datasets" / "data" / "GunPoint"
    parts = [wb.read(folder / f"GunPoint_{part}.ts") for part in ("TRAIN", "TEST")]
    return [series for part in parts for series in part.objects], np.concatenate(
        [np.asarray(part.labels) for part in parts]
    )


def models(metric: str | wb.Metric) -> dict[str, Any]:
    """The classifiers whose opinion is asked."""
    return {
        "SVM": wb.HilbertSVC(metric, random_state=0),
        "kNN": wb.NeighborsClassifier(metric),
        "15 neighbours": wb.NeighborsClassifier(metric, n_neighbors=15),
    }


def made_wrong(labels: Labels, draw: int) -> tuple[Labels, Any]:
    """The labels with a tenth of them replaced by another one, and the positions of these."""
    random = np.random.default_rng([draw, 99])
    classes, codes = np.unique(labels, return_inverse=True)
    wrong = random.permutation(len(codes))[: int(WRONG * len(codes))]
    codes[wrong] += random.integers(1, len(classes), len(wrong))
    return np.asarray(classes[codes % len(classes)]), wrong


def row(name: str, metric: str | wb.Metric, objects: Any, labels: Labels) -> dict[str, Any]:
    """The precision of the first tenth of each list, and of what is called an issue, as means over
    the draws.
    """
    found: dict[str, list[list[float]]] = {each: [] for each in models(metric)}
    removed = []
    for draw in range(DRAWS):
        changed, wrong = made_wrong(labels, draw)
        for each, model in models(metric).items():
            model.fit(objects, changed)
            took, issues = seconds(
                lambda model=model, changed=changed: wb.label_issues(model, objects, changed)
            )
            ranked = [issue.index for issue in issues]
            called = [issue.index for issue in issues if issue.is_label_issue]
            first = _precision(ranked[: len(wrong)], wrong)
            theirs = by_cleanlab(model, objects, changed)
            peer = [_precision(order[: len(wrong)], wrong) for order in theirs]
            found[each].append([first, *peer, _precision(called, wrong), len(called), took])
        kept = wb.MarginNeighborsClassifier(metric, random_state=draw).fit(objects, changed)
        removed.append([_precision(kept.removed_, wrong), len(kept.removed_)])
        print(
            name,
            draw,
            {each: rows[-1] for each, rows in found.items()},
            removed[-1],
            file=sys.stderr,
            flush=True,
        )
    means = {each: np.mean(rows, axis=0).tolist() for each, rows in found.items()}
    return {
        "name": name,
        "metric": str(metric),
        "n": len(labels),
        "models": means,
        "removed": np.mean(removed, axis=0).tolist(),
    }


def by_cleanlab(model: Any, objects: Any, labels: Labels) -> list[Any]:
    """The objects in the orders of cleanlab, by its two usual scores, from the probabilities that
    `label_issues` judges by.
    """
    from cleanlab.rank import get_label_quality_scores

    coded = code_labels(labels, len(labels))
    chosen = single_classifier(model)
    scores = np.empty((len(labels), len(coded.classes)))
    folds = StratifiedKFold(5, shuffle=True, random_state=0).split(
        np.zeros(len(labels)), coded.codes
    )
    for fold in fold_scores(chosen, objects, coded, folds, calibrate=None)[1]:
        scores[fold.left_out] = fold.scores
    probabilities = calibrated_on(scores, coded.codes).probabilities(scores)
    ways = ("self_confidence", "normalized_margin")
    return [
        np.argsort(get_label_quality_scores(coded.codes, probabilities, method=way), kind="stable")
        for way in ways
    ]


def _precision(listed: Any, wrong: Any) -> float:
    return float(np.isin(listed, wrong).mean()) if len(listed) else 0.0


def measure() -> Facts:
    return {"rows": [row(*case) for case in data()]}


def rows(facts: Facts) -> Iterator[Row]:
    """The share of wrong labels in the first tenth of the list, beside the better of cleanlab's
    orders.
    """
    for each in facts["rows"]:
        for name, (ranked, confidence, margin, *_) in each["models"].items():
            theirs = max(confidence, margin)
            errors = [
                100 * (share * (1 - share) / (DRAWS * WRONG * each["n"])) ** 0.5
                for share in (ranked, theirs)
            ]
            yield Row(
                topic="label issues",
                key=f"label_issues: {each['name']}, {name}",
                ours=100 * ranked,
                peer="cleanlab",
                theirs=100 * theirs,
                unit="% right",
                noise=(errors[0] ** 2 + errors[1] ** 2) ** 0.5,
                own_noise=errors[0],
            )


def page(facts: Facts) -> str:
    lines = []
    for each in facts["rows"]:
        for name, (ranked, confidence, margin, called, count, took) in each["models"].items():
            size = [each["name"], each["metric"], f"{each['n']:,}"]
            lines.append(
                [
                    *size,
                    name,
                    f"{ranked:.1%}",
                    f"{confidence:.1%}",
                    f"{margin:.1%}",
                    f"{called:.0%} of {count:,.0f}",
                    f"{took:.1f}",
                ]
            )
        precision, count = each["removed"]
        lines.append(
            [
                each["name"],
                each["metric"],
                f"{each['n']:,}",
                "`removed_`",
                "",
                "",
                "",
                f"{precision:.0%} of {count:,.0f}",
                "",
            ]
        )
    return "\n".join(
        [
            "# Wrong labels found",
            "",
            f"From `make bench` (`python -m benchmarks label_issues`): {WRONG:.0%} of the labels "
            "are replaced by another one,",
            f"{DRAWS} times. How many of those replaced are in the first {WRONG:.0%} of "
            "`label_issues`, of which guessing would",
            f"get {WRONG:.0%}; in the first of cleanlab's orders by `self_confidence` and "
            "`normalized_margin`, from the same",
            "probabilities; in what is called an issue; and in what `MarginNeighborsClassifier` "
            "removes. Objects whose label",
            "was doubtful before count as right here: 331 of the first names are borne by both "
            "sexes. In the last column the",
            "seconds of processor time.",
            "",
            table(
                [
                    "data",
                    "metric",
                    "n",
                    "by",
                    "of the first tenth",
                    "cleanlab",
                    "by margin",
                    "of the issues",
                    "s",
                ],
                lines,
            ),
            "",
        ]
    )
