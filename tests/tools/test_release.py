"""Nothing is published whose version, changelog and addresses do not fit together."""

import re
import runpy
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


RELEASE = runpy.run_path(str(ROOT / "tools" / "release.py"))
missing, PLACES = RELEASE["missing"], RELEASE["PLACES"]
ADDRESSES = "".join(f'{name} = "https://example.org"\n' for name in RELEASE["ADDRESSES"])


@pytest.fixture
def ready(tmp_path):
    """A copy of what is looked at, in which everything is ready."""
    for name in ("pyproject.toml", "CHANGELOG.md", *PLACES):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    replace(
        tmp_path / "pyproject.toml", r"\[project.scripts\]", f"[project.urls]\n{ADDRESSES}\\g<0>"
    )
    return tmp_path


def replace(path, pattern, text):
    before = path.read_text(encoding="utf-8")
    after = re.sub(pattern, text, before, count=1, flags=re.MULTILINE)
    assert after != before
    path.write_text(after, encoding="utf-8")


def version():
    return re.search(r'^version = "(.*)"$', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)[1]


def test_what_is_ready_is_ready(ready):
    assert list(missing(ready, f"v{version()}")) == []
    assert list(missing(ready, None)) == []


def test_of_this_repository_nothing_is_missing_but_its_addresses():
    assert {each for each in missing(ROOT, None) if "[project.urls]" not in each} == set()


@pytest.mark.parametrize(
    ("name", "pattern", "text", "told"),
    [
        ("pyproject.toml", r'^version = ".*"', 'version = "9.9.9"', "__init__.py has"),
        ("src/wideberth/__init__.py", r"^__version__ = .*", "", "no version, and pyproject"),
        ("CITATION.cff", r"^version: .*", "version: 0.0.1", "CITATION.cff has 0.0.1"),
        ("tools/conda/recipe.yaml", r'^  version: ".*"', '  version: "1"', "recipe.yaml has 1"),
        ("CHANGELOG.md", rf"^## \[{re.escape(version())}\].*", "## [x]", "no section of"),
        ("pyproject.toml", r'^Issues = ".*"', 'Issues = "http://x.y"', "no address of Issues"),
    ],
)
def test_each_thing_that_is_missing_is_told(ready, name, pattern, text, told):
    replace(ready / name, pattern, text)
    assert any(told in each for each in missing(ready, None))


def test_another_tag_is_refused(ready):
    (found,) = missing(ready, "v0.0.9")
    assert f"tag v{version()}" in found


def test_requirements_are_printed_without_one():
    left_out = runpy.run_path(str(ROOT / "tools" / "requirements_without.py"))["without"]
    assert left_out(["a>=1", "b-c>=2; x < '1'", "b>=3"], ["b"]) == ["a>=1", "b-c>=2; x < '1'"]
