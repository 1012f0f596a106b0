"""The linear classifier with its price of errors, and the edits that it allows for, chosen by
cross-validation.
"""

from typing import Any, Self

import numpy as np

from wideberth.array_types import Floats
from wideberth.classifiers.linear.classifier import CountingClassifier, LinearLipschitzClassifier
from wideberth.errors import InvalidInput
from wideberth.estimators.choosing.chosen_classifier import ChosenClassifier
from wideberth.estimators.choosing.cross_validation import checked_values
from wideberth.estimators.choosing.fold_answers import Shared, Variant
from wideberth.estimators.choosing.scoring import FLOOR
from wideberth.estimators.training import Training
from wideberth.geometry.measure.blocks import parse_memory
from wideberth.wording import setting

#: The values of C to choose from if other families are to be compared too: those beyond them take
#: as long as all of these.
_FEWER_PRICES = (0.1, 0.3, 1.0, 3.0, 10.0)


class LinearLipschitzClassifierCV(CountingClassifier, ChosenClassifier):
    r"""A `wideberth.LinearLipschitzClassifier` whose C and number of edits have the smallest error
    on objects left out.

    .. math:: \hat C, \hat e = \arg\min_{C, e} \sum_f \frac1{W_f} \sum_{i \in f} w_i \, [\hat y_{C,
        e}^{-f}(x_i) \neq y_i]

    where :math:`\hat y_{C, e}^{-f}` was learned without the objects of fold f, whose weights add up
    to :math:`W_f`; of several best candidates the one with the smallest hinge loss is taken. In a
    fold, features and changes are found once, and each program starts from the solution of the
    last, and is solved as well as that of the chosen classifier. A candidate that is clearly behind
    after some folds is not tried in the others
    (`wideberth.estimators.choosing.cross_validation.Race`).

    Parameters
    ----------
    metric : str or Metric, default "words"
        What is counted, as for `wideberth.LinearLipschitzClassifier`.
    C : sequence of float, optional
        The values to choose from: by default seven from 0.03 to 30, evenly spaced on a logarithmic
        scale.
    edits : int or None, or sequence of them, optional
        The numbers of edits to choose from, each as for `wideberth.LinearLipschitzClassifier`; only
        the usual one by default.
    margin : float, or sequence of them, optional
        In place of C, as for `wideberth.LinearLipschitzClassifier`: a sequence is chosen from.
    cv, scoring, radius, unit, floor
        As for `wideberth.LipschitzClassifierCV`: with ``scoring="certified", radius=1,
        unit="edit"`` the choice is by the share of texts left out that are right after any one
        edit. The candidates learn for the unit too, as `wideberth.LinearLipschitzClassifier` does.
    synonyms
        As for `wideberth.LinearLipschitzClassifier`.
    exact_edits, min_count, tol, class_weight, n_jobs, verbose, random_state
        As for `wideberth.LinearLipschitzClassifier`; random_state also shuffles the folds.
    max_time : float, optional
        Seconds that each program may take, one for each candidate and fold.
    calibrate : int, optional
        With a number of folds, `predict_proba` exists; the chosen classifier is calibrated, those
        of the folds only for a ``scoring`` of probabilities.

    Attributes
    ----------
    best_params_ : dict
        The chosen value of C, and the chosen number of edits if there were several.
    best_score_, best_index_ : float, int
        Their mean score over the folds, and their row in ``cv_results_``.
    best_estimator_ : LinearLipschitzClassifier
        The chosen classifier, fitted on all objects.
    C_ : float
        The number that the chosen value stands for in the formula of
        `wideberth.LinearLipschitzClassifier`.
    cv_results_ : dict of columns
        As of `wideberth.LipschitzClassifierCV`.
    classes_ : ndarray of shape (k,)
        The labels, sorted.

    Examples
    --------
    >>> texts = [
    ...     "tea with milk",
    ...     "milk tea",
    ...     "tea milk tea",
    ...     "rum and ale",
    ...     "ale or rum",
    ...     "rum with ale",
    ... ]
    >>> clf = LinearLipschitzClassifierCV("words", C=[0.1, 1], cv=3, random_state=0).fit(
    ...     texts, ["soft"] * 3 + ["hard"] * 3
    ... )
    >>> clf.predict(["milk in tea"]), clf.cv_results_["rank_test_score"]
    (array(['soft'], dtype='<U4'), array([1, 1]))
    """

    needs = LinearLipschitzClassifier.needs
    single = LinearLipschitzClassifier
    chosen = ("C", "edits", "margin")

    def __init__(
        self,
        metric: Any = "words",
        *,
        C: Any = None,
        edits: Any = None,
        margin: Any = None,
        synonyms: Any = None,
        exact_edits: int = 3,
        min_count: int = 2,
        cv: Any = 5,
        scoring: Any = None,
        radius: float | None = None,
        unit: str | None = None,
        floor: float = FLOOR,
        tol: float = 1e-2,
        max_time: float | None = None,
        class_weight: Any = None,
        calibrate: int | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        random_state: int | None = None,
    ) -> None:
        self.metric = metric
        self.C = C
        self.edits = edits
        self.margin = margin
        self.synonyms = synonyms
        self.exact_edits = exact_edits
        self.min_count = min_count
        self.cv = cv
        self.scoring = scoring
        self.radius = radius
        self.unit = unit
        self.floor = floor
        self.tol = tol
        self.max_time = max_time
        self.class_weight = class_weight
        self.calibrate = calibrate
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    @classmethod
    def to_compare(cls, metric: Any, n_objects: int) -> Self:
        return cls(metric, C=list(_FEWER_PRICES))

    def candidates_on(self, training: Training) -> tuple[Floats, list[Variant]]:
        usual = np.geomspace(0.03, 30, 7) if self.margin is None else np.ones(1)
        values = checked_values(self.C, usual, LinearLipschitzClassifier.__name__)
        labels, max_memory = self.classes_[training.codes], parse_memory(self.max_memory)
        shared = Shared(training.objects, training.metric, labels, training.weights, max_memory)
        variants = [
            Variant(each, self._classifier(training.metric, **each), shared)
            for each in self._choices()
        ]
        for variant in variants:
            variant.classifier.check_parameters()
        return values, variants

    def _choices(self) -> list[dict[str, Any]]:
        """The numbers of edits, and the margins, to choose from."""
        choices = [{"edits": each} for each in _several("edits", self.edits, [0, 1, 2])]
        if self.margin is None:
            return choices
        margins = _several("margin", self.margin, [4, 8])
        return [{**choice, "margin": each} for choice in choices for each in margins]


def _several(name: str, given: Any, such_as: list[int]) -> list[Any]:
    """The values of a parameter to choose from, of which one may be given alone."""
    if not isinstance(given, list | tuple | np.ndarray):
        return [given]
    if not len(given):
        raise InvalidInput(
            f"{setting(name, [])}: there is nothing to choose from.",
            advice=f"Pass a list such as {such_as}.",
            value=[],
        )
    return list(given)
