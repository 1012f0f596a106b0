"""A vote of classifiers as plain values and back: the classifier that was passed, and what was learned
from each part.
"""

from collections.abc import Callable
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideberth.errors import InvalidInput
from wideberth.estimators import restored_values
from wideberth.estimators.metric_classifier import MetricClassifier
from wideberth.io.model_file import model_parts as parts
from wideberth.io.model_file.provenance import Provenance
from wideberth.metrics.metric import Metric
from wideberth.metrics.named import METRICS
from wideberth.metrics.named import metric as as_metric
from wideberth.metrics.parameters import is_whole

#: The class of a vote, as files name it.
VOTE = "PartitionVoteClassifier"
_OF_VOTE = {"class", "parameters", "estimator", "labels", "features", "feature_names", "parts"}
_OF_PART = {"n_rows", "classes", "constant", "classifier"}

#: Describes a fitted estimator, with its provenance, or makes it from a description.
Describe = Callable[[Any], dict[str, Any]]
Make = Callable[[dict[str, Any]], tuple[Any, Any]]


def check_classifier(model: Any) -> None:
    """Refuse a vote of classifiers that a file cannot hold.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from wideberth import PartitionVoteClassifier
    >>> check_classifier(PartitionVoteClassifier(DecisionTreeClassifier()))
    Traceback (most recent call last):
    ...
    wideberth.errors.InvalidInput: A vote of DecisionTreeClassifier cannot be saved. ...
    """
    name = type(model.estimator).__name__
    if name not in parts.SAVABLE or not isinstance(model.estimator, MetricClassifier):
        raise InvalidInput(
            f"A vote of {name} cannot be saved.",
            advice="Model files hold votes of wideberth's classifiers.",
            value=model.estimator,
        )


def vote_to_plain(model: Any, describe: Describe, plain_parameters: Any) -> dict[str, Any]:
    """Describe a fitted vote, with its provenance."""
    described = [
        None if part.classifier is None else describe(part.classifier) for part in model.parts_
    ]
    held = sum(each.pop("provenance").n_held for each in described if each is not None)
    names = getattr(model, "feature_names_in_", None)
    parameters = model.get_params(deep=False)
    return {
        "class": VOTE,
        "estimator": _template_to_plain(parameters.pop("estimator"), plain_parameters),
        "parameters": plain_parameters(model, parameters),
        "labels": np.asarray(model.classes_),
        "features": getattr(model, "n_features_in_", None),
        "feature_names": None if names is None else [str(name) for name in names],
        "parts": [
            {
                "n_rows": part.n_rows,
                "classes": np.searchsorted(model.classes_, part.classes),
                "constant": None if part.constant is None else _code(model.classes_, part.constant),
                "classifier": found,
            }
            for part, found in zip(model.parts_, described, strict=True)
        ],
        "provenance": _provenance(model, held),
    }


def vote_from_plain(
    plain: dict[str, Any], make: Make, labels: NDArray[Any]
) -> tuple[Any, Provenance]:
    """Make the vote that `vote_to_plain` described; nothing in the description is trusted. ``labels``
    are its checked classes.
    """
    if plain.keys() != _OF_VOTE | {"origin", "notes"}:
        raise ValueError("these values are not a vote")
    chosen = parts.savable_class(VOTE)
    template = _template_from_plain(plain["estimator"])
    restored_values.check_complete({"estimator": template, **plain["parameters"]}, chosen)
    model = chosen(template, **plain["parameters"])
    model.check_parameters()
    if len(plain["parts"]) != model.n_parts:
        raise ValueError(f"{len(plain['parts'])} parts, and n_parts is {model.n_parts}")
    made = [_part(each, make, labels, template) for each in plain["parts"]]
    model.classes_, model.parts_ = labels, tuple(part for part, _ in made)
    if plain["features"] is not None:
        model.n_features_in_ = restored_values.whole(
            plain, "features", least=1, most=restored_values.ANY_POSITION
        )
    if plain["feature_names"] is not None:
        names = plain["feature_names"]
        if len(names) != plain["features"] or not all(isinstance(name, str) for name in names):
            raise ValueError(f"{len(names)} names of {plain['features']} features")
        model.feature_names_in_ = np.array(names, dtype=object)
    return model, _provenance(model, sum(held for _, held in made))


