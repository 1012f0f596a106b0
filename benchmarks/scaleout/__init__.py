"""What a cluster of Dask workers costs and saves, beside the same work in one process."""

INTRODUCTION = """\
# Beyond one machine

From `make bench` (`python -m benchmarks scaleout`; one section: `python -m benchmarks scaleout.runner`).

The workers are processes of the machine that is named below each table, one thread each. The processor time of the client
contains that of the scheduler, which runs in the same process here."""
