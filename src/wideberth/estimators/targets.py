"""What users pass to fit: vectors of finite numbers, labels of a kind that can be classified, and weights."""

from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d, validate_data

from wideberth.array_types import Floats
from wideberth.errors import InvalidInput, WrongType
from wideberth.metrics.vectors.checked_vectors import prepare_vectors
from wideberth.objects import sample
from wideberth.objects.labels import Labels, code_labels
from wideberth.wording import at, python

#: What a user may have meant by several labels for an object.
_ONE_COLUMN = (
    f"Several labels for one object are not supported: pass one column, {python('y.argmax(axis=1)')} of a one-hot matrix, or "
    f"fit a classifier for each column ({python('sklearn.multioutput.MultiOutputClassifier')})."
)
#: Kinds of collections that may hold several labels.
_NESTED = (list, tuple, set, frozenset, np.ndarray)


def checked_vectors(estimator: Any, X: Any, *, reset: bool, sparse: bool = False) -> Any:
    """Check vectors with scikit-learn's rules; what it refuses is an error of this library, with the first value that is wrong.

    Parameters
    ----------
    estimator : estimator
        Its ``n_features_in_`` and ``feature_names_in_`` are set or compared.
    X : array-like of shape (n, d)
        The vectors.
    reset : bool
        True in ``fit``: the number and the names of features are set. False: they must be those of ``fit``.
    sparse : bool, default False
        Whether the vectors may be the rows of a sparse matrix.

    Returns
    -------
    ndarray of shape (n, d), or a sparse matrix

    Raises
    ------
    InvalidInput
        If X is not a table of finite numbers, or has other features than in ``fit``.

    Examples
    --------
    >>> import wideberth
    >>> checked_vectors(wideberth.NeighborsClassifier(), [[1, 2], [3, float("nan")]], reset=True)
    Traceback (most recent call last):
    ...
    wideberth.errors.InvalidInput: Input X contains NaN: object 1 has the value nan at feature 1. Fill it in, or leave ...
    """
    try:
        return validate_data(estimator, X, dtype=np.float64, reset=reset, accept_sparse="csr" if sparse else False)
    except InvalidInput:
        raise
    except (ValueError, TypeError, OverflowError, RecursionError) as reason:
        raise _vector_error(X, reason) from None


def _vector_error(X: Any, reason: Exception) -> InvalidInput:
    """The error for vectors that scikit-learn refused: its first line, and the first value that is wrong where there is one."""
    said = str(reason).strip().partition("\n")[0].rstrip(".")
    if isinstance(reason, TypeError):
        return WrongType(f"{said}.", advice="Pass rows of numbers; drop missing values first.", value=X)
    try:
        wrong = _first_not_finite(X)
    except (ValueError, TypeError, OverflowError, RecursionError):  # no numbers at all
        try:
            prepare_vectors(X)
        except InvalidInput as better:
            return better
        wrong = None
    if wrong is None:
        return InvalidInput(str(reason).strip(), value=X)
    row, feature, value = wrong
    return InvalidInput(
        f"{said}: {at('object', row)} has the value {value} at feature {feature}.",
        advice="Fill it in, or leave the object out.",
        witness=(row, feature),
        value=value,
    )


def _first_not_finite(X: Any) -> tuple[int, int, float] | None:
    """The object, the feature and the value of the first number that is not finite; None if X is no table or has none."""
    if hasattr(X, "tocoo"):
        stored = X.tocoo()
        wrong = ~np.isfinite(np.asarray(stored.data, dtype=np.float64))
        rows, features, values = stored.row[wrong], stored.col[wrong], stored.data[wrong]
    else:
        table = X.to_numpy(dtype=np.float64, na_value=np.nan) if hasattr(X, "iloc") else np.asarray(X, dtype=np.float64)
        if table.ndim != 2:
            return None
        rows, features = np.nonzero(~np.isfinite(table))
        values = table[rows, features]
    if not len(rows):
        return None
    first = np.lexsort((features, rows))[0]
    return int(rows[first]), int(features[first]), float(values[first])


