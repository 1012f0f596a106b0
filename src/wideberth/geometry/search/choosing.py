"""Choose the search engine that is expected to be the fastest, from counted distances and declared
costs.

No clock is used, so two runs on the same objects choose the same engine, however busy the machine
is; only whether the filter's loop was ever compiled here counts beside the objects. The costs of an
engine besides its distances were measured once (`OVERHEADS`); the cost of a
distance is what its metric declares (`Metric.nanoseconds`).
"""

import math
from dataclasses import dataclass

import numpy as np

from wideberth.array_types import Indices
from wideberth.cards.values import duration
from wideberth.compilation import is_compiled
from wideberth.geometry.search.engine import Brute, Engine, Population, QueryBatch
from wideberth.geometry.search.filter import Filter
from wideberth.geometry.search.filter_kernels import search_shelves
from wideberth.geometry.search.kdtree import KdTreeSearch
from wideberth.geometry.search.pivots import Pivots
from wideberth.progress import doing

# ---- What search engines cost: the distances and bounds that they compute, and declared
# nanoseconds for the rest


@dataclass(frozen=True)
class Overhead:
    """Nanoseconds that an engine spends besides computing distances."""

    #: To build the engine, for each object.
    built_object: float
    #: For each query.
    query: float
    #: For each distance computed for a query.
    call: float
    #: For each lower bound compared for a query.
    bound: float
    #: How many times as long a distance takes as in the blocks of brute force, in which a processor
    #: compares many strings at once.
    slower: float = 1.0


#: Measured by hand, on one core, on the objects of `python -m benchmarks index`; they need to be
#: right within a factor of two.
OVERHEADS = {
    "kdtree": Overhead(built_object=450.0, query=1_000.0, call=80.0, bound=0.0),
    "filter": Overhead(built_object=1_500.0, query=2_500.0, call=0.0, bound=1.5, slower=4.0),
    "filter in blocks": Overhead(
        built_object=1_500.0, query=60_000.0, call=150.0, bound=25.0, slower=2.0
    ),
    "pivots": Overhead(built_object=5_000.0, query=60_000.0, call=400.0, bound=170.0),
}


