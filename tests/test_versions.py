import subprocess
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

from wideberth import versions

PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))[
    "project"
]


def printed(capsys: pytest.CaptureFixture[str]) -> dict[str, str]:
    versions.show_versions()
    return dict(line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines())


def test_shows_us_python_and_every_core_dependency(capsys):
    shown = printed(capsys)
    assert shown["wideberth"] == PROJECT["version"]
    assert shown["python"] == ".".join(map(str, sys.version_info[:3]))
    for requirement in PROJECT["dependencies"]:
        name = requirement.partition(">=")[0]
        assert shown[name] == version(name)


def test_says_what_is_missing_and_names_the_extras_that_are_there(capsys, monkeypatch):
    def look_up(name: str) -> str:
        if name == "numba":
            raise PackageNotFoundError(name)
        return "1.2.3"

    monkeypatch.setattr(versions, "version", look_up)
    shown = printed(capsys)
    assert shown["numba"] == "not installed"
    assert shown["pyarrow"] == "1.2.3 (extra: tables)"
    assert "ruff" not in shown


def test_every_package_is_shown_once(capsys):
    versions.show_versions()
    names = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert "wideberth" in names
    assert len(names) == len(set(names))


def test_extras_that_are_not_installed_stay_silent(capsys, monkeypatch):
    monkeypatch.setattr(versions, "_installed", lambda name: None)
    assert "pyarrow" not in printed(capsys)


def test_imports_none_of_the_packages():
    code = (
        "import sys; from wideberth.versions import show_versions; show_versions(); assert 'numpy' "
        "not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
