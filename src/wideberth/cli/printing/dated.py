"""Rows with dates, which are numbers of days for a metric, as people write them."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import numpy as np

from wideberth.io.model_file.saved_classifier import in_words
from wideberth.io.readers import Records
from wideberth.objects import sample
from wideberth.objects.values import EPOCH


def dated_names(records: Records) -> list[str] | None:
    """What to call objects with dates: the objects themselves, their dates as dates.

    Parameters
    ----------
    records : Records
        What was read.

    Returns
    -------
    list of str or None
        None if the objects have no dates among their columns.

    Examples
    --------
    >>> from wideberth.io.readers.reading import read_content
    >>> table = b"age,day,label\\n30,2024-05-18,no\\n38,2024-09-13,yes\\n"
    >>> dated_names(read_content(table, "csv", "table"))
    ['[30, 2024-05-18]', '[38, 2024-09-13]']
    """
    dates = {column.name for column in records.understood if column.use == "date"}
    columns = records.column if isinstance(records.column, tuple) else ()
    if not dates.intersection(columns) or records.kind not in ("rows", "vectors"):
        return None
    held = sample.hold(records.objects)
    return [
        _in_words(sample.pick_one(held, place), columns, dates) for place in range(len(records))
    ]


def _in_words(item: Any, columns: Sequence[str], dates: set[str]) -> str:
    if isinstance(item, dict):
        return in_words(
            {
                name: date_of(value) if name in dates and value is not None else value
                for name, value in item.items()
            }
        )
    cells = [
        date_of(value) if name in dates else f"{value:.4g}"
        for name, value in zip(columns, item, strict=True)
    ]
    return in_words(f"[{', '.join(cells)}]")


def date_of(days: float) -> str:
    """Write days since 1970-01-01 as a date, with the time if they are not whole.

    Examples
    --------
    >>> date_of(19739.0), date_of(0.5)
    ('2024-01-17', '1970-01-01 12:00:00')
    """
    if not np.isfinite(days):
        return str(days)
    moment = datetime(EPOCH.year, EPOCH.month, EPOCH.day) + timedelta(days=float(days))
    return (
        moment.date().isoformat()
        if float(days).is_integer()
        else moment.isoformat(sep=" ", timespec="seconds")
    )
