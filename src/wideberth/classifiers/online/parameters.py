"""What the parameters of the online classifier may be, together and one by one, and the engine for those who leave it open."""

from math import isfinite
from typing import Any

from wideberth.classifiers.online.features import Features
from wideberth.classifiers.online.joint import JointPartition
from wideberth.classifiers.online.pairs import PairwisePartition
from wideberth.errors import InvalidInput
from wideberth.estimators.constraints import Fits, check_parameters
from wideberth.metrics.parameters import is_number, is_whole

#: How knowledge of all labels is kept, by engine.
ENGINES: dict[str, type[PairwisePartition] | type[JointPartition]] = {
    "sampling": PairwisePartition,
    "ellipsoid": PairwisePartition,
    "exact": PairwisePartition,
    "joint": JointPartition,
}
#: With more features than this, sampling takes longer than most streams leave it: some 2 ms a pair up to here, 20 for 30.
MOST_SAMPLED_FEATURES = 24


def check_online_parameters(model: Any) -> None:
    """Raise an `InvalidInput` for parameters that do not fit, or do not fit together."""
    check_parameters(model, _FITS)
    if model.similarity != "lp":
        _raise_if(model.p != 2, model, "p", f"similarity={model.similarity!r} has no power", 'Use similarity="lp" for it.')
        for name in ("separation", "resolution", "degree"):
            given = getattr(model, name) is not None
            _raise_if(given, model, name, f"features for similarity={model.similarity!r} are exact without it", "Leave it out.")
    for one, other in (("separation", "resolution"), ("resolution", "separation")):
        alone = getattr(model, one) is not None and getattr(model, other) is None
        _raise_if(alone, model, one, f"it is used together with a {other}", f"Give a {other} too, or a degree alone.")
    both = model.degree is not None and model.resolution is not None
    _raise_if(both, model, "degree", "degrees follow from the resolution", "Leave it out, or separation and resolution.")
    if model.engine == "joint":
        _raise_if(model.update == "paper", model, "update", "the joint engine always learns from every label", "Leave it out.")
        _raise_if(model.resolution is not None, model, "resolution", "the joint engine has no rungs", "Give a degree instead.")
    unfit = model.noise > 0 and model.engine in ("ellipsoid", "exact", "joint")
    _raise_if(unfit, model, "engine", f"it cannot handle noise={model.noise}", 'Leave it at "auto", or take noise=0.')


def engine_for(model: Any, features: Features) -> str:
    """The engine that is asked for, or the best that the number of features allows; soft cuts where labels may be wrong."""
    if model.noise > 0:
        return "soft"
    if model.engine != "auto":
        return str(model.engine)
    return "sampling" if features.largest_dimension <= MOST_SAMPLED_FEATURES else "ellipsoid"


def _raise_if(condition: bool, model: Any, name: str, why: str, advice: str) -> None:
    if condition:
        value = getattr(model, name)
        raise InvalidInput(f"{name}={value!r} does not fit: {why}.", advice=advice, value=value)


def _one_of(*known: str) -> Fits:
    return Fits(lambda value: isinstance(value, str) and value in known, f"Choose one of {', '.join(known)}.")


def _positive(value: Any) -> bool:
    return is_number(value) and value > 0 and isfinite(value)


def _positive_or_none(value: Any) -> bool:
    return value is None or _positive(value)


_FITS = {
    "similarity": _one_of("euclidean", "inner", "lp"),
    "p": Fits(is_number, "Give a number from 2 on."),
    "alpha": Fits(_positive_or_none, "Give a positive power of the loss, or None for 1."),
    "radius": Fits(_positive, "Give the largest length that a query can have."),
    "engine": _one_of("auto", *ENGINES),
    "update": _one_of("informative", "paper"),
    "separation": Fits(_positive_or_none, "Give the least distance of two centres, or None."),
    "resolution": Fits(_positive_or_none, "Give the least loss that counts, or None."),
    "degree": Fits(lambda value: value is None or is_whole(value, 1), "Give a degree from 1 on, or None."),
    "noise": Fits(lambda value: is_number(value) and 0 <= value < 0.5, "Give the share of wrong labels, below 0.5."),
    "inconsistent": _one_of("error", "ignore", "soften"),
}
