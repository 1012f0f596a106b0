"""Loads model files for the tests, one after the other, each in a process of its own under limits
of time and memory.

A server imports the library once and forks for every file, which takes a hundredth of the time of a
new interpreter. It reads requests as lines of JSON from its standard input, and writes a verdict
for each as a line of JSON.
"""

import json
import os
import resource
import signal
import sys
import traceback
import warnings
from pathlib import Path

import numpy as np
from golden.kinds import OBJECTS_OF_KIND
from golden.write_golden import FOLDER

import wideberth
from wideberth.errors import InvalidFile, InvalidInput
from wideberth.metrics.precomputed import DistanceRows
from wideberth.objects import sample

#: What a file may take: seconds of processor time, and bytes of memory beyond what the library
#: itself occupies.
SECONDS, BYTES = 10, 10**9
#: Objects whose labels are asked for.
_ASKED = 2


def judge(path, golden):
    """Load a file and ask for labels: "refused", "worked", or what went wrong, in words."""
    try:
        model = wideberth.load(path)
    except InvalidFile as refusal:
        message = str(refusal)
        return (
            "refused"
            if path in message and len(message) < 1500
            else f"refused with a message of {len(message)} letters"
        )
    _ask_own_objects(model)
    try:
        answers(model, golden_queries(golden))
    except InvalidInput:
        pass  # the file describes a model for objects of another kind
    except ValueError as reason:  # scikit-learn's, for vectors of another width
        if "feature" not in str(reason):
            raise
    return "worked"


def answers(model, objects):
    """Labels, coordinates of an embedding, or the guesses of a search."""
    if hasattr(model, "guess_one"):
        return np.array([model.guess_one(each) for each in objects])
    return model.predict(objects) if hasattr(model, "predict") else model.transform(objects)


def golden_queries(golden):
    described = json.loads((FOLDER / f"{golden}.json").read_text())
    return OBJECTS_OF_KIND[described["kind"]](described["queries"][:_ASKED])


def _ask_own_objects(model):
    """The labels of objects that the model itself holds, which are therefore such as it takes."""
    held = (
        model.state().get("objects") if hasattr(model, "state") else None
    )  # a pipeline holds none itself
    if isinstance(getattr(model, "metric_", None), DistanceRows):
        if model.metric_.n_objects > 10**6:
            return
        held = np.zeros((_ASKED, model.metric_.n_objects))
    if held is not None and sample.count(held):
        told = answers(model, sample.pick(held, slice(0, _ASKED))).tolist()
        assert hasattr(model, "transform") or set(told) <= set(model.classes_.tolist())
        repr(told)


def _limited(path, golden, pipe):
    """In the forked process: judge under the limits, and write the verdict into a pipe."""
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 1))
    occupied = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (occupied + BYTES, occupied + BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        verdict = judge(path, golden)
    except BaseException as fault:
        place = traceback.extract_tb(fault.__traceback__)[-1]
        verdict = f"{type(fault).__name__}: {str(fault)[:200]} ({place.filename}:{place.lineno})"
    os.write(pipe, json.dumps(verdict).encode())


def verdict_on(path, golden):
    """The verdict of a forked process; if it was ended, by which signal."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        _limited(path, golden, writer)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as stream:
        told = stream.read()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return f"ended by {signal.Signals(os.WTERMSIG(status)).name}"
    return json.loads(told) if told else f"ended with {status}"


def main():
    warnings.simplefilter("ignore")
    for golden in sys.argv[1:]:
        answers(
            wideberth.load(FOLDER / f"{golden}.wb"), golden_queries(golden)
        )  # compiles, or loads what was compiled
    for line in sys.stdin:
        print(json.dumps(verdict_on(*json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
