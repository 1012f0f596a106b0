"""Checks that a metric, an index or a classifier of your own keeps its promises. They need numpy only."""

from wideberth.checks.classifier import check_classifier
from wideberth.checks.index import check_index
from wideberth.checks.metric import check_metric

__all__ = ["check_classifier", "check_index", "check_metric"]
