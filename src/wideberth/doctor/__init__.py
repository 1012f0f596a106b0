"""The doctor: is this distance a metric, what may be done with it, what is odd in the data, and what repairs it."""

from wideberth.doctor.repairs import repair

__all__ = ["repair"]
