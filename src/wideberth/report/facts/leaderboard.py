"""What an automatic choice compared, and why it took what it took."""

from typing import Any

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
    comparison = given.classifier.comparison()
    if comparison is None:
        return {"reason": "The method was given: nothing else was compared with it. wideberth.AutoClassifier compares them all."}
    if not comparison.rows:
        return {"reason": comparison.in_words}
    rows = [
        {name: row[name] for name in _COLUMNS} | {"why": row["why"], "radius": row["median_radius"], "unit": row["radius_unit"]}
        for row in comparison.rows
    ]
    return {"rows": rows, "choice": comparison.in_words, "expected_error": comparison.expected_error}
