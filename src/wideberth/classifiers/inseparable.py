"""Why there is no hard margin, in words."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideberth.errors import InvalidInput

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

#: A share of a mixture below this is rounding.
_NOTHING = 1e-9
#: Objects of each mixture that are named.
_SHOWN = 4


def no_hard_margin(
    multipliers: Floats, positive: NDArray[np.bool_], labels: NDArray[Any], positions: Indices, *, plain: bool
) -> InvalidInput:
    r"""The error for objects that no function of the columns separates, from the witness of Farkas.

    The multipliers are not negative, add up to one half on either side, and :math:`\sum_j a_j y_j c_k(x_j) = 0` for all columns:
    2a are the shares of two mixtures, one of each side, with the same mean of every column. ``plain`` says that the columns are
    distances.
    """
    mixed = [np.flatnonzero((multipliers > _NOTHING) & side) for side in (positive, ~positive)]
    named = [_heaviest_first(side, multipliers) for side in mixed]
    first, second = (_in_words(each, len(side), multipliers, labels, positions) for each, side in zip(named, mixed, strict=True))
    mean = "mean distance" if plain else "mean of every radial function of the distance"
    chosen = np.concatenate(named)
    return InvalidInput(
        f"There is no hard margin: to every reference, the {mean} of {first} equals that of {second}.",
        advice="Take a finite C, another radial function, or more references; equal objects need equal labels.",
        witness=tuple(int(each) for each in positions[chosen]),
        value=2.0 * multipliers[chosen],
    )


def _heaviest_first(side: Indices, multipliers: Floats) -> Indices:
    return side[np.argsort(-multipliers[side], kind="stable")][:_SHOWN]


def _in_words(named: Indices, count: int, multipliers: Floats, labels: NDArray[Any], positions: Indices) -> str:
    if count == 1:
        return f"object {positions[named[0]]} ({labels[named[0]].item()!r})"
    shown = [f"{positions[each]} ({labels[each].item()!r}, {200.0 * multipliers[each]:.3g} %)" for each in named]
    more = f" and {count - len(named)} more" if count > len(named) else ""
    return f"the objects {', '.join(shown)}{more}"
