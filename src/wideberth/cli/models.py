"""Make the classifier that a command names, with the settings that people typed.

Names come from the table of classifiers, settings from the signatures of the classes: what is added
there is known here.
"""

from collections.abc import Callable, Mapping
from inspect import signature
from typing import Any

import numpy as np

from wideberth.choice.candidate_metrics import candidate_metrics
from wideberth.choice.classifier import AutoClassifier
from wideberth.choice.entries import short_name
from wideberth.classifiers.named import CLASSIFIERS, NamedClassifier, choosers
from wideberth.cli.data import DataOptions
from wideberth.cli.values import parse_metric
from wideberth.errors import InvalidInput
from wideberth.estimators.metric_classifier import MetricClassifier
from wideberth.io.readers import Records
from wideberth.metrics.metric import Metric, promise_names
from wideberth.metrics.named import KNOWN_KINDS, NAME_IN_DATA, USUAL_METRIC, metric
from wideberth.metrics.precomputed import Precomputed
from wideberth.metrics.vectors.mahalanobis import Standardized, units_differ
from wideberth.objects.sample import shown

# ---- Choose the metric of a command: the one that people name, or the usual one for their objects

#: What can be declared of given distances.
DECLARABLE = [name for name in signature(Precomputed).parameters if name in promise_names()]


#: What to choose from where a classifier cannot use the usual metric: those whose distances are
#: differences of counts.
_IN_COUNTS: dict[str, Callable[[Any], list[Metric]]] = {
    "strings": lambda texts: candidate_metrics("strings", texts),
    "vectors": lambda _: [metric("manhattan")],
}


def objects_and_metric(
    data: DataOptions, records: Records, written: str | None = None, *, model: str | None = None
) -> tuple[Any, str | Metric]:
    """Choose the metric: the one that is written or that the options name, or the usual one for the
    kind of the objects that suits the model; with what a classifier on it is fitted on.

    Examples
    --------
    >>> records = Records(
    ...     ["tea"], None, kind="strings", column="word", target=None, path="drinks.csv"
    ... )
    >>> objects_and_metric(DataOptions(("drinks.csv",)), records)
    (['tea'], 'levenshtein')
    """
    named = written or data.metric
    if data.metric == "":
        metric("")
    chosen = usual_metric(records, model) if named is None else parse_metric(named)
    _check_kind(records, chosen)
    if not data.declare:
        return records.objects, chosen
    unknown = sorted(set(data.declare) - set(promise_names()))
    if unknown or chosen != Precomputed.name:
        problem = (
            f"--declare {unknown[0]} is no promise."
            if unknown
            else f"{chosen!r} says itself what it promises."
        )
        advice = f"Of a matrix of distances can be declared: {', '.join(DECLARABLE)}."
        raise InvalidInput(problem, advice=advice, value=data.declare)
    promised = metric(chosen, distances=records.objects, **dict.fromkeys(data.declare, True))
    return np.arange(len(records)), promised


def _check_kind(records: Records, chosen: str | Metric) -> None:
    """Refuse a metric on single texts or numbers for rows of several columns, with the ways out."""
    accepts = "indices" if chosen == Precomputed.name else metric(chosen).accepts
    if records.kind != "rows" or accepts in ("rows", "objects"):
        return
    name = chosen if isinstance(chosen, str) else chosen.name
    columns = [records.column] if isinstance(records.column, str) else list(records.column or ())
    raise InvalidInput(
        f"{name!r} measures {NAME_IN_DATA.get(accepts, accepts)}, and the objects are rows of "
        f"{len(columns)} columns: {', '.join(map(shown, columns[:8]))}.",
        advice="Name the column or the columns of the objects with --column, or use --metric "
        "gower, which measures rows.",
        value=name,
    )


