"""Cross-validation of parameters, among them the price of errors C."""

import itertools
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import numpy as np

from wideberth.array_types import Flags, Floats, Integers, Sample
from wideberth.errors import BrokenAxiomWarning, InvalidInput
from wideberth.estimators import restored_values
from wideberth.estimators.choosing import scoring as scoring
from wideberth.estimators.choosing.fold_answers import Answers, Fold, FoldAnswers, Variant
from wideberth.estimators.training import Training, examine_distance
from wideberth.metrics.parameters import is_number
from wideberth.objects import sample
from wideberth.progress import Task, task
from wideberth.rounding import SUM_ERROR
from wideberth.wording import setting

# ---- The candidates of a cross-validation and their scores: which one is best, and the table in
# the form of scikit-learn


@dataclass(frozen=True, eq=False)
class Tried:
    r"""The parameters of each candidate, among them C, and its score in each fold.

    .. math:: \hat c = \arg\max_c \sum_f s_f(c)

    where the score :math:`s_f(c)`, such as the weighted share of right answers, is that on the
    objects of fold f of a model learned without them. Of several best candidates the one with the
    smallest mean loss is taken (by certified accuracy, the most accurate ones among them); if
    losses are equal, or not known, one with the smallest C, and the first of these.
    """

    #: The parameters of each candidate.
    params: Sequence[dict[str, Any]]
    #: Shape (folds, candidates): the scores; nan where a candidate had been dropped before.
    scores: Floats
    #: Shape (candidates,): the mean loss over the folds in which a candidate ran (`Answers`); nan
    #: where it is not known.
    losses: Floats
    #: Shape (folds, candidates): where the scores are certified accuracies, the accuracies beside
    #: them. Then only candidates can be best whose mean accuracy is at most ``floor`` behind the
    #: largest one.
    accuracies: Floats | None = None
    floor: float = scoring.FLOOR
    #: The share of the largest class, which a constant would have in both; nan where it was not
    #: asked for.
    largest_class: float = np.nan

    @classmethod
    def of(cls, results: dict[str, Any]) -> Self:
        """The candidates of a table that `results` made, with the usual floor.

        Examples
        --------
        >>> table = Tried(
        ...     [{"C": 2.0}, {"C": 5.0}], np.array([[0.5, 1.0]]), np.array([0.5, 0.0])
        ... ).results()
        >>> Tried.of(table).best
        1
        """
        folds = sum(name.startswith("split") and name.endswith("_test_score") for name in results)
        scores, accuracies = (
            [
                results[f"split{number}_test_{what}"]
                for number in range(folds)
                if f"split{number}_test_{what}" in results
            ]
            for what in ("score", "accuracy")
        )
        return cls(
            results["params"],
            np.array(scores),
            results["mean_test_loss"],
            np.array(accuracies) if accuracies else None,
        )

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> Self:
        """The candidates that `to_plain` described; an error if there are none.

        At least one candidate has run in all folds, since the best one has.

        Examples
        --------
        >>> Tried.from_plain(Tried([{"C": 2.0}], np.array([[np.nan]]), np.array([0.1])).to_plain())
        Traceback (most recent call last):
        ...
        wideberth.errors.InvalidInput: No candidate has a score in every fold.
        """
        params, scores, losses, certified = (
            plain[name] for name in ("params", "scores", "losses", "certified")
        )
        if (
            not isinstance(params, list)
            or not params
            or not all(_is_candidate(each) and each.keys() == params[0].keys() for each in params)
        ):
            raise InvalidInput(
                "The candidates of a search are not parameters under the same names, with a "
                "positive C.",
                value=params,
            )
        each_fold, count = "in every fold for", len(params)
        _check_table(scores, (None, count), f"scores {each_fold}", count)
        if not len(scores) or np.isnan(scores).any(axis=0).all():
            raise InvalidInput("No candidate has a score in every fold.", value=len(scores))
        _check_table(losses, (count,), "losses of", count)
        if certified is None:
            return cls(params, scores, losses)
        accuracies = certified["accuracies"]
        _check_table(accuracies, scores.shape, f"accuracies {each_fold}", count)
        floor, largest = (
            restored_values.number(certified, name, least=0.0, most=1.0)
            for name in ("floor", "largest_class")
        )
        return cls(params, scores, losses, accuracies, floor, largest)

    def to_plain(self) -> dict[str, Any]:
        """What a model file holds of the candidates; "certified" is None unless they were chosen by
        certified accuracy.
        """
        certified = {
            "accuracies": self.accuracies,
            "floor": self.floor,
            "largest_class": self.largest_class,
        }
        return {
            "params": self.params,
            "scores": self.scores,
            "losses": self.losses,
            "certified": None if self.accuracies is None else certified,
        }

    @property
    def best(self) -> int:
        """The position of the best candidate.

        Examples
        --------
        >>> params = [
        ...     {"C": C, "radial": radial}
        ...     for radial in ("distance", "gaussian")
        ...     for C in (9.0, 3.0)
        ... ]
        >>> Tried(params, np.array([[0.5, 0.5, 1.0, 1.0]]), np.zeros(4)).best
        3
        >>> Tried(params, np.array([[0.5, 0.5, 1.0, 1.0]]), np.array([0.2, 0.2, 0.1, 0.3])).best
        2
        >>> Tried(
        ...     params,
        ...     np.array([[0.6, 0.5, 0.4, 0.3]]),
        ...     np.zeros(4),
        ...     accuracies=np.array([[0.6, 0.78, 0.8, 0.7]]),
        ... ).best
        1
        """
        # nan also for candidates that were dropped
        means = np.where(self._eligible, self.scores.mean(axis=0), np.nan)
        leaders = np.flatnonzero(means >= np.nanmax(means) - SUM_ERROR)
        if self.accuracies is not None:
            accuracies = self.accuracies.mean(axis=0)[leaders]
            leaders = leaders[accuracies >= accuracies.max() - SUM_ERROR]
        losses = self.losses[leaders]
        if not np.isnan(losses).any():
            leaders = leaders[losses <= losses.min() + SUM_ERROR]
        return int(min(leaders.tolist(), key=lambda place: self.params[place]["C"]))

    def results(self) -> dict[str, Any]:
        """The table ``cv_results_``, with the columns of scikit-learn's GridSearchCV and a row for
        each candidate.

        Means and deviations are over the folds in which a candidate ran; dropped candidates rank
        behind those that ran in more folds.

        Examples
        --------
        >>> scores = np.array([[0.5, 1.0, 0.5], [0.5, np.nan, 1.0]])
        >>> table = Tried([{"C": 2.0}, {"C": 5.0}, {"C": 9.0}], scores, np.zeros(3)).results()
        >>> table["mean_test_score"], table["rank_test_score"]
        (array([0.5 , 1.  , 0.75]), array([2, 3, 1]))
        """
        columns = {
            f"param_{name}": _column([candidate[name] for candidate in self.params])
            for name in self.params[0]
        }
        folds = {f"split{number}_test_score": scores for number, scores in enumerate(self.scores)}
        summary = {
            "mean_test_score": np.nanmean(self.scores, axis=0),
            "std_test_score": np.nanstd(self.scores, axis=0),
            "mean_test_loss": self.losses,
            "rank_test_score": self._ranks(),
        }
        if self.accuracies is not None:
            folds |= {
                f"split{number}_test_accuracy": shares
                for number, shares in enumerate(self.accuracies)
            }
            summary["mean_test_accuracy"] = self.accuracies.mean(axis=0)
        return {**columns, "params": list(self.params), **folds, **summary}

    @property
    def _eligible(self) -> Flags:
        """Which candidates can be best: all, or those whose accuracy is at most ``floor`` behind
        the best.
        """
        if self.accuracies is None:
            return np.ones(len(self.params), dtype=bool)
        means = self.accuracies.mean(axis=0)
        return np.asarray(means >= means.max() - self.floor - SUM_ERROR)

    def _ranks(self) -> Integers:
        """1 plus the number of better candidates: those that ran in more folds, or in as many with
        a larger mean.

        Those that cannot be best come last.
        """
        ran = np.isfinite(self.scores).sum(axis=0) * self._eligible
        means = np.nanmean(self.scores, axis=0)
        better = (ran[:, None] > ran) | (
            (ran[:, None] == ran) & (means[:, None] > means + SUM_ERROR)
        )
        return np.asarray(1 + better.sum(axis=0), dtype=np.int64)


