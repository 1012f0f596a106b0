"""What is proved about a fitted model, and what is measured for it: certificates, radii, attacks."""

from wideberth.certificate import Certificate
from wideberth.guarantees.attacks import attack
from wideberth.guarantees.certify import certify
from wideberth.guarantees.robustness import certified_accuracy

__all__ = ["Certificate", "attack", "certified_accuracy", "certify"]
