r"""How often labels are replaced by others, class by class, and how probable it is that a label is
right.

An object of class j with scores s, given by a model that has not seen it, is assumed to have the
label y with the probability

.. math:: q_y(x) = \sum_j T_{jy} \, \pi_j(x), \qquad
    \pi(x) = \operatorname{softmax}\bigl(b_j - \beta (\max_l s_l - s_j)^a\bigr), \qquad
    T_{jj} = 1 - \varepsilon_j, \quad T_{jy} = \varepsilon_j / (k - 1),

where :math:`\pi` are the probabilities of the true class. The noise :math:`\varepsilon_j` of each
class is seen where a model is sure: there :math:`\pi` is nearly 1, and the share of other labels is
:math:`\varepsilon_j`, while doubt alone would let it fall to nothing. All parameters have the
largest posterior density, with weak priors. By the rule of Bayes the label y is right with the
probability :math:`T_{yy} \pi_y(x) / q_y(x)`; that is below a half where :math:`\pi_y` is below a
threshold that depends on the noise of the classes.

Confident learning (Northcutt, Jiang & Chuang 2021, JAIR 70) reads the same matrix T from objects
whose probability of a class is above its mean among objects of the class. Where classes overlap,
mistakes of the model then count as noise: nearly all its errors are called wrong labels.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit, softmax

from wideberth.array_types import Floats, Indices
from wideberth.estimators.calibration import calibrated_on

#: The largest noise of a class.
_MOST_NOISE = 0.9
#: Priors are normal, with these standard deviations: of log beta around the inverse temperature
#: without noise, of log a around 0, of the mean logit of the noise around -2, and of that of a
#: class around the mean.
_STEEP, _POWER, _MEAN_NOISE, _OF_CLASS = 2.0, 0.5, 3.0, 1.0
_USUAL_NOISE = -2.0
#: The logits of the noise from which the search for the best parameters starts.
_STARTS = (-4.0, -1.5)
#: So many objects tell the parameters well enough.
_MOST_OBJECTS = 10_000


@dataclass(frozen=True, eq=False)
class LabelNoise:
    """The noise of the labels of each class, and how scores become probabilities of the true class.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> true = rng.integers(0, 2, 2000)
    >>> scores = np.where(true[:, None] == [0, 1], 3.0, 0.0) + rng.normal(size=(2000, 2))
    >>> labels = np.where(rng.random(2000) < 0.1 * (true == 1), 1 - true, true)  # only of class 1
    >>> LabelNoise.of(scores, labels).rates.round(1)
    array([0. , 0.1])
    """

    #: epsilon of each class, shape (k,).
    rates: Floats
    #: b of each class, shape (k,); beta, for leads in units of ``scale``; and a.
    offsets: Floats
    steepness: float
    power: float
    scale: float

    @classmethod
    def of(cls, scores: Floats, codes: Indices) -> "LabelNoise":
        """The most probable noise, by scores of models that have not seen the objects, -inf for
        classes that a model does not know, and the labels that the objects have.
        """
        if len(codes) > _MOST_OBJECTS:
            drawn = np.random.default_rng(0).choice(len(codes), _MOST_OBJECTS, replace=False)
            scores, codes = scores[drawn], codes[drawn]
        k = scores.shape[1]
        leads = _Leads.of(scores, None)
        start = np.log(max(calibrated_on(scores, codes, bent=False).inverse * leads.scale, 1e-3))
        loss = partial(_loss, leads=leads, given=np.arange(k) == codes[:, None], usual=start)
        limits = [(-12.0, 14.0), (np.log(0.2), np.log(4.0)), (-9.0, 5.0)]
        limits += [(-20.0, 20.0)] * k + [(-4.0, 4.0)] * k
        tried = [
            minimize(
                loss,
                np.concatenate([[start, 0.0, noise], np.zeros(2 * k)]),
                jac=True,
                method="L-BFGS-B",
                bounds=limits,
            )
            for noise in _STARTS
        ]
        best = min(tried, key=lambda each: float(each.fun)).x
        return cls(
            _MOST_NOISE * expit(best[2] + best[3 + k :]),
            best[3 : 3 + k],
            float(np.exp(best[0])),
            float(np.exp(best[1])),
            leads.scale,
        )

    def true_classes(self, scores: Floats, codes: Indices) -> Floats:
        """The probability of each class to be the true one, given scores and labels, shape (n, k).

        Examples
        --------
        >>> noise = LabelNoise(np.array([0.1, 0.1]), np.zeros(2), 1.0, 1.0, 1.0)
        >>> noise.true_classes(np.array([[9.0, 0.0], [9.0, 0.0]]), np.array([0, 1])).round(2)
        array([[1., 0.],
               [1., 0.]])
        """
        leads = _Leads.of(scores, self.scale)
        chances = softmax(leads.steps(self.steepness, self.power) + self.offsets, axis=1)
        given = np.arange(scores.shape[1]) == codes[:, None]
        joint = _transitions(self.rates, given) * chances
        return np.asarray(joint / np.maximum(joint.sum(axis=1, keepdims=True), _TINY))


#: Probabilities are no smaller where they divide.
_TINY = 1e-300


@dataclass(frozen=True, eq=False)
class _Leads:
    """By how much the best score leads over each, in units of their mean: its logarithm, 0 for the
    best, and -inf for impossible classes.
    """

    logs: Floats
    behind: NDArray[np.bool_]
    barred: Floats
    scale: float

    @classmethod
    def of(cls, scores: Floats, scale: float | None) -> "_Leads":
        known = np.isfinite(scores)
        gaps = np.where(known, scores.max(axis=1, keepdims=True) - scores, 0.0)
        if scale is None:
            scale = float(gaps.mean() * gaps.shape[1] / max(gaps.shape[1] - 1, 1)) or 1.0
        behind = gaps > 0
        logs = np.log(np.where(behind, gaps / scale, 1.0))
        return cls(logs, behind, np.where(known, 0.0, -np.inf), scale)

    def steps(self, steepness: float, power: float) -> Floats:
        """What a softmax takes: -beta lead^a."""
        logs = np.minimum(np.log(steepness) + power * self.logs, 50.0)
        return np.asarray(np.where(self.behind, -np.exp(logs), 0.0) + self.barred)


def _transitions(rates: Floats, given: NDArray[np.bool_]) -> Floats:
    """How probable the given label is for objects of each class, shape (n, k)."""
    return np.where(given, 1.0 - rates, rates / max(len(rates) - 1, 1))


def _loss(
    point: Floats, leads: _Leads, given: NDArray[np.bool_], usual: float
) -> tuple[float, Floats]:
    """Minus the logarithm of the posterior density of log beta, log a, the mean logit of the noise,
    offsets, and logits of the noise of the classes beside the mean; and its gradient.
    """
    k = given.shape[1]
    power, offsets, of_class = np.exp(point[1]), point[3 : 3 + k], point[3 + k :]
    rates = _MOST_NOISE * expit(point[2] + of_class)
    steps = leads.steps(float(np.exp(point[0])), power)
    chances = softmax(steps + offsets, axis=1)
    joint = _transitions(rates, given) * chances
    probability = np.maximum(joint.sum(axis=1, keepdims=True), _TINY)
    slopes = chances - joint / probability  # by what the softmax takes
    moved = slopes * np.where(np.isfinite(steps), steps, 0.0)
    by_rate = -(np.where(given, -1.0, 1.0 / max(k - 1, 1)) * chances / probability).sum(axis=0)
    by_logit = by_rate * rates * (1.0 - rates / _MOST_NOISE)
    priors = [
        ((point[0] - usual) / _STEEP, _STEEP),
        (point[1] / _POWER, _POWER),
        ((point[2] - _USUAL_NOISE) / _MEAN_NOISE, _MEAN_NOISE),
    ]
    value = (
        -np.log(probability).sum()
        + 0.5 * sum(far * far for far, _ in priors)
        + 0.5 * offsets @ offsets
        + 0.5 * of_class @ of_class / _OF_CLASS**2
    )
    gradient = np.concatenate(
        [
            [moved.sum(), power * (moved * leads.logs).sum(), by_logit.sum()],
            slopes.sum(axis=0) + offsets,
            by_logit + of_class / _OF_CLASS**2,
        ]
    )
    gradient[:3] += [far / spread for far, spread in priors]
    return float(value), gradient
