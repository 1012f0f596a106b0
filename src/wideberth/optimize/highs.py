"""The names of HiGHS that programs use: highspy's, or where it is not installed those that scipy's
HiGHS stands behind.

highspy has no wheels for the newest and for the free-threaded Pythons. Everybody takes its names
from here; the first program then says that it will take longer.
"""

import math
from typing import Any

from wideberth.errors import SlowSolverWarning, warn_user

#: What HiGHS takes for no bound.
INFINITY = math.inf
Highs: Any
Basis: Any
BasisStatus: Any
ModelStatus: Any

try:
    import highspy
except ModuleNotFoundError as missing:
    if missing.name != "highspy":
        raise
    from wideberth.optimize import cold_highs

    HAS_HIGHSPY = False
    Highs, Basis = cold_highs.ColdHighs, cold_highs.Basis
    BasisStatus, ModelStatus = cold_highs.BasisStatus, cold_highs.ModelStatus
else:
    HAS_HIGHSPY = True
    Highs, Basis = highspy.Highs, highspy.HighsBasis
    BasisStatus, ModelStatus = highspy.HighsBasisStatus, highspy.HighsModelStatus


def say_that_it_is_slow() -> None:
    """Warn where highspy is missing; Python shows it once for each line of the user's code."""
    if not HAS_HIGHSPY:
        warn_user(
            "The package highspy is not installed: linear programs are solved by the HiGHS inside "
            "scipy, which finds optima of the same value, but starts every round from nothing and "
            "takes longer.",
            SlowSolverWarning,
        )