def checked_values(given: Sample, usual: Floats, single: str) -> Floats:
    """The values of C to choose from, ``usual`` ones by default; an error, which names the class
    with a ``single`` C, for others.

    Examples
    --------
    >>> checked_values([2, 5], np.ones(1), "LipschitzClassifier")
    array([2., 5.])
    """
    values = usual if given is None else np.asarray(given, dtype=np.float64)
    if values.ndim != 1 or not len(values) or not (values > 0).all():
        raise InvalidInput(
            f"{setting('C', given)} is not a list of values.",
            advice=f"Pass positive numbers to choose from, such as [2, 5, 25]; {single} takes a "
            "single one.",
            value=given,
        )
    return values


def _check_table(found: Any, shape: tuple[int | None, ...], what: str, n_candidates: int) -> None:
    """Raise an error if a value of a model file is not an array of floats of this shape."""
    if (
        not isinstance(found, np.ndarray)
        or found.dtype.kind != "f"
        or found.ndim != len(shape)
        or any(wanted not in (None, size) for wanted, size in zip(shape, found.shape, strict=True))
    ):
        raise InvalidInput(f"There are not {what} {n_candidates} candidates.", value=n_candidates)


def _is_candidate(params: Any) -> bool:
    return isinstance(params, dict) and is_number(params.get("C")) and params["C"] > 0


