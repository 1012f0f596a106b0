"""`Card`: the facts about a result, and how they are written as text and as HTML.

The HTML needs no script and nothing from outside. Its colours are mixed from that of the text
around it, so that it is light on light pages and dark on dark ones, whoever made them so: the
notebook, the editor or the system. Every text in it is escaped.
"""

import html
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal, NamedTuple, Self, TypeVar

from wideberth.cards.glosses import glosses
from wideberth.cards.values import LONGEST
from wideberth.safe_text import safe_text

#: Rows of a table that are shown, and the columns of a terminal.
MOST_ROWS, WIDTH = 10, 100
#: The narrowest column whose texts are broken into lines.
_NARROWEST = 24

Tone = Literal["", "good", "open", "bad"]
T = TypeVar("T")


class Cell(NamedTuple):
    """A text in a table; how it is meant; and a bar from -1 to 1 beside it."""

    text: str
    tone: Tone = ""
    bar: float | None = None


class Table(NamedTuple):
    """The first rows of a table, the number of all, and what it is about."""

    head: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    n: int
    caption: str = ""

    @classmethod
    def of(
        cls,
        head: Sequence[str],
        records: Sequence[T],
        row: Callable[[T], Iterable[str | Cell]],
        *,
        caption: str = "",
        most: int = MOST_ROWS,
    ) -> Self:
        """The table of records, of which only those that are shown are looked at.

        >>> Table.of(["drink", "price"], [("tea", 2), ("rum", 7)], lambda each: map(str, each)).n
        2
        """
        rows = tuple(
            tuple(Cell(each) if isinstance(each, str) else each for each in row(record))
            for record in records[:most]
        )
        return cls(tuple(head), rows, len(records), caption)

    def hidden(self) -> str:
        """How many rows are not shown, in words; empty if all are."""
        rest = self.n - len(self.rows)
        return f"and {rest:,} more" if rest else ""


@dataclass(frozen=True)
class Card:
    """The facts about a result.

    Attributes
    ----------
    title : str
        What it is, or the sentence that matters most.
    facts : tuple of (str, str)
        Names and texts; an empty name continues the fact before.
    tables : tuple of Table
        Rows of more than two columns.
    notes : tuple of str
        Sentences that stand below.
    words : tuple of str
        The words of ours (``GLOSSES``) that a notebook explains.
    tone : {"", "good", "open", "bad"}
        Whether something is proved, open or broken.

    Examples
    --------
    >>> price = Table.of(["drink", "price"], [("tea", "2"), ("rum", "7")], tuple)
    >>> print(
    ...     as_text(Card("Drinks", (("served", "all day"),), (price,), ("Prices are in euros.",)))
    ... )
    Drinks
    served: all day
      drink  price
      tea        2
      rum        7
    Prices are in euros.
    """

    title: str
    facts: tuple[tuple[str, str], ...] = ()
    tables: tuple[Table, ...] = ()
    notes: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    tone: Tone = ""


# ---- Text


def as_text(card: Card) -> str:
    """The facts as lines of plain text."""
    facts = [
        f"{_line(name)}: {_line(text)}" if name else f"  {_line(text)}" for name, text in card.facts
    ]
    tables = [line for table in card.tables for line in _table_lines(table)]
    return "\n".join([_line(card.title), *facts, *tables, *map(_line, card.notes)])


def _line(text: str) -> str:
    """A text on one line, in which nothing is hidden."""
    return safe_text(text)


def _table_lines(table: Table) -> Iterator[str]:
    if table.caption:
        yield f"{_line(table.caption)}:"
    rows = [[safe_text(cell.text, LONGEST) for cell in row] for row in table.rows]
    columns = list(zip(table.head, *rows, strict=True))
    right = [_is_numeric(table, place) for place in range(len(table.head))]
    widths = _widths([max(map(len, column)) for column in columns])
    for cells in [*([list(table.head)] if any(table.head) else []), *rows]:
        broken = [
            textwrap.wrap(text, width) or [""] for text, width in zip(cells, widths, strict=True)
        ]
        for line in range(max(map(len, broken))):
            parts = [each[line] if line < len(each) else "" for each in broken]
            aligned = [
                part.rjust(width) if numeric else part.ljust(width)
                for part, width, numeric in zip(parts, widths, right, strict=True)
            ]
            yield f"  {'  '.join(aligned)}".rstrip()
    if table.hidden():
        yield f"  ... {table.hidden()}"


def _widths(natural: list[int]) -> list[int]:
    """The widths of columns, of which the widest ones give way to the width of a terminal."""
    widths = list(natural)
    while sum(widths) + 2 * len(widths) > WIDTH and max(widths, default=0) > _NARROWEST:
        widths[widths.index(max(widths))] -= 1
    return [max(1, width) for width in widths]


