"""What the parameters of the online classifier may be, together and one by one, and the engine for those who leave it open."""

from math import isfinite
from typing import Any

from wideberth.classifiers.online.features import Features
from wideberth.classifiers.online.joint import Joint
from wideberth.classifiers.online.pairs import PairwisePartition
from wideberth.errors import InvalidInput
from wideberth.estimators.constraints import Fits, check_parameters
from wideberth.metrics.parameters import is_number, is_whole

#: How knowledge of all labels is kept, by engine.
ENGINES: dict[str, type[PairwisePartition] | type[Joint]] = {
    "sampling": PairwisePartition,
    "ellipsoid": PairwisePartition,
    "exact": PairwisePartition,
    "joint": Joint,
}
#: With more features than this, sampling takes longer than most streams leave it: some 2 ms a pair up to here, 20 for 30.
SAMPLED_AT_MOST = 24


def check(model: Any) -> None:
    """Raise an `InvalidInput` for parameters that do not fit, or do not fit together."""
    check_parameters(model, _FITS)
    if model.similarity != "lp":
        _refuse(model.p != 2, model, "p", f"similarity={model.similarity!r} has no power", 'Use similarity="lp" for it.')
        for name in ("separation", "resolution", "degree"):
            given = getattr(model, name) is not None
            _refuse(given, model, name, f"features for similarity={model.similarity!r} are exact without it", "Leave it out.")
    for one, other in (("separation", "resolution"), ("resolution", "separation")):
        alone = getattr(model, one) is not None and getattr(model, other) is None
        _refuse(alone, model, one, f"it goes with a {other}", f"Give a {other} too, or a degree alone.")
    both = model.degree is not None and model.resolution is not None
    _refuse(both, model, "degree", "degrees follow from the resolution", "Leave it out, or separation and resolution.")
    if model.engine == "joint":
        _refuse(model.update == "paper", model, "update", "the joint engine learns all that a label says", "Leave it out.")
        _refuse(model.resolution is not None, model, "resolution", "the joint engine has no rungs", "Give a degree instead.")
    unfit = model.noise > 0 and model.engine in ("ellipsoid", "exact", "joint")
    _refuse(unfit, model, "engine", f"it cannot bear noise={model.noise}", 'Leave it at "auto", or take noise=0.')


def engine_for(model: Any, features: Features) -> str:
    """The engine that is asked for, or the best that the number of features allows; soft cuts where labels may be wrong."""
    if model.noise > 0:
        return "soft"
    if model.engine != "auto":
        return str(model.engine)
    return "sampling" if features.largest <= SAMPLED_AT_MOST else "ellipsoid"


def _refuse(condition: bool, model: Any, name: str, why: str, advice: str) -> None:
    if condition:
        value = getattr(model, name)
        raise InvalidInput(f"{name}={value!r} does not fit: {why}.", advice=advice, value=value)


def _one_of(*known: str) -> Fits:
    return Fits(lambda value: isinstance(value, str) and value in known, f"Choose one of {', '.join(known)}.")


def _positive(value: Any) -> bool:
    return is_number(value) and value > 0 and isfinite(value)


_FITS = {
    "similarity": _one_of("euclidean", "inner", "lp"),
    "p": Fits(is_number, "Give a number from 2 on."),
    "alpha": Fits(lambda value: value is None or _positive(value), "Give a positive power of the loss, or None for 1."),
    "radius": Fits(_positive, "Give the largest length that a query can have."),
    "engine": _one_of("auto", *ENGINES),
    "update": _one_of("informative", "paper"),
    "separation": Fits(lambda value: value is None or _positive(value), "Give the least distance of two centres, or None."),
    "resolution": Fits(lambda value: value is None or _positive(value), "Give the least loss that counts, or None."),
    "degree": Fits(lambda value: value is None or is_whole(value, 1), "Give a degree from 1 on, or None."),
    "noise": Fits(lambda value: is_number(value) and 0 <= value < 0.5, "Give the share of wrong labels, below 0.5."),
    "inconsistent": _one_of("error", "ignore", "soften"),
}
