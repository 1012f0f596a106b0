"""Capacities measured on samples of growing size, beside the rates that theory predicts."""

from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from math import sqrt

import numpy as np

from benchmarks.folders import PAGES
from benchmarks.guarantees.capacity_rates import (
    DATA_SIZES,
    PARTS,
    Curve,
    Floats,
    Rates,
    bounds_in_the_plane,
    exponent,
    growth_of_bounds,
    logarithm,
    theorem_7_ratios,
    with_constants,
)
from benchmarks.keeping import kept
from benchmarks.results import Facts
from benchmarks.timing import seconds, table
from wideberth.papers.capacities import tree_rademacher
from wideberth.papers.dimension import covering_numbers
from wideberth.papers.measured_capacities import lipschitz_capacity

PICTURE = PAGES / "capacity.svg"
#: Numbers of objects for which the price of a measurement is told, and up to how many it is exact.
PRICED, EXACT = (1000, 3000, 10_000, 50_000), 3000


def prices() -> list[list[str]]:
    """What exact matchings, centres and covering numbers cost and prove for the square, with 100
    sign vectors.
    """
    rows = []
    for n in PRICED:
        points = np.random.default_rng(n).random((n, 2))
        ways: list[tuple[str, int | None]] = [("300 centres", 300), ("1,000 centres", 1000)]
        for name, centres in ([("exact", None)] if n <= EXACT else []) + ways:
            run = partial(
                lipschitz_capacity, points, height=sqrt(2), centres=centres, draws=100, n_jobs=1
            )
            took, found = seconds(run)
            rows.append(
                [
                    f"{n:,}",
                    name,
                    f"{found.value:.4f}",
                    f"{found.low:.4f} - {found.high:.4f}",
                    f"{took:.1f}",
                ]
            )
        took, bound = seconds(partial(_by_covers, points))
        rows.append([f"{n:,}", "covering numbers", "", f"0 - {bound:.4f}", f"{took:.1f}"])
    return rows


def _by_covers(points: Floats) -> float:
    covers = covering_numbers(points, count=1000, n_jobs=1)
    kept = np.unique(np.geomspace(1, len(covers.scales), 60).astype(int)) - 1
    return tree_rademacher(covers.scales[kept], covers.upper[kept], len(points), reach=sqrt(2))


def measure() -> Facts:
    """All curves; nothing but their being unfinished as long as some are lacking, since powers need
    all sizes.
    """
    curves = {
        part: {
            str(key): kept("capacity", f"{part}, {key}", partial(_plain, run))
            for key, run in runs.items()
        }
        for part, runs in PARTS.items()
    }
    ratios, costs = (
        kept("capacity", "theorem 7", theorem_7_ratios),
        kept("capacity", "prices", prices),
    )
    if (
        any(curve is None for found in curves.values() for curve in found.values())
        or ratios is None
        or costs is None
    ):
        return {"unfinished": True}
    bounds = {name: each.tolist() for name, each in bounds_in_the_plane().items()}
    return {"rates": curves | {"bounds": bounds}, "theorem_7": ratios, "prices": costs}


def _plain(run: Callable[[], Curve | dict[str, Curve]]) -> Facts:
    found = run()
    return (
        asdict(found)
        if isinstance(found, Curve)
        else {name: asdict(each) for name, each in found.items()}
    )


def stored_rates(facts: Facts) -> Rates:
    """The curves from the plain values of a result file, whose keys are texts."""

    def curves(found: dict[str, Facts]) -> dict[int, Curve]:
        return {int(d): _curve(each) for d, each in found.items()}

    told = facts["rates"]
    return Rates(
        **{
            name: curves(told[name])
            for name in ("cube", "torus", "averages", "kuratowski", "hilbert")
        },
        bounds={name: np.array(each) for name, each in told["bounds"].items()},
        data={
            name: {ball: _curve(each) for ball, each in found.items()}
            for name, found in told["data"].items()
        },
    )


def _curve(found: Facts) -> Curve:
    return Curve(*(np.array(found[each]) for each in ("sizes", "means", "errors")))


def draw_from(facts: Facts) -> None:
    from benchmarks.guarantees.capacity_plot import draw

    if "unfinished" in facts:
        return
    draw(stored_rates(facts), PICTURE)


def page(facts: Facts) -> str:
    if "unfinished" in facts:
        return f"{INTRODUCTION}\n\n{UNFINISHED}"
    found = stored_rates(facts)
    return "\n".join(
        [
            *(INTRODUCTION, "", PLOT, "", ON_DISCREPANCY, ""),
            table(
                ["d", "theory", "cube", "torus", "n^(1/d) times the last mean: torus, cube"],
                _discrepancy_rows(found),
            ),
            *("", ON_THE_PLANE, ""),
            table(["what", "b of n R^2 = a + b ln n"], _logarithm_rows(found)),
            *("", ON_AVERAGES, ""),
            table(["ball", "d", "theory", "power of n, whole", "matching"], _average_rows(found)),
            *("", ON_BOUNDS, ""),
            table(
                ["bound", "at n = 10^2", "10^6", "10^12", "off the line, at most", "power of n"],
                _bound_rows(found),
            ),
            *("", ON_THEOREM_7, ""),
            table(
                ["objects", "n", "ratio"],
                [[name, f"{n:,}", f"{ratio:.4f}"] for name, n, ratio in facts["theorem_7"]],
            ),
            *("", ON_DATA, ""),
            table(["data", "ball", *map(str, DATA_SIZES), "power of n"], _data_rows(found)),
            *("", ON_PRICES, ""),
            table(["n", "how", "value", "limits (99 %)", "CPU s"], facts["prices"]),
            "",
        ]
    )


