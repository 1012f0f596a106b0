"""All facts of a report, gathered once: plain data that a page, a test or another program can read."""

import warnings
from collections.abc import Sequence
from typing import Any

import wideberth
from wideberth.report.facts.certified import certified_facts
from wideberth.report.facts.confusions import confusion_facts
from wideberth.report.facts.doctor_page import doctor_facts
from wideberth.report.facts.errors import certificate_facts, error_facts
from wideberth.report.facts.given import GivenObjects
from wideberth.report.facts.in_short import in_short
from wideberth.report.facts.judged import Judged
from wideberth.report.facts.leaderboard import leaderboard_facts
from wideberth.report.facts.learned import learned_facts
from wideberth.report.facts.margins import margin_facts
from wideberth.report.facts.neighbours import KnownObjects, near_facts, training_facts
from wideberth.report.facts.next_steps import next_steps, rows_to_check
from wideberth.report.facts.notable import notable_facts
from wideberth.report.facts.settings_curve import settings_facts
from wideberth.report.facts.shown_objects import answered, choose_shown, differences, object_facts
from wideberth.report.facts.space.space_map import map_facts, states
from wideberth.report.json_block import plain
from wideberth.report.safe_text import safe_name

#: The version of the facts, for programs that read them.
VERSION = 1


def gather_facts(
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
) -> dict[str, Any]:
    """Everything that a report says.

    Parameters
    ----------
    model, X, y
        A fitted classifier, objects and their labels.
    names, columns, title, show_objects, counted_from, independent
        As in `wideberth.report.Report`.

    Returns
    -------
    dict
        Dicts, lists, numbers, texts, truth values and None only.
    """
    with warnings.catch_warnings(action="ignore", category=UserWarning):  # the parts of a frame are arrays, without its names
        given = GivenObjects.of(model, X, y, names, counted_from, columns, independent=independent)
        return _gathered(given, title, show_objects)


def _gathered(given: GivenObjects, title: str | None, show_objects: bool) -> dict[str, Any]:
    judged = Judged.of(given)
    notable = notable_facts(given, judged)
    confusion = confusion_facts(given, judged)
    certified = certified_facts(given, judged)
    check = rows_to_check(given, judged, notable)
    lists = [[each["index"] for each in check], *(notable[name].get("index", ()) for name in notable)]
    cells = [cell[3] for cell in confusion.get("cells", ()) if cell[0] != cell[1]]
    shown = choose_shown(given, [*lists, *cells])
    proved = dict(zip(certified.pop("index", ()), certified.pop("proved", ()), strict=True))
    known = KnownObjects.of(given)
    near = near_facts(given, known, shown, answered(given, judged))
    facts: dict[str, Any] = {
        "version": VERSION,
        "made_by": f"wideberth {wideberth.__version__}",
        "title": safe_name(title or "What the model learned"),
        "shows_objects": show_objects,
        "learned": learned_facts(given),
        "error": error_facts(given, judged),
        "certificate": certificate_facts(given, show_objects=show_objects),
        "certified": certified,
        "leaderboard": leaderboard_facts(given),
        "settings": settings_facts(given),
        "map": map_facts(given, judged),
        "margins": margin_facts(given, judged),
        "confusion": confusion,
        "notable": notable,
        "doctor": doctor_facts(given, show_objects=show_objects),
        "check_first": check,
        "objects": object_facts(given, judged, shown, proved, states(given), near, show_objects=show_objects),
    }
    doubted = [int(each) for each in [*lists[0], *lists[1]]]
    facts["differences"] = differences(given, near, doubted) if show_objects else {}
    facts["training"] = training_facts(given, known, near, show_objects=show_objects)
    facts["next"] = next_steps(facts)
    facts["in_short"] = in_short(facts)
    found: dict[str, Any] = plain(facts)
    return found
