"""How a file of training objects was read, so that new objects are read the same way."""

from dataclasses import dataclass
from typing import Any

from wideberth.objects.readers import Kind
from wideberth.objects.readers.records import KINDS


@dataclass(frozen=True)
class Origin:
    """The kind of objects, where they stand under a name the columns they came from, and of rows those that hold numbers."""

    kind: Kind
    column: str | tuple[str, ...] | None = None
    numbers: tuple[str, ...] | None = None


def origin_from_plain(plain: Any) -> Origin | None:
    """The origin again, None if the model came from no file; a `ValueError` if it is neither.

    >>> origin_from_plain({"kind": "strings", "column": "name"})
    Origin(kind='strings', column='name', numbers=None)
    """
    match plain:
        case None:
            return None
        case {"kind": kind, "column": None | str() | tuple() as column} if kind in KINDS and _is_text(column):
            numbers = plain.get("numbers")
            if (numbers is None or (isinstance(numbers, tuple) and kind == "rows")) and _is_text(numbers):
                return Origin(kind, column, numbers)
    raise ValueError(f"{plain!r} does not say how objects were read")


def _is_text(names: str | tuple[Any, ...] | None) -> bool:
    return not isinstance(names, tuple) or all(isinstance(each, str) for each in names)