@dataclass(frozen=True)
class Trial:
    """How many distances an engine computed on a part of the objects, and the prediction for all of
    them.

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
        Predicted time of one core to build the engine and to answer all expected queries, by
        declared costs.

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
            f"{self.engine}: {self.calls_tried:.0f} calls per query on {self.objects_tried:,} "
            f"objects, about {self.expected_calls:,.0f} on all; about {self.expected_seconds:.3g} "
            "s for all queries"
        )


@dataclass(frozen=True)
class Effort:
    """What an engine computes over some objects.

    Examples
    --------
    >>> Effort(1_000, built=0.0, calls=40.0, bounds=0.0).extrapolated(
    ...     4_000, Effort(500, built=0.0, calls=20.0, bounds=0.0)
    ... ).calls
    160.0
    """

    #: The number of objects.
    size: int
    #: The number of distances to build the engine.
    built: float
    #: ``calls``, ``bounds``: the mean numbers of distances and of compared lower bounds for a
    #: query.
    calls: float
    bounds: float

    def extrapolated(self, n: int, smaller: "Effort | None") -> "Effort":
        """Predict the effort over n objects, by a power law through this one and one over half as
        many; linear without it.
        """
        growth = n / self.size
        built = self.built * growth * math.log(n) / math.log(self.size)
        calls = self.calls * growth ** _exponent(self.calls, smaller.calls if smaller else 0.0)
        bounds = self.bounds * growth ** _exponent(self.bounds, smaller.bounds if smaller else 0.0)
        return Effort(n, built, min(float(n), calls), bounds)

    def seconds(self, n_queries: float, distance: float, overhead: Overhead) -> float:
        """Return the seconds of one core to build and to answer the queries, if a distance takes
        ``distance`` nanoseconds.
        """
        building = self.built * distance + self.size * overhead.built_object
        query = (
            overhead.query
            + self.calls * (overhead.slower * distance + overhead.call)
            + self.bounds * overhead.bound
        )
        return 1e-9 * (building + n_queries * query)


def _exponent(whole: float, half: float) -> float:
    """Return the exponent of the power law through two counts, from one part and from half of it;
    between 0 and 1.
    """
    return min(1.0, max(0.0, math.log2(whole / half))) if whole and half else 1.0


#: With fewer objects brute force is always chosen.
MIN_OBJECTS = 1_000
#: Expected number of queries for each object.
QUERIES_PER_OBJECT = 0.1
#: Seconds of brute force from which another engine is worth a trial.
MIN_BRUTE_SECONDS = {"kdtree": 0.05, "filter": 0.1, "pivots": 1.0}
#: Seconds that the filter's loop takes to compile: with less brute force it is not worth a trial
#: where this was never done.
COMPILING_FILTER = 5.0
#: An engine is chosen only if its predicted time is below this share of brute force's: predictions
#: are extrapolated.
CLEARLY_FASTER = 0.5
#: What the trials of one engine may cost, as a share of the cost of brute force, or of the best
#: engine tried before.
TRIAL_COST_SHARE = 0.015
#: The largest part of the objects in a trial, and the number of queries.
MAX_TRIAL_OBJECTS, TRIAL_QUERIES = 4_000, 16
#: Nanoseconds that brute force spends on a pair besides its distance.
SORTING_A_PAIR = 1.0


@dataclass(frozen=True)
class EngineChoice:
    """The engine that was chosen, and why.

    Attributes
    ----------
    engine : str
        Name of the engine.
    reason : str
        The reason, in words.
    trials : tuple of Trial
        The trials that were compared; empty if none was needed.

    Examples
    --------
    >>> print(EngineChoice("brute", "there are only 10 objects."))
    brute: there are only 10 objects.
    """

    engine: str
    reason: str
    trials: tuple[Trial, ...] = ()

    def __str__(self) -> str:
        return "\n".join(
            [f"{self.engine}: {self.reason}", *(f"  {trial}" for trial in self.trials)]
        )


@doing("index")
def build(
    name: str, population: Population, *, max_memory: int, n_jobs: int | None, random_state: int
) -> Engine:
    """Build an engine over a population.

    An engine that cannot work with the metric is an `InvalidInput`.

    Examples
    --------
    >>> from wideberth.geometry.measure.blocks import CountedSample
    >>> words = Population(
    ...     CountedSample(["tea", "milk"], "levenshtein"),
    ...     np.zeros(2, dtype=int),
    ...     np.ones(2, dtype=bool),
    ... )
    >>> build("brute", words, max_memory=10**6, n_jobs=1, random_state=0).name
    'brute'
    """
    match name:
        case "brute":
            return Brute(population, max_memory=max_memory)
        case "kdtree":
            return KdTreeSearch(population)
        case "filter":
            return Filter(population, max_memory=max_memory)
    return Pivots(population, max_memory=max_memory, n_jobs=n_jobs, random_state=random_state)


@doing("trial of indexes")
def choose(
    population: Population, *, eta: float, max_memory: int, random_state: int
) -> EngineChoice:
    """Choose the engine that answers a tenth as many queries as there are objects at the lowest
    cost, building included.

    Engines are tried on growing parts of the objects as long as that costs little compared with
    brute force. A power law through the last two parts predicts how many distances they would
    compute on all objects. The distances computed in trials are added to the count of the
    population.

    Examples
    --------
    >>> from wideberth.geometry.measure.blocks import CountedSample
    >>> words = Population(
    ...     CountedSample(["tea", "milk"], "levenshtein"),
    ...     np.zeros(2, dtype=int),
    ...     np.ones(2, dtype=bool),
    ... )
    >>> choose(words, eta=0.0, max_memory=10**6, random_state=0).engine
    'brute'
    """
    n, metric = len(population), population.counted.metric
    if not metric.obeys_triangle and not _can_search("filter", population):
        return EngineChoice(
            "brute",
            f"{metric.name!r} does not promise the triangle inequality, so nothing can be ruled "
            "out.",
        )
    if n < MIN_OBJECTS:
        return EngineChoice("brute", f"there are only {n} objects.")
    distance = metric.nanoseconds(population.counted.prepared)
    brute_seconds = 1e-9 * (distance + SORTING_A_PAIR) * QUERIES_PER_OBJECT * n * n
    candidates = [
        name for name in MIN_BRUTE_SECONDS if _is_worth_a_trial(name, population, brute_seconds)
    ]
    if not candidates:
        return EngineChoice("brute", f"it takes only about {duration(brute_seconds)}.")
    shuffled = np.random.default_rng(random_state).permutation(n)
    runner = _TrialRunner(
        population, shuffled, QUERIES_PER_OBJECT * n, distance, eta, max_memory, random_state
    )
    trials: tuple[Trial, ...] = ()
    for name in candidates:
        to_beat = min([brute_seconds, *(trial.expected_seconds for trial in trials)])
        trials += (runner.run(name, to_beat),)
    best = min(trials, key=lambda trial: trial.expected_seconds)
    if best.expected_seconds < CLEARLY_FASTER * brute_seconds:
        return EngineChoice(
            best.engine,
            f"it should be the fastest; brute force takes about {duration(brute_seconds)}.",
            trials,
        )
    return EngineChoice(
        "brute",
        f"no other engine should be clearly faster than its {duration(brute_seconds)}.",
        trials,
    )


def _is_worth_a_trial(name: str, population: Population, brute_seconds: float) -> bool:
    """Return whether an engine can search a population, and brute force takes long enough to try
    it.
    """
    if brute_seconds < MIN_BRUTE_SECONDS[name] or not _can_search(name, population):
        return False
    counted = population.counted
    return (
        name != "filter"
        or brute_seconds >= COMPILING_FILTER
        or not Filter.measures_itself(counted.metric, counted.prepared)
        or is_compiled(search_shelves)
    )


def _can_search(name: str, population: Population) -> bool:
    """Return whether an engine can search a population."""
    metric, prepared = population.counted.metric, population.counted.prepared
    match name:
        case "kdtree":
            return KdTreeSearch.supports(metric)
        case "filter":
            return Filter.supports(metric, prepared)
    return bool(metric.obeys_triangle)


def engine_for_enemies(
    population: Population, k: int, radius: float, *, max_memory: int, n_jobs: int | None
) -> Filter | Pivots | None:
    """Build an engine for the enemies of all objects of a population, if one is expected to pay.

    It has to be clearly faster than measuring every pair of different classes once, by the same
    trials as in `choose`.

    ``k`` is how many enemies each object will search for, 0 for all within ``radius``, which a
    trial ignores otherwise.

    Examples
    --------
    >>> from wideberth.geometry.measure.blocks import CountedSample
    >>> words = Population(
    ...     CountedSample(["tea", "milk"], "levenshtein"), np.arange(2), np.ones(2, dtype=bool)
    ... )
    >>> engine_for_enemies(words, 1, np.inf, max_memory=10**6, n_jobs=1) is None
    True
    """
    n, counted = len(population), population.counted
    if n < MIN_OBJECTS:
        return None
    distance = counted.metric.nanoseconds(counted.prepared)
    pairs = (n * n - float((np.bincount(population.codes).astype(float) ** 2).sum())) / 2
    brute_seconds = 1e-9 * (distance + SORTING_A_PAIR) * pairs
    best = CLEARLY_FASTER * brute_seconds, ""
    for name in ("filter", "pivots"):
        if _is_worth_a_trial(name, population, brute_seconds):
            shuffled = np.random.default_rng(0).permutation(n)
            runner = _TrialRunner(
                population, shuffled, n, distance, 0.0, max_memory, 0, k, radius, enemies=True
            )
            best = min(best, (runner.run(name, brute_seconds).expected_seconds, name))
    match best[1]:
        case "filter":
            return Filter(population, max_memory=max_memory)
        case "pivots":
            return Pivots(population, max_memory=max_memory, n_jobs=n_jobs, random_state=0)
    return None


@dataclass(frozen=True)
class _TrialRunner:
    """Runs engines on parts of a population.

    ``shuffled`` is a permutation of its indices: queries come from its beginning, parts from its
    end. ``n_queries`` are expected on all objects, ``distance`` is the cost of a distance in
    nanoseconds. A query searches for the ``k`` nearest objects or, if k is 0, for those within a
    ``radius``; of other classes only if ``enemies``.
    """

    population: Population
    shuffled: Indices
    n_queries: float
    distance: float
    eta: float
    max_memory: int
    random_state: int
    k: int = 1
    radius: float = np.inf
    enemies: bool = False

    def run(self, name: str, to_beat: float) -> Trial:
        """Try an engine on parts of doubling size, until that is too expensive beside ``to_beat``
        seconds or takes longer.
        """
        n, overhead = len(self.population), self._overhead(name)
        smaller, effort = None, self._effort(name, min(n // 16, MIN_OBJECTS // 4))
        while 2 * effort.size <= min(n // 4, MAX_TRIAL_OBJECTS):
            too_expensive = (
                2 * effort.seconds(TRIAL_QUERIES, self.distance, overhead)
                > TRIAL_COST_SHARE * to_beat
            )
            if too_expensive or effort.seconds(self.n_queries, self.distance, overhead) > to_beat:
                break
            smaller, effort = effort, self._effort(name, 2 * effort.size)
        on_all = effort.extrapolated(n, smaller)
        return Trial(
            name,
            effort.size,
            effort.calls,
            on_all.calls,
            on_all.seconds(self.n_queries, self.distance, overhead),
        )

    def _overhead(self, name: str) -> Overhead:
        if name == "filter" and not Filter.measures_itself(
            self.population.counted.metric, self.population.counted.prepared
        ):
            return OVERHEADS["filter in blocks"]
        return OVERHEADS[name]

    def _effort(self, name: str, size: int) -> Effort:
        """Build an engine over ``size`` objects, answer the trial queries, and count what that
        took.
        """
        part, queries = self.population.part(self.shuffled[-size:]), self.shuffled[:TRIAL_QUERIES]
        engine = build(
            name, part, max_memory=self.max_memory, n_jobs=1, random_state=self.random_state
        )
        answering = part.counted.fork()
        excluded = self.population.codes[queries] if self.enemies else np.full(len(queries), -1)
        batch = QueryBatch(self.population.counted.fork(queries).prepared, excluded, answering)
        if self.k:
            engine.nearest(batch, self.k, self.eta)
        else:
            engine.within(batch, np.full(len(queries), self.radius))
        self.population.counted.count(part.counted.calls + answering.calls)
        return Effort(
            size,
            part.counted.calls,
            answering.calls / len(queries),
            batch.bounds_compared / len(queries),
        )
