"""`Report` and `write_report`: look at a fitted classifier and labelled objects in a browser or a
notebook.
"""

import base64
import hashlib
import html
import os
import warnings
from collections.abc import Collection, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import wideberth
from wideberth.array_types import Labels, Objects
from wideberth.cards.card import Card, Shown, as_text
from wideberth.cards.glosses import glosses
from wideberth.estimators.metric_classifier import MetricClassifier
from wideberth.estimators.model_facts import counted
from wideberth.extras import import_extra
from wideberth.insight.evaluation import better_than_guessing
from wideberth.io.readers.source import refuse_to_replace_data
from wideberth.io.whole_file import whole_file
from wideberth.metrics.tables.cells import moves_in_words
from wideberth.report.facts import columns as table_columns
from wideberth.report.facts import errors, learned, shown_objects
from wideberth.report.facts.given import GivenObjects
from wideberth.report.facts.next_steps import in_short, moves_of_half, next_steps, rows_to_check
from wideberth.report.facts.notable import notable_facts
from wideberth.report.facts.space_map import map_facts, states
from wideberth.report.plain_facts import json_block, plain
from wideberth.rounding import shown_bound, shown_radius
from wideberth.safe_text import safe_name

# ---- All facts of a report, gathered once: plain data that a page, a test or another program can
# read

#: The version of the facts, for programs that read them.
VERSION = 1


def gather_facts(
    model: MetricClassifier,
    X: Objects,
    y: Labels,
    *,
    names: Sequence[Any] | None = None,
    columns: Sequence[Any] | None = None,
    dates: Collection[Any] = (),
    title: str | None = None,
    show_objects: bool = True,
    counted_from: int = 0,
    lines: Sequence[int] | None = None,
    independent: bool = False,
    kept_names: Sequence[Any] | None = None,
) -> dict[str, Any]:
    """Everything that a report says: dicts, lists, numbers, texts, truth values and None only."""
    # the parts of a frame are arrays, without its names
    with warnings.catch_warnings(action="ignore", category=UserWarning):
        given = GivenObjects.of(
            *(model, X, y, names, counted_from, columns, dates),
            lines=lines,
            independent=independent,
        )
        return _gathered(given, title, show_objects, kept_names)


def _gathered(
    given: GivenObjects, title: str | None, show_objects: bool, kept_names: Sequence[Any] | None
) -> dict[str, Any]:
    judged = errors.Judged.of(given)
    notable = notable_facts(given, judged)
    confusion = errors.confusion_facts(given, judged)
    unseen = errors.unseen(given, judged)
    certified = errors.certified_facts(given, judged, unseen)
    check = rows_to_check(given, judged, notable)
    lists = [
        [each["index"] for each in check],
        *(notable[name].get("index", ()) for name in notable),
    ]
    cells = [cell[3] for cell in confusion.get("cells", ()) if cell[0] != cell[1]]
    shown = shown_objects.choose_shown(given, [*lists, *cells])
    index, moves = certified.pop("index", ()), certified.pop("moves", None) or []
    proved = dict(zip(index, certified.pop("proved", ()), strict=True))
    alone = dict(zip(index, moves, strict=bool(moves)))
    known = shown_objects.KnownObjects.of(given)
    near = shown_objects.near_facts(given, known, shown, shown_objects.answered(given, judged))
    facts: dict[str, Any] = {
        "version": VERSION,
        "made_by": f"wideberth {wideberth.__version__}",
        "title": safe_name(title or "What the model learned"),
        "shows_objects": show_objects,
        "learned": learned.learned_facts(given),
        "error": errors.error_facts(given, judged),
        "certificate": errors.certificate_facts(given, show_objects=show_objects),
        "certified": certified,
        "changed_rows": errors.changed_rows_facts(unseen),
        "leaderboard": learned.leaderboard_facts(given),
        "settings": learned.settings_facts(given),
        "map": map_facts(given, judged),
        "margins": errors.margin_facts(given, judged),
        "confusion": confusion,
        "notable": notable,
        "doctor": learned.doctor_facts(given, show_objects=show_objects),
        "check_first": check,
        "table": table_columns.column_facts(given, unseen, show_objects=show_objects),
        "objects": shown_objects.object_facts(
            *(given, judged, shown, proved, alone, states(given), near), show_objects=show_objects
        ),
    }
    doubted = [int(each) for each in [*lists[0], *lists[1]]]
    facts["differences"] = shown_objects.differences(given, near, doubted) if show_objects else {}
    facts["training"] = shown_objects.training_facts(
        given, known, near, kept_names, show_objects=show_objects
    )
    facts["next"] = next_steps(facts)
    facts["in_short"] = in_short(facts)
    found: dict[str, Any] = plain(facts)
    return found


