"""The door of all estimators on a metric: what X, y, weights and parameters may be, and how work is
reported.
"""

import functools
import inspect
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, TypeVar, cast

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator
from sklearn.utils import Tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from wideberth import progress
from wideberth.array_types import Floats, Objects, Sample
from wideberth.errors import InvalidInput, WrongType
from wideberth.estimators.training import Admitted
from wideberth.geometry.measure.blocks import parse_memory
from wideberth.metrics.metric import Kind, Metric
from wideberth.metrics.named import bind
from wideberth.metrics.named import metric as as_metric
from wideberth.metrics.parameters import is_number, is_whole
from wideberth.metrics.precomputed import Precomputed
from wideberth.metrics.vectors.minkowski import TAKING_GAPS, prepare_vectors
from wideberth.objects import sample
from wideberth.objects.labels import CodedLabels, code_labels
from wideberth.progress import CURRENT, Task, task
from wideberth.wording import at, python, setting

# ---- What the parameters of estimators may be, the error for other values, and references as users
# pass them


class Fits(NamedTuple):
    """The constraint of a parameter.

    Examples
    --------
    >>> PRICE.value(5.0), PRICE.value(-1.0)
    (True, False)
    """

    #: Whether a value is allowed.
    value: Callable[[Any], bool]
    #: What the error advises for other values.
    advice: str


PRICE = Fits(
    lambda value: is_number(value) and value > 0, "It is positive; numpy.inf is the hard margin."
)
TOLERANCE = Fits(
    lambda value: is_number(value) and 0 < value < 1, "It lies between 0 and 1, such as 1e-3."
)
MAX_TIME = Fits(
    lambda value: value is None or (is_number(value) and value > 0),
    "Pass positive seconds, or None for no limit.",
)
CALIBRATE = Fits(
    lambda value: value is None or (is_number(value) and value >= 2),
    "Pass a number of folds, 2 or more, or None for no probabilities.",
)


def _is_class_weight(value: Any) -> bool:
    if isinstance(value, Mapping):
        # that they are positive is checked with the classes they belong to
        return all(map(is_number, value.values()))
    return value is None or (isinstance(value, str) and value == "balanced")


def _is_seed(value: Any) -> bool:
    return (
        value is None
        or is_whole(value, 0)
        or isinstance(value, np.random.RandomState | np.random.Generator)
    )


#: The parameters that mean the same in every estimator that has them.
SHARED = {
    "class_weight": Fits(
        _is_class_weight, "Pass {label: weight}, 'balanced', or None for equal weights."
    ),
    "max_memory": Fits(lambda value: parse_memory(value) > 0, "Pass a size such as '2GB'."),
    "n_jobs": Fits(
        lambda value: value is None or (is_count(value) and abs(value) < 2**31),
        "Pass a number of cores, -1 for all of them, or None.",
    ),
    "verbose": Fits(
        lambda value: isinstance(value, bool) or is_count(value),
        "Pass 0, 1 for lines of progress, or -1 for none.",
    ),
    "random_state": Fits(
        _is_seed, "Pass a whole number from 0 on, or None for another result every time."
    ),
}


def check_parameters(model: Any, fits: Mapping[str, Fits]) -> None:
    """Raise an `InvalidInput` for the first parameter of a model whose value is not allowed.

    Those that mean the same everywhere (`SHARED`) are checked too, if the model has them.

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
            raise InvalidInput(
                f"{setting(name, value)} does not fit.", advice=constraint.advice, value=value
            )


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
    >>> (
    ...     may_be_references(5),
    ...     may_be_references(["tea"]),
    ...     may_be_references(0),
    ...     may_be_references("all"),
    ...     may_be_references(0.5),
    ... )
    (True, True, False, False, False)
    """
    if is_count(value):
        return bool(value >= 1)
    return value is None or (hasattr(value, "__len__") and not isinstance(value, str | bytes))


