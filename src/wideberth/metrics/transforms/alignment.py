"""Weights of metrics in a sum, learned from objects: equal shares, or the sum that agrees best with labels."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy

from wideberth.array_types import Floats, Indices
from wideberth.errors import InvalidInput
from wideberth.metrics.metric import Metric
from wideberth.objects import sample

#: So many objects are enough to compare a few matrices of distances; of more, evenly spaced ones are taken.
_ENOUGH = 1_000


def aligned_weights(metrics: Sequence[Metric], objects: Any, labels: Any) -> Floats:
    r"""Find the weights with which a sum of metrics is small within classes and large between them.

    With :math:`K_i` the matrix of :math:`-d_i / \bar d_i`, centred, where :math:`\bar d_i` is the mean distance, and T the
    matrix of equal labels, centred, they minimise

    .. math:: \Big\| \sum_i w_i K_i - T \Big\|_F, \qquad w_i \ge 0

    which up to a factor is the alignment of a sum of kernels with the labels, at its largest (Cortes, Mohri & Rostamizadeh,
    "Algorithms for learning kernels based on centered alignment", JMLR 13, 2012, Proposition 9). For metrics of negative type
    the :math:`K_i` are positive definite kernels.

    Parameters
    ----------
    metrics : sequence of Metric
        The metrics, fitted to the objects if they learn from a sample.
    objects : sample
        The objects; of more than 1,000, evenly spaced ones are taken.
    labels : array-like of shape (n,)
        Their labels, of two classes at least.

    Returns
    -------
    ndarray of shape (len(metrics),)
        The factor of each metric, :math:`w_i / \bar d_i`, with :math:`\sum_i w_i = 1`; 0 for a metric that does not help.

    Raises
    ------
    InvalidInput
        If the labels do not fit the objects, or are all equal.

    Examples
    --------
    >>> from wideberth.metrics.strings.edits import Levenshtein
    >>> from wideberth.metrics.strings.affixes import Affixes
    >>> names, sexes = ["Anna", "Petra", "Maria", "Peter", "Mario", "Hanno"], ["f"] * 3 + ["m"] * 3
    >>> weights = aligned_weights([Levenshtein(), Affixes(prefixes=(), suffixes=(1,))], names, sexes)
    >>> bool(weights[1] > 0)
    True
    """
    given, n_objects = np.asarray(labels), sample.count(sample.hold(objects))
    if given.shape != (n_objects,) or len(np.unique(given)) < 2:
        raise InvalidInput(
            f"Weights are learned from labels of {n_objects} objects, two classes at least, not from shape {given.shape} with "
            f"{len(np.unique(given))} classes.",
            advice="Pass one label for each object.",
            value=given.shape,
        )
    some = _some_of(n_objects)
    given = given[some]
    kernels, means = [], []
    for metric in metrics:
        distances = _between(metric, objects, some)
        means.append(float(distances.mean()) or 1.0)
        kernels.append(_centred(-distances / means[-1]).ravel())
    target = _centred((given[:, None] == given).astype(np.float64)).ravel()
    products = np.array([[one @ other for other in kernels] for one in kernels])
    root = _root(products)
    weights = scipy.optimize.nnls(root.T, np.linalg.pinv(root) @ np.array([each @ target for each in kernels]))[0]
    if not weights.any():
        weights = np.ones(len(metrics))
    return np.asarray(weights / weights.sum() / means)


def equal_shares(metrics: Sequence[Metric], objects: Any) -> Floats:
    r"""Find the factors with which all metrics of a sum count alike: one over their mean distances.

    Parameters
    ----------
    metrics : sequence of Metric
        The metrics, fitted to the objects if they learn from a sample.
    objects : sample
        The objects, two at least; of more than 1,000, evenly spaced ones are taken.

    Returns
    -------
    ndarray of shape (len(metrics),)
        The factor of each metric; 1 if all its distances are 0.

    Raises
    ------
    InvalidInput
        If there are fewer than two objects.

    Examples
    --------
    >>> from wideberth.metrics.vectors.minkowski import Euclidean, Manhattan
    >>> equal_shares([Manhattan(), Euclidean()], [[0.0, 0.0], [3.0, 4.0]])  # mean distances 3.5 and 2.5
    array([0.28571429, 0.4       ])
    """
    n_objects = sample.count(sample.hold(objects))
    if n_objects < 2:
        raise InvalidInput("Mean distances are those of two objects at least.", advice="Pass more objects.", value=n_objects)
    some = _some_of(n_objects)
    return np.array([1.0 / (float(_between(metric, objects, some).mean()) or 1.0) for metric in metrics])


def _some_of(n_objects: int) -> Indices:
    """The places of objects, evenly spaced if there are more than enough."""
    return np.unique(np.linspace(0, n_objects - 1, min(n_objects, _ENOUGH)).astype(np.intp))


def _between(metric: Metric, objects: Any, some: Indices) -> Floats:
    """The distances of some of the objects from each other."""
    chosen = sample.pick(metric.prepare(objects), some)
    return np.asarray(metric._distances(chosen, chosen))


def _centred(matrix: Floats) -> Floats:
    """Subtract the means of rows and columns, so that all of them sum to 0."""
    rows = matrix - matrix.mean(axis=0)
    return np.asarray(rows - rows.mean(axis=1, keepdims=True))


def _root(products: Floats) -> Floats:
    """A symmetric matrix whose square is the matrix of inner products, which is positive semidefinite."""
    values, vectors = np.linalg.eigh(products)
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)) @ vectors.T)
