"""What is lost by learning from a part of the objects: a stratified sample, or a net."""

import csv
import sys

import numpy as np
from sklearn.base import clone

import wideberth as wb
from benchmarks.outside_data import DATA
from benchmarks.results import Facts
from benchmarks.scaleout.made_objects import vectors
from benchmarks.timing import table

#: Shares of the objects that are learned from, and the share that is set aside.
SHARES, HELD, PARTS, MOST, SEEDS = (1.0, 0.5, 0.2, 0.05), 0.2, 8, 10_000, 3
HEAD = ["objects", "learned from", "by a sample", "by a net", "certified (sample)"]


def measure() -> Facts:
    import dask.bag

    found = []
    for name, objects, labels, metric in _sets():
        X, y = (dask.bag.from_sequence(each, npartitions=PARTS) for each in (objects, labels))
        for share in SHARES:
            row = {"set": name, "n": len(objects), "share": share}
            for by in ("sample", "net"):
                wanted = round(share * (1 - HELD) * len(objects))
                some = [_learned(X, y, metric, wanted, by, seed) for seed in range(SEEDS)]
                row[by] = {key: float(np.mean([each[key] for each in some])) for key in some[0]}
                if share == 1.0:  # both are all
                    row["net"] = row["sample"]
                    break
            found.append(row)
            print(row, file=sys.stderr, flush=True)
    return {"rows": found}


def _learned(X, y, metric, wanted: int, by: str, seed: int) -> Facts:
    model = clone(wb.NeighborsClassifier(metric, n_neighbors=3, calibrate=None))
    found = wb.scaleout.learn_from_net(
        model, X, y, n_objects=wanted, by=by, holdout=HELD, random_state=seed
    )
    proved = found.certificates[0]
    return {
        "learned": found.n_learned,
        "error": proved.evidence["errors"] / proved.evidence["held_out"],
        "bound": proved.value,
    }


def _sets():
    rows, sides = vectors(0, MOST)
    yield "vectors in 4 dimensions", rows.tolist(), sides.tolist(), "euclidean"
    path = DATA / "words_6_languages.csv"
    if path.exists():
        with path.open(encoding="utf-8") as file:
            words = list(csv.reader(file))[1:]
        words = list({row[0]: row for row in words}.values())
        some = np.random.default_rng(0).permutation(len(words))[:MOST]
        yield (
            "words of 6 languages",
            [words[i][0] for i in some],
            [words[i][1] for i in some],
            "levenshtein",
        )


def page(facts: Facts) -> str:
    rows = [
        [
            f"{row['n']:,} {row['set']}",
            f"{row['share']:.0%}",
            f"{row['sample']['error']:.1%}",
            f"{row['net']['error']:.1%}",
            f"{row['sample']['bound']:.1%}",
        ]
        for row in facts["rows"]
    ]
    return f"## Learning from few\n\n{WORDS}\n\n{table(HEAD, rows)}"


WORDS = f"""\
Errors of 3 neighbours on the {HELD:.0%} of the objects that `scaleout.learn_from_net` sets aside, when it learns from a share of
the others, and the bound that it certifies at 5 %; means of {SEEDS} draws."""
