"""Beyond one machine: what a cluster costs beside the same work on one core, and what it will cost for more objects."""

INTRODUCTION = """\
# Beyond one machine

From `make bench` (`python -m benchmarks scaleout`; one section: `python -m benchmarks scaleout.collections`; the runs with a
million objects: `python -m benchmarks scaleout.million`). The cluster is one of two worker processes of one thread each on the
machine of the footer. *CPU* is that of the client and of all workers, from a cluster that has done the same work once on few
objects, so that libraries and compiled code are loaded; *one machine* is the same work in one process with one thread."""