# ---- The page of a report: one HTML file that needs nothing else, made from the facts by a
# template

#: The scripts of the page, in the order in which they run.
SCRIPTS = (
    "elements",
    "drawings",
    "panel",
    "table_rows",
    "map",
    "mistakes",
    "rows",
    "curves",
    "distance",
    "all_objects",
    "main",
)

#: The words of ours on the page.
_WORDS = (
    *("lead", "margin", "radius", "safe edits", "proved safe", "kept", "probability", "quality"),
    *("certificate", "holds if", "confidence", "guessing", "vacuous", "p-value"),
)
#: Its styles, of which later ones win.
STYLES = ("colours", "page", "opening", "figures", "objects", "lists", "narrow_and_print")


def render(facts: dict[str, Any]) -> str:
    """The page that shows facts, in HTML; the same facts give the same text."""
    jinja2 = import_extra("jinja2", "report")
    markup = jinja2.utils.markupsafe.Markup
    template = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined).from_string(
        _part("report.html")
    )
    plot = _part("plot.js")
    script = '"use strict";\n' + "\n".join(_part(f"scripts/{name}.js") for name in SCRIPTS)
    page: str = template.render(
        facts=facts,
        paragraphs=_paragraphs(facts),
        figures=_figures(facts),
        check_first=[
            row | {"name": _row_name(facts, row["index"])} for row in facts["check_first"]
        ],
        words=glosses(_WORDS),
        contents=_contents(facts),
        numbering=_numbering(facts),
        style=markup("\n".join(_part(f"styles/{name}.css") for name in STYLES)),
        plot=markup(plot),
        script=markup(script),
        data=markup(json_block(facts)),
        script_hashes=markup(" ".join(f"'sha256-{_digest(text)}'" for text in (plot, script))),
    )
    return page


@cache
def _part(name: str) -> str:
    """A file of the page."""
    return files("wideberth.report").joinpath("page", *name.split("/")).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _paragraphs(facts: dict[str, Any]) -> list[list[str]]:
    """The sentences of the opening, in paragraphs: what was learned, how good it is, what is
    proved.
    """
    return [facts["in_short"][part] for part in ("learned", "good", "proved")]


#: What the error is called that stands large on the page, by whose answers it counts.
_WHAT_ERROR = {
    "new": "error on new objects",
    "partly new": "error on objects not learned from",
    "out of fold": "error on objects left out",
}


def _figures(facts: dict[str, Any]) -> list[dict[str, str]]:
    """The numbers that stand large on the page."""
    error, proved, certified = facts["error"], facts["certificate"]["proved"], facts["certified"]
    found = []
    if error["error"] is not None:
        worse = error["high"] >= error["guessing"]
        found.append(
            {
                "what": _WHAT_ERROR[error["how"]],
                "value": f"{(error['others'] or error)['error']:.1%}",
                "detail": f"{error['low']:.1%} to {error['high']:.1%}; guessing has "
                f"{error['guessing']:.1%}",
                "tone": "bad" if worse else "",
            }
        )
    useful = proved is not None and not proved["vacuous"]
    found.append(
        {
            "what": "proved error",
            "value": f"≤ {shown_bound(proved['value'])}" if useful else "none",
            "detail": f"with {proved['confidence']:.0%} confidence"
            if useful and proved["confidence"]
            else "see How far to trust it",
            "tone": "",
        }
    )
    if "reason" not in certified and len(certified["radii"]) > 1:
        found.append(_stays(facts))
    if "n" in facts["notable"]["mislabelled"]:
        doubted = facts["notable"]["mislabelled"]
        found.append(
            {
                "what": "doubtful labels",
                "value": f"{doubted['n']:,}",
                "detail": f"of {doubted['judged']:,} that were judged",
                "tone": "",
            }
        )
    return found


