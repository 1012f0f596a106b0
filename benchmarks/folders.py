"""Where pages and results go, and where outcomes are kept so that a run that was stopped goes on
where it stood.
"""

from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGES = ROOT / "docs" / "benchmarks"
RESULTS = ROOT / "benchmarks" / "results"
KEPT = ROOT / "benchmarks" / "kept"
