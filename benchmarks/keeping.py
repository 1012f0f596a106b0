"""Outcomes kept on disk, so that a run that was stopped goes on where it stood, and a limit on the
time of a run.

An outcome is kept under the digest of the sources that its benchmark speaks of: where those change,
it is measured again.
"""

import hashlib
import json
import resource
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

from benchmarks import folders
from benchmarks.sources import digests

Facts = Any


class _Run:
    """The limit of the run, and what happened since the last benchmark began."""

    deadline = float("inf")
    anew = False
    spent_before = 0.0
    lacking: ClassVar[list[str]] = []


def limit(minutes: float) -> None:
    """Begin no outcome later than so many minutes from now."""
    _Run.deadline = time.monotonic() + 60 * minutes


def minutes_left() -> float:
    """Until the limit; infinite if there is none."""
    return (_Run.deadline - time.monotonic()) / 60


def out_of_time() -> bool:
    """Whether the limit has passed."""
    return minutes_left() < 0


def begin() -> None:
    """Forget what was noted for the benchmark before."""
    _Run.spent_before, _Run.lacking = 0.0, []


def measure_anew() -> None:
    """Neither use nor keep outcomes, in this process."""
    _Run.anew = True


def noted() -> dict[str, Facts]:
    """The seconds of CPU of outcomes that were there before, and the outcomes that there was no
    time for.
    """
    return {"spent_before": _Run.spent_before, "lacking": list(_Run.lacking)}


def kept(benchmark: str, name: str, measure: Callable[[], Facts]) -> Facts | None:
    """What ``measure`` finds, now or in a run before; None if there is no time for it any more."""
    if _Run.anew:
        return json.loads(json.dumps(measure(), default=plain))
    path = folder_of(benchmark) / f"{name}.json".replace("/", ":")
    if path.exists():
        stored = json.loads(path.read_text(encoding="utf-8"))
        _Run.spent_before += stored["cpu"]
        return stored["found"]
    if out_of_time():
        _Run.lacking.append(name)
        return None
    started = cpu_seconds()
    found = measure()
    path.parent.mkdir(parents=True, exist_ok=True)
    written = path.with_suffix(".part")
    written.write_text(
        json.dumps({"cpu": cpu_seconds() - started, "found": found}, default=plain),
        encoding="utf-8",
    )
    written.replace(path)
    return json.loads(path.read_text(encoding="utf-8"))["found"]


def cpu_seconds() -> float:
    """Of this process and of those that it has waited for."""
    return sum(
        sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )


def plain(value: Any) -> Facts:
    """The Python value of a scalar or an array of NumPy."""
    return value.tolist()


def folder_of(benchmark: str) -> Path:
    """Where its outcomes are kept, with the sources as they are now."""
    from benchmarks.plan import PLAN

    told = json.dumps(digests(PLAN[benchmark].sources), sort_keys=True)
    return folders.KEPT / benchmark / hashlib.sha256(told.encode()).hexdigest()[:12]
