"""Texts with marked parts: what every face of the library (Python, command line, HTTP, cluster)
says in words of its own.

A message that names a parameter, a piece of Python or the place of an object marks it, in an
ordinary f-string:

>>> text = Text(
...     f"{at('Object', 3)} is no row. Leave {setting('target')} out, or pass {setting('kind', 'rows')}."
... )
>>> print(text)
Object 3 is no row. Leave target= out, or pass kind='rows'.

A `Text` is that message in the words of Python, and keeps the marks, so that a `Face` can say the
same in other words:

>>> class Shouting(Face):
...     def setting(self, name, shown):
...         return f"{name.upper()} {shown}".strip()
>>> print(text.told(Shouting()))
Object 3 is no row. Leave TARGET out, or pass KIND 'rows'.

Marks are three code points that Unicode sets apart for use inside a program. Where a text that a
user has written holds them, they are shown as escapes; such a text can at most imitate a part,
which is no more than it could write in plain letters.
"""

import re
from collections.abc import Iterator
from numbers import Integral
from typing import Any, NamedTuple, Self

_OPEN, _NEXT, _CLOSE = _MARKS = "\ufdd0", "\ufdd1", "\ufdd2"
_INNER = f"[^{''.join(_MARKS)}]*"
_PART = re.compile(f"{_OPEN}(setting|python|at){_NEXT}({_INNER}){_NEXT}({_INNER}){_CLOSE}")
_ESCAPES = {ord(mark): f"\\u{ord(mark):04x}" for mark in _MARKS}
_NO_VALUE = object()


def setting(name: str, value: object = _NO_VALUE, *, shown: object = "") -> str:
    """Mark a parameter in a message, with a value or without; ``shown`` is shown by its ``str``
    instead, such as ``"..."`` where the user has to fill it in.

    Examples
    --------
    >>> print(
    ...     Text(
    ...         f"Leave {setting('target')} out, or name {setting('column', ['a', 'b'])}, {setting('kind', shown='...')}"
    ...     )
    ... )
    Leave target= out, or name column=['a', 'b'], kind=...
    """
    return _marked("setting", name, str(shown) if value is _NO_VALUE else repr(value))


def python(code: str) -> str:
    """Mark what is said to those who write Python: a call, an expression, a promise that they
    declare.

    >>> print(Text(f"{python('wideberth.list_metrics()')} lists the names."))
    wideberth.list_metrics() lists the names.
    """
    return _marked("python", code, "")


def at(what: str, where: object) -> str:
    """Mark a place: which object, row, line, column or partition a message is about; with a capital
    where a sentence begins.

    >>> print(
    ...     Text(f"{at('Partition', 3)}, {at('row', 5)} of it: no number in {at('column', 'age')}.")
    ... )
    Partition 3, row 5 of it: no number in column 'age'.
    """
    return _marked("at", what, str(where) if isinstance(where, Integral) else repr(where))


class MarkedPart(NamedTuple):
    """A marked part of a text: ``kind`` is "setting", "python" or "at"."""

    kind: str
    name: str
    shown: str


class Face:
    """How parts of a text are said: here, in the words of Python; other faces change what they say
    otherwise.

    Examples
    --------
    >>> class FromOne(Face):
    ...     def at(self, what, where):
    ...         return f"{what} {int(where) + 1}"
    >>> print(Text(f"{at('Object', 0)} has no label.").told(FromOne()))
    Object 1 has no label.
    """

    def setting(self, name: str, shown: str) -> str:
        """Say a parameter; what is shown of its value is empty if the text gives none."""
        return f"{name}={shown}"

    def python(self, code: str) -> str:
        """Say a piece of Python."""
        return code

    def at(self, what: str, where: str) -> str:
        """Say a place."""
        return f"{what} {where}"

    def say(self, part: MarkedPart) -> str:
        """Say a part."""
        match part:
            case MarkedPart("setting", name, shown):
                return self.setting(name, shown)
            case MarkedPart("at", what, where):
                return self.at(what, where)
        return self.python(part.name)


class Marking(Face):
    """Says every part with its mark again: for a face that says some parts and leaves the others to
    another face.

    >>> Text(f"Pass {setting('kind', 'rows')}.").told(
    ...     Marking()
    ... ) == f"Pass {setting('kind', 'rows')}."
    True
    """

    def say(self, part: MarkedPart) -> str:
        """Mark a part again."""
        return _marked(*part)


class Text(str):
    """A text in the words of Python, which keeps its marked parts for other faces; it can be
    pickled and copied.

    Examples
    --------
    >>> text = Text(f"Pass {setting('kind', 'rows')}.")
    >>> text, list(text.parts())
    ("Pass kind='rows'.", [MarkedPart(kind='setting', name='kind', shown="'rows'")])
    """

    marked: str

    def __new__(cls, written: str) -> Self:
        """Say it in Python."""
        marked = written.marked if isinstance(written, Text) else written
        text = super().__new__(cls, _told(marked, Face()))
        text.marked = marked
        return text

    def told(self, face: Face) -> str:
        """The text in the words of a face."""
        return _told(self.marked, face)

    def parts(self) -> Iterator[MarkedPart]:
        """The marked parts, in their order."""
        return (MarkedPart(*found.groups()) for found in _PART.finditer(self.marked))

    def shortened(self, longest: int) -> "Text":
        """The text without its middle if it has more characters; no part is cut in two.

        >>> print(Text(f"{'a' * 9} {setting('kind', 'rows')} {'b' * 9}").shortened(12))
        aaaaaa ... bbbbbb
        """
        if len(self) <= longest:
            return self
        head, tail = self.marked[: longest // 2], self.marked[-longest // 2 :]
        if head.rfind(_OPEN) > head.rfind(_CLOSE):
            head = head[: head.rfind(_OPEN)]
        if _CLOSE in tail and not -1 < tail.find(_OPEN) < tail.find(_CLOSE):
            tail = tail[tail.find(_CLOSE) + 1 :]
        return Text(f"{head} ... {tail}")


def told(text: Any, face: Face) -> str:
    """A text in the words of a face; one without marked parts, or another object, as it is."""
    return text.told(face) if isinstance(text, Text) else str(text)


def _marked(kind: str, name: str, shown: str) -> str:
    return (
        f"{_OPEN}{kind}{_NEXT}{name.translate(_ESCAPES)}{_NEXT}{shown.translate(_ESCAPES)}{_CLOSE}"
    )


def _told(marked: str, face: Face) -> str:
    """A marked text in the words of a face; marks that enclose no part are those of somebody else's
    text.
    """
    said, end = [], 0
    for found in _PART.finditer(marked):
        said += [
            marked[end : found.start()].translate(_ESCAPES),
            face.say(MarkedPart(*found.groups())),
        ]
        end = found.end()
    return "".join([*said, marked[end:].translate(_ESCAPES)])
