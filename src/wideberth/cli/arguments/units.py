"""The unit of radii, as ``--unit`` names it."""

from collections.abc import Iterator

from wideberth.errors import InvalidInput, NotCertified
from wideberth.estimators.radius_rules import radius_unit
from wideberth.metrics.metric import Metric
from wideberth.metrics.named import METRICS, metric
from wideberth.metrics.precomputed import Precomputed
from wideberth.objects.sample import shown


def check_unit(measure: Metric, unit: str | None) -> None:
    """Refuse a unit in which no radius of a model is proved, with those that there are.

    Parameters
    ----------
    measure : Metric
        The metric of the model.
    unit : str or None
        What the user named.

    Raises
    ------
    InvalidInput
        If radii by this metric are not proved in that unit.

    Examples
    --------
    >>> check_unit(metric("levenshtein"), "edit")
    >>> check_unit(metric("manhattan"), "edit")
    Traceback (most recent call last):
    ...
    wideberth.errors.InvalidInput: --unit 'edit': no radius by 'manhattan' is proved in it. Leave --unit out, or name 'manhattan'.
    """
    if unit is None or _is_proved(measure, unit):
        return
    known = ", ".join(map(repr, _proved_units(measure)))
    raise InvalidInput(
        f"--unit {shown(unit)}: no radius by {measure.name!r} is proved in it.",
        advice=f"Leave --unit out, or name {known}." if known else "Leave --unit out.",
        value=unit,
    )


def _proved_units(measure: Metric) -> Iterator[str]:
    """The units that may be named: what distances count, then metrics."""
    named = [name for name in METRICS if name != Precomputed.name]
    counts = [each for name in named if (each := metric(name).unit) is not None]
    own = [name for name in (measure.unit, measure.full_name) if name is not None]
    for unit in dict.fromkeys((*own, *counts, *measure.dominated, *named)):
        if _is_proved(measure, unit):
            yield unit


def _is_proved(measure: Metric, unit: str) -> bool:
    try:
        radius_unit(measure, unit)
    except NotCertified:
        return False
    return True
