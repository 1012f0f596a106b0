"""The rules of the house that need the graph of imports, or the sources themselves:
docs/architecture.md gives the reasons.

import-linter (pyproject.toml) checks the layers, the cycles and that classifiers do not know each
other.
"""

import ast
import functools
from collections import defaultdict
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

import grimp
import pytest

import wideberth
from wideberth.cli.commands import COMMANDS

PACKAGE = Path(__file__).parents[2] / "src" / "wideberth"

#: Packages that hold only what two or more packages use.
SHARED = ("geometry", "optimize", "estimators")

#: Modules that people import by name: some need an extra.
BY_EXPLICIT_IMPORT = (
    "wideberth.io.trusted_types",
    "wideberth.report",
    "wideberth.serve",
    "wideberth.river",
)


@pytest.fixture(scope="module")
def imports() -> grimp.ImportGraph:
    return grimp.build_graph("wideberth", cache_dir=None)


@functools.cache
def trees() -> dict[Path, ast.Module]:
    return {
        path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(PACKAGE.rglob("*.py"))
    }


def package_of(module: str) -> str:
    """The package of a module; the folder of a classifier counts as one."""
    _, package, *rest = module.split(".")
    return f"{package}.{rest[0]}" if package == "classifiers" and rest else package


def clients(imports: grimp.ImportGraph, module: str) -> set[str]:
    """The packages that reach a module, directly or through other modules of its own package."""
    package, found, waiting = package_of(module), {module}, [module]
    packages = set()
    while waiting:
        for importer in imports.find_modules_that_directly_import(waiting.pop()) - found:
            found.add(importer)
            if package_of(importer) == package:
                waiting.append(importer)
            else:
                packages.add(package_of(importer))
    return packages


@pytest.mark.parametrize("package", SHARED)
def test_what_is_shared_has_more_than_one_client(imports, package):
    modules = {module for module in imports.modules if module.startswith(f"wideberth.{package}.")}
    leaves = {module for module in modules if not imports.find_children(module)}
    assert leaves
    lonely = {module: found for module in leaves if len(found := clients(imports, module)) < 2}
    assert lonely == {}, "it belongs to the package of its only client"


def test_everything_can_be_reached_from_a_public_name_or_a_command(imports):
    modules = {f"wideberth.{name}" for name in wideberth._MODULES}
    modules |= {f"wideberth.cli.{name}" for name in COMMANDS}
    found = {*wideberth._HOME.values(), *modules, "wideberth.__main__", *BY_EXPLICIT_IMPORT}
    waiting = list(found)
    while waiting:
        module = waiting.pop()
        packages = {module.rsplit(".", depth)[0] for depth in range(1, module.count(".") + 1)}
        more = (imports.find_modules_directly_imported_by(module) | packages) - found
        found |= more
        waiting += more
    assert imports.modules - found == set(), "only tests would run it"


def test_compiled_loops_are_in_files_of_kernels(imports):
    importers = imports.find_modules_that_directly_import("wideberth.compilation")
    others = {module for module in importers if not module.endswith("kernels")}
    # these compile ahead, take off the time that compiling takes, weigh it, or say it
    assert others == {
        "wideberth.cli.warmup",
        "wideberth.serve.workers",
        "wideberth.choice.time_limit",
        "wideberth.progress",
        "wideberth.geometry.measure.parallel",
        "wideberth.geometry.search.choosing",
        "wideberth.geometry.search.sum_filter",
        "wideberth.metrics.strings.edits",
    }


def imported(tree: ast.Module) -> set[str]:
    modules = {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
    }
    modules |= {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    return {module.partition(".")[0] for module in modules}


def test_programs_know_no_estimators():
    programs = [path for path in trees() if path.stem.endswith("program")]
    assert programs
    assert [
        path.relative_to(PACKAGE) for path in programs if "sklearn" in imported(trees()[path])
    ] == []


def test_no_public_class_has_the_name_of_another():
    homes = defaultdict(list)
    for path, tree in trees().items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].append(path.relative_to(PACKAGE).as_posix())
    assert {name: paths for name, paths in homes.items() if len(paths) > 1} == {}


#: Names that lead from the objects of a space or of a fit to the metric behind, which neither
#: counts nor keeps what it measures: the only files that may use them, relative to the package, and
#: why.
WAYS_AROUND = {
    "measured_by": {
        "geometry/space/*": "the space itself",
        "io/model_file/*": "a file holds the metric and the objects",
    },
    "themselves": {
        "geometry/space/*": "where it is defined",
        "geometry/classes/duplicates.py": "equal objects are found by hashing",
        "estimators/training.py": "vectors are sorted by their coordinates; metrics are taught anew",
        "io/model_file/*": "a file holds the metric and the objects",
    },
    "plain_objects": {
        "geometry/measure/*": "where it is defined",
        "geometry/space/*": "for themselves",
    },
    "unchecked": {
        "metrics/*": "where it is defined",
        "geometry/measure/remembered_distances.py": "what is kept is checked when it is read",
        "geometry/measure/sampled_axioms.py": "axioms that do not hold are reported, all of them",
        "doctor/diagnosis.py": "axioms that do not hold are reported, all of them",
        "checks/*": "the checks of a metric itself",
    },
    "_measure": {
        "metrics/*": "how a metric is written",
        "geometry/space/*": "how a metric is written",
    },
    "_distances": {"metrics/*": "how metrics are made of others"},
    "_tiled": {"geometry/space/*": "the distances that a space keeps"},
}


@functools.cache
def names_used(tree: ast.Module) -> set[str]:
    """The names that a module reads or calls; what a class defines under its own name is not among
    them.
    """
    found = set()
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name):
                found.add(name)
            case ast.Attribute(attr=name) if not is_own(node):
                found.add(name)
            case ast.ImportFrom(names=names):
                found.update(alias.name for alias in names)
    return found


def is_own(node: ast.Attribute) -> bool:
    return isinstance(node.value, ast.Name) and node.value.id == "self"


@pytest.mark.parametrize("name", WAYS_AROUND)
def test_no_way_leads_around_the_distances_that_are_kept(name):
    users = {
        path.relative_to(PACKAGE).as_posix()
        for path, tree in trees().items()
        if name in names_used(tree)
    }
    assert any(name in path.read_text(encoding="utf-8") for path in trees()), (
        "the rule speaks of something that is gone"
    )
    assert {
        path for path in users if not any(fnmatch(path, allowed) for allowed in WAYS_AROUND[name])
    } == set()


def attributes_set_on_others(tree: ast.Module) -> Iterator[str]:
    """Attributes that a module sets, from outside of any function, on what it has imported."""
    foreign = {
        alias.asname or alias.name
        for node in tree.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else []
        for target in targets:
            if (
                isinstance(target, ast.Attribute)
                and isinstance(target.value, ast.Name)
                and target.value.id in foreign
            ):
                yield f"{target.value.id}.{target.attr}"


def test_no_room_adds_to_the_classes_of_another():
    found = {
        path.relative_to(PACKAGE).as_posix(): list(attributes_set_on_others(tree))
        for path, tree in trees().items()
    }
    assert {path: names for path, names in found.items() if names} == {}
