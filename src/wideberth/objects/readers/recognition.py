"""Objects that the names of their columns tell: molecules, graphs and trees."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from wideberth.objects.readers.cells import CellReader, Row, is_empty, usual_sort
from wideberth.objects.readers.faults import fault
from wideberth.objects.readers.records import Kind
from wideberth.objects.readers.structures import CHILDREN, JOINED, NODES, ROOT


class Recognised(NamedTuple):
    """Columns that hold the objects, and their kind."""

    columns: tuple[str, ...]
    kind: Kind


class Seen(NamedTuple):
    """The first rows of a file, and what their reader and the caller know."""

    rows: Sequence[Row]
    names: Sequence[str]  # of the columns that may hold objects
    cells: CellReader
    kind: Kind | None  # as the caller named it
    target: str | None
    path: str

    def mostly(self, name: str, fits: Callable[[Any], bool]) -> bool:
        """Whether a column's filled cells mostly are what they should be."""
        answers = [fits(row.cells[name]) for row in self.rows if not is_empty(row.cells.get(name))]
        return 2 * sum(answers) > len(answers)

    def structured(self, *names: str) -> bool:
        """Whether columns mostly hold JSON lists or objects, or the caller says what they are."""
        return self.kind is not None or all(
            self.mostly(name, lambda cell: self.cells.structure(cell) is not None) for name in names
        )


def recognise(seen: Seen) -> Recognised | None:
    """The objects that the names of columns tell, if they are of the kind that the caller named or nobody did.

    A name is not enough: a table may count the nodes and edges of networks, or the children of families.
    """
    for kind, look in _LOOKS.items():
        if seen.kind in (None, kind):
            found = look(seen)
            if found is not None:
                return Recognised(found, kind)
    return None


def _molecules(seen: Seen) -> tuple[str, ...] | None:
    found = [name for name in seen.names if name.lower() == "smiles"]
    if len(found) == 1 and (seen.kind is not None or usual_sort(seen.rows, found[0], seen.cells) == "text"):
        return (found[0],)
    return None


def _graphs(seen: Seen) -> tuple[str, ...] | None:
    joined = [name for name in JOINED if name in seen.names]
    if NODES not in seen.names or not joined or not seen.structured(NODES, *joined):
        return None
    if len(joined) > 1:
        raise fault(
            seen.path,
            "'edges' and 'neighbors' could each say which nodes are joined.",
            value=joined,
            advice="Name one: column=['nodes', 'edges'].",
        )
    return (NODES, joined[0])


def _trees(seen: Seen) -> tuple[str, ...] | None:
    if "tree" in seen.names and (seen.kind is not None or seen.mostly("tree", lambda cell: _is_node(seen.cells.structure(cell)))):
        return ("tree",)
    if CHILDREN not in seen.names or not (seen.kind is not None or _are_nodes(seen)):
        return None
    if seen.target == ROOT:
        raise fault(
            seen.path,
            f"the records are trees themselves, and {ROOT!r} is the label of their roots, not of a class.",
            value=ROOT,
            advice='Put the class into a field of another name, such as "class", or the tree: {"tree": ..., "label": ...}.',
        )
    return (ROOT, CHILDREN) if ROOT in seen.names else None


def _are_nodes(seen: Seen) -> bool:
    """Whether children mostly are nodes themselves; some may be empty lists, but not all."""
    children = [each for row in seen.rows for each in (seen.cells.structure(row.cells.get(CHILDREN)) or ())]
    return seen.structured(CHILDREN) and 2 * sum(isinstance(each, dict) and _is_node(each) for each in children) > len(children)


def _is_node(value: Any) -> bool:
    if isinstance(value, dict):
        return ROOT in value
    return isinstance(value, list) and len(value) == 2 and isinstance(value[1], list) and not isinstance(value[0], list)


_LOOKS: dict[Kind, Callable[[Seen], tuple[str, ...] | None]] = {"molecules": _molecules, "graphs": _graphs, "trees": _trees}
