"""Save a fitted classifier or embedding to a model file."""

import json
import os
from collections.abc import Iterator
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from wideberth.array_types import Sample
from wideberth.errors import InvalidInput
from wideberth.estimators.metric_classifier import MetricClassifier
from wideberth.estimators.metric_estimator import MetricEstimator
from wideberth.io.model_file import model_parts as parts
from wideberth.io.model_file.archive import array_to_bytes, to_json, write_archive
from wideberth.io.model_file.model_parts import Origin
from wideberth.io.model_file.provenance import DataNotes, provenance_of
from wideberth.io.model_file.saved_vote import VOTE, check_classifier, vote_to_plain
from wideberth.io.readers.source import refuse_to_replace_data
from wideberth.io.whole_file import check_writable, whole_file
from wideberth.metrics.metric import Metric
from wideberth.metrics.named import METRICS

MODEL = "model.json"


def save(model: Any, path: str | os.PathLike[str]) -> None:
    """Save a fitted classifier or embedding to a file, from which `wideberth.load` restores it with
    the same predictions.

    The file holds numbers and text, and nothing that runs. It is written under a temporary name
    first, so that an interruption leaves no half file and keeps an old one. A model fitted on a
    `wideberth.MetricSpace` takes objects once it is loaded, and one fitted on a distance matrix
    takes rows of distances to the training objects.

    Parameters
    ----------
    model : estimator
        A fitted classifier or embedding of this library, an online learner that has learned a
        label, or a pipeline of scikit-learn of such steps; scalers and a logistic regression of
        scikit-learn may be among them.
    path : str or path
        The file to write; the usual ending is ``.wb``.

    Raises
    ------
    InvalidInput
        If the model is of another class, or if its metric, its parameters or its objects are Python
        code or objects that plain values cannot express.
    InvalidFile
        If the file cannot be written, or if `wideberth.read` has read data from it.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from wideberth.classifiers.neighbors.classifier import NeighborsClassifier
    >>> path = pathlib.Path(tempfile.mkdtemp(), "drinks.wb")
    >>> save(
    ...     NeighborsClassifier("levenshtein").fit(["tea", "tee", "rum"], ["soft", "soft", "hard"]),
    ...     path,
    ... )
    >>> from wideberth.io.model_file.read import load
    >>> load(path).predict(["ten"])
    array(['soft'], dtype='<U4')
    """
    write_model(model, path)


def write_model(
    model: Any,
    path: str | os.PathLike[str],
    origin: Origin | None = None,
    notes: DataNotes | None = None,
) -> None:
    """Save a model as `save` does, together with how its training objects were read, and what was
    noted about them.
    """
    refuse_to_replace_data(path)
    _check_savable(model)
    arrays: list[NDArray[Any]] = []

    def keep(array: NDArray[Any]) -> str:
        arrays.append(array)
        return _array_name(len(arrays) - 1)

    read_from = {
        "origin": None if origin is None else origin.to_plain(),
        "notes": None if notes is None else vars(notes),
    }
    described = _describe_any(model) | read_from
    provenance = dict(vars(described.pop("provenance")))
    try:
        text = json.dumps(to_json(described, keep), allow_nan=False)
    except (ValueError, RecursionError) as reason:
        # an integer of thousands of digits, or lists nested too deeply
        if isinstance(reason, InvalidInput):
            raise
        raise InvalidInput(
            f"The model holds a value that JSON cannot: {reason}.", advice="Convert it.", value=None
        ) from None

    def entries() -> Iterator[tuple[str, bytes]]:
        yield MODEL, text.encode()
        for number, array in enumerate(arrays):
            yield _array_name(number), array_to_bytes(array)

    check_writable(path)
    with whole_file(path) as stream:
        write_archive(stream, entries(), provenance)


def _array_name(number: int) -> str:
    return f"arrays/{number}.npy"


