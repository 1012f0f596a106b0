"""Distances of texts that fail for real at certain objects, once or always, in the workers of a
cluster.

An object is a text; what comes after a colon says what happens to whoever measures it. What happens
once leaves a file behind.
"""

import multiprocessing
import os
import signal
import time
from pathlib import Path

import wideberth


def length_difference(one, other):
    for text in (one, other):
        _, _, fault = text.partition(":")
        if fault and multiprocessing.parent_process() is not None:
            _suffer(*fault.split("|"))
    return float(abs(len(one.partition(":")[0]) - len(other.partition(":")[0])))


def _suffer(kind, *where):
    if kind == "kill once":  # the processes whose numbers are in the file, which is gone then
        for pid in sorted(
            map(int, _taken(Path(where[0])).split()), key=os.getpid().__eq__
        ):  # itself last
            os.kill(pid, signal.SIGKILL)
    elif kind == "fill memory":
        held = []
        while True:
            held.append(b"x" * 2**24)
            time.sleep(0.01)
    elif kind == "wait for":
        while not Path(where[0]).exists():
            time.sleep(0.02)
    elif kind == "raise":
        raise ZeroDivisionError("no distance")


def _taken(path):
    """The contents of a file, for the one who takes it away first; empty for everybody else."""
    mine = path.with_name(f"{path.name}-{os.getpid()}")
    try:
        path.rename(mine)
    except FileNotFoundError:
        return ""
    return mine.read_text()


def nan_of_one(one, other):
    return (
        float("nan")
        if "nan" in (one, other) and one != other
        else float(abs(len(one) - len(other)))
    )


def faulty_metric(function=length_difference):
    return wideberth.metric(function, accepts="strings", obeys_triangle=True)
