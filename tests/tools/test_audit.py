"""What `make audit` says about a report of pip-audit."""

import runpy
from pathlib import Path

judgement = runpy.run_path(str(Path(__file__).parents[2] / "tools" / "audit.py"))["judgement"]
OURS = {"name": "wideberth", "skip_reason": "not on PyPI"}


def test_skipped_packages_are_not_called_safe():
    said, code = judgement([OURS, {"name": "numpy", "skip_reason": "Dependency not found on PyPI"}])
    assert said.startswith("NOT AUDITED")
    assert code == 0


def test_vulnerabilities_are_listed_and_fail():
    packages = [
        OURS,
        {"name": "numpy", "version": "1.0", "vulns": [{"id": "PYSEC-1"}]},
        {"name": "zss", "skip_reason": "unknown"},
    ]
    said, code = judgement(packages)
    assert said.splitlines() == [
        "numpy 1.0: PYSEC-1",
        "1 packages audited, 1 vulnerabilities.",
        "Not audited, since nothing is known of them: zss.",
    ]
    assert code == 1
    assert judgement([{"name": "numpy", "version": "2.4", "vulns": []}]) == ("1 packages audited, 0 vulnerabilities.", 0)
