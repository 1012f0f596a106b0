"""What an automatic choice compared, and why it took what it took."""

from typing import Any

from wideberth.choice.classifier import AutoClassifier
from wideberth.report.facts.given import GivenObjects

_COLUMNS = ("metric", "family", "error", "standard_error", "certified", "fit_seconds", "answer_microseconds", "objects_kept")


def leaderboard_facts(given: GivenObjects) -> dict[str, Any]:
    """The table of the choice, the winner first, with the words of the model about it.

    Parameters
    ----------
    given : GivenObjects
        The model and the objects.

    Returns
    -------
    dict
        ``rows``, ``choice``, ``expected_error``; a ``reason`` if nothing was chosen.
    """
    if not isinstance(given.model, AutoClassifier):
        return {"reason": "The method was given: nothing else was compared with it. wideberth.AutoClassifier compares them all."}
    if not given.model.leaderboard_:
        return {"reason": given.model.choice_}
    rows = [
        {name: row[name] for name in _COLUMNS} | {"why": row["why"], "radius": row["median_radius"], "unit": row["radius_unit"]}
        for row in given.model.leaderboard_
    ]
    return {"rows": rows, "choice": given.model.choice_, "expected_error": given.model.expected_error_}
