"""The columns, fields or arrays that a caller names, or that their names tell: those of the labels."""

from collections.abc import Sequence
from difflib import get_close_matches

from wideberth.io.readers.faults import fault, listed
from wideberth.objects.sample import shown
from wideberth.wording import setting

#: What a column of labels is called, in any case.
TARGET_NAMES = frozenset({"label", "labels", "class", "target", "y", "category"})
#: Names, and characters of a name, that are compared in the search for the one that was meant.
MOST_COMPARED = 1000


def check_exists(name: str, names: Sequence[str], path: str, noun: str = "column", hint: str = "") -> None:
    """Refuse a name that does not exist, and suggest the closest one.

    Parameters
    ----------
    name : str
        What the caller named.
    names : sequence of str
        The names that exist.
    path : str
        The file, for messages.
    noun : str, default="column"
        What is named.
    hint : str, default=""
        Where the names that exist come from, if that may be wrong.

    Examples
    --------
    >>> check_exists("words", ["word", "label"], "drinks.csv")
    Traceback (most recent call last):
    ...
    wideberth.errors.InvalidFile: drinks.csv: there is no column 'words'. Did you mean 'word'? It has 'word', 'label'.
    """
    if name not in names:
        short = [known for known in names[:MOST_COMPARED] if len(known) <= MOST_COMPARED]  # comparing long names takes long
        close = get_close_matches(name[:MOST_COMPARED], short, n=1) or [known for known in names if known.lower() == name.lower()]
        meant = f"Did you mean {close[0]!r}? " if close else ""
        advice = f"{meant}It has {listed(list(names))}. {hint}".strip()
        raise fault(path, f"there is no {noun} {shown(name)}.", value=name, advice=advice)


def find_target(names: Sequence[str], named: str | None, path: str) -> str | None:
    """Find the column of the labels: as named, else the only one with a usual name (`TARGET_NAMES`), else None.

    Parameters
    ----------
    names : sequence of str
        The columns that may hold labels.
    named : str or None
        What the caller named.
    path : str
        The file, for messages.

    Returns
    -------
    str or None

    Raises
    ------
    InvalidFile
        If several columns have usual names.

    Examples
    --------
    >>> find_target(["word", "Label"], None, "drinks.csv"), find_target(["word", "language"], None, "drinks.csv")
    ('Label', None)
    """
    if named is not None:
        return named
    found = [name for name in names if name.lower() in TARGET_NAMES]
    if len(found) > 1:
        raise fault(
            path,
            f"{listed(found)} could each hold the labels.",
            value=found,
            advice=f"Name one, for example {setting('target', found[0])}.",
        )
    return found[0] if found else None
