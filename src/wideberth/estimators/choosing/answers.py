"""What the models of a fold say of the objects that it leaves out, and the candidates that say it."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from wideberth.array_types import Flags, Floats
from wideberth.estimators.choosing.certified_scoring import CertifiedScore
from wideberth.estimators.choosing.folds import Fold
from wideberth.estimators.choosing.shared_distances import Shared


@dataclass(frozen=True, eq=False)
class Answers:
    """What the models with several values of C say of the objects that a fold leaves out.

    Attributes
    ----------
    classes : ndarray of shape (k,)
        The labels that the fold has learned, sorted.
    scores : ndarray of shape (values, n, k)
        A score for each value of C, object and class; the class with the largest score wins, the first of several.
    losses : ndarray of shape (values, n)
        How badly each object is classified, as the method itself measures it: smaller is better among equal numbers of errors.
    stable : ndarray of bool, shape (values, n), or None
        Whether the label is proved to stay within a radius, if that was asked.
    """

    classes: NDArray[Any]
    scores: Floats
    losses: Floats
    stable: Flags | None = None

    def right(self, truth: NDArray[Any]) -> Flags:
        """Which objects get their true label, shape (values, n).

        Examples
        --------
        >>> answers = Answers(np.array(["hard", "soft"]), np.array([[[0.0, 1.0], [0.5, 0.5]]]), np.zeros((1, 2)))
        >>> answers.right(np.array(["soft", "soft"]))
        array([[ True, False]])
        """
        right: Flags = self.classes[self.scores.argmax(axis=2)] == truth
        return right


def hinge_losses(scores: Floats, classes: NDArray[Any], truth: NDArray[Any]) -> Floats:
    r"""The hinge losses of scores whose margin is 1 on either side.

    .. math:: \ell(x, y) = \max(0, 1 - \tfrac12 (h(x, y) - \max_{y' \neq y} h(x, y')))

    Parameters
    ----------
    scores : ndarray of shape (values, n, k)
        A score :math:`h(x, y)` for each value of C, object and class.
    classes : ndarray of shape (k,)
        The label of each class, sorted.
    truth : ndarray of shape (n,)
        The true labels. One that is not among the classes has the loss of the worst score.

    Returns
    -------
    ndarray of shape (values, n)
        The losses.

    Examples
    --------
    >>> hinge_losses(np.array([[[1.0, -1.0], [0.0, 0.5]]]), np.array([0, 1]), np.array([0, 0]))
    array([[0.  , 1.25]])
    """
    codes = np.searchsorted(classes, truth).clip(0, len(classes) - 1)
    objects, known = np.arange(len(truth)), classes[codes] == truth
    own = np.where(known, scores[:, objects, codes], scores.min(axis=2))
    others = scores.copy()
    others[:, objects[known], codes[known]] = -np.inf
    best = others.max(axis=2)
    losses: Floats = np.maximum(0.0, 1.0 - (own - np.where(np.isfinite(best), best, own)) / 2)
    return losses


@dataclass(frozen=True, eq=False)
class Variant:
    """A classifier of which only C is open, on the objects that all folds share.

    A child with a faster way to its `answers` or `certified_answers` overrides them; `fitted` stays the classifier itself.

    Attributes
    ----------
    parameters : dict
        The parameters that distinguish it from other variants.
    classifier : MetricClassifier
        Not fitted; it has these parameters, measures by the shared metric, and has a ``path`` over values of C.
    shared : Shared
        The objects.
    """

    parameters: dict[str, Any]
    classifier: Any
    shared: Shared

    #: Whether several variants may answer at the same time: compiled code that needs no interpreter lock gains by it.
    concurrent: ClassVar[bool] = False

    @property
    def compares_all(self) -> bool:
        """Whether all objects are measured against each other in the end; against landmarks alone few distances are needed."""
        return getattr(self.classifier, "landmarks", None) is None

    def answers(self, fold: Fold, values: Floats) -> Answers:
        """What the models with the given values of C, learned from the known objects of a fold, say of those left out."""
        return self._by_path(fold, values, None)

    def certified_answers(self, fold: Fold, values: Floats, score: CertifiedScore) -> Answers:
        """The same, with what is proved to stay within a radius."""
        return self._by_path(fold, values, score)

    def _by_path(self, fold: Fold, values: Floats, score: CertifiedScore | None) -> Answers:
        """The answers of the models of a path."""
        truth, models = self.shared.labels[fold.left_out], self.classifier.path(*self.shared.known(fold, values))
        queries = models[0].admit_queries(self.shared.left_out(fold))
        scores = np.array([model.scores(queries) for model in models])
        stable = None if score is None else np.array([score.stable(model, queries) for model in models])
        return Answers(models[0].classes_, scores, hinge_losses(scores, models[0].classes_, truth), stable)

    def fitted(self, fold: Fold, C: float, calibrate: int | None = None) -> Any:
        """The classifier with this C, learned from the known objects of a fold."""
        objects, labels, _, weights = self.shared.known(fold, np.empty(0))
        return clone(self.classifier).set_params(C=C, calibrate=calibrate).fit(objects, labels, weights)
