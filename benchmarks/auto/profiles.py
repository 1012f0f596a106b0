"""Every candidate of the automatic choice on the objects asked about: does the choice fall short,
or what it chooses from?
"""

import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from functools import partial
from itertools import product

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.keeping import kept
from benchmarks.results import Facts
from benchmarks.timing import table

#: The sets, and how often each is halved: those on which a peer is ahead, or nearest neighbours are
#: on a file.
PROFILED = {
    **dict.fromkeys(["promoters", "wine"], 5),
    **dict.fromkeys(["penguins", "enzymes"], 2),
    **dict.fromkeys(["GunPoint", "ItalyPowerDemand", "OSULeaf", "sms", "image segments"], 1),
}


def measure() -> Facts:
    return {"halves": list(_outcomes())}


def _outcomes() -> Iterator[Facts]:
    from benchmarks.auto.sets import labelled_set, names

    for name in (each for each in names() if each in PROFILED):
        for repeat, half in product(range(PROFILED[name]), range(2)):
            if labelled_set(name).fold(repeat, half) is None:
                continue
            found = kept(
                "auto.profiles", f"{name}, {repeat}.{half}", partial(outcome, name, repeat, half)
            )
            if found is not None:
                yield found


def outcome(name: str, repeat: int, half: int) -> Facts:
    """The errors in % of each candidate, with its best settings, on the objects left out of folds
    and on those asked about.
    """
    from benchmarks.auto.accuracy import MAX_TIME
    from benchmarks.auto.sets import labelled_set
    from wideberth import AutoClassifier

    class Watched(AutoClassifier):
        def _conclude(self, contest, first, numbered):  # type: ignore[no-untyped-def]
            super()._conclude(contest, first, numbered)
            self.contest = contest

    data = labelled_set(name)
    known, asked = data.fold(repeat, half)  # type: ignore[misc]
    with threadpool_limits(1), warnings.catch_warnings(action="ignore"):
        model = Watched(data.proposed(known), max_time=MAX_TIME, random_state=0, verbose=-1)
        model.fit(data.some(known), data.labels[known])
        chosen = model.leaderboard_[0]
        rows = []
        for entry in model.contest.entries:
            wrong = entry.fitted_on_all().predict(data.some(asked)) != data.labels[asked]
            rows.append(
                {
                    "family": entry.family.name,
                    "metric": entry.ground.name,
                    "left out": 100 * entry.error,
                    "asked": 100 * float(wrong.mean()),
                    "chosen": (entry.family.name, entry.ground.name)
                    == (chosen["family"], chosen["metric"]),
                }
            )
    print(name, repeat, half, chosen["family"], chosen["metric"], file=sys.stderr, flush=True)
    return {"set": name, "repeat": repeat, "half": half, "candidates": rows}


def page(facts: Facts) -> str:
    sets: dict[str, list[Facts]] = {}
    for each in facts["halves"]:
        sets.setdefault(each["set"], []).append(each["candidates"])
    head = [
        "set (halves)",
        "chosen",
        "left out",
        "asked",
        "best all through",
        "left out",
        "asked",
        "best of each half",
    ]
    rows = [_row(name, halves) for name, halves in sets.items()]
    return "\n\n".join(["## What else could have been chosen", WORDS, table(head, rows)])


def _row(name: str, halves: list[list[Facts]]) -> list[str]:
    """What was chosen, the candidate with the fewest errors over all halves in which all have
    results, and the best of each.
    """
    chosen = [next(each for each in half if each["chosen"]) for half in halves]
    often = Counter(f"{each['family']}, {each['metric']}" for each in chosen).most_common(1)[0]
    found = {(each["family"], each["metric"]): [] for each in halves[0]}
    for half in halves:
        for each in half:
            found.setdefault((each["family"], each["metric"]), []).append(each)
    everywhere = {key: each for key, each in found.items() if len(each) == len(halves)}
    key = min(everywhere, key=lambda key: _mean(everywhere[key], "asked"))
    return [
        f"{name} ({len(halves)})",
        f"{often[0]} ({often[1]})" if len(halves) > 1 else often[0],
        f"{_mean(chosen, 'left out'):.1f}",
        f"{_mean(chosen, 'asked'):.1f}",
        ", ".join(key),
        f"{_mean(everywhere[key], 'left out'):.1f}",
        f"{_mean(everywhere[key], 'asked'):.1f}",
        f"{np.mean([min(each['asked'] for each in half) for half in halves]):.1f}",
    ]


def _mean(rows: list[Facts], column: str) -> float:
    return float(np.mean([row[column] for row in rows]))


WORDS = """\
Every candidate of the choice, a family on a metric with its best settings, learned from all objects of a half and asked about the
other half: errors in %, means over halves. *chosen*: what was chosen most often, in how many halves, and the errors of what was
chosen in each of them. *best all through*: the candidate that has the fewest errors on the objects asked about, of those with a
result in all halves; *best of each half*: as if the objects asked about had been known. Both are picked by the answers, so too
good; sums of metrics and families on the best metrics are not tried in all halves. *left out* are the objects that folds leave
out, by which the choice is made."""
