"""`AutoClassifier`: the best metric, classifier and settings by themselves, within a time limit."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

from wideberth.array_types import Floats, Labels, Objects, Sample
from wideberth.certificate import Certificate
from wideberth.choice.blend import Blend, BlendPart
from wideberth.choice.blended import Blended
from wideberth.choice.contest import Contest, certify_on, hold_out, is_metrics, stage
from wideberth.choice.entries import Entry, Ground
from wideberth.choice.rules import (
    COLUMNS,
    Leaderboard,
    Standing,
    choose,
    expected_error,
    in_words,
    leaderboard,
    standing,
)
from wideberth.classifiers.named import CLASSIFIERS, by_class_name
from wideberth.errors import InvalidInput
from wideberth.estimators import calibration, restored_values
from wideberth.estimators.choosing.chosen_classifier import AnswersOfBest, warn_of_one_label
from wideberth.estimators.choosing.scoring import FLOOR
from wideberth.estimators.metric_classifier import MetricClassifier
from wideberth.estimators.metric_estimator import MAX_TIME, Fits, reported
from wideberth.estimators.model_facts import Comparison, Kept
from wideberth.estimators.radius_rules import RadiusUnit
from wideberth.estimators.training import Training
from wideberth.metrics.metric import Kind
from wideberth.metrics.named import metric as as_metric
from wideberth.metrics.parameters import is_number
from wideberth.metrics.precomputed import Precomputed
from wideberth.wording import setting

_NAMES = ", ".join(CLASSIFIERS)


def _largest_class(first: Ground, contest: Contest) -> tuple[Any, Floats]:
    """The label of most objects by weight, and which of those that were left out have it: 1 or
    0.
    """
    compared, folds = first.compared, contest.examination.folds
    largest = int(np.bincount(compared.codes, weights=compared.weights).argmax())
    left_out = np.unique(np.concatenate([fold.left_out for fold in folds]))
    return first.holder.classes_.tolist()[largest], (compared.codes[left_out] == largest).astype(
        float
    )


def _are_families(value: Any) -> bool:
    if isinstance(value, str):
        return value in CLASSIFIERS
    return value is None or (
        isinstance(value, list | tuple)
        and bool(value)
        and all(each in CLASSIFIERS for each in value)
    )


class AutoClassifier(AnswersOfBest):
    r"""The best metric, classifier and settings for given objects, found on folds of them within a
    time limit.

    Metrics for the kind of object are compared first, because errors depend on the metric more than
    on the classifier: on each, the likeliest one first, nearest neighbours, an SVM with the kernel,
    width and C of the fewest errors, and a linear classifier where the metric counts; then these on
    the sum of the two best metrics. The other families (Lipschitz margin, margin neighbours, LP
    machine) follow on the best metric. All are compared on the same folds, by paired differences on
    the same objects (`wideberth.choice.rules`), and those that are clearly behind after some folds
    are given up (`wideberth.choice.paired`); each distance is measured once. With more than 2,000
    objects that many are compared, with the classes in their shares, and the winner learns from
    all.

    The error of the winner on the objects left out is too small, because it is the best of many;
    ``expected_error_`` allows for that by a bootstrap of the choice (`wideberth.choice.rules`).
    With ``holdout=0.2`` a fifth of the objects takes no part in anything, and proves a bound on the
    error of the model itself.

    Parameters
    ----------
    metric : "auto", str, Metric or callable, or a list of them, default "auto"
        The metrics to choose from. ``"auto"``: up to four for the kind of the objects
        (`wideberth.choice.candidate_metrics`).
    max_time : float, optional
        Seconds for choosing, distances included, and for fitting the winner on all objects, as far
        as that takes no more than half of them; 60 by default, None for no limit. No candidate is
        begun afterwards. What was left out for lack of time is said in ``choice_``. Work counts, as
        long as it takes an idle machine whose code is compiled (`wideberth.choice.time_limit`):
        other programs and a first run make the fit longer, and change nothing else, as long as it
        takes less than ten times as long by the clock. Where time is not the limit, the same
        ``random_state`` gives the same result.
    prefer : {"accuracy", "certified", "small"}, default "accuracy"
        ``"accuracy"``: the fewest errors, or a candidate within a standard error of them that is
        clearly cheaper, or whose labels are proved to survive a change (`wideberth.choice.rules`);
        or a weighted mean of several (``blend``).
        ``"certified"``: the most objects that are right, and proved to stay so within ``radius``,
        with an accuracy at most three points behind the best. ``"small"``: the fewest training
        objects kept, with such an accuracy.
    radius : float, optional
        For ``prefer="certified"``: how far objects may move.
    unit : str, optional
        What the radius is measured in, such as "edit"; needed if there are several metrics, each of
        which has a unit of its own.
    scoring : str or callable, optional
        A score of scikit-learn by which to choose instead of the accuracy, such as
        "balanced_accuracy".
    candidates : str or list of str, optional
        The families to choose from: neighbors, svm, linear, lipschitz, margin, lp; all by default
        (for ``prefer="certified"`` all but svm, whose radii are too small to matter).
    holdout : float, optional
        The share of the objects that is set aside to prove a bound on the error.
    blend : bool, default True
        Whether the answer may be a weighted mean of the calibrated probabilities of two to four of
        the candidates, where its log loss on objects left out is smaller than that of the best
        single one beyond noise (`wideberth.choice.mixing`). Its answers cost what those of all its
        parts do. Only with ``prefer="accuracy"`` and without ``scoring``.
    cv : int, splitter of scikit-learn, or sequence of (training, test) indices, default 5
        The folds; of a number at most as many as the largest class has objects. Up to 500 objects
        are cut into so many folds several times, four at most, because few objects tell candidates
        apart by chance.
    class_weight : dict, "balanced" or None
        Weights of the classes, as in scikit-learn.
    max_memory : int or str, default "2GB"
        Memory for the distances under each metric.
    n_jobs : int, optional
        Cores to use; all by default.
    verbose : int
        0 shows progress in a terminal, 1 elsewhere too, as lines on standard error; -1 shows none.
    random_state : int, optional
        Cuts the folds, and draws whatever is drawn.

    Attributes
    ----------
    best_estimator_ : classifier
        The winner, fitted on all objects (but those set aside). Of a weighted mean its ``parts_``
        hold the ``model``, ``weight`` and ``title`` of each part.
    leaderboard_ : list of dict
        A row for each family on each metric, the winner first: metric, family, settings, error and
        its standard error on the objects left out, certified accuracy if asked, and why it was
        chosen or not; of those that might have been chosen, and of some others, also seconds to
        fit, microseconds an answer, training objects kept and the median certified radius (in edits
        where these are proved), by a trial fit. What was given up or not tried has no error.
        It is shown as a table; ``leaderboard_.to_frame()`` is a frame of pandas or polars.
    choice_ : str
        What was chosen, in words: with how many others it was compared, and how good it is; in
        lines of their own what was not tried for lack of time, and whether it is no better than
        guessing within the radius.
    expected_error_ : float
        The error to expect on new objects, with an allowance for the choice; nan if nothing was
        compared.
    certificate_ : Certificate or None
        With ``holdout``, what the objects set aside prove about the error.
    classes_ : ndarray of shape (k,)
        The labels, sorted.

    Examples
    --------
    >>> words = ["tea", "tee", "ten", "the", "teas", "rum", "rom", "rim", "ram", "rums"]
    >>> clf = AutoClassifier(candidates=["neighbors", "svm"], random_state=0).fit(
    ...     words, ["soft"] * 5 + ["hard"] * 5
    ... )
    >>> clf.predict(["tem", "rhum"])
    array(['soft', 'hard'], dtype='<U4')
    >>> sorted({row["metric"] for row in clf.leaderboard_ if "+" not in row["metric"]})
    ['ngrams', 'normalized_levenshtein', 'rare_ngrams']
    """

    _fits: ClassVar = {
        "metric": Fits(
            is_metrics,
            "Pass 'auto', a name, a Metric, a function of two objects, or a list of them.",
        ),
        "max_time": MAX_TIME,
        "prefer": Fits(
            lambda value: value in ("accuracy", "certified", "small"),
            "Pass 'accuracy', 'certified' or 'small'.",
        ),
        "radius": Fits(
            lambda value: value is None or (is_number(value) and 0 <= value < np.inf),
            "Pass a number from 0 on.",
        ),
        "candidates": Fits(_are_families, f"Pass names of {_NAMES}, or None for all."),
        "holdout": Fits(
            lambda value: value is None or (is_number(value) and 0 < value < 1),
            "Pass a share such as 0.2, or None for none.",
        ),
        "blend": Fits(lambda value: isinstance(value, bool), "Pass True or False."),
    }

    measures_by_several: ClassVar[bool] = True
    holds = (Leaderboard, Blend, BlendPart, Kept)

    certificate_: Certificate | None

    def __init__(
        self,
        metric: Any = "auto",
        *,
        max_time: float | None = 60.0,
        prefer: str = "accuracy",
        radius: float | None = None,
        unit: str | None = None,
        scoring: Any = None,
        candidates: str | Sequence[str] | None = None,
        holdout: float | None = None,
        blend: bool = True,
        cv: Any = 5,
        class_weight: Any = None,
        max_memory: str | int = "2GB",
        n_jobs: int | None = None,
        verbose: int = 0,
        random_state: int | None = None,
    ) -> None:
        self.metric = metric
        self.max_time = max_time
        self.prefer = prefer
        self.radius = radius
        self.unit = unit
        self.scoring = scoring
        self.candidates = candidates
        self.holdout = holdout
        self.blend = blend
        self.cv = cv
        self.class_weight = class_weight
        self.max_memory = max_memory
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    @reported
    def fit(self, X: Objects, y: Labels, sample_weight: Any = None, groups: Any = None) -> Self:
        """Choose on folds of the objects X with labels y, then learn from all of them.

        Parameters
        ----------
        X : sample
            Objects of any kind: texts, vectors, series, sets, trees, graphs, rows of a table; what
            the metrics measure.
        y : array-like of shape (n,)
            A label for each object.
        sample_weight : array-like of shape (n,), optional
            Weights, finite and not negative; objects of weight 0 are left out.
        groups : array-like of shape (n,), optional
            A group for each object; the objects of a group stay on one side of each fold.

        Returns
        -------
        self
            The fitted classifier.
        """
        self.check_parameters()
        learned, aside = hold_out(self, X, y, sample_weight, groups)
        # its threads would fight with those of the candidates over the cores
        with threadpool_limits(1, user_api="blas"):
            contest, first, others = stage(self, *learned)
            numbered = (lambda training: training) if aside is None else aside.numbered
            if contest is None:
                self._take_the_nearest(first, numbered)
            else:
                contest.run(first, others)
                self._conclude(contest, first, numbered)
        self.certificate_ = None if aside is None else certify_on(self, aside)
        return self

    def _conclude(
        self, contest: Contest, first: Ground, numbered: Callable[[Training], Training]
    ) -> None:
        """Take the winner, fit it on all objects, and say why."""
        if not contest.entries:
            raise InvalidInput(
                f"No candidate could be fitted. {contest.dropped[0].metric}: "
                f"{contest.dropped[0].why}",
                advice="Name other metrics or candidates.",
                value=[f"{each.family} by {each.metric}: {each.why}" for each in contest.dropped],
            )
        feasible, place, reasons, fitted, refused = self._fitted_winner(contest, numbered)
        winner: Entry | Blended = feasible[place]
        blended = self._blended(contest, feasible, place)
        if blended is not None:
            mean = blended.fitted(contest.sampled, fitted, numbered, contest.budget)
            if mean is not None:
                fitted, winner = mean, blended
                reasons[place] = "alone the best"
        for each in contest.entries:
            if each not in feasible:
                why = "would take too long to learn from all objects"
                feasible, reasons = [*feasible, each], [*reasons, refused.get(id(each), why)]
        self.leaderboard_ = leaderboard(feasible, reasons, place, contest.dropped)
        if isinstance(winner, Blended):
            self.leaderboard_.insert(0, winner.row())
        right = np.concatenate([each.all_right for each in contest.entries])
        self.expected_error_ = expected_error(
            winner.error, right, winner.weights, random_state=self.random_state
        )
        self.choice_ = in_words(
            winner,
            expected_error=self.expected_error_,
            tried=len(right),
            others=len(contest.entries) - 1,
            n_compared=len(first.compared),
            n_objects=len(first.training),
            dropped=contest.dropped,
            largest=_largest_class(first, contest),
        )
        left_out = np.concatenate([fold.left_out for fold in contest.examination.folds])
        self.calibration_ = calibration.calibrated_on(
            winner.scores, first.compared.codes[left_out], first.compared.weights[left_out]
        )
        # what was given up on another metric was compared with the winner too
        tried = {each.ground.name for each in contest.entries}
        tried |= {each.metric for each in contest.dropped}
        self.adopt(fitted, metric_chosen=len(tried) > 1)

    def _fitted_winner(
        self, contest: Contest, numbered: Callable[[Training], Training]
    ) -> tuple[list[Entry], int, list[str], MetricClassifier, dict[int, str]]:
        """The candidates that may win, the place of the winner, the reasons for all, the winner
        learned from all objects, and why others were refused.

        Who then gives one label to all, and did not on folds, is refused: its errors on folds tell
        nothing of this model. If all do, the best of them is taken, with a warning.
        """
        candidates, refused = list(contest.entries), dict[int, str]()
        best: tuple[list[Entry], int, list[str], MetricClassifier, str] | None = None
        while candidates:
            feasible, found = self._contenders(contest, candidates)
            by_folds = self.scoring is not None
            place, reasons = choose(feasible, found, self.prefer, by_folds=by_folds)  # type: ignore[arg-type]
            winner = feasible[place]
            fitted = winner.fitted_on_all(numbered, contest.budget)
            label = winner.sole_label(fitted, contest.sampled.X)
            if label is None:
                return feasible, place, reasons, fitted, refused
            best = best or (feasible, place, reasons, fitted, label)
            candidates.remove(winner)
            refused[id(winner)] = "gives one label to all, learned from all objects"
        assert best is not None
        feasible, place, reasons, fitted, label = best
        warn_of_one_label(label)
        return feasible, place, reasons, fitted, {}

    def _blended(self, contest: Contest, feasible: list[Entry], place: int) -> "Blended | None":
        """The weighted mean of candidates that beats the winner beyond noise, if one is wanted, and
        there is time left to fit its parts.
        """
        if not self.blend or self.prefer != "accuracy" or self.scoring is not None:
            return None
        blended = Blended.of(feasible, place, contest.examination.folds, self.random_state)
        if blended is None or self.max_time is None:
            return blended
        for each in blended.parts:
            contest.try_out(each)
        left = contest.budget.seconds - contest.budget.spent
        return blended if blended.seconds_on_all(feasible[place]) <= left else None

    def _contenders(
        self, contest: Contest, candidates: list[Entry]
    ) -> tuple[list[Entry], Standing]:
        """The candidates without those that would take too long to fit, and where they stand; all
        that may win are tried out.
        """
        feasible = list(candidates)
        while True:
            found = standing(
                feasible,
                self.prefer,  # type: ignore[arg-type]
                by_folds=self.scoring is not None,
                floor=FLOOR,
                shown=contest.shown(),
            )
            contenders = [feasible[place] for place in found.contenders]
            for each in contenders:
                contest.try_out(each)
            slow = [each for each in contenders if not self._in_time(each)]
            if not slow or len(slow) == len(feasible):
                return feasible, found
            feasible = [each for each in feasible if each not in slow]

    def _in_time(self, entry: Entry) -> bool:
        """Whether fitting on all objects takes no longer than the time for choosing, as far as the
        trial tells.
        """
        return self.max_time is None or entry.seconds_on_all <= self.max_time

    def _take_the_nearest(self, first: Ground, numbered: Callable[[Training], Training]) -> None:
        """The nearest neighbour: what can be done if no object can be left out to compare
        anything.
        """
        nearest = first.holder.set_params(n_neighbors=1, calibrate=None)
        nearest.learn(numbered(first.training))
        self.leaderboard_, self.expected_error_ = Leaderboard(), float("nan")
        self.calibration_ = calibration.Calibrator(1.0, np.zeros(len(nearest.classes_)))
        self.choice_ = (
            "Nearest neighbours: there are too few objects of each class to compare anything."
        )
        self.adopt(nearest, metric_chosen=False)

    def radius_unit(self, unit: str | None) -> RadiusUnit:
        """As the chosen classifier has it."""
        return self.answering.radius_unit(unit)

    def adopt(self, best: MetricClassifier, *, metric_chosen: bool) -> None:
        """Set the attributes that follow from the fitted winner.

        It may be certified on its own, and remembers that nothing of it was fixed beforehand: not
        its parameters, and not its metric if several were compared.
        """
        learned = best.learned_from_
        if learned is not None:
            best.learned_from_ = replace(
                learned, searched=True, metric_learned=learned.metric_learned or metric_chosen
            )
        self.best_estimator_ = best
        self.inherit(best)

    def comparison(self) -> Comparison:
        """The table of the choice, what was chosen, and the error to expect."""
        return Comparison(self.leaderboard_, self.choice_, self.expected_error_)

    @property
    def calibrator(self) -> calibration.Calibrator:
        """Calibrated on what the winner said of the objects left out."""
        return self.calibration_

    @reported
    def predict_proba(self, X: Objects) -> Floats:
        """Probabilities of the classes, calibrated on what the winner said of the objects left out.

        Parameters
        ----------
        X : sample
            Objects to classify.

        Returns
        -------
        ndarray of shape (n, k)
            Rows of sum 1; the class with the largest probability is the predicted one.
        """
        return self.calibration_.probabilities(self.scores(self.admit_queries(X)))

    def settings(self) -> dict[str, Any]:
        """Those of the winner: what it chose while it learned, or else what was chosen for it on
        folds.
        """
        check_is_fitted(self, "best_estimator_")
        chosen = self.leaderboard_[0]["settings"] if self.leaderboard_ else {}
        return super().settings() or chosen

    def in_words(self) -> list[str]:
        return [self.choice_, *self.best_estimator_.in_words()]

    def measured_in_words(self) -> str:
        return self.choice_

    def proved_while_learning(self) -> Certificate | None:
        """What the objects set aside prove; what the winner proves of itself does not allow for its
        having been chosen.
        """
        return self.certificate_

    def admit_with_given(self, X: Objects) -> tuple[Sample, Sample]:
        check_is_fitted(self, "best_estimator_")
        prepared, given = self.best_estimator_.admit_with_given(X)
        return prepared, given

    def check_parameters(self) -> None:
        super().check_parameters()
        certified = self.prefer == "certified"
        if certified and self.radius is None:
            raise InvalidInput(
                f"{setting('prefer', 'certified')} needs a radius.",
                advice=f"Pass how far objects may move: {setting('radius', 1)}, "
                f"{setting('unit', 'edit')}.",
                value=None,
            )
        for name, value in {"radius": self.radius, "unit": self.unit}.items():
            if value is not None and not certified:
                raise InvalidInput(
                    f"{setting(name, value)} has no meaning with {setting('prefer', self.prefer)}.",
                    advice=f"Pass {setting('prefer', 'certified')}.",
                    value=value,
                )
        if certified and self.scoring is not None:
            raise InvalidInput(
                f"{setting('prefer', 'certified')} chooses by certified accuracy.",
                advice=f"Leave {setting('scoring')} out.",
                value=self.scoring,
            )

    def state(self) -> dict[str, Any]:
        best = self.best_estimator_
        parameters = best.get_params(deep=False)
        del parameters["metric"]
        choice = {
            "proposed": self._proposes(),
            "class": type(best).__name__,
            "parameters": parameters,
            "leaderboard": list(self.leaderboard_),
            "in_words": self.choice_,
            "expected_error": None if np.isnan(self.expected_error_) else self.expected_error_,
            "calibration": calibration.calibration_to_plain(self),
            "certificate": None if self.certificate_ is None else self.certificate_.to_plain(),
        }
        learned: dict[str, Any] = best.state()
        return learned | {"choice": choice}

    def restore(self, state: dict[str, Any]) -> None:
        choice = state["choice"]
        families = by_class_name()
        known = choice["class"] in families or choice["class"] == Blend.__name__
        if not known or not isinstance(choice["parameters"], dict):
            raise InvalidInput(
                f"There is no classifier {choice['class']!r}.", value=choice["class"]
            )
        chosen = Blend if choice["class"] not in families else families[choice["class"]].load()
        restored_values.check_complete(choice["parameters"], chosen)
        best = chosen(self.metric_, **choice["parameters"])
        best.inherit(self)
        best.check_parameters()
        best.restore(state)
        self.adopt(best, metric_chosen=False)  # what is remembered of it says whether it was
        if choice["proposed"]:
            self.metric = "auto"
        if not isinstance(choice["leaderboard"], list) or not all(
            set(row) == set(COLUMNS) for row in choice["leaderboard"]
        ):
            raise InvalidInput("The table of candidates does not have its columns.", value=COLUMNS)
        if not isinstance(choice["in_words"], str):
            raise InvalidInput("What was chosen is not a text.", value=choice["in_words"])
        self.leaderboard_, self.choice_ = Leaderboard(choice["leaderboard"]), choice["in_words"]
        compared = choice["expected_error"] is not None
        self.expected_error_ = (
            restored_values.number(choice, "expected_error", least=0.0, most=1.0)
            if compared
            else float("nan")
        )
        calibration.restore_calibration(self, choice["calibration"])
        if not hasattr(self, "calibration_"):
            raise InvalidInput("The choice has no probabilities.", value=choice["calibration"])
        told = choice["certificate"]
        self.certificate_ = None if told is None else Certificate.from_plain(told)

    def accepted_kind(self) -> Kind:
        if hasattr(self, "best_estimator_"):
            return self.best_estimator_.accepted_kind()  # type: ignore[no-any-return]
        return (
            "objects"
            if self._proposes() or isinstance(self.metric, list | tuple)
            else super().accepted_kind()
        )

    def _takes_missing(self) -> bool:
        given = [] if self._proposes() else self.metric
        metrics = given if isinstance(given, list | tuple) else [given]
        return all(each != Precomputed.name and as_metric(each).takes_missing for each in metrics)

    def _proposes(self) -> bool:
        return isinstance(self.metric, str) and self.metric == "auto"

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        if self._proposes():
            tags.input_tags.two_d_array = tags.input_tags.string = True
        return tags
