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

These are the bounds in use, and their files have what they consist of; `wideberth.papers` has what
else the papers state.

Examples
--------
>>> from math import log
>>> holdout_bound(0, 2, log_delta=log(0.25))  # a classifier without errors on two fresh objects
0.5
"""

from wideberth.bounds.balls import measured_ball_risk, offset_hilbert_rademacher
from wideberth.bounds.binomial import binomial_interval, binomial_inversion, holdout_bound
from wideberth.bounds.compression import preferent_bound, support_vector_bound
from wideberth.bounds.margin import cells_penalty, combined_penalty, quantised_rademacher

__all__ = [
    "binomial_interval",
    "binomial_inversion",
    "cells_penalty",
    "combined_penalty",
    "holdout_bound",
    "measured_ball_risk",
    "offset_hilbert_rademacher",
    "preferent_bound",
    "quantised_rademacher",
    "support_vector_bound",
]
