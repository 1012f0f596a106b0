"""Radial functions as users write them."""

from typing import Any, get_args

from wideberth.errors import InvalidInput
from wideberth.geometry.radial import Radial, RadialName
from wideberth.metrics.parameters import is_number

RadialLike = str | tuple[str, float | str]

#: Widths of a radial function that is only named, as shares of the median distance.
WIDTHS = (0.25, 0.5, 1.0)


def chosen_radials(written: Any, scale: float) -> tuple[Radial, ...]:
    """The radial functions that a name, a pair (name, width), or a list of them means; each once.

    A width is a number in the unit of the metric, or a text: a share of the ``scale``, which is the median distance.

    >>> [each.width for each in chosen_radials(["distance", "laplace", ("gaussian", 7.0), ("gaussian", "75%")], scale=4.0)]
    [None, 1.0, 2.0, 4.0, 7.0, 3.0]
    """
    several = written if isinstance(written, list | tuple) and not is_pair(written) else [written]
    found = dict.fromkeys(each for one in several for each in _meant(one, scale))
    if not found:
        raise InvalidInput(
            f"radial={written!r} leaves nothing to measure.", advice="Name one, such as 'distance'.", value=written
        )
    return tuple(found)


def is_pair(written: Any) -> bool:
    """Whether it is one radial function with its width."""
    if not isinstance(written, list | tuple) or len(written) != 2 or not isinstance(written[0], str):
        return False
    return is_number(written[1]) or share(written[1]) is not None


def share(width: Any) -> float | None:
    """The number that a text such as "75%" means, None if it means none.

    >>> share("75%"), share("wide")
    (0.75, None)
    """
    try:
        return float(width[:-1]) / 100.0 if isinstance(width, str) and width.endswith("%") else None
    except ValueError:
        return None


def _meant(written: Any, scale: float) -> list[Radial]:
    if is_pair(written):
        part = share(written[1])
        return [Radial(written[0], float(written[1]) if part is None else part * scale)]
    if isinstance(written, str) and written == "distance":
        return [Radial("distance")]
    if isinstance(written, str) and written in get_args(RadialName):
        return [Radial(written, part * scale) for part in WIDTHS]  # type: ignore[arg-type]
    raise InvalidInput(
        f"{written!r} is no radial function.",
        advice=f"Pass one of {', '.join(get_args(RadialName))}, a pair such as ('gaussian', '50%'), or a list of them.",
        value=written,
    )
