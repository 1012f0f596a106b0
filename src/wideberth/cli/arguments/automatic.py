"""The automatic choice as the command line sets it up: the metrics to try, the time and what to
prefer.
"""

from inspect import signature
from typing import Any

from wideberth.choice.candidate_metrics import candidate_metrics
from wideberth.choice.classifier import AutoClassifier
from wideberth.cli.arguments.data import DataOptions
from wideberth.cli.arguments.models import check_settings, objects_and_metric
from wideberth.errors import InvalidInput
from wideberth.io.readers import Records
from wideberth.metrics.metric import Metric
from wideberth.metrics.named import KNOWN_KINDS, NAME_IN_DATA

#: Parameters of `AutoClassifier` that options of their own decide.
_ELSEWHERE = {
    "metric": "--metric",
    "max_time": "--time",
    "prefer": "--prefer",
    "max_memory": "--max-memory",
}
#: The kinds by the names that readers use.
_KIND_OF = {
    NAME_IN_DATA.get(kind, kind): kind
    for kind, known in KNOWN_KINDS.items()
    if known.usual_metric is not None
}


def objects_and_metrics(
    data: DataOptions, records: Records, *, prefer: str | None = None
) -> tuple[Any, str | Metric | list[Metric]]:
    """The objects, and the metric that the options name, or the list of those that are tried on
    objects of their kind.

    Parameters
    ----------
    data : DataOptions
        The options of the command.
    records : Records
        The objects that were read.
    prefer : str or None
        What the choice prefers: for "certified" strings are measured in edits too.

    Returns
    -------
    objects : sample
    metric : str, Metric or list of Metric

    Examples
    --------
    >>> records = Records(
    ...     ["tea"], None, kind="strings", column="word", target=None, path="drinks.csv"
    ... )
    >>> [each.name for each in objects_and_metrics(DataOptions(("drinks.csv",)), records)[1]]
    ['ngrams', 'rare_ngrams', 'normalized_levenshtein']
    """
    objects, metric = objects_and_metric(data, records)
    if data.metric is not None or records.kind == "distances":
        return objects, metric
    return objects, candidate_metrics(
        _KIND_OF[records.kind], objects, certified=prefer == "certified"
    )


def make_automatic(
    metric: Any,
    settings: dict[str, Any],
    *,
    time: float | None,
    prefer: str | None,
    max_memory: str,
) -> AutoClassifier:
    """An automatic choice that is not fitted.

    Parameters
    ----------
    metric : str, Metric or list of Metric
        From `objects_and_metrics`.
    settings : dict
        Other parameters, as ``--param`` gives them.
    time : float or None
        Seconds for choosing; None for the usual ones.
    prefer : str or None
        What to prefer; None for the accuracy.
    max_memory : str
        Memory budget for distances.

    Returns
    -------
    AutoClassifier

    Raises
    ------
    InvalidInput
        If it has no such parameter, or an option of its own sets it.

    Examples
    --------
    >>> make_automatic(
    ...     "levenshtein", {"holdout": 0.2}, time=10, prefer=None, max_memory="1GB"
    ... ).max_time
    10
    """
    check_settings("the automatic choice", AutoClassifier(), settings, _ELSEWHERE)
    usual = signature(AutoClassifier).parameters
    return AutoClassifier(
        metric,
        **{"random_state": 0} | settings,
        max_time=usual["max_time"].default if time is None else time,
        prefer=usual["prefer"].default if prefer is None else prefer,
        max_memory=max_memory,
    )


def check_no_tuning(tune: bool, settings: dict[str, Any]) -> None:
    """Refuse what only a named classifier has: ``--tune``, and a price of errors."""
    if tune:
        raise InvalidInput(
            "--tune is for a classifier that --model names: the automatic choice compares settings "
            "anyway.",
            advice="Leave it out, or name a classifier, such as --model svm.",
            value=tune,
        )
    if "C" in settings:
        raise InvalidInput(
            f"C = {settings['C']!r} is the price of errors of a single classifier, and none is "
            "named.",
            advice="Name it, such as --model lipschitz, or leave out C: the automatic choice finds "
            "it.",
            value=settings["C"],
        )
