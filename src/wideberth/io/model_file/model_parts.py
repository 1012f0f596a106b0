"""Convert the parts of a model to plain values and back: metrics, training objects, how these were
read, and the steps of a pipeline that scikit-learn has: a few whose state is a few arrays.

A file names classes and metrics, and only names in the tables of this library are looked up: the
classifiers, the registered metrics and their transforms, with their parameters. Training objects
are written as their metric prepared them. What is read back is either a collection that a user
might have passed to ``fit``, or a container whose numbers were checked; in both cases the metric
prepares and checks it again.
"""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

import wideberth
from wideberth.array_types import Sample
from wideberth.classifiers.named import by_class_name, choosers
from wideberth.errors import InvalidInput
from wideberth.geometry.measure.remembered_distances import MeasuredOnce
from wideberth.geometry.space.space import SpaceMetric, themselves
from wideberth.io.readers import Kind
from wideberth.io.readers.records import KINDS
from wideberth.metrics.metric import Metric
from wideberth.metrics.named import CONTAINERS, METRICS
from wideberth.metrics.named import metric as named_metric
from wideberth.metrics.precomputed import DistanceRows, Precomputed
from wideberth.metrics.transforms import TRANSFORMS
from wideberth.metrics.transforms.embedded import Embedded
from wideberth.metrics.transforms.metric_preserving import TransformedMetric
from wideberth.objects import sample
from wideberth.wording import python, setting

if TYPE_CHECKING:
    from sklearn.pipeline import Pipeline

# ---- The one table of classes that a model file can name: every public estimator of the library

