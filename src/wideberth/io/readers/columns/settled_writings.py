"""Settle how numbers are written where a column alone leaves it open: the other columns of the file, or the caller, tell."""

from collections.abc import Mapping
from dataclasses import dataclass

from wideberth.errors import UnknownName
from wideberth.io.readers.columns.column_facts import ColumnFacts
from wideberth.io.readers.columns.written_numbers import FORMATS, PLAIN, Writing, is_grouped
from wideberth.io.readers.faults import fault, listed
from wideberth.objects.sample import shown
from wideberth.wording import setting

_WITH_COMMA = ("1,5", "1.234,5")
_WITH_POINT = ("1,234.5", "1'234.5")
_SLASHED = ("31/12/2024", "12/31/2024")


@dataclass(frozen=True)
class SettledWritings:
    """How the numbers of each column are written.

    Attributes
    ----------
    by_name : dict
        A `Writing` for each column; one with several formats is refused when it is used.
    facts : dict
        The facts about each column, for messages.
    """

    by_name: dict[str, Writing]
    facts: Mapping[str, ColumnFacts]

    def is_special(self, name: str, plain: str = PLAIN) -> bool:
        """Whether the cells of a column need another reader than plain numbers do."""
        writing = self.by_name[name]
        return bool(writing.formats) and (writing.percent or writing.formats[0].example != plain or len(writing.formats) > 1)

    def of(self, name: str, path: str) -> Writing:
        """How a column that is used as numbers is written; an error if that is open."""
        writing = self.by_name[name]
        if len(writing.formats) < 2:
            return writing
        texts = [cell for cell in self.facts[name].filled if isinstance(cell, str)]
        cell = next((text for text in texts if writing.is_open(text)), texts[0])
        one, other = (found.example for found in writing.formats)
        raise fault(
            path,
            f"it is open what {shown(cell)} in column {name!r} means: written as {one} or as {other}.",
            value=cell,
            advice=f"Say which: {setting('numbers', {name: one})} or {setting('numbers', {name: other})}, "
            f"or name the columns to read with {setting('column', shown='...')}",
        )


def settle_writings(facts: Mapping[str, ColumnFacts], named: Mapping[str, str], path: str) -> SettledWritings:
    """Settle how the numbers of each column are written.

    A comma before three digits is a decimal comma if other columns have decimal commas, and separates thousands if others have
    decimal points; so do dates with slashes follow other such dates. Where nothing tells, it stays open, and a column that is
    used is refused.

    Parameters
    ----------
    facts : mapping
        The facts about each column.
    named : mapping
        The formats that the caller named, by column.
    path : str
        The file, for messages.

    Returns
    -------
    SettledWritings

    Raises
    ------
    UnknownName
        If a format is named that does not exist.

    Examples
    --------
    >>> from wideberth.io.readers.formats.delimited import csv_table
    >>> from wideberth.io.readers.columns.column_facts import column_facts
    >>> table = csv_table(["a;b\\n", "1,234;0,5\\n"], "t.csv")
    >>> rows = list(table.rows)
    >>> settled = settle_writings({name: column_facts(rows, name, table.cells) for name in "ab"}, {}, "t.csv")
    >>> settled.of("a", "t.csv").parse("1,234")
    1.234
    """
    writings = {name: fact.writing for name, fact in facts.items()}
    for name, example in named.items():
        if example not in FORMATS:
            raise UnknownName(
                f"{setting('numbers', shown=f'{{{name!r}: {shown(example)}}}')} names no way to write numbers.",
                advice=f"Choose one of {listed(list(FORMATS))}.",
                value=example,
                known=list(FORMATS),
            )
        if name in writings:
            writings[name] = Writing((FORMATS[example],), writings[name].percent)
    known = {found.formats[0].example for name, found in writings.items() if _is_evidence(facts[name], found)}
    return SettledWritings({name: _settled(facts[name], found, known) for name, found in writings.items()}, facts)


def _is_evidence(facts: ColumnFacts, writing: Writing) -> bool:
    """Whether a column shows how decimals, or dates, are written."""
    if facts.type != "number" or len(writing.formats) != 1:
        return False
    if writing.formats[0].example != PLAIN:
        return True
    return any("." in cell for cell in facts.filled if isinstance(cell, str))


def _settled(facts: ColumnFacts, writing: Writing, known: set[str]) -> Writing:
    """The writing of one column, in view of the formats that other columns certainly have."""
    comma, point = bool(known & {*_WITH_COMMA}), bool(known & {*_WITH_POINT, PLAIN})
    examples = tuple(found.example for found in writing.formats)
    if examples == ("1,5", "1,234.5") and comma != point:
        return Writing(writing.formats[:1] if comma else writing.formats[1:], writing.percent)
    if examples == _SLASHED and len(known & {*_SLASHED}) == 1:
        return Writing((FORMATS[(known & {*_SLASHED}).pop()],))
    if examples == (PLAIN,) and comma and facts.type == "number":
        texts = [cell for cell in facts.filled if isinstance(cell, str)]
        if is_grouped(texts):
            return Writing((FORMATS[PLAIN], FORMATS["1.234,5"]), writing.percent)
    return writing
