"""The rows in which a peer is ahead, each under the paragraph that explains it."""

from fnmatch import fnmatch
from typing import Any

from benchmarks.front.paragraphs import PARAGRAPHS, Paragraph
from benchmarks.rows import Row, all_rows
from benchmarks.timing import table

Results = dict[str, Any]


def behind_rows(results: Results) -> list[Row]:
    """All rows in which a peer is ahead beyond noise."""
    return [row for _, row in all_rows(results) if row.is_behind]


def paragraph_of(row: Row) -> Paragraph | None:
    """The first paragraph that is about a row; None if nobody has explained it yet."""
    name = f"{row.key} | {row.peer}"
    return next(
        (each for each in PARAGRAPHS if any(fnmatch(name, pattern) for pattern in each.rows)), None
    )


def page_of_rows(results: Results) -> str:
    """Every paragraph that has rows, and the rows that have none."""
    rows = behind_rows(results)
    parts = ["# Where peers are ahead", WORDS.format(rows=len(rows))]
    for paragraph in PARAGRAPHS:
        own = [row for row in rows if paragraph_of(row) is paragraph]
        if own:
            parts += [f"## {paragraph.title}", paragraph.text, _table(own)]
    unexplained = [row for row in rows if paragraph_of(row) is None]
    if unexplained:
        parts += ["## Not explained yet", _table(unexplained)]
    return "\n\n".join(parts)


def listed(results: Results) -> str:
    """A line for each row, with the paragraph that explains it."""
    lines = []
    for row in behind_rows(results):
        paragraph = paragraph_of(row)
        lines.append(
            f"{row.key} | {row.peer} | {row.shown()} | "
            f"{'NOT EXPLAINED' if paragraph is None else paragraph.title}"
        )
    return "\n".join(lines)


def _table(rows: list[Row]) -> str:
    lines = []
    for row in rows:
        numbers = [
            f"{each:.1f}" if row.is_share else f"{each:.3g}" for each in (row.ours, row.theirs)
        ]
        gap = (
            f"{row.difference:+.1f} ± {row.noise:.1f}" if row.is_share else f"{row.ratio:.2f} times"
        )
        lines.append([row.key, row.peer, row.unit, *numbers, gap])
    return table(["row", "peer", "unit", "ours", "peer's", "difference"], lines)


WORDS = """\
Rows of the [front page](README.md) in which a peer is ahead by more than two standard errors, {rows} of them, from the stored
results (`python -m benchmarks --behind`). Each stands under what explains it and what was tried. A test asks for a paragraph for
every row."""
