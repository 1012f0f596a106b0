"""The online classifier of nearest centres: it predicts the label of a query, is told the true one,
and learns from it.
"""

from collections.abc import Mapping
from copy import deepcopy
from math import frexp, inf
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from wideberth.array_types import Floats, Labels, Objects
from wideberth.certificate import Certificate
from wideberth.classifiers.online import parameters
from wideberth.classifiers.online.lifts import Lift, lift_of
from wideberth.classifiers.online.partition import Assessment, PairwisePartition, Partition
from wideberth.classifiers.online.stream import ROUNDS_IN_WORDS, Contradiction, Stream, python_label
from wideberth.errors import InvalidInput
from wideberth.estimators import restored_values
from wideberth.estimators.metric_estimator import (
    Fits,
    check_parameters,
    checked_vectors,
    code_targets,
)
from wideberth.estimators.model_facts import counted
from wideberth.metrics.parameters import is_number, is_whole
from wideberth.progress import follow
from wideberth.rounding import DISTANCE_ERROR
from wideberth.wording import setting

#: What each parameter may be.
FITS = {
    "similarity": parameters.one_of("euclidean", "inner", "lp"),
    "p": Fits(is_number, "Give a number from 2 on."),
    "alpha": Fits(
        lambda value: value is None or parameters.is_positive(value),
        "Give a positive power of the loss, or None for 1.",
    ),
    "radius": Fits(
        lambda value: _is_auto(value) or parameters.is_positive(value),
        'Give the largest length of queries, or "auto".',
    ),
    "engine": parameters.one_of("auto", *parameters.ENGINES),
    "update": parameters.one_of("informative", "paper"),
    "noise": parameters.share_of_wrong("labels"),
    "inconsistent": parameters.INCONSISTENT,
}

# ---- What is proved about an online learner: how much all future guesses can lose, and how much
# those for given queries can

CENTRES = (
    "Labels are those of the nearest of some hidden centres in the ball of the radius, and never "
    "wrong."
)
SEEN = "No label comes that was not seen so far."
SHORTENED = "A loss at a query that is longer than the radius counts radius / length of what it is."

NOT_PROVED = "What guesses lose is not proved here."


