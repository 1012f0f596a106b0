"""The time that every metric takes for a pair of objects, beside the call of a trusted library that
measures the same.
"""

import sys
from collections.abc import Callable, Iterator
from itertools import repeat

from benchmarks.distances.rivals import RIVALS, Rival
from benchmarks.results import Facts
from benchmarks.rows import TIMING_NOISE, Row
from benchmarks.timing import duel, seconds, table
from wideberth.objects import sample

#: How many objects a row of a block has.
WIDE = 200
#: About how long, in seconds, a block and a row are measured, once.
FOR_A_BLOCK, FOR_A_ROW = 0.25, 0.05
ROUNDS = 5

Measure = Callable[[int, int], object]


def microseconds() -> list[list[str]]:
    """A row for each metric, kind of object and library."""
    rows = []
    for rival in RIVALS:
        rows.append(_row(rival))
        print(*rows[-1], file=sys.stderr, flush=True)
    return rows


def _row(rival: Rival) -> list[str]:
    ready, metric, given = rival.bound()
    count = sample.count(ready)

    def ours(n_left: int, n_right: int) -> object:
        return metric.block(
            sample.pick(ready, slice(0, n_left)), sample.pick(ready, slice(0, n_right))
        )

    def theirs(n_left: int, n_right: int) -> object:
        return None if rival.block is None else rival.block(given[:n_left], given[:n_right])

    cells = [rival.metric, rival.what, f"{metric.nanoseconds(ready) / 1000:.3g}"]
    if rival.block is None:
        us = _block(ours, ours, count)[0]
        return [*cells, f"{us:.3g}", "", "", ""]
    us, peer_us = _block(ours, theirs, count)
    return [
        *cells,
        f"{us:.3g}",
        rival.library,
        _shown(us / peer_us),
        _shown(_row_ratio(ours, theirs, us, peer_us)),
    ]


def _shown(ratio: float) -> str:
    return f"{ratio:.2f}" if ratio >= 0.1 else f"{ratio:.2g}"


def _block(ours: Measure, theirs: Measure, count: int) -> tuple[float, float]:
    """Microseconds a pair in a square block, of all objects or of as many as fit in the time."""
    our_side, their_side = _side(ours, count), _side(theirs, count)
    times = duel(
        lambda: ours(our_side, our_side), lambda: theirs(their_side, their_side), rounds=ROUNDS
    )
    return 1e6 * times.ours / our_side**2, 1e6 * times.peer / their_side**2


def _side(measure: Measure, count: int) -> int:
    """How many objects are on the side of the block: doubled until it takes long enough."""
    side = 2
    measure(side, side)  # compiled code is loaded before it is timed
    while side < count and seconds(lambda: measure(side, side))[0] < FOR_A_BLOCK / 4:  # noqa: B023 - called at once
        side *= 2
    return min(side, count)


def _row_ratio(ours: Measure, theirs: Measure, us: float, peer_us: float) -> float:
    """Ours over theirs for one object beside 200, or beside fewer where that takes too long."""
    our_width, their_width = _width(us), _width(peer_us)
    times = duel(_often(ours, our_width, us), _often(theirs, their_width, peer_us), rounds=ROUNDS)
    per_pair = (
        times.ours / (_times(our_width, us) * our_width),
        times.peer / (_times(their_width, peer_us) * their_width),
    )
    return per_pair[0] / per_pair[1]


def _width(us: float) -> int:
    return max(1, min(WIDE, int(1e6 * FOR_A_BLOCK / us)))


def _times(width: int, us: float) -> int:
    """How many rows are measured at a time: one may be too short to time."""
    return max(1, min(100, int(1e6 * FOR_A_ROW / (width * us))))


def _often(measure: Measure, width: int, us: float) -> Callable[[], object]:
    def run() -> None:
        for _ in repeat(None, _times(width, us)):
            measure(1, width)

    return run


def measure() -> Facts:
    return {"rows": list(microseconds())}


def rows(facts: Facts) -> Iterator[Row]:
    """Times of a pair beside the library that measures the same: in blocks, and for one object
    beside 200.
    """
    for metric, what, _, ours, library, *ratios in facts["rows"]:
        for ratio, shape in zip(ratios, ("block", "row"), strict=True) if library else ():
            key, us = (
                f"distances: {metric}, {what}, {library}, {shape}",
                float(ours) if shape == "block" else float(ratio),
            )
            unit = "us" if shape == "block" else "times the peer's time"
            yield Row(
                topic="distances",
                key=key,
                ours=us,
                peer=library,
                theirs=us / float(ratio),
                unit=unit,
                noise=TIMING_NOISE,
            )


def page(facts: Facts) -> str:
    return "\n".join(
        [
            "# Distances",
            "",
            "From `make bench` (`python -m benchmarks distances`): microseconds of a core for a "
            "pair, in square blocks of 1000",
            "objects or of as many as fit in a quarter of a second; best of several runs in turns. "
            "Objects are prepared once,",
            "for the library too. Ours / library is the ratio of times a pair, below 1 where ours "
            "is faster: in blocks, and for",
            "one object beside 200. Declared is what `Metric.nanoseconds` says, by which `Index` "
            "chooses its engine.",
            "",
            table(
                [
                    "metric",
                    "objects",
                    "declared us",
                    "us a pair",
                    "library",
                    "ours / library, block",
                    "ours / library, row",
                ],
                facts["rows"],
            ),
            "",
        ]
    )
