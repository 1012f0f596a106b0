"""Labels of nearest centres, guessed one by one; what all guesses lose together need not grow with their number."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from wideberth.arrays import Floats
from wideberth.classifiers.online.features import Features, features_of
from wideberth.classifiers.online.pairs import PairwisePartition
from wideberth.classifiers.online.parameters import ENGINES, check, engine_for
from wideberth.classifiers.online.partition import Look
from wideberth.classifiers.online.stream import Contradiction, Stream
from wideberth.errors import InvalidInput
from wideberth.estimators.targets import code_targets
from wideberth.estimators.words import counted


class OnlinePartitionClassifier(ClassifierMixin, BaseEstimator):
    r"""Guesses the label of each query of a stream, and is told it: the label of the nearest of some hidden centres.

    What counts is not how often a guess is wrong but by how much,

    .. math:: \text{loss} = (\delta(q, x_{\text{guess}}) - \delta(q, x_{\text{label}}))^\alpha,

    and the total loss is bounded whatever the queries, chosen by an adversary if need be, and however many:
    :math:`O(k^2 d \log d)` for inner products and Euclidean distances, d times that with ellipsoids (Guruganesh, Liu, Schneider
    & Wang 2021, Theorems 2, 11, 12 and 13). All pairs of labels keep a set of what their difference can still be; a guess that
    could lose much is one from which much would be learned, and there is only so much to learn.

    The bound needs labels of nearest centres in the ball of the ``radius``, never wrong. It is proved for the engines "exact" and
    "ellipsoid". The engine "sampling" makes far fewer mistakes, but counts votes on points: each count is near enough with
    probability 0.9999 for a query that was chosen independently of the points, if these are independent and spread evenly, as
    they nearly are. So its bound is likely, not proved. The engine "joint" has no bound of what it loses in all. Losses of single
    guesses and what is certain are proved for all four.
    Inner products, squares of distances or their p-th powers that differ by less than :math:`2^{-32}`, in units of the radius,
    count as ties. New labels may come at any time; the round of the first sight of a label is not in the bound.

    >>> import numpy as np
    >>> learner = OnlinePartitionClassifier("euclidean", random_state=0)
    >>> centres, chance = np.array([[0.5, 0.0], [-0.5, 0.3], [0.0, -0.6]]), np.random.default_rng(0)
    >>> for query in chance.uniform(-0.7, 0.7, size=(300, 2)):
    ...     guess = learner.predict_one(query)
    ...     _ = learner.learn_one(query, "abc"[np.linalg.norm(query - centres, axis=1).argmin()])
    >>> learner.predict_one([0.5, 0.1]), learner.certain([0.5, 0.1]), learner.loss_bound([0.5, 0.1])
    ('a', True, 0.0)
    >>> learner.mistakes_ < 25, learner.remaining_loss_bound() < np.inf
    (True, True)

    Parameters
    ----------
    similarity : {"euclidean", "inner", "lp"}
        What the nearest centre is: that of the least Euclidean distance, of the largest inner product, or of the least distance
        in :math:`L^p`.
    p : float
        The power of "lp". Even powers are exact; for others give ``separation`` and ``resolution``, or a ``degree``. Powers below
        2, for which nothing is proved, are refused.
    alpha : float, optional
        The power of the losses that count; 1 by default.
    radius : float
        The length of the longest query, and of the centres ("lp": the largest coordinate of a query). "inner" shortens longer
        queries, which changes no label; the others refuse them. Too large a radius costs little, a logarithm.
    engine : {"auto", "sampling", "ellipsoid", "exact", "joint"}
        How knowledge is kept. "sampling": rows and points for each pair of labels; few mistakes, for up to some 24 features.
        "ellipsoid": for any number of features, fast, in constant memory, slower to learn. "exact": rows and volumes, for up to
        four features. "joint": rows and points for all labels together; less loss than "sampling" on most streams that were
        measured with three labels and more, as long as k d is at most some 50, but nothing is proved of what it loses in all.
        "auto" is "sampling", or "ellipsoid" for more than 24 features. Euclidean distances have one feature more than queries
        have coordinates, even powers p :math:`d (p - 1) + 1`.
    update : {"informative", "paper"}
        "informative": learn all that every label tells; the bound of the loss is the sum of all potentials. "paper": Theorem 11
        to the letter, guesses drawn at random and lessons from mistakes alone; twice that, in expectation.
    separation, resolution : float, optional
        For p > 2 that is not even: any two centres are so far apart, and losses below the resolution are not counted (Theorem 13,
        with features as accurate as each loss needs). An error says if that takes too many features.
    degree : int, optional
        For p > 2 that is not even: features of this degree, without guarantee.
    noise : float
        The share of wrong labels. Above 0, cuts are soft: nothing is ruled out, nothing is proved.
    inconsistent : {"error", "ignore", "soften"}
        What to do about a label that contradicts the past, if ``noise`` is 0: raise an error that names the rounds, leave the
        label out, or go on with soft cuts. All engines but "joint" notice contradictions between two labels only, "ellipsoid"
        late.
    random_state : int, RandomState instance or None
        The same number gives the same guesses.

    Attributes
    ----------
    classes_ : the labels seen so far, sorted.
    rounds_, mistakes_ : how many labels were told, and how many of them had not been guessed; the first sight of a label is one.
    contradictions_, first_contradiction_ : how many of them contradicted the past, and the first that did, with its witnesses.
    engine_ : the engine in use; "soft" under noise.
    proved_ : whether the bound is proved, if labels are those of nearest centres; if not, it is likely ("sampling"), or there is
        none.
    n_rows_ : how many rows are kept.
    """

    _stream: Stream | None = None
    n_features_in_: int

    def __init__(
        self,
        similarity: str = "euclidean",
        *,
        p: float = 2,
        alpha: float | None = None,
        radius: float = 1.0,
        engine: str = "auto",
        update: str = "informative",
        separation: float | None = None,
        resolution: float | None = None,
        degree: int | None = None,
        noise: float = 0.0,
        inconsistent: str = "error",
        random_state: Any = None,
    ) -> None:
        self.similarity = similarity
        self.p = p
        self.alpha = alpha
        self.radius = radius
        self.engine = engine
        self.update = update
        self.separation = separation
        self.resolution = resolution
        self.degree = degree
        self.noise = noise
        self.inconsistent = inconsistent
        self.random_state = random_state

    def predict_one(self, query: Any) -> Any:
        """The guess for one query; None before the first label. Asking leaves no trace."""
        look = self._look(query)
        return None if look is None else self._taught.labels[self._taught.guess(look)]

    def predict_proba_one(self, query: Any) -> dict[Any, float]:
        """The chances with which each label is guessed, 1 and 0 if nothing is drawn; no probabilities of being right."""
        look = self._look(query)
        if look is None:
            return {}
        chances = dict.fromkeys(self._taught.labels, 0.0)
        return chances | {self._taught.labels[number]: chance for number, chance in look.chances.items()}

    def learn_one(self, query: Any, label: Any = None, *, ranking: Any = None) -> Self:
        """Learn the label of a query, or the ranking of all labels for it, the nearest first.

        As long as all that is told are rankings, guesses are majority votes of all pairs (Remark 3.4).
        """
        if (label is None) == (ranking is None):
            raise InvalidInput(
                f"A round tells a label or a ranking; here are label={label!r} and ranking={ranking!r}.",
                advice="Pass one of the two.",
                value=(label, ranking),
            )
        vector = self._admit_one(query)
        stream = self._begun(len(vector))
        labels = [_plain(each) for each in ([label] if ranking is None else ranking)]
        if ranking is not None:
            stream.check_ranking(labels)
        stream.learn(vector, labels, is_ranking=ranking is not None)
        return self

    def certain(self, query: Any) -> bool:
        """Whether the past implies the label that is guessed, among those seen so far."""
        look = self._look(query)
        return look is not None and len(self._taught.labels) > 1 and look.certain

    def loss_bound(self, query: Any) -> float:
        """The most that the guess for this query can lose, among the labels seen so far; an estimate under noise."""
        look = self._look(query)
        return 0.0 if look is None else look.loss * self._taught.partition.features.worth_of(self._admit_one(query))

    def potential(self) -> float:
        """What all pairs of labels seen so far can still lose, as surely as the bound holds; it rises for new labels only."""
        return 0.0 if self._stream is None else self._stream.potential()

    def remaining_loss_bound(self) -> float:
        """A bound of what all guesses to come lose together, among the labels seen so far; likely only, unless ``proved_``.

        With ``update="paper"`` twice the potential, which bounds the expected loss; otherwise the potential. Infinite under
        noise, after a contradiction, for features without guarantee, and for the joint engine. Losses below the ``resolution``
        are not counted; those of queries beyond the radius count radius / length of what they are.
        """
        return 0.0 if self._stream is None else self._stream.remaining_loss()

    def summary(self) -> str:
        """What was learned so far, in words.

        >>> print(OnlinePartitionClassifier(engine="exact").fit([[0.0], [0.5], [0.6]], ["low", "up", "up"]).summary())
        OnlinePartitionClassifier by euclidean similarity, told 3 labels of 2 classes; 2 of them were not guessed.
        The engine 'exact' keeps 1 row. All guesses to come lose at most 249.5 together.
        """
        check_is_fitted(self)
        told, classes = counted(self.rounds_, "label", "labels"), counted(len(self.classes_), "class", "classes")
        return "\n".join(
            [
                f"{type(self).__name__} by {self.similarity} similarity, told {told} of {classes}; {self.mistakes_:,} of them "
                "were not guessed.",
                f"The engine {self.engine_!r} keeps {counted(self.n_rows_, 'row', 'rows')}. {self._losses_in_words()}",
            ]
        )

    def _losses_in_words(self) -> str:
        remaining = self.remaining_loss_bound()
        if remaining == np.inf:
            return "What guesses to come can lose is not bounded."
        surely = "at most" if self.proved_ else "very likely at most"
        return f"All guesses to come lose {surely} {remaining:.4g} together."

    def fit(self, X: Any, y: Any) -> Self:
        """Forget all, and learn rows with their labels, in their order."""
        self._stream = None
        return self.partial_fit(X, y)

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """Learn rows with their labels, in their order, after what was learned before.

        ``classes`` may name labels that are yet to come: guesses and bounds then reckon with them from the start.
        """
        if y is None:
            raise InvalidInput(f"{type(self).__name__} requires y to be passed, but the target y is None.", value=None)
        X = validate_data(self, X, dtype=np.float64, reset=self._stream is None)
        coded = code_targets(y, len(X))
        labels = coded.classes[coded.codes]
        stream = self._begun(X.shape[1])
        stream.meet([_plain(each) for each in ([] if classes is None else classes)])
        for query, label in zip(X, labels.tolist(), strict=True):
            stream.learn(query, [label], is_ranking=False)
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """The guess for each row, as if it came next."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        stream = self._taught
        numbers = [stream.guess(stream.partition.look(query)) for query in X]
        return np.array(stream.labels, dtype=stream.classes.dtype)[numbers]

    @property
    def classes_(self) -> NDArray[Any]:
        """The labels seen so far."""
        return self._taught.classes

    @property
    def rounds_(self) -> int:
        """How many labels were told."""
        return self._taught.rounds

    @property
    def mistakes_(self) -> int:
        """How many of them had not been guessed."""
        return self._taught.mistakes

    @property
    def contradictions_(self) -> int:
        """How many of them contradicted the past."""
        return self._taught.contradictions

    @property
    def first_contradiction_(self) -> Contradiction | None:
        """The first of these."""
        return self._taught.first_contradiction

    @property
    def engine_(self) -> str:
        """The engine in use."""
        return self._taught.partition.engine

    @property
    def proved_(self) -> bool:
        """Whether the bound is proved."""
        return self._taught.partition.proved

    @property
    def n_rows_(self) -> int:
        """How many rows are kept."""
        return self._taught.partition.n_rows

    def __sklearn_is_fitted__(self) -> bool:
        return self._stream is not None and bool(self._stream.labels)

    @property
    def _taught(self) -> Stream:
        """The stream; an attribute that is not there before the first lesson, so that neither are those above."""
        if self._stream is None:
            raise AttributeError(f"{type(self).__name__} has learned nothing yet.")
        return self._stream

    def _begun(self, n_features: int) -> Stream:
        """The stream, which begins with the first lesson."""
        if self._stream is None:
            check(self)
            features = self._features(n_features)
            seed = int(check_random_state(self.random_state).randint(2**31))
            engine = engine_for(self, features)
            kind = ENGINES.get(engine, PairwisePartition)  # soft cuts are kept by pairs
            partition = kind(features, engine=engine, update=self.update, noise=self.noise, seed=seed)
            self._stream = Stream(partition, update=self.update, inconsistent=self.inconsistent, seed=seed)
            self.n_features_in_ = n_features
        return self._stream

    def widen(self, n_features: int) -> Self:
        """Go on with queries that have more coordinates, which were 0 so far; rows are carried over, ellipsoids begin anew."""
        features = self._features(n_features)
        engine = "soft" if self.engine_ == "soft" else engine_for(self, features)
        self._taught.widen(features, engine)
        self.n_features_in_ = n_features
        return self

    def _features(self, n_features: int) -> Features:
        names = ("p", "radius", "separation", "resolution", "degree")
        alpha = 1.0 if self.alpha is None else self.alpha
        return features_of(self.similarity, n_features, alpha=alpha, **{name: getattr(self, name) for name in names})

    def _look(self, query: Any) -> Look | None:
        """What is known of a query; nothing before the first label."""
        vector = self._admit_one(query)
        return self._stream.look(vector) if self._stream is not None and self._stream.labels else None

    def _admit_one(self, query: Any) -> Floats:
        try:
            vector = np.asarray(query, dtype=np.float64)
        except (TypeError, ValueError):
            vector = np.array(np.nan)
        expected = self.n_features_in_ if self._stream is not None else vector.size
        if vector.shape != (expected,) or not expected or not np.isfinite(vector).all():
            raise InvalidInput(
                f"A query is a vector of {expected or 'some'} finite numbers; this one is {query!r}.",
                advice="Pass one row; partial_fit and predict take many.",
                value=query,
            )
        return vector


def _plain(label: Any) -> Any:
    """A label of Python for one of NumPy."""
    return label.item() if isinstance(label, np.generic) else label
