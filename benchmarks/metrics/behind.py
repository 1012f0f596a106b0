"""How far the error under a metric is above the least error of the same classifier on the same
set.
"""

from collections import defaultdict
from dataclasses import dataclass
from statistics import mean
from typing import Any


@dataclass(frozen=True)
class Behind:
    """Percentage points between the error of a classifier under a metric and its error under the
    best metric of the set.
    """

    metric: str
    data: str
    model: str
    points: float
    microseconds: float | None


def named(metric: str) -> str:
    """The metric without the mark of sums; weights of columns, which differ between sets, are one
    metric.
    """
    return "gower, weights of columns" if " x " in metric else metric.removesuffix(" +")


def behind_the_best(rows: list[dict[str, Any]]) -> dict[str, list[Behind]]:
    """By kind of objects, all metrics, those that stay behind least on the mean first, of equal
    ones the one listed first.
    """
    least: dict[tuple[str, str], float] = {}
    known = [(row, model) for row in rows for model in ("kNN", "SVM") if row[model] is not None]
    for row, model in known:
        least[row["data"], model] = min(least.get((row["data"], model), row[model]), row[model])
    kinds: dict[str, list[Behind]] = defaultdict(list)
    for row, model in known:
        points = row[model] - least[row["data"], model]
        kinds[row["kind"]].append(
            Behind(named(row["metric"]), row["data"], model, points, row["us"])
        )
    return {kind: _ordered(found) for kind, found in kinds.items()}


def _ordered(found: list[Behind]) -> list[Behind]:
    by_metric: dict[str, list[Behind]] = defaultdict(list)
    for each in found:
        by_metric[each.metric].append(each)
    groups = sorted(by_metric.values(), key=lambda group: mean(each.points for each in group))
    return [each for group in groups for each in group]
