"""The headline rows in about 15 minutes on two cores, from installable data, beside the stored
results.
"""

import time
import traceback
from importlib import import_module

from benchmarks import folders, keeping
from benchmarks.compare import results, told
from benchmarks.pages import MODULES
from benchmarks.plan import PLAN
from benchmarks.results import Facts, store, taken
from benchmarks.rows import rows_of

#: Where the results of quick runs go; `make clean` removes it.
QUICK = folders.ROOT / "build" / "bench-quick"


def quick_benchmarks() -> list[str]:
    """Those with a short form."""
    return [name for name in PLAN if hasattr(import_module(MODULES[name]), "quick")]


def run_quick(names: list[str]) -> int:
    """Measure short forms, of all benchmarks that have one by default, print their rows, and
    compare with the stored results.

    One that fails stops no other; 1 is returned if there are such.
    """
    keeping.measure_anew()
    started = time.monotonic()
    found: dict[str, Facts] = {}
    failed = []
    for name in [each for each in quick_benchmarks() if not names or each in names]:
        print(f"\n# {name}", flush=True)
        try:
            found[name] = taken(
                import_module(MODULES[name]).quick, PLAN[name].sources, PLAN[name].data
            )
        except Exception:
            traceback.print_exc()
            failed.append(name)
            continue
        store(name, found[name], QUICK)
        for row in rows_of(name, found[name]["facts"]):
            print(f"{row.key} | {row.peer} | {row.shown()}", flush=True)
        print(f"({(time.monotonic() - started) / 60:.1f} minutes so far)", flush=True)
    spent = sum(each["circumstances"]["cpu_minutes"] for each in found.values())
    print(f"\n{spent:.1f} minutes of CPU.")
    absent = sorted({each for name in found for each in found[name]["circumstances"]["missing"]})
    if absent:
        print(f"\nRows of these data are only in the whole run: {', '.join(absent)}.")
    print("\n# Beside the stored results\n")
    print(told(results(str(folders.RESULTS)), found))
    if failed:
        print(f"\nFailed: {', '.join(failed)}.")
    return int(bool(failed))
