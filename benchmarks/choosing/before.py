"""The same as the first sections, measured at an earlier commit: before folds were answered by
compiled code.

There is nothing to measure here any more; the results name the commit at which they can be measured
again.
"""

from benchmarks.choosing.speed import table_beside_grid
from benchmarks.results import Facts

WORDS = """\
The tables above as they were when every candidate of every fold was fitted like the winner; `LPMachineClassifierCV` on the first
cut alone."""


def page(facts: Facts) -> str:
    most = table_beside_grid(["svm", "svm-repaired", "lipschitz"], facts["most"])
    return f"## Before\n\n{WORDS}\n\n{most}\n\n{table_beside_grid(['lp'], facts['lp'])}"
