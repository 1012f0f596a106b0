r"""From two labels to many: which label to guess when every pair of labels has a learner of its own.

Guruganesh, Liu, Schneider & Wang (2021), section 3.2. For one query, and for labels i, j that are still possible,

- ``losses[i, j]`` = :math:`L_{ij}` is the most that the guess j can lose if i is true (symmetric in the paper),
- ``drops[i, j]`` = :math:`D_{ij}` is how much the potential of their learner falls, at least, once i is told to be the true
  label; what is counted here must be what learning will do,

both zero on the diagonal. A learner that guesses one of the two and errs pays for it (Definition 9):

.. math:: \max(D_{ij}, D_{ji}) \ge \max(L_{ij}, L_{ji}). \tag{P1}

A rule answers with a `Mixture`: the chances of guessing each label, and its price, the smallest number with

.. math:: E[\text{loss}] \le \text{price} \cdot E[\text{fall of the potentials}] \quad\text{whichever label is true}

(up to rounding, 1e-10 of the largest loss or drop in a row). So all losses together are at most the largest price times the
initial potentials of all pairs, whatever the queries. Under (P1) the price of `paper_rule` is at most 2 (Theorem 11), in
expectation, and that of `informative_rule` at most 1, in every run.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from wideberth.arrays import Flags, Floats
from wideberth.classifiers.online.game_kernels import least_worst_mixture
from wideberth.rounding import SUM_ERROR

#: The price that Theorem 11 pays.
PAPER_PRICE = 2.0
#: Losses below this share of the largest loss or drop of their row are rounding.
_ROUNDING = 100 * SUM_ERROR


class Mixture(NamedTuple):
    """The chances of guessing each label, and what they lose at most for a unit of potential: see the head of this module.

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
    """The labels that no other one certainly beats, in the order given.

    ``duel(i, j)`` is 1 if the past implies that i is at least as near to the query as j, -1 if it implies the opposite, 0 if it
    leaves that open. A beaten label is asked no more: with the most likely label first, about k - 1 duels are enough. Every pair
    of survivors has been asked. Where labels come from centres, the true label survives; nobody does only in contradictions.

    >>> survivors([2, 0, 1], lambda i, j: 1 if i == 2 else 0)
    [2]
    >>> survivors([0, 1, 2], lambda i, j: 1 if (i, j) == (0, 2) else 0)
    [0, 1]
    """
    beaten: set[int] = set()
    for place, i in enumerate(order):
        for j in order[place + 1 :]:
            if i in beaten:
                break
            if j not in beaten:
                outcome = duel(i, j)
                if outcome:
                    beaten.add(j if outcome > 0 else i)
    return [i for i in order if i not in beaten]


def paper_rule(losses: Floats, drops: Floats) -> Mixture:
    r"""A guess that is paid for by the learner of the guessed and the true label alone (Theorem 11).

    .. math:: Mv \ge 0, \qquad M = D - L / 2

    Such chances v exist (Lemma 3.2): else there were, by the minimax theorem, chances u with :math:`u^\top M < 0`, but
    :math:`u^\top M u = u^\top (M + M^\top) u / 2 \ge 0` by (P1). If one label alone satisfies this it is guessed, the one of the
    least price; otherwise v maximises the least :math:`(Mv)_r`, with rows scaled to a largest entry of 1. Learn from mistakes,
    with the pair (guess, truth); draw the guess after the query is fixed.

    >>> losses = np.array([[0.0, 1.0], [1.0, 0.0]])
    >>> paper_rule(losses, drops=np.array([[0.0, 0.1], [2.0, 0.0]]))  # only label 1 would teach: guess label 0
    Mixture(chances=array([1., 0.]), price=0.5)
    """
    pure = _cheapest(_prices(losses, drops, losses, drops))
    if pure.price <= PAPER_PRICE:
        return pure
    payoffs = drops - losses / 2
    sizes = np.abs(payoffs).max(axis=1, keepdims=True)
    chances = least_worst_mixture(1.0 - payoffs / np.where(sizes > 0, sizes, 1.0))
    (price,) = _prices((losses @ chances)[:, None], (drops @ chances)[:, None], losses, drops)
    return min(pure, Mixture(chances, float(price)), key=lambda each: each.price)


def informative_rule(losses: Floats, drops: Floats) -> Mixture:
    r"""The guess that costs least when all that the true label tells is learned: it is nearer than every other one.

    .. math:: \min_i \max_r \frac{L_{ri}}{(D\mathbf 1)_r} \le 1

    Derived: take the i of the least :math:`(D\mathbf 1)_i`, the label that would surprise least. For any true label r either
    :math:`L_{ri} \le D_{ri} \le (D\mathbf 1)_r`, or, by (P1),
    :math:`L_{ri} \le D_{ir} \le (D\mathbf 1)_i \le (D\mathbf 1)_r`. So no mixture is needed, no expectation, and no program:
    half the bound of Theorem 11, in every run, against every adversary. Learn in every round, from mistakes or not, with all
    pairs of the true label and a survivor.

    >>> losses = np.ones((3, 3)) - np.eye(3)
    >>> circle = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])  # 1 was thought better than 0, 2 than 1, 0 than 2
    >>> informative_rule(losses, drops=circle)
    Mixture(chances=array([1., 0., 0.]), price=1.0)
    >>> paper_rule(losses, drops=circle).chances.round(3)
    array([0.333, 0.333, 0.333])
    """
    taught = np.broadcast_to(drops.sum(axis=1, keepdims=True), losses.shape)
    return _cheapest(_prices(losses, taught, losses, drops))


def majority(ahead: Flags) -> Floats:
    r"""Equal chances for the labels that are ahead of most others; ``ahead[i, j]``: their learner guesses i, not j.

    With the ranking of all labels as feedback every learner can be taught every round, and this is enough (Remark 3.4): the
    learners that err lose together at least what the guess loses. Derived: let m win the vote, r be true, and the learner of m
    and r guess r (otherwise it errs and loses that very loss). As r does not have more votes than m, there is a j that is behind
    m and ahead of r. The learner of j and r errs; that of m and j errs as well if m is farther than j, and their two losses add
    up to that of the guess; if m is nearer than j, the first of the two is enough. With labels only, the learner of m and j is
    not taught, and no total is bounded.

    >>> majority(np.array([[False, True, True], [False, False, True], [False, False, False]]))
    array([1., 0., 0.])
    """
    votes = ahead.sum(axis=1)
    winners = votes == votes.max()
    return np.asarray(winners / winners.sum(), dtype=np.float64)


def _cheapest(prices: Floats) -> Mixture:
    """All chances on the label of the least price."""
    best = int(prices.argmin())
    chances = np.zeros(len(prices))
    chances[best] = 1.0
    return Mixture(chances, float(prices[best]))


def _prices(paid: Floats, taught: Floats, losses: Floats, drops: Floats) -> Floats:
    """The price of each column of guesses: the most that is paid for what is taught, over all rows, the true labels."""
    rounding = _ROUNDING * np.maximum(losses.max(axis=1), drops.max(axis=1))[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        prices = np.where(paid > rounding, paid / taught, 0.0)
    at_the_paper_price = (prices > PAPER_PRICE) & (paid <= PAPER_PRICE * taught + rounding)
    return np.asarray(np.where(at_the_paper_price, PAPER_PRICE, prices).max(axis=0), dtype=np.float64)
