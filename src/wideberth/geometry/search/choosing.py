"""Which engine is the fastest here: worked out from counted distances and declared costs, never from a clock.

Two runs on the same objects choose alike, however busy the machine is. The costs of an engine beside its distances were measured
once, see `OVERHEADS`; the cost of a distance is what its metric declares (`Metric.nanoseconds`).
"""

import math
from dataclasses import dataclass

import numpy as np

from wideberth.arrays import Indices
from wideberth.geometry.search.brute import Brute
from wideberth.geometry.search.engine import Engine, Population, Queries
from wideberth.geometry.search.kdtree import KdTreeSearch
from wideberth.geometry.search.pivots import Pivots
from wideberth.metrics.metric import Metric

#: Fewer objects are always measured one and all.
FEWEST_OBJECTS = 1_000
#: Queries expected for each object.
QUERIES_PER_OBJECT = 0.1
#: Seconds of brute force from which it is worth trying something better.
WORTH_TRYING = {"kdtree": 0.05, "pivots": 1.0}
#: An engine must promise to need less than this share of the time of brute force: promises are extrapolated.
CLEARLY_FASTER = 0.5
#: What it may cost to try one engine, as a share of the cost of brute force.
PRICE_OF_CHOOSING = 0.015
#: The most objects, and the queries, to try an engine on.
MOST_OBJECTS, TRIED_QUERIES = 4_000, 16
#: Nanoseconds that brute force spends on a pair beside its distance.
SORTING_A_PAIR = 1.0


@dataclass(frozen=True)
class Overhead:
    """Nanoseconds that an engine spends beside measuring: to build, for an object; to answer, for a query, call and bound."""

    built_object: float
    query: float
    call: float
    bound: float


#: Measured by hand, on one core, on the objects of `python -m benchmarks index`; they need to be right within a factor of two.
OVERHEADS = {
    "kdtree": Overhead(built_object=450.0, query=1_000.0, call=80.0, bound=0.0),
    "pivots": Overhead(built_object=5_000.0, query=60_000.0, call=400.0, bound=170.0),
}


@dataclass(frozen=True)
class Trial:
    """What an engine measured for a query on a part of the objects, and what that means for all of them.

    ``expected_seconds`` are those of one core for building and for all queries, by declared costs.
    """

    engine: str
    objects_tried: int
    calls_tried: float
    expected_calls: float
    expected_seconds: float

    def __str__(self) -> str:
        return (
            f"{self.engine}: {self.calls_tried:.0f} calls a query on {self.objects_tried:,} objects, "
            f"about {self.expected_calls:,.0f} on all; about {self.expected_seconds:.3g} s for all queries"
        )


@dataclass(frozen=True)
class EngineChoice:
    """The engine chosen, why, and what was tried for it."""

    engine: str
    reason: str
    trials: tuple[Trial, ...] = ()

    def __str__(self) -> str:
        return "\n".join([f"{self.engine}: {self.reason}", *(f"  {trial}" for trial in self.trials)])


def build(name: str, population: Population, *, max_memory: int, n_jobs: int | None, random_state: int) -> Engine:
    """The engine of that name over a population."""
    match name:
        case "brute":
            return Brute(population, max_memory=max_memory)
        case "kdtree":
            return KdTreeSearch(population)
    return Pivots(population, max_memory=max_memory, n_jobs=n_jobs, random_state=random_state)


