r"""Objects that are unlike the training objects: conformal p-values of distances to neighbours.

:math:`r_k(x)` is the distance from x to its k-th nearest object of a sample. *Split*: of n
calibration objects, which are not in that sample, and a new object, all exchangeable, :math:`p = (1
+ \#\{i : r_k(z_i) \ge r_k(x)\}) / (n
+ 1)`.

*Leave-one-out*: the n objects of the sample calibrate themselves. Compare the new object x with
each object i of the sample, both measured against all n others of the n + 1: :math:`r_k(x)` in the
sample, and :math:`r_k'(i)` in the sample with x in the place of i. The n + 1 numbers are a
symmetric function of n + 1 exchangeable objects, so that the p-value is that of full conformal
prediction (Vovk, Gammerman & Shafer 2005; Laxhammar & Falkman 2011 for neighbours), with the same
guarantee as above and no factor of 2, which jackknife+ would cost. With x added, the k-th neighbour
of i is at :math:`\min(r_k(i), \max(r_{k-1}(i), d(i, x)))`, where :math:`r_k(i)` leaves i itself
out. That is at least :math:`r_k(x)` if :math:`r_k(i)` is, unless i is one of the fewer than k
objects strictly nearer to x than :math:`r_k(x)` and :math:`r_{k-1}(i)` is below it. So the
neighbours of x are enough, and no other distance from x is needed; for k = 1 the p-value is the
plain one of leave-one-out distances.

Both ways :math:`P(p \le \delta) \le \delta` for a new object that is drawn like the others: it is
called novel by mistake with probability at most delta.
"""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from sklearn.utils import get_tags

from wideberth.array_types import Flags, Floats, Objects, Sample
from wideberth.cards.card import MOST_ROWS, Card, Cell, Shown, Table, as_text
from wideberth.cards.values import number
from wideberth.certificate import check_delta
from wideberth.errors import InvalidInput
from wideberth.estimators.metric_classifier import MetricClassifier, metric_classifier
from wideberth.estimators.model_facts import counted
from wideberth.geometry.search.index import Index
from wideberth.guarantees.newness import kept_objects
from wideberth.insight import conformal
from wideberth.metrics.named import bind
from wideberth.metrics.parameters import is_whole
from wideberth.objects import sample
from wideberth.progress import task
from wideberth.rounding import SUM_ERROR
from wideberth.wording import setting


@dataclass(frozen=True, eq=False, repr=False)
class NoveltyTest(Shown):
    """How unlike the training objects each object is, and what is proved about it.

    Attributes
    ----------
    p_values : ndarray of shape (n,)
        The share of objects, the new one among them, that are at least as far from their
        neighbours; small means novel.
    novel : ndarray of bool, shape (n,)
        Whether the p-value is ``delta`` or less: the object is rejected as drawn like the others.
    distances : ndarray of shape (n,)
        The distance to the k-th nearest training object.
    delta : float
        The probability with which an object that is drawn like the others is called novel, at most.
    n_neighbors : int
        k.
    method : {"leave one out", "split"}
        Whether training objects or other ones calibrate the p-values.
    n_calibration : int
        How many objects did.
    assumptions : tuple of str
        Sentences that have to be true.

    Examples
    --------
    >>> test = NoveltyTest(
    ...     np.array([0.4]),
    ...     np.array([False]),
    ...     np.array([1.0]),
    ...     0.05,
    ...     1,
    ...     "split",
    ...     99,
    ...     ("They are drawn alike.",),
    ... )
    >>> print(test)
    0 of 1 object is novel: farther from training objects than usual, by the distances of 99 others (split).
    proved: An object that is drawn like these is called novel with probability 0.05 or less.
    holds if: They are drawn alike.
      object  p-value  distance to training objects
           0      0.4                             1
    """

    p_values: Floats
    novel: Flags
    distances: Floats
    delta: float
    n_neighbors: int
    method: Literal["leave one out", "split"]
    n_calibration: int
    assumptions: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.p_values)

    def card(self) -> Card:
        """How many objects are novel, what is proved of that, and the most novel ones."""
        few = [
            f"{self.n_calibration:,} objects are too few to call any object novel at this delta."
        ]
        n_novel, useless = int(self.novel.sum()), 1 / (self.n_calibration + 1) > self.delta
        table = Table.of(
            ["object", "p-value", "distance to training objects", ""],
            np.argsort(self.p_values, kind="stable")[:MOST_ROWS].tolist(),
            lambda place: [
                str(place),
                number(self.p_values[place]),
                number(self.distances[place]),
                Cell("novel" if self.novel[place] else "", "open"),
            ],
            caption="the most unusual objects" if len(self) > MOST_ROWS else "",
        )
        return Card(
            f"{n_novel:,} of {counted(len(self), 'object', 'objects')} "
            f"{'is' if 1 in (n_novel, len(self)) else 'are'} novel: farther from training objects than usual, by "
            f"the distances of {self.n_calibration:,} others ({self.method}).",
            (
                (
                    "proved",
                    "An object that is drawn like these is called novel with probability "
                    f"{self.delta:g} or less.",
                ),
                *(("holds if", assumption) for assumption in self.assumptions),
            ),
            (table,) if len(self) else (),
            tuple(few) if useless else (),
            words=("p-value", "holds if"),
            tone="open" if useless else "good",
        )

    def __str__(self) -> str:
        return as_text(self.card())

    __repr__ = __str__


