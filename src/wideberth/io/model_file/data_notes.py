"""What ``wideberth fit`` notes about its data in a model file, for the commands that use the file later.

Models saved from Python have no notes, and any of them but the names of the files may be None.
"""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

from wideberth.metrics.parameters import is_whole

#: The most different characters that are noted: more are no alphabet, and unseen ones are nothing unusual.
MOST_CHARACTERS = 500
#: The most characters that are noted of the name of an object.
LONGEST_NAME = 200


@dataclass(frozen=True)
class DataNotes:
    """Where training objects came from, and what is usual among them.

    Attributes
    ----------
    files : tuple of str
        The names of the files, without their directories.
    fitted : str or None
        The time of the fit, in UTC: ``2026-11-17T06:05:00Z``.
    target : str or None
        The column of the labels.
    characters : str or None
        Of strings: all characters that occur in them, sorted; None if there are more than `MOST_CHARACTERS`.
    spread : float or None
        The median distance between two training objects.
    names : tuple of str or None
        What to call the objects that the file holds, in their order: identifiers, or the objects themselves where the file holds
        only what their metric measures, as the fingerprints of molecules.
    codes : tuple of int or None
        The positions of their labels among the classes.

    Examples
    --------
    >>> DataNotes(("drinks.csv",), target="kind").characters is None
    True
    """

    files: tuple[str, ...] = ()
    fitted: str | None = None
    target: str | None = None
    characters: str | None = None
    spread: float | None = None
    names: tuple[str, ...] | None = None
    codes: tuple[int, ...] | None = None


def notes_from_plain(plain: Any) -> DataNotes | None:
    """Make the notes that a file holds.

    Parameters
    ----------
    plain : dict or None
        The attributes of `DataNotes`, as read from a file: nothing in it is trusted.

    Returns
    -------
    DataNotes or None

    Raises
    ------
    ValueError
        If the values are not notes.

    Examples
    --------
    >>> noted = vars(DataNotes(("drinks.csv",), spread=2.0))
    >>> notes_from_plain(noted).spread
    2.0
    >>> notes_from_plain(noted | {"spread": "wide"})
    Traceback (most recent call last):
    ...
    ValueError: spread='wide' is no note about data
    """
    if plain is None:
        return None
    if not isinstance(plain, dict) or plain.keys() != {field.name for field in fields(DataNotes)}:
        raise ValueError("these values are not notes about data")
    for name, value in plain.items():
        if not (_CHECKS[name](value) or (value is None and name != "files")):
            raise ValueError(f"{name}={value!r} is no note about data")
    return DataNotes(**plain)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _are_texts(value: Any) -> bool:
    return isinstance(value, tuple) and all(map(_is_text, value))


_CHECKS: dict[str, Callable[[Any], bool]] = {
    "files": _are_texts,
    "fitted": lambda value: _is_text(value) and re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", value) is not None,
    "target": _is_text,
    "characters": lambda value: _is_text(value) and len(value) <= MOST_CHARACTERS,
    "spread": lambda value: type(value) is float and 0 < value < math.inf,
    "names": lambda value: _are_texts(value) and all(len(name) <= LONGEST_NAME for name in value),
    "codes": lambda value: isinstance(value, tuple) and all(is_whole(code, 0) for code in value),
}
