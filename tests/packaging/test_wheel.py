"""What `make dist` builds is whole: its files, the README's first example and the command line,
away from the checkout.

Nothing is downloaded: the build backend is the one of the development environment.
"""

import csv
import hashlib
import io
import os
import re
import sys
import tarfile
import zipfile
from pathlib import Path, PurePosixPath

import pytest
from child_process import run

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "wideberth"
#: Compiled code is not cached beside a fresh installation, so that the example compiles what it
#: needs.
CPU_SECONDS = 60

#: What the source distribution has at its top; hatchling adds the last three by itself.
SHIPPED = {
    *("benchmarks", "docs", "examples", "src", "tests", "tools"),
    *(
        "CHANGELOG.md",
        "CITATION.cff",
        "CONTRIBUTING.md",
        "LICENSE",
        "Makefile",
        "README.md",
        "SECURITY.md",
    ),
    *("pyproject.toml", "PKG-INFO", ".gitignore"),
}

#: Says which wideberth answers, then runs the example as a doctest.
RUN_EXAMPLE = """
import doctest, sys, wideberth
print(wideberth.__file__)
options = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
tried = doctest.testfile(sys.argv[1], module_relative=False, optionflags=options)
print(tried.failed, tried.attempted)
"""


def build(folder: Path, *options: str) -> None:
    command = [
        sys.executable,
        "-m",
        "build",
        "--no-isolation",
        *options,
        "--outdir",
        str(folder),
        str(ROOT),
    ]
    done = run(command, cpu_seconds=CPU_SECONDS)
    assert done.returncode == 0, done.stdout + done.stderr


def only(folder: Path, pattern: str) -> Path:
    (found,) = folder.glob(pattern)
    return found


def contents(wheel: Path) -> dict[str, str]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: hashlib.sha256(archive.read(name)).hexdigest() for name in archive.namelist()}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    build(folder, "--wheel")
    return only(folder, "*.whl")


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("installed")
    pip = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--no-index",
        "--no-compile",
    ]
    done = run([*pip, "--no-deps", "--target", str(target), str(wheel)], cpu_seconds=CPU_SECONDS)
    assert done.returncode == 0, done.stderr
    return target


@pytest.fixture
def outside(installed: Path, tmp_path: Path):
    """Run a command with Python in an empty directory, where the installed wheel comes before
    anything else.
    """
    inherited = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("COVERAGE_", "COV_", "PYTHON"))
    }

    def command(*arguments: str) -> str:
        environment = inherited | {"PYTHONPATH": str(installed)}
        done = run(
            [sys.executable, *arguments], cpu_seconds=CPU_SECONDS, cwd=tmp_path, env=environment
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return command


def first_example() -> str:
    """The first Python block of the README."""
    found = re.search(
        r"^```python\n(.*?)^```$",
        (ROOT / "README.md").read_text(encoding="utf-8"),
        re.MULTILINE | re.DOTALL,
    )
    assert found, "README.md has no Python example"
    return found[1]


def test_the_wheel_holds_the_package_and_nothing_else(wheel):
    inside = {PurePosixPath(name) for name in contents(wheel)}
    information = {path for path in inside if path.parts[0].endswith(".dist-info")}
    sources = [
        path.relative_to(PACKAGE.parent)
        for path in PACKAGE.rglob("*")
        if path.is_file()
        and "__pycache__" not in path.parts
        and not path.name.startswith("_machine_code.")  # it is built for one system
    ]
    assert {str(path) for path in inside - information} == {path.as_posix() for path in sources}
    assert {path.name for path in information} >= {
        "METADATA",
        "RECORD",
        "LICENSE",
        "entry_points.txt",
    }
    for needed in ("py.typed", "__init__.pyi", "datasets/first_names.csv"):
        assert PurePosixPath("wideberth") / needed in inside
    assert not any("tests" in path.parts or "__pycache__" in path.parts for path in inside)


@pytest.mark.slow
def test_the_sdist_builds_the_same_wheel(wheel, tmp_path):
    build(tmp_path)  # the source distribution, and the wheel from it
    assert contents(only(tmp_path, "*.whl")) == contents(wheel)
    with tarfile.open(only(tmp_path, "*.tar.gz")) as archive:
        inside = {PurePosixPath(*PurePosixPath(name).parts[1:]) for name in archive.getnames()}
    assert inside >= {
        PurePosixPath(name)
        for name in ("LICENSE", "README.md", "CHANGELOG.md", "pyproject.toml", "docs/guide.md")
    }
    assert {path.parts[0] for path in inside if path.parts} == SHIPPED
    assert not any("__pycache__" in path.parts or "kept" in path.parts for path in inside)


@pytest.mark.slow
def test_the_first_example_of_the_readme_runs_from_the_wheel(outside, installed, tmp_path):
    (tmp_path / "example.txt").write_text(first_example(), encoding="utf-8")
    where, _, tried = outside("-c", RUN_EXAMPLE, "example.txt").strip().partition("\n")
    assert Path(where) == installed / "wideberth" / "__init__.py"
    failed, attempted = map(int, tried.split())
    assert (failed, attempted) == (0, first_example().count(">>> "))


@pytest.mark.slow
def test_the_command_line_runs_from_the_wheel(outside, installed, tmp_path):
    where = outside("-c", "import wideberth.cli.main; print(wideberth.cli.main.__file__)").strip()
    assert Path(where) == installed / "wideberth" / "cli" / "main.py"
    version = outside("-m", "wideberth", "--version")
    assert version == outside(str(installed / "bin" / "wideberth"), "--version")
    assert re.search(r"\d+\.\d+\.\d+", version)[0] in only(installed, "wideberth-*.dist-info").name
    drinks = {
        "tea": "soft",
        "tee": "soft",
        "ten": "soft",
        "rum": "hard",
        "rom": "hard",
        "ram": "hard",
    }
    (tmp_path / "drinks.csv").write_text(
        "drink,kind\n" + "".join(f"{drink},{kind}\n" for drink, kind in drinks.items())
    )
    (tmp_path / "new.csv").write_text("drink\nteen\nrums\n")
    outside("-m", "wideberth", "fit", "drinks.csv", "--target", "kind", "-o", "drinks.wb")
    answers = outside("-m", "wideberth", "predict", "drinks.wb", "new.csv")
    assert [row["label"] for row in csv.DictReader(io.StringIO(answers))] == ["soft", "hard"]
