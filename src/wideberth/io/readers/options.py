"""What the caller of a reader named: columns, labels, and the kind of objects."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, Literal, get_args

from wideberth.errors import InvalidInput, UnknownName
from wideberth.io.readers.records import KINDS, Kind, fault, listed
from wideberth.objects.sample import shown
from wideberth.wording import setting

# ---- The columns, fields or arrays that a caller names, or that their names tell: those of the
# labels

#: What a column of labels is called, in any case.
TARGET_NAMES = frozenset({"label", "labels", "class", "target", "y", "category"})
#: Names, and characters of a name, that are compared in the search for the one that was meant.
MOST_COMPARED = 1000


def check_exists(
    name: str, names: Sequence[str], path: str, noun: str = "column", hint: str = ""
) -> None:
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
        short = [
            known for known in names[:MOST_COMPARED] if len(known) <= MOST_COMPARED
        ]  # comparing long names takes long
        close = get_close_matches(name[:MOST_COMPARED], short, n=1) or [
            known for known in names if known.lower() == name.lower()
        ]
        meant = f"Did you mean {close[0]!r}? " if close else ""
        advice = f"{meant}It has {listed(list(names))}. {hint}".strip()
        raise fault(path, f"there is no {noun} {shown(name)}.", value=name, advice=advice)


def find_target(names: Sequence[str], named: str | None, path: str) -> str | None:
    """Find the column of the labels: as named, else the only one with a usual name
    (`TARGET_NAMES`), else None.

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
    >>> (
    ...     find_target(["word", "Label"], None, "drinks.csv"),
    ...     find_target(["word", "language"], None, "drinks.csv"),
    ... )
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


#: What is done with a record that cannot be read.
OnError = Literal["raise", "skip"]


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
    number_formats : dict
        How the numbers or dates of columns are written, as examples of
        `wideberth.io.readers.columns.written_numbers`.
    labels_from : str or None
        A second file, which holds the labels.
    weight, groups : str or None
        The columns of the weights and of the groups.
    on_error : {"raise", "skip"}
        What is done with a record that cannot be read.
    exact_labels : bool
        Whether spaces around labels are kept.
    keep_cells : bool
        Whether the cells of all rows are kept as they are.
    sheet : str or None
        The sheet of a workbook.

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
    numbers: tuple[str, ...] | None = (
        None  # of rows: the columns that hold numbers, the others hold text
    )
    number_formats: Mapping[str, str] = field(default_factory=dict)
    labels_from: str | None = None
    weight: str | None = None
    groups: str | None = None
    on_error: OnError = "raise"
    exact_labels: bool = False
    keep_cells: bool = False
    sheet: str | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """All columns that the caller named, those of the objects first."""
        return (
            *self.columns,
            *(name for name in (self.target, self.weight, self.groups) if name is not None),
        )

    def __post_init__(self) -> None:
        for option in ("target", "weight", "groups"):
            checked_names(option, getattr(self, option))
        if self.on_error not in get_args(OnError):
            raise InvalidInput(
                f"{setting('on_error', shown=shown(self.on_error))} is not known.",
                advice="Choose 'raise' or 'skip'.",
                value=self.on_error,
            )
        if self.numbers is not None and self.kind != "rows":
            raise InvalidInput(
                f"{setting('numbers', shown=list(self.numbers))} names columns of rows that hold "
                "numbers, but the objects are not read as rows.",
                advice=f"Pass {setting('kind', 'rows')} as well, or leave {setting('numbers')} "
                "out.",
                value=self.numbers,
            )
        if self.kind is not None and self.kind not in KINDS:
            raise UnknownName(
                f"{self.kind!r} is not a kind of objects.",
                advice=f"Choose one of {listed(list(KINDS))}.",
                value=self.kind,
                known=KINDS,
                parameter="kind",
            )
        self._check_different()

    def _check_different(self) -> None:
        """Refuse a column that is named for two purposes."""
        purposes = dict.fromkeys(self.columns, "column")
        for option in ("target", "weight", "groups"):
            name = getattr(self, option)
            if name is None:
                continue
            if name in purposes:
                raise InvalidInput(
                    f"{name!r} is named as {purposes[name]} and as {option}.",
                    advice=f"Name a column of its own with {setting(option)}, or leave it out.",
                    value=name,
                )
            purposes[name] = option


def read_options(
    column: str | Iterable[str] | None,
    numbers: str | Iterable[str] | Mapping[str, str] | None,
    **others: Any,
) -> ReadOptions:
    """Gather the keyword arguments of a reader.

    Parameters
    ----------
    column : str, iterable of str or None
        The columns of the objects.
    numbers : str, iterable of str, mapping or None
        The columns that hold numbers, or how numbers are written in some.
    **others
        Attributes of `ReadOptions`.

    Returns
    -------
    ReadOptions

    Examples
    --------
    >>> read_options("word", {"price": "1,5"}, target="language").number_formats
    {'price': '1,5'}
    """
    if isinstance(numbers, Mapping):
        formats, names = (
            dict(zip(checked_names("numbers", numbers), numbers.values(), strict=True)),
            None,
        )
    else:
        formats, names = {}, None if numbers is None else checked_names("numbers", numbers)
    if others.get("labels_from") is not None:
        others["labels_from"] = file_name(others["labels_from"])
    return ReadOptions(
        checked_names("column", column), numbers=names, number_formats=formats, **others
    )


def file_name(path: Any) -> str:
    """The name of a file as text.

    Examples
    --------
    >>> file_name("names.csv")
    'names.csv'
    """
    if not _names_a_file(path):
        raise InvalidInput(
            f"{shown(path)} is not the name of a file.",
            advice="Pass the path of a file or a directory, or '-'.",
            value=path,
        )
    return os.fsdecode(path)


def _names_a_file(path: Any) -> bool:
    """Whether the system could have a file of that name: not if it holds a NUL, or half of a
    surrogate pair.
    """
    if not isinstance(path, str | bytes | os.PathLike) or not os.fspath(path):
        return False
    try:
        return b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        return False


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
    >>> (
    ...     checked_names("column", "word"),
    ...     checked_names("column", ["a", "b", "a"]),
    ...     checked_names("column", None),
    ... )
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
                f"{setting(option, shown=shown(name))} names no column.",
                advice=f"Give the name of one, or leave {setting(option)} out; a column without a "
                "name needs one first.",
                value=name,
            )
    return tuple(dict.fromkeys(found))