def _column(values: list[Any]) -> Any:
    """The values as scikit-learn holds them: a masked array of numbers or of objects; pairs and
    lists stay whole.
    """
    if all(isinstance(value, float) for value in values):
        return np.ma.array(values, mask=False)
    column = np.empty(len(values), dtype=object)
    for place, value in enumerate(values):
        column[place] = value
    return np.ma.array(column, mask=False)


# ---- A race of candidates on folds: those that are clearly behind the leader are not tried any
# further

#: A candidate is dropped when it trails the leader by this many standard errors of their
#: difference.
_CLEARLY = 2.5


class Race:
    r"""A table of candidates, and which objects each of them classified correctly in the folds so
    far.

    After each fold, a candidate c is dropped if the leader b (the one with the largest mean
    accuracy of those still running) is better on the same objects by more than chance: with
    :math:`\delta_i = w_i ([b \text{ is right on } i] - [c \text{ is right on } i])`,

    .. math:: \sum_i \delta_i > 2.5 \, \sqrt{\sum_i \delta_i^2},

    where the right side is 2.5 standard errors of the left one if neither were better (for equal
    weights, McNemar's test). All others stay, so that the choice is that of the whole table, except
    with a probability of about one in a hundred.

    Examples
    --------
    >>> race = Race((1, 3))
    >>> good, fair, poor = np.ones(20, dtype=bool), np.arange(20) > 1, np.arange(20) > 15
    >>> race.record(np.array([[good, fair, poor]]), np.ones(20))
    >>> race.running
    array([[ True,  True, False]])
    >>> race.scores  # one fold so far
    array([[[1. , 0.9, 0.2]]])
    """

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.running: Flags = np.ones(shape, dtype=bool)
        self._folds: list[Floats] = []
        self._answers: list[Floats] = []
        self._weights: list[Floats] = []

    def record(self, right: Flags, weights: Floats) -> None:
        """Record which of the objects of a fold each candidate got right, shape (*table, n), and drop
        the candidates that are now clearly behind.
        """
        accuracies = right @ (weights / weights.sum())
        self._folds.append(np.where(self.running, accuracies, np.nan))
        self._answers.append(right.astype(np.float64))
        self._weights.append(weights)
        leader = self.best
        answers, weights = np.concatenate(self._answers, axis=-1), np.concatenate(self._weights)
        behind = (answers[leader] - answers) * weights
        self.running &= behind.sum(axis=-1) <= _CLEARLY * np.sqrt((behind**2).sum(axis=-1))

    @property
    def scores(self) -> Floats:
        """The accuracy of each candidate in each fold, shape (folds, *table); nan where it was not
        tried any more.
        """
        return np.array(self._folds)

    @property
    def best(self) -> tuple[int, ...]:
        """The position of the running candidate with the largest mean accuracy, the first of
        several.
        """
        means = np.where(self.running, self.scores.mean(axis=0), -1.0)
        first = int(np.argmax(means.ravel() >= means.max() - SUM_ERROR))
        return tuple(int(place) for place in np.unravel_index(first, means.shape))


