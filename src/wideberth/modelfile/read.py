"""Read a model file: everything in it is checked, nothing in it runs."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from wideberth.errors import InvalidFile
from wideberth.estimators.base import MetricClassifier
from wideberth.estimators.recognition import Learned
from wideberth.metrics.precomputed import DistanceRows
from wideberth.modelfile.archive import Archive
from wideberth.modelfile.arrays import array_from_bytes
from wideberth.modelfile.classes import CLASSES
from wideberth.modelfile.metrics import metric_from_plain
from wideberth.modelfile.names import current_name, current_names
from wideberth.modelfile.origin import Origin, origin_from_plain
from wideberth.modelfile.plain import from_json
from wideberth.modelfile.refusal import refusal
from wideberth.modelfile.samples import sample_from_plain
from wideberth.modelfile.write import MODEL
from wideberth.objects.readers import strict_json

Value = TypeVar("Value")

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
            return _checked(archive.path, name, lambda: array_from_bytes(archive.read(name)))

        text = archive.read(MODEL)
        described = _checked(archive.path, MODEL, lambda: from_json(strict_json.parse(text.decode()), fetch))
        for name in archive.manifest["entries"].keys() - fetched - {MODEL}:
            raise refusal(archive.path, name, "nothing in the model needs it.", value=name)
        return _checked(archive.path, MODEL, lambda: _built(described))


def _checked(path: str, entry: str, read: Callable[[], Value]) -> Value:
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
    if metric.eats == "vectors":
        _restore_features(model, described, objects)
    model._restore(described["state"] | {"objects": objects})
    return SavedModel(model, origin_from_plain(described["origin"]))


def _class_of(described: dict[str, Any]) -> type[MetricClassifier]:
    name = current_name("classes", described["class"])
    if name not in CLASSES:
        raise ValueError(f"there is no class {name!r}; known are {', '.join(CLASSES)}")
    return CLASSES[name]


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
