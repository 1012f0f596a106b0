r"""Plain nearest neighbours on any metric, the baseline, and how far an object may move before its
label changes.

**Before other neighbours, or the same in another order, give it another label.**

A move from x to x' by less than r changes no distance by r or more, in any metric space:
:math:`|d(x', x_i) - d(x, x_i)| \le d(x, x') < r`. So an object that was 2 r farther than another is
still farther. Let the neighbours of x' be S, and measured from x let M be the distance of the
farthest of them and m that of the nearest object which is not in S. At x' every object of S is no
farther than every other, so :math:`M - m < 2 r`. All objects nearer to x than m are in S, none
farther than M is. So a class y' beats the label y after such a move only if there are distances m
and M with :math:`M - m < 2 r` such that

- S holds everything nearer than m, nothing farther than M, and k votes in all, and
- S holds more votes for y' than for y, or as many, and then the nearest object of y' is no farther
  from x' than that of y, so that :math:`d(x, S_{y'}) - d(x, S_y) < 2 r` as well.

Half the smallest such difference, over all y', is the radius. For k = 1 it is half the lead of the
nearest object over the nearest of another class, 0 if both are as near: closer than that, all
nearest objects are of class y.

The rule for ties (`wideberth.geometry.classes.votes`) fits into this argument. Objects that are as
near as the k-th neighbour vote with a part of their weight: such an object is both in S and not,
and it is as far as the k-th, so that :math:`M - m < 2 r` still holds. The largest lead of y' over
y, if each object between m and M may vote with any part of its weight, is that of a linear program;
with whole weights and a whole k it has a best solution in whole votes, so that a lead of any part
of a vote implies one of a whole vote, for the same m and M. And y' beats y with as many votes only
if it has more votes in the nearest shell of x' in which they differ, or, if they differ nowhere,
comes first: either way the nearest object of y' is no farther than that of y. Whether votes that
are not whole numbers are equal is a matter of rounding: there a tie counts as won by y'.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from sklearn.base import clone

from wideberth.array_types import Flags, Floats, Indices, Objects, Sample
from wideberth.classifiers.neighbors.changed_rows import changes_withstood
from wideberth.classifiers.neighbors.kernels import flipping
from wideberth.classifiers.neighbors.leaving_out import (
    CHOOSING,
    calibrating,
    choose_number,
    neighbors_on_folds,
)
from wideberth.errors import InvalidInput, NotCertified
from wideberth.estimators import restored_values
from wideberth.estimators.calibration import (
    calibrated_on,
    calibration_to_plain,
    restore_calibration,
)
from wideberth.estimators.choosing.fold_answers import Shared, Variant
from wideberth.estimators.metric_classifier import MetricClassifier
from wideberth.estimators.metric_estimator import Fits
from wideberth.estimators.model_facts import Explanation, Explanations, Kept, Push
from wideberth.estimators.radius_rules import ClosedForm, distance_errors, in_units_of
from wideberth.estimators.training import Training, weigh_classes
from wideberth.geometry.classes.bisectors import LabelledPoints, bisector_radii
from wideberth.geometry.classes.votes import Electorate
from wideberth.geometry.measure.blocks import parse_memory
from wideberth.geometry.search.index import Index
from wideberth.metrics.parameters import is_whole
from wideberth.metrics.vectors.minkowski import is_euclidean
from wideberth.objects import sample
from wideberth.rounding import TIE_BREAK, DistanceErrors, half_leads, shortened
from wideberth.wording import python, setting

#: The lead, as a share of all votes, below which two classes count as tied.
_VOTE_ROUNDING = 2 * TIE_BREAK
#: How many neighbours are examined first, as a multiple of those that vote; four times as many
#: while farther ones could matter.
_FIRST = 4


@dataclass(frozen=True, eq=False)
class Voters:
    """The objects that vote, and how many votes count."""

    #: The objects, their classes and weights.
    electorate: Electorate
    #: How many votes count.
    size: float

    def radii(
        self, queries: Sample, winners: Indices, errors: DistanceErrors, most_held: int
    ) -> Floats:
        """The radius of each query.

        Examples
        --------
        >>> from wideberth import Index
        >>> sides = np.array([0, 0, 1, 1])
        >>> voters = Voters(
        ...     Electorate(Index([[0.0], [1.0], [4.0], [6.0]], labels=sides), sides, np.ones(4), 2),
        ...     size=3.0,
        ... )
        >>> exact = DistanceErrors.of(1, 0.0)
        >>> # another label needs 6 among the nearest three, and not 1
        >>> voters.radii([[0.0]], np.array([0]), exact, 100).round(6)
        array([2.5])
        """
        queries, n = self.electorate.index.metric.prepare(queries), len(self.electorate.codes)
        needed = self.electorate.needed(self.size)
        if needed == 1:
            return self._half_leads(queries, winners, errors)
        radii = np.empty(sample.count(queries))
        open_queries, wanted = np.arange(len(radii)), min(n, _FIRST * (needed + 1))
        while len(open_queries):
            settled = np.empty(len(open_queries), dtype=bool)
            rows = max(1, most_held // wanted)
            for start in range(0, len(open_queries), rows):
                some = open_queries[start : start + rows]
                errors_of_some = errors._replace(absolute=errors.absolute[some])
                found = self._within(
                    sample.pick(queries, some), winners[some], errors_of_some, wanted
                )
                radii[some], settled[start : start + rows] = found
            open_queries, wanted = open_queries[~settled], min(n, 4 * wanted)
        return radii

    def _half_leads(self, queries: Sample, winners: Indices, errors: DistanceErrors) -> Floats:
        """The radii where the nearest object decides alone: the index finds the nearest object of
        another class directly.
        """
        index = self.electorate.index
        own = index.nearest(queries).distances[:, 0]
        other = index.nearest(queries, excluding=winners).distances[:, 0]
        return half_leads(own, other, errors)

    def _within(
        self, queries: Sample, winners: Indices, errors: DistanceErrors, wanted: int
    ) -> tuple[Floats, Flags]:
        """The radii if no object beyond the nearest ``wanted`` ones matters, and for which queries
        that is certain.
        """
        found = self.electorate.index.nearest(queries, wanted)
        weights, codes = (
            of_all[found.indices] for of_all in (self.electorate.weights, self.electorate.codes)
        )
        whole, n_classes = self.electorate.weighs_wholly, self.electorate.n_classes
        lead = 0.5 if whole else -_VOTE_ROUNDING * self.size
        shortest_flips = flipping(4 * codes.size * n_classes)
        flips = shortest_flips(
            found.distances,
            codes,
            weights,
            winners.astype(np.int64),
            n_classes,
            self.size,
            lead,
            whole,
        )
        farthest = found.distances[:, -1]
        slack = 4 * errors.relative * np.where(np.isinf(flips), 0.0, farthest)
        radii = shortened((flips - slack) / 2, 4 * errors.absolute, 4 * errors.relative)
        if wanted == len(self.electorate.codes):
            return radii, np.ones(len(radii), dtype=bool)
        # at most this number of neighbours are sure to vote
        most = (np.cumsum(weights, axis=1) <= self.size * (1 + _VOTE_ROUNDING)).sum(axis=1)
        return radii, flips <= farthest - found.distances[
            np.arange(len(radii)), np.minimum(most, wanted - 1)
        ]


def _not_fixed(problem: str, advice: str) -> NotCertified:
    return NotCertified(problem, advice=advice, missing="changed_rows")


_HOW_MANY = "Pass a whole number between 1 and the number of objects, or 'loo' to choose it."
_TINY = np.finfo(np.float64).tiny


class NeighborsClassifier(MetricClassifier):
    r"""The majority of the k nearest training objects, under any metric.

    The score of class y is the share of votes, :math:`s_y(x) = \frac1k \sum_{i \in N_k(x)} [y_i =
    y]`. Objects as near as the k-th neighbour share the votes that are left; of classes with as
    many votes, the one with more votes among the nearest objects wins, then among the next nearest,
    and so on (`wideberth.geometry.classes.votes` states the rule). So for k = 1 the majority of the
    nearest objects wins, and the order of the objects does not matter. With weights, an object of
    weight 2 counts as two equal objects: the neighbours are those nearest whose weights add up to
    k.

    ``n_neighbors="loo"`` chooses k by leave-one-out: of the odd numbers up to the root of n, the
    one with the fewest training objects that the others would classify wrongly, and the smallest of
    several such numbers. Of more than 5,000 objects, some 5,000 are drawn and left out, and all
    others vote on each. Consistent where k grows and k / n vanishes (Stone 1977).

    Parameters
    ----------
    metric : str, Metric or callable
        A name (`wideberth.list_metrics`), a `wideberth.Metric`, or a function of two objects.
    n_neighbors : "loo" or int
        How many neighbours vote.
    class_weight : dict, "balanced" or None
        Weights of the classes, multiplied into the sample weights: with {"rare": 2}, a rare
        neighbour has two votes.
    calibrate : "loo" or None
        Calibrate `predict_proba` on the votes of the others on each object, at most 1,000 of them.
        With ``n_neighbors="loo"`` it costs nothing; otherwise these objects look for their
        neighbours when the classifier learns. None for no probabilities.
    max_memory : str or int
        The memory for blocks of distances, such as "2GB".
    n_jobs : int, optional
        Cores to use; None means all.
    verbose : int
        0 shows progress in a terminal, 1 elsewhere too, as lines on standard error; -1 shows none.
    random_state : int or None
        Draws the objects that choose k, if there are more than 5,000.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    n_neighbors_ : int
        The number of neighbours that vote.
    loo_errors_ : dict of int to float
        With ``n_neighbors="loo"``, the leave-one-out error of each number tried, estimated on the
        objects drawn if there are more than 5,000. Where labels taught the metric, five folds are
        left out instead, each of which teaches it anew.
    index_ : Index
        The `wideberth.Index` that finds neighbours.

    Examples
    --------
    >>> drinks, kinds = ["tea", "tee", "rum", "rom"], ["soft", "soft", "hard", "hard"]
    >>> clf = NeighborsClassifier("levenshtein", n_neighbors=1).fit(drinks, kinds)
    >>> clf.predict(["ten", "ram"])
    array(['soft', 'hard'], dtype='<U4')
    >>> rare = NeighborsClassifier("levenshtein", n_neighbors=3, class_weight={"soft": 2}).fit(
    ...     ["tea", "rum", "rom"], kinds[1:]
    ... )
    >>> rare.predict(["tem"])  # two votes of "tea"; "rum" and "rom" are as far and share the third
    array(['soft'], dtype='<U4')
    >>> sizes, names = np.arange(12.0)[:, None], 5 * ["low"] + ["up", "low"] + 5 * ["up"]
    >>> NeighborsClassifier(n_neighbors=3).fit(sizes, names).predict_proba([[0.0], [4.6]]).round(2)
    array([[0.87, 0.13],
           [0.65, 0.35]])
    """

    decides_by = "the label that most of the nearest known objects have"
    holds = (Electorate,)

    _fits: ClassVar = {
        "n_neighbors": Fits(lambda value: value == "loo" or is_whole(value, 1), _HOW_MANY),
        "calibrate": Fits(
            lambda value: value is None or value == "loo",
            "Pass 'loo', or None for no probabilities.",
        ),
    }
    _usual_calibration: ClassVar = "loo"

    def __init__(
        self,
        metric: Any = "euclidean",
        *,
        n_neighbors: int | Literal["loo"] = "loo",
        class_weight: Any = None,
        calibrate: Literal["loo"] | None = "loo",
        max_memory: str | int = "2GB",
        n_jobs: int | None = None,
        verbose: int = 0,
        random_state: int | None = 0,
    ) -> None:
        self.metric = metric
        self.n_neighbors = n_neighbors
        self.class_weight = class_weight
        self.calibrate = calibrate
        self.max_memory = max_memory
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    def learn(self, training: Training) -> None:
        self.check_parameters()
        weighted = weigh_classes(training, self.classes_, self.class_weight)
        self._check_n_neighbors(weighted)
        self._objects, self._positions = training.objects, training.positions
        self._codes = training.codes.astype(np.int64)
        self._weights = weighted.weights
        self._build_index("auto")
        asked = calibrating(0 if self.calibrate is None else len(training))
        sizes, votes, best = choose_number(
            self._electorate, training, self.n_neighbors, asked, self.random_state
        )
        self.n_neighbors_ = int(sizes[best])
        if self.n_neighbors == "loo":
            tried = sizes.astype(int).tolist()
            self.loo_errors_ = dict(zip(tried, votes.errors.tolist(), strict=True))
        if self.calibrate is not None:
            self.calibration_ = calibrated_on(
                votes.shares[:, best], training.codes[asked], training.weights[asked]
            )

    def candidates_on(self, training: Training) -> tuple[Floats, list[Variant]]:
        """What the automatic choice compares: these neighbours, on folds of the training objects."""
        known = Shared(
            training.objects,
            training.metric,
            self.classes_[training.codes],
            training.weights,
            parse_memory(self.max_memory),
        )
        classifier = clone(self).set_params(metric=training.metric)
        return np.array([np.nan]), [neighbors_on_folds(classifier, known, training)]

    def scores(self, objects: Sample) -> Floats:
        return self._electorate.shares(objects, np.array([float(self.n_neighbors_)]))[:, 0]

    def state(self) -> dict[str, Any]:
        learned = {
            "objects": self._objects,
            "positions": self._positions,
            "codes": self._codes,
            "weights": self._weights,
        }
        return (
            learned
            | {"n_neighbors": self.n_neighbors_}
            | {"loo_errors": getattr(self, "loo_errors_", None)}
            | calibration_to_plain(self)
        )

    def restore(self, state: dict[str, Any]) -> None:
        self._objects = state["objects"]
        n_objects = sample.count(self._objects)
        self._positions = restored_values.codes(
            state, "positions", n_objects, below=restored_values.ANY_POSITION
        )
        self._codes = restored_values.codes(
            state, "codes", n_objects, below=len(self.classes_)
        ).astype(np.int64)
        if len(np.unique(self._codes)) < len(self.classes_):
            raise InvalidInput("There is a class without objects.", value=len(self.classes_))
        self._weights = restored_values.finite(state, "weights", n_objects, least=_TINY)
        self.n_neighbors_ = restored_values.whole(
            state, "n_neighbors", least=1, most=self._weights.sum()
        )
        if state["loo_errors"] is not None:
            self.loo_errors_ = {
                size: restored_values.number(state["loo_errors"], size)
                for size in state["loo_errors"]
            }
            restored_values.number(state["loo_errors"], self.n_neighbors_)
        restore_calibration(self, state)
        # all distances of a matrix are measured already
        engine = "brute" if self.metric_.accepts == "indices" else "auto"
        self._build_index(engine)

    def _build_index(self, engine: str) -> None:
        self.index_ = Index(
            self._objects,
            self.metric_,
            labels=self._codes,
            engine=engine,
            max_memory=self.max_memory,
            n_jobs=self.n_jobs,
        )
        self._electorate = Electorate(self.index_, self._codes, self._weights, len(self.classes_))

    def certified_radius(self, X: Objects, unit: str | None = None) -> Floats:
        r"""How far each object may move before its label can change.

        For one neighbour it is half the lead of the nearest object over the nearest of another
        class; in Euclidean space the larger radius up to the nearest bisector of two such objects
        (Wang, Liu, Yi, Zhou & Hsieh 2019). For k neighbours,

        .. math:: r(x) = \tfrac12 \min_{m, M} (M - m)

        over distances m and M such that a vote of all objects nearer than m, and of as many others
        no farther than M as make up k votes, may elect another class
        (`wideberth.classifiers.neighbors.classifier` has the proof). No object strictly closer than
        r(x) gets another label.

        Parameters
        ----------
        X : sample
            Objects to classify.
        unit : str, optional
            "edit", or the name of a metric that bounds the model's; by default the metric itself.

        Returns
        -------
        ndarray of shape (n,)
            Radii, infinite where no other class can win.

        Raises
        ------
        NotCertified
            If the metric does not promise the triangle inequality, or nothing is proved in the
            unit.

        Examples
        --------
        >>> clf = NeighborsClassifier(n_neighbors=3).fit(
        ...     [[0.0], [1.0], [4.0], [6.0]], ["low", "low", "up", "up"]
        ... )
        >>> # another label needs 6 among the nearest three, and not 1
        >>> clf.certified_radius([[0.0]]).round(6)
        array([2.5])
        """
        return super().certified_radius(X, unit)

    def radius_rule(self) -> ClosedForm:
        self.require_triangle()
        return ClosedForm(self.scores, in_units_of(self._radii), are_heights=True)

    def changes_withstood(self, objects: Sample, *, adding: bool) -> Indices:
        self._require_fixed_votes(adding)
        return changes_withstood(
            self._electorate,
            objects,
            self.winners(objects),
            self.n_neighbors_,
            adding=adding,
        )

    def _require_fixed_votes(self, adding: bool) -> None:
        """Raise `NotCertified` if anything but the votes depends on the rows that may change."""
        if self.n_neighbors == "loo":
            raise _not_fixed(
                f"{setting('n_neighbors', 'loo')} chose {self.n_neighbors_} by the labels that may be "
                "wrong, so other labels might choose another number.",
                "Pass a number that these labels have not chosen, such as n_neighbors=15, or one "
                "chosen on other objects.",
            )
        if self.class_weight is not None:
            raise _not_fixed(
                f"With {setting('class_weight', self.class_weight)} a row with another label has "
                "another weight.",
                "Leave class_weight out.",
            )
        if (self._weights != 1).any():
            raise _not_fixed(
                "The rows have weights: the count is proved for rows with one vote each.",
                "Leave sample_weight out.",
            )
        learned = self.learned_from_ is None or self.learned_from_.metric_learned
        rows = self.learned_from_
        before = None if rows is None else rows.metric_objects
        if before is not None and (not len(before) or np.isin(rows.objects, before).any()):  # type: ignore[union-attr]
            raise _not_fixed(
                f"Some of these rows, or rows that are not known, taught {self.metric_.name!r} before "
                "it was fitted, perhaps with their labels.",
                "Pass a metric that other rows taught, or none.",
            )
        if learned and self.metric_.uses_labels:
            raise _not_fixed(
                f"Labels taught {self.metric_.name!r}, so others might make it another metric.",
                "Pass a metric that takes nothing from these labels; or put the classifier into "
                f"{python('wideberth.PartitionVoteClassifier')}, each part of which teaches its own.",
            )
        if adding and learned:
            whether = "may have taken" if self.learned_from_ is None else "took"
            raise _not_fixed(
                f"{self.metric_.name!r} {whether} its parameters from the rows, so others might make "
                "it another metric.",
                "Pass a metric with its parameters. certified_flips holds for any.",
            )

    def kept(self) -> Kept:
        return Kept(self._objects, self._positions, self.classes_[self._codes])

    def _radii(self, objects: Sample) -> Floats:
        if self._electorate.needed(self.n_neighbors_) == 1 and is_euclidean(self.metric_):
            return bisector_radii(LabelledPoints(self._objects, self._codes, self.index_), objects)
        voters = Voters(self._electorate, float(self.n_neighbors_))
        winners = self.winners(objects)
        errors = distance_errors(self.metric_, self._objects)(objects)
        return voters.radii(objects, winners, errors, most_held=parse_memory(self.max_memory) // 64)

    def explain(self, X: Objects) -> list[Explanation]:
        """For each object the training objects that vote on its label, nearest first: all that are
        as near as the last one too.

        The score is the lead over the label that came closest, in shares of the votes: each voter
        for either of the two pushes by its share. Voters for other labels push by 0.

        Parameters
        ----------
        X : sample
            Objects to classify.

        Returns
        -------
        list of Explanation
            One for each object.

        Examples
        --------
        >>> clf = NeighborsClassifier("levenshtein", n_neighbors=2).fit(
        ...     ["tea", "rum", "rom"], ["soft", "hard", "hard"]
        ... )
        >>> why = clf.explain(["tum"])[0]  # "tea" and "rom" are as far, and share the second vote
        >>> (
        ...     why.label,
        ...     why.rival,
        ...     why.score,
        ...     [(push.reference, push.label, push.push) for push in why.pushes],
        ... )
        ('hard', 'soft', 0.5, [(1, 'hard', 0.5), (0, 'soft', -0.25), (2, 'hard', 0.25)])
        """
        elections = self._electorate.elections(self.admit_queries(X), float(self.n_neighbors_))
        return Explanations(self._explained(*election) for election in elections)

    def _explained(self, voters: Indices, distances: Floats, shares: Floats) -> Explanation:
        """The votes on one object, as pushes for the winner and against its closest rival."""
        winner = int(shares.argmax())
        rival = int(np.where(np.arange(len(shares)) == winner, -np.inf, shares).argmax())
        votes = self._electorate.votes(voters, distances, float(self.n_neighbors_))
        voting = votes > 0
        voters, distances, votes = voters[voting], distances[voting], votes[voting]
        codes = self._codes[voters]
        pushes = np.where(codes == winner, votes, np.where(codes == rival, -votes, 0.0))
        labels = self.classes_.tolist()
        told = zip(
            pushes.tolist(),
            self._positions[voters].tolist(),
            distances.tolist(),
            codes.tolist(),
            strict=True,
        )
        explained = tuple(
            Push(push, place, distance, labels[code]) for push, place, distance, code in told
        )
        return Explanation(
            labels[winner],
            float(pushes.sum()),
            0.0,
            explained,
            None if len(labels) == 1 else labels[rival],
        )

    def settings(self) -> dict[str, Any]:
        return {"n_neighbors": self.n_neighbors_}

    def in_words(self) -> list[str]:
        rule = self._rule()
        measured = self.measured_in_words()
        return [f"{rule}." if measured is None else f"{rule}; {measured}."]

    def _rule(self) -> str:
        k = self.n_neighbors_
        return "The nearest object gives its label" if k == 1 else f"The {k} nearest vote"

    def learned_in_words(self) -> list[str]:
        return [f"{self._rule()}."]

    def measured_in_words(self) -> str | None:
        if not hasattr(self, "loo_errors_"):
            return None
        n_objects = sample.count(self._objects)
        some = "each object" if n_objects <= CHOOSING else f"each of {CHOOSING:,} objects"
        wrong = self.loo_errors_[self.n_neighbors_]
        return f"with {some} left out once, {wrong:.1%} are classified wrongly"

    def _check_n_neighbors(self, training: Training) -> None:
        """Raise an error if ``n_neighbors`` is a number above the sum of all weights."""
        chosen = self.n_neighbors
        if chosen == "loo":
            return
        if chosen > training.weights.sum():
            raise InvalidInput(
                f"{setting('n_neighbors', chosen)} does not fit {len(training)} objects (of weight "
                f"{training.weights.sum():g} in all).",
                advice=_HOW_MANY,
                value=chosen,
            )
