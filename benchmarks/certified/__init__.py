"""Accuracy and certificates at once: the share of answers that are right, and stay right under every change up to a size."""

INTRODUCTION = """\
# Accurate and certified

From `make bench` (`python -m benchmarks certified`; one section: `python -m benchmarks certified.texts`)."""
