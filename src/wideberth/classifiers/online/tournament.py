r"""From two labels to many: which label to guess when every pair of labels has a learner of its
own.

Guruganesh, Liu, Schneider & Wang (2021), section 3.2. For one query, and for labels i, j that are
still possible,

- ``losses[i, j]`` = :math:`L_{ij}` is the most that the guess j can lose if i is true (symmetric in
  the paper),
- ``drops[i, j]`` = :math:`D_{ij}` is a lower bound of how much the potential of their learner falls
  once it learns that i is the true label,

both zero on the diagonal. A learner that guesses one of the two and errs pays for it (Definition
9):

.. math:: \max(D_{ij}, D_{ji}) \ge \max(L_{ij}, L_{ji}). \tag{P1}

A rule returns a `Mixture`: the probability of guessing each label, and its price, the smallest
number with

.. math:: E[\text{loss}] \le \text{price} \cdot E[\text{fall of the potentials}]
    \quad\text{whichever label is true}

(up to rounding, 1e-10 of the largest loss or drop in a row). So all losses together are at most the
largest price times the initial potentials of all pairs, for any queries. Under (P1) the price of
`paper_rule` is at most 2 (Theorem 11), in expectation, and that of `informative_rule` at most 1, in
every run.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from wideberth.array_types import Flags, Floats
from wideberth.classifiers.online.game_kernels import minimax_mixture
from wideberth.rounding import SUM_ERROR

#: The price that Theorem 11 pays.
PAPER_PRICE = 2.0
#: Losses below this share of the largest loss or drop of their row are rounding.
_ROUNDING = 100 * SUM_ERROR


class Mixture(NamedTuple):
    """The probabilities of guessing each label, and their price: see the head of this module.

    >>> Mixture(np.array([0.25, 0.75]), price=2.0).draw(0.3)
    1
    """

    chances: Floats
    price: float

    def draw(self, u: float) -> int:
        """The label for a number u drawn uniformly from [0, 1)."""
        sums = np.cumsum(self.chances)
        return int(np.searchsorted(sums, u * sums[-1], side="right"))


def survivors(order: Sequence[int], duel: Callable[[int, int], int]) -> list[int]:
    """The labels that no other one certainly beats, in the given order.

    A beaten label is not compared any further: with the most likely label first, about k - 1
    comparisons are enough. Every two survivors have been compared. If labels come from centres, the
    true label survives; none survives only if labels contradict each other. ``duel(i, j)`` is 1 if
    the past implies that i is at least as near to the query as j, -1 if it implies the opposite, 0
    if neither is implied.

    >>> survivors([2, 0, 1], lambda i, j: 1 if i == 2 else 0)
    [2]
    >>> survivors([0, 1, 2], lambda i, j: 1 if (i, j) == (0, 2) else 0)
    [0, 1]
    """
    beaten: set[int] = set()
    for position, i in enumerate(order):
        for j in order[position + 1 :]:
            if i in beaten:
                break
            if j not in beaten:
                outcome = duel(i, j)
                if outcome:
                    beaten.add(j if outcome > 0 else i)
    return [i for i in order if i not in beaten]


def paper_rule(losses: Floats, drops: Floats) -> Mixture:
    r"""A guess that is paid for by the learner of the guessed and the true label alone (Theorem
    11).

    .. math:: Mv \ge 0, \qquad M = D - L / 2

    Such probabilities v exist (Lemma 3.2): otherwise there would be, by the minimax theorem,
    probabilities u with :math:`u^\top M < 0`, but :math:`u^\top M u = u^\top (M + M^\top) u / 2 \ge
    0` by (P1). If a single label satisfies this, the one of the least price is guessed; otherwise v
    maximises the least :math:`(Mv)_r`, with rows scaled to a largest entry of 1. To be used with
    learning from mistakes, by the pair (guess, truth); the guess is drawn after the query is fixed.

    >>> losses = np.array([[0.0, 1.0], [1.0, 0.0]])
    >>> # much is learned only if label 1 is true: guess label 0
    >>> paper_rule(losses, drops=np.array([[0.0, 0.1], [2.0, 0.0]]))
    Mixture(chances=array([1., 0.]), price=0.5)
    """
    pure = _cheapest(_prices(losses, drops, losses, drops))
    if pure.price <= PAPER_PRICE:
        return pure
    payoffs = drops - losses / 2
    sizes = np.abs(payoffs).max(axis=1, keepdims=True)
    chances = minimax_mixture(1.0 - payoffs / np.where(sizes > 0, sizes, 1.0))
    (price,) = _prices((losses @ chances)[:, None], (drops @ chances)[:, None], losses, drops)
    return min(pure, Mixture(chances, float(price)), key=lambda mixture: mixture.price)


def informative_rule(losses: Floats, drops: Floats) -> Mixture:
    r"""The guess of the least price when all comparisons of the true label with others are learned.

    .. math:: \min_i \max_r \frac{L_{ri}}{(D\mathbf 1)_r} \le 1

    Derived: take the i of the least :math:`(D\mathbf 1)_i`, the label from which least would be
    learned. For any true label r either :math:`L_{ri} \le D_{ri} \le (D\mathbf 1)_r`, or, by (P1),
    :math:`L_{ri} \le D_{ir} \le (D\mathbf 1)_i \le (D\mathbf 1)_r`. So no mixture, no expectation
    and no linear program is needed: half the bound of Theorem 11, in every run, against every
    adversary. To be used with learning in every round, after mistakes or not, by all pairs of the
    true label and a survivor.

    >>> losses = np.ones((3, 3)) - np.eye(3)
    >>> # 1 was thought better than 0, 2 than 1, 0 than 2
    >>> circle = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
    >>> informative_rule(losses, drops=circle)
    Mixture(chances=array([1., 0., 0.]), price=1.0)
    >>> paper_rule(losses, drops=circle).chances.round(3)
    array([0.333, 0.333, 0.333])
    """
    taught = np.broadcast_to(drops.sum(axis=1, keepdims=True), losses.shape)
    return _cheapest(_prices(losses, taught, losses, drops))


def majority(ahead: Flags) -> Floats:
    """Equal probabilities for the labels that win the most comparisons.

    If the ranking of all labels is learned, every learner can learn in every round, and this is
    enough (Remark 3.4): the learners that err lose together at least what the guess loses. Derived:
    let m win the vote, r be true, and the learner of m and r guess r (otherwise it errs and has
    that very loss). As r does not have more votes than m, there is a j that is behind m and ahead
    of r. The learner of j and r errs; that of m and j errs as well if m is farther than j, and
    their two losses add up to that of the guess; if m is nearer than j, the first of the two is
    enough. With labels only, the learner of m and j learns nothing, and no total is bounded.

    ``ahead[i, j]``: the learner of i and j guesses i.

    >>> majority(np.array([[False, True, True], [False, False, True], [False, False, False]]))
    array([1., 0., 0.])
    """
    votes = ahead.sum(axis=1)
    winners = votes == votes.max()
    return np.asarray(winners / winners.sum(), dtype=np.float64)


def _cheapest(prices: Floats) -> Mixture:
    """The mixture with probability 1 for the label of the least price."""
    best = int(prices.argmin())
    chances = np.zeros(len(prices))
    chances[best] = 1.0
    return Mixture(chances, float(prices[best]))


def _prices(paid: Floats, taught: Floats, losses: Floats, drops: Floats) -> Floats:
    """The price of each column: the largest ratio of loss and fall of the potential, over the rows,
    the true labels.

    ``paid[r, c]`` is the expected loss of mixture c if r is true, ``taught[r, c]`` the expected
    fall of the potentials. ``losses`` and ``drops`` only set the size of rounding errors.
    """
    rounding = _ROUNDING * np.maximum(losses.max(axis=1), drops.max(axis=1))[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        prices = np.where(paid > rounding, paid / taught, 0.0)
    at_the_paper_price = (prices > PAPER_PRICE) & (paid <= PAPER_PRICE * taught + rounding)
    return np.asarray(
        np.where(at_the_paper_price, PAPER_PRICE, prices).max(axis=0), dtype=np.float64
    )
