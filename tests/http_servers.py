"""Servers in processes of their own, and what is sent to them."""

import json
import os
import signal
import subprocess
import sys
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
        process = subprocess.Popen(
            command, stdout=out, stderr=err, env=os.environ | environment, cwd=folder
        )
    try:
        yield Running(process, _address(process, log, errors), log)
    finally:
        process.kill()
        process.wait(PATIENCE)


def _address(process, log, errors):
    for _ in range(PATIENCE * 10):
        lines = [
            line for line in log.read_text(encoding="utf-8").splitlines() if '"listening"' in line
        ]
        if lines:
            return json.loads(lines[0])["address"]
        assert process.poll() is None, errors.read_text(encoding="utf-8")
        time.sleep(0.1)
    raise AssertionError(errors.read_text(encoding="utf-8"))


#: A server of the model that waits for files, with settings of its own.
WAITING = """
import socket
from waiting_metric import waiting_model
from wideberth.serve import Limits, create_app
from wideberth.serve import running
listening, limits = running._listening, Limits(**{limits!r})
def with_small_buffers(host, port):
    found = listening(host, port)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
    return found
if __name__ == "__main__":
    vars(running).update({constants!r})
    running._listening = with_small_buffers
    app = create_app(waiting_model(), workers={workers}, limits=limits)
    running.run(app, "127.0.0.1", 0, limits, lambda address: None, {proxies!r})
"""


def waiting(folder, *, workers=1, proxies=(), constants=None, **limits):
    """A server of `waiting_metric.waiting_model`, whose sockets hold little of what nobody reads;
    see `running`.
    """
    script = folder / "waiting_server.py"
    script.write_text(
        WAITING.format(limits=limits, workers=workers, proxies=proxies, constants=constants or {})
    )
    path = os.pathsep.join(
        [str(Path(__file__).parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    )
    return running(folder, sys.executable, str(script), PYTHONPATH=path)


def until(true):
    """Wait until something is true."""
    for _ in range(PATIENCE * 20):
        if true():
            return
        time.sleep(0.05)
    raise AssertionError("it never came true")


def question(*objects):
    return json.dumps({"objects": list(objects)}).encode()
