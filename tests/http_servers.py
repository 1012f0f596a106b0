"""Servers in processes of their own, and what is sent to them."""

import json
import os
import signal
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from wideberth.serve import Limits

#: Enough for the busiest machine: no test waits so long, unless it fails.
PATIENCE = 300
PATIENT = Limits(seconds=PATIENCE)
JSON = {"Content-Type": "application/json"}


class Running(NamedTuple):
    """A server in a process of its own."""

    process: subprocess.Popen
    address: str
    log: Path

    @property
    def port(self):
        return int(self.address.rpartition(":")[2])

    def events(self):
        """What it has logged so far."""
        return [json.loads(line) for line in self.log.read_text(encoding="utf-8").splitlines()]

    def stop(self):
        """Ask it to end, and return its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE)


@contextmanager
def running(folder, *command, **environment):
    """A server that listens, started by a command; it is killed at the end, if it still runs."""
    log, errors = folder / "log.jsonl", folder / "errors.txt"
    with log.open("wb") as out, errors.open("wb") as err:
        process = subprocess.Popen(command, stdout=out, stderr=err, env=os.environ | environment, cwd=folder)
    try:
        yield Running(process, _address(process, log, errors), log)
    finally:
        process.kill()
        process.wait(PATIENCE)


def _address(process, log, errors):
    for _ in range(PATIENCE * 10):
        lines = [line for line in log.read_text(encoding="utf-8").splitlines() if '"listening"' in line]
        if lines:
            return json.loads(lines[0])["address"]
        assert process.poll() is None, errors.read_text(encoding="utf-8")
        time.sleep(0.1)
    raise AssertionError(errors.read_text(encoding="utf-8"))


def question(*objects):
    return json.dumps({"objects": list(objects)}).encode()
