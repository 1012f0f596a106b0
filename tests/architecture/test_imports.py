"""The rules of the house that import-linter cannot see: what loads when, who may import whom, what
a file may be called.
"""

import ast
import functools
import importlib
import json
import re
import subprocess
import sys
from fnmatch import fnmatch
from pathlib import Path

import pytest
from families import families, measures_distances

import wideberth

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "wideberth"
SOURCES = sorted(PACKAGE.rglob("*.py"))

#: What starting up does without. scipy itself loads its parts when they are asked for.
HEAVY = {"sklearn", "numba", "llvmlite", "pandas", "joblib", "highspy"} | {
    f"scipy.{part}" for part in ("linalg", "optimize", "sparse", "spatial", "special", "stats")
}

# Outside package -> the only files of ours, relative to the package, that may import it.
HOMES = {
    "numba": ["compilation.py"],  # kernels are marked with wideberth.compilation.compiled
    "highspy": ["optimize/highs.py"],
    "dask": ["scaleout/*"],
    "distributed": ["scaleout/*"],
    "jinja2": ["report/*"],
    "matplotlib": ["plots/*"],
    "typer": ["cli/*"],
    "starlette": ["serve/*"],
    "uvicorn": ["serve/*"],
    "river": ["river.py"],
}

IMPORT = "import wideberth"
COMMAND = """
import contextlib, sys
from importlib.metadata import entry_points
sys.argv = ["wideberth", {arguments}]
(command,) = entry_points(group="console_scripts", name="wideberth")
with contextlib.suppress(SystemExit), contextlib.redirect_stdout(None):
    command.load()()
"""
REPORT = "\nimport json, sys; print(json.dumps(sorted(sys.modules)))"


def loaded_by(code: str) -> set[str]:
    """The names of the modules that a script has loaded at its end."""
    finished = subprocess.run(
        [sys.executable, "-c", code + REPORT], check=True, capture_output=True, text=True
    )
    return set(json.loads(finished.stdout))


@functools.cache
def imported_packages(path: Path) -> set[str]:
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    modules = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    modules += [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)]
    return {module.partition(".")[0] for module in modules}


def tracked_files() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    if listed.returncode:
        pytest.skip("not a git checkout")
    return [ROOT / name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]


@pytest.mark.few(2)
@pytest.mark.parametrize(
    "code",
    [
        IMPORT,
        *(COMMAND.format(arguments=repr(word)) for word in ("--help", "--version", "metrics")),
        COMMAND.format(arguments="'fit', '--help'"),
    ],
    ids=["import wideberth", "--help", "--version", "metrics", "fit --help"],
)
def test_starting_up_loads_nothing_heavy(code):
    loaded = loaded_by(code)
    assert "wideberth" in loaded
    assert not loaded & HEAVY


@pytest.mark.slow
def test_few_answers_of_a_saved_model_load_no_compiler(tmp_path):
    words, labels = ["tea", "tee", "teas", "rum", "rye", "ruhm"], 3 * ["hot"] + 3 * ["cold"]
    (tmp_path / "new.csv").write_text("drink\ntease\n", encoding="utf-8")
    commands = []
    for number, model in enumerate(
        [
            *families("strings", like=measures_distances),
            wideberth.HilbertSVC("levenshtein", repair="shift"),
            wideberth.NeighborsClassifier("levenshtein", n_neighbors=1),
        ]
    ):
        wideberth.save(model.fit(words, labels), tmp_path / f"{number}.wb")
        names = (tmp_path / f"{number}.wb", tmp_path / "new.csv", tmp_path / f"{number}.csv")
        predict = ["predict", *map(str, names[:2]), "-o", str(names[2])]
        refuse = f"assert 'numba' not in sys.modules, {type(model).__name__!r}\n"
        commands.append(COMMAND.format(arguments=", ".join(map(repr, predict))) + refuse)
    loaded = loaded_by("".join(commands))
    assert len(list(tmp_path.glob("?.csv"))) == len(commands)
    assert "sklearn.base" in loaded
    assert not loaded & {"numba", "llvmlite", "wideberth.guarantees", "wideberth.doctor"}


@pytest.mark.parametrize("package", HOMES)
def test_an_outside_package_stays_in_its_home(package):
    importers = [
        path.relative_to(PACKAGE).as_posix()
        for path in SOURCES
        if package in imported_packages(path)
    ]
    strangers = [
        path for path in importers if not any(fnmatch(path, home) for home in HOMES[package])
    ]
    assert strangers == [], f"only {HOMES[package]} may import {package}"


def test_names_say_what_they_are():
    meaningless = {"utils", "util", "helpers", "helper", "common", "misc"}
    parts = {
        part.lower().lstrip("_")
        for path in tracked_files()
        for part in path.relative_to(ROOT).with_suffix("").parts
    }
    assert not parts & meaningless


def test_no_text_betrays_the_machine_it_was_written_on():
    path_or_registry = re.compile(
        r"(?<![\w.~/*}])/(?:home|root|Users|mnt|opt|srv|tmp|work)/\w"
        r"|\b(?:pypi|pythonhosted|anaconda)\.(?:org|com|io)\b"
        r"|(?:index)-url|(?:find)-links"
    )
    betrayals = []
    for path in tracked_files():
        text = path.read_bytes().decode("utf-8", errors="ignore")
        betrayals += [
            f"{path.relative_to(ROOT)}: {match[0]}" for match in path_or_registry.finditer(text)
        ]
    assert betrayals == []


def stubbed_homes() -> dict[str, str]:
    """Read the public names of __init__.pyi and the modules they come from."""
    tree = ast.parse((PACKAGE / "__init__.pyi").read_text(encoding="utf-8"))
    return {
        alias.asname or alias.name: node.module or ""
        for node in tree.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def test_the_lazy_tables_and_their_stub_agree():
    assert stubbed_homes() == wideberth._HOME | dict.fromkeys(wideberth._MODULES, "wideberth")


def test_the_public_names_are_all_there():
    names = [name for name in wideberth.__all__ if not name.startswith("__")]
    assert sorted(names) == sorted([*wideberth._HOME, *wideberth._MODULES])
    assert set(names) <= set(dir(wideberth))
    for name in wideberth._HOME:
        assert callable(getattr(wideberth, name))


@pytest.mark.parametrize("name", wideberth._MODULES)
def test_a_public_module_is_imported_by_its_public_name(name):
    loaded = importlib.import_module(f"wideberth.{name}")
    assert loaded is getattr(wideberth, name)
    assert loaded.__name__ == f"wideberth.{name}"


@pytest.mark.parametrize(
    "line",
    ["from wideberth.datasets import load_first_names", "from wideberth.transforms import cap"],
)
def test_names_are_imported_from_modules_that_nobody_has_used_yet(line):
    assert "wideberth.transforms" in loaded_by(f"{line}\nimport wideberth.transforms")


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no_such_name"):
        wideberth.no_such_name
