"""The program `wideberth`, whose time limits count processor seconds: `python -m
benchmarks.auto.command fit FILE`.
"""

import os
import sys

from benchmarks import folders

#: The beginning of a command line that runs it.
PROGRAM = (sys.executable, "-m", "benchmarks.auto.command")


def reached() -> dict[str, str]:
    """The environment in which it is found from any folder."""
    paths = [str(folders.ROOT), os.environ.get("PYTHONPATH", "")]
    return dict(os.environ) | {"PYTHONPATH": os.pathsep.join(filter(None, paths))}


if __name__ == "__main__":
    from benchmarks.auto.processor_time import by_processor_time
    from wideberth.cli.main import main

    by_processor_time()
    main()
