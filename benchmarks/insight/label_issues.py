"""Labels that were made wrong, and how many of them are found by out-of-fold probability, or by what margin neighbours remove."""

import sys
from collections.abc import Iterator
from time import process_time
from typing import Any

import numpy as np
from sklearn.datasets import load_digits

import wideberth as wb
from benchmarks.data import DATA, Labels
from benchmarks.results import Facts
from benchmarks.timing import seconds, table

#: The share of labels that are replaced by another one, and how often they are drawn.
WRONG, DRAWS = 0.1, 3


def data() -> Iterator[tuple[str, str | wb.Metric, Any, Labels]]:
    """Name, metric, objects and labels."""
    names, sexes = wb.datasets.load_first_names()
    yield "first names", "ngrams", names, np.array(sexes)
    digits = load_digits()
    yield "digits", "euclidean", digits.data, digits.target
    if DATA.exists():
        records = wb.read(DATA / "bbbp.csv")
        yield "bbbp", "tanimoto", records.objects, np.asarray(records.labels)


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
    """The precision of the first tenth of each list, and of what is called an issue, as means over the draws."""
    found: dict[str, list[list[float]]] = {each: [] for each in models(metric)}
    removed = []
    for draw in range(DRAWS):
        changed, wrong = made_wrong(labels, draw)
        for each, model in models(metric).items():
            model.fit(objects, changed)
            took, issues = seconds(lambda model=model, changed=changed: wb.label_issues(model, objects, changed), process_time)
            ranked = [issue.index for issue in issues]
            called = [issue.index for issue in issues if issue.is_label_issue]
            found[each].append([_precision(ranked[: len(wrong)], wrong), _precision(called, wrong), len(called), took])
        kept = wb.MarginNeighborsClassifier(metric, random_state=draw).fit(objects, changed)
        removed.append([_precision(kept.removed_, wrong), len(kept.removed_)])
        print(name, draw, {each: rows[-1] for each, rows in found.items()}, removed[-1], file=sys.stderr, flush=True)
    means = {each: np.mean(rows, axis=0).tolist() for each, rows in found.items()}
    return {"name": name, "metric": str(metric), "n": len(labels), "models": means, "removed": np.mean(removed, axis=0).tolist()}


def _precision(listed: Any, wrong: Any) -> float:
    return float(np.isin(listed, wrong).mean()) if len(listed) else 0.0


def measure() -> Facts:
    return {"rows": [row(*case) for case in data()]}


def page(facts: Facts) -> str:
    lines = []
    for each in facts["rows"]:
        for name, (ranked, called, count, took) in each["models"].items():
            size = [each["name"], each["metric"], f"{each['n']:,}"]
            lines.append([*size, name, f"{ranked:.0%}", f"{called:.0%} of {count:,.0f}", f"{took:.1f}"])
        precision, count = each["removed"]
        lines.append([each["name"], each["metric"], f"{each['n']:,}", "`removed_`", "", f"{precision:.0%} of {count:,.0f}", ""])
    return "\n".join(
        [
            "# Wrong labels found",
            "",
            f"From `make bench` (`python -m benchmarks label_issues`): {WRONG:.0%} of the labels are replaced by another one,",
            f"{DRAWS} times. How many of those replaced are in the first {WRONG:.0%} of `label_issues`, of which guessing would",
            f"get {WRONG:.0%}; in what it calls an issue; and in what `MarginNeighborsClassifier` removes. Objects whose label",
            "was doubtful before count as right here: 331 of the first names are borne by both sexes. In the last column the",
            "seconds of processor time.",
            "",
            table(["data", "metric", "n", "by", "of the first tenth", "of the issues", "s"], lines),
            "",
        ]
    )
