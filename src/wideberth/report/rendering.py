"""The page of a report: one HTML file that needs nothing else, made from the facts by a template."""

import base64
import hashlib
from functools import cache
from importlib.resources import files
from typing import Any

from wideberth.extras import import_extra
from wideberth.report.json_block import json_block

#: The scripts of the page, in the order in which they run.
SCRIPTS = ("elements", "drawings", "panel", "map", "mistakes", "rows", "curves", "distance", "all_objects", "main")

#: Its styles, of which later ones win.
STYLES = ("colours", "page", "opening", "figures", "objects", "lists", "narrow_and_print")


def render(facts: dict[str, Any]) -> str:
    """The page that shows facts.

    Parameters
    ----------
    facts : dict
        What `wideberth.report.gathered.gather_facts` returned.

    Returns
    -------
    str
        HTML; the same facts give the same text.

    Raises
    ------
    wideberth.errors.MissingExtra
        If the template engine is not installed.
    """
    jinja2 = import_extra("jinja2", "report")
    markup = jinja2.utils.markupsafe.Markup
    template = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined).from_string(_part("report.html"))
    plot = _part("plot.js")
    script = '"use strict";\n' + "\n".join(_part(f"scripts/{name}.js") for name in SCRIPTS)
    page: str = template.render(
        facts=facts,
        paragraphs=_paragraphs(facts),
        figures=_figures(facts),
        check_first=[row | {"name": _row_name(facts, row["index"])} for row in facts["check_first"]],
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
    """The sentences of the opening, in paragraphs: what was learned, how good it is, what is proved."""
    return [facts["in_short"][part] for part in ("learned", "good", "proved")]


def _figures(facts: dict[str, Any]) -> list[dict[str, str]]:
    """The numbers that stand large on the page."""
    error, proved, certified = facts["error"], facts["certificate"]["proved"], facts["certified"]
    found = []
    if error["error"] is not None:
        worse = error["high"] >= error["guessing"]
        found.append(
            {
                "what": "error on new objects" if error["how"] == "new" else "error on objects left out",
                "value": f"{error['error']:.1%}",
                "detail": f"{error['low']:.1%} to {error['high']:.1%}; guessing has {error['guessing']:.1%}",
                "tone": "bad" if worse else "",
            }
        )
    useful = proved is not None and not proved["vacuous"]
    found.append(
        {
            "what": "proved error",
            "value": f"≤ {proved['value']:.1%}" if useful else "none",
            "detail": f"with {proved['confidence']:.0%} confidence"
            if useful and proved["confidence"]
            else "see How far to trust it",
            "tone": "",
        }
    )
    if "reason" not in certified and len(certified["radii"]) > 1:
        stepped = certified["step"] == 1
        found.append(
            {
                "what": "right, and proved to stay so",
                "value": f"{certified['certified'][1]:.1%}" if stepped else f"r = {certified['median'] or 0:.3g}",
                "detail": f"after any one {certified['unit'] or 'step'}"
                if stepped
                else "for half of the answers, at this distance",
                "tone": "",
            }
        )
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


def _row_name(facts: dict[str, Any], index: int) -> str:
    """What to call an object, as the scripts of the page do."""
    objects = facts["objects"]
    number = f"{'row' if objects['counted_from'] else 'object'} {index + objects['counted_from']:,}"
    return number if objects["name"] is None else f"{objects['name'][objects['index'].index(index)]} ({number})"


def _numbering(facts: dict[str, Any]) -> str:
    if facts["objects"]["counted_from"]:
        return "Rows are counted from 1, the header not counted."
    return "Objects are counted from 0, as they were passed."


def _contents(facts: dict[str, Any]) -> str:
    """What the file holds of the data: whoever gets it should know."""
    if not facts["shows_objects"]:
        return (
            "This file holds no objects and no names of rows. It does hold row numbers, the names of classes, where objects lie "
            "on the map, and distances between neighbours."
        )
    held = len(facts["objects"]["index"])
    own = "" if facts["error"]["how"] == "new" else ", training objects among them"
    return (
        f"This file holds {held:,} of the {facts['objects']['n']:,} objects themselves{own}, with their labels: give it only to "
        "those who may see them. show_objects=False, or --no-objects on the command line, leaves them out."
    )