def code_targets(y: Any, n_objects: int) -> Labels:
    """Check labels as users pass them to `fit`, and number their classes.

    A single column of shape (n, 1), or a list of lists of length 1, is flattened with scikit-learn's DataConversionWarning.

    Parameters
    ----------
    y : array-like of shape (n_objects,)
        Texts, whole numbers or truth values; a list, an array, or a column of a data frame.
    n_objects : int
        How many objects there are.

    Returns
    -------
    Labels
        The classes in sorted order, and the code of each object's class.

    Raises
    ------
    InvalidInput
        If there is more than one column, if the numbers of objects and labels differ, or if a label is missing.
    ValueError
        From scikit-learn, for numbers that are not whole: the targets of a regression.

    Examples
    --------
    >>> code_targets(["tea", "rum", "tea"], 3).codes
    array([1, 0, 1])
    >>> code_targets([[0, 1], [1, 1]], 2)
    Traceback (most recent call last):
    ...
    wideberth.errors.InvalidInput: y holds [0, 1] for object 0, not one label. Several labels ...
    """
    labels = code_labels(_one_column(y), n_objects)
    check_classification_targets(labels.classes[labels.codes])
    return labels


def checked_weights(sample_weight: Any, n_objects: int) -> Floats:
    """Check sample weights as users pass them to `fit`.

    Parameters
    ----------
    sample_weight : array-like of shape (n_objects,), float or None
        Finite and not negative, not all 0; a single number, or None, gives all objects the same weight.
    n_objects : int
        How many objects there are.

    Returns
    -------
    ndarray of shape (n_objects,)
        The weights, 1 by default.

    Raises
    ------
    InvalidInput
        With the first object whose weight cannot be used.

    Examples
    --------
    >>> checked_weights([2, 0], 2)
    array([2., 0.])
    """
    if sample_weight is None:
        return np.ones(n_objects)
    try:
        weights = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as reason:
        advice = "Pass one finite number for each object, and none that is missing."
        raise InvalidInput(f"sample_weight is not an array of numbers: {reason}.", advice=advice, value=sample_weight) from None
    weights = np.full(n_objects, float(weights)) if weights.ndim == 0 else weights
    if weights.shape != (n_objects,):
        raise InvalidInput(
            f"There are {n_objects} objects, but sample_weight.shape == {weights.shape}.",
            advice=f"Pass one weight for each object, shape {(n_objects,)}.",
            value=weights.shape,
        )
    wrong = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if len(wrong):
        raise InvalidInput(
            f"{at('Object', wrong[0])} has the weight {weights[wrong[0]]}.",
            advice="Weights are finite and not negative; 0 leaves an object out.",
            witness=int(wrong[0]),
            value=float(weights[wrong[0]]),
        )
    if not weights.any():
        raise InvalidInput(
            "All weights are zero: there are no objects to learn from.", advice="Give at least one a positive weight.", value=0.0
        )
    return weights


def _one_column(y: Any) -> Any:
    """The labels as one column, or an `InvalidInput` if there are several."""
    shape = tuple(getattr(y, "shape", ()))
    if issparse(y) or len(shape) > 2 or (len(shape) == 2 and shape[1] != 1):
        raise InvalidInput(f"y has the shape {shape}, not one label for each object.", advice=_ONE_COLUMN, value=shape)
    if hasattr(y, "__array__") and not _is_nullable(y):
        y = column_or_1d(y, warn=True)
    held = sample.hold(y)
    if not isinstance(held, np.ndarray) or held.dtype.kind != "O":
        return held
    if not any(isinstance(label, _NESTED) for label in held):
        return held
    if not all(isinstance(label, list | tuple | np.ndarray) and np.shape(label) == (1,) for label in held):
        raise _several_labels(held)
    column = np.empty((len(held), 1), dtype=object)
    column[:, 0] = [label[0] for label in held]
    return column_or_1d(column, warn=True)


def _is_nullable(y: Any) -> bool:
    """Whether labels are a column or an array of pandas that may hold NA: scikit-learn would turn whole numbers into floats."""
    return hasattr(getattr(y, "dtype", None), "na_value")


def _several_labels(held: Any) -> InvalidInput:
    """The error that shows the first object with other than one label; of nested labels, the first if all have one."""
    nested = [position for position, label in enumerate(held) if isinstance(label, _NESTED)]
    position = next((position for position in nested if len(held[position]) != 1), nested[0])
    label = held[position]
    return InvalidInput(
        f"y holds {sample.shown(label)} for {at('object', position)}, not one label.",
        advice=_ONE_COLUMN,
        witness=position,
        value=label,
    )
