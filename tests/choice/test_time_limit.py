"""The time limit counts work: a busy machine, a cold cache and worker processes change no choice."""

import json
import os
import subprocess
import sys
import time
from types import SimpleNamespace

import numpy as np
import pytest
from child_process import run
from sklearn.model_selection import StratifiedKFold

from wideberth import AutoClassifier, compilation
from wideberth.choice import time_limit
from wideberth.choice.time_limit import work_clock
from wideberth.compilation import Preparation, preparation
from wideberth.geometry.measure import parallel


class Machine:
    """What a process can read of its work, which goes on by ``step`` with every look at it.

    A machine that is ``busy`` lets that much more time of the clock pass; a ``cold`` one compiles
    for so long before the third look.
    """

    def __init__(self, monkeypatch, *, busy=1.0, cold=0.0, step=1 / 64, others=0.0, waited=0.0):
        self.busy, self.cold, self.step, self.others, self.waited = busy, cold, step, others, waited
        self.looks = 0
        clock = SimpleNamespace(thread_time=self.thread_time, monotonic=self.monotonic)
        monkeypatch.setattr(time_limit, "time", clock)
        monkeypatch.setattr(time_limit, "preparation", self.preparation)
        monkeypatch.setattr(time_limit, "processor_seconds", self.processor_seconds)
        monkeypatch.setattr(time_limit, "seconds_waited", lambda: self.waited * self.looks)

    @property
    def compiled(self):
        return self.cold if self.looks >= 3 else 0.0

    def thread_time(self):
        self.looks += 1
        return self.step * self.looks + self.compiled

    def monotonic(self):
        return self.busy * (self.step * self.looks + self.compiled)

    def preparation(self):
        return Preparation(self.compiled, self.compiled, self.busy * self.compiled)

    def processor_seconds(self):
        return (self.step + self.others) * self.looks


def points(n=60, seed=0):
    rng = np.random.default_rng(seed)
    sides = rng.integers(0, 2, n)
    return np.column_stack([sides + rng.normal(0, 0.5, n), rng.normal(size=n)]), sides


def words(n=40):
    rng = np.random.default_rng(1)
    letters = rng.choice(list("acgt"), size=(n, 6))
    return ["".join(row) for row in letters], np.isin(letters[:, 2], ["a", "c"])


SLOW = {"busy": 2.5}
COLD = {"cold": 128.0}


@pytest.mark.parametrize(
    ("objects", "metrics"),
    [(points, ["manhattan", "euclidean", "chebyshev"]), (words, ["hamming", "levenshtein"])],
)
def test_the_table_is_the_same_idle_and_busy_cold_and_warm(objects, metrics, monkeypatch):
    X, y = objects()

    folds = list(StratifiedKFold(3).split(X, y))

    def told(max_time=0.2, **machine):
        Machine(monkeypatch, **machine)
        model = AutoClassifier(
            metrics, candidates="neighbors", cv=folds, max_time=max_time, random_state=0
        )
        model.fit(X, y)
        return model.leaderboard_, model.choice_

    idle = told()
    assert told(**SLOW) == told(**COLD) == told(**SLOW, **COLD) == idle
    assert "For lack of time" in idle[1]  # so that time decided
    assert told(max_time=None) != idle
    assert told(others=0.1) != idle  # work of other threads counts


def test_work_is_what_an_idle_machine_would_take(monkeypatch):
    for machine, seconds in [
        ({"step": 1.0}, 1.0),
        ({"step": 1.0, "others": 4.0}, 3.0),  # two cores share it
        ({"step": 1.0, "waited": 5.0}, 6.0),
        ({"step": 1.0, "busy": 5.0}, 1.0),
        ({"step": 1.0, "busy": 30.0}, 3.0),  # it waits for something: a tenth counts
        ({"step": 1.0, "busy": 9.0, "cold": 1e4}, 1.0),
    ]:
        Machine(monkeypatch, **machine)
        clock = work_clock(2)
        clock()
        assert clock() == pytest.approx(2 * seconds), machine


def test_compiling_counts_once_however_it_is_nested():
    before, started = preparation(), time.thread_time()
    compilation._begin_preparing()
    compilation._begin_preparing()
    sum(range(200_000))
    compilation._end_preparing()
    assert preparation() == before  # it is not over
    compilation._end_preparing()
    spent, after = time.thread_time() - started, preparation()
    assert 0 < after.own - before.own <= spent
    assert after.own - before.own == pytest.approx(after.all_threads - before.all_threads)
    assert after.by_the_clock > before.by_the_clock


@pytest.mark.slow
def test_work_elsewhere_is_counted():
    before = parallel.seconds_waited()
    answer = parallel._Counted(lambda n: sum(range(n)))(200_000)
    assert answer.result == sum(range(200_000))
    assert 0 < answer.seconds < 10
    slow = (time.sleep(0.01) or number for number in range(2))
    assert list(parallel._by_the_clock(slow)) == [0, 1]
    assert parallel.seconds_waited() - before >= 0.02


#: A choice whose work takes two or three seconds, by a limit that is several times as long, and its
#: table without what was measured by a clock.
_CHOICE = """
import json
import sys

import numpy as np

from wideberth import AutoClassifier, datasets

rng = np.random.default_rng(0)
if sys.argv[1] == "vectors":
    y = rng.integers(0, 3, 240)
    X, metrics = rng.normal(size=(240, 3)) + y[:, None], "auto"
else:
    names, sexes = datasets.load_first_names()
    chosen = rng.permutation(len(names))[:150]
    X, y = [names[each] for each in chosen], np.asarray(sexes)[chosen]
    metrics = ["levenshtein", "ngrams"]
model = AutoClassifier(metrics, max_time=float(sys.argv[2]), random_state=0, verbose=-1).fit(X, y)
timed = ("fit_seconds", "answer_microseconds")
table = [{k: v for k, v in row.items() if k not in timed} for row in model.leaderboard_]
print(json.dumps([table, model.choice_]))
"""
_BUSY = "while True: pass"


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["vectors", "strings"])
def test_real_processes_have_the_same_table_beside_busy_loops_and_with_a_cold_cache(kind, tmp_path):
    def told(cache):
        done = run(
            [sys.executable, "-c", _CHOICE, kind, "15"],
            cpu_seconds=600,
            env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / cache)},
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    cold = told("idle")  # compiling takes longer than the limit
    warm = told("idle")
    busy = [subprocess.Popen([sys.executable, "-c", _BUSY]) for _ in range(3)]
    try:
        busy_warm, busy_cold = told("idle"), told("beside")
    finally:
        for each in busy:
            each.kill()
            each.wait()
    assert cold == warm == busy_warm == busy_cold
    assert "For lack of time" not in warm[1]
