"""Make the classifier that a command names, with the settings that people typed.

Names come from the table of classifiers, settings from the signatures of the classes: what is added there is known here.
"""

from collections.abc import Mapping
from inspect import signature
from typing import Any

from wideberth.classifiers.named import CLASSIFIERS, NamedClassifier, choosers
from wideberth.errors import InvalidInput
from wideberth.metrics.metric import Metric

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

    Parameters
    ----------
    model : str
        A key of `wideberth.classifiers.named.CLASSIFIERS`.
    metric : str or Metric
        The metric.
    settings : dict
        Parameters of the constructor by name, as ``--param`` gives them.
    n_objects : int
        How many objects it will learn from: the SVM uses landmarks where all pairs of them do not fit in memory.
    tune : bool
        Choose the settings that are not given by cross-validation.
    max_memory : str
        Memory budget for distances.

    Returns
    -------
    MetricClassifier

    Raises
    ------
    InvalidInput
        If the classifier has no such setting, or none to choose.

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


def settings_of(classifier: Any) -> dict[str, Any]:
    """The settings that ``--param`` takes for a classifier, with their values.

    Examples
    --------
    >>> from wideberth import NeighborsClassifier
    >>> settings_of(NeighborsClassifier("levenshtein", n_neighbors=3))["n_neighbors"]
    3
    """
    return {name: value for name, value in classifier.get_params(deep=False).items() if name not in _ELSEWHERE}


def _choosing(entry: NamedClassifier, single: Any, settings: dict[str, Any]) -> Any:
    """The classifier that chooses its settings; what fits these data in other respects is passed on to it."""
    if entry.chooser_name is None:
        raise InvalidInput(
            f"--tune has no meaning for {entry.name}: it has no settings that cross-validation chooses.",
            advice=f"It is there for {', '.join(tunable())}; others choose while they learn, or take --param.",
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
        if name in takes and name != "metric" and name not in settings and value != plain[name].default
    }
    adapted.pop("C", None)  # the usual one, where others are to be tried
    return chooser(single.metric, **{"random_state": 0} | adapted)


def check_settings(model: str, made: Any, settings: dict[str, Any], elsewhere: Mapping[str, str] = _ELSEWHERE) -> None:
    """Raise an `InvalidInput` for a setting that a classifier does not have.

    Parameters
    ----------
    model : str
        What people call the classifier.
    made : classifier
        Not fitted.
    settings : dict
        Parameters by name, as ``--param`` gives them.
    elsewhere : mapping of str to str
        The parameters that options of their own decide.

    Examples
    --------
    >>> from wideberth import NeighborsClassifier
    >>> check_settings("neighbors", NeighborsClassifier(), {"n_neighbors": 3})
    """
    known = settings_of(made)
    for name, value in settings.items():
        if name in elsewhere:
            raise InvalidInput(f"{name} is not set with --param.", advice=f"Use {elsewhere[name]}.", value=value)
        if name not in known:
            others = [each for each, entry in CLASSIFIERS.items() if name in signature(entry.load()).parameters]
            advice = f"It has {', '.join(known)}." + (f" {name} is a setting of {' and '.join(others)}." if others else "")
            raise InvalidInput(f"{name} = {value!r} has no meaning for {model}.", advice=advice, value=value)
