"""Scripts in a process of their own, under limits that a busy machine does not change."""

import resource
import subprocess
import sys
from functools import partial


def run_script(script, *, cpu_seconds):
    """Run a Python script, given as its text; the kernel ends it after so many seconds of processor
    time.
    """
    return run([sys.executable, "-c", script], cpu_seconds=cpu_seconds)


def run(command, *, cpu_seconds, **where):
    """Run a command and return what it said; the kernel ends it after so many seconds of processor
    time.

    ``where``: its ``cwd`` and its ``env``, if they are not ours.
    """
    limit = partial(resource.setrlimit, resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds))
    return subprocess.run(command, capture_output=True, text=True, preexec_fn=limit, **where)
