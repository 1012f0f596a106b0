r"""How far the bound of an engine that counts points can be relied on: a failure probability, and a bound that holds for certain.

*Likely.* The potentials of the engine "sampling" pay for all losses as long as no announced drop is too large, and have fallen by
those of the rows that were stored. A drop is announced from two counts; each of them is too far off with probability at most
:math:`e^{-n/32}` (Chernoff), for n independent points. So with k labels and m rows the bound fails within T rounds with
probability at most

.. math:: \rho + 2 \bigl((k - 1)\, T + m\bigr) e^{-n/32}, \qquad n = N / F,

where N is the number of points, and F an upper bound of how much groups of points differ beyond chance at the cuts so far
(`wideberth.classifiers.online.knowledge.populations.Dispersion`), which is itself too small with probability at most
:math:`\rho`. This assumes that queries and labels do not depend on the guesses, as those of any given data set; that points count
as so many independent ones as their groups show; and that the walk along axes found from the points themselves is as good as
one along given axes.

*Certain.* What a mistake can have cost at most is known, by projections, without any points. These costs are added up. Once they
exceed what the potentials at the start could pay for, some count was wrong, and the engine "ellipsoid", which needs no counts,
takes over with all constraints. So whatever the points are like, and against every opponent,

.. math:: \text{loss} \le (\text{potential at the start} - \text{costs so far})
    + \text{largest loss} + \text{potential of ellipsoids}.

Derived here.
"""

from math import exp

from wideberth.classifiers.online.knowledge.polytope_knowledge import PolytopeKnowledge
from wideberth.classifiers.online.knowledge.populations import Dispersion
from wideberth.classifiers.online.knowledge.sampled_bodies import TOLERANCE, SampledBodies
from wideberth.classifiers.online.partitions.pairwise_partition import PairwisePartition

#: The probability with which the measured dispersion of points may be too small.
RISK = 0.001


def failure_probability(partition: PairwisePartition, rounds: int) -> float:
    """The probability, at most, that the potentials of a partition do not bound the losses of so many rounds.

    Parameters
    ----------
    partition : PairwisePartition
        The knowledge of all labels.
    rounds : int
        The number of rounds.

    Returns
    -------
    float
        From 0, where potentials are proved, to 1.

    Examples
    --------
    >>> from wideberth.classifiers.online.lifts_by_similarity import features_of
    >>> partition = PairwisePartition(features_of("inner", 2), engine="sampling", update="informative", noise=0.0, seed=0)
    >>> partition.add_label()
    >>> partition.add_label()
    >>> failure_probability(partition, 10_000) < 1e-4
    True
    """
    sampled = [
        knowledge.bodies
        for pair in partition.pairs.values()
        for knowledge in pair.knowledge
        if isinstance(knowledge, PolytopeKnowledge) and isinstance(knowledge.bodies, SampledBodies)
    ]
    if not sampled:
        return 0.0
    dispersion = sum((bodies.dispersion for bodies in sampled), Dispersion())
    points = min(bodies.n_points for bodies in sampled) / dispersion.inflation(RISK)
    counts = 2 * ((partition.n_labels - 1) * rounds + partition.n_rows)
    return min(1.0, RISK * (dispersion.freedom > 0) + counts * exp(-points * TOLERANCE))


def certain_loss(partition: PairwisePartition, *, cost: float, price: float) -> float:
    """A bound of all future losses of a sampled partition, in the unit of its features, that does not rely on points.

    Parameters
    ----------
    partition : PairwisePartition
        The knowledge of all labels, by the engine "sampling".
    cost : float
        What mistakes can have cost so far.
    price : float
        The factor of potentials in the bound.

    Examples
    --------
    >>> from wideberth.classifiers.online.lifts_by_similarity import features_of
    >>> partition = PairwisePartition(features_of("inner", 2), engine="sampling", update="informative", noise=0.0, seed=0)
    >>> partition.add_label()
    >>> partition.add_label()
    >>> certain_loss(partition, cost=0.0, price=1.0) > partition.potential()
    True
    """
    left = max(0.0, price * partition.initial_potential - cost)
    return left + partition.largest_loss + price * partition.on_ellipsoids().potential()
