"""Estimators report what they are doing: as `wideberth.progress` shows it, or to scikit-learn's callbacks."""

import functools
import inspect
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from wideberth.estimators.constraints import SHARED
from wideberth.progress import task, watch
from wideberth.progress.tasks import CURRENT, Task

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

    In ``fit``, the callbacks that were set by ``set_callbacks`` are told instead, where scikit-learn has them.

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
    return int(verbose) if SHARED["verbose"].value(verbose) else -1  # the method itself says what is wrong with it


def _called_back(estimator: Any, fit: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Fit an estimator, and tell its callbacks of every task."""
    given = inspect.signature(fit).bind(estimator, *args, **kwargs).arguments
    weights = given.get("sample_weight")
    data = {"X": given["X"], "y": given.get("y"), "metadata": None if weights is None else {"sample_weight": weights}}

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

    A callback counts equal subtasks. A task of at most 100 whole parts has as many subtasks: the tasks inside it that are worth
    one part, and a leaf for every other part that is done. Any other task that knows its total has a hundred leaves. Tasks that
    are not part of the total of the task around them are not told, and neither are those that take less than two seconds: a
    progress bar of scikit-learn shows a line for each.

    Parameters
    ----------
    estimator : estimator
        Its callbacks are told.
    context : sklearn.callback.CallbackContext
        Stands for the outermost task.
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
            for _ in range(told.subtasks, int(min(1.0, task.done / task.total) * told.context.max_subtasks)):
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
        """What callbacks know of a task, after those around it and itself have been told; None if they are not to know it."""
        if task not in self._told:
            if task.parent is None:
                self._told[task] = _Told(self._outermost)
            elif task.clock() - task.started >= watch.PATIENCE:
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
    return task.worth == 1 and task.parent is not None and task.parent.total == expected and outer.subtasks < expected


def _parts(task: Task) -> int | None:
    """Into how many subtasks a task is divided; None if that is not known."""
    if not task.total:
        return None
    return int(task.total) if task.total <= _STEPS and float(task.total).is_integer() else _STEPS
