"""Convert the parts of a model to plain values and back: metrics, training objects, and how these
were read.

A file names classes and metrics, and only names in the tables of this library are looked up: the
classifiers, the registered metrics and their transforms, with their parameters. Training objects
are written as their metric prepared them. What is read back is either a collection that a user
might have passed to ``fit``, or a container whose numbers were checked; in both cases the metric
prepares and checks it again.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

import wideberth
from wideberth.classifiers.named import by_class_name, choosers
from wideberth.errors import InvalidInput
from wideberth.geometry.measure.remembered_distances import MeasuredOnce
from wideberth.geometry.space.measure_once import themselves
from wideberth.geometry.space.space import SpaceMetric
from wideberth.io.readers import Kind
from wideberth.io.readers.records import KINDS
from wideberth.metrics.metric import Metric
from wideberth.metrics.named import CONTAINERS, METRICS
from wideberth.metrics.named import metric as named_metric
from wideberth.metrics.precomputed import DistanceRows, Precomputed
from wideberth.metrics.transforms import TRANSFORMS
from wideberth.metrics.transforms.transformed_metric import TransformedMetric
from wideberth.objects import sample
from wideberth.wording import python, setting

# ---- The one table of classes that a model file can name: every public estimator of the library

#: The public estimators that are no family of classifiers.
NO_FAMILY = (
    "AutoClassifier",
    "OnlinePartitionClassifier",
    "ContextualSearch",
    "KuratowskiEmbedding",
    "HilbertEmbedding",
)

#: Public names of the classes whose fitted objects can be saved. Such a class has the methods
#: ``state`` and ``restore`` (`wideberth.estimators.metric_estimator.MetricEstimator`), a golden
#: file, and the tests of all of them.
SAVABLE = (*by_class_name(), *choosers(), *NO_FAMILY)


def savable_class(name: str) -> Any:
    """The class of this name, imported at the first call.

    Parameters
    ----------
    name : str
        A name that a file holds.

    Returns
    -------
    type
        A class of the table.

    Raises
    ------
    ValueError
        If the table has no such name; no other class is ever looked for.

    Examples
    --------
    >>> savable_class("OnlinePartitionClassifier").__name__
    'OnlinePartitionClassifier'
    >>> savable_class("Popen")
    Traceback (most recent call last):
    ...
    ValueError: there is no class 'Popen'; known are NeighborsClassifier, ...
    """
    if name not in SAVABLE:
        raise ValueError(f"there is no class {name!r}; known are {', '.join(SAVABLE)}")
    return getattr(wideberth, name)


#: The most metrics inside each other.
_DEEPEST = 10


def leave_space(metric: Metric, objects: Any) -> tuple[Metric, Any]:
    """Replace the metric and the indices of a `wideberth.MetricSpace` by the metric and the objects
    themselves.

    A model that was fitted on a space keeps indices into it. A file holds the objects, so that the
    loaded model needs no space.

    Parameters
    ----------
    metric : Metric
        The metric of a model; a transform is rebuilt around the metric that it transforms.
    objects : prepared sample, or None
        What the model keeps: for a metric of a space, indices into the space. None if the model
        keeps no objects.

    Returns
    -------
    metric : Metric
        A metric on objects; the same one if it is not the metric of a space.
    objects : prepared sample or None
        The objects, prepared by that metric.

    Examples
    --------
    >>> from wideberth.geometry.space.space import MetricSpace
    >>> leave_space(MetricSpace(["tea", "milk"], "levenshtein").metric, [1])
    (Levenshtein(), ['milk'])
    """
    if isinstance(metric, MeasuredOnce):
        metric, objects = themselves(objects, metric)[::-1]
    if isinstance(metric, TransformedMetric):
        inner, objects = leave_space(metric.metric, objects)
        return metric if inner is metric.metric else metric.around(inner), objects
    if not isinstance(metric, SpaceMetric):
        return metric, objects
    inner = metric.space.measured_by
    return inner, inner.prepare(
        sample.pick(metric.space.objects, slice(0, 0) if objects is None else objects)
    )


def metric_to_plain(metric: Metric) -> dict[str, Any]:
    """Describe a metric by its name and its parameters, some of which may be metrics themselves.

    A matrix of distances is not written: the loaded model takes rows of distances from new objects
    to the training objects.

    Parameters
    ----------
    metric : Metric
        A registered metric or a transform of one.

    Returns
    -------
    dict
        ``name`` or ``transform``, ``parameters``, and ``metrics`` with the metrics among the
        parameters.

    Raises
    ------
    InvalidInput
        If the metric is a function of the user, which a file that never runs code cannot hold.

    Examples
    --------
    >>> metric_to_plain(named_metric("minkowski", p=3))
    {'name': 'minkowski', 'parameters': {'p': 3}, 'metrics': {}}
    """
    return _describe_inside(metric, 0)


def _describe_inside(metric: Metric, depth: int) -> dict[str, Any]:
    """Describe a metric inside so many others."""
    _check_depth(depth)
    if isinstance(metric, Precomputed):
        promises = {
            name: getattr(metric, name)
            for name in ("obeys_triangle", "hilbertian", "negative_type")
        }
        metric = DistanceRows(len(metric.matrix), **promises)
    given = metric.get_params(deep=False)
    inner = {
        name: nested
        for name, value in given.items()
        if (nested := _nested_to_plain(value, depth + 1)) is not None
    }
    own = {name: value for name, value in given.items() if name not in inner}
    return _name_in_file(metric) | {"parameters": own, "metrics": inner}


def metric_from_plain(plain: dict[str, Any]) -> Metric:
    """Make the metric that `metric_to_plain` described.

    Parameters
    ----------
    plain : dict
        The description, as read from a file: nothing in it is trusted.

    Returns
    -------
    Metric

    Raises
    ------
    InvalidInput
        If no metric has that name, or it does not take such parameters.
    ValueError
        If the description does not have the right form.

    Examples
    --------
    >>> metric_from_plain({"name": "minkowski", "parameters": {"p": 3}, "metrics": {}})
    Minkowski(p=3)
    """
    return _metric_inside(plain, 0)


def _metric_inside(plain: dict[str, Any], depth: int) -> Metric:
    """The metric that is described, inside so many others."""
    parameters, inner = plain["parameters"], plain["metrics"]
    if not isinstance(parameters, dict) or not isinstance(inner, dict):
        raise ValueError("a metric is a name and parameters")
    _check_depth(depth)
    parameters = parameters | {
        name: _nested_from_plain(nested, depth + 1) for name, nested in inner.items()
    }
    match plain:
        case {"transform": str(transform)} if transform in TRANSFORMS:
            return TRANSFORMS[transform](**_complete(parameters, TRANSFORMS[transform]))
        case {"name": Precomputed.name}:
            return _distance_rows(**_complete(parameters, DistanceRows))
        case {"name": str(name)} if name in METRICS:
            return named_metric(name, **_complete(parameters, METRICS[name]))
        case {"name": str(name)}:
            return named_metric(name)  # an error that names those there are
    raise ValueError("a metric is a name and parameters")


def _complete(parameters: dict[str, Any], kind: type[Metric]) -> dict[str, Any]:
    """The parameters of a metric, after a check that none is missing: it would get a default."""
    if missing := set(kind.parameters()) - set(parameters):
        raise ValueError(f"the metric {kind.__name__} lacks {', '.join(sorted(missing))}")
    return parameters


def _check_depth(depth: int) -> None:
    """Refuse metrics inside each other beyond any use: some costs double with every one of them."""
    if depth > _DEEPEST:
        advice = "Several scales are one scale, by the product of their factors."
        raise InvalidInput(
            f"More than {_DEEPEST} transforms follow each other.", advice=advice, value=depth
        )


def _name_in_file(metric: Metric) -> dict[str, str]:
    """The entry of a description that names the class of a metric."""
    call = getattr(metric, "call", "")
    if TRANSFORMS.get(call) is type(metric):
        return {"transform": call}
    if type(metric) in (METRICS.get(metric.name), DistanceRows):
        return {"name": metric.name}
    if isinstance(metric, SpaceMetric):
        raise InvalidInput(
            "A model file cannot hold several metrics of spaces, whose objects are only numbers.",
            advice="Fit on the objects, with the metrics of the spaces.",
            value=metric,
        )
    raise InvalidInput(
        f"The distance {metric.name!r} is Python code of your own, which a model file cannot hold: "
        "it never runs code.",
        advice=f"Name a metric of {python('wideberth.list_metrics()')}, or fit on "
        f"{setting('metric', 'precomputed')} and pass rows of distances.",
        value=metric,
    )


def _nested_to_plain(value: Any, depth: int) -> dict[str, Any] | None:
    """A metric, or metrics in a sequence or a dict, as plain values; None for a parameter of any
    other kind.
    """
    if isinstance(value, Metric):
        return {"one": _describe_inside(value, depth)}
    if (
        isinstance(value, list | tuple)
        and value
        and all(isinstance(item, Metric) for item in value)
    ):
        return {"several": [_describe_inside(item, depth) for item in value]}
    if (
        isinstance(value, Mapping)
        and value
        and all(isinstance(item, Metric) for item in value.values())
    ):
        return {"by_key": [(key, _describe_inside(item, depth)) for key, item in value.items()]}
    return None


def _nested_from_plain(plain: Any, depth: int) -> Metric | tuple[Metric, ...] | dict[Any, Metric]:
    """The metric, metrics or dict of metrics that `_nested_to_plain` described."""
    match plain:
        case {"one": dict(one)}:
            return _metric_inside(one, depth)
        case {"several": list(several)}:
            return tuple(_metric_inside(item, depth) for item in several)
        case {"by_key": list(pairs)}:
            return {key: _metric_inside(item, depth) for key, item in pairs}
    raise ValueError("a metric inside another is one, several, or one for each key")


def _distance_rows(n_objects: Any, **promises: Any) -> DistanceRows:
    """The metric on rows of distances, after a check of its number of objects and its promises."""
    if (
        type(n_objects) is not int
        or n_objects < 0
        or not all(promise in (True, False, None) for promise in promises.values())
    ):
        raise ValueError(f"{n_objects!r} objects with {promises} do not describe rows of distances")
    return DistanceRows(n_objects, **promises)


def sample_to_plain(objects: Any) -> dict[str, Any] | None:
    """Describe a prepared sample by plain values and arrays.

    Parameters
    ----------
    objects : ndarray, container or None
        The training objects that a model keeps, as its metric prepared them; None if it keeps none.

    Returns
    -------
    dict or None
        ``kind``, which names the container, and its contents.

    Examples
    --------
    >>> sample_to_plain(named_metric("levenshtein").prepare(["tea", "coffee"]))
    {'kind': 'sequences', 'items': ['tea', 'coffee']}
    """
    if objects is None:
        return None
    if isinstance(objects, np.ndarray):
        return {"kind": "array", "items": objects}
    for kind, container in CONTAINERS.items():
        if type(objects) is container:
            inside = getattr(objects, "plain_inside", None)  # of a container of samples
            return {"kind": kind, **(inside(sample_to_plain) if inside else objects.plain())}
    raise InvalidInput(
        f"Objects kept as {type(objects).__name__} cannot go into a model file.",
        advice=f"The objects that the metrics of {python('wideberth.list_metrics()')} measure can.",
        value=type(objects).__name__,
    )


def sample_from_plain(plain: dict[str, Any] | None, metric: Metric) -> Any:
    """Make the prepared sample that `sample_to_plain` described.

    Parameters
    ----------
    plain : dict or None
        The description, as read from a file: nothing in it is trusted.
    metric : Metric
        Prepares the objects, and checks them like those of a user.

    Returns
    -------
    ndarray, container or None

    Raises
    ------
    ValueError
        If the values are not a sample. The metric raises `InvalidInput` for objects that it does
        not accept.

    Examples
    --------
    >>> sample_from_plain(
    ...     {"kind": "array", "items": np.array([[1.0, 2.0]])}, named_metric("euclidean")
    ... )
    array([[1., 2.]])
    """
    return None if plain is None else metric.prepare(_unprepared(plain))


def _unprepared(plain: dict[str, Any]) -> Any:
    """The sample before the metric prepares it: an array, or a container whose contents were
    checked.
    """
    kind, fields = (
        plain.get("kind"),
        {name: value for name, value in plain.items() if name != "kind"},
    )
    if inside := getattr(CONTAINERS.get(str(kind)), "from_plain_inside", None):
        return inside(fields, _unprepared)
    if kind == "array" and isinstance(fields.get("items"), np.ndarray):
        objects = fields["items"]
    elif kind in CONTAINERS:
        objects = CONTAINERS[kind].from_plain(fields)
    else:
        raise ValueError("these values are not a sample of objects")
    values = sum(np.size(value) for value in fields.values() if isinstance(value, np.ndarray))
    values += sum(len(value) for value in fields.values() if isinstance(value, list))
    if len(objects) > values:
        raise ValueError(f"{len(objects):,} objects are claimed, but there is nothing of them")
    return objects


@dataclass(frozen=True)
class Origin:
    """How the training objects of a model were read from a file, so that new objects are read in
    the same way.

    Attributes
    ----------
    kind : str
        The kind of the objects, as `wideberth.read` names it.
    column : str, tuple of str or None
        The column or columns of the objects; None if the file has no named columns.
    numbers : tuple of str or None
        For objects that are rows of a table: the columns that hold numbers.

    Examples
    --------
    >>> Origin("rows", ("age", "city"), numbers=("age",)).kind
    'rows'
    """

    kind: Kind
    column: str | tuple[str, ...] | None = None
    numbers: tuple[str, ...] | None = None


def origin_from_plain(plain: Any) -> Origin | None:
    """Make the origin that a file describes.

    Parameters
    ----------
    plain : dict or None
        The attributes of an `Origin`; None if the model was not fitted on objects from a file.

    Returns
    -------
    Origin or None

    Raises
    ------
    ValueError
        If the value does not describe an origin.

    Examples
    --------
    >>> origin_from_plain({"kind": "strings", "column": "name", "numbers": None})
    Origin(kind='strings', column='name', numbers=None)
    """
    match plain:
        case None:
            return None
        case {"kind": kind, "column": None | str() | tuple() as column, "numbers": numbers} if (
            kind in KINDS
            and _are_texts(column)
            and (numbers is None or (isinstance(numbers, tuple) and kind == "rows"))
            and _are_texts(numbers)
        ):
            return Origin(kind, column, numbers)
    raise ValueError(f"{plain!r} does not describe how objects were read")


def _are_texts(names: str | tuple[Any, ...] | None) -> bool:
    """Whether one name, several or none are all text."""
    return not isinstance(names, tuple) or all(isinstance(name, str) for name in names)
