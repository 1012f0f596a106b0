"""The process that loads hostile files for the tests (`judge`), and the tests' end of the pipe to
it.
"""

import json
import os
import subprocess
import sys
from pathlib import Path


class JudgeServer:
    """A process that judges model files; a context manager."""

    def __init__(self, goldens):
        command = [sys.executable, str(Path(__file__).with_name("judge.py")), *goldens]
        environment = os.environ | {
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
            "OPENBLAS_NUM_THREADS": "1",
        }
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )

    def __enter__(self):
        return self

    def __exit__(self, *reason):
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()

    def verdict(self, path, golden):
        """ "refused", "worked", or what went wrong with a file that was made out of a golden
        one.
        """
        self._process.stdin.write(json.dumps([str(path), golden]) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())