def _is_numeric(table: Table, place: int) -> bool:
    """Whether a column holds numbers, which stand at the right."""
    texts = [row[place].text for row in table.rows]
    return any(text.lstrip("+-")[:1].isdigit() for text in texts) and all(
        text.lstrip("+-")[:1].isdigit() or text in ("-", "", "inf") for text in texts
    )


# ---- HTML


def as_html(card: Card, beside: str = "") -> str:
    """The facts as a piece of a page; ``beside`` is HTML that stands at its right, or below where
    there is no space.
    """
    tone = f" wb-{card.tone}" if card.tone else ""
    inner = "".join(
        [
            f'<div class="wb-title">{_escaped(card.title)}</div>',
            _facts_html(card.facts, "wb-facts"),
            *map(_table_html, card.tables),
            *(f'<p class="wb-note">{_escaped(note)}</p>' for note in card.notes),
            _words_html(card.words),
        ]
    )
    shown = f'<div class="wb-card{tone}"><style>{_style()}</style>{inner}</div>'
    return f'<div class="wb-beside">{shown}<div>{beside}</div></div>' if beside else shown


@cache
def _style() -> str:
    path = files("wideberth.cards").joinpath("card.css")
    lines = path.read_text(encoding="utf-8").splitlines()
    return "".join(line.strip() for line in lines if not line.startswith("/*"))


def _escaped(text: str) -> str:
    return html.escape(safe_text(text))


def _facts_html(facts: Iterable[tuple[str, str]], kind: str) -> str:
    """Names and texts; texts with one name stand together."""
    grouped: list[tuple[str, list[str]]] = []
    for name, text in facts:
        if grouped and name in ("", grouped[-1][0]):
            grouped[-1][1].append(text)
        else:
            grouped.append((name, [text]))
    rows = [
        f"<dt>{_escaped(name)}</dt><dd>{''.join(f'<div>{_escaped(text)}</div>' for text in texts)}</dd>"
        for name, texts in grouped
    ]
    return f'<dl class="{kind}">{"".join(rows)}</dl>' if rows else ""


def _table_html(table: Table) -> str:
    kinds = [_column_kind(table, place) for place in range(len(table.head))]
    head = "".join(
        f'<th scope="col"{kind}>{_escaped(name)}</th>'
        for name, kind in zip(table.head, kinds, strict=True)
    )
    rows = "".join(
        f"<tr>{''.join(_cell_html(cell, kind) for cell, kind in zip(row, kinds, strict=True))}</tr>"
        for row in table.rows
    )
    caption = f'<p class="wb-caption">{_escaped(table.caption)}</p>' if table.caption else ""
    more = f'<p class="wb-note">... {table.hidden()}</p>' if table.hidden() else ""
    top = f"<thead><tr>{head}</tr></thead>" if any(table.head) else ""
    return f'{caption}<div class="wb-scroll" tabindex="0"><table>{top}<tbody>{rows}</tbody></table></div>{more}'


def _column_kind(table: Table, place: int) -> str:
    """The class of the cells of a column: numbers, or texts that need space."""
    if _is_numeric(table, place):
        return ' class="wb-number"'
    longest = max((len(row[place].text) for row in table.rows), default=0)
    return ' class="wb-long"' if longest > 1.5 * _NARROWEST else ""


def _cell_html(cell: Cell, kind: str) -> str:
    text = html.escape(safe_text(cell.text, LONGEST))
    if cell.tone:
        text = f'<span class="wb-{cell.tone}">{text}</span>'
    if cell.bar is not None:
        side = "for" if cell.bar >= 0 else "against"
        width = f"{min(1.0, abs(cell.bar)):.0%}"
        text += f'<span class="wb-bar"><span class="wb-{side}" style="width:{width}"></span></span>'
    return f"<td{kind}>{text}</td>"


def _words_html(words: Iterable[str]) -> str:
    """Our words and what they mean, folded."""
    explained = _facts_html(glosses(words), "wb-words")
    summary = "<summary>What the words mean</summary>"
    return f"<details>{summary}{explained}</details>" if explained else ""


# ---- What has a card


class Shown:
    """Base of results that notebooks show as their card, and IPython as its text."""

    def card(self) -> Card:
        """The facts that are shown; nothing is computed that was not known before."""
        raise NotImplementedError

    def _repr_html_(self) -> str:
        return as_html(self.card())

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(as_text(self.card()))


class ShownList(list[T], Shown):
    """A list of results that is shown as one table; its slices are too."""

    def card(self) -> Card:
        """The facts that are shown about all of them."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return as_text(self.card())

    def __getitem__(self, key: Any) -> Any:
        found = super().__getitem__(key)
        return type(self)(found) if isinstance(key, slice) else found
