"""Radial functions of a distance: their values, their Lipschitz constants, and how users write
them.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, Self, get_args

import numpy as np

from wideberth.array_types import Floats
from wideberth.errors import InvalidInput
from wideberth.metrics.parameters import is_number
from wideberth.wording import setting

RadialName = Literal["distance", "gaussian", "laplace", "bounded"]
RadialLike = str | tuple[str, float | str]

#: Widths of a radial function that is only named, as shares of the median distance.
WIDTHS = (0.25, 0.5, 1.0)


@dataclass(frozen=True)
class Radial:
    r"""A function g of the distance t to a reference, with its smallest Lipschitz constant.

    ============ ======================= =========================
    name         g(t)                    Lipschitz constant
    ============ ======================= =========================
    "distance"   t                       1
    "gaussian"   exp(-t^2 / s^2)         sqrt(2 / e) / s
    "laplace"    exp(-t / s)             1 / s
    "bounded"    t / (s + t)             1 / s
    ============ ======================= =========================

    By the triangle inequality x -> g(d(x, z)) has at most the Lipschitz constant of g, whatever z
    (von Luxburg & Bousquet 2004, section 5.3). The gaussian is steepest at :math:`t = s / \sqrt 2`,
    the other two at 0.

    Attributes
    ----------
    name : {"distance", "gaussian", "laplace", "bounded"}
        Which function.
    width : float or None
        s, in the unit of the metric; None leaves it open (see `resolved`), and "distance" has none.

    Examples
    --------
    >>> bell = Radial("gaussian", 2.0)
    >>> bell.values(np.array([0.0, 2.0])).round(3)
    array([1.   , 0.368])
    >>> round(bell.lipschitz, 3)
    0.429
    """

    name: RadialName
    width: float | None = None

    def __post_init__(self) -> None:
        if self.name not in get_args(RadialName):
            raise InvalidInput(
                f"There is no radial function {self.name!r}.",
                advice=f"Known: {', '.join(get_args(RadialName))}.",
                value=self.name,
            )
        if self.width is None:
            return
        if self.name == "distance":
            raise InvalidInput(
                "The radial function 'distance' has no width.",
                advice="Leave the width out.",
                value=self.width,
            )
        if not (is_number(self.width) and 0 < self.width < math.inf):
            raise InvalidInput(
                f"The width {self.width!r} of {self.name!r} does not fit.",
                advice="It is a positive number in the unit of the metric; None takes the median "
                "distance.",
                value=self.width,
            )

    def resolved(self, width: float) -> Self:
        """The function with this width if its own was left open.

        Examples
        --------
        >>> (
        ...     Radial("laplace").resolved(3.0),
        ...     Radial("laplace", 1.0).resolved(3.0),
        ...     Radial("distance").resolved(3.0),
        ... )
        (Radial(name='laplace', width=3.0), Radial(name='laplace', width=1.0), Radial(name='distance', width=None))
        """
        return (
            self
            if self.name == "distance" or self.width is not None
            else replace(self, width=width)
        )

    @property
    def lipschitz(self) -> float:
        """The smallest Lipschitz constant of g."""
        return 1.0 / self._reach

    @property
    def is_decreasing(self) -> bool:
        """Whether g falls with the distance; otherwise it rises. None of them is negative.

        >>> Radial("laplace", 1.0).is_decreasing, Radial("distance").is_decreasing
        (True, False)
        """
        return self.name in ("gaussian", "laplace")

    def values(self, distances: Floats, out: Floats | None = None) -> Floats:
        """g(t) for every distance t.

        Parameters
        ----------
        distances : ndarray
            Distances t, of any shape.
        out : ndarray, optional
            Where to write the values, which may be ``distances``; a new array by default.

        Returns
        -------
        ndarray
            The values, of the shape of ``distances``.
        """
        out = np.empty_like(distances) if out is None else out
        _FILL[self.name](distances, self._width, out)
        return out

    def scaled(self, distances: Floats, out: Floats | None = None) -> Floats:
        """g(t) divided by the Lipschitz constant of g, so that the result has the Lipschitz
        constant 1.

        Parameters
        ----------
        distances, out
            As for `values`.

        Returns
        -------
        ndarray
            The scaled values.

        Examples
        --------
        >>> Radial("bounded", 4.0).scaled(np.array([0.0, 4.0, 12.0]))
        array([0., 2., 3.])
        """
        out = self.values(distances, out)
        if self.name != "distance":
            out *= self._reach
        return out

    def sensitivity(self, distances: Floats) -> Floats:
        """An upper bound of t |g'(t)| divided by the Lipschitz constant: what a relative error of t
        does to `scaled`.

        For the bounded functions it is at most their reach, one over the Lipschitz constant: the
        largest values of
        :math:`2 x^2 e^{-x^2}`, :math:`x e^{-x}` and :math:`x / (1 + x)^2` are below 1.

        Parameters
        ----------
        distances : ndarray
            Distances t, of any shape.

        Returns
        -------
        ndarray
            The bound, of the shape of ``distances``.

        Examples
        --------
        >>> (
        ...     Radial("bounded", 4.0).sensitivity(np.array([1.0, 100.0])),
        ...     Radial("distance").sensitivity(np.array([100.0])),
        ... )
        (array([1., 4.]), array([100.]))
        """
        return distances if self.name == "distance" else np.minimum(distances, self._reach)

    @property
    def _width(self) -> float:
        if self.width is None and self.name != "distance":
            raise InvalidInput(
                f"The width of {self.name!r} was left open.",
                advice="Take resolved(width).",
                value=self,
            )
        return 1.0 if self.width is None else self.width

    @property
    def _reach(self) -> float:
        """One over the Lipschitz constant."""
        return self._width * (math.sqrt(math.e / 2.0) if self.name == "gaussian" else 1.0)


def _distance(distances: Floats, width: float, out: Floats) -> None:
    if out is not distances:
        out[...] = distances


def _gaussian(distances: Floats, width: float, out: Floats) -> None:
    np.divide(
        distances, width, out=out
    )  # divided before it is squared, so that a large distance over a large width does not overflow
    np.multiply(out, out, out=out)
    np.negative(out, out=out)
    np.exp(out, out=out)


def _laplace(distances: Floats, width: float, out: Floats) -> None:
    np.divide(distances, -width, out=out)
    np.exp(out, out=out)


def _bounded(distances: Floats, width: float, out: Floats) -> None:
    np.divide(distances, distances + width, out=out)


_FILL: dict[str, Callable[[Floats, float, Floats], None]] = {
    "distance": _distance,
    "gaussian": _gaussian,
    "laplace": _laplace,
    "bounded": _bounded,
}


def chosen_radials(written: Any, scale: float) -> tuple[Radial, ...]:
    """The radial functions that a user means by a name, a pair (name, width), or a list of them;
    each once.

    Parameters
    ----------
    written : str, tuple or list
        What the user wrote. A width is a number in the unit of the metric, or a text such as "50%":
        a share of ``scale``. A name without a width stands for widths of 25, 50 and 100 % of it.
    scale : float
        The median distance.

    Returns
    -------
    tuple of Radial
        At least one.

    Examples
    --------
    >>> [
    ...     radial.width
    ...     for radial in chosen_radials(
    ...         ["distance", "laplace", ("gaussian", 7.0), ("gaussian", "75%")], scale=4.0
    ...     )
    ... ]
    [None, 1.0, 2.0, 4.0, 7.0, 3.0]
    """
    several = written if isinstance(written, list | tuple) and not is_pair(written) else [written]
    found = dict.fromkeys(radial for one in several for radial in _parsed(one, scale))
    if not found:
        raise InvalidInput(
            f"{setting('radial', written)} names no radial function.",
            advice="Name one, such as 'distance'.",
            value=written,
        )
    return tuple(found)


def is_pair(written: Any) -> bool:
    """Whether it is a single radial function with its width, rather than a list of two functions.

    Examples
    --------
    >>> is_pair(("gaussian", "50%")), is_pair(("gaussian", "laplace"))
    (True, False)
    """
    if (
        not isinstance(written, list | tuple)
        or len(written) != 2
        or not isinstance(written[0], str)
    ):
        return False
    return is_number(written[1]) or share(written[1]) is not None


def share(width: Any) -> float | None:
    """The number that a text such as "75%" means; None if it is not such a text.

    Examples
    --------
    >>> share("75%"), share("wide")
    (0.75, None)
    """
    try:
        return float(width[:-1]) / 100.0 if isinstance(width, str) and width.endswith("%") else None
    except ValueError:
        return None


def _parsed(written: Any, scale: float) -> list[Radial]:
    """The radial functions that one name or one pair means."""
    if is_pair(written):
        part = share(written[1])
        return [Radial(written[0], float(written[1]) if part is None else part * scale)]
    if isinstance(written, str) and written == "distance":
        return [Radial("distance")]
    if isinstance(written, str) and written in get_args(RadialName):
        return [Radial(written, part * scale) for part in WIDTHS]  # type: ignore[arg-type]
    raise InvalidInput(
        f"{written!r} is not a radial function.",
        advice=f"Pass one of {', '.join(get_args(RadialName))}, a pair such as ('gaussian', "
        "'50%'), or a list of them.",
        value=written,
    )
