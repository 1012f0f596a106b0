"""What a model file can name and hold, as plain values and back: classes, metrics, training objects, and how they were read.

No other class is ever looked for, and of metrics those of the table and their transforms, with their parameters, and no others.
Training objects are written whatever their metric made of them. What is read back is a collection that a user might have passed
to fit, or a container whose numbers were checked, and the metric prepares and checks it like one.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from wideberth.errors import InvalidInput
from wideberth.geometry.space.space import SpaceMetric
from wideberth.io.readers import Kind
from wideberth.io.readers.records import KINDS
from wideberth.metrics.kinds import CONTAINERS
from wideberth.metrics.metric import Metric
from wideberth.metrics.named import METRICS
from wideberth.metrics.named import metric as named_metric
from wideberth.metrics.precomputed import DistanceRows, Precomputed
from wideberth.metrics.transforms import TRANSFORMS
from wideberth.metrics.transforms.parts_sample import PartsSample
from wideberth.metrics.transforms.transformed_metric import TransformedMetric
from wideberth.objects import sample


def beyond_space(metric: Metric, objects: Any) -> tuple[Metric, Any]:
    """The metric and the objects themselves where a model knows them by their indices in a `wideberth.MetricSpace`.

    >>> from wideberth.geometry.space.space import MetricSpace
    >>> beyond_space(MetricSpace(["tea", "milk"], "levenshtein").metric, [1])
    (Levenshtein(), ['milk'])
    """
    if isinstance(metric, TransformedMetric):
        inner, objects = beyond_space(metric.metric, objects)
        return metric if inner is metric.metric else metric.around(inner), objects
    if not isinstance(metric, SpaceMetric):
        return metric, objects
    inner = metric.space.measured_by
    return inner, inner.prepare(sample.pick(metric.space.objects, slice(0, 0) if objects is None else objects))


def metric_to_plain(metric: Metric) -> dict[str, Any]:
    """Name and parameters, among them metrics. A matrix of distances is forgotten: new objects come as rows of distances.

    >>> metric_to_plain(named_metric("minkowski", p=3))
    {'name': 'minkowski', 'parameters': {'p': 3}}
    """
    if isinstance(metric, Precomputed):
        promises = {name: getattr(metric, name) for name in ("obeys_triangle", "hilbertian", "negative_type")}
        metric = DistanceRows(len(metric.matrix), **promises)
    given = metric.get_params(deep=False)
    inner = {name: nested for name, value in given.items() if (nested := _nested_to_plain(value)) is not None}
    plain = _name_in_file(metric) | {"parameters": {name: value for name, value in given.items() if name not in inner}}
    return plain | {"metrics": inner} if inner else plain


def metric_from_plain(plain: dict[str, Any]) -> Metric:
    """The metric again; an `InvalidInput` if the tables have none of that name or it takes no such parameters."""
    parameters, inner = plain["parameters"], plain.get("metrics", {})
    if not isinstance(parameters, dict) or not isinstance(inner, dict):
        raise ValueError("a metric is a name and parameters")
    parameters = parameters | {name: _nested_from_plain(nested) for name, nested in inner.items()}
    match plain:
        case {"transform": str(transform)} if transform in TRANSFORMS:
            return TRANSFORMS[transform](**parameters)
        case {"name": Precomputed.name}:
            return _distance_rows(**parameters)
        case {"name": str(name)}:
            return named_metric(name, **parameters)
    raise ValueError("a metric is a name and parameters")


def _name_in_file(metric: Metric) -> dict[str, str]:
    call = getattr(metric, "call", "")
    if TRANSFORMS.get(call) is type(metric):
        return {"transform": call}
    if type(metric) in (METRICS.get(metric.name), DistanceRows):
        return {"name": metric.name}
    if isinstance(metric, SpaceMetric):
        raise InvalidInput(
            "A model file cannot hold several metrics of spaces, which know their objects by number only.",
            advice="Fit on the objects, with the metrics that the spaces measure by.",
            value=metric,
        )
    raise InvalidInput(
        f"The distance {metric.name!r} is Python code of your own, which a model file cannot hold: it never runs code.",
        advice="Name a metric of wideberth.list_metrics(), or fit on metric='precomputed' and pass rows of distances.",
        value=metric,
    )


def _nested_to_plain(value: Any) -> dict[str, Any] | None:
    """A metric, or metrics in a sequence or a dict, as plain values; None for a parameter of any other kind."""
    if isinstance(value, Metric):
        return {"one": metric_to_plain(value)}
    if isinstance(value, list | tuple) and value and all(isinstance(each, Metric) for each in value):
        return {"several": [metric_to_plain(each) for each in value]}
    if isinstance(value, Mapping) and value and all(isinstance(each, Metric) for each in value.values()):
        return {"by_key": [(key, metric_to_plain(each)) for key, each in value.items()]}
    return None


def _nested_from_plain(plain: Any) -> Metric | tuple[Metric, ...] | dict[Any, Metric]:
    match plain:
        case {"one": dict(one)}:
            return metric_from_plain(one)
        case {"several": list(several)}:
            return tuple(map(metric_from_plain, several))
        case {"by_key": list(pairs)}:
            return {key: metric_from_plain(each) for key, each in pairs}
    raise ValueError("a metric inside another is one, several, or one for each key")


def _distance_rows(n_objects: Any, **promises: Any) -> DistanceRows:
    if type(n_objects) is not int or n_objects < 0 or not all(each in (True, False, None) for each in promises.values()):
        raise ValueError(f"{n_objects!r} objects with {promises} make no rows of distances")
    return DistanceRows(n_objects, **promises)


def sample_to_plain(objects: Any) -> dict[str, Any] | None:
    """A prepared sample as plain values; None if a model needs no objects.

    >>> sample_to_plain(named_metric("levenshtein").prepare(["tea", "coffee"]))
    {'kind': 'sequences', 'items': ['tea', 'coffee']}
    """
    if objects is None:
        return None
    if isinstance(objects, np.ndarray):
        return {"kind": "array", "items": objects}
    if isinstance(objects, PartsSample):
        return {"kind": "parts", "parts": [sample_to_plain(part) for part in objects.parts]}
    for kind, container in CONTAINERS.items():
        if type(objects) is container:
            return {"kind": kind, **objects.plain()}
    raise InvalidInput(
        f"Objects kept as {type(objects).__name__} cannot go into a model file.",
        advice="The objects that the metrics of wideberth.list_metrics() measure can.",
        value=type(objects).__name__,
    )


def sample_from_plain(plain: dict[str, Any] | None, metric: Metric) -> Any:
    """The sample again, prepared; a `ValueError` where the values do not make one."""
    return None if plain is None else metric.prepare(_unprepared(plain))


def _unprepared(plain: dict[str, Any]) -> Any:
    """What a metric prepares and checks."""
    kind, fields = plain.get("kind"), {name: value for name, value in plain.items() if name != "kind"}
    if kind == "array" and isinstance(fields.get("items"), np.ndarray):
        return fields["items"]
    if kind == "parts" and isinstance(fields.get("parts"), list):
        return PartsSample.from_plain({"parts": [_unprepared(part) for part in fields["parts"]]})
    if kind in CONTAINERS:
        return CONTAINERS[kind].from_plain(fields)
    raise ValueError("these values are not a sample of objects")


@dataclass(frozen=True)
class Origin:
    """How a file of training objects was read, so that new ones are read the same way.

    The kind of objects, where they stand under a name the columns they came from, and of rows those that hold numbers.
    """

    kind: Kind
    column: str | tuple[str, ...] | None = None
    numbers: tuple[str, ...] | None = None


def origin_from_plain(plain: Any) -> Origin | None:
    """The origin again, None if the model came from no file; a `ValueError` if it is neither.

    >>> origin_from_plain({"kind": "strings", "column": "name"})
    Origin(kind='strings', column='name', numbers=None)
    """
    match plain:
        case None:
            return None
        case {"kind": kind, "column": None | str() | tuple() as column} if kind in KINDS and _are_texts(column):
            numbers = plain.get("numbers")
            if (numbers is None or (isinstance(numbers, tuple) and kind == "rows")) and _are_texts(numbers):
                return Origin(kind, column, numbers)
    raise ValueError(f"{plain!r} does not say how objects were read")


def _are_texts(names: str | tuple[Any, ...] | None) -> bool:
    return not isinstance(names, tuple) or all(isinstance(each, str) for each in names)
