"""Check the parameters of contextual search."""

from typing import Any

from wideberth.classifiers.online.parameters import is_positive, one_of
from wideberth.errors import InvalidInput
from wideberth.estimators.constraints import Fits, check_parameters
from wideberth.metrics.parameters import is_number
from wideberth.wording import setting

ENGINES = ("sampling", "ellipsoid", "exact")

_FITS = {
    "radius": Fits(is_positive, "Give the largest length that the hidden vector can have."),
    "alpha": Fits(is_positive, "Give a positive power of the loss."),
    "engine": one_of("auto", *ENGINES),
    "noise": Fits(lambda value: is_number(value) and 0 <= value < 0.5, "Give the share of wrong answers, below 0.5."),
    "inconsistent": one_of("soften", "ignore", "error"),
}


def check_search_parameters(model: Any) -> None:
    """Check the values of all parameters of a `wideberth.ContextualSearch`; an `InvalidInput` for the first that does not fit.

    Examples
    --------
    >>> from wideberth import ContextualSearch
    >>> check_search_parameters(ContextualSearch(radius=-1))
    Traceback (most recent call last):
    ...
    wideberth.errors.InvalidInput: radius=-1 ... Give the largest length that the hidden vector can have.
    """
    check_parameters(model, _FITS)
    if model.noise > 0 and model.engine != "auto":
        raise InvalidInput(
            f"{setting('engine', model.engine)} does not fit: it cannot handle {setting('noise', shown=model.noise)}.",
            advice='Leave it at "auto", or take noise=0.',
            value=model.engine,
        )