def given_references(
    references: Sample, objects: Sample, metric: Metric, *, unlabelled: str
) -> Any:
    """Prepare the references that a user passed, and check that distances to them can be measured;
    ``unlabelled`` is the advice for those that are not rows of a matrix of distances.

    Examples
    --------
    >>> from wideberth.metrics.named import metric
    >>> levenshtein = metric("levenshtein")
    >>> sample.count(
    ...     given_references(["tea"], levenshtein.prepare(["rum"]), levenshtein, unlabelled="")
    ... )
    1
    """
    prepared = metric.prepare(references)
    if not sample.count(prepared):
        raise InvalidInput(
            "references is empty: there is nothing to measure distances to.",
            advice="Pass at least one.",
            value=0,
        )
    if metric.accepts == "indices" and prepared.ndim > 1:
        raise InvalidInput(
            "With a matrix of distances, references are row numbers: distances between new objects "
            "are not in it.",
            advice=unlabelled,
            value=prepared.shape,
        )
    # an error if they do not fit the objects
    metric.block(sample.pick(objects, slice(0, 1)), sample.pick(prepared, slice(0, 1)))
    return prepared


# ---- Estimators report what they are doing: as `wideberth.progress` shows it, or to scikit-learn's
# callbacks

try:  # scikit-learn 1.9 or later; its documentation calls the protocol experimental
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Nothing."""


#: Estimators that derive from it have ``set_callbacks``, where scikit-learn has callbacks.
CallbackSupport: Any = CallbackSupportMixin


Method = TypeVar("Method", bound=Callable[..., Any])

#: Into how many steps work is divided for callbacks if it does not consist of a few equal parts.
_STEPS = 100


def reported(method: Method) -> Method:
    """A method of an estimator as a task, which is shown as its parameter ``verbose`` says.

    In ``fit``, the callbacks that were set by ``set_callbacks`` are told instead, where
    scikit-learn has them.

    Examples
    --------
    >>> class Kettle:
    ...     verbose = 0
    ...
    ...     @reported
    ...     def boil(self):
    ...         return CURRENT.get() is not None
    >>> Kettle().boil(), CURRENT.get()
    (True, None)
    """

    @functools.wraps(method)
    def with_report(self: Any, *args: Any, **kwargs: Any) -> Any:
        if method.__name__ == "fit" and hasattr(self, "_skl_callbacks") and CURRENT.get() is None:
            return _called_back(self, method, *args, **kwargs)
        with task(f"{type(self).__name__}.{method.__name__}", verbose=_verbosity(self)):
            return method(self, *args, **kwargs)

    return cast(Method, with_report)


def _verbosity(estimator: Any) -> int:
    verbose = getattr(estimator, "verbose", 0)
    # the method itself says what is wrong with it
    return int(verbose) if SHARED["verbose"].value(verbose) else -1


def _called_back(estimator: Any, fit: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Fit an estimator, and tell its callbacks of every task."""
    given = inspect.signature(fit).bind(estimator, *args, **kwargs).arguments
    weights = given.get("sample_weight")
    data = {
        "X": given["X"],
        "y": given.get("y"),
        "metadata": None if weights is None else {"sample_weight": weights},
    }

    @with_callbacks  # tears the callbacks down, also after an error
    def called_back(estimator: Any) -> Any:
        context = estimator._init_callback_context(max_subtasks=None)
        context.call_on_fit_task_begin(estimator=estimator, **data)
        with task("fit", listener=Callbacks(estimator, context)):
            fitted = fit(estimator, *args, **kwargs)
        context.call_on_fit_task_end(estimator=estimator, **data, reconstruction_attributes=dict)
        return fitted

    return called_back(estimator)


@dataclass
class _Told:
    """A task that callbacks know: its context, and how many of its subtasks they know."""

    context: Any
    subtasks: int = 0


