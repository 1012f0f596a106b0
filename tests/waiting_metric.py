"""A distance that waits for a file if an object says so: slow work that no clock decides about."""

import time
from pathlib import Path

import wideberth

WAITS = "wait:"


def length_difference(one, other):
    """The difference of lengths; of "wait:FILE" only once the file exists."""
    for text in (one, other):
        if text.startswith(WAITS):
            while not Path(text.removeprefix(WAITS)).exists():
                time.sleep(0.01)
    return float(abs(len(one) - len(other)))


def waiting_model():
    """A classifier of short and long words by this distance."""
    metric = wideberth.metric(length_difference, accepts="strings", obeys_triangle=True)
    return wideberth.NeighborsClassifier(metric, n_neighbors=1).fit(
        ["a", "bb", "c" * 20, "d" * 22], ["short", "short", "long", "long"]
    )
