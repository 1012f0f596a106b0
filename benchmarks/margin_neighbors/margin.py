"""Margin neighbours: errors under label noise, time at scale, time with many classes, and condensed
sets.
"""

import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_digits, make_moons
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.neighbors import KNeighborsClassifier

import wideberth as wb
from benchmarks.keeping import kept
from benchmarks.margin_neighbors.condensing import imbalanced_learn, relative_neighbors
from benchmarks.results import Facts
from benchmarks.rows import TIMING_NOISE, Row
from benchmarks.samples import overlapping_classes
from benchmarks.timing import digits, number, seconds, table
from wideberth.classifiers.margin_neighbors.criteria import pick_to_learn

Floats = NDArray[np.float64]
Labels = NDArray[Any]

#: Random halvings over which errors are averaged.
SPLITS = 10
#: The numbers of neighbours that scikit-learn's grid search tries.
NEIGHBORS = (1, 3, 5, 9, 15, 25)
#: Numbers of points and dimensions of the fits beside it.
SCALES = ((1_000_000, 2), (100_000, 8))
#: Points in stripes, and how many stripes there are.
POINTS, CLASSES = 200_000, (2, 10, 100, 1_000, 10_000)

METHODS: dict[str, Callable[[], Any]] = {
    "1-NN": lambda: wb.NeighborsClassifier(n_neighbors=1),
    "kNN, k by leaving one out": wb.NeighborsClassifier,
    "margin, holdout": wb.MarginNeighborsClassifier,
    "margin, holdout, refit": lambda: wb.MarginNeighborsClassifier(refit=True),
    "margin, compression": lambda: wb.MarginNeighborsClassifier(separation="compression"),
}


@dataclass(frozen=True)
class Noisy:
    """Points with clean labels, and labels a share of which was drawn anew."""

    name: str
    points: Floats
    clean: Labels
    noisy: Labels


def noisy_samples(seed: int) -> list[Noisy]:
    generator = np.random.default_rng(seed)
    points, labels = load_digits(return_X_y=True)
    redrawn = np.where(
        generator.random(len(labels)) < 0.15, generator.integers(0, 10, len(labels)), labels
    )
    moons, sides = make_moons(4000, noise=0.35, random_state=seed)
    return [
        Noisy("digits, 15 % of labels redrawn", points, labels, redrawn),
        Noisy("two moons, 0.35", moons, sides, sides),
    ]


def noise() -> list[list[str]]:
    """Errors on noisy and clean test labels, and how the noisy ones compare with 1-NN and kNN."""
    errors: dict[tuple[str, str], list[tuple[float, float, float]]] = {}
    for seed in range(SPLITS):
        for data, name, *found in kept("margin", f"noise, {seed}", partial(halving, seed)) or []:
            errors.setdefault((data, name), []).append(
                tuple(np.nan if each is None else each for each in found)
            )
        print("split", seed, file=sys.stderr, flush=True)
    return [_noise_row(errors, data, name) for data, name in errors if len(errors[data, name]) > 1]


def halving(seed: int) -> list[tuple[str, str, float, float, float | None]]:
    """Data, method, its errors on noisy and on clean labels of the half asked about, and its bound,
    if it has one.
    """
    lines = []
    for case in noisy_samples(seed):
        known, asked = train_test_split(
            np.arange(len(case.clean)), test_size=0.5, random_state=seed, stratify=case.clean
        )
        for name, make in METHODS.items():
            model = make().fit(case.points[known], case.noisy[known])
            answers = model.predict(case.points[asked])
            bound = getattr(getattr(model, "risk_bound_", None), "value", None)
            wrong = [float(np.mean(answers != truth[asked])) for truth in (case.noisy, case.clean)]
            lines.append((case.name, name, wrong[0], wrong[1], bound))
    return lines


