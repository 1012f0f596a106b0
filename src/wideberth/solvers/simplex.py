"""HiGHS's simplex method, started again and again from where it stood, and stopped by a deadline or by Ctrl-C."""

import time
from typing import Any

import highspy

#: Seconds between two looks at whether somebody pressed Ctrl-C.
_WAIT = 0.2
#: One thread, because the simplex method uses no more; no presolve, because it would throw away the basis.
_OPTIONS: dict[str, Any] = {
    "output_flag": False,
    "solver": "simplex",
    "presolve": "off",
    "threads": 1,
    "primal_feasibility_tolerance": 1e-9,
    "dual_feasibility_tolerance": 1e-9,
}


def empty_program() -> Any:
    """A linear program of HiGHS without variables and rows, ready for warm starts."""
    highs: Any = highspy.Highs()  # type: ignore[no-untyped-call]
    for option, value in _OPTIONS.items():
        highs.setOptionValue(option, value)
    highs.HandleUserInterrupt = True
    return highs


def solved(highs: Any, deadline: float) -> bool:
    """Solve it; whether that ended before ``deadline``, a time of ``time.monotonic``.

    HiGHS runs in a thread of its own, because it does not hear Ctrl-C; stopping it in between would cost its prices.
    """
    left = deadline - time.monotonic()
    if left <= 0:
        return False
    highs.setOptionValue("time_limit", min(highs.getRunTime() + left, highspy.kHighsInf))
    highs.startSolve()
    try:
        while not highs.wait(_WAIT)[0]:
            pass
    except KeyboardInterrupt:
        highs.cancelSolve()
        highs.wait()
        raise
    return bool(highs.getModelStatus() != highspy.HighsModelStatus.kTimeLimit)