def _check_savable(model: Any) -> None:
    """Refuse a model that is not fitted, or of a class that model files cannot name."""
    if type(model) is parts.pipeline_class():
        parts.check_steps(model, parts.SAVABLE)
        for _, step in model.steps:
            if type(step).__name__ in parts.SAVABLE:
                _check_savable(step)
        return
    name = type(model).__name__
    if name not in parts.SAVABLE or parts.savable_class(name) is not type(model):
        inner = (
            " For a search, save its best_estimator_." if hasattr(model, "best_estimator_") else ""
        )
        raise InvalidInput(
            f"A {name} cannot be saved.",
            advice=f"Model files hold {', '.join(parts.SAVABLE)}, and pipelines of them.{inner}",
            value=model,
        )
    if name == VOTE:
        check_classifier(model)
    if hasattr(model, "fit"):  # others have their state to ask
        check_is_fitted(model, "metric_" if isinstance(model, MetricEstimator) else None)
    if isinstance(model, MetricClassifier):
        # set_params may have changed them since; a file with others would be refused
        model.check_parameters()


def _describe_any(model: Any) -> dict[str, Any]:
    """An estimator, or a pipeline with all its steps; where it comes from is what its last metric
    step knows.
    """
    if type(model) is not parts.pipeline_class():
        if type(model).__name__ == VOTE:
            return vote_to_plain(model, _describe, _plain_parameters)
        return _describe(model)
    steps = [{"name": name, "step": _describe_step(step)} for name, step in model.steps]
    known = [each["step"].pop("provenance") for each in steps if "provenance" in each["step"]]
    return {
        "class": parts.PIPELINE,
        "steps": steps,
        "provenance": known[-1] if known else provenance_of(model, None),
    }


def _describe_step(step: Any) -> dict[str, Any] | str:
    """A step of a pipeline."""
    if step is None or isinstance(step, str):
        return parts.PASSTHROUGH
    return parts.plain_step_to_plain(step) if parts.is_plain_step(step) else _describe(step)


def _describe(model: Any) -> dict[str, Any]:
    """The whole model as a dict of plain values and arrays: the contents of ``model.json``, and its
    provenance.
    """
    state, parameters = model.state(), model.get_params(deep=False)
    metric, objects = None, None
    if isinstance(model, MetricEstimator):
        metric, objects = parts.leave_space(model.metric_, state.pop("objects"))
        del parameters["metric"]
    learned = model.learned_from_ if isinstance(model, MetricClassifier) else None
    names = getattr(model, "feature_names_in_", None)
    return {
        "class": type(model).__name__,
        "parameters": _plain_parameters(model, parameters),
        "metric": None
        if metric is None
        else parts.metric_to_plain(metric) | {"by_name": _is_by_name(model.metric)},
        "labels": np.asarray(model.classes_) if isinstance(model, MetricClassifier) else None,
        "features": _n_features(model, metric, objects),
        "feature_names": None if names is None else [str(name) for name in names],
        "objects": parts.sample_to_plain(objects),
        "learned_from": None if learned is None else learned.plain(),
        "state": state,
        "provenance": provenance_of(model, objects),
    }


def _is_by_name(given: Any) -> bool:
    """Whether a metric was passed by its name, and not left to be chosen."""
    return isinstance(given, str) and given in METRICS


def _n_features(model: Any, metric: Metric | None, objects: Sample) -> int | None:
    """How many numbers the vectors of a model have; None if its objects are not vectors."""
    if metric is not None and metric.accepts != "vectors":
        return None
    return int(model.n_features_in_ if objects is None else objects.shape[1])


def _plain_parameters(model: Any, parameters: dict[str, Any]) -> dict[str, Any]:
    """The parameters of the constructor, after a check that each can be saved: those that cannot
    are named in the error.
    """
    for name, value in parameters.items():
        try:
            to_json(value, lambda array: "")
        except InvalidInput as reason:
            raise InvalidInput(
                f"The parameter {name}={value!r} cannot be saved.",
                advice="What was learned does not need it: "
                f"model.set_params({name}={_default(model, name)!r}), then save.",
                value=value,
            ) from reason
    return parameters


def _default(model: Any, name: str) -> Any:
    """The value of a parameter that is not given."""
    return signature(type(model)).parameters[name].default
