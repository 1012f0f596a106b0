"""Choose the search engine that is expected to be the fastest, from counted distances and declared costs.

No clock is used, so two runs on the same objects choose the same engine, however busy the machine is. The costs of an engine
besides its distances were measured once (`OVERHEADS`); the cost of a distance is what its metric declares
(`Metric.nanoseconds`).
"""

from dataclasses import dataclass

import numpy as np

from wideberth.array_types import Indices
from wideberth.geometry.search.brute import Brute
from wideberth.geometry.search.costs import OVERHEADS, Effort, Overhead, Trial
from wideberth.geometry.search.engine import Engine, Population, QueryBatch
from wideberth.geometry.search.filter import Filter
from wideberth.geometry.search.kdtree_engine import KdTreeSearch
from wideberth.geometry.search.pivots import Pivots
from wideberth.progress import doing

#: With fewer objects brute force is always chosen.
MIN_OBJECTS = 1_000
#: Expected number of queries for each object.
QUERIES_PER_OBJECT = 0.1
#: Seconds of brute force from which another engine is worth a trial.
MIN_BRUTE_SECONDS = {"kdtree": 0.05, "filter": 0.1, "pivots": 1.0}
#: An engine is chosen only if its predicted time is below this share of brute force's: predictions are extrapolated.
CLEARLY_FASTER = 0.5
#: What the trials of one engine may cost, as a share of the cost of brute force, or of the best engine tried before.
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
        return "\n".join([f"{self.engine}: {self.reason}", *(f"  {trial}" for trial in self.trials)])


