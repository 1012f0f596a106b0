"""The automatic choice beside what people would use instead, each tuned on the same training
objects.
"""

INTRODUCTION = """\
# The automatic choice beside its peers

From `make bench` (`python -m benchmarks auto`; one section: `python -m benchmarks auto.accuracy`)."""