def choose(population: Population, *, eta: float, max_memory: int, random_state: int) -> EngineChoice:
    """The engine that answers a tenth as many queries as there are objects at the least cost, its building included.

    Engines are tried on growing parts of the objects as long as that costs next to nothing beside brute force; a power law
    through the last two parts says what they would measure on all. The calls made for it are added to the population's.
    """
    n, metric = len(population), population.counted.metric
    if not metric.obeys_triangle:
        return EngineChoice("brute", f"{metric.name!r} does not promise the triangle inequality, so nothing can be ruled out.")
    if n < FEWEST_OBJECTS:
        return EngineChoice("brute", f"there are only {n} objects.")
    distance = metric.nanoseconds(population.counted.prepared)
    brute_seconds = 1e-9 * (distance + SORTING_A_PAIR) * QUERIES_PER_OBJECT * n * n
    candidates = [name for name in _candidates(metric) if brute_seconds >= WORTH_TRYING[name]]
    if not candidates:
        return EngineChoice("brute", f"all of it takes only about {brute_seconds:.2g} s.")
    trying = _Trying(population, np.random.default_rng(random_state).permutation(n), distance, eta, max_memory, random_state)
    trials = tuple(trying.run(name, brute_seconds) for name in candidates)
    best = min(trials, key=lambda trial: trial.expected_seconds)
    if best.expected_seconds < CLEARLY_FASTER * brute_seconds:
        return EngineChoice(best.engine, f"it promises to be the fastest; brute force takes about {brute_seconds:.2g} s.", trials)
    return EngineChoice("brute", f"nothing promises to be clearly faster than its {brute_seconds:.2g} s.", trials)


def _candidates(metric: Metric) -> list[str]:
    return [*(["kdtree"] if KdTreeSearch.takes(metric) else []), "pivots"]


@dataclass(frozen=True)
class _Work:
    """What an engine over ``size`` objects was seen to do: calls to build it, calls and bounds compared for a query."""

    size: int
    built: float
    calls: float
    bounds: float

    def on_all(self, n: int, smaller: "_Work | None") -> "_Work":
        """What it would do over n objects, by a power law through this and a part half as large; linear if there is none."""
        growth = n / self.size
        built = self.built * growth * math.log(n) / math.log(self.size)
        calls = self.calls * growth ** _exponent(self.calls, smaller.calls if smaller else 0.0)
        bounds = self.bounds * growth ** _exponent(self.bounds, smaller.bounds if smaller else 0.0)
        return _Work(n, built, min(float(n), calls), bounds)

    def seconds(self, n_queries: float, distance: float, overhead: Overhead) -> float:
        """Those of one core, if a distance takes ``distance`` nanoseconds."""
        building = self.built * distance + self.size * overhead.built_object
        query = overhead.query + self.calls * (distance + overhead.call) + self.bounds * overhead.bound
        return 1e-9 * (building + n_queries * query)


def _exponent(whole: float, half: float) -> float:
    return min(1.0, max(0.0, math.log2(whole / half))) if whole and half else 1.0


@dataclass(frozen=True)
class _Trying:
    """Engines over parts of a population, drawn by its order ``shuffled``."""

    population: Population
    shuffled: Indices
    distance: float
    eta: float
    max_memory: int
    random_state: int

    def run(self, name: str, brute_seconds: float) -> Trial:
        """On parts of doubling size, until that is too expensive, or slower already than brute force on all objects."""
        n, overhead = len(self.population), OVERHEADS[name]
        n_queries = QUERIES_PER_OBJECT * n
        smaller, work = None, self._work(name, min(n // 16, FEWEST_OBJECTS // 4))
        while 2 * work.size <= min(n // 4, MOST_OBJECTS):
            too_expensive = 2 * work.seconds(TRIED_QUERIES, self.distance, overhead) > PRICE_OF_CHOOSING * brute_seconds
            if too_expensive or work.seconds(n_queries, self.distance, overhead) > brute_seconds:
                break
            smaller, work = work, self._work(name, 2 * work.size)
        on_all = work.on_all(n, smaller)
        return Trial(name, work.size, work.calls, on_all.calls, on_all.seconds(n_queries, self.distance, overhead))

    def _work(self, name: str, size: int) -> _Work:
        part, queries = self.population.part(self.shuffled[-size:]), self.shuffled[:TRIED_QUERIES]
        engine = build(name, part, max_memory=self.max_memory, n_jobs=1, random_state=self.random_state)
        answering = part.counted.fork()
        asked = Queries(self.population.counted.fork(queries).prepared, np.full(len(queries), -1), answering)
        engine.nearest(asked, 1, self.eta)
        self.population.counted.count(part.counted.calls + answering.calls)
        return _Work(size, part.counted.calls, answering.calls / len(queries), asked.bounds_compared / len(queries))
