"""What search engines cost: the distances and bounds that they compute, and declared nanoseconds for the rest."""

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Overhead:
    """Nanoseconds that an engine spends besides computing distances.

    Attributes
    ----------
    built_object : float
        To build the engine, for each object.
    query : float
        For each query.
    call : float
        For each distance computed for a query.
    bound : float
        For each lower bound compared for a query.
    slower : float
        How many times as long a distance takes as in the blocks of brute force, in which a processor compares many strings at
        once.
    """

    built_object: float
    query: float
    call: float
    bound: float
    slower: float = 1.0


#: Measured by hand, on one core, on the objects of `python -m benchmarks index`; they need to be right within a factor of two.
OVERHEADS = {
    "kdtree": Overhead(built_object=450.0, query=1_000.0, call=80.0, bound=0.0),
    "filter": Overhead(built_object=1_500.0, query=2_500.0, call=0.0, bound=1.5, slower=4.0),
    "filter in blocks": Overhead(built_object=1_500.0, query=60_000.0, call=150.0, bound=25.0, slower=2.0),
    "pivots": Overhead(built_object=5_000.0, query=60_000.0, call=400.0, bound=170.0),
}


@dataclass(frozen=True)
class Trial:
    """How many distances an engine computed on a part of the objects, and the prediction for all of them.

    Attributes
    ----------
    engine : str
        Name of the engine.
    objects_tried : int
        Number of objects in the largest part.
    calls_tried : float
        Mean number of distances for a query on that part.
    expected_calls : float
        Predicted number of distances for a query on all objects.
    expected_seconds : float
        Predicted time of one core to build the engine and to answer all expected queries, by declared costs.

    Examples
    --------
    >>> print(Trial("pivots", 500, 40.0, 90.0, 0.25))
    pivots: 40 calls per query on 500 objects, about 90 on all; about 0.25 s for all queries
    """

    engine: str
    objects_tried: int
    calls_tried: float
    expected_calls: float
    expected_seconds: float

    def __str__(self) -> str:
        return (
            f"{self.engine}: {self.calls_tried:.0f} calls per query on {self.objects_tried:,} objects, "
            f"about {self.expected_calls:,.0f} on all; about {self.expected_seconds:.3g} s for all queries"
        )


@dataclass(frozen=True)
class Effort:
    """What an engine computes over some objects.

    Attributes
    ----------
    size : int
        The number of objects.
    built : float
        The number of distances to build the engine.
    calls, bounds : float
        The mean numbers of distances and of compared lower bounds for a query.

    Examples
    --------
    >>> Effort(1_000, built=0.0, calls=40.0, bounds=0.0).extrapolated(4_000, Effort(500, built=0.0, calls=20.0, bounds=0.0)).calls
    160.0
    """

    size: int
    built: float
    calls: float
    bounds: float

    def extrapolated(self, n: int, smaller: "Effort | None") -> "Effort":
        """Predict the effort over n objects, by a power law through this one and one over half as many; linear without it."""
        growth = n / self.size
        built = self.built * growth * math.log(n) / math.log(self.size)
        calls = self.calls * growth ** _exponent(self.calls, smaller.calls if smaller else 0.0)
        bounds = self.bounds * growth ** _exponent(self.bounds, smaller.bounds if smaller else 0.0)
        return Effort(n, built, min(float(n), calls), bounds)

    def seconds(self, n_queries: float, distance: float, overhead: Overhead) -> float:
        """Return the seconds of one core to build and to answer the queries, if a distance takes ``distance`` nanoseconds."""
        building = self.built * distance + self.size * overhead.built_object
        query = overhead.query + self.calls * (overhead.slower * distance + overhead.call) + self.bounds * overhead.bound
        return 1e-9 * (building + n_queries * query)


def _exponent(whole: float, half: float) -> float:
    """Return the exponent of the power law through two counts, from one part and from half of it; between 0 and 1."""
    return min(1.0, max(0.0, math.log2(whole / half))) if whole and half else 1.0
