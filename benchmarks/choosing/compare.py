"""``wideberth compare`` on the first names of the census."""

import csv
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import wideberth as wb
from benchmarks.results import Facts


def measure() -> Facts:
    """The seconds of all cores for the command, after one on few names that loads and compiles what it needs."""
    names, sexes = wb.datasets.load_first_names()
    with tempfile.TemporaryDirectory() as folder:
        few, everything = Path(folder, "few.csv"), Path(folder, "names.csv")
        write(few, list(zip(names, sexes, strict=True))[::20])
        write(everything, list(zip(names, sexes, strict=True)))
        cpu_of_compare(few)
        cpu, printed = cpu_of_compare(everything)
    return {"objects": len(names), "cpu": cpu, "printed": printed}


def write(path: Path, rows: list[tuple[str, str]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("name", "sex"), *rows])


def cpu_of_compare(path: Path) -> tuple[float, str]:
    command = [sys.executable, "-m", "wideberth", "compare", str(path), "--target", "sex"]
    before = _cpu_of_children()
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return _cpu_of_children() - before, done.stdout


def _cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def page(facts: Facts) -> str:
    return f"## Comparing all methods\n\n{WORDS.format(**facts)}\n\n```text\n{facts['printed'].rstrip()}\n```"


WORDS = """\
`wideberth compare names.csv --target sex` on {objects:,} first names of the census, with default threads: **{cpu:.0f} seconds**
of all cores, from start to end of the command."""
