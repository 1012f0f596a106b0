"""Try an installed wheel as its first user does: the commands of the README, in a folder of their
own.

``python tools/try_wheel.py`` with the Python that has the wheel; it needs no checkout, and ends with
what is installed.
"""

import csv
import subprocess
import sys
import tempfile
from importlib.metadata import distributions, version
from pathlib import Path

import wideberth

PACKAGE = Path(wideberth.__file__).parent


def command(*words: str, folder: Path) -> str:
    """What ``wideberth`` prints; an error ends the trial."""
    done = subprocess.run(
        [sys.executable, "-m", "wideberth", *words], cwd=folder, capture_output=True, text=True
    )
    if done.returncode:
        sys.exit(f"wideberth {' '.join(words)} failed:\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def size(folder: Path) -> int:
    """The bytes of all files of a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def main() -> None:
    """Fit, explain and predict on the names that the package carries."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with (PACKAGE / "datasets" / "first_names.csv").open(encoding="utf-8", newline="") as file:
            rows = [row[:2] for row in csv.reader(file)][:1001]
        with (folder / "names.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows(rows)
        told = command("--version", folder=folder)
        if version("wideberth") not in told:
            sys.exit(f"--version says {told!r}, and the metadata {version('wideberth')}.")
        print(command("fit", "names.csv", "--target", "sex", folder=folder))
        print(command("explain", "names.wb", "Marianne", folder=folder))
        answers = command("predict", "names.wb", "names.csv", folder=folder)
        right = [row["sex"] == row["label"] for row in csv.DictReader(answers.splitlines())]
        if not right or sum(right) < 0.7 * len(right):
            sys.exit(f"{sum(right)} of {len(right)} answers on training names are right.")
    site, count = PACKAGE.parent, len({each.metadata["Name"] for each in distributions()})
    print(f"wideberth: {size(PACKAGE) / 1e6:.1f} MB; {count} packages, {size(site) / 1e6:,.0f} MB.")


if __name__ == "__main__":
    main()
