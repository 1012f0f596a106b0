"""Amounts of memory written for people, such as "2GB": to bytes and back."""

import re
from numbers import Integral

from wideberth.errors import InvalidInput

_UNITS = {"": 1, "B": 1} | {
    f"{letter}{suffix}": base**power
    for power, letter in enumerate("KMGT", start=1)
    for suffix, base in (("", 1000), ("B", 1000), ("IB", 1024))
}
_MOST = 2**62
_SIZE = re.compile(r"\s*([0-9]+(?:\.[0-9]*)?|\.[0-9]+)\s*([a-z]*)\s*", re.IGNORECASE)


def parse_memory(max_memory: str | int) -> int:
    """Convert an amount of memory, as users write it, to a number of bytes.

    Parameters
    ----------
    max_memory : str or int
        A whole number of bytes, or a number with a unit: "kB", "MB", "GB", "TB" are powers of 1000, "KiB", "MiB", "GiB", "TiB"
        powers of 1024. Letters may be small or large, and the "B" may be left out.

    Returns
    -------
    int
        The number of bytes, above 0; never more than a machine can address.

    Raises
    ------
    InvalidInput
        If it is not an amount of memory, or below one byte.

    Examples
    --------
    >>> parse_memory("2GB"), parse_memory("1.5 GiB"), parse_memory(4096)
    (2000000000, 1610612736, 4096)
    """
    if isinstance(max_memory, Integral) and not isinstance(max_memory, bool):
        size = int(max_memory)
    else:
        match = _SIZE.fullmatch(max_memory) if isinstance(max_memory, str) else None
        if match is None or match[2].upper() not in _UNITS:
            raise InvalidInput(
                f"The memory {max_memory!r} is not a size.",
                advice='Write it like "2GB", "500 MB" or "1.5 GiB", or give a whole number of bytes.',
                value=max_memory,
            )
        size = int(min(float(match[1]) * _UNITS[match[2].upper()], _MOST))
    if size <= 0:
        raise InvalidInput(
            f"The memory {max_memory!r} is not above 0 bytes.", advice='"2GB" is a usual choice.', value=max_memory
        )
    return min(size, _MOST)


def show_memory(size: float) -> str:
    """Write a number of bytes with three digits and the unit that fits, in powers of 1000.

    Examples
    --------
    >>> show_memory(1_500_000_000), show_memory(12)
    ('1.5 GB', '12 bytes')
    """
    for power, unit in ((4, "TB"), (3, "GB"), (2, "MB"), (1, "kB")):
        if size >= 0.9995 * 1000**power:  # rounded to three digits, it is at least 1 of this unit
            return f"{size / 1000**power:.3g} {unit}"
    return f"{size:.0f} bytes"
