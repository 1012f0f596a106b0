"""Labels that were made wrong, and how many are found: by `label_issues`, by cleanlab from the same
scores, by what margin neighbours remove.
"""

import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_digits
from sklearn.metrics import average_precision_score

import wideberth as wb
from benchmarks.data import DATA, Labels
from benchmarks.results import Facts
from benchmarks.rows import Row
from benchmarks.timing import seconds, table
from wideberth.estimators.calibration import calibrated_on
from wideberth.estimators.metric_classifier import single_classifier
from wideberth.insight.label_issues import JudgedLabels
from wideberth.insight.out_of_fold import cut_folds, fold_scores
from wideberth.objects.labels import CodedLabels, code_labels

#: The shares of labels that are replaced by another one, and how often they are drawn; the share
#: that is also drawn from the largest class alone, and at which others are asked.
SHARES, DRAWS, USUAL = (0.05, 0.1, 0.2), 2, 0.1


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
        "15 neighbours": wb.NeighborsClassifier(metric, n_neighbors=15),
    }


def made_wrong(labels: Labels, share: float, draw: int, *, one_class: bool = False) -> Labels:
    """The labels with a share of them replaced by another one; of the largest class alone, if
    asked, as many of it as of all otherwise.
    """
    random = np.random.default_rng([draw, 99])
    classes, codes = np.unique(labels, return_inverse=True)
    places = np.flatnonzero(codes == np.bincount(codes).argmax()) if one_class else None
    order = random.permutation(len(codes) if places is None else places)
    wrong = order[: min(int(share * len(codes)), len(order) // 2)]
    codes[wrong] += random.integers(1, len(classes), len(wrong))
    return np.asarray(classes[codes % len(classes)])


def row(
    name: str, metric: str | wb.Metric, objects: Any, labels: Labels, share: float, one_class: bool
) -> dict[str, Any]:
    """What is found, as means over the draws: for each model `found` by `label_issues` and by
    cleanlab; and what margin neighbours remove.
    """
    found: dict[str, list[list[float]]] = {each: [] for each in models(metric)}
    removed = []
    for draw in range(DRAWS):
        changed = made_wrong(labels, share, draw, one_class=one_class)
        wrong = changed != labels
        for each, model in models(metric).items():
            coded, scores = _left_out(model, objects, changed)
            took, judged = seconds(
                lambda coded=coded, scores=scores: JudgedLabels.by(scores, coded)
            )
            doubts = np.nan_to_num(1.0 - judged.quality)
            expected = doubts[judged.issue].mean() if judged.issue.any() else np.nan
            found[each].append(
                [
                    *_told(judged.issue, doubts, wrong),
                    *_by_cleanlab(coded, scores, wrong),
                    float(expected),
                    took,
                ]
            )
        if share == USUAL and not one_class and not draw:
            kept = wb.MarginNeighborsClassifier(metric, random_state=draw).fit(objects, changed)
            removed = [float(wrong[kept.removed_].mean()), len(kept.removed_)]
        last = {each: rows[-1] for each, rows in found.items()}
        print(name, share, one_class, draw, last, removed, file=sys.stderr, flush=True)
    return {
        "name": f"{name}, {share:.0%}{' in one class' if one_class else ''}",
        "data": name,
        "metric": str(metric),
        "n": len(labels),
        "share": float(wrong.mean()),
        "models": {each: np.nanmean(rows, axis=0).tolist() for each, rows in found.items()},
        "removed": removed,
    }


def _left_out(model: Any, objects: Any, labels: Labels) -> tuple[CodedLabels, Any]:
    """The labels, and what copies of a classifier that have not seen an object say of it, as
    `label_issues` asks them.
    """
    coded = code_labels(labels, len(labels))
    model.fit(objects, labels)
    scores = np.empty((len(labels), len(coded.classes)))
    cut = cut_folds(coded, 5, 0)
    for fold in fold_scores(single_classifier(model), objects, coded, cut, calibrate=None)[1]:
        scores[fold.left_out] = fold.scores
    return coded, scores


def _told(flagged: Any, doubts: Any, wrong: Any) -> list[float]:
    """Precision and recall of what is called an issue, how many that are, and the average precision
    of the order.
    """
    hits = float((flagged & wrong).sum())
    return [
        hits / max(flagged.sum(), 1),
        hits / wrong.sum(),
        float(flagged.sum()),
        float(average_precision_score(wrong, doubts)),
    ]


def _by_cleanlab(labels: CodedLabels, scores: Any, wrong: Any) -> list[float]:
    """The same of cleanlab, from calibrated probabilities of the same scores: what it filters by
    default, in its usual order.
    """
    from cleanlab.filter import find_label_issues
    from cleanlab.rank import get_label_quality_scores

    probabilities = calibrated_on(scores, labels.codes).probabilities(scores)
    flagged = find_label_issues(labels.codes, probabilities, n_jobs=1)
    return _told(flagged, 1.0 - get_label_quality_scores(labels.codes, probabilities), wrong)


def measure() -> Facts:
    cases = [(share, False) for share in SHARES] + [(USUAL, True)]
    return {"rows": [row(*each, *case) for each in data() for case in cases]}


def rows(facts: Facts) -> Iterator[Row]:
    """The average precision of the order, beside that of cleanlab's order."""
    for each in facts["rows"]:
        for name, found in each["models"].items():
            ours, theirs = found[3], found[7]
            errors = [
                100 * (ap * (1 - ap) / (DRAWS * each["share"] * each["n"])) ** 0.5
                for ap in (ours, theirs)
            ]
            yield Row(
                topic="label issues",
                key=f"label_issues: {each['name']}, {name}",
                ours=100 * ours,
                peer="cleanlab",
                theirs=100 * theirs,
                unit="% ranked right",
                noise=(errors[0] ** 2 + errors[1] ** 2) ** 0.5,
                own_noise=errors[0],
            )


def page(facts: Facts) -> str:
    lines, removed = [], []
    for each in facts["rows"]:
        for name, found in each["models"].items():
            ours, theirs, (expected, took) = found[:4], found[4:8], found[8:]
            lines.append(
                [
                    each["name"],
                    name,
                    _in_a_cell(ours),
                    f"{expected:.0%}",
                    _in_a_cell(theirs),
                    f"{ours[3]:.1%}",
                    f"{theirs[3]:.1%}",
                    f"{took:.2f}",
                ]
            )
        if each["removed"]:
            precision, count = each["removed"]
            removed.append(f"{each['data']} {precision:.0%} of {count:,.0f}")
    sizes = {
        each["data"]: f"{each['data']} ({each['n']:,}, {each['metric']})" for each in facts["rows"]
    }
    shares = ", ".join(f"{share:.0%}" for share in SHARES)
    header = ["data, replaced", "by", "issues", "expected", "cleanlab", "AP", "AP, cleanlab", "s"]
    return f"""# Wrong labels found

From `make bench` (`python -m benchmarks label_issues`): {shares} of the labels are replaced by another one, {DRAWS} times; in
the rows "in one class" as many labels, but at most half, of the largest class alone. `label_issues` and cleanlab get the same
scores of objects left out; cleanlab calibrated probabilities of them. *Issues*: how many labels are called issues, how many of
these had been replaced (precision), and how many of the replaced ones are among them (recall); *cleanlab*: the same of
`find_label_issues` with its defaults. *Expected*: the precision that `label_issues` expects. *AP*: the average precision of the
whole order, for cleanlab's of `self_confidence`. Objects whose label was doubtful before count as right here: 331 of the first
names are borne by both sexes. In the last column the seconds of processor time for the judgement, without scores.
Data: {", ".join(sizes.values())}.

{table(header, lines)}

Of what `MarginNeighborsClassifier` removes where {USUAL:.0%} are replaced had been replaced: {", ".join(removed)}.

*Expected* is far too high, and issues are mostly mistakes of the model, where it errs by whole votes and often, as the SVM does
on surnames of 18 nationalities: sure mistakes look like wrong labels. It can be trusted as far as the model's errors without any
replaced labels are few, or its votes graded, as those of neighbours are.

The rule and its priors were chosen on other data: sms, words of six languages, bace, splice junctions, breast cancer, wine and
promoters.
"""


def _in_a_cell(found: list[float]) -> str:
    """Precision, recall and number of what is called an issue."""
    precision, recall, count, _ = found
    return f"{count:,.0f}: {precision:.0%}, {recall:.0%}"
