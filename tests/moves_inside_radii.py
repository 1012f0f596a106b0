"""Moves inside certified radii by the thousand: every family, kind of object and unit.

For the tests and for the page about reliability. Objects move at random and towards objects of the
other label, by someone who knows the model: letters come from words that speak for the other label,
and from everywhere else. A move counts if it is shorter than the radius, measured in the unit in
which the radius was claimed; the radius is false if the label changed.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from attacked_radii import CLASSIFIERS as PLAIN_FAMILIES

import wideberth as wb
from wideberth.estimators.radius_rules import radius_unit

#: Moved copies of the object ``here``, some of them towards ``there``, most of them not much longer
#: than ``radius``.
Move = Callable[[np.random.Generator, Any, Any, float, int], Any]

FAMILIES = PLAIN_FAMILIES | {
    "linear": lambda metric, unit: wb.LinearLipschitzClassifier(metric, min_count=1, n_jobs=1),
    "linear, for edits": lambda metric, unit: wb.LinearLipschitzClassifier(
        metric, edits=1, min_count=1, n_jobs=1
    ),
}
#: How many objects a model learns from, and how many move.
LEARNED_FROM, MOVING = 30, 16


@dataclass(frozen=True)
class Kind:
    """Objects of one kind under one metric: how those of two classes, in turns, are drawn, and how
    one moves.
    """

    metric: Any
    drawn: Callable[[np.random.Generator, int], Any]
    moved: Move


def _letters(random: np.random.Generator, letters: str, low: int, high: int) -> str:
    return "".join(random.choice(list(letters), size=random.integers(low, high)))


def _words(random: np.random.Generator, n: int) -> list[str]:
    """Words a few edits away from one of two, so that some of them stay far from the others."""
    return [_edited(random, ("abcabcab", "dedecded")[i % 2], "abcde", 3, 1)[0] for i in range(n)]


def _codes(random: np.random.Generator, n: int) -> list[str]:
    return [
        "".join(random.choice(list("ACGT"), size=12, p=[0.6, 0.3, 0.05, 0.05][:: 1 - 2 * (i % 2)]))
        for i in range(n)
    ]


def _texts(random: np.random.Generator, n: int) -> list[str]:
    known = [["tea", "milk", "cup", "hot", "pot"], ["rum", "ale", "cask", "old", "pot"]]
    return [" ".join(random.choice(known[i % 2], size=random.integers(2, 7))) for i in range(n)]


#: Letters that no training object has, ones whose lower case is longer, a space of another kind,
#: and ordinary ones.
_ANY_LETTER = "abcde ACGT-É\u0130\u2003\U0001f600"


def _edited(
    random: np.random.Generator, here: str, there: str, radius: float, count: int
) -> list[str]:
    """Up to four edits, half of which bring letters of the other string."""
    edits = random.integers(1, 2 + min(3, max(1, int(radius))), size=count)
    towards, kinds, places = (
        random.random(count) < 0.5,
        random.integers(0, 3, (count, 4)),
        random.random((count, 4)),
    )
    found = []
    for i in range(count):
        text, letters = here, (there or _ANY_LETTER) if towards[i] else _ANY_LETTER
        for j in range(edits[i]):
            place = int(places[i, j] * (len(text) + 1))
            letter = letters[int(1e9 * places[i, j]) % len(letters)]
            put_in, taken_out = ("" if kinds[i, j] == 0 else letter), int(kinds[i, j] < 2)
            text = text[:place] + put_in + text[place + taken_out :]
        found.append(text)
    return found


def _replaced(
    random: np.random.Generator, here: str, there: str, radius: float, count: int
) -> list[str]:
    """Letters replaced, so that the length stays."""
    return [
        "".join(
            b if c < 0.15 else a
            for a, b, c in zip(here, there, random.random(len(here)), strict=True)
        )
        for _ in range(count)
    ]


def _sizes(random: np.random.Generator, radius: float, count: int) -> np.ndarray:
    """Lengths from a hundredth of the radius to a little more than it, most of them near it."""
    return (radius if np.isfinite(radius) else 10.0) * (1.05 - 1.04 * random.random(count) ** 3)


def _shifted(
    random: np.random.Generator, here: Any, there: Any, radius: float, count: int
) -> np.ndarray:
    """Numbers moved in random directions, along axes, or straight to the other object."""
    here = np.asarray(here, dtype=float)
    directions = random.normal(size=(count, *here.shape))
    axes = np.eye(here.size)[random.integers(0, here.size, count)].reshape(
        directions.shape
    ) * random.choice([-1, 1], count).reshape(-1, *[1] * here.ndim)
    way = random.integers(0, 3, count).reshape(-1, *[1] * here.ndim)
    directions = np.where(
        way == 0, directions, np.where(way == 1, axes, np.asarray(there)[: len(here)] - here)
    )
    lengths = np.linalg.norm(directions.reshape(count, -1), axis=1) + 1e-300
    shrunk = _sizes(random, radius, count) * random.choice([1.0, 0.5, 0.2], count)
    return here + directions * (shrunk / lengths).reshape(way.shape)


def _vectors(random: np.random.Generator, n: int) -> np.ndarray:
    return random.normal(size=(n, 3)) + 1.5 * (np.arange(n) % 2)[:, None]


def _places_on_earth(random: np.random.Generator, n: int) -> np.ndarray:
    return np.c_[random.uniform(-1.2, 1.2, n), random.uniform(-3, 3, n)]


def _travelled(
    random: np.random.Generator, here: Any, there: Any, radius: float, count: int
) -> np.ndarray:
    """Places on earth, moved no farther than to a pole."""
    moved = _shifted(random, here, there, radius, count)
    return np.c_[np.clip(moved[:, 0], -np.pi / 2, np.pi / 2), moved[:, 1]]


def _series(random: np.random.Generator, n: int) -> np.ndarray:
    return random.normal(size=(n, 6)).cumsum(axis=1) + 2 * (np.arange(n) % 2)[:, None]


def _histograms(random: np.random.Generator, n: int) -> np.ndarray:
    return random.dirichlet([1, 1, 1, 3, 3], size=n)[
        np.arange(n)[:, None], [[0, 1, 2, 3, 4], [4, 3, 2, 1, 0]] * (n // 2)
    ]


def _mixed(
    random: np.random.Generator, here: Any, there: Any, radius: float, count: int
) -> np.ndarray:
    """Part of the weight goes to the other histogram, or to one place."""
    shares = (10.0 ** random.uniform(-4, 0, count))[:, None]
    corners = np.eye(len(here))[random.integers(0, len(here), count)]
    return (1 - shares) * here + shares * np.where(
        random.random(count)[:, None] < 0.5, there, corners
    )


def _sets(random: np.random.Generator, n: int) -> list[set[int]]:
    """Large sets, so that one member more or less is a short move."""
    return [
        set(random.integers(20 * (i % 2), 20 * (i % 2) + 40, size=30).tolist()) for i in range(n)
    ]


def _exchanged(
    random: np.random.Generator, here: set[int], there: set[int], radius: float, count: int
) -> list[set[int]]:
    others = sorted(here ^ there) or [0]
    return [
        here
        ^ set(
            (
                random.choice(others, size=size) if coin else random.integers(0, 70, size=size)
            ).tolist()
        )
        for size, coin in zip(random.integers(1, 4, count), random.random(count) < 0.5, strict=True)
    ]


def _weighted_sets(random: np.random.Generator, n: int) -> list[dict[int, float]]:
    return [
        {key: float(random.integers(1, 9)) for key in sorted(each)} for each in _sets(random, n)
    ]


def _reweighed(
    random: np.random.Generator, here: Any, there: Any, radius: float, count: int
) -> list[dict[int, float]]:
    keys = sorted({*here, *there})
    chosen = random.choice(keys, size=(count, 2))
    return [
        here | {int(key): there.get(key, 0.0) + float(random.integers(1, 9)) for key in pair}
        for pair in chosen
    ]


def _chains(random: np.random.Generator, n: int) -> list[str]:
    """Molecules without branches, which any string of these atoms is."""
    return ["C" + _letters(random, "CCN" if i % 2 else "CCO", 4, 12) for i in range(n)]


def _other_atoms(
    random: np.random.Generator, here: str, there: str, radius: float, count: int
) -> list[str]:
    places, kinds, atoms = (
        random.integers(0, len(here), count),
        random.integers(0, 2, count),
        random.choice(list("CNO"), count),
    )
    return [
        here[:place] + atom + here[place + kind :]
        for place, kind, atom in zip(places, kinds, atoms, strict=True)
    ]


def _trees(random: np.random.Generator, n: int) -> list[Any]:
    def grown(labels: str, depth: int) -> list[Any]:
        below = (
            [] if depth == 0 else [grown(labels, depth - 1) for _ in range(random.integers(1, 3))]
        )
        return [str(random.choice(list(labels))), below]

    return [grown(("abc", "cde")[i % 2], 3) for i in range(n)]


def _pruned(
    random: np.random.Generator, here: Any, there: Any, radius: float, count: int
) -> list[Any]:
    """One node renamed, taken out or put in."""

    def changed(tree: Any) -> Any:
        label, below = tree
        if below and random.random() < 0.7:
            place = random.integers(len(below))
            return [label, [*below[:place], changed(below[place]), *below[place + 1 :]]]
        kind = random.integers(3)
        if kind == 0:
            return [str(random.choice(list("abcdez"))), below]
        return (
            [label, below[:-1]]
            if kind == 1
            else [label, [*below, [str(random.choice(list("abcdez"))), []]]]
        )

    return [changed(here) for _ in range(count)]


def _graphs(random: np.random.Generator, n: int) -> list[dict[str, Any]]:
    return [
        {
            "nodes": random.choice(list("CNO"[i % 2 :]), size=8).tolist(),
            "edges": [[j, int(random.integers(j))] for j in range(1, 8)],
        }
        for i in range(n)
    ]


def _rewired(
    random: np.random.Generator, here: Any, there: Any, radius: float, count: int
) -> list[dict[str, Any]]:
    """One node renamed, as in the other graph or at random, or one edge laid elsewhere."""
    found = []
    for _ in range(count):
        nodes, edges, place = (
            list(here["nodes"]),
            [list(edge) for edge in here["edges"]],
            int(random.integers(1, 8)),
        )
        if random.random() < 0.7:
            nodes[place] = (
                there["nodes"][place] if random.random() < 0.5 else str(random.choice(list("CNOS")))
            )
        else:
            edges[place - 1] = [place, int(random.integers(place))]
        found.append({"nodes": nodes, "edges": edges})
    return found


def _rows(random: np.random.Generator, n: int) -> list[dict[str, Any]]:
    cities = [["Ulm", "Bonn"], ["Bonn", "Kiel"]]
    return [
        {
            "age": float(random.normal(30 + 15 * (i % 2), 8)),
            "city": str(random.choice(cities[i % 2])),
            "member": bool(random.random() < 0.5),
        }
        for i in range(n)
    ]


def _rewritten(
    random: np.random.Generator, here: Any, there: Any, radius: float, count: int
) -> list[dict[str, Any]]:
    cities = random.choice([here["city"], here["city"], there["city"], "Rome"], size=count)
    ages = here["age"] + random.normal(size=count) * 10.0 ** random.uniform(-3, 1.5, count)
    return [
        here | {"age": float(age), "city": str(city)}
        for age, city in zip(ages, cities, strict=True)
    ]


def _point_sets(random: np.random.Generator, n: int) -> np.ndarray:
    return random.normal(size=(n, 4, 2)) + 1.5 * (np.arange(n) % 2)[:, None, None]


_COSTLY_A = {"substitutions": {("a", "b"): 0.25, ("c", "d"): 2.0}, "gap": 1.25, "substitution": 1.5}
_COSTLY_C = {"substitutions": {("a", "b"): 2.0, ("c", "d"): 0.25}, "gap": 1.25, "substitution": 1.5}

KINDS: dict[str, Kind] = {
    **{
        name: Kind(name, _vectors, _shifted)
        for name in ("euclidean", "manhattan", "chebyshev", "canberra", "angular", "standardized")
    },
    "minkowski, p = 3": Kind(wb.metric("minkowski", p=3), _vectors, _shifted),
    "haversine": Kind("haversine", _places_on_earth, _travelled),
    **{
        name: Kind(name, _words, _edited)
        for name in ("levenshtein", "indel", "damerau", "normalized_levenshtein", "affixes")
    },
    "hamming": Kind("hamming", _codes, _replaced),
    "weighted_edit": Kind(wb.metric("weighted_edit", **_COSTLY_A), _words, _edited),
    "0.37 levenshtein": Kind(wb.transforms.scale("levenshtein", 0.37), _words, _edited),
    "levenshtein up to 7": Kind(wb.transforms.cap("levenshtein", 7), _words, _edited),
    "sum of two weighted_edit": Kind(
        wb.transforms.total(
            wb.metric("weighted_edit", **_COSTLY_A), wb.metric("weighted_edit", **_COSTLY_C)
        ),
        _words,
        _edited,
    ),
    "words": Kind("words", _texts, _edited),
    "ngrams": Kind("ngrams", _words, _edited),
    "shares of ngrams": Kind(wb.metric("ngrams", form="ruzicka"), _words, _edited),
    "words and ngrams": Kind(
        wb.transforms.total("words", wb.metric("ngrams", orders=(2,))), _texts, _edited
    ),
    **{name: Kind(name, _series, _shifted) for name in ("msm", "erp", "twe")},
    "jaccard": Kind("jaccard", _sets, _exchanged),
    "ruzicka": Kind("ruzicka", _weighted_sets, _reweighed),
    "tanimoto": Kind("tanimoto", _chains, _other_atoms),
    **{
        name: Kind(name, _histograms, _mixed)
        for name in ("total_variation", "hellinger", "jensen_shannon", "chi2", "wasserstein_1d")
    },
    "tree_edit": Kind("tree_edit", _trees, _pruned),
    "tree_paths": Kind("tree_paths", _trees, _pruned),
    "weisfeiler_lehman": Kind("weisfeiler_lehman", _graphs, _rewired),
    "hausdorff": Kind("hausdorff", _point_sets, _shifted),
    "gower": Kind("gower", _rows, _rewritten),
}


def moves_inside_radii(
    family: str, kind: str, moves: int, seed: int = 0
) -> dict[str, tuple[int, int]]:
    """Fit a classifier and move objects inside their radii.

    For each unit of the radii, how many moves changed a label, and how many there were. Nothing if
    the method refuses the metric, or proves nothing with it.
    """
    random, drawn = np.random.default_rng(seed), KINDS[kind]
    metric = wb.metric(drawn.metric) if isinstance(drawn.metric, str) else drawn.metric
    objects, moving = drawn.drawn(random, LEARNED_FROM), drawn.drawn(random, MOVING)
    model = FAMILIES[family](metric, 1.0)
    try:
        model.fit(objects, np.arange(LEARNED_FROM) % 2).certified_radius(moving)
    except (wb.errors.InvalidInput, wb.errors.NotCertified, wb.errors.UnsolvedProgram):
        return {}
    labels = model.predict(moving)
    return {
        unit or "own": _attacked(random, model, moving, labels, drawn.moved, unit, moves)
        for unit in _units(model)
    }


def _units(model: Any) -> Iterator[str | None]:
    """The unit of the metric, and the metrics that bound it."""
    yield None
    yield from (
        unit
        for unit in ("edit", *model.metric_.dominated)
        if _measured(model.metric_, unit) is not None
    )


def _measured(metric: wb.Metric, unit: str | None) -> wb.Metric | None:
    try:
        return radius_unit(metric, unit).measure
    except (wb.errors.NotCertified, wb.errors.InvalidInput):
        return None


def _attacked(
    random: Any, model: Any, moving: Any, labels: Any, moved: Move, unit: str | None, moves: int
) -> tuple[int, int]:
    radii, measure = model.certified_radius(moving, unit=unit), _measured(model.metric_, unit)
    inside, before = [], []
    for here, radius, label in zip(moving, radii, labels, strict=True):
        if radius == 0:
            continue
        others = np.flatnonzero(labels != label)
        there = moving[random.choice(others) if len(others) else random.integers(len(moving))]
        copies = moved(random, here, there, radius, moves // len(moving))
        if measure.name == "hamming":  # compares strings of one length
            copies = [copy for copy in copies if len(copy) == len(here)]
        copies = [copy for copy in copies if isinstance(copy, np.ndarray) or copy != here]
        near = (
            [
                copy
                for copy, far in zip(copies, measure.block([here], copies)[0], strict=True)
                if far < radius
            ]
            if copies
            else []
        )
        inside += near
        before += [label] * len(near)
    return (int((model.predict(inside) != np.array(before)).sum()) if inside else 0), len(inside)
