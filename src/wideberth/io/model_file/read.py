"""Read a model file: everything in it is checked, nothing in it runs."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from wideberth.classifiers.named import BY_CLASS_NAME
from wideberth.errors import InvalidFile
from wideberth.estimators.base import MetricClassifier
from wideberth.estimators.recognition import Learned
from wideberth.io import strict_json
from wideberth.io.model_file.archive import Archive, refusal
from wideberth.io.model_file.contents import Origin, metric_from_plain, origin_from_plain, sample_from_plain
from wideberth.io.model_file.plain import array_from_bytes, from_json
from wideberth.io.model_file.write import MODEL
from wideberth.metrics.precomputed import DistanceRows

Namespace = Literal["classes", "parameters"]
Value = TypeVar("Value")

#: Former names of classifiers and of the parameters of their constructors, each with the name of today. A line, once written,
#: stays; if the name of today changes again, the line names the newest.
FORMER_NAMES: dict[Namespace, dict[str, str]] = {"classes": {}, "parameters": {"memory": "max_memory"}}

#: What values that do not fit together make Python raise.
_UNFIT = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)


@dataclass(frozen=True)
class SavedModel:
    """A model out of a file, and how its training objects were read if they came from a file."""

    model: MetricClassifier
    origin: Origin | None


def load(path: str | os.PathLike[str]) -> Any:
    """The fitted classifier that `wideberth.save` wrote, with the same answers.

    Files of strangers may be read: nothing in a file can run, and one that is damaged, that claims more than it holds, or that
    names classes or metrics which this library does not have is refused with an `InvalidFile` that says what is wrong where.
    """
    return read_model(path).model


def read_model(path: str | os.PathLike[str]) -> SavedModel:
    """`load`, with how the training objects were read."""
    with Archive(path) as archive:
        fetched: set[str] = set()

        def fetch(name: str) -> NDArray[Any]:
            fetched.add(name)
            return _or_refused(archive.path, name, lambda: array_from_bytes(archive.read(name)))

        text = archive.read(MODEL)
        described = _or_refused(archive.path, MODEL, lambda: from_json(strict_json.parse(text.decode()), fetch))
        for name in archive.manifest["entries"].keys() - fetched - {MODEL}:
            raise refusal(archive.path, name, "nothing in the model needs it.", value=name)
        return _or_refused(archive.path, MODEL, lambda: _built(described))


def _or_refused(path: str, entry: str, read: Callable[[], Value]) -> Value:
    try:
        return read()
    except InvalidFile:
        raise
    except _UNFIT as reason:
        problem = f"it makes no model: {type(reason).__name__}: {reason}"
        raise refusal(path, entry, problem, value=getattr(reason, "value", str(reason)), advice=" ") from reason


def _built(described: dict[str, Any]) -> SavedModel:
    metric = metric_from_plain(described["metric"])
    objects = sample_from_plain(described["objects"], metric)
    by_name = described["metric"]["by_name"] or isinstance(metric, DistanceRows)
    parameters = current_names("parameters", described["parameters"])
    model = _class_of(described)(metric.name if by_name else metric, **parameters)
    model.metric_ = metric
    model.classes_ = _labels(described["labels"])
    model._learned_from = Learned.from_plain(described.get("learned_from"))
    if metric.accepts == "vectors":
        _restore_features(model, described, objects)
    model._restore(described["state"] | {"objects": objects})
    return SavedModel(model, origin_from_plain(described["origin"]))


def _class_of(described: dict[str, Any]) -> type[MetricClassifier]:
    name = current_name("classes", described["class"])
    if name not in BY_CLASS_NAME:
        raise ValueError(f"there is no class {name!r}; known are {', '.join(BY_CLASS_NAME)}")
    chosen: type[MetricClassifier] = BY_CLASS_NAME[name].load()
    return chosen


def _labels(labels: Any) -> NDArray[Any]:
    if not isinstance(labels, np.ndarray) or labels.ndim != 1 or not len(labels) or len(np.unique(labels)) < len(labels):
        raise ValueError("the labels are not different, one for each class")
    return labels


def _restore_features(model: Any, described: dict[str, Any], objects: NDArray[Any] | None) -> None:
    width, names = described["features"], described["feature_names"]
    if type(width) is not int or (objects is not None and width != objects.shape[1]):
        raise ValueError(f"the vectors have not {width!r} numbers")
    model.n_features_in_ = width
    if names is not None:
        if len(names) != width or not all(isinstance(each, str) for each in names):
            raise ValueError(f"{len(names)} names of {width} features")
        model.feature_names_in_ = np.array(names, dtype=object)


def current_name(namespace: Namespace, name: str) -> str:
    """The name of today for one in a file.

    >>> current_name("classes", "NeighborsClassifier")
    'NeighborsClassifier'
    """
    return FORMER_NAMES[namespace].get(name, name)


def current_names(namespace: Namespace, values: dict[str, Any]) -> dict[str, Any]:
    """Values by the names of today; a `ValueError` if two of them are one thing under a former and a later name."""
    renamed = {current_name(namespace, name): value for name, value in values.items()}
    if len(renamed) < len(values):
        raise ValueError(f"{sorted(values)} name one of the {namespace} twice")
    return renamed
