r"""Contextual search: guess the value of a query, be told too high or too low, and learn from it.

Guesses of a hidden linear function halve what is still possible, on the knowledge sets of nearest
centres. A vector v in the unit ball is hidden; for a unit vector u the value :math:`\langle u, v
\rangle` is guessed, and told is whether the guess y was too high. That is the sign of an inner
product in one dimension more,

.. math:: \langle \phi, w \rangle = \tfrac{1}{\sqrt2} (\langle u, v \rangle - y), \qquad
          \phi = \tfrac{1}{\sqrt2} (u, -y), \quad w = (v, 1), \quad |w| \le \sqrt2,

so that every `wideberth.classifiers.online.knowledge_set.KnowledgeSet` can keep what was
told, after rows that say that the last coordinate of w is positive and no other one is larger. The
guess is where its vote changes sides. Derived here, for exact votes:

*Both answers pay.* Let y be such that the vote is above 1/2 for smaller and below 1/2 for larger
values, and W the width of the knowledge set at y. Either the vote is 1/2 on the active scale i,
:math:`2^{-i} \le W < 2^{1-i}`: each answer leaves at most 5/8 of its body, and the potential falls
by :math:`2^{\alpha(1-i)} \ge W^\alpha`. Or the active scale changes at y from i to i + 1, since the
width, which is continuous, is :math:`W = 2^{-i}` there: then one answer leaves at most 5/8 of the
body of one of the two scales, the other answer of the other, and the potential falls by at least
:math:`2^{-\alpha i} = W^\alpha`. The loss :math:`|\langle u, v \rangle - y|^\alpha` is at most
:math:`(\sqrt2\, W)^\alpha`, so all losses together are at most :math:`2^{\alpha/2}` times the
initial potential (Guruganesh, Liu, Schneider & Wang 2021, Theorem 7).

*Medians outside.* A body is larger than the knowledge set, so that its median may be a value that
is known to be too high. Then the row that says so is added to the knowledge set, from which it
follows: the body falls to 5/8 at no loss, and the search for the guess is repeated.
"""

from collections.abc import Callable
from dataclasses import asdict, replace
from math import hypot, inf, isfinite, log, sqrt
from sys import float_info
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_random_state

from wideberth.array_types import Floats
from wideberth.classifiers.online import engines, parameters
from wideberth.classifiers.online.engines import knowledge_set, softened
from wideberth.classifiers.online.knowledge_set import KnowledgeSet, Scales, State, to_power
from wideberth.classifiers.online.stream import NOISE_AFTER_CONTRADICTION
from wideberth.errors import InconsistentLabels, InvalidInput
from wideberth.estimators import restored_values
from wideberth.estimators.metric_estimator import Fits, check_parameters
from wideberth.estimators.model_facts import counted
from wideberth.wording import setting

#: The largest length of w = (v, 1).
LIFTED_RADIUS = sqrt(2)
#: Values that are known this well, in units of the largest value, count as known: nothing is
#: learned there. Rounding is smaller.
FINEST = 24
RESOLUTION = 2.0**-FINEST
#: A vote that is this close to 1/2 is good enough; ellipsoids, whose cuts are shallow, are asked
#: for more.
TOLERANCE = 1 / 640
#: Guesses are not looked for more precisely than this, in units of the largest value.
PRECISION = RESOLUTION / 8
#: Rows that follow from others are added at most this often for one guess; one or two are usual.
MOST_IMPLIED = 64


class Halving(NamedTuple):
    """A guess, and the knowledge set that it was made with: the one before, or one with rows that
    follow from its own.
    """

    value: float
    knowledge: KnowledgeSet


def fresh_knowledge(
    dimension: int, *, engine: str, power: float, noise: float, seed: int
) -> KnowledgeSet:
    """A knowledge set of (v, 1) for a hidden v in the unit ball of this dimension, of which no
    coordinate is beyond 1.

    >>> knowledge = fresh_knowledge(1, engine="exact", power=1.0, noise=0.0, seed=0)
    >>> knowledge.n_rows, knowledge.scales.dimension
    (3, 2)
    """
    knowledge = knowledge_set(engine, search_scales(dimension, power), noise=noise, seed=seed)
    *axes, last = np.eye(dimension + 1)
    for row in [last, *(last + sign * axis for axis in axes for sign in (1, -1))]:
        knowledge.learn(row / np.linalg.norm(row), 1, informative_only=False)
    return knowledge


