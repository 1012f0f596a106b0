r"""Formulas that bound the error of a classifier on new objects: numbers in, a number out.

All of them assume that the sample and the new objects are drawn independently from the same source.
``log_delta`` is :math:`\ln\delta`, the logarithm of the probability with which a bound may fail. It
is a logarithm because :math:`\delta` is divided by the number of statements that have to hold
together, and that number can be too large for a float.

Bounds of Kontorovich & Weiss (2014) measure distances in diameters of the space: ``L`` is the
Lipschitz constant times the diameter, twice the diameter over the separation of the classes. Their
dimension ``D`` is an assumption about the source; no sample proves it.

Bounds for balls of functions (von Luxburg & Bousquet 2004; Hein, Bousquet & Schoelkopf 2005) keep
the unit of the metric: a Lipschitz constant times a distance has no unit.

These are the formulas in use; `wideberth.papers` has what else the papers state.

Examples
--------
>>> from math import log
>>> holdout_bound(0, 2, log_delta=log(0.25))  # a classifier without errors on two fresh objects
0.5
"""

from wideberth.bounds.balls import (
    hilbert_rademacher,
    log_share,
    measured_ball_risk,
    offset_hilbert_rademacher,
    offset_price,
    open_stratum,
    stratum,
)
from wideberth.bounds.binomial import (
    binomial_interval,
    binomial_inversion,
    holdout_bound,
    log_binomial,
)
from wideberth.bounds.compression import (
    preferent_bound,
    support_vector_bound,
)
from wideberth.bounds.margin import (
    cell_noises,
    cells_penalty,
    chained_rademacher,
    combined_penalty,
    covering_number,
    external_entropy,
    quantised_rademacher,
    rademacher_penalty,
    scale_penalty,
    shortest_chain,
)

__all__ = [
    "binomial_interval",
    "binomial_inversion",
    "cell_noises",
    "cells_penalty",
    "chained_rademacher",
    "combined_penalty",
    "covering_number",
    "external_entropy",
    "hilbert_rademacher",
    "holdout_bound",
    "log_binomial",
    "log_share",
    "measured_ball_risk",
    "offset_hilbert_rademacher",
    "offset_price",
    "open_stratum",
    "preferent_bound",
    "quantised_rademacher",
    "rademacher_penalty",
    "scale_penalty",
    "shortest_chain",
    "stratum",
    "support_vector_bound",
]