def _stays(facts: dict[str, Any]) -> dict[str, str]:
    """How much change the answers survive: edits, moves of columns, or a distance beside that of
    objects.
    """
    certified, moves = facts["certified"], moves_of_half(facts)
    what = "right, and proved to stay so"
    if certified["step"] == 1:
        value = f"{certified['certified'][1]:.1%}"
        detail = f"after any one {certified['unit'] or 'step'}"
        guessing, n = certified["guessing"], certified["n"]
        if better_than_guessing(certified["certified"][1], guessing, n):
            return {"what": what, "value": value, "detail": detail, "tone": ""}
        detail += f"; always answering the largest class has {guessing:.1%}, whatever changes"
        return {"what": what, "value": value, "detail": detail, "tone": "bad"}
    radius = shown_radius(max(certified["median"] or 0.0, 0.0), 3)
    spread = facts["doctor"].get("spread")
    apart = f"; objects are {spread['median']:.3g} apart at the median" if spread else ""
    if not moves:
        detail = f"for half of the answers, at this distance{apart}"
        return {"what": what, "value": f"r = {radius}", "detail": detail, "tone": ""}
    (name, move), *others = moves.items()
    how = next((each for each in ("less than", "up to") if move.startswith(each)), "")
    more = f"or {moves_in_words(dict(others), 2).replace(' alone', '')}. " if others else ""
    return {
        "what": f"{what}, half of the answers, if one column alone "
        + (f"moves by {how}" if how else "takes"),
        "value": f"{name}: {move.removeprefix(how).strip()}",
        "detail": f"{more}By the distance, r = {radius}{apart}",
        "tone": "long",
    }


def _row_name(facts: dict[str, Any], index: int) -> str:
    """What to call an object, as the scripts of the page do."""
    objects = facts["objects"]
    place = objects["index"].index(index)
    number = f"{'row' if objects['counted_from'] else 'object'} {index + objects['counted_from']:,}"
    if objects["line"] is not None:
        number = f"line {objects['line'][place]:,}"
    return number if objects["name"] is None else f"{objects['name'][place]} ({number})"


def _numbering(facts: dict[str, Any]) -> str:
    if facts["objects"]["line"] is not None:
        return "Lines are those of the file."
    if facts["objects"]["counted_from"]:
        return "Rows are counted from 1, the header not counted."
    return "Objects are counted from 0, as they were passed."


def _contents(facts: dict[str, Any]) -> str:
    """What the file holds of the data: whoever gets it should know."""
    if not facts["shows_objects"]:
        return (
            "This file holds no objects and no names of rows. It does hold row numbers, the names "
            "of classes and columns, how many values of a column are equal or near each other, "
            "where objects lie on the map, and distances between neighbours."
        )
    held = len(facts["objects"]["index"])
    own = "" if facts["error"]["how"] == "new" else ", training objects among them"
    beside = len((facts["training"] or {}).get("drawing") or ())
    near = f", and {counted(beside, 'training object', 'training objects')} near them" * (
        beside > 0
    )
    return (
        f"This file holds {held:,} of the {facts['objects']['n']:,} objects themselves{own}{near}, "
        "with their labels: give it only to those who may see them. show_objects=False, or --no-objects "
        "on the command line, leaves them out."
    )


