"""Dates as numbers of days."""

from datetime import date, datetime, timedelta

#: The day from which days are counted.
EPOCH = date(1970, 1, 1)


def days_of(moment: date) -> float:
    """The days since 1970-01-01 of a date or a point in time, in UTC where it has a time zone.

    Examples
    --------
    >>> days_of(date(1970, 1, 3)), days_of(datetime(1970, 1, 1, 12))
    (2.0, 0.5)
    """
    if not isinstance(moment, datetime):
        return float((moment - EPOCH).days)
    offset = moment.utcoffset() or timedelta()
    return (moment.replace(tzinfo=None) - datetime(1970, 1, 1) - offset) / timedelta(days=1)