#: Is told what candidates say of the objects that a fold leaves out; see `Examination`.
Observer = Callable[[int, int, Flags, Answers], None]


@dataclass(frozen=True)
class Examination:
    """How candidates are compared."""

    folds: list[Fold]
    #: The score; None means the accuracy.
    scorer: scoring.Scorer | None
    #: The X of fit, which scorers see.
    given: Sample
    #: Whether X is a matrix of distances: scorers then see its rows for the objects left out and
    #: columns for the known ones.
    matrix: bool
    #: ``calibrate``, ``random_state``: the number of folds that calibrate probabilities; the seed
    #: of the draw on which the triangle inequality is tried.
    calibrate: int | None
    random_state: int | None
    #: The certified accuracy that decides instead of ``scorer``, if it does.
    certified: scoring.CertifiedScore | None = None
    #: Called with all that candidates say of the objects that a fold leaves out, as soon as they
    #: do: the number of the fold, the place of the variant, which values of C it was tried with,
    #: and their answers. What it raises ends the comparison.
    observer: Observer | None = None
    #: Called with the number of a fold when all candidates that are left have answered in it, in a
    #: comparison by accuracy. What it raises ends the comparison too.
    after_fold: Callable[[int], None] | None = None

    def observe(self, fold: int, place: int, tried: Flags, answers: Answers) -> None:
        """Tell the observer, if there is one."""
        if self.observer is not None:
            self.observer(fold, place, tried, answers)

    def shown(self, training: Training, fold: Fold) -> Any:
        """The objects that a fold leaves out, as the user passed them; of a matrix their distances
        to the known objects.
        """
        known, left_out = training.positions[fold.known], training.positions[fold.left_out]
        objects = sample.pick(self.given, left_out)
        return objects[:, known] if self.matrix else objects


def choose_price(
    training: Training, values: Floats, variants: Sequence[Variant], examination: Examination
) -> Tried:
    """Compare the values of C, and other parameters, on folds of the training objects.

    By accuracy, candidates that are clearly behind after some folds are dropped (`Race`); by
    another score, a certified accuracy among them, all run in all folds.
    """
    examine_distance(training, random_state=examination.random_state)
    for variant in variants:
        variant.classifier.remembers = False
    candidates = len(examination.folds) * len(variants) * len(values)
    with (
        # examine_distance has warned
        warnings.catch_warnings(action="ignore", category=BrokenAxiomWarning),
        task("cross-validation", candidates) as comparing,
    ):
        if examination.certified is not None:
            return _certified(values, variants, examination)
        if examination.scorer is None:
            scores, losses = _race(values, variants, examination, comparing)
        else:  # a score need not be a mean over objects, so that no test can tell that a candidate is behind
            scores, losses = _all_scores(training, values, variants, examination)
    return Tried(
        _params(values, variants),
        scores.reshape(len(scores), -1),
        np.nanmean(losses, axis=0).ravel(),
    )


def _params(values: Floats, variants: Sequence[Variant]) -> list[dict[str, Any]]:
    """The parameters of all candidates."""
    return [{"C": float(C), **variant.parameters} for variant in variants for C in values]


