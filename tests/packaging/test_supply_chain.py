"""What runs elsewhere is named so that nobody can change it, and gets no more rights than it
needs.
"""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.y*ml"))
#: The first versions without the advisories that are known: CVE-2025-27516 (jinja2),
#: GHSA-82w8-qh3p-5jfq (starlette), CVE-2026-23528 (distributed, released with dask), CVE-2026-25087
#: (pyarrow), CVE-2026-49853 (tornado).
SAFE_FROM = {
    "jinja2": "3.1.6",
    "starlette": "1.3.1",
    "dask": "2026.1.0",
    "pyarrow": "23.0.1",
    "tornado": "6.5.7",
}


def bounds() -> dict[str, Requirement]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lists = [project["dependencies"], *project["optional-dependencies"].values()]
    required = [Requirement(written) for each in lists for written in each]
    return {
        requirement.name: requirement for requirement in required if requirement.name != "wideberth"
    }


def test_there_are_workflows():
    assert WORKFLOWS


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_actions_are_named_by_commit_and_version(workflow):
    used = re.findall(r"uses:(.*)", workflow.read_text(encoding="utf-8"))
    assert used
    for action in used:
        assert re.fullmatch(r" [\w-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", action), action


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_no_step_keeps_the_token_and_no_job_may_write(workflow):
    text = workflow.read_text(encoding="utf-8")
    assert re.search(r"^permissions:\n  contents: read\n(?! )", text, re.MULTILINE)
    assert not re.search(r":\s*write\b", text)
    steps = re.split(r"^ +- ", text, flags=re.MULTILINE)
    checkouts = [step for step in steps if "actions/checkout@" in step]
    assert checkouts
    assert all("persist-credentials: false" in step for step in checkouts)


def test_dependabot_watches_actions_and_packages():
    text = (ROOT / ".github" / "dependabot.yml").read_text(encoding="utf-8")
    assert set(re.findall(r"package-ecosystem: (\S+)", text)) == {"github-actions", "pip"}


@pytest.mark.parametrize("package", SAFE_FROM)
def test_no_bound_allows_a_version_with_a_known_advisory(package):
    bound = bounds()[package]
    assert bound.specifier.contains("9999.9")
    (lowest,) = [each.version for each in bound.specifier if each.operator == ">="]
    assert Version(lowest) >= Version(SAFE_FROM[package])


def test_every_requirement_has_a_lower_bound():
    for name, bound in bounds().items():
        assert [each.operator for each in bound.specifier] == [">="], name
