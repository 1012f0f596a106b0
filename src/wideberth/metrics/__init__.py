"""Metrics: the contract and the promises of one, the tables of names and kinds, and a folder for each kind of objects."""

from wideberth.metrics.metric import Promises

__all__ = ["Promises"]
