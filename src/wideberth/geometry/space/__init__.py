"""Metric spaces: objects with a metric and a memory, in which every distance is measured once as long as it fits."""
