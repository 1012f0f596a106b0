"""What a second core brings to metrics that take long for a pair. The machine must have nothing
else to do.
"""

import sys
import time

import wideberth as wb
from benchmarks.distances.rivals import RIVALS, Rival
from benchmarks.results import Facts
from benchmarks.timing import duel, seconds, table
from wideberth.objects import sample

#: Seconds that one core works on a block.
LONG = 1.0
#: Metrics for which a second core is worth while, as they take microseconds for a pair and more.
SLOW = ("msm", "dtw", "erp", "twe", "earth_mover", "tree_edit", "hausdorff")


def lines() -> list[list[str]]:
    """A line for each slow metric and kind of object, whatever library it is beside."""
    chosen = {(rival.metric, rival.what): rival for rival in RIVALS if rival.metric in SLOW}
    return [row(rival) for rival in chosen.values()]


def row(rival: Rival) -> list[str]:
    ready, metric, _ = rival.bound()
    some = sample.pick(ready, slice(0, 40))
    metric.block(some, some)  # compiled code is loaded before it is timed
    side = min(
        sample.count(ready), int(40 * (LONG / seconds(lambda: metric.block(some, some))[0]) ** 0.5)
    )
    few = sample.pick(ready, slice(0, side))
    both = duel(
        lambda: wb.pairwise_distances(few, few, metric, n_jobs=2),
        lambda: wb.pairwise_distances(few, few, metric, n_jobs=1),
        rounds=3,
        clock=time.perf_counter,
    )
    line = [rival.metric, rival.what, f"{1 / both.ratio:.2f}"]
    print(*line, file=sys.stderr, flush=True)
    return line


def measure() -> Facts:
    return {"rows": lines()}


def page(facts: Facts) -> str:
    return "\n".join(
        [
            "# The second core",
            "",
            "From `make bench` (`python -m benchmarks cores`): how many times faster "
            "`pairwise_distances` is on two cores than",
            "on one, where a pair takes long; best of several runs in turns.",
            "",
            table(["metric", "objects", "times faster on two cores"], facts["rows"]),
            "",
        ]
    )
