"""Two sets of results side by side: the rows whose ratio or difference to their peer changed beyond
noise.
"""

import json
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from math import hypot, log
from pathlib import Path
from typing import Any

from benchmarks.folders import RESULTS, ROOT
from benchmarks.rows import NOISE, TIMING_NOISE, Row, all_rows
from benchmarks.timing import table

Results = dict[str, Any]


@dataclass(frozen=True)
class Change:
    """The same row in two results."""

    before: Row
    after: Row

    @property
    def size(self) -> float:
        """Of shares, the change of our number; of times and rates, that of the logarithm of the
        ratio to the peer's.
        """
        if self.before.is_share:
            return self.after.ours - self.before.ours
        return log(self.after.ratio / self.before.ratio)

    @property
    def noise(self) -> float:
        """One standard error of the change, from those stored with both."""
        found = [_noise(row) for row in (self.before, self.after)]
        return hypot(*found)

    @property
    def is_beyond_noise(self) -> bool:
        return abs(self.size) > NOISE * self.noise

    @property
    def is_better(self) -> bool:
        return (self.size > 0) == self.after.unit.endswith("right")


def _noise(row: Row) -> float:
    if row.is_share:
        return row.noise if row.own_noise is None else row.own_noise
    return max(row.noise, TIMING_NOISE)


def results(where: str) -> Results:
    """All results of a folder, or of a revision of git."""
    folder = Path(where)
    if folder.is_dir():
        return {
            path.stem: json.loads(path.read_text(encoding="utf-8"))
            for path in sorted(folder.glob("*.json"))
        }
    inside = RESULTS.relative_to(ROOT).as_posix()
    listed = _git("ls-tree", "-r", "--name-only", where, "--", inside).split()
    return {
        Path(path).stem: json.loads(_git("show", f"{where}:{path}"))
        for path in listed
        if path.endswith(".json")
    }


def _git(*command: str) -> str:
    done = subprocess.run(["git", *command], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(
            f"{command[-1]!r} is neither a folder of results nor a revision that git has: "
            f"{done.stderr.strip()}"
        )
    return done.stdout


def changes(before: Results, after: Results) -> Iterator[Change]:
    """The rows that both have."""
    there = {row.key: row for _, row in all_rows(before)}
    for _, row in all_rows(after):
        if row.key in there:
            yield Change(there[row.key], row)


def compared(before: str, after: str) -> str:
    """What changed beyond noise, in words."""
    return told(results(before), results(after))


def told(before: Results, after: Results) -> str:
    found = list(changes(before, after))
    beyond = [each for each in found if each.is_beyond_noise]
    machines = {
        json.dumps(each["circumstances"]["machine"], sort_keys=True)
        for each in (*before.values(), *after.values())
    }
    note = (
        ""
        if len(machines) == 1
        else "\nThe machines differ; ratios to peers of one run are what can be compared.\n"
    )
    words = f"{len(found)} rows in both, {len(beyond)} beyond {NOISE:g} standard errors.{note}"
    head = ["row", "unit", "before", "after", "change", "noise", ""]
    return f"{words}\n\n{table(head, [_line(each) for each in beyond])}" if beyond else words


def _line(change: Change) -> list[str]:
    before, after = change.before, change.after
    numbers = [before.ours, after.ours] if before.is_share else [before.ratio, after.ratio]
    unit = before.unit if before.is_share else f"{before.unit}, over {before.peer}"
    word = "better" if change.is_better else "worse"
    return [
        before.key,
        unit,
        *(f"{each:.3g}" for each in numbers),
        f"{change.size:+.2g}",
        f"{change.noise:.2g}",
        word,
    ]
