"""The program `wideberth`, whose time limits count processor seconds: `python -m
benchmarks.auto.command fit FILE`.
"""

from benchmarks.auto.processor_time import by_processor_time
from wideberth.cli.main import main

if __name__ == "__main__":
    by_processor_time()
    main()
