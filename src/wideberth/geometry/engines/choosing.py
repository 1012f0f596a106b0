"""Which engine is the fastest here: measured on a part of the objects, and never at a price that matters."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from wideberth.geometry.engines.brute import TILE_ROWS, Brute
from wideberth.geometry.engines.engine import Asked, Engine, Population
from wideberth.geometry.engines.found import Indices
from wideberth.geometry.engines.kdtree import KdTreeSearch
from wideberth.geometry.engines.pivots import Pivots
from wideberth.geometry.engines.tree import Tree
from wideberth.metrics.metric import Metric

#: Fewer objects are always measured one and all.
FEWEST_OBJECTS = 1_000
#: Queries expected for each object.
QUERIES_PER_OBJECT = 0.1
#: Seconds of brute force from which it is worth trying something better; the kd-tree is tried in a millisecond.
WORTH_TRYING = {"kdtree": 0.05, "pivots": 1.0, "tree": 2.0}
#: An engine must promise to need less than this share of the time of brute force: promises are extrapolated.
CLEARLY_FASTER = 0.5
#: What it may cost to try one engine, as a share of the time of brute force.
PRICE_OF_CHOOSING = 0.015
#: The most objects, and the queries, to try an engine on.
MOST_OBJECTS, TRIED_QUERIES = 4_000, 16


@dataclass(frozen=True)
class Trial:
    """What an engine needed for a query on a part of the objects, and what that means for all of them."""

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
class Choice:
    """The engine chosen, why, and what was measured for it."""

    engine: str
    reason: str
    trials: tuple[Trial, ...] = ()

    def __str__(self) -> str:
        return "\n".join([f"{self.engine}: {self.reason}", *(f"  {trial}" for trial in self.trials)])


def build(name: str, population: Population, *, memory: int, n_jobs: int | None, random_state: int) -> Engine:
    """The engine of that name over a population."""
    match name:
        case "brute":
            return Brute(population, memory=memory)
        case "kdtree":
            return KdTreeSearch(population)
        case "pivots":
            return Pivots(population, memory=memory, n_jobs=n_jobs, random_state=random_state)
    return Tree(population, memory=memory, n_jobs=n_jobs, random_state=random_state)


def choose(population: Population, *, eta: float, memory: int, random_state: int) -> Choice:
    """The engine that answers a tenth as many queries as there are objects in the least time, its building included.

    Engines are tried, in one thread, on growing parts of the objects as long as that costs next to nothing beside brute force; a
    power law through the last two parts says what they would measure on all. The calls made for it are added to the population's.
    """
    n, metric = len(population), population.counted.metric
    if not metric.obeys_triangle:
        return Choice("brute", f"{metric.name!r} does not promise the triangle inequality, so nothing can be ruled out.")
    if n < FEWEST_OBJECTS:
        return Choice("brute", f"there are only {n} objects.")
    glimpse = _glimpse(population)
    if glimpse < min(WORTH_TRYING.values()):
        return Choice("brute", f"all of it takes less than {glimpse:.2g} s.")
    shuffled = np.random.default_rng(random_state).permutation(n)
    brute = _try_brute(population, shuffled)
    candidates = [name for name in _candidates(metric) if brute.expected_seconds >= WORTH_TRYING[name]]
    if not candidates:
        return Choice("brute", f"all of it takes only {brute.expected_seconds:.2g} s.", (brute,))
    trials = [brute]
    for name in candidates:
        make = partial(build, name, memory=memory, n_jobs=1, random_state=random_state)
        trials.append(_try(make, population, shuffled, eta, brute.expected_seconds))
    best = min(trials[1:], key=lambda trial: trial.expected_seconds)
    if best.expected_seconds < CLEARLY_FASTER * brute.expected_seconds:
        return Choice(best.engine, "it promises to be the fastest.", tuple(trials))
    return Choice("brute", "nothing promises to be clearly faster.", tuple(trials))


def _candidates(metric: Metric) -> list[str]:
    return [*(["kdtree"] if KdTreeSearch.takes(metric) else []), "pivots", "tree"]


def _glimpse(population: Population) -> float:
    """Seconds of brute force for all queries, overestimated from one small block: a tiny job is not worth even a trial."""
    n = len(population)
    rows, columns = np.linspace(0, n - 1, 8, dtype=np.intp), np.linspace(0, n - 1, 128, dtype=np.intp)
    population.counted.between(rows[:1], rows[:1])  # whatever must be compiled or loaded
    started = time.perf_counter()
    block = population.counted.between(rows, columns)
    return (time.perf_counter() - started) / block.size * QUERIES_PER_OBJECT * n * n


def _try_brute(population: Population, shuffled: Indices) -> Trial:
    """On as many queries as may be spent on it: compiled blocks need many to be as fast as they are in earnest."""
    n = len(population)
    size = min(n // 8, MOST_OBJECTS)
    n_queries = int(np.clip(PRICE_OF_CHOOSING * QUERIES_PER_OBJECT * n * n / size, 16, TILE_ROWS))
    some = population.part(shuffled[-size:])
    calls, seconds = _answer(Brute(some, memory=2**24), population, shuffled[:n_queries], some, 0.0)
    return Trial("brute", size, calls, float(n), seconds * n / size * QUERIES_PER_OBJECT * n)


def _try(
    make: Callable[[Population], Engine], population: Population, shuffled: Indices, eta: float, brute_seconds: float
) -> Trial:
    """On parts of doubling size, until that is too dear, or slower already than brute force on all objects."""
    n = len(population)
    _build_and_answer(make, population, shuffled[:1], shuffled[-64:], eta)  # whatever must be compiled or loaded
    size, exponent, calls = min(n // 16, FEWEST_OBJECTS // 4), 1.0, 0.0
    while True:
        smaller = calls
        engine, calls, seconds, building = _build_and_answer(make, population, shuffled[:TRIED_QUERIES], shuffled[-size:], eta)
        if smaller:
            exponent = min(1.0, max(0.0, math.log2(calls / smaller)))
        too_dear = 2 * (building + TRIED_QUERIES * seconds) > PRICE_OF_CHOOSING * brute_seconds
        too_slow = QUERIES_PER_OBJECT * n * seconds > brute_seconds
        if too_dear or too_slow or 2 * size > min(n // 4, MOST_OBJECTS):
            break
        size *= 2
    expected = min(float(n), calls * (n / size) ** exponent)
    building *= n / size * math.log(n) / math.log(size)
    return Trial(engine, size, calls, expected, building + QUERIES_PER_OBJECT * n * seconds * expected / calls)


def _build_and_answer(
    make: Callable[[Population], Engine], population: Population, queries: Indices, part: Indices, eta: float
) -> tuple[str, float, float, float]:
    """The name of an engine over a part, its calls and seconds for one query, its seconds for building."""
    started = time.perf_counter()
    some = population.part(part)
    engine = make(some)
    building = time.perf_counter() - started
    population.counted.count(some.counted.calls)
    return engine.name, *_answer(engine, population, queries, some, eta), building


def _answer(engine: Engine, population: Population, queries: Indices, part: Population, eta: float) -> tuple[float, float]:
    """Calls and seconds for one query."""
    counted = part.counted.fork()
    asked = Asked(population.counted.fork(queries).prepared, np.full(len(queries), -1), counted)
    started = time.perf_counter()
    engine.nearest(asked, 1, eta)
    seconds = time.perf_counter() - started
    population.counted.count(counted.calls)
    return counted.calls / len(queries), seconds / len(queries)
