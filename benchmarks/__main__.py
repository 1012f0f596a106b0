"""Run the benchmarks named on the command line, all of them by default; each prints a table and writes it to docs/benchmarks."""

import sys
from importlib import import_module
from pathlib import Path

ALL = [
    *("distances", "agreement", "cores", "matching", "index", "memory", "lipschitz", "lp_machine"),
    *("engines", "neighbors", "errors", "machines", "hilbert", "figure3", "margin", "perturbation", "criteria"),
    *("online", "capacity", "robustness", "guarantees", "embeddings"),
]
PAGES = Path(__file__).parent.parent / "docs" / "benchmarks"


def main(names: list[str]) -> None:
    for name in names or ALL:
        print(f"\n# {name}", flush=True)
        page = import_module(f"benchmarks.{name}").page()
        print(page, flush=True)
        PAGES.mkdir(parents=True, exist_ok=True)
        (PAGES / f"{name}.md").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
