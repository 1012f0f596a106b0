"""What a metric offers to searches that filter: small signatures of objects that bound distances from below."""

from typing import Any, Protocol

from wideberth.array_types import Floats


class Sketch(Protocol):
    """How a metric signs objects, learned from a sample; two signatures bound the distance of their objects from below.

    A bound never exceeds the distance as ``metric.block`` computes it, rounding included, and it takes far less time. Which
    objects the sketch was learned from decides how tight its bounds are, never whether they hold.
    """

    def signatures(self, prepared: Any) -> Any:
        """Sign objects, given as ``metric.prepare`` returns them: a sample; None if there is one that cannot be signed."""

    def lower_bounds(self, left: Any, right: Any) -> Floats:
        """Bound all distances between two samples of signatures from below, an array of shape (len(left), len(right))."""
