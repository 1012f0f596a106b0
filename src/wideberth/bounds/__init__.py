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

`wideberth.bounds.mistakes` is about streams of queries instead. It assumes nothing about their
source and needs no delta.

Examples
--------
>>> from math import log
>>> holdout_bound(0, 2, log_delta=log(0.25))  # a classifier without errors on two fresh objects
0.5
"""

from wideberth.bounds.binomial import (
    binomial_interval,
    binomial_inversion,
    holdout_bound,
    log_binomial,
)
from wideberth.bounds.compression import (
    block_bound,
    explicit_preferent_bound,
    index_bound,
    preferent_bound,
    prototype_bound,
    support_vector_bound,
)
from wideberth.bounds.covering import (
    connected_entropy,
    covering_number,
    external_entropy,
    lemma_2_entropy,
    lemma_3_entropy,
    perturbed_entropy,
)
from wideberth.bounds.criteria import (
    ksu_criterion,
    marmann_criterion,
    optinet_criterion,
)
from wideberth.bounds.hilbert_ball import (
    hilbert_rademacher,
    offset_hilbert_rademacher,
    offset_price,
)
from wideberth.bounds.kuratowski_ball import (
    kuratowski_floor,
    kuratowski_rademacher,
    trivial_kuratowski_rademacher,
)
from wideberth.bounds.lipschitz_ball import (
    cube_rademacher,
    discrepancy_rate,
    fixed_ball_risk,
    lemma_14_risk,
    measured_ball_risk,
    stratified_ball_risk,
    tree_rademacher,
)
from wideberth.bounds.lipschitz_entropy import (
    dudley_rademacher,
    lipschitz_entropies,
    lipschitz_rademacher,
    radial_entropies,
    theorem_17_entropies,
)
from wideberth.bounds.margin import (
    bayes_bound,
    cells_bound,
    cells_penalty,
    combined_penalty,
    empirical_penalty,
    printed_scale_penalty,
    rademacher_penalty,
    scale_penalty,
)
from wideberth.bounds.mistakes import (
    ellipsoid_kept,
    euclidean_loss,
    even_power_loss,
    halving_mistakes,
    initial_potential,
    ladder_loss,
    margin_mistakes,
    mistakes_at_scale,
    partition_loss,
    ranking_loss,
    robust_mistakes,
)
from wideberth.bounds.printed_capacities import (
    theorem_17_floor,
    theorem_18_rademacher,
    theorem_20_rademacher,
)
from wideberth.bounds.rademacher_complexity import (
    cell_noises,
    chained_rademacher,
    closed_rademacher,
    inner_chain,
    perturbed_rademacher,
    quantised_rademacher,
    rademacher_constant,
    shortest_chain,
)
from wideberth.bounds.stated_growth import (
    convex_regions_exponent,
    stated_even_power_loss,
    stated_margin_mistakes,
)
from wideberth.bounds.strata import (
    log_share,
    open_stratum,
    stratum,
)

__all__ = [
    "bayes_bound",
    "binomial_interval",
    "binomial_inversion",
    "block_bound",
    "cell_noises",
    "cells_bound",
    "cells_penalty",
    "chained_rademacher",
    "closed_rademacher",
    "combined_penalty",
    "connected_entropy",
    "convex_regions_exponent",
    "covering_number",
    "cube_rademacher",
    "discrepancy_rate",
    "dudley_rademacher",
    "ellipsoid_kept",
    "empirical_penalty",
    "euclidean_loss",
    "even_power_loss",
    "explicit_preferent_bound",
    "external_entropy",
    "fixed_ball_risk",
    "halving_mistakes",
    "hilbert_rademacher",
    "holdout_bound",
    "index_bound",
    "initial_potential",
    "inner_chain",
    "ksu_criterion",
    "kuratowski_floor",
    "kuratowski_rademacher",
    "ladder_loss",
    "lemma_2_entropy",
    "lemma_3_entropy",
    "lemma_14_risk",
    "lipschitz_entropies",
    "lipschitz_rademacher",
    "log_binomial",
    "log_share",
    "margin_mistakes",
    "marmann_criterion",
    "measured_ball_risk",
    "mistakes_at_scale",
    "offset_hilbert_rademacher",
    "offset_price",
    "open_stratum",
    "optinet_criterion",
    "partition_loss",
    "perturbed_entropy",
    "perturbed_rademacher",
    "preferent_bound",
    "printed_scale_penalty",
    "prototype_bound",
    "quantised_rademacher",
    "rademacher_constant",
    "rademacher_penalty",
    "radial_entropies",
    "ranking_loss",
    "robust_mistakes",
    "scale_penalty",
    "shortest_chain",
    "stated_even_power_loss",
    "stated_margin_mistakes",
    "stratified_ball_risk",
    "stratum",
    "support_vector_bound",
    "theorem_17_entropies",
    "theorem_17_floor",
    "theorem_18_rademacher",
    "theorem_20_rademacher",
    "tree_rademacher",
    "trivial_kuratowski_rademacher",
]