def usual_metric(records: Records, model: str | None = None) -> str:
    """Look up the usual metric for objects of a kind; for numbers whose columns differ in their
    units it is "standardized".

    Where a model cannot use it, it is the first of those for the kind that it can use.

    Examples
    --------
    >>> words = Records(
    ...     ["tea"], None, kind="strings", column="word", target=None, path="drinks.csv"
    ... )
    >>> usual_metric(words), usual_metric(words, "linear")
    ('levenshtein', 'ngrams')
    """
    if records.kind not in USUAL_METRIC:
        raise InvalidInput(
            f"There is no usual metric for the {records.kind} in {records.path}.",
            advice="Name one with --metric; 'wideberth metrics' lists them.",
            value=records.kind,
        )
    differ = records.kind == "vectors" and len(records) and units_differ(records.objects)
    usual = Standardized.name if differ else USUAL_METRIC[records.kind]
    if model is None or records.kind not in _IN_COUNTS or CLASSIFIERS[model].suits(usual):
        return usual
    suited = [
        each.name
        for each in _IN_COUNTS[records.kind](records.objects)
        if CLASSIFIERS[model].suits(each)
    ]
    return suited[0] if suited else usual


def metric_in_words(
    data: DataOptions,
    records: Records,
    chosen: str | Metric | list[Metric],
    model: str | None = None,
) -> str:
    """The metric, and that it was chosen if nobody named it, for a model by its short name; or the
    metrics that are tried.

    Examples
    --------
    >>> records = Records(
    ...     ["tea"], None, kind="strings", column="word", target=None, path="drinks.csv"
    ... )
    >>> metric_in_words(DataOptions(("drinks.csv",)), records, "levenshtein")
    "Metric: levenshtein, chosen because the objects are strings. --metric names another, 'wideberth metrics' lists them."
    """
    if isinstance(chosen, list) and len(chosen) == 1:
        chosen = chosen[0].name
    if isinstance(chosen, list):
        names = ", ".join(dict.fromkeys(short_name(each) for each in chosen))
        return (
            f"Metrics to try: {names}, because the objects are {records.kind}. --metric names one "
            "to use."
        )
    name = chosen if isinstance(chosen, str) else _shortened(repr(chosen))
    if data.metric is not None:
        return f"Metric: {name}, as --metric says."
    if records.kind == "distances":
        declared = f", of which {' and '.join(data.declare)} is declared" if data.declare else ""
        return f"Metric: the distances in the file{declared}."
    spread = (
        ", and the spread of one column is ten times the median"
        if name == Standardized.name
        else ""
    )
    suited = (
        f", and --model {model} needs one of counts"
        if model is not None and name != usual_metric(records)
        else ""
    )
    return (
        f"Metric: {name}, chosen because the objects are {records.kind}{spread}{suited}. --metric "
        "names another, 'wideberth metrics' lists them."
    )


def _shortened(text: str) -> str:
    """A text without its middle, if it is long: costs of many pairs."""
    return text if len(text) <= 100 else f"{text[:60]} ... {text[-20:]}"


#: Parameters that options other than ``--param`` decide.
_ELSEWHERE = {"metric": "--metric", "max_memory": "--max-memory"}


def make_classifier(
    model: str,
    metric: str | Metric,
    settings: dict[str, Any],
    n_objects: int,
    *,
    tune: bool = False,
    max_memory: str = "2GB",
) -> Any:
    """Make an unfitted classifier by its short name.

    Of many objects, whose pairs do not fit in memory, the SVM uses landmarks. ``tune`` chooses the
    settings that are not given by cross-validation.

    Examples
    --------
    >>> make_classifier("lipschitz", "levenshtein", {}, 100).C
    5.0
    >>> make_classifier("margin", "levenshtein", {"separation": "compression"}, 100).separation
    'compression'
    >>> make_classifier("lp", "levenshtein", {"radial": "distance"}, 100, tune=True)
    LPMachineClassifierCV(metric='levenshtein', radial='distance', random_state=0)
    """
    entry = CLASSIFIERS[model]
    made = entry.set_up(metric, n_objects, max_memory=max_memory)
    if tune:
        made = _choosing(entry, made, settings)
    check_settings(model, made, settings)
    return made.set_params(**settings)


