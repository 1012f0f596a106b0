"""Save a fitted classifier to a model file."""

import json
import os
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from wideberth.classifiers.named import BY_CLASS_NAME
from wideberth.errors import InvalidInput
from wideberth.estimators.base import MetricClassifier
from wideberth.io.model_file.archive import write_archive
from wideberth.io.model_file.json_and_npy import array_to_bytes, to_json
from wideberth.io.model_file.model_parts import Origin, leave_space, metric_to_plain, sample_to_plain
from wideberth.io.whole_file import whole_file

MODEL = "model.json"


def save(model: Any, path: str | os.PathLike[str]) -> None:
    """Save a fitted classifier to a file, from which `wideberth.load` restores it with the same predictions.

    The file holds numbers and text, and nothing that runs. It is written under a temporary name first, so that an interruption
    leaves no half file and keeps an old one. A model fitted on a `wideberth.MetricSpace` takes objects once it is loaded, and one
    fitted on a distance matrix takes rows of distances to the training objects.

    Parameters
    ----------
    model : MetricClassifier
        A fitted classifier of this library.
    path : str or path
        The file to write; the usual ending is ``.wb``.

    Raises
    ------
    InvalidInput
        If the model is of another class, or if its metric, its parameters or its objects are Python code or objects that plain
        values cannot express.
    InvalidFile
        If the file cannot be written.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from wideberth.classifiers.neighbors.classifier import NeighborsClassifier
    >>> path = pathlib.Path(tempfile.mkdtemp(), "drinks.wb")
    >>> save(NeighborsClassifier("levenshtein").fit(["tea", "tee", "rum"], ["soft", "soft", "hard"]), path)
    >>> from wideberth.io.model_file.read import load
    >>> load(path).predict(["ten"])
    array(['soft'], dtype='<U4')
    """
    write_model(model, path, None)


def write_model(model: Any, path: str | os.PathLike[str], origin: Origin | None) -> None:
    """Save a model as `save` does, together with how its training objects were read.

    Parameters
    ----------
    model : MetricClassifier
        A fitted classifier of this library.
    path : str or path
        The file to write.
    origin : Origin or None
        How the training objects were read from their file; None if they were not.
    """
    _check_savable(model)
    arrays: list[NDArray[Any]] = []

    def keep(array: NDArray[Any]) -> str:
        arrays.append(array)
        return _array_name(len(arrays) - 1)

    described = _describe(model) | {"origin": None if origin is None else vars(origin)}
    try:
        text = json.dumps(to_json(described, keep), allow_nan=False)
    except (ValueError, RecursionError) as reason:  # an integer of thousands of digits, or lists nested too deeply
        if isinstance(reason, InvalidInput):
            raise
        raise InvalidInput(f"The model holds a value that JSON cannot: {reason}.", advice="Convert it.", value=None) from None

    def entries() -> Iterator[tuple[str, bytes]]:
        yield MODEL, text.encode()
        for number, array in enumerate(arrays):
            yield _array_name(number), array_to_bytes(array)

    with whole_file(path) as stream:
        write_archive(stream, entries())


def _array_name(number: int) -> str:
    return f"arrays/{number}.npy"


def _check_savable(model: Any) -> None:
    """Refuse a model that is not fitted, or of a class that model files cannot name."""
    entry = BY_CLASS_NAME.get(type(model).__name__)
    if entry is None or entry.load() is not type(model):
        inner = " For a search, save its best_estimator_." if hasattr(model, "best_estimator_") else ""
        raise InvalidInput(
            f"A {type(model).__name__} cannot be saved.",
            advice=f"Model files hold {', '.join(BY_CLASS_NAME)}.{inner}",
            value=model,
        )
    check_is_fitted(model, "metric_")


def _describe(model: MetricClassifier) -> dict[str, Any]:
    """The whole model as a dict of plain values and arrays: the contents of ``model.json``."""
    state = model._state()
    metric, objects = leave_space(model.metric_, state.pop("objects"))
    parameters = model.get_params(deep=False)
    del parameters["metric"]
    names = getattr(model, "feature_names_in_", None)
    return {
        "class": type(model).__name__,
        "parameters": _plain_parameters(model, parameters),
        "metric": metric_to_plain(metric) | {"by_name": isinstance(model.metric, str)},
        "labels": np.asarray(model.classes_),
        "features": None if metric.accepts != "vectors" else objects.shape[1] if objects is not None else model.n_features_in_,
        "feature_names": None if names is None else [str(name) for name in names],
        "objects": sample_to_plain(objects),
        "learned_from": None if model._learned_from is None else model._learned_from.plain(),
        "state": state,
    }


def _plain_parameters(model: MetricClassifier, parameters: dict[str, Any]) -> dict[str, Any]:
    """The parameters of the constructor, after a check that each can be saved: those that cannot are named in the error."""
    for name, value in parameters.items():
        try:
            to_json(value, lambda array: "")
        except InvalidInput as reason:
            raise InvalidInput(
                f"The parameter {name}={value!r} cannot be saved.",
                advice=f"Predictions do not need it: model.set_params({name}=None), then save.",
                value=value,
            ) from reason
    return parameters