def _noise_row(
    errors: dict[tuple[str, str], list[tuple[float, float, float]]], data: str, name: str
) -> list[str]:
    ours, nearest = np.array(errors[data, name]), np.array(errors[data, "1-NN"])
    tuned = np.array(errors[data, "kNN, k by leaving one out"])
    noisy, clean, bound = 100 * ours.mean(axis=0)
    below = 100 * (1 - ours[:, 0].mean() / nearest[:, 0].mean())
    gaps = 100 * (ours[:, 0] - tuned[:, 0])
    return [
        data,
        name,
        f"{noisy:.2f}",
        f"{clean:.2f}",
        f"{below:.0f} %",
        f"{gaps.mean():+.2f} ± {gaps.std(ddof=1) / np.sqrt(len(gaps)):.2f}",
        "" if np.isnan(bound) else f"{bound:.1f}",
    ]


def scale() -> list[list[str]]:
    """The time of one fit with all separations, beside a grid search over six numbers of
    neighbours.
    """
    return _all(
        kept("margin", f"scale, {n} x {dimension}", partial(beside_a_grid, n, dimension))
        for n, dimension in SCALES
    )


def _all(found: Iterable[list[str] | None]) -> list[list[str]]:
    """Those that there was time for."""
    return [each for each in found if each is not None]


def beside_a_grid(n: int, dimension: int) -> list[str]:
    points, labels = overlapping_classes(n, dimension)
    asked, truth = overlapping_classes(50_000, dimension)
    ours, model = seconds(lambda: wb.MarginNeighborsClassifier().fit(points, labels))
    search = GridSearchCV(KNeighborsClassifier(), {"n_neighbors": list(NEIGHBORS)})
    theirs, found = seconds(lambda: search.fit(points, labels))
    errors = [100 * float(np.mean(each.predict(asked) != truth)) for each in (model, found)]
    share = f"{100 * len(model.kept_) / n:.0f} %"
    cells = [
        digits(ours),
        digits(theirs),
        f"{ours / theirs:.2f}",
        f"{errors[0]:.2f}",
        f"{errors[1]:.2f}",
        share,
    ]
    line = [f"{n:,} x {dimension}", *cells, f"{100 * model.risk_bound_.value:.2f}"]
    print(*line, file=sys.stderr, flush=True)
    return line


def many_classes() -> list[list[str]]:
    """The same points with more and more classes: stripes, so that a class has neighbours of two
    others.
    """
    return _all(
        kept("margin", f"{classes} classes", partial(stripes, classes)) for classes in CLASSES
    )