def tunable() -> list[str]:
    """The short names of the classifiers that have something to choose.

    Examples
    --------
    >>> "lipschitz" in tunable(), "neighbors" in tunable()
    (True, False)
    """
    return [entry.name for entry in choosers().values()]


def settings_of(classifier: MetricClassifier) -> dict[str, Any]:
    """The settings that ``--param`` takes for a classifier, with their values.

    Examples
    --------
    >>> from wideberth import NeighborsClassifier
    >>> settings_of(NeighborsClassifier("levenshtein", n_neighbors=3))["n_neighbors"]
    3
    """
    return {
        name: value
        for name, value in classifier.get_params(deep=False).items()
        if name not in _ELSEWHERE
    }


def _choosing(entry: NamedClassifier, single: Any, settings: dict[str, Any]) -> Any:
    """The classifier that chooses its settings; what fits these data in other respects is passed on
    to it.
    """
    if entry.chooser_name is None:
        raise InvalidInput(
            f"--tune has no meaning for {entry.name}: it has no settings that cross-validation "
            "chooses.",
            advice=f"It is there for {', '.join(tunable())}; others choose while they learn, or "
            "take --param.",
            value=entry.name,
        )
    if not isinstance(settings.get("C"), list | tuple | type(None)):
        raise InvalidInput(
            f"C = {settings['C']} is given, and --tune would choose it.",
            advice="Leave one of them out, or give values to choose from: --param C=[1,10,100].",
            value=settings["C"],
        )
    chooser = entry.load_chooser()
    takes = set(signature(chooser).parameters)
    plain = signature(type(single)).parameters
    adapted = {
        name: value
        for name, value in single.get_params(deep=False).items()
        if name in takes
        and name != "metric"
        and name not in settings
        and value != plain[name].default
    }
    adapted.pop("C", None)  # the usual one, where others are to be tried
    return chooser(single.metric, **{"random_state": 0} | adapted)


def check_settings(
    model: str, made: Any, settings: dict[str, Any], elsewhere: Mapping[str, str] = _ELSEWHERE
) -> None:
    """Raise an `InvalidInput` for a setting that a classifier does not have.

    Examples
    --------
    >>> from wideberth import NeighborsClassifier
    >>> check_settings("neighbors", NeighborsClassifier(), {"n_neighbors": 3})
    """
    known = settings_of(made)
    for name, value in settings.items():
        if name in elsewhere:
            raise InvalidInput(
                f"{name} is not set with --param.", advice=f"Use {elsewhere[name]}.", value=value
            )
        if name not in known:
            others = [
                each
                for each, entry in CLASSIFIERS.items()
                if name in signature(entry.load()).parameters
            ]
            advice = f"It has {', '.join(known)}." + (
                f" {name} is a setting of {' and '.join(others)}." if others else ""
            )
            raise InvalidInput(
                f"{name} = {value!r} has no meaning for {model}.", advice=advice, value=value
            )


#: Memory budget for distances; where the kernel matrix of an SVM would take more, landmarks replace
#: the objects.
MAX_MEMORY = "2GB"

# ---- The automatic choice as the command line sets it up: the metrics to try, the time and what to
# prefer.

#: Parameters of `AutoClassifier` that options of their own decide.
_ELSEWHERE_OF_AUTO = {
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

    Examples
    --------
    >>> make_automatic(
    ...     "levenshtein", {"holdout": 0.2}, time=10, prefer=None, max_memory="1GB"
    ... ).max_time
    10
    """
    check_settings("the automatic choice", AutoClassifier(), settings, _ELSEWHERE_OF_AUTO)
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


def check_named(model: str, time: float | None, prefer: str | None) -> None:
    """Refuse what only the automatic choice has."""
    for name, value in {"--time": time, "--prefer": prefer}.items():
        if value is not None:
            raise InvalidInput(
                f"{name} is for the automatic choice, --model auto.",
                advice=f"Leave out {name}, or --model {model}.",
                value=value,
            )
