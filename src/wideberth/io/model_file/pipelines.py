"""Pipelines of scikit-learn in model files: steps of this library, and a few of scikit-learn whose
state is a few arrays.
"""

import warnings
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from wideberth.errors import InvalidInput

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
    """A class of scikit-learn whose fitted objects are parameters and arrays.

    Attributes
    ----------
    module : str
        Where it is.
    by_feature : tuple of str
        The fitted attributes that hold a number for each feature.
    others : tuple of str
        Those of any other shape.
    """

    module: str
    by_feature: tuple[str, ...] = ()
    others: tuple[str, ...] = ()


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
    >>> from sklearn.preprocessing import Normalizer
    >>> is_plain_step(Normalizer()), is_plain_step(Pipeline([]))
    (True, False)
    """
    entry = PLAIN_STEPS.get(type(model).__name__)
    return entry is not None and type(model) is _class_of(type(model).__name__)


def plain_step_to_plain(model: Any) -> dict[str, Any]:
    """Describe a fitted step of scikit-learn by plain values and arrays.

    Parameters
    ----------
    model : estimator
        Of a class in `PLAIN_STEPS`.

    Returns
    -------
    dict
        ``class``, ``parameters``, ``features``, ``feature_names`` and ``fitted``.

    Raises
    ------
    InvalidInput
        If it is not fitted.
    """
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
    """Make the step that `plain_step_to_plain` described.

    Parameters
    ----------
    described : dict
        The description, as read from a file: nothing in it is trusted.

    Returns
    -------
    estimator

    Raises
    ------
    ValueError or TypeError
        If the values do not make such a step.
    """
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


def check_widths(model: Pipeline) -> None:
    """Raise a `ValueError` if a step gives vectors of another length than the next one takes.

    Examples
    --------
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


def check_steps(model: Pipeline, savable: tuple[str, ...]) -> None:
    """Raise an `InvalidInput` if a pipeline has a step of a class that files do not hold.

    Parameters
    ----------
    model : Pipeline
        The pipeline.
    savable : tuple of str
        The names of the classes of this library that files hold.

    Examples
    --------
    >>> from sklearn.decomposition import PCA
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
