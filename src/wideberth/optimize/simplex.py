"""HiGHS's simplex method, started again and again from where it stood, and stopped by a deadline or by Ctrl-C."""

import threading
import time
from typing import Any

import highspy

from wideberth.errors import UnsolvedProgram
from wideberth.rounding import SOLVER_ERROR

#: HiGHS's numbers for the dual and the primal simplex method.
DUAL, PRIMAL = 1, 4
#: Seconds between two looks at whether somebody pressed Ctrl-C.
_WAIT = 0.2
#: One thread, because the simplex method uses no more; no presolve, because it would throw away the basis.
_OPTIONS: dict[str, Any] = {
    "output_flag": False,
    "solver": "simplex",
    "presolve": "off",
    "threads": 1,
    "primal_feasibility_tolerance": SOLVER_ERROR,
    "dual_feasibility_tolerance": SOLVER_ERROR,
}


def empty_program() -> Any:
    """A linear program of HiGHS without variables and rows, ready for warm starts."""
    highs: Any = highspy.Highs()  # type: ignore[no-untyped-call]
    for option, value in _OPTIONS.items():
        highs.setOptionValue(option, value)
    highs.HandleUserInterrupt = True
    return highs


def solved(highs: Any, deadline: float, method: int = DUAL) -> bool:
    """Solve a program that has an optimum; whether it was found before ``deadline``, a time of ``time.monotonic``.

    If ``method`` does not find it from the last basis, the other method begins from nothing, and then ``method`` itself: where
    one loses its way the other seldom does. An `UnsolvedProgram` says that all of it was in vain.
    """
    for attempt, each in enumerate((method, PRIMAL if method == DUAL else DUAL, method)):
        if attempt:
            highs.clearSolver()
        highs.setOptionValue("simplex_strategy", each)
        if not _ended(highs, deadline):
            return False
        if highs.getModelStatus() == highspy.HighsModelStatus.kOptimal:
            return True
    raise _unsolved(highs)


def _ended(highs: Any, deadline: float) -> bool:
    """Run the simplex method; whether it came to an end before the deadline.

    HiGHS runs in a thread of its own, because it does not hear Ctrl-C; stopping it in between would cost its prices. The
    thread is ours, because that of ``highspy.Highs.startSolve`` takes locks that all programs of a process share: of two
    programs in two threads the second would fail.
    """
    left = deadline - time.monotonic()
    if left <= 0:
        return False
    highs.setOptionValue("time_limit", min(highs.getRunTime() + left, highspy.kHighsInf))
    running = threading.Thread(target=highs.run, name="HiGHS", daemon=True)
    try:
        running.start()
        while running.is_alive():
            running.join(_WAIT)
    except KeyboardInterrupt:
        highs.cancelSolve()
        while running.is_alive():
            running.join(_WAIT)
        raise
    return bool(highs.getModelStatus() != highspy.HighsModelStatus.kTimeLimit)


def _unsolved(highs: Any) -> UnsolvedProgram:
    status = highs.modelStatusToString(highs.getModelStatus())
    return UnsolvedProgram(
        f"HiGHS found no optimum of a linear program that has one, of {highs.getNumCol():,} variables and "
        f"{highs.getNumRow():,} rows, and said {status!r}: it lost its accuracy.",
        advice="Distances or weights that differ by many orders of magnitude do this: cap them, or take a smaller C.",
        status=status,
    )
