"""Gower's distance straight from its definition, one pair of rows at a time."""

from typing import Any


def gower(
    one: dict[str, Any],
    other: dict[str, Any],
    ranges: dict[str, Any],
    missing: str = "far",
    weights: dict[str, float] | None = None,
) -> float:
    parts, shares = [], []
    for column, width in ranges.items():
        x, y = one[column], other[column]
        if missing == "skip" and (x is None or y is None):
            continue
        shares.append((weights or {}).get(column, 1.0))
        if x is None or y is None:
            parts.append(0.0 if x is None and y is None else 1.0)
        elif isinstance(width, tuple):
            parts.append(abs(width.index(x) - width.index(y)) / max(len(width) - 1, 1))
        elif width is None or width == 0:
            parts.append(float(x != y))
        else:
            parts.append(min(abs(x - y) / width, 1.0))
    return sum(share * part for share, part in zip(shares, parts, strict=True)) / sum(shares)


def ranges(rows: list[dict[str, Any]]) -> dict[str, float | None]:
    """Names of columns as `strategies.table_rows` gives them say what they hold."""
    found: dict[str, float | None] = {}
    for column in rows[0]:
        values = [row[column] for row in rows if row[column] is not None]
        found[column] = (
            float(max(values) - min(values)) if column.startswith("number") and values else None
        )
    return found
