"""How a file of training objects was read, so that new objects are read the same way."""

from dataclasses import dataclass
from typing import Any

from wideberth.objects.readers import Kind
from wideberth.objects.readers.records import KINDS


@dataclass(frozen=True)
class Origin:
    """The kind of objects and, for tables and JSON lines, the columns they came from."""

    kind: Kind
    column: str | tuple[str, ...] | None = None


def origin_from_plain(plain: Any) -> Origin | None:
    """The origin again, None if the model came from no file; a `ValueError` if it is neither.

    >>> origin_from_plain({"kind": "strings", "column": "name"})
    Origin(kind='strings', column='name')
    """
    match plain:
        case None:
            return None
        case {"kind": kind, "column": None | str() | tuple() as column} if kind in KINDS and _is_text(column):
            return Origin(kind, column)
    raise ValueError(f"{plain!r} does not say how objects were read")


def _is_text(column: str | tuple[Any, ...] | None) -> bool:
    return not isinstance(column, tuple) or all(isinstance(each, str) for each in column)
