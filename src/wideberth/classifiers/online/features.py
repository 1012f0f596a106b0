"""Which features a stream of queries is learned on, and what potentials of their knowledge are worth in the user's losses."""

from dataclasses import dataclass
from math import sqrt

import numpy as np

from wideberth.arrays import Floats
from wideberth.classifiers.online.knowledge.knowledge_set import Scales
from wideberth.classifiers.online.ladder import Rung, lp_ladder
from wideberth.classifiers.online.lifts import ChebyshevLift, EuclideanLift, InnerLift, Lift, lp_lift


@dataclass(frozen=True)
class Features:
    r"""The lifts of a similarity, one, or a rung for each scale of losses, and the power :math:`\alpha` of losses that count.

    Losses and potentials of pairs have a unit of their own: ``loss_unit`` says what it is worth in the loss that the user counts, for
    queries in the ball; `loss_unit_at` does for one query, which may be farther out where the similarity allows that.
    """

    n_features: int
    lifts: tuple[Lift, ...]
    alpha: float

    @property
    def largest_dimension(self) -> int:
        """The largest number of features of a lift."""
        return max(lift.dimension for lift in self.lifts)

    @property
    def on_rungs(self) -> bool:
        """Whether there is a rung for each scale of losses."""
        return isinstance(self.lifts[0], Rung)

    @property
    def guaranteed(self) -> bool:
        """Whether features are exact, or near enough for their losses."""
        return all(lift.guaranteed for lift in self.lifts)

    @property
    def resolution(self) -> float:
        """The loss below which nothing is counted."""
        finest = self.lifts[-1]
        return finest.threshold**self.alpha if isinstance(finest, Rung) else 0.0

    @property
    def loss_unit(self) -> float:
        """What a unit of loss is worth in the loss that the user counts."""
        return float(self.lifts[0].loss_scale(np.zeros(1)) ** self.alpha)

    def loss_unit_at(self, query: Floats) -> float:
        """What a unit of loss is worth at this query."""
        return float(self.lifts[0].loss_scale(query) ** self.alpha)

    def lifted(self, query: Floats) -> list[Floats]:
        """The features of a query, by lift; refused if it is too far out."""
        return [lift.features(query) for lift in self.lifts]

    def scales(self, index: int) -> Scales:
        """The scales of knowledge on the lift at this place."""
        lift = self.lifts[index]
        if isinstance(lift, Rung):
            return lift.scales(self.alpha)
        return Scales.for_ball(lift.dimension, lift.radius, self.alpha * lift.power)

    def preimages(self, rows: Floats, index: int) -> tuple[Floats, Floats]:
        """Queries, one a row, and signs, whose features on the lift at this place point where the given rows do.

        >>> features = features_of("euclidean", 2, radius=5.0)
        >>> queries, signs = features.preimages(-0.3 * features.lifted(np.array([3.0, 4.0]))[0][None], index=0)
        >>> queries.round(9), signs
        (array([[3., 4.]]), array([-1.]))
        """
        lift = self.lifts[index]
        if isinstance(lift, InnerLift):
            return rows, np.ones(len(rows))
        lift = lift.chebyshev if isinstance(lift, Rung) else lift
        if isinstance(lift, EuclideanLift):
            return lift.bound / 3 * rows[:, :-1] / rows[:, -1:], np.sign(rows[:, -1])
        assert isinstance(lift, ChebyshevLift)
        firsts = rows[:, 1 :: lift.degree] / rows[:, :1]  # polynomials of degree 1 beside the constant
        return sqrt(lift.n_features / 2) * lift.bound * firsts, np.sign(rows[:, 0])

    def carried_over(self, rows: Floats, index: int, wider: "Features") -> tuple[Floats, Floats]:
        """Rows on the lift of this index, translated to the lift of queries with more coordinates, which were 0 so far."""
        queries, signs = self.preimages(rows, index)
        padded = np.pad(queries, ((0, 0), (0, wider.n_features - queries.shape[1])))
        return wider.lifts[index].features(padded), signs


def features_of(
    similarity: str,
    n_features: int,
    *,
    p: float = 2,
    alpha: float = 1.0,
    radius: float = 1.0,
    separation: float | None = None,
    resolution: float | None = None,
    degree: int | None = None,
) -> Features:
    """The features for a similarity; the parameters are those of `wideberth.OnlinePartitionClassifier`.

    >>> [features_of("lp", 3, p=p).largest_dimension for p in (2, 4)], features_of("lp", 1, p=3, degree=9).guaranteed
    ([4, 10], False)
    >>> len(features_of("lp", 1, p=3, separation=1.0, resolution=0.3).lifts)
    3
    """
    lifts: tuple[Lift, ...]
    if similarity == "inner":
        lifts = (InnerLift(n_features, radius),)
    elif resolution is not None and separation is not None:
        lifts = lp_ladder(n_features, p, separation=separation, resolution=resolution, bound=radius)
    else:
        lifts = (lp_lift(n_features, p, degree=degree, bound=radius),)
    return Features(n_features, lifts, alpha)