class Callbacks:
    """Tells scikit-learn's callbacks of our tasks that take long.

    A callback counts equal subtasks. A task of at most 100 whole parts has as many subtasks: the
    tasks inside it that are worth one part, and a leaf for every other part that is done. Any other
    task that knows its total has a hundred leaves. Tasks that are not part of the total of the task
    around them are not told, and neither are those that take less than two seconds: a progress bar
    of scikit-learn shows a line for each.
    """

    def __init__(self, estimator: Any, context: Any) -> None:
        self._estimator, self._outermost = estimator, context
        self._told: dict[Task, _Told] = {}
        self._telling = threading.RLock()  # parts of the work may run in several threads

    def moved(self, task: Task) -> None:
        """Add a leaf for each part that is done and has none."""
        with self._telling:
            told = self._tell(task)
            if told is None or not task.total:
                return
            for _ in range(
                told.subtasks, int(min(1.0, task.done / task.total) * told.context.max_subtasks)
            ):
                leaf = self._subtask(told, "step", 0)
                leaf.call_on_fit_task_end(estimator=self._estimator)

    def ended(self, task: Task) -> None:
        """Close the context of a task."""
        with self._telling:
            told = self._tell(task)
            self._told.pop(task, None)
            if told is not None and task.parent is not None:
                told.context.call_on_fit_task_end(estimator=self._estimator)

    def _tell(self, task: Task) -> _Told | None:
        """What callbacks know of a task, after those around it and itself have been told; None if
        they are not to know it.
        """
        if task not in self._told:
            if task.parent is None:
                self._told[task] = _Told(self._outermost)
            elif task.clock() - task.started >= progress.PATIENCE:
                outer = self._tell(task.parent)
                if outer is not None and _is_subtask(task, outer):
                    self._told[task] = _Told(self._subtask(outer, task.what, _parts(task)))
        return self._told.get(task)

    def _subtask(self, outer: _Told, name: str, parts: int | None) -> Any:
        """Open a context inside another."""
        outer.subtasks += 1
        context = outer.context.subcontext(task_name=name, max_subtasks=parts)
        return context.call_on_fit_task_begin(estimator=self._estimator)


def _is_subtask(task: Task, outer: _Told) -> bool:
    """Whether it is one of the subtasks that a callback expects of the task around it."""
    expected = outer.context.max_subtasks
    if expected is None:
        return True
    return (
        task.worth == 1
        and task.parent is not None
        and task.parent.total == expected
        and outer.subtasks < expected
    )


def _parts(task: Task) -> int | None:
    """Into how many subtasks a task is divided; None if that is not known."""
    if not task.total:
        return None
    return int(task.total) if task.total <= _STEPS and float(task.total).is_integer() else _STEPS


# ---- What users pass to fit: vectors of finite numbers, labels of a kind that can be classified,
# and weights

#: What a user may have meant by several labels for an object.
_ONE_COLUMN = (
    "Several labels for one object are not supported: pass one column, "
    f"{python('y.argmax(axis=1)')} of a one-hot matrix, or fit a classifier for each column "
    f"({python('sklearn.multioutput.MultiOutputClassifier')})."
)
#: Kinds of collections that may hold several labels.
_NESTED = (list, tuple, set, frozenset, np.ndarray)


