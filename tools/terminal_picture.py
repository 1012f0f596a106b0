"""Draw what `wideberth fit` prints in a terminal, as docs/pictures/fit.svg.

Run it with ``.venv/bin/python tools/terminal_picture.py``. It fits the first names that the package
carries.
"""

import csv
import io
import os
import pty
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

import wideberth as wb

PICTURE = Path(__file__).parents[1] / "docs" / "pictures" / "fit.svg"
COMMAND = ["fit", "names.csv", "--target", "sex"]
WIDTH = 118
#: How many names are learned from: as many as take a few seconds.
NAMES = 1000


def printed(folder: Path) -> str:
    """What the command prints in a terminal of this width, with its colours."""
    names, sexes = wb.datasets.load_first_names()
    with (folder / "names.csv").open("w", newline="") as file:
        csv.writer(file).writerows(
            [("name", "sex"), *zip(names[:NAMES], sexes[:NAMES], strict=True)]
        )
    ours, theirs = pty.openpty()
    environment = os.environ | {
        "COLUMNS": str(WIDTH),
        "LINES": "50",
        "TERM": "xterm-256color",
        "COLORTERM": "truecolor",
    }
    program = [sys.executable, "-m", "wideberth", *COMMAND]
    with subprocess.Popen(
        program, cwd=folder, env=environment, stdout=theirs, stderr=subprocess.DEVNULL
    ) as running:
        os.close(theirs)
        parts = []
        while part := _read(ours):
            parts.append(part)
    if running.returncode:
        raise SystemExit(f"wideberth {' '.join(COMMAND)} ended with {running.returncode}")
    return b"".join(parts).decode().replace("\r\n", "\n")


def _read(terminal: int) -> bytes:
    """The next bytes; none where the other side is closed, which Linux reports as an error."""
    try:
        return os.read(terminal, 65536)
    except OSError:
        return b""


def main() -> None:
    """Run the command and draw what it prints."""
    with tempfile.TemporaryDirectory() as folder:
        text = printed(Path(folder))
    console = Console(width=WIDTH, record=True, file=io.StringIO(), force_terminal=True)
    console.print(Text(f"$ wideberth {' '.join(COMMAND)}"))
    console.print(Text.from_ansi(text.rstrip()))
    drawn = console.export_svg(title="wideberth fit", unique_id="fit")
    drawn = re.sub(
        r"@font-face \{.*?\}\s*", "", drawn, flags=re.DOTALL
    )  # they would fetch fonts from elsewhere
    PICTURE.write_text(drawn.replace("Fira Code", "ui-monospace, monospace"), encoding="utf-8")
    print(f"{PICTURE.relative_to(PICTURE.parents[2])}: {PICTURE.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
