"""`Report` and `write_report`: look at a fitted classifier and labelled objects in a browser or a notebook."""

import html
import os
from collections.abc import Sequence
from typing import Any

from wideberth.extras import import_extra
from wideberth.io.whole_file import refuse_to_replace_data, whole_file
from wideberth.report.gathered import gather_facts
from wideberth.report.rendering import render


class Report:
    """What a fitted classifier learned and how good it is on labelled objects, as facts and as one HTML page.

    The page needs no network and no other file. A notebook shows it in a frame. Objects that the model learned from are
    recognised, and then errors are those of copies of the model that have not seen the object: training errors are never
    shown as errors.

    Parameters
    ----------
    model : classifier
        A fitted classifier on a metric, or a fitted search for one.
    X : sample
        Objects, the training objects of the model or, better, new ones.
    y : array-like of shape (n,)
        Their labels.
    names : sequence, optional
        What the rows are called, such as identifiers.
    columns : sequence, optional
        What the coordinates of vectors are called; by default the columns of the data frame that the model was fitted on.
    title : str, optional
        The heading.
    show_objects : bool
        Whether the report holds objects and the names of rows; without them, only row numbers, labels, distances and figures.
    counted_from : {0, 1}
        The number of the first row: 0 as Python counts, 1 as in a file.
    independent : bool
        Whether you declare that all objects, the training objects too, were drawn independently, so that some may repeat.

    Attributes
    ----------
    facts : dict
        Everything that the page says: dicts, lists, numbers and texts, ready for ``json.dumps``.

    Examples
    --------
    >>> from wideberth import NeighborsClassifier
    >>> drinks, kinds = ["tea", "tee", "ten", "teas", "rum", "rom", "ram", "rums"], ["soft"] * 4 + ["hard"] * 4
    >>> report = Report(NeighborsClassifier("levenshtein", n_neighbors=1).fit(drinks, kinds), drinks, kinds)
    >>> report.facts["error"]["errors"], report.facts["error"]["n"]
    (0, 8)
    >>> report.html().startswith("<!DOCTYPE html>")
    True
    """

    facts: dict[str, Any]

    def __init__(
        self,
        model: Any,
        X: Any,
        y: Any,
        *,
        names: Sequence[Any] | None = None,
        columns: Sequence[Any] | None = None,
        title: str | None = None,
        show_objects: bool = True,
        counted_from: int = 0,
        independent: bool = False,
    ) -> None:
        import_extra("jinja2", "report")  # before the work, not after it
        self.facts = gather_facts(
            *(model, X, y),
            names=names,
            columns=columns,
            title=title,
            show_objects=show_objects,
            counted_from=counted_from,
            independent=independent,
        )

    def html(self) -> str:
        """The page."""
        return render(self.facts)

    def _repr_html_(self) -> str:
        """The page in a frame of its own, for notebooks: its styles and scripts stay inside."""
        page = html.escape(self.html(), quote=True)
        frame = "width: 100%; height: 46rem; border: 1px solid #ccc; border-radius: 6px"
        return f'<iframe sandbox="allow-scripts" title="wideberth report" style="{frame}" srcdoc="{page}"></iframe>'

    def __repr__(self) -> str:
        return f"Report({self.facts['learned']['method']}, {self.facts['learned']['n_given']:,} objects)"


def write_report(
    model: Any,
    path: str | os.PathLike[str],
    X: Any,
    y: Any,
    *,
    names: Sequence[Any] | None = None,
    columns: Sequence[Any] | None = None,
    title: str | None = None,
    show_objects: bool = True,
    counted_from: int = 0,
    independent: bool = False,
) -> None:
    """Write what a fitted classifier learned, and how good it is on labelled objects, as one HTML file.

    Open it in any browser: it needs no network. It says what it holds; ``show_objects=False`` leaves objects out.

    Parameters
    ----------
    model : classifier
        A fitted classifier on a metric, or a fitted search for one.
    path : str or path
        The file to write; one that is there is replaced.
    X : sample
        Objects, the training objects of the model or, better, new ones.
    y : array-like of shape (n,)
        Their labels.
    names, columns, title, show_objects, counted_from, independent
        As in `wideberth.report.Report`.

    Raises
    ------
    InvalidInput
        If the objects or labels do not fit the model.
    InvalidFile
        If the file cannot be written, or if `wideberth.read` has read data from it.
    MissingExtra
        If the template engine is not installed: ``pip install "wideberth[report]"``.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from wideberth import NeighborsClassifier
    >>> drinks, kinds = ["tea", "tee", "ten", "teas", "rum", "rom", "ram", "rums"], ["soft"] * 4 + ["hard"] * 4
    >>> model = NeighborsClassifier("levenshtein", n_neighbors=1).fit(drinks, kinds)
    >>> page = pathlib.Path(tempfile.mkdtemp(), "report.html")
    >>> write_report(model, page, drinks, kinds)
    >>> 100_000 < page.stat().st_size < 500_000
    True
    """
    refuse_to_replace_data(path)
    report = Report(
        *(model, X, y),
        names=names,
        columns=columns,
        title=title,
        show_objects=show_objects,
        counted_from=counted_from,
        independent=independent,
    )
    with whole_file(path) as stream:
        stream.write(report.html().encode("utf-8"))
