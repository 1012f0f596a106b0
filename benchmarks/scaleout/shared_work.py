"""Rows for the front page: work that a cluster shares out, beside the same work in one process."""

from benchmarks.rows import TIMING_NOISE, Row


def row_of_workers(section: str, what: str, cpu: float, n_workers: int, alone: float) -> Row:
    """CPU seconds of the client and all workers, divided by the workers: how long it would take
    where nobody else works.
    """
    return Row(
        topic="scale-out",
        key=f"scaleout: {section}, {what.replace('`', '')}, {n_workers} workers",
        ours=cpu / n_workers,
        peer="one process",
        theirs=alone,
        unit="s of CPU, of each worker",
        noise=TIMING_NOISE,
    )