def _certified(values: Floats, variants: Sequence[Variant], examination: Examination) -> Tried:
    """Compare all candidates on all folds by certified accuracy, with the accuracy beside it."""
    score, shared = examination.certified, variants[0].shared
    if score is None:
        raise ValueError("No radius was given.")
    shape = (len(examination.folds), len(variants), len(values))
    certified, accuracies, losses = np.empty(shape), np.empty(shape), np.empty(shape)
    for (number, place), answers in FoldAnswers(
        values, variants, examination.folds, score
    ).of_all():
        left_out = examination.folds[number].left_out
        labels = shared.labels[left_out]
        weights = score.weights(shared.labels[left_out], shared.weights[left_out])
        examination.observe(number, place, np.ones(len(values), dtype=bool), answers)
        right = answers.right(labels)
        accuracies[number, place] = right @ weights
        certified[number, place] = (right & np.asarray(answers.stable)) @ weights
        losses[number, place] = answers.losses @ weights
    scores, beside = (shares.reshape(len(shares), -1) for shares in (certified, accuracies))
    largest = score.largest_class(shared.labels, shared.weights)
    return Tried(
        _params(values, variants), scores, losses.mean(axis=0).ravel(), beside, score.floor, largest
    )


def _race(
    values: Floats, variants: Sequence[Variant], examination: Examination, racing: Task
) -> tuple[Floats, Floats]:
    """The accuracy and the mean loss of each variant with each value of C in each fold, both of
    shape (folds, variants, values).

    They are nan in the folds after a candidate was dropped; ``racing`` is told how many are left.
    """
    race, folds = Race((len(variants), len(values))), examination.folds
    answered, losses = FoldAnswers(values, variants, folds), []
    for number, fold in enumerate(folds, start=1):
        labels = variants[0].shared.labels[fold.left_out]
        weights = variants[0].shared.weights[fold.left_out]
        right = np.zeros((*race.running.shape, len(fold.left_out)), dtype=bool)
        lost = np.full(race.running.shape, np.nan)
        tried = np.flatnonzero(race.running.any(axis=1)).tolist()
        following = itertools.product(range(number, len(folds)), tried)
        for (_, place), answers in answered.of(
            [(number - 1, place) for place in tried], race.running, following
        ):
            examination.observe(number - 1, place, race.running[place], answers)
            right[place, race.running[place]] = answers.right(labels)
            lost[place, race.running[place]] = _mean_losses(answers, weights)
        race.record(right, weights)
        losses.append(lost)
        if examination.after_fold is not None:
            examination.after_fold(number - 1)
        racing.expect(int(race.running.sum()) * (len(folds) - number))
    return race.scores, np.array(losses)


def _all_scores(
    training: Training, values: Floats, variants: Sequence[Variant], examination: Examination
) -> tuple[Floats, Floats]:
    """The score and the mean loss of each variant with each value of C in each fold, both of shape
    (folds, variants, values).
    """
    shape = (len(examination.folds), len(variants), len(values))
    scores, losses = np.empty(shape), np.empty(shape)
    for (number, place), answers in FoldAnswers(values, variants, examination.folds).of_all():
        fold, variant = examination.folds[number], variants[place]
        examination.observe(number, place, np.ones(len(values), dtype=bool), answers)
        given = examination.shown(training, fold)
        scores[number, place] = _fold_scores(answers, variant, fold, values, given, examination)
        losses[number, place] = _mean_losses(answers, variant.shared.weights[fold.left_out])
    return scores, losses


def _fold_scores(
    answers: Answers,
    variant: Variant,
    fold: Fold,
    values: Floats,
    given: Sample,
    examination: Examination,
) -> list[float]:
    """The score of the model with each value of C in a fold."""
    labels, weights = variant.shared.labels[fold.left_out], variant.shared.weights[fold.left_out]
    queries = variant.shared.left_out(fold)
    told = None if (variant.shared.weights == 1).all() else weights
    models = [
        scoring.FoldModel(
            answers.classes,
            scores,
            partial(variant.fitted, fold, C),
            queries,
            given,
            examination.calibrate,
        )
        for C, scores in zip(values, answers.scores, strict=True)
    ]
    return [scoring.score_of_fold(examination.scorer, model, labels, told) for model in models]  # type: ignore[arg-type]


def _mean_losses(answers: Answers, weights: Floats) -> Floats:
    """The mean loss for each value of C."""
    means: Floats = answers.losses @ (weights / weights.sum())
    return means
