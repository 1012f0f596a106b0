"""What `make audit` says about a report of pip-audit."""

import runpy
import subprocess
from pathlib import Path

import pytest

TOOL = runpy.run_path(str(Path(__file__).parents[2] / "tools" / "audit.py"))
judgement, main = TOOL["judgement"], TOOL["main"]
OURS = {"name": "wideberth", "skip_reason": "not on PyPI"}


def test_skipped_packages_are_not_called_safe():
    said, code = judgement([OURS, {"name": "numpy", "skip_reason": "Dependency not found on PyPI"}])
    assert said.startswith("NOT AUDITED")
    assert code == 1


@pytest.mark.parametrize(
    "report", ["", "no JSON", "[]", "{}", '{"dependencies": null}', '{"dependencies": []}']
)
def test_without_a_report_nothing_is_called_safe(report, monkeypatch, capsys):
    failed = subprocess.CompletedProcess(
        [], 1, stdout=report, stderr="Traceback\nConnectionError: no route"
    )
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: failed)
    assert main() == 1
    assert capsys.readouterr().out.startswith("NOT AUDITED")


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
    assert judgement([{"name": "numpy", "version": "2.4", "vulns": []}]) == (
        "1 packages audited, 0 vulnerabilities.",
        0,
    )
