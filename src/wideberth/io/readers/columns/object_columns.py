"""Choose the columns of the objects by what their cells are: several usable columns are a table, one column is the objects."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from wideberth.errors import InvalidFile
from wideberth.io.readers.columns.column_facts import ColumnFacts
from wideberth.io.readers.faults import fault, listed
from wideberth.io.readers.formats.bare_matrices import are_distances
from wideberth.io.readers.options import ReadOptions
from wideberth.io.readers.records import Kind
from wideberth.io.readers.tables import CellType, Row
from wideberth.wording import python, setting

#: What objects of one column are, by what most of its cells are.
KIND_OF_TYPE: dict[CellType, Kind] = {"number": "vectors", "series": "series", "text": "strings", "other": "objects"}


class ObjectChoice(NamedTuple):
    """The columns of the objects.

    Attributes
    ----------
    columns : tuple of str
        The columns.
    kind : str
        What the objects are.
    identifier : str or None
        The column of the names of the objects.
    empty : tuple of str
        Columns that were left out because they are empty.
    """

    columns: tuple[str, ...]
    kind: Kind
    identifier: str | None = None
    empty: tuple[str, ...] = ()


@dataclass(frozen=True)
class Candidates:
    """The columns that may hold the objects or describe them, with all that is known about them.

    Attributes
    ----------
    rows : sequence of Row
        The first rows.
    facts : dict
        The facts about each candidate.
    types : dict
        The type as which each column is read.
    options : ReadOptions
        What the caller named.
    target : str or None
        The column of the labels.
    path : str
        The file, for messages.
    complete : bool
        Whether ``rows`` are all rows of the file.
    """

    rows: Sequence[Row]
    facts: dict[str, ColumnFacts]
    types: dict[str, CellType]
    options: ReadOptions
    target: str | None
    path: str
    complete: bool

    def are_numbers(self, names: Sequence[str]) -> bool:
        """Whether all of some columns are read as numbers."""
        return all(self.types[name] == "number" for name in names)

    def is_object(self, name: str) -> bool:
        """Whether a column holds whole objects rather than a feature: free text, lists, structures, or all different texts."""
        facts = self.facts[name]
        return self.types[name] in ("series", "other") or (self.types[name] == "text" and (facts.is_free_text or facts.is_unlike))


def choose_columns(candidates: Candidates) -> ObjectChoice:
    """Choose the columns of the objects among all that are not labels, weights or groups.

    Parameters
    ----------
    candidates : Candidates
        The columns and what is known about them.

    Returns
    -------
    ObjectChoice

    Raises
    ------
    InvalidFile
        If it is open which columns hold the objects; the advice names the choices.
    """
    kind, named = candidates.options.kind, candidates.options.columns
    everything = tuple(candidates.facts)
    if kind in (None, "distances") and not named and (matrix := find_distances(candidates)):
        return matrix
    if kind == "objects":
        return ObjectChoice(everything, kind)
    identifiers = [] if named or kind == "distances" else [name for name in everything if candidates.facts[name].identifies]
    empty = () if named or kind == "rows" else tuple(name for name in everything if not candidates.facts[name].filled)
    usable = tuple(name for name in everything if name not in identifiers and name not in empty)
    if not usable:  # nothing but identifiers: they are all there is
        usable, identifiers, empty = (tuple(identifiers), [], empty) if identifiers else (everything, [], ())
    _check_names(usable, candidates.path)
    if kind in ("vectors", "distances", "rows"):
        found = ObjectChoice(usable, kind)
    elif kind is not None:
        found = ObjectChoice(_of_kind(candidates, usable, kind), kind)
    else:
        found = _of_any_kind(candidates, usable)
    identifier = identifiers[0] if identifiers else found.identifier
    return ObjectChoice(found.columns, found.kind, identifier, empty)


def _check_names(columns: Sequence[str], path: str) -> None:
    """Refuse objects in a column without a name."""
    if "" in columns:
        advice = (
            f"Name it or remove it (pandas writes such an index unless told {python('index=False')}), or name the "
            f"others with {setting('column', shown='...')}"
        )
        raise fault(path, f"column {columns.index('') + 1} has no name.", value="", advice=advice)


def _of_kind(candidates: Candidates, usable: tuple[str, ...], kind: Kind) -> tuple[str, ...]:
    """The columns of objects of a kind that the caller named: the only one that is not numbers, or numbers as a series."""
    others = tuple(name for name in usable if candidates.types[name] != "number")
    if len(usable) == 1 or (not others and kind == "series"):
        return usable
    if len(others) == 1:
        return others
    raise _open_choice(candidates, others or usable)


def _of_any_kind(candidates: Candidates, usable: tuple[str, ...]) -> ObjectChoice:
    """The objects where the caller left their kind open."""
    if len(usable) == 1:
        return ObjectChoice(usable, KIND_OF_TYPE[candidates.types[usable[0]]])
    if candidates.options.columns and all(candidates.types[name] in ("number", "text") for name in usable):
        return ObjectChoice(usable, "vectors" if candidates.are_numbers(usable) else "rows")
    title = _title(candidates, usable)
    features = tuple(name for name in usable if name != title)
    if len(features) == 1:
        return ObjectChoice(features, KIND_OF_TYPE[candidates.types[features[0]]], title)
    objects = tuple(name for name in features if candidates.is_object(name))
    if not objects:
        return ObjectChoice(features, "vectors" if candidates.are_numbers(features) else "rows", title)
    rest = [name for name in features if name not in objects]
    labels_left = candidates.target is None and all(candidates.facts[name].could_be_labels for name in rest)
    if len(objects) == 1 and labels_left:
        return ObjectChoice(objects, KIND_OF_TYPE[candidates.types[objects[0]]], title)
    raise _open_choice(candidates, features)


def _title(candidates: Candidates, usable: tuple[str, ...]) -> str | None:
    """The column called a name whose texts name the rows; an error if they may as well be the objects."""
    titles = [name for name in usable if candidates.facts[name].names_rows]
    if len(titles) != 1:
        return None
    others = [name for name in usable if name != titles[0]]
    if len(others) == 1 and not candidates.is_object(others[0]):
        raise _open_choice(candidates, usable)
    return titles[0]


def _open_choice(candidates: Candidates, columns: Sequence[str]) -> InvalidFile:
    """The error for columns that could each hold the objects."""
    found = list(columns)
    objects = [name for name in found if candidates.is_object(name) or candidates.facts[name].names_rows] or found
    rest = [name for name in found if name != objects[0]]
    described = rest[0] if len(rest) == 1 else rest[:3]
    more = " (and so on)" if len(rest) > 3 else ""
    return fault(
        candidates.path,
        f"{len(found)} columns could hold the objects: {listed(found)}. {_reason(candidates, objects[0])}",
        value=found,
        advice=f"Name the column of the objects, {setting('column', objects[0])}, or those that describe them, "
        f"{setting('column', described)}{more}; "
        f"or take whole rows: {setting('kind', 'rows')} to compare them by columns, {setting('kind', 'objects')} as they are.",
    )


def _reason(candidates: Candidates, name: str) -> str:
    """Why a column may be the objects rather than one of their features."""
    facts, cell_type = candidates.facts[name], candidates.types[name]
    if cell_type == "series":
        return f"The cells of {name!r} are series."
    if cell_type == "other":
        return f"The cells of {name!r} are lists or structures."
    if facts.is_free_text:
        return f"The cells of {name!r} are free text."
    if facts.is_unlike or facts.names_rows:
        return f"The texts of {name!r} differ from row to row."
    return ""


def find_distances(candidates: Candidates) -> ObjectChoice | None:
    """Find the columns of a square matrix of distances: zeros on its diagonal, symmetric, and perhaps names in its first column.

    Where the caller named the kind, only the names of the objects are looked for.
    """
    facts, declared = candidates.facts, candidates.options.kind == "distances"
    numbers = tuple(name for name, fact in facts.items() if fact.type == "number")
    texts = [name for name in facts if name not in numbers and facts[name].filled]
    if len(texts) > 1 or not numbers:
        return None
    if _is_matrix(candidates, numbers, declared):
        return ObjectChoice(numbers, "distances", texts[0] if texts else None)
    named = declared and facts[numbers[0]].identifies is not None  # only its name tells it from a column of distances
    if not texts and not facts[numbers[0]].repeats and _is_matrix(candidates, numbers[1:], named):
        return ObjectChoice(numbers[1:], "distances", numbers[0])
    return None


def _is_matrix(candidates: Candidates, columns: tuple[str, ...], declared: bool) -> bool:
    """Whether columns are as many as the rows, and, unless it was declared, the first rows are those of a distance matrix."""
    n_rows = len(candidates.rows)
    if n_rows > len(columns) or (candidates.complete and n_rows != len(columns)):
        return False
    if declared:
        return candidates.complete
    values = [candidates.facts[name].plain_numbers() for name in columns[:n_rows]]
    if any(numbers is None or len(numbers) != n_rows for numbers in values):
        return False
    return are_distances(np.array(values, dtype=np.float64))
