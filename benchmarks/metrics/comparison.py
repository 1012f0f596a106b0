"""The errors of neighbours and of an SVM under each metric of a set and under their sums, and the
time of a distance.
"""

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold

import wideberth as wb
from benchmarks.data import Indices
from benchmarks.keeping import kept
from benchmarks.metrics.labelled_objects import Compared
from benchmarks.timing import seconds
from wideberth.objects import sample

#: How often a set is halved; each half is learned from once.
REPEATS = 3
#: How many objects are on each side of the largest block whose time is taken, and the seconds of
#: processor time that it may take.
TIMED, LONGEST = 200, 0.1
#: Of so many repetitions the fastest counts.
ROUNDS = 7
#: The words for sums of the metrics that are marked by a plus sign.
EQUAL, LEARNED = "sum, equal shares", "sum, weights learned"
Row = dict[str, Any]


def folds(labels: Any) -> Iterator[tuple[Indices, Indices]]:
    for repeat in range(REPEATS):
        yield from StratifiedKFold(2, shuffle=True, random_state=repeat).split(labels, labels)


def models(metric: wb.Metric) -> dict[str, Any]:
    """Neighbours, whose number is chosen by leaving one out, and an SVM that chooses its kernel and
    price in three folds.
    """
    return {
        "kNN": wb.NeighborsClassifier(metric),
        "SVM": wb.HilbertSVCCV(metric, cv=3, random_state=0),
    }


def taken(objects: Any, some: Indices) -> Any:
    return objects[some] if isinstance(objects, np.ndarray) else [objects[each] for each in some]


def rows_of(case: Compared) -> list[Row]:
    """The rows of a set, of this run or of one that was stopped; none if there is no time for them
    any more.
    """
    rows: list[Row] = kept("metrics", f"{case.kind}, {case.data}", lambda: _measured(case)) or []
    for row in rows:
        print(row, file=sys.stderr, flush=True)
    return rows


def _measured(case: Compared) -> list[Row]:
    about = {
        "kind": case.kind,
        "data": case.data,
        "n": len(case.labels),
        "classes": len(np.unique(case.labels)),
    }
    times: dict[str, float | None] = {
        words: microseconds(case, metric) for words, metric in case.metrics.items()
    }
    found = errors(case)
    sums = {words: None for words in (EQUAL, LEARNED) if words in found}
    return [
        about | {"metric": words, "us": time} | found[words]
        for words, time in (times | sums).items()
    ]


def errors(case: Compared) -> dict[str, dict[str, float | None]]:
    """The mean error of each model over the halves, in percent, by metric; None where a model
    refuses the metric.

    A metric that learns from a sample learns from the half; distances of others are measured once
    for all halves.
    """
    wrong: dict[str, dict[str, list[float]]] = {}
    spaces: dict[str, wb.MetricSpace] = {}
    for known, asked in folds(case.labels):
        for words, metric in case.metrics.items():
            fitted = metric.fitted(taken(case.objects, known))
            if words not in spaces or fitted is not metric:
                spaces[words] = wb.MetricSpace(case.objects, fitted)
        index, labels = np.arange(len(case.labels)).reshape(-1, 1), case.labels
        by_words = {words: space.metric for words, space in spaces.items()}
        for words, metric in (by_words | sums(by_words, index[known], labels[known])).items():
            for name, model in models(metric).items():
                try:
                    answers = model.fit(index[known], labels[known]).predict(index[asked])
                except wb.errors.WideberthError as refused:
                    print(case.data, words, name, refused, file=sys.stderr)
                    continue
                share = 100 * float(np.mean(answers != labels[asked]))
                wrong.setdefault(words, {}).setdefault(name, []).append(share)
    return {
        words: {
            name: float(np.mean(found[name])) if name in found else None for name in ("kNN", "SVM")
        }
        for words, found in wrong.items()
    }


def sums(metrics: dict[str, wb.Metric], known: Indices, labels: Any) -> dict[str, wb.Metric]:
    """The sums of the metrics that are marked by a plus sign, each divided by its mean distance, or
    with weights learned.
    """
    parts = [metric for words, metric in metrics.items() if words.endswith("+")]
    if len(parts) < 2:
        return {}
    total = wb.transforms.total(*parts)
    return {EQUAL: total.balanced(known), LEARNED: total.aligned(known, labels)}


def microseconds(case: Compared, metric: wb.Metric) -> float:
    """Processor time of one distance in a block, prepared and warm: the fastest of several, of as
    many objects as time allows.
    """
    fitted = metric.fitted(case.objects)
    prepared = fitted.prepare(taken(case.objects, np.arange(min(TIMED, len(case.labels)))))
    few = sample.pick(prepared, np.arange(min(10, len(case.labels))))
    fitted.block(few, few)
    each = seconds(lambda: fitted.block(few, few))[0] / len(few) ** 2
    side = min(len(prepared), max(len(few), int((LONGEST / max(each, 1e-9)) ** 0.5)))
    some = sample.pick(prepared, np.arange(side))
    fastest = min(seconds(lambda: fitted.block(some, some))[0] for _ in range(ROUNDS))
    return 1e6 * fastest / side**2
