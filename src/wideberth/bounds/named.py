"""Bounds that can be recomputed from the evidence of a certificate at every delta, by the names
that certificates store.
"""

from collections.abc import Callable, Mapping
from math import log

from wideberth.bounds.balls import log_share, measured_ball_risk
from wideberth.bounds.binomial import holdout_bound
from wideberth.bounds.compression import preferent_bound, support_vector_bound
from wideberth.bounds.margin import cells_penalty, combined_penalty

Number = int | float
#: Numbers by name, as `wideberth.guarantees` and the classifiers store them; bounds raise a
#: ``KeyError`` if one is missing.
Evidence = Mapping[str, Number]


def _holdout(evidence: Evidence, log_delta: float) -> float:
    errors = int(evidence["errors"])
    n = int(evidence["held_out"])
    candidates = int(evidence.get("candidates", 1))
    return holdout_bound(errors, n, log_delta=log_delta, candidates=candidates)


def _preferent(evidence: Evidence, log_delta: float) -> float:
    kept = int(evidence["matched"] + evidence["condensed"])
    return preferent_bound(
        kept, int(evidence["objects"]), log_delta=log_delta - log(evidence["separations"])
    )


def _support_vectors(evidence: Evidence, log_delta: float) -> float:
    kept, n = int(evidence["kept"]), int(evidence["objects"])
    return support_vector_bound(kept, n, log_delta=log_delta - log(evidence["machines"]))


def _sample_complexity(evidence: Evidence, log_delta: float) -> float:
    share = log_delta + log_share(int(evidence["stratum"]))
    return evidence["without_margin"] + measured_ball_risk(
        0.0, evidence["rademacher"], int(evidence["objects"]), log_delta=share
    )


def _doubling_dimension(evidence: Evidence, log_delta: float) -> float:
    n, L, D, k = (evidence[name] for name in ("objects", "lipschitz", "dimension", "classes"))
    share = {"log_delta": log_delta - log(2), "eta": evidence["eta"]}
    return evidence["without_margin"] + min(
        penalty(int(n), L, D, int(k), **share) for penalty in (combined_penalty, cells_penalty)
    )


#: Functions of the evidence and the logarithm of delta. Names are stored in model files, so their
#: meaning must never change.
BOUNDS: dict[str, Callable[[Evidence, float], float]] = {
    "holdout": _holdout,
    "preferent compression": _preferent,
    "support vector compression": _support_vectors,
    "structural risk, complexity of the sample": _sample_complexity,
    "structural risk, Theorems 4 and 5": _doubling_dimension,
}
