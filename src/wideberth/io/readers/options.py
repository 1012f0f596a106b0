"""What the caller of a reader named: columns, labels, and the kind of objects."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from wideberth.errors import InvalidInput, UnknownName
from wideberth.io.readers.faults import listed
from wideberth.io.readers.records import KINDS, Kind
from wideberth.objects.sample import shown


@dataclass(frozen=True)
class ReadOptions:
    """What the caller of a reader named; everything else is found.

    Attributes
    ----------
    columns : tuple of str
        The columns of the objects; empty if none was named.
    target : str or None
        The column of the labels.
    kind : str or None
        The kind of the objects.
    labels : bool
        False: a column of labels is recognised, so that it is not taken for objects, but not read.
    numbers : tuple of str or None
        Of rows: the columns that hold numbers, while the others hold text.

    Raises
    ------
    InvalidInput
        If the options contradict each other, or if the target has no name.
    UnknownName
        If there is no such kind.

    Examples
    --------
    >>> ReadOptions(("word",), target="language").names
    ('word', 'language')
    """

    columns: tuple[str, ...] = ()
    target: str | None = None
    kind: Kind | None = None
    labels: bool = True  # False: a column of labels is recognised, but not read
    numbers: tuple[str, ...] | None = None  # of rows: the columns that hold numbers, the others hold text

    @property
    def names(self) -> tuple[str, ...]:
        """All columns that the caller named, the target last."""
        return self.columns if self.target is None else (*self.columns, self.target)

    def __post_init__(self) -> None:
        checked_names("target", self.target)
        if self.numbers is not None and self.kind != "rows":
            raise InvalidInput(
                f"numbers={list(self.numbers)} names columns of rows that hold numbers, but the objects are not read as rows.",
                advice="Pass kind='rows' as well, or leave numbers= out.",
                value=self.numbers,
            )
        if self.kind is not None and self.kind not in KINDS:
            raise UnknownName(
                f"{self.kind!r} is not a kind of objects.",
                advice=f"Choose one of {listed(list(KINDS))}.",
                value=self.kind,
                known=KINDS,
            )
        if self.target is not None and self.target in self.columns:
            raise InvalidInput(
                f"{self.target!r} is named as column and as target.",
                advice="The labels must come from a column of their own.",
                value=self.target,
            )


def checked_names(option: str, names: Any) -> tuple[str, ...]:
    """Check the names of columns that the caller gave.

    Parameters
    ----------
    option : str
        The parameter that they were given as, for messages.
    names : str, iterable of str, or None
        One name, several or none.

    Returns
    -------
    tuple of str
        The names without repetitions.

    Raises
    ------
    InvalidInput
        If one of them is empty, or is not text.

    Examples
    --------
    >>> checked_names("column", "word"), checked_names("column", ["a", "b", "a"]), checked_names("column", None)
    (('word',), ('a', 'b'), ())
    >>> checked_names("target", "")
    Traceback (most recent call last):
    ...
    wideberth.errors.InvalidInput: target='' names no column. ...
    """
    if names is None:
        return ()
    several = isinstance(names, Iterable) and not isinstance(names, str)
    found = list(names) if several else [names]
    for name in found:
        if not isinstance(name, str) or not name:
            raise InvalidInput(
                f"{option}={shown(name)} names no column.",
                advice=f"Give the name of one, or leave {option}= out; a column without a name needs one first.",
                value=name,
            )
    return tuple(dict.fromkeys(found))
