"""Weights of metrics in a sum, learned from labelled objects: the sum that agrees best with the labels."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy

from wideberth.array_types import Floats
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
    some = np.unique(np.linspace(0, n_objects - 1, min(n_objects, _ENOUGH)).astype(np.intp))
    given = given[some]
    kernels, means = [], []
    for metric in metrics:
        chosen = sample.pick(metric.prepare(objects), some)
        distances = metric._distances(chosen, chosen)
        means.append(float(distances.mean()) or 1.0)
        kernels.append(_centred(-distances / means[-1]).ravel())
    target = _centred((given[:, None] == given).astype(np.float64)).ravel()
    products = np.array([[one @ other for other in kernels] for one in kernels])
    root = _root(products)
    weights = scipy.optimize.nnls(root.T, np.linalg.pinv(root) @ np.array([each @ target for each in kernels]))[0]
    if not weights.any():
        weights = np.ones(len(metrics))
    return np.asarray(weights / weights.sum() / means)


def _centred(matrix: Floats) -> Floats:
    """Subtract the means of rows and columns, so that all of them sum to 0."""
    rows = matrix - matrix.mean(axis=0)
    return np.asarray(rows - rows.mean(axis=1, keepdims=True))


def _root(products: Floats) -> Floats:
    """A symmetric matrix whose square is the matrix of inner products, which is positive semidefinite."""
    values, vectors = np.linalg.eigh(products)
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)) @ vectors.T)
