"""Run the benchmarks named on the command line, all of them by default; each prints a table and writes it to docs/benchmarks."""

import sys
from importlib import import_module

from benchmarks.folders import PAGES

FOLDERS = {
    "distances": ["distances", "agreement", "cores", "checked_blocks"],
    "geometry": ["matching", "index", "memory"],
    "classifiers": ["lipschitz", "lp_machine", "engines", "neighbors", "errors", "machines", "hilbert"],
    "margin_neighbors": ["figure3", "margin", "perturbation", "criteria", "ksu"],
    "online": ["online"],
    "guarantees": ["capacity", "robustness", "guarantees", "embeddings"],
}
#: The module of every page.
MODULES = {name: f"benchmarks.{folder}.{name}" for folder, names in FOLDERS.items() for name in names}
#: What runs by default: all but the page that needs an environment of old packages.
ALL = [name for name in MODULES if name != "ksu"]


def main(names: list[str]) -> None:
    unknown = [name for name in names if name not in MODULES]
    if unknown:
        sys.exit(f"No benchmark is called {', '.join(unknown)}; there are {', '.join(MODULES)}.")
    for name in names or ALL:
        print(f"\n# {name}", flush=True)
        page = import_module(MODULES[name]).page()
        print(page, flush=True)
        PAGES.mkdir(parents=True, exist_ok=True)
        (PAGES / f"{name}.md").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
