"""A file system that is soon full."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def small_file_system(folder: Path, size: str) -> Iterator[Path]:
    """Mount a file system of a size such as "64k" at a new folder; skip the test where only an
    administrator may do that.
    """
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    try:
        made = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as reason:
        pytest.skip(f"no small file system can be mounted here: {reason}")
    if made.returncode:
        pytest.skip(f"no small file system can be mounted here: {made.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)