def search_scales(dimension: int, power: float) -> Scales:
    """The scales of a knowledge set of (v, 1) for a hidden v in the unit ball of this dimension.

    >>> search_scales(2, 1.0).dimension
    3
    """
    return replace(Scales.for_ball(dimension + 1, LIFTED_RADIUS, power), finest=FINEST)


def lifted(direction: Floats, value: float) -> Floats:
    """The query whose sign tells whether a guess is too low (+) or too high (-), of length at most
    1.

    >>> lifted(np.array([1.0, 0.0]), 1.0).round(3)
    array([ 0.707,  0.   , -0.707])
    """
    return np.append(direction, -value) / LIFTED_RADIUS


def halve(knowledge: KnowledgeSet, direction: Floats) -> Halving:
    """The guess of the value <u, v>, from -1 to 1, of a unit vector u: where the vote of a
    knowledge set of (v, 1) changes sides; the set itself is not changed.

    >>> knowledge = fresh_knowledge(1, engine="exact", power=1.0, noise=0.0, seed=0)
    >>> direction = np.array([1.0])
    >>> abs(halve(knowledge, direction).value) < 0.01
    True
    >>> _ = knowledge.learn(lifted(direction, 0.0), 1)  # 0 was too low
    >>> 0.2 < halve(knowledge, direction).value < 0.8
    True
    """
    current = knowledge.scratch_copy()
    for _ in range(MOST_IMPLIED):
        value, implied = _change_of_sides(current, direction)
        if implied == 0 or knowledge.engine == "soft":  # soft knowledge rules nothing out
            return Halving(value, current)
        current = current.with_implied_row(implied * lifted(direction, value))
    return Halving(value, current)


def value_range(knowledge: KnowledgeSet, direction: Floats) -> tuple[float, float]:
    r"""Bounds of the hidden value, from what was told: :math:`\max_y (y - \sqrt2 h_-(y)) \le
    \langle u, v \rangle \le \min_y (y + \sqrt2 h_+(y))`.

    Here :math:`h_\pm(y)` is the reach of the knowledge set for the guess y. The two sides are
    concave and convex in y, and every y proves a bound, so that the search need not be precise.
    The value is between them up to `RESOLUTION`.

    >>> knowledge = fresh_knowledge(1, engine="exact", power=1.0, noise=0.0, seed=0)
    >>> _ = knowledge.learn(lifted(np.array([1.0]), 0.25), 1)
    >>> low, high = value_range(knowledge, np.array([1.0]))
    >>> 0.249 < low <= 0.25, 1 <= high < 1.001
    (True, True)
    """

    def reaches(value: float) -> tuple[float, float]:
        plus, minus = knowledge.reach(lifted(direction, value))
        return LIFTED_RADIUS * plus, LIFTED_RADIUS * minus

    high = min(1.0, _least(lambda value: value + reaches(value)[0]))
    low = max(-1.0, -_least(lambda value: value + reaches(-value)[1]))
    return min(low, high) - RESOLUTION, max(low, high) + RESOLUTION


def total_loss(knowledge: KnowledgeSet) -> float:
    """A bound of the sum of all future losses for unit vectors, from the potential; infinite where
    there is none.

    Votes within `TOLERANCE` of 1/2 count as 1/2, so that an answer leaves a little more of a body
    than the potential assumes.

    >>> knowledge = fresh_knowledge(2, engine="exact", power=1.0, noise=0.0, seed=0)
    >>> total_loss(knowledge) < 1000
    True
    """
    if not isfinite(knowledge.initial_potential):
        return inf
    restated = log(knowledge.kept) / log(knowledge.kept + _tolerance(knowledge))
    return float(LIFTED_RADIUS**knowledge.scales.power * restated * knowledge.potential())


def _change_of_sides(knowledge: KnowledgeSet, direction: Floats) -> tuple[float, int]:
    """The value at which the vote changes sides, and the sign that follows there from what is
    known, 0 if none does.
    """
    low, high = -1.0, 1.0
    follows_low = follows_high = True  # no value is beyond 1
    while high - low > PRECISION:
        middle = (low + high) / 2
        outlook = knowledge.outlook(lifted(direction, middle))
        if not outlook.certain and abs(outlook.vote - 0.5) <= _tolerance(knowledge):
            return middle, 0
        if outlook.vote >= 0.5:
            low, follows_low = middle, outlook.certain > 0
        else:
            high, follows_high = middle, outlook.certain < 0
    if follows_low == follows_high:
        return (low + high) / 2, 0
    return (low, 1) if follows_low else (high, -1)


