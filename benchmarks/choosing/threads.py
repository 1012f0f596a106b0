"""The classifiers that choose with the threads they take by default, beside one thread: a second
core must not slow them down.
"""

import sys
import time
import warnings

from threadpoolctl import threadpool_limits

from benchmarks.choosing.samples import LEARNED, cuts
from benchmarks.choosing.speed import OURS, TITLES
from benchmarks.results import Facts
from benchmarks.timing import duel, table

SET, ROUNDS = "words", 3
HEAD = ["ours", "default threads, s", "one thread, s", "default / one"]


def measure() -> Facts:
    """Wall times, the best of a few in turns: the question is how long a user waits."""
    cut = next(cuts(SET, 1))
    found = {}
    for name, make in OURS.items():
        default, single = make(cut.metric), make(cut.metric).set_params(n_jobs=1)

        def alone(single=single) -> None:
            with threadpool_limits(1):
                single.fit(cut.objects, cut.labels)

        try:
            with warnings.catch_warnings(action="ignore"):
                times = duel(
                    lambda default=default: default.fit(cut.objects, cut.labels),
                    alone,
                    rounds=ROUNDS,
                    clock=time.perf_counter,
                )
        except ValueError:  # no kernel of this distance is valid without a repair
            continue
        found[name] = {"default": times.ours, "one": times.peer}
        print(name, found[name], file=sys.stderr, flush=True)
    return found


def page(facts: Facts) -> str:
    rows = [
        [
            f"`{TITLES[name]}`",
            f"{times['default']:.2f}",
            f"{times['one']:.2f}",
            f"{times['default'] / times['one']:.2f}",
        ]
        for name, times in facts.items()
    ]
    return f"## Threads\n\n{WORDS}\n\n{table(HEAD, rows)}"


WORDS = f"""\
Seconds that a user waits for {LEARNED:,} {SET}, the best of {ROUNDS} runs in turns: with the threads that are taken by default,
and with `n_jobs=1` and one thread for linear algebra. Elsewhere on this page all times are those of one thread."""
