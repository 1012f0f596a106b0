"""The simplex method of HiGHS: warm starts after every change of a program, stopped by a deadline
or by Ctrl-C.

A program is kept as a ``highspy.Highs`` object, changed by its own methods (``addRows``,
``changeColsBounds``...) and solved by `solved`. The last basis stays in it, so that few pivots are
needed after a small change.
"""

import atexit
import threading
import time
from typing import Any

from wideberth.errors import UnsolvedProgram
from wideberth.optimize.highs import INFINITY, Highs, ModelStatus, say_that_it_is_slow
from wideberth.progress import doing
from wideberth.rounding import SOLVER_ERROR

#: The numbers that HiGHS has for the dual and the primal simplex method.
DUAL, PRIMAL = 1, 4
#: Seconds between two checks for Ctrl-C.
_WAIT = 0.2
#: The program that each thread of HiGHS solves right now.
_solving: dict[threading.Thread, Any] = {}
#: One thread, because the simplex method uses no more; no presolve, because it would discard the
#: basis.
_OPTIONS: dict[str, Any] = {
    "output_flag": False,
    "solver": "simplex",
    "presolve": "off",
    "threads": 1,
    "primal_feasibility_tolerance": SOLVER_ERROR,
    "dual_feasibility_tolerance": SOLVER_ERROR,
}


def empty_program() -> Any:
    """A linear program without variables and rows, with the options for warm starts.

    It minimises. Feasibility tolerances are 1e-9, and it prints nothing.

    Examples
    --------
    Minimise x subject to x >= 3:

    >>> highs = empty_program()
    >>> status = highs.addVar(3.0, INFINITY), highs.changeColCost(0, 1.0)
    >>> solved(highs, deadline=float("inf")), highs.getObjectiveValue()
    (True, 3.0)
    """
    say_that_it_is_slow()
    highs = Highs()
    for option, value in _OPTIONS.items():
        highs.setOptionValue(option, value)
    return highs


@doing("simplex method")
def solved(highs: Any, deadline: float, method: int = DUAL) -> bool:
    """Solve a program that is known to have an optimum.

    The simplex method starts from the last basis. If it ends without an optimum, which is a failure
    of its arithmetic, the other variant is tried without a basis, and then ``method`` without a
    basis.

    The program is feasible and bounded; the solution is read from it afterwards. The dual method is
    for new rows or other bounds, the primal one if a feasible point is known. False if the
    ``deadline``, a time of ``time.monotonic``, came first; `UnsolvedProgram` if no attempt found
    the optimum.
    """
    for attempt, strategy in enumerate((method, PRIMAL if method == DUAL else DUAL, method)):
        if attempt:
            highs.clearSolver()
        highs.setOptionValue("simplex_strategy", strategy)
        if not _run(highs, deadline):
            return False
        if highs.getModelStatus() == ModelStatus.kOptimal:
            return True
    raise _unsolved(highs)


def _run(highs: Any, deadline: float) -> bool:
    """Run the simplex method; False if the deadline stopped it.

    HiGHS runs in a thread of its own, because it does not notice Ctrl-C. It is not interrupted and
    resumed to check for Ctrl-C, because it would lose its prices each time. The thread is started
    here, because that of ``highspy.Highs.startSolve`` takes locks that all programs of a process
    share: of two programs in two threads the second would fail.
    """
    left = deadline - time.monotonic()
    if left <= 0:
        return False
    highs.setOptionValue("time_limit", min(highs.getRunTime() + left, INFINITY))

    def run() -> None:
        _solving[running] = highs
        highs.run()

    running = threading.Thread(target=run, name="HiGHS", daemon=True)
    highs.HandleUserInterrupt = True
    try:
        running.start()
        _wait_for(running)
    except KeyboardInterrupt:
        highs.cancelSolve()
        _wait_for(running)
        raise
    finally:
        # a program that can be interrupted refers to itself, and its memory, a hundred bytes an
        # entry, would wait for the next search for garbage
        if not running.is_alive():
            highs.HandleUserInterrupt = False
    return bool(highs.getModelStatus() != ModelStatus.kTimeLimit)


def _wait_for(running: threading.Thread) -> None:
    """Wait until HiGHS has ended, and notice Ctrl-C meanwhile."""
    while running.is_alive():
        running.join(_WAIT)
    _solving.pop(running, None)


@atexit.register
def _cancel_all() -> None:
    """Stop what is still being solved when the process ends: after a second Ctrl-C, or in threads
    that nobody waits for.

    HiGHS aborts a process that ends under it.
    """
    while _solving:
        running, highs = next(iter(_solving.items()))
        highs.cancelSolve()
        running.join()
        _solving.pop(running, None)


def _unsolved(highs: Any) -> UnsolvedProgram:
    """The error for a program without an optimum after all attempts, with its size and the status
    of HiGHS.
    """
    status = highs.modelStatusToString(highs.getModelStatus())
    return UnsolvedProgram(
        "HiGHS did not find the optimum of a linear program that has one, of "
        f"{highs.getNumCol():,} variables and {highs.getNumRow():,} rows, and stopped with "
        f"{status!r}: rounding errors became too large.",
        advice="Distances or weights that differ by many orders of magnitude cause this: cap them, "
        "or pass a smaller C.",
        status=status,
    )
