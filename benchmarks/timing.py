"""Times of two rivals, taken in turns, because these machines are noisy: what counts is the ratio
in one run.
"""

import ctypes
import gc
import os
import resource
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

Result = TypeVar("Result")
#: Usually ``time.process_time``: what all cores did for this process alone, whoever else works on
#: the machine.
Clock = Callable[[], float]


@dataclass(frozen=True)
class Duel:
    """The best times of both, in seconds, and how many times as long ours takes."""

    ours: float
    peer: float

    @property
    def ratio(self) -> float:
        return self.ours / self.peer


def duel(
    ours: Callable[[], object],
    peer: Callable[[], object],
    *,
    rounds: int = 7,
    clock: Clock = time.process_time,
) -> Duel:
    """Run both once to warm up, then in turns, and keep the best time of each."""
    ours(), peer()
    best_ours = best_peer = float("inf")
    for _ in range(rounds):
        best_ours = min(best_ours, seconds(ours, clock)[0])
        best_peer = min(best_peer, seconds(peer, clock)[0])
    return Duel(best_ours, best_peer)


def seconds(run: Callable[[], Result], clock: Clock = time.process_time) -> tuple[float, Result]:
    """How long one run takes, and what it returns."""
    started = clock()
    result = run()
    return clock() - started, result


def peak_memory(run: Callable[[], object]) -> int:
    """How many bytes beyond those held before a run takes at its peak, on Linux: the kernel's
    high-water mark, set back first. What was freed before is given back to the system, so that it
    does not count as held.
    """
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5")
    before = _memory("VmRSS")
    run()
    return _memory("VmHWM") - before


def _memory(field: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith(field))


@dataclass(frozen=True)
class Ended:
    """A command that has ended: its exit code, the seconds of all cores from its start to its end,
    and what it wrote to both streams.
    """

    code: int
    seconds: float
    printed: str
    remarks: str


def ended(
    command: Sequence[str],
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
) -> Ended:
    """Run a command, in a folder, to its end."""
    before = _cpu_of_children()
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=folder)
    return Ended(done.returncode, _cpu_of_children() - before, done.stdout, done.stderr)


def cpu_of_command(
    command: list[str], environment: Mapping[str, str] | None = None
) -> tuple[float, str]:
    """The seconds of all cores for a command that must end well, and what it printed."""
    found = ended(command, environment)
    if found.code:
        raise subprocess.CalledProcessError(found.code, command, found.printed, found.remarks)
    return found.seconds, found.printed


def cpu_of_process(pid: int) -> float:
    """The seconds of all cores that a process has taken so far, on Linux; 0 if it has ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except FileNotFoundError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def digits(number: float) -> str:
    """Three digits that count, so that short times do not round to 0.

    >>> digits(0.000123456), digits(12.3456), digits(123456.7)
    ('0.000123', '12.3', '123,457')
    """
    return f"{number:.3g}" if number < 1000 else f"{number:,.0f}"


def number(shown: str) -> float:
    """The number that a cell of a table shows."""
    return float(shown.replace(",", ""))


def tables(
    title: str, words: dict[str, tuple[str, list[str]]], parts: dict[str, list[list[str]]]
) -> str:
    """A page of parts: for each its words and its table, whose head comes with the words."""
    lines = [title]
    for name, body in parts.items():
        text, head = words[name]
        lines += [f"## {name}", text, table(head, body)]
    return "\n\n".join(lines) + "\n"


def table(head: list[str], rows: list[list[str]]) -> str:
    """A table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