@contextmanager
def without_names() -> Iterator[None]:
    """Ask a model that may know the names of columns about rows in their order, without them:
    scikit-learn does not warn of that.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "X does not have valid feature names", UserWarning)
        yield


def checked_vectors(
    estimator: Any, X: Objects, *, reset: bool, sparse: bool = False, missing: bool = False
) -> Any:
    """Check vectors with scikit-learn's rules; what it refuses is an error of this library, with
    the first value that is wrong. With ``missing``, NaN says that a number is missing.

    Examples
    --------
    >>> import wideberth
    >>> checked_vectors(wideberth.NeighborsClassifier(), [[1, 2], [3, float("inf")]], reset=True)
    Traceback (most recent call last):
    ...
    wideberth.errors.InvalidInput: Input X contains infinity ...: object 1 has the value inf at feature 1. Fill it in, or ...
    """
    if _holds_times(X) and not isinstance(sample.hold(X), np.ndarray):
        prepare_vectors(X)  # names the columns that hold no numbers
    if _holds_times(X):
        raise InvalidInput(
            "Vectors are rows of numbers; these hold dates or lengths of time, whose numbers depend "
            "on how they are stored: days, seconds, nanoseconds.",
            advice="Compare them column by column, metric 'gower', or convert them to numbers of days.",
            value=X,
        )
    try:
        return validate_data(
            estimator,
            X,
            dtype=np.float64,
            reset=reset,
            accept_sparse="csr" if sparse else False,
            ensure_all_finite="allow-nan" if missing else True,
        )
    except InvalidInput:
        raise
    except (ValueError, TypeError, OverflowError, RecursionError) as reason:
        if_missing = getattr(estimator, "if_missing", _LEFT_OUT)
        raise _vector_error(X, reason, if_missing) from None


def _holds_times(X: Objects) -> bool:
    """Whether an array, or a column of a frame, holds dates or lengths of time by its type."""
    held = getattr(X, "dtypes", ()) if hasattr(X, "columns") else [getattr(X, "dtype", None)]
    return any(
        getattr(each, "kind", None) in ("m", "M") or getattr(each, "is_temporal", bool)()
        for each in held
    )


#: The advice for a number that is not finite.
_LEFT_OUT = "Fill it in, or leave the object out."


def _vector_error(X: Objects, reason: Exception, if_missing: str) -> InvalidInput:
    """The error for vectors that scikit-learn refused: its first line, and the first value that is
    wrong where there is one.
    """
    said = str(reason).strip().partition("\n")[0].rstrip(".")
    if isinstance(reason, TypeError):
        if sample.several_columns(X):  # of dates, for example
            try:
                prepare_vectors(X)
            except InvalidInput as better:
                return better
        return WrongType(
            f"{said}.", advice="Pass rows of numbers; drop missing values first.", value=X
        )
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
        advice=if_missing if np.isnan(value) else _LEFT_OUT,
        witness=(row, feature),
        value=value,
    )


def _first_not_finite(X: Objects) -> tuple[int, int, float] | None:
    """The object, the feature and the value of the first number that is not finite; None if X is no
    table or has none.
    """
    if hasattr(X, "tocoo"):
        stored = X.tocoo()
        wrong = ~np.isfinite(np.asarray(stored.data, dtype=np.float64))
        rows, features, values = stored.row[wrong], stored.col[wrong], stored.data[wrong]
    else:
        table = (
            X.to_numpy(dtype=np.float64, na_value=np.nan)
            if hasattr(X, "iloc")
            else np.asarray(X, dtype=np.float64)
        )
        if table.ndim != 2:
            return None
        rows, features = np.nonzero(~np.isfinite(table))
        values = table[rows, features]
    if not len(rows):
        return None
    first = np.lexsort((features, rows))[0]
    return int(rows[first]), int(features[first]), float(values[first])


def code_targets(y: Any, n_objects: int) -> CodedLabels:
    """Check labels as users pass them to `fit`, and number their classes.

    A single column of shape (n, 1), or a list of lists of length 1, is flattened with
    scikit-learn's DataConversionWarning.

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
        raise InvalidInput(
            f"sample_weight is not an array of numbers: {reason}.",
            advice=advice,
            value=sample_weight,
        ) from None
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
            "All weights are zero: there are no objects to learn from.",
            advice="Give at least one a positive weight.",
            value=0.0,
        )
    return weights


def _one_column(y: Any) -> Any:
    """The labels as one column, or an `InvalidInput` if there are several."""
    shape = tuple(getattr(y, "shape", ()))
    if issparse(y) or len(shape) > 2 or (len(shape) == 2 and shape[1] != 1):
        raise InvalidInput(
            f"y has the shape {shape}, not one label for each object.",
            advice=_ONE_COLUMN,
            value=shape,
        )
    if hasattr(y, "__array__") and not _is_nullable(y):
        y = column_or_1d(y, warn=True)
    held = sample.hold(y)
    if not isinstance(held, np.ndarray) or held.dtype.kind != "O":
        return held
    if not any(isinstance(label, _NESTED) for label in held):
        return held
    if not all(
        isinstance(label, list | tuple | np.ndarray) and np.shape(label) == (1,) for label in held
    ):
        raise _several_labels(held)
    column = np.empty((len(held), 1), dtype=object)
    column[:, 0] = [label[0] for label in held]
    return column_or_1d(column, warn=True)


def _is_nullable(y: Any) -> bool:
    """Whether labels are a column or an array of pandas that may hold NA: scikit-learn would turn
    whole numbers into floats.
    """
    return hasattr(getattr(y, "dtype", None), "na_value")


def _several_labels(held: Any) -> InvalidInput:
    """The error that shows the first object with other than one label; of nested labels, the first
    if all have one.
    """
    nested = [position for position, label in enumerate(held) if isinstance(label, _NESTED)]
    position = next((position for position in nested if len(held[position]) != 1), nested[0])
    label = held[position]
    return InvalidInput(
        f"y holds {sample.shown(label)} for {at('object', position)}, not one label.",
        advice=_ONE_COLUMN,
        witness=position,
        value=label,
    )


