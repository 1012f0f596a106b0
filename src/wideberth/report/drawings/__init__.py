"""How one object is shown: plain data that describe a text, a line, a table or a picture."""

from typing import Any

from wideberth.objects import sample
from wideberth.report.safe_text import safe_text


def drawing(item: Any, kind: str) -> dict[str, Any]:
    """How an object of a kind is shown.

    >>> drawing("tea", "strings")
    {'type': 'text', 'spans': [['same', 'tea']], 'alt': 'tea'}
    """
    shown = safe_text(item if isinstance(item, str) else sample.shown(item), 200)
    return {"type": "text", "spans": [["same", shown]], "alt": shown}


def difference(left: Any, right: Any, kind: str) -> dict[str, Any]:
    """How one object differs from another.

    >>> difference("tea", "tee", "strings")["alt"]
    'tee'
    """
    return drawing(right, kind)
