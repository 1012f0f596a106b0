"""What a cluster of Dask workers costs and saves, beside the same work in one process, and what
more objects will cost.
"""

INTRODUCTION = """\
# Beyond one machine

From `make bench` (`python -m benchmarks scaleout`; one section: `python -m benchmarks scaleout.runner`; the fits of a million
objects: `python -m benchmarks scaleout.million`).

The workers are processes of the machine that is named below each table, one thread each. The processor time of the client
contains that of the scheduler, which runs in the same process here. In the sections on collections, *CPU* is that of the client
and of all workers, of a cluster that has done the same work once on few objects, so that libraries and compiled code are loaded;
*one machine* is the same work in one process with one thread."""
