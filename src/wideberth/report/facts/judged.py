"""What is said of each object by a model that has not seen it: the model itself of new objects, copies of it of the others."""

import warnings
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from wideberth.array_types import Flags, Floats, Indices
from wideberth.estimators.classifiers_inside import class_scores
from wideberth.insight.label_issues import JudgedLabels, cut_folds
from wideberth.insight.out_of_fold import fold_scores
from wideberth.objects.labels import Labels
from wideberth.report.facts.given import GivenObjects

#: How many copies learn, each from all folds but one.
FOLDS = 5


@dataclass(frozen=True, eq=False)
class Judged:
    """Honest answers: no model is asked about an object that it learned from.

    Attributes
    ----------
    how : {"new", "out of fold", "own"}
        Whether the model itself answers for objects that are new to it, or copies of it answer for objects that they have not
        seen; "own" if neither is possible, so that the answers say nothing about errors.
    places : ndarray of int, shape (m,)
        The positions of the objects that were judged, in increasing order.
    scores : ndarray of shape (m, k)
        The scores of all classes, -inf for those that a model does not know.
    told : ndarray of int, shape (m,)
        The codes of the labels that they got.
    labels : JudgedLabels
        How probable the labels in the data are.
    """

    how: Literal["new", "out of fold", "own"]
    places: Indices
    scores: Floats
    told: Indices
    labels: JudgedLabels

    @classmethod
    def of(cls, given: GivenObjects) -> "Judged":
        """Ask the model about new objects, and copies of it about others."""
        if given.is_new or not _can_be_cut(given):
            return _by_the_model(given)
        return _by_copies(given)

    def wrong(self, given: GivenObjects) -> Flags:
        """Which of the judged objects got another label than they have in the data."""
        return np.asarray(self.told != given.labels.codes[self.places])

    def leads(self, given: GivenObjects) -> Floats:
        """By how much the score of the label in the data leads over the best other one; negative where another one wins."""
        objects, own = np.arange(len(self.places)), given.labels.codes[self.places]
        others = self.scores.copy()
        others[objects, own] = -np.inf
        with np.errstate(invalid="ignore"):  # a class that no model knows leads over nothing
            return np.asarray(self.scores[objects, own] - others.max(axis=1))


def _can_be_cut(given: GivenObjects) -> bool:
    """Whether copies can learn from some of the objects and answer for others."""
    sizes = np.bincount(given.labels.codes[given.compared])
    return bool(np.count_nonzero(sizes) > 1 and sizes.max() > 1 and (not given.is_matrix or given.distances is not None))


def _by_the_model(given: GivenObjects) -> Judged:
    known = np.searchsorted(given.labels.classes, given.classifier.classes_)
    scores = np.full((len(given), len(given.labels.classes)), -np.inf)
    scores[:, known] = class_scores(given.model, given.X)
    told = np.searchsorted(given.labels.classes, np.asarray(given.model.predict(given.X)))
    judged = JudgedLabels.by(scores, given.labels)
    return Judged("new" if given.is_new else "own", np.arange(len(given)), scores, told.astype(np.intp), judged)


def _by_copies(given: GivenObjects) -> Judged:
    places = given.compared
    present, codes = np.unique(given.labels.codes[places], return_inverse=True)
    labels = Labels(given.labels.classes[present], codes.astype(np.intp))
    some: Any = given.distances if given.is_matrix else given.some(places)
    changed = {"calibrate": None} if "calibrate" in given.single.get_params() else {}
    with warnings.catch_warnings(action="ignore", category=UserWarning):  # the fit of the model itself has warned
        _, found = fold_scores(given.single, some, labels, cut_folds(labels, FOLDS, 0), **changed)
    scores = np.full((len(places), len(given.labels.classes)), -np.inf)
    for fold in found:
        scores[np.ix_(fold.left_out, present)] = fold.scores
    judged = JudgedLabels.by(scores, Labels(given.labels.classes, given.labels.codes[places]))
    return Judged("out of fold", places, scores, judged.predicted, judged)
