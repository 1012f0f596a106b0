"""What is proved about a fitted model or a sample, and what is measured for it: certificates,
radii, attacks, capacities.
"""

from wideberth.certificate import Certificate
from wideberth.guarantees.certify import certify
from wideberth.guarantees.measured_capacity import (
    hilbert_capacity,
    kuratowski_capacity,
    lipschitz_capacity,
    maximum_discrepancy,
)
from wideberth.guarantees.packing import covering_numbers
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
