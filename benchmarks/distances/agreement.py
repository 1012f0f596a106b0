"""Do distances agree with those of the libraries that measure the same: the largest differences.

Elastic distances are compared on series of one channel, of equal and unequal lengths from 1 to 90.
For several channels ours and aeon's differ on purpose: ours add the channels' distances, which
keeps a metric, aeon's measure the points of all channels together.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import wideberth as wb
from benchmarks.distances.rivals import RIVALS, ROUNDING, Rival
from benchmarks.results import Facts
from benchmarks.timing import table
from wideberth.objects import sample

Series = list[NDArray[np.float64]]
#: Larger than any sum of values: to delete it, or to match it with another value, is never worth
#: it.
FAR = 1e9
#: How many objects of each kind are compared with each other; fewer where a library takes
#: milliseconds for a pair.
COMPARED = 200
FEWER = {"apted": 20, "zss": 20}


def erp_off_the_borders(series: Series, g: float) -> Any:
    """aeon's edit distances with real penalty, kept off the borders of its tables.

    aeon 1.6 writes the cost of a whole series into every cell of a border, where the cost of its
    first points belongs (Chen & Ng 2004): with gap 0, its distance of [5, -5, 5] and [-5, 5] is 15,
    although deleting the first 5 leaves equal series. A common first point, far from all others, is
    matched with itself at no cost; from there on no path touches a border.
    """
    from aeon.distances import erp_pairwise_distance

    return erp_pairwise_distance([np.concatenate([[FAR], each]) for each in series], g=g)


def elastic() -> list[tuple[str, dict[str, Any], Callable[[Series], Any]]]:
    """Metrics with their parameters, and aeon's functions for them."""
    from aeon.distances import dtw_pairwise_distance, msm_pairwise_distance, twe_pairwise_distance

    return [
        ("msm", {"cost": 0.7}, lambda series: msm_pairwise_distance(series, c=0.7)),
        ("dtw", {}, lambda series: np.sqrt(dtw_pairwise_distance(series))),
        ("erp", {"gap": 0.0}, lambda series: erp_off_the_borders(series, g=0.0)),
        ("erp", {"gap": 0.3}, lambda series: erp_off_the_borders(series, g=0.3)),
        ("twe", {}, lambda series: twe_pairwise_distance(series)),
        (
            "twe",
            {"nu": 0.4, "lmbda": 0.0},
            lambda series: twe_pairwise_distance(series, nu=0.4, lmbda=0.0),
        ),
    ]


def samples() -> list[Series]:
    """Random walks, and whole numbers with many ties: of one length each, and of mixed lengths."""
    generator = np.random.default_rng(0)
    mixed = [1, 1, 2, 2, 3, 5, 8, 13, 24, 24, 61, 90]
    drawn = []
    for lengths in (mixed, *([length] * 8 for length in (1, 2, 24, 90))):
        drawn.append([generator.normal(size=length).cumsum() for length in lengths])
        drawn.append([generator.integers(-3, 4, size=length).astype(float) for length in lengths])
    return drawn


def largest_difference(ours: Any, theirs: Any) -> float:
    """As a share of the distance where that is above 1."""
    return float(np.max(np.abs(ours - np.asarray(theirs)) / np.maximum(1.0, ours)))


def elastic_difference(metric: wb.Metric, peer: Callable[[Series], Any]) -> float:
    return max(
        largest_difference(metric.block(series, series), peer(series)) for series in samples()
    )


def row(rival: Rival) -> list[str]:
    assert rival.block is not None
    ready, metric, given = rival.bound()
    n = FEWER.get(rival.library, COMPARED)
    few = sample.pick(ready, slice(0, n))
    found = largest_difference(metric.block(few, few), rival.block(given[:n], given[:n]))
    return [
        metric.name,
        rival.what,
        rival.library,
        f"{found:.1e}",
        _verdict(found, rival.tolerance, rival.because),
    ]


def _verdict(found: float, tolerance: float = ROUNDING, because: str = "") -> str:
    if not found <= tolerance:
        return "NO"
    return "yes" if found <= ROUNDING else f"yes: {because}"


def elastic_rows() -> list[list[str]]:
    rows = []
    from aeon.distances import erp_pairwise_distance

    for name, parameters, peer in elastic():
        metric = wb.metric(name, **parameters)
        found = elastic_difference(metric, peer)
        changed = ", ".join(f"{key} = {value}" for key, value in parameters.items())
        rows.append(
            [
                f"{name}, {changed}" if changed else name,
                "series of 1 to 90",
                "aeon",
                f"{found:.1e}",
                _verdict(found),
            ]
        )
    as_it_is = elastic_difference(
        wb.metric("erp"), lambda series: erp_pairwise_distance(series, g=0.0)
    )
    line = ["erp", "series of 1 to 90", "aeon with its borders", f"{as_it_is:.1e}"]
    return [*rows, [*line, "no: aeon's borders, see `erp_off_the_borders`"]]


def measure() -> Facts:
    compared = [rival for rival in RIVALS if rival.block is not None and rival.library != "aeon"]
    return {"rows": [*map(row, compared), *elastic_rows()]}


def page(facts: Facts) -> str:
    return "\n".join(
        [
            "# Agreement with other libraries",
            "",
            "From `make bench` (`python -m benchmarks agreement`): the largest difference between "
            "a distance of ours and of the",
            "library that measures the same, as a share of the distance where that is above 1, in "
            "all pairs of",
            f"{COMPARED} objects "
            f"({', '.join(f'{n} beside {library}' for library, n in FEWER.items())}).",
            f"Rounding is {ROUNDING:.0e}.",
            "",
            table(["metric", "objects", "library", "largest difference", "agree"], facts["rows"]),
            "",
        ]
    )
