"""What a distance is known to obey: the promises that a metric makes."""

from dataclasses import dataclass, fields


@dataclass(frozen=True, kw_only=True)
class Promises:
    """Properties that a distance d is known to have: True and False are proved or cited, None means unknown.

    Attributes
    ----------
    obeys_triangle : bool or None
        d(x, z) <= d(x, y) + d(y, z), together with symmetry and d(x, x) = 0.
    hilbertian : bool or None
        d embeds isometrically in a Hilbert space (-d^2 is conditionally positive definite; Schoenberg 1938).
    negative_type : bool or None
        sqrt(d) does (-d is conditionally positive definite).
    bounded : bool or None
        d stays below a constant, whatever the objects.
    separates : bool or None
        d(x, y) = 0 only for equal objects.
    step : float or None
        Every distance is a whole multiple of it (1 for edits).

    Examples
    --------
    >>> Promises(obeys_triangle=True).hilbertian is None
    True
    """

    obeys_triangle: bool | None = None
    hilbertian: bool | None = None
    negative_type: bool | None = None
    bounded: bool | None = None
    separates: bool | None = None
    step: float | None = None


def promise_names() -> list[str]:
    """Return the names of all promises, in the order in which tables show them.

    >>> promise_names()[:2]
    ['obeys_triangle', 'hilbertian']
    """
    return [field.name for field in fields(Promises)]