def _discrepancy_rows(found: Rates) -> list[list[str]]:
    rows = []
    for d, curve in found.cube.items():
        scaled = [
            f"{each.means[-1] * each.sizes[-1] ** (1 / d):.3f}"
            for each in (found.torus.get(d), curve)
            if each is not None
        ]
        torus = str(exponent(found.torus[d])) if d > 2 else ""
        rows.append(
            [
                str(d),
                f"{-1 / max(d, 2):.3f}",
                str(exponent(curve)),
                torus,
                ", ".join(scaled) if d > 2 else "",
            ]
        )
    rows[1][1] = "-1/2, times sqrt(ln n)"
    return rows


def _logarithm_rows(found: Rates) -> list[list[str]]:
    kinds = {"discrepancy": found.cube, "Rademacher average": found.averages}
    return [
        [f"{kind}, d = {d}", str(logarithm(curves[d]))]
        for kind, curves in kinds.items()
        for d in (1, 2)
    ]


def _average_rows(found: Rates) -> list[list[str]]:
    rows = []
    for d, curve in found.averages.items():
        theory = f"{-1 / max(d, 2):.3f}" + (", times sqrt(ln n)" if d == 2 else "")
        rows.append(
            [
                "Lipschitz",
                str(d),
                theory,
                str(exponent(with_constants(curve, d))),
                str(exponent(curve)),
            ]
        )
    for ball, curves in {"Kuratowski": found.kuratowski, "Hilbert": found.hilbert}.items():
        rows += [[ball, str(d), "-0.500", str(exponent(curve)), ""] for d, curve in curves.items()]
    return rows


def _bound_rows(found: Rates) -> list[list[str]]:
    rows = []
    for name, bounds in found.bounds.items():
        off, power = growth_of_bounds(bounds)
        rows.append(
            [
                name,
                *(f"{bounds[place]:.3g}" for place in (0, 4, 10)),
                f"{100 * off:.1f} %",
                f"{power:.3f}",
            ]
        )
    return rows


def _data_rows(found: Rates) -> list[list[str]]:
    return [
        [name, ball, *(f"{mean:.3g}" for mean in curve.means), str(exponent(curve))]
        for name, curves in found.data.items()
        for ball, curve in curves.items()
    ]


INTRODUCTION = """\
# Capacities measured on samples

From `make bench` (`python -m benchmarks capacity`). How rich classes of functions are on samples of growing size, beside the
rates of von Luxburg & Bousquet (2004) and Hein, Bousquet & Schoelkopf (2005). Samples are uniform on the cube [0, 1]^d with the
Euclidean metric, unless something else is said. Powers are fitted to the means over the samples of each size, 32 to 2,048
objects, with their standard errors. They describe what was seen and bound nothing."""
UNFINISHED = "Some of the samples are still to be measured; powers of n need all of them."
PLOT = "![Capacities against the number of objects](capacity.svg)"
ON_DISCREPANCY = """\
## Maximum discrepancy of the Lipschitz ball (Theorem 15)

The cost of the cheapest matching of two samples, by an object. For d >= 3 theory has n^(1/d) times it tend to a constant. From
above on the cube, whose border takes up less and less of it; from below on the torus, the cube without its border: the limit
lies between the two, and so does the power."""
ON_THE_PLANE = """\
For d = 2 theory has sqrt(ln n / n), for d = 1 n^(-1/2): the square of it times n grows like a logarithm in the plane, and does
not grow on the line."""
ON_AVERAGES = """\
## Empirical Rademacher averages

Of the Lipschitz ball, whole, and without what constant functions reach (near sqrt(2 d / (pi n))), which leaves the cost of the
matching. Where theory has n^(-1/d), its power lies between the two: constants fall faster, and on few objects the matching falls
more slowly, as the larger side has objects to spare. Of the balls of the Kuratowski and the Hilbert embedding with the middle of
the cube as base point: near n^(-1/2) whatever the dimension. Errors of these fits are rather too small: other
seeds of the signs move powers by more than one of them."""
ON_BOUNDS = """\
## Bounds from covering numbers in the plane (Example 5)

Theorem 18 with the covering numbers of the square (connected and centred, integrated to the diameter), and the sum over a tree of
squares (`cube_rademacher`). Times sqrt n both grow like a straight line in ln n: log n / sqrt n, a root of a logarithm more than
the truth."""
ON_THEOREM_7 = """\
## Theorem 7 of Hein, Bousquet & Schoelkopf

Their bound of the Hilbert ball, (1/n) sqrt(sum d^2(x_i, x_0)), over the average of the Kuratowski ball, exact for up to 12
objects and else from 2,000 sign vectors: at most sqrt 2 = 1.4142, and no less for two objects away from the base."""
ON_DATA = """\
## On real data

Means of 6 random choices of n objects; the Lipschitz functions stay within the largest distance between some 1,500 of them. The
whole Lipschitz ball falls more slowly than on the cube of five dimensions; the Hilbert ball falls like n^(-1/2), the Kuratowski
ball more slowly than that here; 6 choices leave it open how much more slowly."""
ON_PRICES = """\
## What the measurement costs

`lipschitz_capacity` on the square with 100 sign vectors: exact matchings, objects moved to centres, and, without chance, the sum
over covers of the sample (1,000 centres). The limits are proved, with signs that are drawn at 99 %."""