#: The public estimators that are no family of classifiers.
NO_FAMILY = (
    "AutoClassifier",
    "PartitionVoteClassifier",
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
    """The class of this name, imported at the first call; no class outside the table is ever looked
    for.

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


# ---- Metrics and training objects

#: The most metrics inside each other.
_DEEPEST = 10


def leave_space(metric: Metric, objects: Sample) -> tuple[Metric, Sample]:
    """Replace the metric and the indices of a `wideberth.MetricSpace` by the metric and the objects
    themselves.

    A model that was fitted on a space keeps indices into it. A file holds the objects, so that the
    loaded model needs no space.

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

    Examples
    --------
    >>> metric_to_plain(named_metric("minkowski", p=3))
    {'name': 'minkowski', 'parameters': {'p': 3, 'gaps': None}, 'metrics': {}}
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
    if isinstance(metric, Embedded):
        around = {"one": _describe_inside(metric.metric, depth + 1)}
        return {
            "transform": metric.call,
            "parameters": metric.in_file(),
            "metrics": {"metric": around},
        }
    given = metric.get_params(deep=False)
    inner = {
        name: nested
        for name, value in given.items()
        if (nested := _nested_to_plain(value, depth + 1)) is not None
    }
    own = {name: value for name, value in given.items() if name not in inner}
    return _name_in_file(metric) | {"parameters": own, "metrics": inner}


def metric_from_plain(plain: dict[str, Any]) -> Metric:
    """Make the metric that `metric_to_plain` described; nothing in the description is trusted.

    Examples
    --------
    >>> metric_from_plain(
    ...     {"name": "minkowski", "parameters": {"p": 3, "gaps": None}, "metrics": {}}
    ... )
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
        case {"transform": Embedded.call}:
            return Embedded.from_file(parameters, parameters["metric"], plain.get(_GIVEN))
        case {"transform": str(transform)} if transform in TRANSFORMS:
            return TRANSFORMS[transform](**_complete(parameters, TRANSFORMS[transform]))
        case {"name": Precomputed.name}:
            return _distance_rows(**_complete(parameters, DistanceRows))
        case {"name": str(name)} if name in METRICS:
            return named_metric(name, **_complete(parameters, METRICS[name]))
        case {"name": str(name)}:
            return named_metric(name)  # an error that names those there are
    raise ValueError("a metric is a name and parameters")


#: Where the encoder that the user passes stands in the description of a metric; files cannot hold it.
_GIVEN = "encoder given by the user"


def with_encoder(plain: Any, encode: Any) -> Any:
    """The values of a file, with an encoder of the user, or None, beside each metric that needs one.

    Examples
    --------
    >>> with_encoder([{"transform": "embedded", "metrics": {}}], len)
    [{'transform': 'embedded', 'metrics': {}, 'encoder given by the user': <built-in function len>}]
    """
    if isinstance(plain, list | tuple):
        return type(plain)(with_encoder(each, encode) for each in plain)
    if not isinstance(plain, dict):
        return plain
    inside = {name: with_encoder(value, encode) for name, value in plain.items()}
    of_metric = plain.get("transform") == Embedded.call and "metrics" in plain
    return inside | ({_GIVEN: encode} if of_metric else {})


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


def sample_to_plain(objects: Sample) -> dict[str, Any] | None:
    """Describe a prepared sample by plain values and arrays.

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


def sample_from_plain(plain: dict[str, Any] | None, metric: Metric) -> Sample:
    """Make the prepared sample that `sample_to_plain` described; nothing in it is trusted, and the
    metric checks the objects like those of a user.

    Examples
    --------
    >>> sample_from_plain(
    ...     {"kind": "array", "items": np.array([[1.0, 2.0]])}, named_metric("euclidean")
    ... )
    array([[1., 2.]])
    """
    return None if plain is None else metric.prepare(_unprepared(plain))


def _unprepared(plain: dict[str, Any]) -> Sample:
    """The sample before the metric prepares it: an array, or a container whose contents were
    checked.
    """
    kind = plain.get("kind")
    fields = {name: value for name, value in plain.items() if name != "kind"}
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

    Examples
    --------
    >>> Origin("rows", ("age", "city"), numbers=("age",)).kind
    'rows'
    """

    kind: Kind  # the kind of the objects, as `wideberth.read` names it
    #: the column or columns of the objects; None if the file has no named columns
    column: str | tuple[str, ...] | None = None
    #: for objects that are rows of a table: the columns that hold numbers
    numbers: tuple[str, ...] | None = None
    missing: tuple[str, ...] = ()  # words for missing values, besides the usual ones
    header: bool = True  # False if it was said or recognised that the first line is data
    dates: tuple[str, ...] = ()  # the columns of dates, which are days in the objects

    def to_plain(self) -> dict[str, Any]:
        """The fields that a file has; those that few models need only where they are needed."""
        usual = {"missing": (), "header": True, "dates": ()}
        return {
            name: value
            for name, value in vars(self).items()
            if name not in usual or value != usual[name]
        }


def origin_from_plain(plain: Any) -> Origin | None:
    """Make the origin that a file describes.

    Examples
    --------
    >>> origin_from_plain({"kind": "strings", "column": "name", "numbers": None})
    Origin(kind='strings', column='name', numbers=None, missing=(), header=True, dates=())
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
            missing, dates = plain.get("missing", ()), plain.get("dates", ())
            header = plain.get("header", True)
            told = all(isinstance(each, tuple) and _are_texts(each) for each in (missing, dates))
            if told and isinstance(header, bool):
                return Origin(kind, column, numbers, missing, header, dates)
    raise ValueError(f"{plain!r} does not describe how objects were read")


def _are_texts(names: str | tuple[Any, ...] | None) -> bool:
    """Whether one name, several or none are all text."""
    return not isinstance(names, tuple) or all(isinstance(name, str) for name in names)


# ---- Pipelines of scikit-learn

#: The class of a pipeline, as files name it.
PIPELINE = "Pipeline"
#: What stands for a step that does nothing.
PASSTHROUGH = "passthrough"
#: The smallest scale by which numbers can be divided.
_TINY = 1e-300
#: The most features with which a step is tried when it is loaded: a file may claim any number of
#: them.
_MOST_TRIED = 1_000_000


@dataclass(frozen=True)
class PlainStep:
    """A class of scikit-learn whose fitted objects are parameters and arrays."""

    module: str
    by_feature: tuple[str, ...] = ()  # the fitted attributes that hold a number for each feature
    others: tuple[str, ...] = ()  # those of any other shape


#: The classes by name. Nothing else of scikit-learn is ever looked for.
PLAIN_STEPS = {
    "StandardScaler": PlainStep(
        "sklearn.preprocessing", ("mean_", "var_", "scale_"), ("n_samples_seen_",)
    ),
    "MinMaxScaler": PlainStep(
        "sklearn.preprocessing",
        ("min_", "scale_", "data_min_", "data_max_", "data_range_"),
        ("n_samples_seen_",),
    ),
    "MaxAbsScaler": PlainStep(
        "sklearn.preprocessing", ("max_abs_", "scale_"), ("n_samples_seen_",)
    ),
    "Normalizer": PlainStep("sklearn.preprocessing"),
    "LogisticRegression": PlainStep(
        "sklearn.linear_model", (), ("coef_", "intercept_", "classes_", "n_iter_")
    ),
}


def is_plain_step(model: Any) -> bool:
    """Whether a step is one of the classes of scikit-learn that files hold.

    Examples
    --------
    >>> from sklearn.pipeline import Pipeline
    >>> from sklearn.preprocessing import Normalizer
    >>> is_plain_step(Normalizer()), is_plain_step(Pipeline([]))
    (True, False)
    """
    entry = PLAIN_STEPS.get(type(model).__name__)
    return entry is not None and type(model) is _class_of(type(model).__name__)


def plain_step_to_plain(model: Any) -> dict[str, Any]:
    """Describe a fitted step of scikit-learn by plain values and arrays."""
    check_is_fitted(model)
    entry, names = PLAIN_STEPS[type(model).__name__], getattr(model, "feature_names_in_", None)
    fitted = {name: getattr(model, name, None) for name in (*entry.by_feature, *entry.others)}
    return {
        "class": type(model).__name__,
        "parameters": model.get_params(deep=False),
        "features": int(model.n_features_in_),
        "feature_names": None if names is None else [str(name) for name in names],
        "fitted": {
            name: value.copy() if isinstance(value, np.ndarray) else value
            for name, value in fitted.items()
        },
    }


def plain_step_from_plain(described: dict[str, Any]) -> Any:
    """Make the step that `plain_step_to_plain` described; nothing in it is trusted."""
    name, n_features, fitted = described["class"], described["features"], described["fitted"]
    entry, model = PLAIN_STEPS[name], _class_of(name)(**described["parameters"])
    model._validate_params()
    if (
        type(n_features) is not int
        or n_features < 1
        or fitted.keys() != {*entry.by_feature, *entry.others}
    ):
        raise ValueError(f"{name} of {n_features!r} features has no such state")
    for attribute, value in fitted.items():
        if value is None:  # as the mean, if it is not subtracted
            continue
        if attribute in entry.by_feature and (
            np.shape(value) != (n_features,) or not _are_finite(value)
        ):
            raise ValueError(f"{attribute} is not a number for each of {n_features} features")
        if attribute == "scale_" and not (np.abs(value) > _TINY).all():
            raise ValueError("a scale is 0")
        setattr(model, attribute, value)
    model.n_features_in_ = n_features
    _restore_names(model, described["feature_names"])
    _check_answers(model, n_features)
    return model


def _restore_names(model: Any, names: Any) -> None:
    if names is None:
        return
    if len(names) != model.n_features_in_ or not all(isinstance(name, str) for name in names):
        raise ValueError(f"{len(names)} names of {model.n_features_in_} features")
    model.feature_names_in_ = np.array(names, dtype=object)


def _check_answers(model: Any, n_features: int) -> None:
    """Raise an error if the step cannot answer: its arrays do not fit each other, or some are not
    there.
    """
    check_is_fitted(model)
    classes = getattr(model, "classes_", None)
    if classes is not None:
        n_rows = 1 if len(classes) == 2 else len(classes)
        shapes = np.shape(model.coef_), np.shape(model.intercept_)
        if (
            shapes != ((n_rows, n_features), (n_rows,))
            or not _are_finite(model.coef_)
            or not _are_finite(model.intercept_)
        ):
            raise ValueError("the coefficients are not numbers for each class and feature")
        if len(classes) < 2 or not np.array_equal(np.unique(classes), classes):
            raise ValueError("the classes are not a sorted array of different labels")
    if n_features <= _MOST_TRIED:
        with warnings.catch_warnings(action="ignore"):  # about names of features
            (model.transform if classes is None else model.predict)(np.ones((1, n_features)))


def _are_finite(values: Any) -> bool:
    return (
        isinstance(values, np.ndarray)
        and values.dtype.kind == "f"
        and bool(np.isfinite(values).all())
    )


def _class_of(name: str) -> Any:
    return getattr(import_module(PLAIN_STEPS[name].module), name)


def pipeline_class() -> type["Pipeline"]:
    """scikit-learn's class of pipelines, which few models are: it loads all of its preprocessing,
    so it is imported only here.
    """
    from sklearn.pipeline import Pipeline

    of_scikit_learn: type[Pipeline] = Pipeline
    return of_scikit_learn


def check_widths(model: "Pipeline") -> None:
    """Raise a `ValueError` if a step gives vectors of another length than the next one takes.

    Examples
    --------
    >>> from sklearn.pipeline import Pipeline
    >>> from sklearn.preprocessing import Normalizer
    >>> check_widths(
    ...     Pipeline(
    ...         [("one", Normalizer().fit([[1.0]])), ("other", Normalizer().fit([[1.0, 2.0]]))]
    ...     )
    ... )
    Traceback (most recent call last):
    ...
    ValueError: the step 'other' takes 2 numbers, and gets 1
    """
    width = None
    for name, step in model.steps:
        if step == PASSTHROUGH:
            continue
        takes = getattr(step, "n_features_in_", None)
        if width is not None and takes != width:
            raise ValueError(f"the step {name!r} takes {takes} numbers, and gets {width}")
        width = getattr(step, "_n_features_out", takes)


def check_steps(model: "Pipeline", savable: tuple[str, ...]) -> None:
    """Raise an `InvalidInput` if a pipeline has a step of a class that files do not hold.

    Examples
    --------
    >>> from sklearn.decomposition import PCA
    >>> from sklearn.pipeline import Pipeline
    >>> check_steps(Pipeline([("axes", PCA())]), ())
    Traceback (most recent call last):
    ...
    wideberth.errors.InvalidInput: The step 'axes' of the pipeline, a PCA, cannot be saved. ...
    """
    for name, step in model.steps:
        if (
            step not in (None, PASSTHROUGH)
            and type(step).__name__ not in savable
            and not is_plain_step(step)
        ):
            raise InvalidInput(
                f"The step {name!r} of the pipeline, a {type(step).__name__}, cannot be saved.",
                advice=f"Steps are {', '.join(savable)}, and {', '.join(PLAIN_STEPS)} of "
                "scikit-learn.",
                value=step,
            )
