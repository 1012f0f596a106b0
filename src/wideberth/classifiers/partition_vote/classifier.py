"""`PartitionVoteClassifier`: any classifier, so that a few wrong or planted rows cannot change its
answers.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils import Tags, get_tags
from sklearn.utils.validation import check_is_fitted, validate_data

from wideberth.array_types import Floats, Indices, Labels, Objects
from wideberth.classifiers.partition_vote.votes import NOBODY, PartVotes
from wideberth.errors import InvalidInput, NotCertified, warn_user
from wideberth.estimators import model_facts as facts
from wideberth.estimators.metric_classifier import MetricClassifier
from wideberth.estimators.metric_estimator import (
    Fits,
    check_parameters,
    checked_vectors,
    code_targets,
    reported,
)
from wideberth.metrics.parameters import is_whole
from wideberth.objects import sample
from wideberth.objects.digests import Digests, given_digests
from wideberth.progress import task
from wideberth.wording import setting


@dataclass(frozen=True, eq=False)
class VotingPart:
    """What was learned from the rows of one part.

    Attributes
    ----------
    n_rows : int
        How many rows it has.
    classes : ndarray
        The labels that occur in it, sorted.
    classifier : classifier or None
        The one that learned from them; None where none did.
    constant : label or None
        The label that it gives every object, where no classifier learned: that of all its rows, or
        the most frequent one, the first of several, if the classifier refused them; None without
        rows.
    """

    n_rows: int
    classes: NDArray[Any]
    classifier: Any = None
    constant: Any = None


class PartitionVoteClassifier(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    r"""A vote of classifiers that each learned from a part of the rows: a few wrong, added or removed
    rows cannot change its answers, and how few is known for each answer.

    The rows are cut into disjoint parts by a digest of the object alone, and a copy of the classifier
    learns from each part alone; the label with the most votes wins, of equal ones the first. A
    changed row changes one vote, so an answer with :math:`V_y` votes stays while fewer than about
    half of its lead is changed (Levine & Feizi 2021):

    .. math:: r = \min_{c \neq y} \lfloor (V_y - V_c - [c \text{ first}]) / 2 \rfloor

    It works for any classifier and any labels, and needs no promise of a metric. With more parts each
    learns from fewer rows: answers withstand more and are right less often. Objects that are equal are
    in one part. A part whose rows have one class votes for it, one without rows does not vote, and one
    that the classifier refuses, because a class is too small for its folds, votes for its most
    frequent label.

    **What is assumed.** A part's classifier is a function of its rows: seeds that are None are set
    here, to numbers that no row changes, and with a limit of time nothing is certified. The
    parameters of the classifier, and ``n_parts``, were not chosen by looking at these rows. A
    classifier that chooses settings itself does so in each part by the rows of that part, which is
    allowed; so is a metric that takes its scales from them.

    Parameters
    ----------
    estimator : classifier
        One of this library, or any other that follows scikit-learn's conventions. It is not changed.
    n_parts : int
        How many parts the rows are cut into.
    random_state : int
        The seeds of the parts are derived from it, where the classifier has none of its own.
    verbose : int
        0 shows progress in a terminal, 1 elsewhere too, as lines on standard error; -1 shows none.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    parts_ : tuple of VotingPart
        What was learned from each part: ``n_rows``, ``classes``, ``classifier``, ``constant``.

    Examples
    --------
    >>> from wideberth import NeighborsClassifier
    >>> words = [f"{start}{middle}{end}" for start in "tr" for middle in "aeiou" for end in "nmst"]
    >>> kinds = ["soft" if word[0] == "t" else "hard" for word in words]
    >>> vote = PartitionVoteClassifier(NeighborsClassifier("hamming", n_neighbors=1), n_parts=5)
    >>> vote.fit(words, kinds).predict(["tun", "rim"])
    array(['soft', 'hard'], dtype='<U4')
    >>> vote.certified_rows(["tun", "rim"])  # any so many of the 40 rows may be wrong, or new ones
    array([1, 2])
    """

    _fits: ClassVar = {
        "n_parts": Fits(lambda value: is_whole(value, 1), "Pass a whole number from 1 on."),
        "random_state": Fits(lambda value: is_whole(value, 0), "Pass a whole number from 0 on."),
    }

    def __init__(
        self, estimator: Any, *, n_parts: int = 50, random_state: int = 0, verbose: int = 0
    ) -> None:
        self.estimator = estimator
        self.n_parts = n_parts
        self.random_state = random_state
        self.verbose = verbose

    @reported
    def fit(self, X: Objects, y: Labels) -> Self:
        """Learn from objects X with labels y.

        Parameters
        ----------
        X : sample
            Objects that the classifier takes. Each has to be there itself, as its contents tell the
            part: rows of a matrix of distances, and indices into a `wideberth.MetricSpace`, are
            refused.
        y : array-like of shape (n,)
            A label for each object.

        Returns
        -------
        self
            The fitted classifier.
        """
        self.check_parameters()
        if y is None:
            raise InvalidInput(
                f"{type(self).__name__} requires y to be passed, but the target y is None.",
                value=None,
            )
        X = self._checked(X, reset=True)
        labels = code_targets(y, _count(X))
        if not len(labels):
            raise InvalidInput(
                "There are no objects to learn from.", advice="Pass at least one.", value=0
            )
        numbers = self._numbers(X)
        learned, refusals = [], []
        with task("parts", self.n_parts) as learning:
            for number in range(self.n_parts):
                rows = np.flatnonzero(numbers == number)
                part, refusal = self._learned(
                    _pick(X, rows), labels.classes[labels.codes[rows]], number
                )
                learned.append(part)
                refusals += [] if refusal is None else [refusal]
                learning.advance()
        if refusals:
            if not any(part.classifier is not None for part in learned):
                raise refusals[0]
            warn_user(
                f"{len(refusals)} of {self.n_parts} parts vote for their most frequent label, as "
                f"the classifier refused them. The first said: {refusals[0]}",
                UserWarning,
            )
        self.classes_, self.parts_ = labels.classes, tuple(learned)
        return self

    def _learned(
        self, X: Objects, labels: NDArray[Any], number: int
    ) -> tuple[VotingPart, ValueError | None]:
        """What a part learns from its rows, and why it does not, if the classifier refuses them."""
        classes, counts = np.unique(labels, return_counts=True)
        if len(classes) < 2:
            return VotingPart(
                len(labels), classes, None, classes[0].item() if len(classes) else None
            ), None
        try:
            return VotingPart(len(labels), classes, self._copy(number).fit(X, labels)), None
        except ValueError as refusal:
            return VotingPart(len(labels), classes, None, classes[counts.argmax()].item()), refusal

    def _copy(self, number: int) -> Any:
        """A copy of the classifier, with seeds that depend on the number of the part alone."""
        copied = clone(self.estimator)
        seeds = np.random.SeedSequence([self.random_state, number]).generate_state(1)
        unseeded = {
            name: int(seeds[0])
            for name, value in copied.get_params().items()
            if name.rpartition("__")[2] == "random_state" and value is None
        }
        return copied.set_params(**unseeded)

    @reported
    def predict(self, X: Objects) -> NDArray[Any]:
        """The label of each object: the one with the most votes, of equal ones the first.

        Parameters
        ----------
        X : sample
            Objects to classify.

        Returns
        -------
        ndarray of shape (n,)
            Labels from ``classes_``.
        """
        winners = self._votes(X).winners  # raises NotFittedError before classes_ is used
        labels: NDArray[Any] = self.classes_[winners]
        return labels

    @reported
    def decision_function(self, X: Objects) -> Floats:
        """The share of the parts that vote for each label; for two classes the difference, positive
        for ``classes_[1]``.

        Parameters
        ----------
        X : sample
            Objects to classify.

        Returns
        -------
        ndarray of shape (n, k), or (n,) for two classes
            The shares.
        """
        shares = self._votes(X).counts / self.n_parts
        return shares[:, 1] - shares[:, 0] if shares.shape[1] == 2 else shares

    @reported
    def certified_rows(self, X: Objects) -> Indices:
        """How many training rows may be added, removed or wrongly labelled before an answer can
        change.

        A row whose object is altered is one removed and one added. The docstring of the class says
        what is assumed.

        Parameters
        ----------
        X : sample
            Objects to classify.

        Returns
        -------
        ndarray of int, shape (n,)
            For each object, a number of changes that leave its label, whichever they are.

        Raises
        ------
        NotCertified
            If the parts depend on more than their rows, as far as that can be seen: on the clock, or
            on a metric that took its parameters from these rows before.
        """
        votes = self._votes(X)
        self._require_functions_of_rows()
        return votes.changes_withstood()

    def certified_flips(self, X: Objects) -> Indices:
        """How many training labels may be wrong before an answer can change: as many as rows may be
        added or removed, `certified_rows`.

        Parameters
        ----------
        X : sample
            Objects to classify.

        Returns
        -------
        ndarray of int, shape (n,)
            For each object, a number of flips that leave its label, whichever they are.
        """
        return self.certified_rows(X)

    @reported
    def certified_radius(self, X: Objects, unit: str | None = None, rows: int = 0) -> Floats:
        """How far each object may move, while any ``rows`` training rows change too, before its label
        can change.

        It needs a classifier of this library that certifies radii. ``wideberth.classifiers.
        partition_vote.votes`` has the proof.

        Parameters
        ----------
        X : sample
            Objects to classify.
        unit : str, optional
            What to measure the radius in, as in the ``certified_radius`` of the parts, such as
            "edit". By default their metric, if they all have the same.
        rows : int
            How many rows may be added, removed or wrongly labelled at the same time.

        Returns
        -------
        ndarray of shape (n,)
            Radii: nothing strictly closer gets another label. 0 where nothing is proved, not even for
            the object as it is.

        Raises
        ------
        NotCertified
            If the parts certify no radii, or each measures by a metric of its own; or as
            `certified_rows`.

        Examples
        --------
        >>> from wideberth import NeighborsClassifier
        >>> words = [f"{start}{end}" for start in ("tttt", "rrrr") for end in "abcdefgh"]
        >>> vote = PartitionVoteClassifier(
        ...     NeighborsClassifier("levenshtein", n_neighbors=1), n_parts=3
        ... )
        >>> vote = vote.fit(words, 8 * ["soft"] + 8 * ["hard"])
        >>> (
        ...     vote.certified_radius(["tttta"], "edit"),
        ...     vote.certified_radius(["tttta"], "edit", rows=1),
        ... )
        (array([2.]), array([1.5]))
        """
        if not is_whole(rows, 0):
            raise InvalidInput(
                f"{setting('rows', rows)} is not a number of rows.",
                advice="Pass a whole number from 0 on.",
                value=rows,
            )
        votes = self._votes(X)
        self._require_functions_of_rows()
        self._require_one_measure(unit)
        radii = [
            part.classifier.certified_radius(X, unit)
            if part.classifier is not None
            else np.full(len(votes.codes), np.inf)
            for part in self.parts_
        ]
        knows = np.array([np.isin(self.classes_, part.classes) for part in self.parts_])
        return votes.radii(np.stack(radii, axis=1), knows, int(rows))

    def part_of(self, X: Objects) -> Indices:
        """The number of the part that each object is in, or would be in as a row.

        Parameters
        ----------
        X : sample
            Objects.

        Returns
        -------
        ndarray of int, shape (n,)
            Numbers from 0 to ``n_parts`` - 1; equal objects have the same.
        """
        check_is_fitted(self)
        return self._numbers(self._checked(X, reset=False))

    def summary(self) -> str:
        """What was learned, in a few sentences.

        Returns
        -------
        str
            How many parts there are, how large they are, and how those vote that no classifier
            learned from.
        """
        check_is_fitted(self)
        sizes = [part.n_rows for part in self.parts_]
        learned = [part for part in self.parts_ if part.classifier is not None]
        constant = sum(part.classifier is None and part.n_rows > 0 for part in self.parts_)
        empty = sizes.count(0)
        lines = [
            f"{type(self).__name__}: {facts.counted(len(sizes), 'part', 'parts')} of "
            f"{sum(sizes):,} objects of {facts.counted(len(self.classes_), 'class', 'classes')}, "
            f"by digests of the objects, of {min(sizes):,} to {max(sizes):,} each.",
            f"From each of {len(learned):,} of them a copy of {type(self.estimator).__name__} learned "
            "alone; the most votes win.",
        ]
        if constant:
            lines.append(f"{facts.counted(constant, 'part gives', 'parts give')} one label to all.")
        if empty:
            lines.append(
                f"{facts.counted(empty, 'part is', 'parts are')} empty and vote for nobody."
            )
        try:
            self._require_functions_of_rows()
        except NotCertified as reason:
            return "\n".join([*lines, f"No number of wrong rows is certified. {reason}"])
        lines.append(
            "A row that is added, removed or wrongly labelled changes one vote, an altered object two, "
            "if no setting was chosen by these rows: certified_rows counts how many an answer "
            "withstands."
        )
        return "\n".join(lines)

    @property
    def n_learned(self) -> int:
        """How many objects were learned from."""
        return sum(part.n_rows for part in self.parts_)

    def check_parameters(self) -> None:
        """Raise `InvalidInput` for a parameter whose value no training objects allow."""
        check_parameters(self, self._fits)
        if not (hasattr(self.estimator, "fit") and hasattr(self.estimator, "get_params")):
            raise InvalidInput(
                f"{setting('estimator', self.estimator)} is no classifier.",
                advice="Pass one of wideberth or of scikit-learn, not fitted.",
                value=self.estimator,
            )

    def _votes(self, X: Objects) -> PartVotes:
        check_is_fitted(self)
        X = self._checked(X, reset=False)
        codes = np.empty((_count(X), len(self.parts_)), dtype=np.intp)
        with task("votes", len(self.parts_)) as asking:
            for number, part in enumerate(self.parts_):
                codes[:, number] = self._codes(part, X)
                asking.advance()
        return PartVotes(codes, len(self.classes_))

    def _codes(self, part: VotingPart, X: Objects) -> Any:
        """The class that a part votes for, for each object."""
        if not part.n_rows:
            return NOBODY
        labels = part.constant if part.classifier is None else part.classifier.predict(X)
        return np.searchsorted(self.classes_, labels)

    def _numbers(self, X: Objects) -> Indices:
        """The part of each object, by its digest."""
        digests = self._digests(X)
        return np.asarray(digests % np.uint64(self.n_parts), dtype=np.intp)

    def _refuse_distances(self) -> None:
        """Raise `InvalidInput` if objects are to be known by distances alone."""
        metric = getattr(self.estimator, "metric", None)
        if get_tags(self.estimator).input_tags.pairwise or (
            getattr(metric, "accepts", "") == "indices"
        ):
            raise InvalidInput(
                "Rows are put into parts by what the objects hold, and distances or indices hold "
                "nothing of them.",
                advice="Pass the objects themselves, with the metric between them.",
                value=metric,
            )

    def _digests(self, X: Objects) -> Digests:
        rows = X.to_numpy() if hasattr(X, "iloc") else X
        if isinstance(rows, np.ndarray) and rows.dtype == object and rows.ndim > 1:
            rows = rows.tolist()  # numbers beside a text in another row are the same numbers
        digests = given_digests(rows)
        if digests is None:
            raise InvalidInput(
                "Rows are put into parts by what the objects hold, and these cannot be read.",
                advice="Pass texts, numbers, or lists, sets and dicts of them.",
                value=type(X).__name__,
            )
        return digests

    def _require_functions_of_rows(self) -> None:
        """Raise `NotCertified` if what a part learns depends on more than its rows."""
        for name, value in self.estimator.get_params().items():
            if name.rpartition("__")[2] == "max_time" and value is not None:
                raise NotCertified(
                    f"With {setting(name, value)} the clock decides what a part learns, besides its "
                    "rows.",
                    advice=f"Pass {setting(name, None)} to the classifier.",
                    missing="changed_rows",
                )
        learned = [getattr(part.classifier, "learned_from_", None) for part in self.parts_]
        if any(
            each is not None and each.metric_learned and each.metric_objects is not None
            for each in learned
        ):
            raise NotCertified(
                "The metric took its parameters from rows of several parts before, so one row may "
                "change them all.",
                advice="Pass the metric as it was before, and each part learns its parameters alone.",
                missing="changed_rows",
            )

    def _require_one_measure(self, unit: str | None) -> None:
        """Raise `NotCertified` if the parts have no radii, or none that can be compared."""
        learned = [part.classifier for part in self.parts_ if part.classifier is not None]
        if not all(hasattr(each, "certified_radius") for each in learned):
            raise NotCertified(
                f"A {type(self.estimator).__name__} certifies no radius.",
                advice="Put a classifier of wideberth into the vote. certified_rows holds for any.",
                missing="certified_radius",
            )
        if unit is not None or not learned:
            return
        names = {each.metric_.full_name for each in learned}
        if len(names) > 1 or (None in names and any(map(_measures_its_own_way, learned))):
            raise NotCertified(
                "Each part measures by a metric that it took from its own rows, so their radii cannot "
                "be compared.",
                advice=f"Name a {setting('unit')} that bounds them, or pass a metric with its "
                "parameters.",
                missing="dominated",
            )

    def _checked(self, X: Any, *, reset: bool) -> Any:
        """X in a form whose objects can be picked: vectors after the checks of scikit-learn."""
        self._refuse_distances()
        inner = get_tags(self.estimator).input_tags
        ours = isinstance(self.estimator, MetricClassifier)
        if ours and self.estimator.measures_by_several:  # it finds out what objects they are
            held = sample.hold(X)
            return sample.hold(X, rows=True) if hasattr(held, "to_numpy") else held
        if ours and inner.two_d_array:
            return checked_vectors(
                self, X, reset=reset, sparse=inner.sparse, missing=inner.allow_nan
            )
        if ours:
            return sample.hold(X, rows=self.estimator.accepted_kind() == "rows")
        if hasattr(X, "__array__") and not hasattr(X, "iloc"):
            X = np.asarray(X)
        if inner.two_d_array and _are_vectors(X):
            validate_data(self, X, reset=reset, skip_check_array=True)
        if issparse(X):
            rows: Any = X
            return rows.tocsr()
        if hasattr(X, "iloc"):
            _refuse_categories(X)
        return X if isinstance(X, np.ndarray) or hasattr(X, "iloc") else list(X)

    def __sklearn_tags__(self) -> Tags:
        tags, inner = super().__sklearn_tags__(), get_tags(self.estimator)
        tags.input_tags = inner.input_tags
        return tags


def _measures_its_own_way(classifier: Any) -> bool:
    """Whether a classifier may measure by a metric that took parameters from its rows."""
    learned = classifier.learned_from_
    return learned is None or bool(learned.metric_learned)


def _are_vectors(X: Any) -> bool:
    """Whether X is a table, or could be one; `InvalidInput` for numbers that are no vectors."""
    if isinstance(X, list):
        return bool(X) and isinstance(X[0], list | tuple | np.ndarray)
    dimensions = len(getattr(X, "shape", ()))
    if dimensions == 1 and isinstance(X, np.ndarray) and X.dtype.kind in sample.NUMERIC:
        raise InvalidInput(
            "Expected a 2D array of vectors, got a 1D array. Reshape your data.",
            advice="X.reshape(1, -1) is one vector, X.reshape(-1, 1) vectors of one number.",
            value=X.shape,
        )
    return dimensions == 2


def _refuse_categories(frame: Any) -> None:
    """Raise `InvalidInput` for a column of categories, which are those of all rows."""
    for name, kind in getattr(frame.dtypes, "items", dict)():
        if hasattr(kind, "categories"):
            raise InvalidInput(
                f"The column {name!r} lists the categories of all rows, and a part may know its own "
                "rows alone.",
                advice="Make it a column of texts: frame.astype({name: object}).",
                value=name,
            )


def _count(X: Objects) -> int:
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


def _pick(X: Objects, rows: Indices) -> Objects:
    """Some objects, in the form in which all were given."""
    if isinstance(X, list):
        return [X[row] for row in rows.tolist()]
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]
