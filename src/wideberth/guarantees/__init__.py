"""A fitted model or a sample, and a formula of `wideberth.bounds`: what is proved about it, and what was measured for it."""

from wideberth.certificate import Certificate
from wideberth.guarantees.capacity import (
    covering_numbers,
    hilbert_capacity,
    kuratowski_capacity,
    lipschitz_capacity,
    maximum_discrepancy,
)
from wideberth.guarantees.certify import certify
from wideberth.guarantees.robustness import attack, certified_accuracy

__all__ = [
    "Certificate",
    "attack",
    "certified_accuracy",
    "certify",
    "covering_numbers",
    "hilbert_capacity",
    "kuratowski_capacity",
    "lipschitz_capacity",
    "maximum_discrepancy",
]
