"""Capacities of von Luxburg & Bousquet (2004) as they are printed, to be compared with those that
are proved here.
"""

import numpy as np
from numpy.typing import ArrayLike

from wideberth.array_types import Floats
from wideberth.bounds.lipschitz_entropy import dudley_rademacher, theorem_17_entropies


def theorem_17_floor(
    scales: ArrayLike, numbers: ArrayLike, diameter: float = 0.0
) -> tuple[Floats, Floats]:
    r"""The lower half of Theorem 17: scales, and entropies that the unit ball of Lipschitz
    functions has at least at them.

    .. math:: \ln N(u) \ge N(4u) \ln 2 \quad (u < \mathrm{diam}), \qquad \ln N(u) = 0 \quad (u \ge
        \mathrm{diam})

    The theorem prints no condition on u. It needs one: functions of the ball are between
    :math:`\pm\mathrm{diam}`, so that from the diameter on the function 0 is within u of all of
    them. Below the diameter: take a maximal set of points more than 4u apart, which covers the
    space at 4u. If it has one point only, N(4u) = 1, and the constants :math:`\pm\mathrm{diam}`
    differ by more than 2u. If it has more, the diameter is more than 4u; every choice of signs at
    them, times 2u, has Lipschitz constant 1 and extends to the space, and two of these functions
    differ by 4u somewhere. No ball of radius u holds both.

    Parameters
    ----------
    scales, numbers : array-like of shape (m,)
        Decreasing radii, and how many balls of these radii are needed at least to cover the space.
    diameter : float
        The diameter of the space, in the unit of the scales, or what it is at least. Only scales at
        which one ball is enough need it.

    Examples
    --------
    >>> theorem_17_floor([8.0, 4.0, 2.0], [1, 1, 3], diameter=2.0)[1] / np.log(2)
    array([0., 1., 3.])
    >>> theorem_17_floor([8.0, 4.0, 2.0], [1, 1, 3])[1] / np.log(2)
    array([0., 0., 3.])
    """
    radii, counts = np.asarray(scales, dtype=np.float64), np.asarray(numbers, dtype=np.float64)
    u = radii / 4
    return u, np.where((u < diameter) | (counts > 1), counts * np.log(2), 0.0)


def theorem_18_rademacher(
    scales: ArrayLike, numbers: ArrayLike, diameter: float, n: int, *, connected: bool = False
) -> float:
    r"""Theorem 18 as it is printed: the entropy integral of Theorem 16 with the entropies of
    Theorem 17.

    The bound that is proved here, and smaller, is `wideberth.bounds.lipschitz_rademacher`.

    Parameters
    ----------
    scales, numbers : array-like of shape (m,)
        Decreasing radii, and how many balls of these radii cover the space.
    diameter : float
        The diameter of the space, in the unit of the scales.
    n : int
        The size of the sample.
    connected : bool
        Whether the space is connected.

    Examples
    --------
    >>> radii = np.geomspace(1.0, 1e-4, 60)
    >>> theorem_18_rademacher(radii, np.ceil(0.5 / radii), 1.0, 10**6) < 1
    True
    """
    return dudley_rademacher(
        *theorem_17_entropies(scales, numbers, diameter, connected=connected), n
    )


def theorem_20_rademacher(
    scales: ArrayLike, numbers: ArrayLike, profiles: ArrayLike, width: float, n: int
) -> float:
    r"""Theorem 20 as it is printed, for sums of functions of distances.

    .. math:: 2 \varepsilon + \frac{4 \sqrt2}{\sqrt n} \int_{\varepsilon/4}^w
              \sqrt{\ln N(u/2) + \ln N_G(u/2)}\, du

    It leaves out the two signs and the function 0, without which a class of a single function would
    have complexity 0 (with Theorem 16 it fails for one function). Use
    `wideberth.bounds.radial_entropies` for bounds that have to hold.

    Parameters
    ----------
    scales, numbers, profiles : array-like of shape (m,)
        Decreasing radii, how many balls of these radii cover the space, and how many functions of
        one number cover the profiles.
    width : float
        The larger one of the diameters of the space and of the profiles.
    n : int
        The size of the sample.

    Examples
    --------
    >>> theorem_20_rademacher(
    ...     [0.5, 0.25, 0.0], [1, 1, 1], [1, 1, 1], 1.0, 100
    ... )  # one function: too small
    0.0
    """
    radii = np.asarray(scales, dtype=np.float64)
    entropies = np.log(np.asarray(numbers, dtype=np.float64)) + np.log(
        np.asarray(profiles, dtype=np.float64)
    )
    inside = 2 * radii < width
    return dudley_rademacher(np.r_[width, 2 * radii[inside]], np.r_[0.0, entropies[inside]], n)
