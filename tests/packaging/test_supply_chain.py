"""What runs elsewhere is named so that nobody can change it, and gets no more rights than it
needs.
"""

import re
import tomllib
from pathlib import Path
from typing import Any

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


#: The jobs that may write, and what; every other one reads the sources and nothing else.
WRITERS = {
    ("codeql.yml", "analyze"): {"security-events"},
    ("release.yml", "publish"): {"attestations", "contents", "id-token"},
}


def written() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def bounds() -> dict[str, Requirement]:
    project, groups = written()["project"], written()["dependency-groups"]
    lists = [
        project["dependencies"],
        *project["optional-dependencies"].values(),
        *([line for line in group if isinstance(line, str)] for group in groups.values()),
    ]
    required = [Requirement(line) for each in lists for line in each]
    return {
        requirement.name: requirement for requirement in required if requirement.name != "wideberth"
    }


def jobs(workflow: Path) -> dict[str, str]:
    """The text of each job by its name."""
    _, _, text = workflow.read_text(encoding="utf-8").partition("\njobs:\n")
    parts = re.split(r"^  ([\w-]+):\n", text, flags=re.MULTILINE)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


def test_there_are_workflows():
    assert WORKFLOWS


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_actions_are_named_by_commit_and_version(workflow):
    used = re.findall(r"uses:(.*)", workflow.read_text(encoding="utf-8"))
    assert used
    for action in used:
        assert re.fullmatch(r" [\w-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", action), action


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_no_step_keeps_the_token_and_no_job_may_write_what_it_need_not(workflow):
    text = workflow.read_text(encoding="utf-8")
    assert re.search(r"^permissions:\n  contents: read\n(?! )", text, re.MULTILINE)
    found = {
        (workflow.name, name): set(re.findall(r"^ +([\w-]+):\s*write\b", job, re.MULTILINE))
        for name, job in jobs(workflow).items()
    }
    expected = {key: WRITERS.get(key, set()) for key in found}
    assert found == expected
    assert sum(map(len, found.values())) == len(re.findall(r":\s*write\b", text))
    steps = re.split(r"^ +- ", text, flags=re.MULTILINE)
    checkouts = [step for step in steps if "actions/checkout@" in step]
    assert checkouts
    assert all("persist-credentials: false" in step for step in checkouts)


def test_what_may_write_runs_no_code_of_the_repository():
    release = jobs(ROOT / ".github" / "workflows" / "release.yml")
    assert "actions/checkout@" not in release["publish"]
    assert not re.search(r"\bpip\b|\bpython\b|\bmake\b", release["publish"])
    assert "environment: pypi" in release["publish"]
    assert "needs: try" in release["publish"]
    assert "needs: build" in release["try"]


def test_the_extra_all_names_every_extra():
    extras = written()["project"]["optional-dependencies"]
    (everything,) = map(Requirement, extras.pop("all"))
    assert everything.name == "wideberth"
    assert everything.extras == set(extras)


def test_users_see_no_extra_for_people_who_work_on_the_library():
    groups = set(written()["dependency-groups"])
    assert groups == {"test", "dev", "docs", "bench", "bench-aeon"}
    assert not groups & set(written()["project"]["optional-dependencies"])


def test_the_recipe_of_conda_asks_for_what_the_wheel_asks_for():
    recipe = (ROOT / "tools" / "conda" / "recipe.yaml").read_text(encoding="utf-8")
    run = re.search(r"^  run:\n((?:    - .*\n)+)", recipe, re.MULTILINE)
    asked = {line.strip(" -") for line in run[1].splitlines()} - {"python >=${{ python_min }}"}
    needed = map(Requirement, written()["project"]["dependencies"])
    assert asked == {f"{each.name} {each.specifier}" for each in needed}
    assert f'python_min: "{written()["project"]["requires-python"].removeprefix(">=")}"' in recipe


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