def _part(
    plain: dict[str, Any], make: Make, labels: NDArray[Any], template: Any
) -> tuple[Any, int]:
    """What was learned from a part, and how many objects the file holds of it."""
    from wideberth.classifiers.partition_vote.classifier import VotingPart

    if plain.keys() != _OF_PART:
        raise ValueError("these values are not a part of a vote")
    classes = restored_values.codes(plain, "classes", len(plain["classes"]), below=len(labels))
    n_rows = restored_values.whole(
        plain, "n_rows", least=len(classes), most=restored_values.ANY_POSITION
    )
    if len(np.unique(classes)) < len(classes) or (n_rows > 0) != (len(classes) > 0):
        raise ValueError(f"{n_rows} rows do not have the classes {classes.tolist()}")
    constant, described = plain["constant"], plain["classifier"]
    if described is None:
        if (constant is None) != (n_rows == 0):
            raise ValueError("a part with rows has a classifier or a label")
        label = None if constant is None else labels[_one_of(constant, classes)].item()
        return VotingPart(n_rows, labels[classes], None, label), 0
    classifier, objects = make(described)
    if type(classifier) is not type(template) or constant is not None:
        raise ValueError("the parts of a vote have classifiers of one family")
    measures = None if template.measures_by_several else as_metric(template.metric).name
    if measures not in (None, classifier.metric_.name):
        raise ValueError(f"a part measures by {classifier.metric_.name!r}, not by {measures!r}")
    if not np.array_equal(classifier.classes_, labels[classes]):
        raise ValueError("the classifier of a part has other classes")
    return VotingPart(n_rows, labels[classes], classifier), 0 if objects is None else len(objects)


def _one_of(code: Any, classes: NDArray[Any]) -> int:
    if not is_whole(code, 0) or code not in classes:
        raise ValueError(f"{code!r} is no class of the part")
    return int(code)


def _code(classes: NDArray[Any], label: Any) -> int:
    return int(np.searchsorted(classes, label))


def _provenance(model: Any, n_held: int) -> Provenance:
    from wideberth.io.model_file.provenance import provenance_of

    own = provenance_of(model, None)
    return Provenance(model.n_learned, n_held, None, own.random_state, own.versions)


def _template_to_plain(estimator: Any, plain_parameters: Any) -> dict[str, Any]:
    """A classifier that is not fitted."""
    parameters = estimator.get_params(deep=False)
    given = parameters.pop("metric")
    usual = signature(type(estimator)).parameters["metric"].default
    by_name = isinstance(given, str) and given in METRICS
    metric = None
    if by_name or not (isinstance(given, str) and given == usual):
        metric = parts.metric_to_plain(as_metric(given)) | {"by_name": by_name}
    return {
        "class": type(estimator).__name__,
        "parameters": plain_parameters(estimator, parameters),
        "metric": metric,
    }


def _template_from_plain(plain: Any) -> Any:
    """The classifier that is not fitted, with checked parameters."""
    if not isinstance(plain, dict) or plain.keys() != {"class", "parameters", "metric"}:
        raise ValueError("these values are not a classifier")
    chosen = parts.savable_class(plain["class"])
    if not issubclass(chosen, MetricClassifier):
        raise ValueError(f"{plain['class']} is no classifier on a metric")
    restored_values.check_complete(plain["parameters"], chosen)
    described = plain["metric"]
    if described is None:
        model = chosen(**plain["parameters"])
    else:
        metric: Metric = parts.metric_from_plain(described)
        if type(described["by_name"]) is not bool or (
            described["by_name"] and metric.name not in METRICS
        ):
            raise ValueError(f"{metric.name!r} is not the name of a metric")
        model = chosen(metric.name if described["by_name"] else metric, **plain["parameters"])
    model.check_parameters()
    return model
