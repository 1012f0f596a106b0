"""A metric as plain values and back: those of the table, with their parameters, and no others."""

from typing import Any

from wideberth.errors import InvalidInput
from wideberth.geometry.space import SpaceMetric
from wideberth.metrics.distance_rows import DistanceRows
from wideberth.metrics.metric import Metric
from wideberth.metrics.named import METRICS
from wideberth.metrics.named import metric as named_metric
from wideberth.metrics.precomputed import Precomputed
from wideberth.objects import sample


def beyond_space(metric: Metric, objects: Any) -> tuple[Metric, Any]:
    """The metric and the objects themselves where a model knows them by their indices in a `wideberth.MetricSpace`.

    >>> from wideberth.geometry.space import MetricSpace
    >>> beyond_space(MetricSpace(["tea", "milk"], "levenshtein").metric, [1])
    (Levenshtein(), ['milk'])
    """
    if not isinstance(metric, SpaceMetric):
        return metric, objects
    inner = metric.space.measured_by
    return inner, inner.prepare(sample.pick(metric.space.objects, slice(0, 0) if objects is None else objects))


def metric_to_plain(metric: Metric) -> dict[str, Any]:
    """Name and parameters. A matrix of distances is forgotten: new objects come as rows of distances.

    >>> metric_to_plain(named_metric("minkowski", p=3))
    {'name': 'minkowski', 'parameters': {'p': 3}}
    """
    if isinstance(metric, Precomputed):
        promises = {name: getattr(metric, name) for name in ("obeys_triangle", "hilbertian", "negative_type")}
        metric = DistanceRows(len(metric.matrix), **promises)
    if type(metric) not in (METRICS.get(metric.name), DistanceRows):
        raise InvalidInput(
            f"The distance {metric.name!r} is Python code of your own, which a model file cannot hold: it never runs code.",
            advice="Name a metric of wideberth.list_metrics(), or fit on metric='precomputed' and pass rows of distances.",
            value=metric,
        )
    return {"name": metric.name, "parameters": metric.get_params(deep=False)}


def metric_from_plain(plain: dict[str, Any]) -> Metric:
    """The metric again; an `InvalidInput` if the table has none of that name or it takes no such parameters."""
    name, parameters = plain["name"], plain["parameters"]
    if not isinstance(name, str) or not isinstance(parameters, dict):
        raise ValueError("a metric is a name and parameters")
    if name == Precomputed.name:
        return _distance_rows(**parameters)
    return named_metric(name, **parameters)


def _distance_rows(n_objects: Any, **promises: Any) -> DistanceRows:
    if type(n_objects) is not int or n_objects < 0 or not all(each in (True, False, None) for each in promises.values()):
        raise ValueError(f"{n_objects!r} objects with {promises} make no rows of distances")
    return DistanceRows(n_objects, **promises)
