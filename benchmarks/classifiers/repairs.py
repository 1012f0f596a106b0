"""Which repair of an indefinite kernel errs least, and whether the folds of the choice tell the error of what is fitted."""

import sys
import time
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.model_selection import RepeatedStratifiedKFold
from threadpoolctl import threadpool_limits

import wideberth as wb
from benchmarks.data import Case, cases
from benchmarks.keeping import kept
from benchmarks.results import Facts
from benchmarks.timing import table
from wideberth.metrics.transforms.promise_rules import closed
from wideberth.objects import sample

#: What is compared: the repairs of `HilbertSVCCV`.
REPAIRS = ("clip", "flip", "shift")
#: At most so many objects of each set, half of which are learned from; so many times in two halves.
OBJECTS, REPEATS = 600, 2


def measure() -> Facts:
    with threadpool_limits(1), warnings.catch_warnings(action="ignore"):
        found = [kept("repairs", f"{case.name}, {case.metric_name}", lambda case=case: _on_set(case)) for case in _doubtful()]
    return {"sets": [each for each in found if each is not None]}


def _doubtful() -> Iterator[Case]:
    """The sets whose metric promises no kernel."""
    for case in cases():
        metric = wb.metric(case.metric) if isinstance(case.metric, str) else case.metric
        if case.n_train is None and not case.noise and not closed(metric.promises).negative_type:
            yield case


def _on_set(case: Case) -> dict[str, Any] | None:
    """Errors, errors promised by the folds, and seconds, in percent by repair and half; nothing where no repair was needed."""
    chosen = np.sort(np.random.default_rng(0).permutation(len(case.labels))[:OBJECTS])
    labels = np.asarray(case.labels)[chosen]
    space = wb.MetricSpace(sample.pick(case.objects, chosen), case.metric)
    halves = RepeatedStratifiedKFold(n_splits=2, n_repeats=REPEATS, random_state=0)
    found: dict[str, Any] = {"name": case.name, "metric": case.metric_name, "size": f"{len(labels)} / {len(np.unique(labels))}"}
    repaired = False
    for repair in REPAIRS:
        wrong, promised, seconds = [], [], []
        for known, asked in halves.split(labels, labels):
            start = time.process_time()
            model = wb.HilbertSVCCV(space.metric, repair=repair, random_state=0, n_jobs=1)
            model.fit(space.index[known], labels[known])
            seconds.append(time.process_time() - start)
            wrong.append(100 * float(np.mean(model.predict(space.index[asked]) != labels[asked])))
            promised.append(100 * (1 - model.best_score_))
            repaired |= model.best_estimator_.kernel_report_.repair is not None
        found[repair] = {"wrong": wrong, "promised": promised, "seconds": seconds}
        print(case.name, case.metric_name, repair, np.mean(wrong).round(1), np.mean(promised).round(1), file=sys.stderr)
    return found if repaired else None


def page(facts: Facts) -> str:
    heads = ["data", "metric", "n / classes", *(f"{repair}{what}" for repair in REPAIRS for what in ("", ", in folds", ", s"))]
    lines = [_line(each) for each in facts["sets"]]
    return "\n\n".join([WORDS.format(objects=OBJECTS, repeats=REPEATS), table(heads, [*lines, _means(facts["sets"])])])


def _line(fact: dict[str, Any]) -> list[str]:
    cells = []
    for repair in REPAIRS:
        wrong = np.array(fact[repair]["wrong"])
        error = f"{wrong.mean():.1f}"
        if repair != REPAIRS[0]:
            more = wrong - np.array(fact[REPAIRS[0]]["wrong"])
            error += f" ({more.mean():+.1f} ± {more.std(ddof=1) / np.sqrt(len(more)):.1f})"
        cells += [error, f"{np.mean(fact[repair]['promised']):.1f}", f"{np.mean(fact[repair]['seconds']):.1f}"]
    return [fact["name"], fact["metric"], fact["size"], *cells]


def _means(facts: list[dict[str, Any]]) -> list[str]:
    """The means over the sets."""
    values = [np.mean([np.mean(fact[repair][what]) for fact in facts]) for repair in REPAIRS for what in facts[0][repair]]
    return ["mean", "", "", *(f"{value:.1f}" for value in values)]


WORDS = """\
# Repairs of indefinite kernels

From `make bench` (`python -m benchmarks repairs`): errors in % of `HilbertSVCCV` on sets of `errors` whose
distances promise no kernel, at most {objects} objects of each, {repeats} x 2 halves, by its `repair`. Beside them
stand the error that the folds of the choice promised for the settings that were chosen, and seconds of CPU for a
fit. In brackets is the difference from the first repair, with one standard error over the halves. Folds examine and
repair the kernel of their known objects alone, and objects left out follow as in `predict`, so that they measure the
model that is fitted."""
