"""``wideberth compare`` on the first names of the census."""

import csv
import sys
import tempfile
from pathlib import Path

import wideberth as wb
from benchmarks.results import Facts
from benchmarks.timing import cpu_of_command


def measure() -> Facts:
    """The seconds of all cores for the command, after one on few names that loads and compiles what
    it needs.
    """
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
    return cpu_of_command(
        [sys.executable, "-m", "wideberth", "compare", str(path), "--target", "sex"]
    )


def page(facts: Facts) -> str:
    return (
        "## Comparing all "
        f"methods\n\n{WORDS.format(**facts)}\n\n```text\n{facts['printed'].rstrip()}\n```"
    )


WORDS = """\
`wideberth compare names.csv --target sex` on {objects:,} first names of the census, with default threads: **{cpu:.0f} seconds**
of all cores, from start to end of the command."""
