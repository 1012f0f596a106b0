r"""Whether a weighted mean of the calibrated probabilities of several candidates beats the best
single one, and with which weights.

**Weights.** Candidates are added one after the other, each time the one with which the log loss of
the mean of those taken so far is smallest, the same as often as it helps (Caruana, Niculescu-Mizil,
Crew & Ksikes, "Ensemble selection from libraries of models", ICML 2004). What counts is what the
candidates said of objects that they had not seen; nothing is fitted again.

**Whether it wins.** Calibration and weights have seen these answers, so they are learned anew
without a fifth of the objects, five times, and judged on that fifth. The log losses are compared
object by object (`wideberth.choice.paired`): the mean wins if its log loss is smaller than that of
the single candidate, calibrated in the same way, by more than half a standard error. That is
enough because the single one was chosen by these very answers, and looks better on them than it is.
Where it is not the best, but as good, for less, or its labels are proved to stay, a whole one is
asked for, as among single candidates.

On 35 halves of eleven sets (wine, breast cancer, phishing, first names, promoters, apes, bace, sms,
glycans, words, names) that took a mean 18 times: the log loss on the other half was smaller in 17
of them, the error in 13 and larger in 2, and over all sets smaller by 0.017 and by 0.3 points. With
a whole standard error 14 times, by 0.2 points; with two 6 times, by 0.1. Four parts instead of
three, or weights in twentieths instead of tenths, gained nothing, and answers cost more.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wideberth.array_types import Floats, Indices
from wideberth.choice.paired import lag, mean_by_object
from wideberth.estimators.calibration import Calibrator, calibrated_on

#: How many candidates are added, each as often as it helps.
ROUNDS = 10
#: Each part costs a fit and an answer.
MOST_PARTS = 3
#: On how many parts of the objects calibration and weights are judged.
_JUDGED_ON = 5
#: No probability counts as smaller: the loss of a single object says little.
LEAST = 1e-12


@dataclass(frozen=True, eq=False)
class BestMean:
    """A weighted mean of the calibrated probabilities of some of the candidates.

    ``places`` are theirs among the candidates, ``gain`` tells by how much the log loss is smaller
    than that of the single candidate, on objects that weights and calibration had not seen, with
    its standard error; ``scores`` are the logarithms of its probabilities there, answer by answer,
    ``right`` the share of right answers about each object.
    """

    places: list[int]
    weights: Floats
    calibrators: list[Calibrator]
    gain: tuple[float, float]
    scores: Floats
    right: Floats

    def wins(self, surely: float) -> bool:
        """Whether it has several parts, and beats the single candidate by more than so many standard
        errors.
        """
        gain, error = self.gain
        return len(self.places) > 1 and gain > surely * error


def greedy_weights(own: Floats, weights: Floats) -> Floats:
    """The weights of candidates in a mean of their probabilities, adding up to 1, for the
    probabilities of the true labels, shape (candidates, answers), and the weights of the answers.

    Examples
    --------
    >>> own = np.array([[0.9, 0.9, 0.1], [0.1, 0.8, 0.9], [0.2, 0.2, 0.2]])
    >>> greedy_weights(own, np.ones(3)).round(1)
    array([0.5, 0.5, 0. ])
    """
    times, total = np.zeros(len(own)), np.zeros(own.shape[1])
    best, found = np.inf, times
    for taken in range(1, ROUNDS + 1):
        open_to = times > 0 if np.count_nonzero(times) == MOST_PARTS else np.ones(len(own), bool)
        means = np.maximum((total + own) / taken, LEAST)
        losses = np.where(open_to, -np.log(means) @ weights, np.inf)
        chosen = int(losses.argmin())
        times[chosen] += 1
        total = total + own[chosen]
        if losses[chosen] < best:
            best, found = losses[chosen], times.copy()
    return np.asarray(found / found.sum())


def mean_of(probabilities: Sequence[Floats], weights: Floats) -> Floats:
    """The weighted mean of the probabilities of several models, shape (n, k)."""
    mean = np.zeros_like(probabilities[0])
    for each, weight in zip(probabilities, weights.tolist(), strict=True):
        mean += weight * each
    return mean


def mixed(
    scores: Sequence[Floats],
    single: int,
    codes: Indices,
    objects: Indices,
    weights: Floats,
    *,
    random_state: int | None,
) -> BestMean:
    """The best weighted mean of some candidates, and what it gains beside the ``single`` one.

    ``scores`` are what each candidate said of objects left out, answer by answer, -inf for classes
    that its fold did not know; ``codes`` are the classes of the answers, ``objects`` which object
    each is about, and ``weights`` theirs.
    """
    rng = np.random.default_rng(random_state)
    names, numbers = np.unique(objects, return_inverse=True)
    group = rng.permutation(np.arange(len(names)) % _JUDGED_ON)[numbers]
    shape = scores[single].shape
    mean, alone = np.zeros(shape), np.zeros(shape)
    for judged in range(_JUDGED_ON):
        here, rest = group == judged, group != judged
        if not here.any() or not rest.any():
            continue
        calibrators = [calibrated_on(each[rest], codes[rest], weights[rest]) for each in scores]
        shares = greedy_weights(_own(scores, calibrators, codes, rest), weights[rest])
        told = [
            each.probabilities(said[here]) for each, said in zip(calibrators, scores, strict=True)
        ]
        mean[here], alone[here] = mean_of(told, shares), told[single]
    calibrators = [calibrated_on(each, codes, weights) for each in scores]
    shares = greedy_weights(_own(scores, calibrators, codes, slice(None)), weights)
    places = np.flatnonzero(shares).tolist()
    rows, by_object = np.arange(len(codes)), np.zeros(len(names))
    by_object[numbers] = weights
    together, by_itself = (
        mean_by_object(np.log(np.maximum(each[rows, codes], LEAST)), objects)
        for each in (mean, alone)
    )
    return BestMean(
        places,
        shares[places],
        [calibrators[place] for place in places],
        lag(together, by_itself, by_object),
        np.log(np.maximum(mean, LEAST)),
        mean_by_object(mean.argmax(axis=1) == codes, objects),
    )


def _own(
    scores: Sequence[Floats], calibrators: list[Calibrator], codes: Indices, chosen: Any
) -> Floats:
    """The calibrated probabilities of the true labels of some answers, shape (candidates, n)."""
    true = codes[chosen]
    return np.array(
        [
            each.probabilities(said[chosen])[np.arange(len(true)), true]
            for each, said in zip(calibrators, scores, strict=True)
        ]
    )
