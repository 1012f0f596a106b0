"""What a distance is known to obey: the promises that a metric makes, and the kinds of objects that
it may take.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal

from wideberth.errors import InvalidInput
from wideberth.metrics.parameters import positive
from wideberth.wording import setting

Kind = Literal[
    "vectors",
    "strings",
    "series",
    "sets",
    "distributions",
    "molecules",
    "trees",
    "graphs",
    "points",
    "rows",
    "indices",
    "objects",
]


@dataclass(frozen=True, kw_only=True)
class Promises:
    """Properties that a distance d is known to have: True and False are proved or cited, None means
    unknown.

    Attributes
    ----------
    obeys_triangle : bool or None
        d(x, z) <= d(x, y) + d(y, z), together with symmetry and d(x, x) = 0.
    hilbertian : bool or None
        d embeds isometrically in a Hilbert space (-d^2 is conditionally positive definite;
        Schoenberg 1938).
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


#: The unit of Levenshtein's distance: one character put in, taken out or replaced (one token, in
#: sequences of tokens).
EDIT = "edit"
#: What a metric is dominated by of which nobody has said anything.
BY_NONE: Mapping[str, float] = {}


def checked_domination(given: Any) -> Mapping[str, float]:
    """Return the constants of `wideberth.Metric.dominated` that a user declares, unchanged.

    Raises
    ------
    InvalidInput
        If they are not positive numbers by the names of metrics.

    Examples
    --------
    >>> checked_domination({"levenshtein": 2})
    {'levenshtein': 2}
    """
    if not isinstance(given, Mapping) or not all(isinstance(name, str) for name in given):
        raise InvalidInput(
            f"{setting('dominated', given)} does not give the constants of metrics by their names.",
            advice=f"{setting('dominated', {'levenshtein': 3})} says that no distance is more than "
            "three times Levenshtein's.",
            value=given,
        )
    advice = "It is a constant K such that no distance is more than K times that metric's."
    for name, constant in given.items():
        positive(constant, f"dominated[{name!r}]", advice, parameter="dominated")
    return given


def checked_unit(unit: Any, dominated: Mapping[str, float]) -> str | None:
    """Return the name that a user gives to a distance of 1, unless it is called an edit and one
    edit may exceed it.

    >>> checked_unit("mile", {}), checked_unit("edit", {"levenshtein": 1})
    ('mile', 'edit')
    """
    if unit is not None and not isinstance(unit, str):
        raise InvalidInput(
            f"{setting('unit', unit)} is not a name.",
            advice="Pass a word in the singular, such as 'mile'.",
            value=unit,
        )
    if unit == EDIT and not dominated.get("levenshtein", 2.0) <= 1.0:
        raise InvalidInput(
            f"{setting('unit', 'edit')} with {setting('dominated', dict(dominated))}: an edit is "
            "one character put in, taken out or replaced.",
            advice="If none of these moves an object by more than 1, declare "
            f"{setting('dominated', {'levenshtein': 1})}; otherwise choose another word for the "
            "unit.",
            value=dict(dominated),
        )
    return unit