class OnlinePartitionClassifier(ClassifierMixin, BaseEstimator):
    r"""Predict the labels of a stream of queries; the true label is that of the nearest of some
    hidden centres.

    After each prediction the true label is learned. What counts is not how often a guess is wrong
    but by how much,

    .. math:: \text{loss} = (\delta(q, x_{\text{guess}}) - \delta(q, x_{\text{label}}))^\alpha,

    and the total loss is bounded for any queries, even if an adversary chooses them, and for any
    number of queries: :math:`O(k^2 d \log d)` for inner products and Euclidean distances, d times
    that with ellipsoids (Guruganesh, Liu, Schneider & Wang 2021, Theorems 2, 11, 12 and 13). Each
    pair of labels has a set of all values that the difference of their centres can still have; a
    guess that could lose much is one from which much is learned, and there is only so much to
    learn.

    The bound assumes that labels are those of nearest centres in the ball of the ``radius`` and
    never wrong. It is proved for the engines "exact" and "ellipsoid". The engine "sampling" makes
    far fewer mistakes, but estimates shares of volumes by counting points, so that its bound can
    fail; `failure_probability` states how likely that is. A larger bound,
    ``remaining_loss_bound(certain=True)``, is proved for it too: once mistakes can have cost more
    than the first bound, ellipsoids take over. Bounds of single losses, and what is certain, are
    proved for all three. Inner products, squares of distances or their p-th powers that differ by
    less than :math:`2^{-32}`, in units of the radius, count as ties. New labels may come at any
    time; the round in which a label is first seen is not in the bound.

    Parameters
    ----------
    similarity : {"euclidean", "inner", "lp"}
        What the nearest centre is: that of the smallest Euclidean distance, of the largest inner
        product, or of the smallest
        :math:`L^p` distance.
    p : float
        The power of "lp", an even number (other powers above 2:
        `wideberth.papers.PowerPartitionClassifier`).
    alpha : float, optional
        The power :math:`\alpha` of the loss; 1 by default.
    radius : float or "auto"
        The largest length of queries and centres ("lp": the largest coordinate of a query). "auto":
        twice that of the first query, doubled when a larger one is learned; then what was learned
        is carried over (ellipsoids start from scratch), and bounds are stated anew. Inner products
        need no radius: "auto" is 1, and longer queries are shortened, which changes no label. With
        a number the other similarities refuse longer queries; one that is too large costs little, a
        logarithm.
    engine : {"auto", "sampling", "ellipsoid", "exact"}
        How knowledge is kept. "sampling": linear constraints and random points for each pair of
        labels; few mistakes, for up to about 24 features. "ellipsoid": for any number of features,
        fast, constant memory, slower to learn. "exact": constraints and exact volumes, for up to
        four features; of the proved bounds by far the smallest. "auto" is "sampling", or
        "ellipsoid" for more than 24 features. Euclidean distances have one feature more than
        queries have coordinates, even powers p have :math:`d (p - 1) + 1`.
    update : {"informative", "paper"}
        "informative": learn all comparisons that a label implies; the bound of the loss is the sum
        of all potentials. "paper": exactly Theorem 11, random guesses and learning from mistakes
        only; twice that bound, in expectation.
    noise : float
        The share of wrong labels. Above 0 no label rules anything out, it only makes it less
        likely, and nothing is proved.
    inconsistent : {"soften", "ignore", "error"}
        What to do about a label that contradicts earlier ones if ``noise`` is 0: continue as with
        ``noise=0.05``, skip the label, or raise an error that names the rounds. Contradictions
        between two labels only are noticed, by "ellipsoid" late.
    random_state : int, RandomState instance or None
        The same number gives the same guesses.

    Attributes
    ----------
    classes_ : ndarray of shape (k,)
        The labels seen so far, sorted.
    rounds_, mistakes_ : int
        How many labels were learned, and how many of them had been guessed wrong; the first one of
        each class is a mistake.
    contradictions_ : int
        How many labels contradicted earlier ones.
    first_contradiction_ : Contradiction or None
        The first of these, with the rounds that it contradicts.
    engine_ : str
        The engine in use; "soft" under noise.
    proved_ : bool
        Whether ``remaining_loss_bound()`` is proved for labels of nearest centres; if not, it is
        likely ("sampling"), or there is none.
    n_rows_ : int
        How many linear constraints are stored.
    radius_ : float
        The radius in use.

    Examples
    --------
    >>> import numpy as np
    >>> learner = OnlinePartitionClassifier("euclidean", random_state=0)
    >>> centres = np.array([[0.5, 0.0], [-0.5, 0.3], [0.0, -0.6]])
    >>> generator = np.random.default_rng(0)
    >>> for query in generator.uniform(-0.7, 0.7, size=(300, 2)):
    ...     guess = learner.predict_one(query)
    ...     _ = learner.learn_one(query, "abc"[np.linalg.norm(query - centres, axis=1).argmin()])
    >>> learner.predict_one([0.5, 0.1]), learner.certain([0.5, 0.1]), learner.loss_bound([0.5, 0.1])
    ('a', True, 0.0)
    >>> learner.mistakes_ < 25, learner.remaining_loss_bound() < np.inf
    (True, True)
    """

    # With ``radius="auto"`` the first radius is twice the size of the first query. When a larger
    # query is learned, the radius is doubled until the query is inside: stored constraints are
    # carried over to the features of the larger ball, in which centres may be farther out, and all
    # bounds are those of the larger ball from then on. A larger query that is only asked about is
    # answered by a copy, so that asking leaves no trace.
    n_features_in_: int
    _fits: Mapping[str, Fits] = FITS
    _stream: Stream | None = None
    _radius: float = 1.0
    # streams for queries only asked about, until the next label
    _copies: dict[float | Lift, Stream]

    def __init__(
        self,
        similarity: str = "euclidean",
        *,
        p: float = 2,
        alpha: float | None = None,
        radius: float | str = "auto",
        engine: str = "auto",
        update: str = "informative",
        noise: float = 0.0,
        inconsistent: str = "soften",
        random_state: Any = None,
    ) -> None:
        self.similarity = similarity
        self.p = p
        self.alpha = alpha
        self.radius = radius
        self.engine = engine
        self.update = update
        self.noise = noise
        self.inconsistent = inconsistent
        self.random_state = random_state

    @property
    def classes_(self) -> NDArray[Any]:
        """The labels seen so far, sorted."""
        return self._learned_stream.classes

    @property
    def rounds_(self) -> int:
        """How many labels were learned."""
        return self._learned_stream.rounds

    @property
    def mistakes_(self) -> int:
        """How many of them had not been guessed."""
        return self._learned_stream.mistakes

    @property
    def contradictions_(self) -> int:
        """How many of them contradicted earlier ones."""
        return self._learned_stream.contradictions

    @property
    def first_contradiction_(self) -> Contradiction | None:
        """The first contradiction, or None."""
        return self._learned_stream.first_contradiction

    @property
    def engine_(self) -> str:
        """The engine in use."""
        return self._learned_stream.partition.engine

    @property
    def proved_(self) -> bool:
        """Whether the bound is proved."""
        return self._learned_stream.partition.proved

    @property
    def n_rows_(self) -> int:
        """How many linear constraints are stored."""
        return self._learned_stream.partition.n_rows

    @property
    def radius_(self) -> float:
        """The radius of the ball in use."""
        assert self._learned_stream is not None
        return self._radius

    def predict_one(self, query: ArrayLike) -> Any:
        """Predict the label of one query, without changing the classifier; None before the first
        label.
        """
        assessment = self._assess(query)
        return (
            None
            if assessment is None
            else self._learned_stream.labels[self._learned_stream.guess(assessment)]
        )

    def predict_proba_one(self, query: ArrayLike) -> dict[Any, float]:
        """Return the probability with which each label is guessed, by label.

        These are the probabilities of the random choice of a guess (1 and 0 if there is none), not
        of being right.
        """
        assessment = self._assess(query)
        if assessment is None:
            return {}
        chances = dict.fromkeys(self._learned_stream.labels, 0.0)
        return chances | {
            self._learned_stream.labels[number]: chance
            for number, chance in assessment.chances.items()
        }

    def learn_one(self, query: ArrayLike, label: Any = None, *, ranking: Labels = None) -> Self:
        """Learn the true label of one query, or the ranking of all labels for it.

        As long as only rankings are learned, guesses are majority votes of all pairs of labels
        (Remark 3.4).

        Parameters
        ----------
        query : array-like of shape (n_features,)
            One query.
        label : object, optional
            Its label. Give either a label or a ranking.
        ranking : sequence of objects, optional
            All labels seen so far, each once, and maybe new ones; the nearest first.

        Raises
        ------
        InconsistentLabels
            If the label contradicts earlier ones and ``inconsistent`` is "error"; the label is then
            not learned.
        """
        if (label is None) == (ranking is None):
            raise InvalidInput(
                f"A query has a label or a ranking, not both or none: {setting('label', label)}, "
                f"{setting('ranking', ranking)}.",
                advice="Pass one of the two.",
                value=(label, ranking),
            )
        vector = self._check_query(query)
        stream = self._stream_to_learn(vector)
        labels = [python_label(name) for name in ([label] if ranking is None else ranking)]
        if ranking is not None:
            stream.check_ranking(labels)
        stream.learn(vector, labels, is_ranking=ranking is not None)
        return self

    def certain(self, query: ArrayLike) -> bool:
        """Whether earlier labels imply the label of this query, among those seen so far."""
        assessment = self._assess(query)
        return (
            assessment is not None and len(self._learned_stream.labels) > 1 and assessment.certain
        )

    def loss_bound(self, query: ArrayLike) -> float:
        """The most that the guess for this query can lose, among the labels seen so far; an
        estimate under noise.
        """
        assessment = self._assess(query)
        if assessment is None or assessment.loss == 0:
            return 0.0
        vector = self._check_query(query)
        return assessment.loss * self._stream_to_ask(vector).partition.lift.loss_unit_at(vector)

    def potential(self) -> float:
        """The sum of what all pairs of labels seen so far can still lose; it grows only when a new
        label appears.
        """
        return 0.0 if self._stream is None else self._stream.potential()

    def remaining_loss_bound(self, *, certain: bool = False) -> float:
        """A bound of the total loss of all future guesses, among the labels seen so far.

        It is the potential, or twice the potential with ``update="paper"``, where it bounds the
        expected loss. It falls with every comparison that is stored, by at least what a mistake
        there can have cost; it rises only when a new label appears or the radius is doubled. It is
        infinite under noise and after a contradiction. The loss at a query beyond the radius counts
        radius / length of its value.

        Parameters
        ----------
        certain : bool
            Whether to rely on nothing that is only likely. The engine "sampling" then counts on the
            engine "ellipsoid", which takes over once mistakes can have cost more than the bound.
            Other engines have only one bound.
        """
        if self._stream is None:
            return 0.0
        return self._stream.certain_loss() if certain else self._stream.remaining_loss()

    def failure_probability(self, rounds: int = ROUNDS_IN_WORDS) -> float:
        """The probability, at most, that the next rounds lose more than ``remaining_loss_bound()``;
        0 where that is proved.

        For the engine "sampling" it assumes that queries and labels do not depend on guesses, that
        points count as so many independent ones as the differences between their groups show, by a
        chi-square law, and that these differences are independent from cut to cut, although cuts
        partly share points (`wideberth.classifiers.online.stream`). What is lost against any
        opponent is bounded by ``remaining_loss_bound(certain=True)``.

        Parameters
        ----------
        rounds : int
            The number of rounds.
        """
        if not is_whole(rounds, 0):
            raise InvalidInput(
                f"{setting('rounds', rounds)} is not a number of rounds.",
                advice="Give a whole number.",
                value=rounds,
            )
        return 0.0 if self._stream is None else self._stream.failure_probability(rounds)

    def widen(self, n_features: int) -> Self:
        """Continue with queries of ``n_features`` coordinates, more than before; the new ones count
        as 0 in earlier queries.

        Stored constraints are carried over; ellipsoids start from scratch.
        """
        self._widen(self._learned_stream, n_features, self._radius)
        self.n_features_in_, self._copies = n_features, {}
        self.__dict__.pop("feature_names_in_", None)  # those of the new ones are not known
        return self

    def summary(self) -> str:
        """Describe in words what was learned so far.

        >>> print(
        ...     OnlinePartitionClassifier(engine="exact")
        ...     .fit([[0.0], [0.5], [0.6]], ["low", "up", "up"])
        ...     .summary()
        ... )
        OnlinePartitionClassifier by euclidean similarity: learned 3 labels of 2 classes, with 2 mistakes.
        The engine 'exact' keeps 1 row. All future guesses together lose at most ....
        """
        check_is_fitted(self)
        labels = counted(self.rounds_, "label", "labels")
        classes = counted(len(self.classes_), "class", "classes")
        mistakes = counted(self.mistakes_, "mistake", "mistakes")
        rows = counted(self.n_rows_, "row", "rows")
        return "\n".join(
            [
                f"{type(self).__name__} by {self.similarity} similarity: learned {labels} of "
                f"{classes}, with {mistakes}.",
                f"The engine {self.engine_!r} keeps {rows}. "
                f"{self._learned_stream.losses_in_words()}",
            ]
        )

    def fit(self, X: Objects, y: Labels) -> Self:
        """Forget everything, then learn the rows of X with their labels y, in this order."""
        self._stream = None
        return self.partial_fit(X, y)

    def partial_fit(self, X: Objects, y: Labels, classes: Labels = None) -> Self:
        """Learn rows with their labels, in this order, in addition to what was learned before.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
            Queries.
        y : array-like of shape (n,)
            Their labels.
        classes : iterable, optional
            Labels that may still come: guesses and bounds then include them from the start.
        """
        if y is None:
            raise InvalidInput(
                f"{type(self).__name__} requires y to be passed, but the target y is None.",
                value=None,
            )
        X = checked_vectors(self, X, reset=self._stream is None)
        coded = code_targets(y, len(X))
        labels = coded.classes[coded.codes]
        self._stream_to_learn(X[0]).add_labels(
            [python_label(label) for label in ([] if classes is None else classes)]
        )
        for query, label in follow(zip(X, labels.tolist(), strict=True), "labels", len(X)):
            self._stream_to_learn(query).learn(query, [label], is_ranking=False)
        return self

    def predict(self, X: Objects) -> NDArray[Any]:
        """Predict the label of each row of X as if it came next, without changing the
        classifier.
        """
        check_is_fitted(self)
        X = checked_vectors(self, X, reset=False)
        stream = self._learned_stream
        numbers = [stream.guess(self._stream_to_ask(query).partition.assess(query)) for query in X]
        return np.array(stream.labels, dtype=stream.classes.dtype)[numbers]

    def certificates_for(self, X: Objects, y: Labels) -> list[Certificate]:
        """What is proved of all guesses to come, and of those for queries X with labels y;
        `wideberth.certify` asks for it.
        """
        check_is_fitted(self)
        queries = checked_vectors(self, X, reset=False)
        labels = code_targets(y, len(queries))
        return online_certificates(self, queries, labels.classes[labels.codes])

    def state(self) -> dict[str, Any]:
        """What was learned, as plain values for a model file.

        It is refused if parameters were changed after the first label: they count from the next fit
        on, and the file could not tell them from those that count now.
        """
        self._check_parameters()
        stream = self._learned_stream
        radius = self._radius if _is_auto(self.radius) else float(self.radius)
        if self._lift(self.n_features_in_, radius) != stream.partition.lift:
            raise InvalidInput(
                "Parameters of the similarity were changed after the first label was learned; they "
                "count from the next fit on.",
                advice="Set them back with set_params, or fit anew, then save.",
                value=self,
            )
        return {"radius": self._radius, **stream.state()}

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from the plain values of a model file; parameters and ``n_features_in_`` are
        already set.
        """
        self._check_parameters()
        n_features = restored_values.whole(
            self.__dict__, "n_features_in_", least=1, most=restored_values.ANY_POSITION
        )
        radius = restored_values.number(
            state, "radius", least=np.finfo(np.float64).tiny, most=restored_values.FINITE
        )
        if self.radius not in ("auto", radius):
            raise InvalidInput(
                f"The radius of the ball is {radius}, but the parameter is {self.radius!r}.",
                value=radius,
            )
        self._stream = Stream.from_state(self._lift(n_features, radius), state)
        self._radius, self._copies = radius, {}

    def _assess(self, query: ArrayLike) -> Assessment | None:
        """What is known of a query; None before the first label."""
        vector = self._check_query(query)
        return (
            self._stream_to_ask(vector).assess(vector)
            if self._stream is not None and self._stream.labels
            else None
        )

    def __sklearn_is_fitted__(self) -> bool:
        return self._stream is not None and bool(self._stream.labels)

    def __getstate__(self) -> dict[str, Any]:
        state: Any = super().__getstate__()
        return {name: value for name, value in state.items() if name != "_copies"}

    @property
    def _learned_stream(self) -> Stream:
        """The stream; raises AttributeError before the first label, so that the attributes above do
        not exist before it.
        """
        if self._stream is None:
            raise AttributeError(f"{type(self).__name__} has learned nothing yet.")
        return self._stream

    def _check_parameters(self) -> None:
        """Raise an `InvalidInput` for the first parameter that is not allowed, or does not fit
        others.
        """
        check_parameters(self, self._fits)
        if self.similarity != "lp" and self.p != 2:
            raise _unfit(
                self,
                "p",
                f"{setting('similarity', self.similarity)} has no power",
                'Use similarity="lp" for it.',
            )
        if self.noise > 0 and self.engine in ("ellipsoid", "exact"):
            raise _unfit(
                self,
                "engine",
                f"it cannot handle {setting('noise', shown=self.noise)}",
                'Leave it at "auto", or take noise=0.',
            )

    def _lift(self, n_features: int, radius: float) -> Lift:
        """The features for queries of ``n_features`` coordinates in a ball of this radius."""
        alpha = 1.0 if self.alpha is None else self.alpha
        return lift_of(self.similarity, n_features, p=self.p, alpha=alpha, radius=radius)

    def _partition(self, lift: Lift, seed: int) -> Partition[Any]:
        """The knowledge of all labels, before the first of them."""
        return PairwisePartition(
            lift, engine=self._engine_for(lift), update=self.update, noise=self.noise, seed=seed
        )

    def _engine_for(self, lift: Lift) -> str:
        """The engine in use on these features."""
        return parameters.engine_in_use(self.engine, lift.largest_dimension, self.noise)

    def _assumptions(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """What bounds of losses assume, and which losses the bound of all of them does not count in
        full.
        """
        return (CENTRES, SEEN), (SHORTENED,) if self.similarity == "inner" else ()

    def _begin_stream(self, n_features: int, radius: float) -> Stream:
        """A new stream from the parameters, with queries of ``n_features`` coordinates in a ball of
        this radius; its seed is drawn from the ``random_state``.
        """
        self._check_parameters()
        lift = self._lift(n_features, radius)
        seed = int(check_random_state(self.random_state).randint(2**31))
        self._stream = Stream(
            self._partition(lift, seed),
            update=self.update,
            inconsistent=self.inconsistent,
            seed=seed,
        )
        self._radius, self._copies, self.n_features_in_ = radius, {}, n_features
        return self._stream

    def _stream_to_learn(self, query: Floats) -> Stream:
        """The stream, begun with the first query, and with a ball that holds this one."""
        if self._stream is None:
            return self._begin_stream(len(query), self._first_radius(query))
        self._stream, self._radius = self._stream_to_ask(query), self._radius_for(query)
        self._copies = {}
        return self._stream

    def _stream_to_ask(self, query: Floats) -> Stream:
        """The stream, or a copy of it with a ball that holds the query."""
        stream, radius = self._learned_stream, self._radius_for(query)
        if radius == self._radius:
            return stream
        copies: dict[float | Lift, Stream] = self.__dict__.setdefault("_copies", {})
        if radius not in copies:
            copies[radius] = self._widen(deepcopy(stream), self.n_features_in_, radius)
        return copies[radius]

    def _first_radius(self, query: Floats) -> float:
        """The radius with which to begin."""
        if self.radius != "auto":
            return float(self.radius)
        return 2 * self._size(query) or 1.0

    def _radius_for(self, query: Floats) -> float:
        """The radius in use, doubled until the query is inside if it may grow."""
        size = self._size(query)
        if self.radius != "auto" or size <= self._radius * (1 + DISTANCE_ERROR):
            return self._radius
        (share, high), (own_share, own_high) = frexp(size), frexp(self._radius)
        with np.errstate(over="ignore"):  # an infinite radius is refused by the features
            return float(np.ldexp(self._radius, high - own_high + (share > own_share)))

    def _size(self, query: Floats) -> float:
        """What has to be inside of the radius; nothing for inner products, which know no length."""
        if self.similarity == "inner":
            return 0.0
        return float(
            np.hypot.reduce(query) if self.similarity == "euclidean" else np.abs(query).max()
        )

    def _widen(self, stream: Stream, n_features: int, radius: float) -> Stream:
        lift, engine = self._lift(n_features, radius), stream.partition.engine
        stream.widen(lift, engine if engine in ("soft", "ellipsoid") else self._engine_for(lift))
        return stream

    def _check_query(self, query: ArrayLike) -> Floats:
        return parameters.check_query(query, None if self._stream is None else self.n_features_in_)


def _unfit(model: OnlinePartitionClassifier, name: str, why: str, advice: str) -> InvalidInput:
    """The error for a parameter that does not fit others."""
    value = getattr(model, name)
    return InvalidInput(f"{setting(name, value)} does not fit: {why}.", advice=advice, value=value)


def _is_auto(value: Any) -> bool:
    return isinstance(value, str) and value == "auto"


def online_certificates(
    model: OnlinePartitionClassifier, X: Floats, y: NDArray[Any]
) -> list[Certificate]:
    """The bound of all future losses, and the bound of the largest loss of the guesses for X.

    Neither is a matter of probability, but of what the labels so far imply about the centres. The
    first is void unless the engine's bound is proved; both are void if labels contradict each
    other, or if y contradicts what the past implies about X. They are vacuous unless they are below
    what is proved of a learner that knows the labels and has seen no query.
    """
    contradictions = _contradictions(model, X, y)
    unproved, noisy = (*contradictions, *_unproved(model)), (*contradictions, *_noisy(model))
    remaining, largest = _bounds(model, X)
    before_all, before_these = _bounds(_untaught(model), X)
    in_the_mean = " on average over its own random guesses" if model.update == "paper" else ""
    all_to_come = (
        f"All guesses to come lose at most {remaining:.4g} together{in_the_mean}, whatever the "
        "queries."
    )
    assumed, uncounted = model._assumptions()
    return [
        Certificate(
            statement=NOT_PROVED if unproved else all_to_come,
            value=remaining,
            kind="remaining loss",
            assumptions=(*assumed, *uncounted),
            evidence={
                "potential": model.potential(),
                "rounds": model.rounds_,
                "mistakes": model.mistakes_,
            },
            guessing=before_all,
            void=unproved,
        ),
        Certificate(
            statement=NOT_PROVED
            if noisy
            else f"No guess for one of these {len(X):,} queries loses more than {largest:.4g}.",
            value=largest,
            kind="loss of these queries",
            assumptions=assumed,
            evidence={
                "queries": len(X),
                "certain": sum(map(model.certain, X)),
                "rounds": model.rounds_,
            },
            guessing=before_these,
            void=noisy,
        ),
    ]


def _bounds(model: OnlinePartitionClassifier, X: Floats) -> tuple[float, float]:
    """The bound of all losses to come, and the largest of the bounds of the guesses for X."""
    return model.remaining_loss_bound(), max(model.loss_bound(query) for query in X)


def _untaught(model: OnlinePartitionClassifier) -> OnlinePartitionClassifier:
    """A learner with the same parameters that was told the labels, but of no query."""
    fresh: OnlinePartitionClassifier = clone(model)
    fresh._begin_stream(model.n_features_in_, model.radius_).add_labels(model.classes_.tolist())
    return fresh


def _contradictions(
    model: OnlinePartitionClassifier, X: Floats, y: NDArray[Any]
) -> tuple[str, ...]:
    """The contradictions among the labels learned so far, and the first between y and what the past
    implies about X.
    """
    reasons = []
    first = model.first_contradiction_
    if first is not None:
        reasons.append(
            f"{counted(model.contradictions_, 'label', 'labels')} contradicted the past; the first: "
            f"{first.describe()}"
        )
    for position, (query, guess, label) in enumerate(
        zip(X, model.predict(X).tolist(), y.tolist(), strict=True)
    ):
        if guess != label and model.certain(query):
            reasons.append(
                f"The past implies the label {guess!r} for object {position}, which has {label!r}."
            )
            break
    return tuple(reasons)


def _unproved(model: OnlinePartitionClassifier) -> tuple[str, ...]:
    """Why the bound of future losses is not proved, if so: the engine has no proved bound, or an
    infinite one.
    """
    if model.proved_ and model.remaining_loss_bound() < inf:
        return ()
    why = (
        "bounds its losses by no proof" if not model.proved_ else "has no bound of its losses here"
    )
    return (
        f"The engine {model.engine_!r} {why}. engine='exact' and 'ellipsoid' have one, without "
        "noise.",
    )


def _noisy(model: OnlinePartitionClassifier) -> tuple[str, ...]:
    """Why bounds of single guesses do not hold, if so: the engine allows for wrong labels."""
    return (
        ("Labels may be wrong, so that losses of guesses are estimates.",)
        if model.engine_ == "soft"
        else ()
    )
