"""What explains the rows in which a peer is ahead, and what was tried; written by hand, keyed by patterns of rows."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Paragraph:
    """An explanation, and the rows that it is about: patterns of "key | peer"."""

    title: str
    rows: tuple[str, ...]
    text: str


PARAGRAPHS: list[Paragraph] = []