def novelty(
    model: Any,
    X: Objects,
    delta: float = 0.05,
    *,
    calibration: Objects = None,
    training: Objects = None,
    n_neighbors: int = 5,
    independent: bool = False,
    verbose: int = 0,
) -> NoveltyTest:
    """Test which objects are unlike the training objects of a model, by the distance to their k-th
    nearest neighbour among them.

    An object that is drawn like the training objects is called novel with probability delta at
    most: proved for any metric, any classifier and any number of objects, by the two ways that the
    module explains. Training objects calibrate the p-values themselves, each left out in turn, if
    all are at hand: because the model keeps all (`wideberth.NeighborsClassifier`), or because they
    are passed as ``training``. Objects for ``calibration`` will do as well, also for models that
    keep only some.

    Parameters
    ----------
    model : classifier
        A fitted classifier on a metric, or a fitted search for one.
    X : sample
        The objects to judge.
    delta : float
        The error: how often an object that is drawn like the others may be called novel.
    calibration : sample, optional
        Objects that had no part in the model; its own training objects are refused.
    training : sample, optional
        All objects that the model learned from; needed where the model keeps only some and there is
        no ``calibration``.
    n_neighbors : int
        k, how many neighbours a new object should have; fewer if there are not so many training
        objects.
    independent : bool
        Whether you declare that all objects, the training objects too, were drawn independently:
        then calibration objects may also occur in the training data, and the assumptions say how
        many do. Otherwise they are refused.
    verbose : int
        0 shows progress in a terminal, 1 elsewhere too, as lines on standard error; -1 shows none.

    Returns
    -------
    NoveltyTest
        p-values, which objects are novel, and the assumptions.

    Raises
    ------
    InvalidInput
        If the training objects are not at hand, or objects passed as ``calibration`` or
        ``training`` are not what they should be.

    Examples
    --------
    >>> from wideberth import NeighborsClassifier
    >>> points = np.random.default_rng(0).normal(size=(99, 1))
    >>> model = NeighborsClassifier().fit(points, points[:, 0] > 0)
    >>> test = novelty(model, [[0.0], [9.0]])
    >>> test.p_values.round(2), test.novel
    (array([0.31, 0.01]), array([False,  True]))
    """
    check_delta(delta)
    if not is_whole(n_neighbors, 1):
        raise InvalidInput(
            f"{setting('n_neighbors', n_neighbors)} does not fit.",
            advice="Pass 1 or more.",
            value=n_neighbors,
        )
    with task("novelty", verbose=verbose):
        return CalibratedNovelty.by(
            model, calibration, training, n_neighbors, independent=independent
        ).of(X, delta)


@dataclass(frozen=True, eq=False)
class _Reference:
    """The training objects that distances are measured to, in an index, and what has to be assumed
    of them.
    """

    index: Index
    objects: Sample
    assumptions: tuple[str, ...]

    @classmethod
    def of(cls, model: MetricClassifier, training: Objects, *, needs_all: bool) -> "_Reference":
        assumed: tuple[str, ...] = ()
        if training is None:
            objects, metric = kept_objects(model), model.metric_
            _refuse_missing(model, objects, needs_all)
        else:
            assumed = conformal.assumptions_of_training(model, training)
            matrix = bool(get_tags(model).input_tags.pairwise)
            objects, metric = (
                bind(training, "precomputed")
                if matrix
                else (model.admit_queries(training), model.metric_)
            )
        index = Index(objects, metric, max_memory=model.max_memory, n_jobs=model.n_jobs)
        return cls(index, objects, assumed)

    def leave_one_out(self, model: MetricClassifier, n_neighbors: int) -> "CalibratedNovelty":
        n = sample.count(self.objects)
        _refuse_taught_metric(model)
        if n < 2:
            raise InvalidInput(
                "One training object has no neighbour.",
                advice="Pass objects for calibration.",
                value=n,
            )
        k = min(n_neighbors, n - 1)
        before, own = self._own_distances(k)
        symmetric = (
            () if model.metric_.obeys_triangle else (f"{model.metric_.name!r} is symmetric.",)
        )
        drawn = (
            "The training objects and the new ones are drawn alike, independently or at least in "
            "an order that means nothing."
        )
        return CalibratedNovelty(
            model, self.index, k, own, before, (drawn, *self.assumptions, *symmetric)
        )

    def split(
        self, model: MetricClassifier, calibration: Objects, n_neighbors: int, independent: bool
    ) -> "CalibratedNovelty":
        assumed = conformal.assumptions_of_new(model, calibration, independent=independent)
        k = min(n_neighbors, sample.count(self.objects))
        known = self.index.nearest(model.admit_queries(calibration), k).distances[:, -1]
        drawn = (
            "Calibration objects and the new ones are drawn alike, independently or at least in an "
            "order that means nothing."
        )
        return CalibratedNovelty(
            model, self.index, k, known, None, (drawn, *assumed, *self.assumptions)
        )

    def _own_distances(self, k: int) -> tuple[Floats, Floats]:
        """The distances from each training object to its (k - 1)-th and k-th nearest other one; 0
        for the 0-th.
        """
        near = self.index.nearest(self.objects, k + 1)
        own = near.indices == np.arange(len(near.indices))[:, None]
        own[~own.any(axis=1), -1] = (
            True  # among so many equal objects that it does not show itself, any one stands for it
        )
        others = near.distances[~own].reshape(len(own), k)
        return np.zeros(len(own)) if k == 1 else others[:, -2], others[:, -1]


