"""Every example runs."""

import sys
from pathlib import Path

import pytest
from child_process import run

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.py"))


@pytest.mark.parametrize("script", EXAMPLES, ids=lambda script: script.stem)
def test_the_example_runs(script):
    done = run([sys.executable, str(script)], cpu_seconds=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout


def test_there_are_examples():
    assert EXAMPLES
