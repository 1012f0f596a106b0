"""Print what the library needs to run, without some packages: ``python tools/requirements_without.py
highspy``.

For Pythons on which one of them has no wheel: install these, and then wideberth with ``--no-deps``.
"""

import re
import sys
import tomllib
from pathlib import Path


def without(requirements: list[str], left_out: list[str]) -> list[str]:
    """The requirements of other packages.

    >>> without(["numpy>=2.0", "highspy>=1.9; python_version < '3.15'"], ["highspy"])
    ['numpy>=2.0']
    """
    return [line for line in requirements if re.split(r"[^\w.-]", line)[0] not in left_out]


if __name__ == "__main__":
    written = (Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8")
    print(*without(tomllib.loads(written)["project"]["dependencies"], sys.argv[1:]), sep="\n")