@dataclass(frozen=True, eq=False)
class CalibratedNovelty:
    """The distances by which new objects are judged: calibrated once for any questions.

    ``own`` are those of the calibration objects to their k-th nearest training object; where
    training objects calibrate themselves, ``before`` are those to the (k - 1)-th.

    Examples
    --------
    >>> from wideberth import NeighborsClassifier
    >>> points = np.random.default_rng(0).normal(size=(99, 1))
    >>> model = NeighborsClassifier().fit(points, points[:, 0] > 0)
    >>> CalibratedNovelty.by(model).of([[0.0], [9.0]], 0.05).novel
    array([False,  True])
    """

    model: MetricClassifier
    index: Index
    n_neighbors: int
    own: Floats
    before: Floats | None
    assumptions: tuple[str, ...]

    @classmethod
    def by(
        cls,
        model: Any,
        calibration: Objects = None,
        training: Objects = None,
        n_neighbors: int = 5,
        *,
        independent: bool = False,
    ) -> "CalibratedNovelty":
        """Calibrate as `novelty` does, with the same errors."""
        inner = metric_classifier(model)
        reference = _Reference.of(inner, training, needs_all=calibration is None)
        if calibration is None:
            return reference.leave_one_out(inner, n_neighbors)
        return reference.split(inner, calibration, n_neighbors, independent)

    def of(self, X: Objects, delta: float) -> NoveltyTest:
        """Judge new objects."""
        near = self.index.nearest(self.model.admit_queries(X), self.n_neighbors)
        asked, n = near.distances[:, -1], len(self.own)
        limits = asked * (1 - SUM_ERROR)  # what differs by rounding is a tie
        counts = conformal.at_least_as_large(self.own, limits)
        if self.before is not None:
            nearer = near.distances < limits[:, None]
            closer = (self.own[near.indices] >= limits[:, None]) & (
                self.before[near.indices] < limits[:, None]
            )
            counts -= (nearer & closer).sum(axis=1)
        method: Literal["leave one out", "split"] = (
            "split" if self.before is None else "leave one out"
        )
        values, novel = conformal.p_values(counts, n), ~conformal.exceed(counts, n, delta)
        return NoveltyTest(
            values, novel, asked, delta, self.n_neighbors, method, n, self.assumptions
        )


def _refuse_missing(model: MetricClassifier, kept: Sample, needs_all: bool) -> None:
    """Raise an error if the training objects that are needed are not in the model."""
    count, learned = 0 if kept is None else sample.count(kept), model.n_learned
    if count and (not needs_all or count == learned):
        return
    known = "an unknown number of" if learned is None else f"{learned:,}"
    raise InvalidInput(
        f"The model keeps {count:,} of {known} training objects.",
        advice=f"Pass all of them: {setting('training', shown='X')}."
        if not count
        else f"Pass all of them, {setting('training', shown='X')}, or new ones, "
        f"{setting('calibration', shown='X')}.",
        value=count,
    )


def _refuse_taught_metric(model: MetricClassifier) -> None:
    """Raise an error if the metric took parameters from the training objects, and so treats new
    ones differently.
    """
    learned = model.learned_from_
    if learned is not None and learned.metric_learned:
        raise InvalidInput(
            f"{model.metric_.name!r} took its parameters from the training objects, not from new "
            "ones: they are not alike to it.",
            advice="Pass other objects for calibration, or the parameters of the metric.",
            value=model.metric_.name,
        )
