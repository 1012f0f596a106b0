"""Say what each column is used as, and why."""

from dataclasses import dataclass, replace

from wideberth.io.readers.columns.column_facts import ENOUGH_ROWS, ColumnFacts
from wideberth.io.readers.columns.layout import Layout
from wideberth.io.readers.columns.object_columns import ObjectChoice
from wideberth.io.readers.faults import counted
from wideberth.io.readers.options import ReadOptions
from wideberth.io.readers.records import ColumnUse, Use
from wideberth.objects.sample import shown
from wideberth.wording import Text, setting

#: What the single column of objects is used as, by their kind; structures and molecules are objects of their own.
_USE_OF_KIND: dict[str, Use] = {"strings": "text", "series": "series"}


@dataclass(frozen=True)
class Reasons:
    """What the uses of columns are explained by.

    Attributes
    ----------
    facts : dict
        The facts about each column but that of the labels.
    options : ReadOptions
        What the caller named.
    choice : ObjectChoice
        The columns of the objects.
    revealed : bool
        Whether the format or the names of columns told where the objects are.
    from_elsewhere : bool
        Whether the labels are read from another file.
    """

    facts: dict[str, ColumnFacts]
    options: ReadOptions
    choice: ObjectChoice
    revealed: bool
    from_elsewhere: bool


def column_uses(layout: Layout, names: list[str], reasons: Reasons) -> Layout:
    """Add to a layout what each column is used as.

    Parameters
    ----------
    layout : Layout
        The decision.
    names : list of str
        All columns, in the order of the file.
    reasons : Reasons
        What led to the decision.

    Returns
    -------
    Layout
        With its ``uses``.
    """
    uses = (_use(name, layout, reasons) for name in names)
    return replace(layout, uses=tuple(use.because(Text(use.why)) for use in uses))


def _use(name: str, layout: Layout, reasons: Reasons) -> ColumnUse:
    """What one column is used as."""
    options = reasons.options
    if name == layout.target:
        return ColumnUse(name, "label" if layout.labels else "ignored", _why_target(name, layout, reasons))
    if name in layout.columns:
        return _feature(name, layout, reasons.facts[name])
    if name == options.weight:
        return ColumnUse(name, "weight", f"named with {setting('weight')}")
    if name == options.groups:
        return ColumnUse(name, "group", f"named with {setting('groups')}")
    if name == layout.identifier:
        return ColumnUse(name, "identifier", reasons.facts[name].identifies or "the names of the objects")
    if not reasons.options.columns and (why := reasons.facts[name].identifies):
        return ColumnUse(name, "identifier", f"{why}; {shown(layout.identifier)} names the objects")
    return ColumnUse(name, "ignored", _why_ignored(name, layout, reasons))


def _why_target(name: str, layout: Layout, reasons: Reasons) -> str:
    if not layout.labels:
        return "labels, which are not asked for"
    if reasons.from_elsewhere:
        return "the file of labels"
    return f"named with {setting('target')}" if reasons.options.target == name else "its name"


def _feature(name: str, layout: Layout, facts: ColumnFacts) -> ColumnUse:
    """The use of a column of the objects."""
    kind = layout.kind
    if kind == "distances":
        return ColumnUse(name, "number", "distances to all objects")
    if kind not in ("vectors", "rows") or layout.in_lists:
        return ColumnUse(
            name, _USE_OF_KIND.get(kind, "object"), "the objects" if kind in _USE_OF_KIND else f"the objects: {kind}"
        )
    constant = "the same in all rows so far" if facts.is_constant else ""
    if layout.types[name] == "number":
        writing = layout.writings.get(name)
        different = "" if facts.repeats or facts.n_rows < ENOUGH_ROWS or not facts.is_whole() else "whole, another in each row"
        why = (writing.why if writing else "dates, as days since 1970-01-01" if facts.is_date else "", constant or different)
        return ColumnUse(name, "date" if facts.is_date else "number", "; ".join(filter(None, why)))
    truth = "truth values" if facts.is_truth else ""
    values = (
        "" if facts.is_truth or constant else f"{counted(facts.n_distinct, 'value')} so far" if facts.filled else "empty so far"
    )
    return ColumnUse(name, "category", "; ".join(filter(None, (truth, values, constant))))


def _why_ignored(name: str, layout: Layout, reasons: Reasons) -> str:
    """Why a column is not used."""
    facts, options = reasons.facts[name], reasons.options
    objects = shown(layout.columns[0]) if len(layout.columns) == 1 else f"{len(layout.columns)} columns"
    if options.columns:
        return f"not named with {setting('column')}"
    if not facts.filled:
        return "empty" if facts.n_rows < 200 else "empty in the first rows"
    if reasons.revealed:
        return f"the objects are in {objects}; {setting('kind', 'rows')} takes all columns"
    if reasons.from_elsewhere and name not in reasons.choice.columns and not facts.could_be_labels:
        return "the labels come from another file"
    if options.kind is not None:
        return f"{setting('kind', options.kind)} is in {objects}"
    return f"few values, as labels have: {setting('target', shown=shown(name))} makes them labels; the objects are in {objects}"
