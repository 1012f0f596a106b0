"""Radial functions as users write them."""

from typing import Any, get_args

from wideberth.errors import InvalidInput
from wideberth.geometry.radial import Radial, RadialName
from wideberth.metrics.parameters import is_number

RadialLike = str | tuple[str, float]

#: Widths of a radial function that is only named, as shares of the median distance.
WIDTHS = (0.25, 0.5, 1.0)


def chosen_radials(written: Any, scale: float) -> tuple[Radial, ...]:
    """The radial functions that a name, a pair (name, width), or a list of them means; each once.

    >>> [each.width for each in chosen_radials(["distance", "laplace", ("gaussian", 7.0)], scale=4.0)]
    [None, 1.0, 2.0, 4.0, 7.0]
    """
    several = written if isinstance(written, list | tuple) and not _is_pair(written) else [written]
    found = dict.fromkeys(each for one in several for each in _meant(one, scale))
    if not found:
        raise InvalidInput(
            f"radial={written!r} leaves nothing to measure.", advice="Name one, such as 'distance'.", value=written
        )
    return tuple(found)


def _is_pair(written: Any) -> bool:
    """Whether it is one radial function with its width."""
    return isinstance(written, list | tuple) and len(written) == 2 and isinstance(written[0], str) and is_number(written[1])


def _meant(written: Any, scale: float) -> list[Radial]:
    if _is_pair(written):
        return [Radial(written[0], float(written[1]))]
    if isinstance(written, str) and written == "distance":
        return [Radial("distance")]
    if isinstance(written, str) and written in get_args(RadialName):
        return [Radial(written, share * scale) for share in WIDTHS]  # type: ignore[arg-type]
    raise InvalidInput(
        f"{written!r} is no radial function.",
        advice=f"Pass one of {', '.join(get_args(RadialName))}, a pair such as ('gaussian', 2.0), or a list of them.",
        value=written,
    )
