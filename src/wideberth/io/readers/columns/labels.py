"""Read labels: without the spaces around them, all of one type, and with a word about those that differ only in their letters."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from wideberth.errors import LabelSpellingWarning, warn_user
from wideberth.io.readers.columns.cell_columns import CellColumns
from wideberth.io.readers.faults import counted, place
from wideberth.io.readers.tables import Row
from wideberth.objects.sample import shown
from wideberth.wording import setting

#: Different labels that are compared in the search for two spellings of one; more are no classes.
MOST_COMPARED = 10_000


@dataclass
class LabelColumn:
    """Reads the labels of one file, a batch at a time.

    Parameters
    ----------
    columns : CellColumns
        Reads the cells.
    exact : bool
        Whether spaces around labels are kept.

    Examples
    --------
    >>> from wideberth.io.readers.columns.layout import Layout
    >>> from wideberth.io.readers.formats.text_cells import TEXT_CELLS
    >>> layout = Layout(("word",), "label", "strings", {"word": "text"}, all_columns=True)
    >>> labels = LabelColumn(CellColumns("drinks.csv", layout, TEXT_CELLS), exact=False)
    >>> labels.cleaned(labels.read([Row(2, {"label": " en"}), Row(3, {"label": "en"})], "label")), labels.n_stripped
    (['en', 'en'], 1)
    """

    columns: CellColumns
    exact: bool
    n_stripped: int = field(default=0, init=False)
    _first: Any = field(default=None, init=False)
    _sizes: Counter[str] = field(default_factory=Counter, init=False)

    def read(self, rows: Sequence[Row], target: str) -> list[Any]:
        """The labels of a batch, which must be of the same type as the first one in the file."""
        labels = self.columns.column(rows, target, self.columns.cells.label, "is not a label")
        if self._first is None and labels:
            self._first = labels[0]
        first, usual = self._first, _label_type(self._first)
        for row, label in zip(rows, labels, strict=True):
            if (label_type := _label_type(label)) != usual:
                problem = f"{shown(label)} in column {target!r} is {label_type}, but the first label {shown(first)} is {usual}."
                raise self.columns.fault(row, problem, label, "Write all labels as text, or all as numbers.")
        return labels

    def cleaned(self, labels: list[Any]) -> list[Any]:
        """Labels without spaces around them, if they are text; they are counted, so that this is called once for each."""
        if not isinstance(self._first, str):
            return labels
        if not self.exact:
            stripped = [label.strip() for label in labels]
            self.n_stripped += sum(one != other for one, other in zip(labels, stripped, strict=True))
            labels = stripped
        if len(self._sizes) <= MOST_COMPARED:
            self._sizes.update(labels)
        return labels

    def why(self) -> str:
        """What was done to labels so far, as a phrase; empty if nothing."""
        if not self.n_stripped:
            return ""
        return f"spaces around {counted(self.n_stripped, 'label')} were removed; {setting('exact_labels', True)} keeps them"

    def warn_of_spellings(self) -> None:
        """Warn of labels that differ only in upper and lower case, or in spaces where these were kept: they are two classes."""
        if len(self._sizes) > MOST_COMPARED:
            return
        spellings: dict[str, list[str]] = {}
        for label in self._sizes:
            spellings.setdefault(label.strip().casefold(), []).append(label)
        for several in spellings.values():
            if len(several) > 1:
                named = " and ".join(f"{shown(label)} ({self._sizes[label]:,})" for label in several[:4])
                warn_user(
                    f"{place(self.columns.path)}: the labels {named} differ only in spelling and are different classes. "
                    "If they are one class, write them alike.",
                    LabelSpellingWarning,
                )


def _label_type(label: Any) -> str:
    """The type of a label as messages name it."""
    if isinstance(label, bool):
        return "a truth value"
    return "text" if isinstance(label, str) else "a number"