class MetricEstimator(CallbackSupport, BaseEstimator):
    """Base of all estimators on a metric.

    X may be any sequence of objects that the metric measures, a matrix of distances with
    ``metric="precomputed"`` (square at fit, queries x training objects later), or ``space.index``
    with ``metric=space.metric`` for a `wideberth.MetricSpace`. A subclass that can be saved
    (`wideberth.save`) implements `state` and `restore`.
    """

    metric: Any
    metric_: Metric
    #: The classes of what a fitted one holds beside what many hold; readers that have to be told
    #: what to trust need them.
    holds: ClassVar[tuple[type, ...]] = ()
    #: The advice for missing numbers, where they are refused.
    if_missing: ClassVar[str] = (
        f"Fill it in, or choose a metric that takes missing numbers: {TAKING_GAPS}."
    )
    #: Whether vectors may be the rows of a sparse matrix.
    _accepts_sparse: ClassVar[bool] = False

    def admit_objects(
        self, X: Objects, labelled: Callable[[Objects], tuple[Any, Any]] | None = None
    ) -> Admitted:
        """Check the objects to learn from, at least one. The caller sets ``metric_`` when nothing
        can fail any more. ``labelled`` tells the labels and weights of checked objects to a metric
        that learns from them.
        """
        if self._accepts_vectors():
            X = self._checked_vectors(X, reset=True)
        given = self.metric if self.is_precomputed() else as_metric(self.metric)
        objects, metric = bind(
            X, given, None if labelled is None else functools.partial(labelled, X)
        )
        objects = self._prepare(objects, metric)
        if not sample.count(objects):
            raise InvalidInput(
                "There are no objects to learn from.", advice="Pass at least one.", value=0
            )
        return Admitted(objects, metric, metric is not given and not self.is_precomputed(), X)

    def admit_queries(self, X: Objects) -> Any:
        """Check objects that come after fit, and prepare them."""
        return self.admit_with_given(X)[0]

    def admit_with_given(self, X: Objects) -> tuple[Any, Any]:
        """Check objects that come after fit; return them prepared, and as they were after the
        checks of scikit-learn.
        """
        check_is_fitted(self)
        if self._accepts_vectors():
            X = self._checked_vectors(X, reset=False)
            if not self.metric_.knows_missing and not issparse(X) and np.isnan(X).any():
                X = self._without_missing(X)
        return self._prepare(X, self.metric_), X

    def _without_missing(self, X: Floats) -> Floats:
        """Vectors with missing numbers, where none was missing while the estimator learned; a child
        that has an answer to that overrides it.
        """
        return X

    def _checked_vectors(self, X: Objects, *, reset: bool) -> Any:
        sparse, missing = self._accepts_sparse, self._takes_missing()
        return checked_vectors(self, X, reset=reset, sparse=sparse, missing=missing)

    def _prepare(self, objects: Sample, metric: Metric) -> Any:
        """Prepare checked objects; a child that needs more of them than distances overrides it."""
        return metric.prepare(objects)

    def state(self) -> dict[str, Any]:
        """What was learned, except parameters, metric and labels, for a model file.

        Returns
        -------
        dict
            Plain values only: numbers, texts, arrays, and lists, tuples and dicts of them; under
            ``"objects"`` the prepared training objects that predictions need.
        """
        raise NotImplementedError

    def restore(self, state: dict[str, Any]) -> None:
        """Set what was learned from the values that `state` returned.

        Parameters, ``metric_`` and the ``classes_`` of a classifier are set already. The values
        come from a file: those that compiled code trusts are checked here, by the functions of
        ``estimators/restored_values.py``.
        """
        raise NotImplementedError

    def accepted_kind(self) -> Kind:
        """The kind of objects that X holds; only asked if X is no matrix of distances."""
        return as_metric(self.metric).accepts

    def _accepts_vectors(self) -> bool:
        return not self.is_precomputed() and self.accepted_kind() == "vectors"

    def _takes_missing(self) -> bool:
        """Whether values of objects may be missing: it depends on the metric, and on whether the
        estimator needs more of objects than distances.
        """
        return not self.is_precomputed() and as_metric(self.metric).takes_missing

    def is_precomputed(self) -> bool:
        return isinstance(self.metric, str) and self.metric == Precomputed.name

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.is_precomputed()
        tags.input_tags.two_d_array = self.is_precomputed() or self._accepts_vectors()
        tags.input_tags.sparse = self._accepts_sparse and self._accepts_vectors()
        tags.input_tags.allow_nan = self._takes_missing()
        tags.input_tags.string = (
            not tags.input_tags.two_d_array and self.accepted_kind() == "strings"
        )
        return tags
