"""The benchmarks are no installed package: tests reach them by the root of the repository."""

from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def benchmark_module(monkeypatch):
    """Import a module of the benchmarks by its name."""
    monkeypatch.syspath_prepend(str(ROOT))
    return lambda name: import_module(f"benchmarks.{name}")
