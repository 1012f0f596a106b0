"""Run the benchmarks named on the command line, all by default: results go to benchmarks/results, pages to docs/benchmarks.

    python -m benchmarks                      measure everything
    python -m benchmarks choosing engines     measure these pages
    python -m benchmarks choosing.threads     measure one section of a page, and write the page anew
    python -m benchmarks --render [NAME ...]  write pages from stored results, without measuring

A benchmark is a module with two functions, listed in `benchmarks/pages.py`:

``measure() -> facts``
    Numbers, texts, lists and dicts: what JSON can hold. Everything that takes time or chance is here, and so are the imports of
    peers: the page of stored results can be written where they are not installed.
``page(facts) -> str``
    Markdown, from the facts as they come out of the JSON file (tuples are lists and keys are texts then), and from nothing else.

and, where there are pictures, ``draw_from(facts)``. The runner adds the date, the commit, the machine and the versions to the
results and a footer with them to the page. Measure with committed sources: the footer tells if they were not. A test renders
all stored results and compares them with the pages; after a change of words, `--render`.

A page of several sections is a package with an ``INTRODUCTION`` and a module for each section (`SECTIONS`). Sections are measured
one by one or together, and have results and a footer each.
"""

import sys

from benchmarks.pages import MODULES, SECTIONS, benchmarks_of, render, run
from benchmarks.results import stored

#: What runs by default: all but the page that needs an environment of old packages.
ALL = [name for name in MODULES if name != "ksu"]


def main(arguments: list[str]) -> None:
    names = [name for name in arguments if name != "--render"]
    unknown = [name for name in names if name not in MODULES and name not in SECTIONS]
    if unknown:
        sys.exit(f"No benchmark is called {', '.join(unknown)}; there are {', '.join([*MODULES, *SECTIONS])}.")
    chosen = [each for name in names for each in benchmarks_of(name)] or ALL
    for benchmark in chosen:
        if "--render" not in arguments:
            print(f"\n# {benchmark}", flush=True)
            run(benchmark)
            print(render(benchmark), flush=True)
        elif stored(benchmark) is not None:
            render(benchmark)


if __name__ == "__main__":
    main(sys.argv[1:])