def _tolerance(knowledge: KnowledgeSet) -> float:
    return 0.0 if knowledge.engine == "ellipsoid" else TOLERANCE


def _least(convex: Callable[[float], float]) -> float:
    """The least value of a convex function on [-1, 1] among those at which it is looked at: golden
    section.
    """
    share = (sqrt(5) - 1) / 2
    low, high = -1.0, 1.0
    left, right = high - share * (high - low), low + share * (high - low)
    at_left, at_right = convex(left), convex(right)
    best = min(at_left, at_right, 1.0)
    while high - low > PRECISION:
        if at_left <= at_right:
            high, right, at_right = right, left, at_left
            left = high - share * (high - low)
            at_left = convex(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + share * (high - low)
            at_right = convex(right)
        best = min(best, at_left, at_right)
    return float(best)


_COUNTS = ("rounds_", "contradictions_", "_seed")
_FITS = {
    "radius": Fits(
        parameters.is_positive, "Give the largest length that the hidden vector can have."
    ),
    "alpha": Fits(parameters.is_positive, "Give a positive power of the loss."),
    "engine": parameters.one_of("auto", *parameters.ENGINES),
    "noise": parameters.share_of_wrong("answers"),
    "inconsistent": parameters.INCONSISTENT,
}
#: Guesses beyond this many times the largest value all say the same: that a value is not beyond the
#: largest one.
BEYOND = 2.0


class _Guess(NamedTuple):
    """The latest query with its guess, in units of the largest value, and the knowledge from which
    learning continues.
    """

    query: Floats
    value: float
    knowledge: KnowledgeSet


class ContextualSearch(BaseEstimator):
    r"""Guess the value :math:`\langle v, q \rangle` of each query q for a hidden vector v; told is
    whether the guess was too high.

    That is how prices and bids are learned: the features of an offer are the query, its value to
    the other side is hidden, and a refusal says that the price was too high. The loss of a guess y
    is :math:`|\langle v, q \rangle - y|^\alpha`. The learner never sees it, and yet all losses
    together are bounded for any queries, even if an adversary chooses them, and for any number of
    them: :math:`O(\alpha^{-2} d \log d)` (Guruganesh, Liu, Schneider & Wang 2021, Theorem 7; the
    algorithm of Liu, Paes Leme & Schneider 2020). Each guess halves, on the scale on which it
    matters, what v can still be (`wideberth.classifiers.online.contextual_search` has the proof
    with its constants).

    The bound assumes that answers are never wrong; values that are known to within :math:`2^{-24}`
    of the largest possible one count as known. It is proved for the engines "exact" and
    "ellipsoid", and only likely for "sampling", which estimates shares of volumes by counting
    points. What `value_range` and `loss_bound` say is proved for all three.

    Parameters
    ----------
    radius : float
        The largest length of the hidden vector v. One that is too large costs little, a logarithm.
    alpha : float
        The power :math:`\alpha` of the loss.
    engine : {"auto", "sampling", "ellipsoid", "exact"}
        How knowledge is kept. "sampling": linear constraints and random points; loses least, for up
        to about 24 features. "ellipsoid": for any number of features, fast, constant memory, slower
        to learn. "exact": constraints and exact volumes, for up to three features. "auto" is
        "sampling", or "ellipsoid" for 24 features or more.
    noise : float
        The share of wrong answers. Above 0 no answer rules anything out, it only makes it less
        likely, and nothing is proved.
    inconsistent : {"soften", "ignore", "error"}
        What to do about an answer that contradicts earlier ones if ``noise`` is 0: continue as with
        a noise of 5 %, skip the answer, or raise an error. A wrong answer to a guess of this
        learner contradicts nothing at first: it is noticed when later ones have narrowed down what
        is left.
    random_state : int, RandomState instance or None
        The same number gives the same guesses.

    Attributes
    ----------
    n_features_in_ : int
        How many coordinates queries have.
    rounds_, contradictions_ : int
        How many answers were learned, and how many of them contradicted earlier ones.
    engine_ : str
        The engine in use; "soft" under noise.
    proved_ : bool
        Whether the bound of the losses is proved for answers that are never wrong.
    n_rows_ : int
        How many linear constraints are stored.

    See Also
    --------
    wideberth.papers.LabelsBySearch : Two labels by any learner of contextual search (Theorem 8).

    Examples
    --------
    >>> import numpy as np
    >>> worth, generator = np.array([0.5, 0.3, 0.1]), np.random.default_rng(0)
    >>> learner = ContextualSearch(random_state=0)
    >>> losses = []
    >>> for offer in generator.uniform(size=(100, 3)):
    ...     price = learner.guess_one(offer)
    ...     losses.append(abs(price - offer @ worth))
    ...     _ = learner.learn_one(offer, too_high=bool(price > offer @ worth))
    >>> bool(sum(losses) < 2), bool(max(losses[50:]) < 0.01)
    (True, True)
    >>> low, high = learner.value_range([1.0, 1.0, 1.0])
    >>> bool(low <= worth.sum() <= high < low + 0.01)
    True
    """

    _knowledge: KnowledgeSet | None = None
    _latest: _Guess | None = None
    n_features_in_: int

    def __init__(
        self,
        *,
        radius: float = 1.0,
        alpha: float = 1.0,
        engine: str = "auto",
        noise: float = 0.0,
        inconsistent: str = "soften",
        random_state: Any = None,
    ) -> None:
        self.radius = radius
        self.alpha = alpha
        self.engine = engine
        self.noise = noise
        self.inconsistent = inconsistent
        self.random_state = random_state

    def guess_one(self, query: ArrayLike) -> float:
        """Guess the value of a query, without changing the learner; 0 before the first answer."""
        vector = self._check_query(query)
        unit = self._unit(vector)
        return 0.0 if self._knowledge is None or unit == 0 else unit * self._guess(vector).value

    def learn_one(self, query: ArrayLike, too_high: bool, *, guess: float | None = None) -> Self:
        """Learn whether the value of a query is below a guess.

        Parameters
        ----------
        query : array-like of shape (n_features,)
            One query.
        too_high : bool
            Whether the guess was too high; if not, it was too low or right.
        guess : float, optional
            The guess that was judged; by default that of `guess_one`. Another one, such as a price
            that was rounded, teaches as well, but the bound of the losses is for the learner's own
            guesses.

        Raises
        ------
        InconsistentLabels
            If the answer contradicts earlier ones and ``inconsistent`` is "error"; the answer is
            then not learned.
        """
        vector = self._check_query(query)
        if not isinstance(too_high, bool | np.bool_):
            raise InvalidInput(
                f"{setting('too_high', too_high)} is neither True nor False.",
                advice="Tell whether the guess was above the value.",
                value=too_high,
            )
        # the first guess is 0, for reasons of symmetry
        judged = 0.0 if guess is None and self._knowledge is None else guess
        unit = self._unit(vector)
        share = (
            None
            if judged is None or unit == 0
            else min(BEYOND, max(-BEYOND, self._check_guess(judged) / unit))
        )
        self._ensure_knowledge(len(vector))
        if unit > 0:
            self._learn(vector, -1 if too_high else 1, share)
        self.rounds_ += 1
        return self

    def value_range(self, query: ArrayLike) -> tuple[float, float]:
        """Two numbers between which the value of this query is, if no answer was wrong."""
        vector = self._check_query(query)
        unit = self._unit(vector)
        if self._knowledge is None or unit == 0:
            return -unit, unit
        low, high = value_range(self._knowledge, direction_of(vector))
        return unit * low, unit * high

    def loss_bound(self, query: ArrayLike) -> float:
        """The most that the guess for this query can lose, if no answer was wrong."""
        guess, (low, high) = self.guess_one(query), self.value_range(query)
        return to_power(max(high - guess, guess - low, 0.0), self.alpha)

    def remaining_loss_bound(self) -> float:
        r"""A bound of the total loss of all future guesses at queries of length at most 1; only
        likely unless ``proved_``.

        At a longer query, the loss counts :math:`1 / |q|^\alpha` of its value. It is infinite under
        noise and after a contradiction.
        """
        knowledge = self._learned_knowledge
        return (
            inf
            if self.contradictions_
            else total_loss(knowledge) * to_power(self.radius, self.alpha)
        )

    def summary(self) -> str:
        """Describe in words what was learned so far.

        >>> print(ContextualSearch(engine="exact").learn_one([1.0, 0.0], too_high=True).summary())
        ContextualSearch: learned 1 answer about values of 2 features.
        The engine 'exact' keeps 6 rows. All future guesses together lose at most ..., at queries of length 1.
        """
        knowledge = self._learned_knowledge
        answers = counted(self.rounds_, "answer", "answers")
        features = counted(self.n_features_in_, "feature", "features")
        remaining = self.remaining_loss_bound()
        surely = "at most" if self.proved_ else "very likely at most"
        losses = (
            f"All future guesses together lose {surely} {remaining:.4g}, at queries of length 1."
        )
        return (
            f"{type(self).__name__}: learned {answers} about values of {features}.\n"
            f"The engine {self.engine_!r} keeps {counted(knowledge.n_rows, 'row', 'rows')}. "
            f"{'What future guesses can lose is not bounded.' if remaining == inf else losses}"
        )

    @property
    def engine_(self) -> str:
        """The engine in use."""
        return self._learned_knowledge.engine

    @property
    def proved_(self) -> bool:
        """Whether the bound is proved."""
        return self._learned_knowledge.proved

    @property
    def n_rows_(self) -> int:
        """How many linear constraints are stored."""
        return self._learned_knowledge.n_rows

    def __getstate__(self) -> dict[str, Any]:
        return dict(super().__getstate__()) | {"_latest": None}

    @property
    def _learned_knowledge(self) -> KnowledgeSet:
        """The knowledge; an AttributeError before the first answer, so that the attributes above do
        not exist before it.
        """
        if self._knowledge is None:
            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet: call learn_one first."
            )
        return self._knowledge

    def _ensure_knowledge(self, n_features: int) -> None:
        """Create what is known of the hidden vector when the first answer comes."""
        if self._knowledge is not None:
            return
        engine = parameters.engine_in_use(self.engine, n_features + 1, self.noise)
        self._seed = int(check_random_state(self.random_state).randint(2**31))
        self._knowledge = fresh_knowledge(
            n_features, engine=engine, power=self.alpha, noise=self.noise, seed=self._seed
        )
        self.n_features_in_ = n_features
        self.rounds_ = self.contradictions_ = 0

    def _guess(self, vector: Floats) -> _Guess:
        """The guess for a query other than 0; kept until the next answer, since `learn_one` usually
        needs it again.
        """
        if self._latest is None or not np.array_equal(vector, self._latest.query):
            value, knowledge = halve(self._learned_knowledge, direction_of(vector))
            self._latest = _Guess(vector.copy(), value, knowledge)
        return self._latest

    def _learn(self, vector: Floats, sign: int, value: float | None) -> None:
        """Learn the sign of the value less a guess; ``value`` is the guess in units of the largest
        value, or None for our own.
        """
        knowledge = self._learned_knowledge
        if value is None:
            _, value, knowledge = self._guess(vector)
        query = lifted(direction_of(vector), value)
        plus, minus = knowledge.reach(query)
        if plus + minus <= RESOLUTION:
            return
        if (plus if sign > 0 else minus) <= RESOLUTION / 4 and knowledge.engine != "soft":
            knowledge = self._contradicted(vector, sign, value, knowledge)
            if self.inconsistent == "ignore":
                return
        knowledge.learn(
            query / max(1.0, float(np.linalg.norm(query))), sign, informative_only=False
        )
        self._knowledge, self._latest = knowledge, None

    def _contradicted(
        self, vector: Floats, sign: int, value: float, knowledge: KnowledgeSet
    ) -> KnowledgeSet:
        """Raise an error for a contradiction, or count it and return the knowledge with which to
        continue.
        """
        if self.inconsistent == "error":
            told, opposite = ("below", "above") if sign < 0 else ("above", "below")
            value_told = self._unit(vector) * value
            raise InconsistentLabels(
                f"Round {self.rounds_ + 1} says that a value is {told} {value_told:g}, the rounds "
                f"before that it is {opposite}.",
                advice=f"If answers can be wrong, give their share as {setting('noise')}, or assume a share of 5 % after "
                "the first "
                'contradiction by inconsistent="soften"; inconsistent="ignore" skips such answers. If values are larger than the '
                "radius times the length of the query, give a larger radius.",
                witness=(),
                value=bool(sign < 0),
                round=self.rounds_ + 1,
            )
        self.contradictions_ += 1
        if self.inconsistent == "ignore":
            return knowledge
        return softened(knowledge, noise=NOISE_AFTER_CONTRADICTION, seed=self._seed)

    def _unit(self, vector: Floats) -> float:
        """The largest value that a query can have; 0 for the query 0.

        It is refused where floating-point numbers have fewer digits: a guess that was rounded there
        would be another one than the one that is learned, so that true answers would teach what is
        false.
        """
        if self._knowledge is None:
            self._check_parameters()
        length = hypot(*vector)
        unit = float(self.radius) * length
        if not isfinite(unit) or (vector.any() and min(length, unit) < float_info.min):
            raise InvalidInput(
                f"The query {vector.tolist()} has the length {length}, its largest value with "
                f"{setting('radius', shown=self.radius)} is {unit}: floating-point numbers have "
                f"all their digits only from {float_info.min} to {float_info.max}.",
                advice="Give queries, and the radius, in another unit.",
                value=vector,
            )
        return unit

    def _check_query(self, query: ArrayLike) -> Floats:
        return parameters.check_query(
            query, None if self._knowledge is None else self.n_features_in_
        )

    def _check_guess(self, guess: object) -> float:
        if (
            isinstance(guess, bool)
            or not isinstance(guess, int | float | np.number)
            or not np.isfinite(guess)
        ):
            raise InvalidInput(
                f"{setting('guess', guess)} is not a number.",
                advice="Pass the guess that was judged.",
                value=guess,
            )
        return float(guess)

    def state(self) -> State:
        """What was learned, as plain values for a model file; the keys are part of the file format.

        It is refused if the power of the loss was changed after the first answer: the file could
        not tell it from the one that counts.
        """
        self._check_parameters()
        knowledge = self._learned_knowledge
        if self.alpha != knowledge.scales.power:
            raise InvalidInput(
                f"{setting('alpha', shown=self.alpha)} was changed after the first answer was "
                f"learned, with {setting('alpha', shown=knowledge.scales.power)}.",
                advice="Set it back with set_params, then save.",
                value=self.alpha,
            )
        known = {name: value for name, value in knowledge.state().items() if name != "scales"}
        return {"knowledge": known, **{name.strip("_"): getattr(self, name) for name in _COUNTS}}

    def restore(self, state: State) -> None:
        """Continue from the plain values of a model file; parameters and ``n_features_in_`` are
        already set.

        Lengths, ranges and finiteness are checked before compiled code relies on them.
        """
        self._check_parameters()
        anything = restored_values.ANY_POSITION
        n_features = restored_values.whole(self.__dict__, "n_features_in_", least=1, most=anything)
        counts = {
            name: restored_values.whole(state, name.strip("_"), least=0, most=anything)
            for name in _COUNTS
        }
        engine = restored_values.choice(state["knowledge"], "engine", engines.ENGINES)
        noise = restored_values.number(state["knowledge"], "noise") if engine == "soft" else 0.0
        engines.check_engine(engine, n_features + 1, noise=noise)
        scales = search_scales(n_features, float(self.alpha))
        self.__dict__.update(counts)
        self._knowledge = engines.restored(state["knowledge"] | {"scales": asdict(scales)})
        self.guess_one(np.full(n_features, 1.0))  # parameters that overflow show here
        self._latest = None

    def _check_parameters(self) -> None:
        """Raise an `InvalidInput` for the first parameter that does not fit."""
        check_parameters(self, _FITS)
        if self.noise > 0 and self.engine != "auto":
            raise InvalidInput(
                f"{setting('engine', self.engine)} does not fit: it cannot handle "
                f"{setting('noise', shown=self.noise)}.",
                advice='Leave it at "auto", or take noise=0.',
                value=self.engine,
            )


def direction_of(vector: Floats) -> Floats:
    """The unit vector along a vector other than 0, of any length that floating-point numbers have.

    >>> direction_of(np.array([3e-310, -4e-310])).round(9), direction_of(np.array([0.0, 1e300]))
    (array([ 0.6, -0.8]), array([0., 1.]))
    """
    scaled = vector / np.abs(vector).max()
    return np.asarray(scaled / np.linalg.norm(scaled))
