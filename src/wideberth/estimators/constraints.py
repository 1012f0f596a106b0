"""What the parameters of estimators may be, the error for other values, and references as users pass them."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from wideberth.errors import InvalidInput
from wideberth.geometry.measure.memory_amounts import parse_memory
from wideberth.metrics.metric import Metric
from wideberth.metrics.parameters import is_number, is_whole
from wideberth.objects import sample
from wideberth.wording import setting


class Fits(NamedTuple):
    """The constraint of a parameter.

    Attributes
    ----------
    value : callable
        Whether a value is allowed.
    advice : str
        What the error advises for other values.

    Examples
    --------
    >>> PRICE.value(5.0), PRICE.value(-1.0)
    (True, False)
    """

    value: Callable[[Any], bool]
    advice: str


PRICE = Fits(lambda value: is_number(value) and value > 0, "It is positive; numpy.inf is the hard margin.")
TOLERANCE = Fits(lambda value: is_number(value) and 0 < value < 1, "It lies between 0 and 1, such as 1e-3.")
MAX_TIME = Fits(lambda value: value is None or (is_number(value) and value > 0), "Pass positive seconds, or None for no limit.")
CALIBRATE = Fits(
    lambda value: value is None or (is_number(value) and value >= 2),
    "Pass a number of folds, 2 or more, or None for no probabilities.",
)


def _is_class_weight(value: Any) -> bool:
    if isinstance(value, Mapping):
        return all(map(is_number, value.values()))  # that they are positive is checked with the classes they belong to
    return value is None or (isinstance(value, str) and value == "balanced")


def _is_seed(value: Any) -> bool:
    return value is None or is_whole(value, 0) or isinstance(value, np.random.RandomState | np.random.Generator)


#: The parameters that mean the same in every estimator that has them.
SHARED = {
    "class_weight": Fits(_is_class_weight, "Pass {label: weight}, 'balanced', or None for equal weights."),
    "max_memory": Fits(lambda value: parse_memory(value) > 0, "Pass a size such as '2GB'."),
    "n_jobs": Fits(
        lambda value: value is None or (is_count(value) and abs(value) < 2**31),
        "Pass a number of cores, -1 for all of them, or None.",
    ),
    "verbose": Fits(lambda value: isinstance(value, bool) or is_count(value), "Pass 0, 1 for lines of progress, or -1 for none."),
    "random_state": Fits(_is_seed, "Pass a whole number from 0 on, or None for another result every time."),
}


def check_parameters(model: Any, fits: Mapping[str, Fits]) -> None:
    """Raise an `InvalidInput` for the first parameter of a model whose value is not allowed.

    Those that mean the same everywhere (`SHARED`) are checked too, if the model has them.

    Parameters
    ----------
    model : estimator
        Its parameters are attributes.
    fits : mapping of str to Fits
        The constraint of each parameter of the model's own, in the order of the checks.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> check_parameters(SimpleNamespace(C=5.0, tol=2.0), {"C": PRICE, "tol": TOLERANCE})
    Traceback (most recent call last):
    ...
    wideberth.errors.InvalidInput: tol=2.0 does not fit. It lies between 0 and 1, such as 1e-3.
    """
    shared = {name: constraint for name, constraint in SHARED.items() if hasattr(model, name)}
    for name, constraint in {**shared, **fits}.items():
        value = getattr(model, name)
        if not constraint.value(value):
            raise InvalidInput(f"{setting(name, value)} does not fit.", advice=constraint.advice, value=value)


def is_count(value: Any) -> bool:
    """Whether it is a whole number, such as a number of references, which a truth value is not.

    Examples
    --------
    >>> is_count(5), is_count(True), is_count(["tea"])
    (True, False, False)
    """
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def may_be_references(value: Any) -> bool:
    """Whether it is a number of references (1 or more), None, or possibly a sample of objects.

    Examples
    --------
    >>> may_be_references(5), may_be_references(["tea"]), may_be_references(0), may_be_references("all"), may_be_references(0.5)
    (True, True, False, False, False)
    """
    if is_count(value):
        return bool(value >= 1)
    return value is None or (hasattr(value, "__len__") and not isinstance(value, str | bytes))


def given_references(references: Any, objects: Any, metric: Metric, *, unlabelled: str) -> Any:
    """Prepare the references that a user passed, and check that distances to them can be measured.

    Parameters
    ----------
    references : sample
        As the user passed them.
    objects : sample
        The prepared training objects.
    metric : Metric
        Of both.
    unlabelled : str
        The advice for references that are not rows of a matrix of distances.

    Returns
    -------
    sample
        The prepared references, at least one.

    Raises
    ------
    InvalidInput
        If there are none, or a matrix of distances does not contain them.

    Examples
    --------
    >>> from wideberth.metrics.named import metric
    >>> levenshtein = metric("levenshtein")
    >>> sample.count(given_references(["tea"], levenshtein.prepare(["rum"]), levenshtein, unlabelled=""))
    1
    """
    prepared = metric.prepare(references)
    if not sample.count(prepared):
        raise InvalidInput("references is empty: there is nothing to measure distances to.", advice="Pass at least one.", value=0)
    if metric.accepts == "indices" and prepared.ndim > 1:
        raise InvalidInput(
            "With a matrix of distances, references are row numbers: distances between new objects are not in it.",
            advice=unlabelled,
            value=prepared.shape,
        )
    metric.block(sample.pick(objects, slice(0, 1)), sample.pick(prepared, slice(0, 1)))  # an error if they do not fit the objects
    return prepared
