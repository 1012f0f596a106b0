"""Hausdorff distance straight from its definition."""

from collections.abc import Callable, Sequence

Point = Sequence[float]


def hausdorff(
    one: Sequence[Point], other: Sequence[Point], ground: Callable[[Point, Point], float]
) -> float:
    """The most remote point of both sets: how far it is from the other set, point by point."""
    return max(
        max(min(ground(here, there) for there in other) for here in one),
        max(min(ground(here, there) for there in one) for here in other),
    )
