"""Measure beside peers: results go to benchmarks/results, pages to docs/benchmarks.

    python -m benchmarks                      what has no result of this code, the cheapest first; can be stopped
    python -m benchmarks choosing engines     measure these pages
    python -m benchmarks choosing.threads     measure one section of a page, and write the page anew
    python -m benchmarks --minutes 30 [NAME]  begin no outcome after half an hour, and store what there is; the next run goes on
    python -m benchmarks --again errors       forget outcomes kept from runs that were stopped
    python -m benchmarks --plan [NAME ...]    minutes of CPU, environment, missing data, and which results are older than the code
    python -m benchmarks --stale              the results that are older than the code; exits with 1 if there are some
    python -m benchmarks --render [NAME ...]  write pages from stored results, without measuring
    python -m benchmarks --quick [NAME ...]   the headline rows in 15 minutes, into build/bench-quick, beside the stored ones
    python -m benchmarks --compare A B        two folders of results, or revisions of git: differences beyond noise
    python -m benchmarks --behind             the rows in which a peer is ahead
    python -m benchmarks --claims             put the present numbers into README and the guide; read the sentences after it
    python -m benchmarks --data               the files that are there, and whether they are those that were measured with

A benchmark is a module with two functions, listed in `benchmarks/pages.py` and
`benchmarks/plan.py`:

``measure() -> facts``
    Numbers, texts, lists and dicts: what JSON can hold. Everything that takes time or chance is
    here, and so are the imports of peers: the page of stored results can be written where they are
    not installed.
``page(facts) -> str``
    Markdown, from the facts as they come out of the JSON file (tuples are lists and keys are texts
    then), and from nothing else.

and, where they make sense, ``draw_from(facts)`` for pictures, ``rows(facts)`` for comparisons with
peers (`benchmarks/rows.py`) and ``quick()``, facts of the same form from few minutes and
installable data. The runner adds the date, the commit, the machine, the versions, digests of the
sources that the benchmark speaks of, and the minutes of CPU to the results, and a footer with them
to the page. Measure with committed sources: the footer tells if they were not. A test renders all
stored results and compares them with the pages; after a change of words, `--render`.

A page of several sections is a package with an ``INTRODUCTION`` and a module for each section
(`SECTIONS`). Sections are measured one by one or together, and have results and a footer each.
"""

import argparse
import shutil
import subprocess
import sys
from importlib.util import find_spec
from math import isfinite

from benchmarks import keeping
from benchmarks.claims import rewrite
from benchmarks.compare import compared
from benchmarks.front import behind, written_pages
from benchmarks.outside_data import DATA, FILES, differing, missing
from benchmarks.pages import MODULES, SECTIONS, benchmarks_of, render, run
from benchmarks.plan import PLAN, Environment, due, minutes, shown, status
from benchmarks.quick import run_quick
from benchmarks.results import stored


def main(arguments: list[str]) -> None:
    asked = _parser().parse_args(arguments)
    unknown = [name for name in asked.names if name not in MODULES and name not in SECTIONS]
    if unknown:
        sys.exit(
            f"No benchmark is called {', '.join(unknown)}; there are "
            f"{', '.join([*MODULES, *SECTIONS])}."
        )
    chosen = [each for name in asked.names for each in benchmarks_of(name)]
    if asked.minutes is not None:
        keeping.limit(asked.minutes)
    if asked.plan:
        print(shown(chosen or list(PLAN)))
    elif asked.stale:
        sys.exit(_stale())
    elif asked.render:
        _render(chosen or list(MODULES))
    elif asked.quick:
        sys.exit(run_quick(chosen))
    elif asked.compare:
        print(compared(*asked.compare))
    elif asked.behind:
        print(behind())
    elif asked.claims:
        print("\n".join(rewrite()) or "All numbers are those of the results.")
    elif asked.data:
        _data()
    elif chosen:
        _measure(chosen, again=asked.again)
    else:
        sys.exit(_measure_all(asked.environment))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description=__doc__,
        formatter_class=argparse.RawTextHelpFormatter,
    )
    parser.add_argument("names", nargs="*")
    parser.add_argument("--minutes", type=float)
    parser.add_argument(
        "--environment",
        choices=["bench", "aeon", "own"],
        default="aeon" if find_spec("aeon") else "bench",
    )
    parser.add_argument("--compare", nargs=2, metavar=("A", "B"))
    for flag in ("again", "plan", "stale", "render", "quick", "behind", "claims", "data"):
        parser.add_argument(f"--{flag}", action="store_true")
    return parser


def _measure(benchmarks: list[str], *, again: bool) -> None:
    for benchmark in benchmarks:
        print(f"\n# {benchmark}", flush=True)
        if again:
            shutil.rmtree(keeping.folder_of(benchmark), ignore_errors=True)
        run(benchmark, PLAN[benchmark].sources, PLAN[benchmark].data)
        print(render(benchmark), flush=True)


def _measure_all(environment: Environment) -> int:
    """What is due in this environment, each benchmark in a process of its own, so that one that
    fails stops no other.
    """
    names = sorted(due(environment), key=minutes)
    others = [name for name in due() if name not in names]
    print(shown(names), flush=True)
    if others:
        print(f"In other environments: {', '.join(others)}.", flush=True)
    failed, left = [], list(names)
    while left and not keeping.out_of_time():
        name = left.pop(0)
        limit = (
            ["--minutes", f"{keeping.minutes_left():.2f}"]
            if isfinite(keeping.minutes_left())
            else []
        )
        if subprocess.run([sys.executable, "-m", "benchmarks", *limit, name]).returncode:
            failed.append(name)
    written_pages()
    for words, which in (("Failed", failed), ("No time for", left)):
        if which:
            print(f"{words}: {', '.join(which)}.", flush=True)
    return int(bool(failed or left))


def _stale() -> int:
    found = {name: status(name) for name in PLAN}
    lines = [
        f"{name:<22} {words}"
        for name, words in found.items()
        if words.startswith(("older", "not measured", "unfinished"))
    ]
    print("\n".join(lines) or "Nothing is older than the code.")
    return int(bool(lines))


def _render(benchmarks: list[str]) -> None:
    for benchmark in benchmarks:
        if stored(benchmark) is not None:
            render(benchmark)
    written_pages()


def _data() -> None:
    print(f"{DATA}: {len(FILES) - len(missing(FILES))} of {len(FILES)} files are there.")
    for words, names in (("Missing", missing(FILES)), ("Not what was measured with", differing())):
        if names:
            print(f"{words}: {', '.join(names)}.")


if __name__ == "__main__":
    main(sys.argv[1:])