def stripes(classes: int) -> list[str]:
    generator = np.random.default_rng(0)
    points, asked = generator.random((POINTS, 2)), generator.random((POINTS // 10, 2))
    wb.MarginNeighborsClassifier().fit(points[:2000], (points[:2000, 0] * 10).astype(int)).predict(
        asked[:10]
    )  # compiled
    labels = (points[:, 0] * classes).astype(int)
    fitting, _ = seconds(
        lambda: wb.MarginNeighborsClassifier(separation=0.2 / classes).fit(points, labels)
    )
    choosing, chosen = seconds(lambda: wb.MarginNeighborsClassifier().fit(points, labels))
    answering, _ = seconds(lambda: chosen.predict(asked))
    line = [
        f"{classes:,}",
        f"{fitting:.2f}",
        f"{choosing:.2f}",
        f"{1e6 * answering / len(asked):.1f}",
    ]
    print(*line, file=sys.stderr, flush=True)
    return line


def condensing() -> list[list[str]]:
    """How much of the training half is kept, and the error on the other half."""
    lines = []
    moons, sides = make_moons(4000, noise=0.35, random_state=0)
    images, numbers = load_digits(return_X_y=True)
    for data, points, labels in (("two moons, 0.35", moons, sides), ("digits", images, numbers)):
        lines += (
            kept("margin", f"condensing, {data}", partial(condensed, data, points, labels)) or []
        )
    return lines


def condensed(data: str, points: Floats, labels: Labels) -> list[list[str]]:
    """A line for each way."""
    lines = []
    known, asked = train_test_split(
        np.arange(len(labels)), test_size=0.5, random_state=0, stratify=labels
    )
    sample = points[known], labels[known]
    for name, choose in _condensers(sample).items():
        took, some = seconds(lambda: choose(*sample))  # noqa: B023 - called at once
        small = wb.NeighborsClassifier(n_neighbors=1).fit(sample[0][some], sample[1][some])
        answering, answers = seconds(lambda: small.predict(points[asked]))  # noqa: B023 - called at once
        error = 100 * float(np.mean(answers != labels[asked]))
        rate = f"{len(asked) / answering:,.0f}"
        lines.append(
            [
                data,
                name,
                f"{100 * len(some) / len(known):.1f} %",
                f"{error:.2f}",
                f"{took:.2f}",
                rate,
            ]
        )
        print(*lines[-1], file=sys.stderr, flush=True)
    return lines


def _condensers(
    sample: tuple[Floats, Labels],
) -> dict[str, Callable[[Floats, Labels], NDArray[np.intp]]]:
    def ours(**parameters: Any) -> Callable[[Floats, Labels], NDArray[np.intp]]:
        return lambda points, labels: (
            wb.MarginNeighborsClassifier(refit=True, **parameters).fit(points, labels).kept_
        )

    def picked(share: float) -> Callable[[Floats, Labels], NDArray[np.intp]]:
        """Pick-to-learn with a margin of a share of the separation that a hold-out chooses, from
        what that keeps.
        """

        def choose(points: Floats, labels: Labels) -> NDArray[np.intp]:
            model = wb.MarginNeighborsClassifier(refit=True).fit(points, labels)
            kept = model.kept_
            return np.asarray(
                kept[pick_to_learn(points[kept], labels[kept], margin=share * model.separation_)]
            )

        return choose

    chosen = wb.MarginNeighborsClassifier().fit(*sample).separation_
    separations = {
        f"t = {factor:g} t*": factor * chosen for factor in (0.5, 1.0, 1.5) if np.isfinite(chosen)
    }
    return {
        "1-NN, all": lambda points, _: np.arange(len(points)),
        "relative neighbours": relative_neighbors,
        "imbalanced-learn, condensed": imbalanced_learn,
        "margin, all kept": ours(),
        **{f"margin, {condense}": ours(condense=condense) for condense in ("net", "p2l")},
        **{
            f"margin, {condense}, {name}": ours(condense=condense, separation=value)
            for condense in ("net", "p2l")
            for name, value in separations.items()
            if name != "t = 1 t*"
        },
        **{f"margin, p2l right by {share:g} t*": picked(share) for share in (0.1, 0.2, 0.4)},
    }


def measure() -> Facts:
    return {
        "noise": noise(),
        "scale": scale(),
        "many_classes": many_classes(),
        "condensing": condensing(),
    }


def rows(facts: Facts) -> Iterator[Row]:
    """One fit with the choice of a separation beside a grid search over numbers of neighbours."""
    for size, ours, theirs, *_ in facts["scale"]:
        key = f"margin: {size} points, fit with all separations"
        peer = "GridSearchCV(KNeighborsClassifier())"
        yield Row(
            topic="choosing",
            key=key,
            ours=number(ours),
            peer=peer,
            theirs=number(theirs),
            unit="s",
            noise=TIMING_NOISE,
        )


def page(facts: Facts) -> str:
    noisy = ["data", "method", "error", "on clean labels", "below 1-NN", "minus kNN", "bound"]
    return "\n".join(
        [
            "# Margin neighbours",
            "",
            "From `make bench` (`python -m benchmarks margin`). Errors and bounds in %.",
            "",
            f"Label noise in training and test; means over {SPLITS} random halvings:",
            "",
            table(noisy, facts["noise"]),
            "",
            "One fit, with covers for all separations and the choice of one, beside scikit-learn's",
            f"`GridSearchCV(KNeighborsClassifier())` over k = {', '.join(map(str, NEIGHBORS))}, "
            "seconds of all cores:",
            "",
            table(
                [
                    "points",
                    "ours, s",
                    "grid search, s",
                    "ratio",
                    "our error",
                    "its error",
                    "kept",
                    "our bound",
                ],
                facts["scale"],
            ),
            "",
            f"{POINTS:,} points in the plane in more and more classes:",
            "",
            table(
                ["classes", "fit, one separation, s", "fit, choosing, s", "predict, us a point"],
                facts["many_classes"],
            ),
            "",
            "Condensed sets, from a half of the objects, errors on the other half (t* is what a "
            "hold-out chooses):",
            "",
            table(
                ["data", "method", "kept", "error", "seconds", "answers a second"],
                facts["condensing"],
            ),
            "",
        ]
    )
