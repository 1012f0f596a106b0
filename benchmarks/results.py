"""What a benchmark found, with the machine, the versions and the commit it was found with, in one
JSON file a benchmark.
"""

import datetime
import json
import os
import platform
import re
import subprocess
import tomllib
from collections.abc import Callable, Iterable
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import Any

from benchmarks import keeping
from benchmarks.folders import RESULTS, ROOT
from benchmarks.outside_data import missing
from benchmarks.sources import digests

#: Plain values, as JSON holds them.
Facts = Any
#: What decides what a benchmark measures. Results and pages do not: writing one does not make the
#: next one unclean.
SOURCES = ["src", "benchmarks/*.py", "pyproject.toml"]


def taken(
    measure: Callable[[], Facts], sources: Iterable[str] = (), data: Iterable[str] = ()
) -> dict[str, Facts]:
    """What ``measure`` finds and the circumstances, as they are when it starts, in the plain values
    that a file gives back.

    The circumstances hold digests of the ``sources`` that the benchmark speaks of, the names of
    ``data`` that are missing, the minutes of CPU that it took, in runs before this one too, and the
    outcomes that there was no time for.
    """
    told = circumstances() | {"sources": digests(sources), "missing": missing(data)}
    keeping.begin()
    before = keeping.cpu_seconds()
    facts = measure()
    noted = keeping.noted()
    spent = (keeping.cpu_seconds() - before + noted["spent_before"]) / 60
    found = {
        "circumstances": told | {"cpu_minutes": round(spent, 2), "lacking": noted["lacking"]},
        "facts": facts,
    }
    return dict(json.loads(json.dumps(found, default=keeping.plain)))


def circumstances() -> dict[str, Facts]:
    """The date, the commit and whether the sources are as in it, the machine, and the versions of
    Python and of packages.
    """
    changed = _git("status", "--porcelain", "--", *SOURCES)
    return {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "commit": _git("rev-parse", "HEAD"),
        "changed": changed != "",
        "machine": {
            "processor": _processor(),
            "cores": os.cpu_count(),
            "system": f"{platform.system()} {platform.release()}",
        },
        "versions": {"python": platform.python_version(), **_versions()},
    }


def stored(name: str) -> dict[str, Facts] | None:
    """The results of a benchmark, None if it was not run yet."""
    path = _path(name)
    return dict(json.loads(path.read_text(encoding="utf-8"))) if path.exists() else None


def store(name: str, found: dict[str, Facts], folder: Path | None = None) -> None:
    """Write results, to another folder on request."""
    path = _path(name) if folder is None else folder / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def footer(circumstances: dict[str, Facts]) -> str:
    """The circumstances in a sentence."""
    machine = circumstances["machine"]
    versions = ", ".join(f"{name} {number}" for name, number in circumstances["versions"].items())
    changed = " and changes that were not committed" if circumstances["changed"] else ""
    absent, lacking = circumstances.get("missing", []), circumstances.get("lacking", [])
    left_out = (
        f" Rows are missing, as their data were not there: {', '.join(absent)}." if absent else ""
    )
    unfinished = (
        f" There was no time for {len(lacking)} outcomes: {_some(lacking)}." if lacking else ""
    )
    return (
        f"*Measured on {circumstances['date']} at commit {circumstances['commit'][:12]}{changed}, "
        f"on {machine['cores']} cores of {machine['processor']}, {machine['system']}; "
        f"{versions}.{left_out}{unfinished}*"
    )


def _some(names: list[str], most: int = 8) -> str:
    return "; ".join(
        [*names[:most], *([f"and {len(names) - most} more"] if len(names) > most else [])]
    )


def _path(name: str) -> Path:
    return RESULTS / f"{name}.json"


def _git(*command: str) -> str:
    """What git says; where there is no repository, that the commit is unknown."""
    done = subprocess.run(["git", *command], cwd=ROOT, capture_output=True, text=True)
    return "unknown" if done.returncode else done.stdout.strip()


def _processor() -> str:
    """The model as Linux tells it; elsewhere what Python knows."""
    told = Path("/proc/cpuinfo")
    model = (
        re.search(r"model name\s*:\s*(.*)", told.read_text(encoding="utf-8"))
        if told.exists()
        else None
    )
    return model[1] if model else platform.processor() or platform.machine()


def _versions() -> dict[str, str]:
    """Of the library, of what it needs to run, and of the peers that are installed."""
    needed = [line for line in requires("wideberth") or [] if "extra ==" not in line]
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["dependency-groups"]
    peers = [
        line
        for group in ("bench", "bench-aeon")
        for line in groups[group]
        if isinstance(line, str)  # not the name of another group
    ]
    names = [
        re.split(r"[^\w.-]", line, maxsplit=1)[0]
        for line in [*needed, *peers, "POT", "rdkit", "dask", "distributed"]
    ]
    found = {name: _installed(name) for name in ["wideberth", *filter(None, names)]}
    return {name: number for name, number in found.items() if number is not None}


def _installed(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
