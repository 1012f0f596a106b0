"""A small report of each kind of object, and two that are hard: hostile objects, and more points
than shapes can draw.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_digits

import wideberth as wb

Reported = tuple[Any, Any, Any, dict[str, Any]]  # model, objects, labels, other arguments


def strings() -> Reported:
    names, sexes = (column[:150] for column in wb.datasets.load_first_names())
    return (
        wb.LipschitzClassifierCV("levenshtein", C=[1.0, 5.0, 25.0], cv=3).fit(names, sexes),
        names,
        sexes,
        {},
    )


def vectors() -> Reported:
    chance = np.random.default_rng(0)
    labels = np.repeat(["low", "middle", "high"], 30)
    places = chance.normal(size=(90, 4)) + np.repeat([0.0, 1.5, 4.0], 30)[:, None]
    return (
        wb.MarginNeighborsClassifier("euclidean", separation=1.0).fit(places, labels),
        places,
        labels,
        {},
    )


def series() -> Reported:
    chance = np.random.default_rng(0)
    time = np.linspace(0, 6, 80)
    waves = [np.sin(time + chance.random()) + 0.2 * chance.normal(size=80) for _ in range(20)]
    steps = [
        np.sign(np.sin(time + chance.random())) + 0.2 * chance.normal(size=80) for _ in range(20)
    ]
    labels = ["wave"] * 20 + ["step"] * 20
    return (
        wb.NeighborsClassifier("msm", n_neighbors=3).fit(waves + steps, labels),
        waves + steps,
        labels,
        {},
    )


def sets() -> Reported:
    chance = np.random.default_rng(0)
    hot, cold = (
        ["tea", "coffee", "cocoa", "punch", "milk"],
        ["beer", "juice", "cola", "water", "milk"],
    )
    baskets = [
        frozenset(chance.choice(shelf, 3, replace=False).tolist())
        for shelf in (hot, cold)
        for _ in range(20)
    ]
    labels = ["hot"] * 20 + ["cold"] * 20
    return (
        wb.NeighborsClassifier("jaccard", n_neighbors=3).fit(baskets, labels),
        baskets,
        labels,
        {},
    )


def distributions() -> Reported:
    digits = load_digits()
    some = np.flatnonzero(digits.target < 3)[:60]
    labels = digits.target[some].astype(str)
    return (
        wb.NeighborsClassifier("earth_mover", n_neighbors=1).fit(digits.images[some], labels),
        digits.images[some],
        labels,
        {},
    )


def molecules() -> Reported:
    chains = [f"{'C' * length}{end}" for length in range(2, 10) for end in ("O", "N", "C(=O)O")]
    rings = [f"c1ccccc1{'C' * length}{end}" for length in range(8) for end in ("O", "N", "Cl")]
    labels = ["chain"] * len(chains) + ["ring"] * len(rings)
    return wb.HilbertSVC("tanimoto").fit(chains + rings, labels), chains + rings, labels, {}


def trees() -> Reported:
    chance = np.random.default_rng(0)

    def tree(depth: int, branches: int) -> list[Any]:
        children = (
            [tree(depth - 1, branches) for _ in range(chance.integers(1, branches + 1))]
            if depth
            else []
        )
        return [str(chance.choice(["noun", "verb", "phrase"])), children]

    forest = [tree(2, 3) for _ in range(20)] + [tree(4, 1) for _ in range(20)]
    labels = ["bushy"] * 20 + ["tall"] * 20
    return (
        wb.NeighborsClassifier("tree_edit", n_neighbors=1).fit(forest, labels),
        forest,
        labels,
        {},
    )


def graphs() -> Reported:
    chance = np.random.default_rng(0)

    def graph(size: int, closed: bool) -> dict[str, Any]:
        edges = [[node, node + 1] for node in range(size - 1)] + ([[size - 1, 0]] if closed else [])
        return {"nodes": chance.choice(["C", "N", "O"], size).tolist(), "edges": edges}

    drawn = [graph(size, closed) for closed in (True, False) for size in range(4, 24)]
    labels = ["ring"] * 20 + ["chain"] * 20
    return (
        wb.NeighborsClassifier("weisfeiler_lehman", n_neighbors=3).fit(drawn, labels),
        drawn,
        labels,
        {},
    )


def points() -> Reported:
    chance = np.random.default_rng(0)
    clouds = [
        chance.normal(size=(chance.integers(5, 30), 2)) * [1 + far, 1]
        for far in (0, 2)
        for _ in range(20)
    ]
    labels = ["round"] * 20 + ["long"] * 20
    return (
        wb.NeighborsClassifier("hausdorff", n_neighbors=3).fit(clouds, labels),
        clouds,
        labels,
        {},
    )


def rows() -> Reported:
    chance = np.random.default_rng(0)
    table = [
        {
            "mass": round(float(chance.normal(4 + heavy, 0.5)), 2),
            "island": str(chance.choice(["Biscoe", "Dream"])),
            "adult": True,
        }
        for heavy in (0, 1)
        for _ in range(30)
    ]
    table[3]["mass"] = None
    labels = ["light"] * 30 + ["heavy"] * 30
    return (
        wb.NeighborsClassifier("gower", n_neighbors=3).fit(table, labels),
        table,
        labels,
        {},
    )


def indices() -> Reported:
    places = np.random.default_rng(0).normal(size=(40, 2)) + np.repeat([0.0, 3.0], 20)[:, None]
    matrix = np.linalg.norm(places[:, None] - places[None], axis=2)
    labels = np.repeat(["left", "right"], 20)
    model = wb.NeighborsClassifier("precomputed", n_neighbors=3).fit(matrix, labels)
    return model, matrix, labels, {"names": [f"sample {number}" for number in range(40)]}


def objects() -> Reported:
    times = [(hour, minute) for hour in range(24) for minute in (0, 20, 40)]
    labels = ["day" if 7 <= hour < 20 else "night" for hour, _ in times]

    def around_the_clock(one: tuple[int, int], other: tuple[int, int]) -> float:
        apart = abs(60 * (one[0] - other[0]) + one[1] - other[1])
        return float(min(apart, 1440 - apart))

    return (
        wb.NeighborsClassifier(around_the_clock, n_neighbors=3).fit(times, labels),
        times,
        labels,
        {},
    )


#: What must be shown, and must do nothing. The last ones ask for the network, if anything reads
#: them.
HOSTILE = [
    "</script><script>document.title = 'broken'</script>",
    "<!--<script>",
    "]]>",
    "{{ 7 * 7 }}",
    "${document.title = 'broken'}",
    "=cmd()|' /C calc'!A0",
    "abc\u202egpj.exe",
    "tea\x00\x1b\n\r\t",
    "half \ud83c",
    "\u2028 \u2029",
    "long" * 250_000,
    "zalgo" + "\u0300" * 300,
    '"><img src="https://example.com/x.png" onerror="document.title = \'broken\'">',
    "javascript:alert(1)",
    "<svg onload=\"document.title = 'broken'\">",
    "<link rel=stylesheet href=https://example.com/x.css>",
]


def hostile() -> Reported:
    texts = [
        f"{each[:2000]}{number}" if number else each for number in range(3) for each in HOSTILE
    ]  # one of a megabyte
    labels = [HOSTILE[0] if number % 2 else HOSTILE[12] for number in range(len(texts))]
    other = {"names": texts[::-1], "title": HOSTILE[0] + HOSTILE[6]}
    return wb.NeighborsClassifier("ngrams", n_neighbors=3).fit(texts, labels), texts, labels, other


def many() -> Reported:
    places = np.random.default_rng(0).normal(size=(6000, 2)) + np.repeat([0.0, 3.0], 3000)[:, None]
    labels = np.repeat(["left", "right"], 3000)
    return (
        wb.NeighborsClassifier("euclidean", n_neighbors=5).fit(places, labels),
        places,
        labels,
        {},
    )


REPORTS: dict[str, Callable[[], Reported]] = {
    made.__name__: made
    for made in (
        strings,
        vectors,
        series,
        sets,
        distributions,
        molecules,
        trees,
        graphs,
        points,
        rows,
        indices,
        objects,
        hostile,
        many,
    )
}


def write(name: str, folder: Path) -> Path:
    """Write one of the reports into a folder."""
    model, given, labels, other = REPORTS[name]()
    path = folder / f"{name}.html"
    wb.write_report(model, path, given, labels, **other)
    return path
