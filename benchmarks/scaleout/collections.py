"""Predictions for collections beside the same predictions on one core."""

import sys

import numpy as np

import wideberth as wb
from benchmarks.results import Facts
from benchmarks.scaleout.cluster import cost_here, cost_on, loaded, two_workers
from benchmarks.scaleout.made_objects import all_here, array_of, vectors
from benchmarks.timing import table

#: What models learn from, how many objects are asked about, and into how many partitions they are
#: cut.
NAMES_LEARNED, NAMES_ASKED = 2_000, 80_000
VECTORS_LEARNED, VECTORS_ASKED = 20_000, 1_000_000
PARTS = [4, 40]
HEAD = [
    "objects",
    "partitions",
    "seconds each",
    "one machine, CPU s",
    "cluster, CPU s",
    "ratio",
    "of it client",
    "MB a worker",
]


def measure() -> Facts:
    rows = []
    with two_workers() as client:
        for what, model, asked, parts, here in (_names(), _vectors()):
            wb.scaleout.predict(model, parts(2, warm=True)).compute()
            model.set_params(n_jobs=1).predict(here(PARTS[0])[:1000])
            for count in PARTS:
                alone, expected = cost_here(
                    lambda model=model, here=here, count=count: model.predict(here(count))
                )
                cost, told = cost_on(
                    client,
                    lambda model=model, parts=parts, count=count: wb.scaleout.predict(
                        model, parts(count)
                    ).compute(),
                )
                assert list(told) == expected.tolist()
                rows.append(
                    {"what": what, "n": asked, "parts": count, "alone": alone, "cluster": cost}
                )
                print(rows[-1], file=sys.stderr, flush=True)
    return {"rows": rows, "load": loaded()}


def _names():
    names, sexes = (list(each) for each in wb.datasets.load_first_names())
    learned = np.random.default_rng(0).permutation(len(names))[:NAMES_LEARNED]
    model = wb.NeighborsClassifier("levenshtein", n_neighbors=3, calibrate=None)
    model.fit([names[i] for i in learned], [sexes[i] for i in learned])

    def parts(count, warm=False):
        n = 100 if warm else NAMES_ASKED
        return array_of(pairs_of_names, n, n // count, first=1)

    def here(count):
        return all_here(pairs_of_names, NAMES_ASKED, NAMES_ASKED // count, first=1)[0]

    return "pairs of first names, levenshtein", model, NAMES_ASKED, parts, here


def pairs_of_names(seed: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Two first names each, without labels that mean anything."""
    names = np.array(wb.datasets.load_first_names()[0], dtype=object)
    some = np.random.default_rng([seed, 2]).choice(len(names), (n, 2))
    return names[some[:, 0]] + " " + names[some[:, 1]], np.zeros(n, dtype=int)


def _vectors():
    model = wb.NeighborsClassifier(n_neighbors=3, calibrate=None).fit(*vectors(0, VECTORS_LEARNED))

    def parts(count, warm=False):
        n = 100 if warm else VECTORS_ASKED
        return array_of(vectors, n, n // count, first=1)

    def here(count):
        return all_here(vectors, VECTORS_ASKED, VECTORS_ASKED // count, first=1)[0]

    return (
        f"vectors in {vectors(0, 1)[0].shape[1]} dimensions, a kd-tree",
        model,
        VECTORS_ASKED,
        parts,
        here,
    )


def page(facts: Facts) -> str:
    rows = [
        [
            f"{row['n']:,} {row['what']}",
            str(row["parts"]),
            f"{row['alone']['cpu'] / row['parts']:.2f}",
            f"{row['alone']['cpu']:.1f}",
            f"{row['cluster']['cpu']:.1f}",
            f"{row['cluster']['cpu'] / row['alone']['cpu']:.2f}",
            f"{row['cluster']['client_cpu']:.1f}",
            f"{row['cluster']['worker_bytes'] / 1e6:.0f}",
        ]
        for row in facts["rows"]
    ]
    return (
        "## Predictions for "
        f"collections\n\n{WORDS.format(load=facts['load'])}\n\n{table(HEAD, rows)}"
    )


WORDS = f"""\
`scaleout.predict` beside `model.predict` of the same objects; the answers are equal. The objects are arrays, made on the workers.
Models: {NAMES_LEARNED:,} first names or {VECTORS_LEARNED:,} vectors, 3 neighbours. *Seconds each*: the time of a partition on one
core. {{load:.1f}} processes wanted one of the cores when it was measured."""
