"""Metrics: the base class and its promises, the tables of names and kinds, and a folder for each
kind of objects.

>>> import wideberth
>>> wideberth.metric("euclidean").promises == Promises(
...     obeys_triangle=True, hilbertian=True, negative_type=True, bounded=False, separates=True
... )
True
"""

from wideberth.metrics.metric import Promises

__all__ = ["Promises"]
