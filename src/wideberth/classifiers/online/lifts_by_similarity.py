"""The features on which a stream of queries is learned, for each similarity, and the unit in which
losses are counted on them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf, sqrt

import numpy as np

from wideberth.array_types import Floats
from wideberth.classifiers.online.knowledge_set import Scales, to_power
from wideberth.classifiers.online.lifts import (
    ChebyshevLift,
    EuclideanLift,
    InnerLift,
    Lift,
    lp_lift,
)
from wideberth.classifiers.online.multiscale_lifts import Rung, lp_ladder
from wideberth.errors import InvalidInput
from wideberth.wording import setting


@dataclass(frozen=True)
class Features:
    r"""The lifts of a similarity: a single one, or one rung for each scale of losses.

    On features the nearest of two centres is the sign of an inner product
    (`wideberth.classifiers.online.lifts`). Losses and potentials of pairs of labels are counted in
    a unit of their own; ``loss_unit`` converts them to the user's loss for queries in the ball,
    `loss_unit_at` for one query, which may be outside of the ball where the similarity allows that.

    Parameters
    ----------
    n_features : int
        How many coordinates queries have.
    lifts : tuple of Lift
        One lift, or the rungs of a ladder, the coarsest first.
    alpha : float
        The power :math:`\alpha` of the user's loss.

    Examples
    --------
    >>> features = features_of("inner", 2, radius=3.0, alpha=2.0)
    >>> features.largest_dimension, features.on_rungs, features.guaranteed, features.loss_unit
    (2, False, True, 81.0)
    """

    n_features: int
    lifts: tuple[Lift, ...]
    alpha: float

    def __post_init__(self) -> None:
        if not 0 < self.loss_unit < inf:
            raise InvalidInput(
                f"With a radius of {self.lifts[0].bound:g} and "
                f"{setting('alpha', shown=f'{self.alpha:g}')}, losses are beyond what "
                f"floating-point numbers can be: their unit is {self.loss_unit:g}.",
                advice="Give queries, and the radius, in another unit.",
                value=self.lifts[0].bound,
            )

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
        """Whether the features are exact, or accurate enough for the losses that they are used
        for.
        """
        return all(lift.guaranteed for lift in self.lifts)

    @property
    def resolution(self) -> float:
        """The loss, in units of ``loss_unit``, below which losses are not counted; 0 for exact
        features.
        """
        finest = self.lifts[-1]
        return finest.threshold**self.alpha if isinstance(finest, Rung) else 0.0

    @property
    def loss_unit(self) -> float:
        """The user's loss that corresponds to a loss of 1 on the features, for queries in the
        ball.
        """
        return to_power(self.lifts[0].loss_scale(np.zeros(1)), self.alpha)

    def loss_unit_at(self, query: Floats) -> float:
        """The user's loss that corresponds to a loss of 1 on the features, at this query."""
        return to_power(self.lifts[0].loss_scale(query), self.alpha)

    @property
    def degrees(self) -> tuple[int, ...]:
        """The degrees of measured rungs; empty for all other features."""
        return tuple(
            lift.chebyshev.degree for lift in self.lifts if isinstance(lift, Rung) and lift.measured
        )

    def raised(self, index: int) -> "Features":
        """The same with a higher degree of the measured rung of this index; itself if there is none
        above.
        """
        rung = self.lifts[index]
        if not isinstance(rung, Rung) or (higher := rung.raised()) == rung:
            return self
        return replace(self, lifts=(*self.lifts[:index], higher, *self.lifts[index + 1 :]))

    def with_degrees(self, degrees: Sequence[int]) -> "Features":
        """The same with other degrees of its measured rungs, as many as there are.

        Examples
        --------
        >>> features = features_of("lp", 2, p=3, separation=1.0, resolution=0.5, degree="auto")
        >>> features.with_degrees([9, 12]).degrees
        (9, 12)
        """
        rungs = [lift for lift in self.lifts if isinstance(lift, Rung)]
        lifts = [
            replace(rung, chebyshev=replace(rung.chebyshev, degree=degree))
            for rung, degree in zip(rungs, degrees, strict=True)
        ]
        return replace(self, lifts=tuple(lifts))

    def lifted(self, query: Floats) -> list[Floats]:
        """The features of a query on each lift.

        Parameters
        ----------
        query : ndarray of shape (n_features,)
            A query.

        Returns
        -------
        list of ndarray
            One vector of length at most 1 for each lift.

        Raises
        ------
        InvalidInput
            If the query is outside of the ball and the similarity does not allow that.
        """
        return [lift.features(query) for lift in self.lifts]

    def scales(self, index: int) -> Scales:
        """The scales of a knowledge set on the lift of this index."""
        lift = self.lifts[index]
        if isinstance(lift, Rung):
            return lift.scales(self.alpha)
        plain = lift.plain_power
        unit = to_power(lift.bound / lift.loss_scale(np.zeros(1)), self.alpha)
        other = (unit, self.alpha * plain) if plain != lift.power else None
        return Scales.for_ball(
            lift.dimension,
            lift.radius,
            self.alpha * lift.power,
            cone=lift.slack == 0,
            other_bound=other,
        )

    def preimages(self, rows: Floats, index: int) -> tuple[Floats, Floats]:
        """Queries whose features have the directions of the given rows.

        Parameters
        ----------
        rows : ndarray of shape (n, dimension)
            Multiples, positive or negative, of the features of queries.
        index : int
            The index of the lift.

        Returns
        -------
        queries : ndarray of shape (n, n_features)
            Their features are the rows, up to the sign and a positive factor.
        signs : ndarray of shape (n,)
            1.0 or -1.0: the sign of that multiple.

        Examples
        --------
        >>> features = features_of("euclidean", 2, radius=5.0)
        >>> queries, signs = features.preimages(
        ...     -0.3 * features.lifted(np.array([3.0, 4.0]))[0][None], index=0
        ... )
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
        linear = (
            rows[:, 1 :: lift.degree] / rows[:, :1]
        )  # polynomials of degree 1 over the constant
        return sqrt(lift.n_features / 2) * lift.bound * linear, np.sign(rows[:, 0])

    def carried_over(self, rows: Floats, index: int, wider: "Features") -> tuple[Floats, Floats]:
        """Translate rows of this lift to the lift of queries with more coordinates, which count as
        0 in earlier queries.

        Parameters
        ----------
        rows : ndarray of shape (n, dimension)
            Multiples of features on the lift of this index.
        index : int
            The index of the lift, the same in both.
        wider : Features
            The features of the wider queries.

        Returns
        -------
        features : ndarray of shape (n, wider dimension)
            Features of the padded queries.
        signs : ndarray of shape (n,)
            1.0 or -1.0, as for `preimages`.

        Examples
        --------
        >>> one, two = features_of("inner", 1), features_of("inner", 2)
        >>> one.carried_over(np.array([[0.5]]), 0, two)
        (array([[0.5, 0. ]]), array([1.]))
        """
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
    degree: int | str | None = None,
    by_pairs: bool = True,
) -> Features:
    """The features of a similarity.

    Parameters
    ----------
    similarity : {"euclidean", "inner", "lp"}
        What the nearest centre is.
    n_features : int
        How many coordinates queries have.
    p, alpha, radius, separation, resolution, degree
        As for `wideberth.OnlinePartitionClassifier`.
    by_pairs : bool
        Whether each pair of labels has a knowledge set of its own.

    Returns
    -------
    Features
        On a ladder of rungs if separation and resolution are given, otherwise on one lift.

    Examples
    --------
    >>> (
    ...     [features_of("lp", 3, p=p).largest_dimension for p in (2, 4)],
    ...     features_of("lp", 1, p=3, degree=9).guaranteed,
    ... )
    ([4, 10], False)
    >>> len(features_of("lp", 1, p=3, separation=1.0, resolution=0.3).lifts)
    3
    """
    lifts: tuple[Lift, ...]
    if similarity == "inner":
        lifts = (InnerLift(n_features, radius),)
    elif resolution is not None and separation is not None:
        measured = degree == "auto"
        lifts = lp_ladder(
            n_features,
            p,
            separation=separation,
            resolution=resolution,
            bound=radius,
            measured=measured,
        )
    else:
        assert not isinstance(
            degree, str
        )  # a degree is found by queries only where a resolution says what for
        lifts = (lp_lift(n_features, p, degree=degree, bound=radius, by_pairs=by_pairs),)
    return Features(n_features, lifts, alpha)