class Report(Shown):
    """What a fitted classifier learned and how good it is on labelled objects, as facts and as one
    HTML page.

    The page needs no network and no other file. A notebook shows it in a frame. Objects that the
    model learned from are recognised and counted. If they are at least nine tenths of X, errors are
    those of copies of the model that have not seen the object; otherwise the model answers itself,
    as it does in ``predict``, and the errors on the objects that it has not seen stand beside those
    on all.

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
        What the coordinates of vectors are called; by default the columns of the data frame that
        the model was fitted on.
    dates : collection, optional
        Columns whose numbers are days since 1970-01-01, to be shown as dates. Dates of Python and
        pandas need not be named.
    title : str, optional
        The heading.
    show_objects : bool
        Whether the report holds objects and the names of rows; without them, only row numbers,
        labels, distances and figures.
    counted_from : {0, 1}
        The number of the first row: 0 as Python counts, 1 as in a file.
    lines : sequence of int, optional
        The line of each object in its file, by which it is then called.
    independent : bool
        Whether you declare that all objects, the training objects too, were drawn independently, so
        that some may repeat.
    kept_names : sequence, optional
        What the training objects that the model keeps are called, in the order of `kept()`, for
        metrics that only know what they count in an object.

    Attributes
    ----------
    facts : dict
        Everything that the page says: dicts, lists, numbers and texts, ready for ``json.dumps``.

    Examples
    --------
    >>> from wideberth import NeighborsClassifier
    >>> drinks, kinds = (
    ...     ["tea", "tee", "ten", "teas", "rum", "rom", "ram", "rums"],
    ...     ["soft"] * 4 + ["hard"] * 4,
    ... )
    >>> report = Report(
    ...     NeighborsClassifier("levenshtein", n_neighbors=1).fit(drinks, kinds), drinks, kinds
    ... )
    >>> report.facts["error"]["errors"], report.facts["error"]["n"]
    (0, 8)
    >>> report.html().startswith("<!DOCTYPE html>")
    True
    >>> print(str(report).splitlines()[0])
    What the model learned
    """

    facts: dict[str, Any]

    def __init__(
        self,
        model: MetricClassifier,
        X: Objects,
        y: Labels,
        *,
        names: Sequence[Any] | None = None,
        columns: Sequence[Any] | None = None,
        dates: Collection[Any] = (),
        title: str | None = None,
        show_objects: bool = True,
        counted_from: int = 0,
        lines: Sequence[int] | None = None,
        independent: bool = False,
        kept_names: Sequence[Any] | None = None,
    ) -> None:
        import_extra("jinja2", "report")  # before the work, not after it
        self.facts = gather_facts(
            *(model, X, y),
            names=names,
            columns=columns,
            dates=dates,
            title=title,
            show_objects=show_objects,
            counted_from=counted_from,
            lines=lines,
            independent=independent,
            kept_names=kept_names,
        )

    def html(self) -> str:
        """The page."""
        return render(self.facts)

    def card(self) -> Card:
        """The opening of the page: what was learned, how good it is, what is proved."""
        names = {"learned": "learned", "good": "how good", "proved": "proved"}
        told = [
            (name if not place else "", sentence)
            for part, name in names.items()
            for place, sentence in enumerate(self.facts["in_short"][part])
        ]
        return Card(self.facts["title"], tuple(told))

    def __str__(self) -> str:
        return as_text(self.card())

    def _repr_html_(self) -> str:
        """The page in a frame of its own, for notebooks: its styles and scripts stay inside."""
        page = html.escape(self.html(), quote=True)
        frame = "width: 100%; height: 46rem; border: 1px solid #ccc; border-radius: 6px"
        return f'<iframe sandbox="allow-scripts" title="wideberth report" style="{frame}" srcdoc="{page}"></iframe>'

    def __repr__(self) -> str:
        return (
            f"Report({self.facts['learned']['method']}, {self.facts['learned']['n_given']:,} "
            "objects)"
        )


def write_report(
    model: MetricClassifier,
    path: str | os.PathLike[str],
    X: Objects,
    y: Labels,
    *,
    names: Sequence[Any] | None = None,
    columns: Sequence[Any] | None = None,
    dates: Collection[Any] = (),
    title: str | None = None,
    show_objects: bool = True,
    counted_from: int = 0,
    lines: Sequence[int] | None = None,
    independent: bool = False,
    kept_names: Sequence[Any] | None = None,
) -> None:
    """Write what a fitted classifier learned, and how good it is on labelled objects, as one HTML
    file.

    Open it in any browser: it needs no network. It says what it holds; ``show_objects=False``
    leaves objects out.

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
    names, columns, dates, title, show_objects, counted_from, lines, independent, kept_names
        As in `wideberth.Report`.

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
    >>> drinks, kinds = (
    ...     ["tea", "tee", "ten", "teas", "rum", "rom", "ram", "rums"],
    ...     ["soft"] * 4 + ["hard"] * 4,
    ... )
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
        dates=dates,
        title=title,
        show_objects=show_objects,
        counted_from=counted_from,
        lines=lines,
        independent=independent,
        kept_names=kept_names,
    )
    with whole_file(path) as stream:
        stream.write(report.html().encode("utf-8"))
