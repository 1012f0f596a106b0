"""Checks for authors of metrics, indices and classifiers: does an implementation keep the contract
of its interface.

Each check runs an implementation on objects that you choose, compares it with something slow and
obvious, and raises an ``AssertionError`` with the numbers at the first difference. It returns
nothing if all is well. No test framework is needed; in a test suite, call them from a test
function.

Examples
--------
>>> check_metric("levenshtein", ["tea", "tee", "coffee", ""])
"""

from wideberth.checks.classifier import check_classifier
from wideberth.checks.distances import check_index, check_metric

__all__ = ["check_classifier", "check_index", "check_metric"]