@doing("index")
def build(name: str, population: Population, *, max_memory: int, n_jobs: int | None, random_state: int) -> Engine:
    """Build an engine over a population.

    Parameters
    ----------
    name : {"brute", "kdtree", "filter", "pivots"}
        Which engine.
    population : Population
        The objects to search.
    max_memory : int
        Bytes that the engine may use besides the objects.
    n_jobs : int or None
        Cores for building; None means all.
    random_state : int
        Seed for the first pivot.

    Returns
    -------
    Engine

    Raises
    ------
    InvalidInput
        If the engine cannot work with the metric of the population.

    Examples
    --------
    >>> from wideberth.geometry.measure.counting import CountedSample
    >>> words = Population(CountedSample(["tea", "milk"], "levenshtein"), np.zeros(2, dtype=int), np.ones(2, dtype=bool))
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
def choose(population: Population, *, eta: float, max_memory: int, random_state: int) -> EngineChoice:
    """Choose the engine that answers a tenth as many queries as there are objects at the lowest cost, building included.

    Engines are tried on growing parts of the objects as long as that costs little compared with brute force. A power law through
    the last two parts predicts how many distances they would compute on all objects. The distances computed in trials are added
    to the count of the population.

    Parameters
    ----------
    population : Population
        The objects to search.
    eta : float
        Tolerance of the nearest neighbours that will be searched for.
    max_memory : int
        Bytes that an engine may use besides the objects.
    random_state : int
        Seed for the parts of the objects and for pivots.

    Returns
    -------
    EngineChoice

    Examples
    --------
    >>> from wideberth.geometry.measure.counting import CountedSample
    >>> words = Population(CountedSample(["tea", "milk"], "levenshtein"), np.zeros(2, dtype=int), np.ones(2, dtype=bool))
    >>> choose(words, eta=0.0, max_memory=10**6, random_state=0).engine
    'brute'
    """
    n, metric = len(population), population.counted.metric
    if not metric.obeys_triangle and not _can_search("filter", population):
        return EngineChoice("brute", f"{metric.name!r} does not promise the triangle inequality, so nothing can be ruled out.")
    if n < MIN_OBJECTS:
        return EngineChoice("brute", f"there are only {n} objects.")
    distance = metric.nanoseconds(population.counted.prepared)
    brute_seconds = 1e-9 * (distance + SORTING_A_PAIR) * QUERIES_PER_OBJECT * n * n
    worth_it = [name for name, least in MIN_BRUTE_SECONDS.items() if brute_seconds >= least]
    candidates = [name for name in worth_it if _can_search(name, population)]
    if not candidates:
        return EngineChoice("brute", f"it takes only about {brute_seconds:.2g} s.")
    shuffled = np.random.default_rng(random_state).permutation(n)
    runner = _TrialRunner(population, shuffled, QUERIES_PER_OBJECT * n, distance, eta, max_memory, random_state)
    trials: tuple[Trial, ...] = ()
    for name in candidates:
        to_beat = min([brute_seconds, *(trial.expected_seconds for trial in trials)])
        trials += (runner.run(name, to_beat),)
    best = min(trials, key=lambda trial: trial.expected_seconds)
    if best.expected_seconds < CLEARLY_FASTER * brute_seconds:
        return EngineChoice(best.engine, f"it should be the fastest; brute force takes about {brute_seconds:.2g} s.", trials)
    return EngineChoice("brute", f"no other engine should be clearly faster than its {brute_seconds:.2g} s.", trials)


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

    It has to be clearly faster than measuring every pair of different classes once, by the same trials as in `choose`.

    Parameters
    ----------
    population : Population
        The objects with their classes.
    k : int
        How many enemies each object will search for; 0 for all within the radius.
    radius : float
        The largest distance of interest; a trial ignores it unless k is 0.
    max_memory : int
        Bytes that the engine may use besides the objects.
    n_jobs : int or None
        Cores for building; None means all.

    Returns
    -------
    Filter, Pivots or None

    Examples
    --------
    >>> from wideberth.geometry.measure.counting import CountedSample
    >>> words = Population(CountedSample(["tea", "milk"], "levenshtein"), np.arange(2), np.ones(2, dtype=bool))
    >>> engine_for_enemies(words, 1, np.inf, max_memory=10**6, n_jobs=1) is None
    True
    """
    n, counted = len(population), population.counted
    if n < MIN_OBJECTS:
        return None
    distance = counted.metric.nanoseconds(counted.prepared)
    pairs = (n * n - float((np.bincount(population.codes).astype(float) ** 2).sum())) / 2
    brute_seconds = 1e-9 * (distance + SORTING_A_PAIR) * pairs
    worth_it = [name for name in ("filter", "pivots") if brute_seconds >= MIN_BRUTE_SECONDS[name]]
    best = CLEARLY_FASTER * brute_seconds, ""
    for name in worth_it:
        if _can_search(name, population):
            shuffled = np.random.default_rng(0).permutation(n)
            runner = _TrialRunner(population, shuffled, n, distance, 0.0, max_memory, 0, k, radius, enemies=True)
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

    ``shuffled`` is a permutation of its indices: queries come from its beginning, parts from its end. ``n_queries`` are expected
    on all objects, ``distance`` is the cost of a distance in nanoseconds. A query searches for the ``k`` nearest objects or, if k
    is 0, for those within a ``radius``; of other classes only if ``enemies``.
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
        """Try an engine on parts of doubling size, until that is too expensive beside ``to_beat`` seconds or takes longer."""
        n, overhead = len(self.population), self._overhead(name)
        smaller, effort = None, self._effort(name, min(n // 16, MIN_OBJECTS // 4))
        while 2 * effort.size <= min(n // 4, MAX_TRIAL_OBJECTS):
            too_expensive = 2 * effort.seconds(TRIAL_QUERIES, self.distance, overhead) > TRIAL_COST_SHARE * to_beat
            if too_expensive or effort.seconds(self.n_queries, self.distance, overhead) > to_beat:
                break
            smaller, effort = effort, self._effort(name, 2 * effort.size)
        on_all = effort.extrapolated(n, smaller)
        return Trial(name, effort.size, effort.calls, on_all.calls, on_all.seconds(self.n_queries, self.distance, overhead))

    def _overhead(self, name: str) -> Overhead:
        if name == "filter" and not Filter.measures_itself(self.population.counted.metric, self.population.counted.prepared):
            return OVERHEADS["filter in blocks"]
        return OVERHEADS[name]

    def _effort(self, name: str, size: int) -> Effort:
        """Build an engine over ``size`` objects, answer the trial queries, and count what that took."""
        part, queries = self.population.part(self.shuffled[-size:]), self.shuffled[:TRIAL_QUERIES]
        engine = build(name, part, max_memory=self.max_memory, n_jobs=1, random_state=self.random_state)
        answering = part.counted.fork()
        excluded = self.population.codes[queries] if self.enemies else np.full(len(queries), -1)
        batch = QueryBatch(self.population.counted.fork(queries).prepared, excluded, answering)
        if self.k:
            engine.nearest(batch, self.k, self.eta)
        else:
            engine.within(batch, np.full(len(queries), self.radius))
        self.population.counted.count(part.counted.calls + answering.calls)
        return Effort(size, part.counted.calls, answering.calls / len(queries), batch.bounds_compared / len(queries))
