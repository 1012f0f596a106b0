"""The shape of the sources, for people to look at: ``python tools/shape.py [--show NAME]``; run by
``make shape``.

*Walks*: which files of the package a standard piece of work visits. To understand it, a reader
opens so many files, meets so many functions, and changes the file so many times from one function
met for the first time to the next.

*Grain*: what the tree is made of, and how often a package reaches into the models of another.

Nothing fails on these figures: where one has grown, ask why, and change the design rather than the
number. ``--show`` lists what is counted under a name: the stations of a walk, or places in the
sources.
"""

import argparse
import ast
import os
import sys
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from functools import cached_property
from io import StringIO
from itertools import chain, groupby, pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any, NamedTuple

import wideberth as wb
from wideberth.classifiers import named

PACKAGE = Path(wb.__file__).parent

#: Packages that should ask a fitted model instead of reaching into it.
OUTSIDE = {
    "cli",
    "report",
    "serve",
    "checks",
    "scaleout",
    "io",
    "plots",
    "insight",
    "choice",
    "doctor",
    "guarantees",
}
#: Classes that nobody outside of the classifiers should tell apart.
CLASSIFIERS = {
    name
    for row in named.CLASSIFIERS.values()
    for name in (row.class_name, row.chooser_name)
    if name
} | {
    *(
        "AnswersOfBest",
        "AutoClassifier",
        "ChosenClassifier",
        "CountingClassifier",
        "OnlinePartitionClassifier",
    )
}
#: What a model is made of, when ``getattr`` asks whether it has it.
PARTS = {"best_estimator_", "_positions", "references_", "kept_", "support_"}
#: Code lines of a file that is hardly worth opening.
FEW_LINES = 30


class Figure(NamedTuple):
    """A number, what it counts, and the places that it counts, or its share in each file."""

    label: str
    number: int
    places: list[str]


class Station(NamedTuple):
    """A function that a walk has met for the first time."""

    file: str
    function: str


@dataclass(frozen=True)
class Source:
    """A file of the package, read once."""

    path: Path
    module: str
    text: str
    tree: ast.Module

    @cached_property
    def doc_lines(self) -> set[int]:
        """The numbers of the lines of its docstrings."""
        kinds = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
        documented = [
            node
            for node in ast.walk(self.tree)
            if isinstance(node, kinds) and ast.get_docstring(node) is not None
        ]
        return {line for node in documented for line in lines_of(node.body[0])}

    @property
    def code_lines(self) -> int:
        """How many lines are neither empty nor comments nor docstrings."""
        written = {
            number
            for number, line in enumerate(self.text.splitlines(), 1)
            if line.strip() and line.strip()[0] != "#"
        }
        return len(written - self.doc_lines)

    @property
    def import_lines(self) -> int:
        """How many lines its imports take, wherever they stand."""
        return sum(
            len(lines_of(node))
            for node in ast.walk(self.tree)
            if isinstance(node, ast.Import | ast.ImportFrom)
        )

    @property
    def imports(self) -> set[str]:
        """What it imports by name, with the modules it comes from: a name may be a module too."""
        found = [
            node for node in ast.walk(self.tree) if isinstance(node, ast.ImportFrom) and node.module
        ]
        return {
            name
            for node in found
            for name in (node.module, *(f"{node.module}.{each.name}" for each in node.names))
        }

    @property
    def is_package(self) -> bool:
        """Whether it is the front of a folder."""
        return self.path.name == "__init__.py"


def sources(package: Path) -> list[Source]:
    """The files of a package; their paths are relative to it."""
    found = []
    for file in sorted(package.rglob("*.py")):
        path, text = file.relative_to(package), file.read_text(encoding="utf-8")
        module = ".".join((package.name, *path.with_suffix("").parts)).removesuffix(".__init__")
        found.append(Source(path, module, text, ast.parse(text)))
    return found


def lines_of(node: ast.AST) -> range:
    """The numbers of the lines that a statement takes."""
    return range(node.lineno, node.end_lineno + 1)


def grain(package: Path) -> dict[str, Figure]:
    """The figures of a tree, by the name that ``--show`` takes."""
    files = sources(package)
    code = {each.path: each.code_lines for each in files}
    docs = {each.path: len(each.doc_lines) for each in files}
    imports = {each.path: each.import_lines for each in files}
    single = only_importers(files)
    beside = {
        module: importer
        for module, importer in single.items()
        if folder(module) == folder(importer)
    }
    small = [
        f"{each.path.as_posix()}: {code[each.path]}"
        for each in files
        if not each.is_package and code[each.path] <= FEW_LINES
    ]
    outside = [each for each in files if each.path.parts[0] in OUTSIDE]
    return {
        "files": Figure("files", len(files), [each.path.as_posix() for each in files]),
        "code": Figure("code lines", sum(code.values()), each_file(code)),
        "docs": Figure(
            "doc lines per 100 code lines",
            round(100 * sum(docs.values()) / sum(code.values())),
            each_file(docs),
        ),
        "imports": Figure("import lines", sum(imports.values()), each_file(imports)),
        "single": Figure("modules with one importer", len(single), with_importers(single)),
        "beside": Figure("  of them beside their importer", len(beside), with_importers(beside)),
        "small": Figure(f"files of at most {FEW_LINES} code lines", len(small), small),
        "underscore": counted(
            "underscore members of others read outside", outside, underscore_members
        ),
        "isinstance": counted("isinstance of a classifier outside", outside, questions_of_class),
        "getattr": counted("getattr of a model's parts outside", outside, questions_of_parts),
    }


def each_file(numbers: dict[Path, int]) -> list[str]:
    """A number for each file, in words."""
    return [f"{path.as_posix()}: {number}" for path, number in numbers.items()]


def only_importers(files: list[Source]) -> dict[str, str]:
    """The modules that one other module imports, and nobody else, with that module."""
    importers = defaultdict(set)
    for each in files:
        for target in each.imports - {each.module}:
            importers[target].add(each.module)
    ordinary = [each.module for each in files if not each.is_package]
    return {
        module: next(iter(importers[module])) for module in ordinary if len(importers[module]) == 1
    }


def folder(module: str) -> str:
    """The name of the package of a module."""
    return module.rpartition(".")[0]


def with_importers(modules: dict[str, str]) -> list[str]:
    """Modules and who imports them, in words."""
    return [f"{module} < {importer}" for module, importer in modules.items()]


def counted(label: str, files: list[Source], search: Callable[[ast.AST], str | None]) -> Figure:
    """A figure of what a search finds among the nodes of files."""
    found = [
        (each.path, node.lineno, what)
        for each in files
        for node in ast.walk(each.tree)
        if (what := search(node)) is not None
    ]
    return Figure(
        label, len(found), [f"{path.as_posix()}:{line} {what}" for path, line, what in found]
    )


def underscore_members(node: ast.AST) -> str | None:
    """The member that is read, if it is private and of something other than ``self``, ``cls`` or
    what a call returns.
    """
    if (
        not isinstance(node, ast.Attribute)
        or not node.attr.startswith("_")
        or node.attr.startswith("__")
    ):
        return None
    own = isinstance(node.value, ast.Call) or (
        isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
    )
    return None if own else f".{node.attr}"


def questions_of_class(node: ast.AST) -> str | None:
    """The classifiers that an ``isinstance`` asks for."""
    match node:
        case ast.Call(func=ast.Name("isinstance"), args=[_, kinds]):
            asked = {
                each.id for each in ast.walk(kinds) if isinstance(each, ast.Name)
            } & CLASSIFIERS
            return " | ".join(sorted(asked)) or None
    return None


def questions_of_parts(node: ast.AST) -> str | None:
    """The part of a model that a ``getattr`` asks for."""
    match node:
        case ast.Call(func=ast.Name("getattr"), args=[_, ast.Constant(str(part)), *_]) if (
            part in PARTS
        ):
            return part
    return None


def walks(place: Path) -> dict[str, Callable[[], Any]]:
    """Standard pieces of work, by name; their files are in a folder."""
    import numpy as np

    names, sexes = (list(each[:300]) for each in wb.datasets.load_first_names())
    points = np.random.default_rng(0).normal(size=(200, 2))
    sides = points[:, 0] > 0
    table, model, answers = place / "names.csv", place / "names.wb", place / "answers.csv"
    table.write_text(
        "name,sex\n" + "".join(f"{name},{sex}\n" for name, sex in zip(names, sexes, strict=True)),
        encoding="utf-8",
    )
    lipschitz = wb.LipschitzClassifier("levenshtein").fit(names, sexes)
    margin = wb.MarginNeighborsClassifier().fit(points, sides)

    def stream() -> None:
        online = wb.OnlinePartitionClassifier("euclidean", random_state=0, radius=4)
        for point, side in zip(points[:30], sides[:30], strict=True):
            online.predict_one(point)
            online.learn_one(point, bool(side))

    def fit_from_file() -> None:
        model.unlink(missing_ok=True)
        options = {
            "--target": "sex",
            "--metric": "levenshtein",
            "--model": "lipschitz",
            "-o": str(model),
        }
        command("fit", str(table), *chain(*options.items()))

    fit_from_file()
    return {
        "block": lambda: wb.metric("levenshtein").block(names[:3], names[:3]),
        "lipschitz": lambda: wb.LipschitzClassifier("levenshtein").fit(names, sexes),
        "predict": lambda: lipschitz.predict(names[:5]),
        "cv": lambda: wb.LipschitzClassifierCV("levenshtein").fit(names, sexes),
        "margin": lambda: wb.MarginNeighborsClassifier().fit(points, sides),
        "lp": lambda: wb.LPMachineClassifier("levenshtein").fit(names, sexes),
        "svm": lambda: wb.HilbertSVC().fit(points, sides),
        "certify": lambda: wb.certify(margin, points, sides),
        "online": stream,
        "cli-fit": fit_from_file,
        "cli-predict": lambda: command("predict", str(model), str(table), "-o", str(answers)),
        "load": lambda: wb.load(model),
    }


def command(*words: str) -> None:
    """Run a command of wideberth in this process, silently."""
    from wideberth.cli.main import main

    before, sys.argv = sys.argv, ["wideberth", *words]
    try:
        with redirect_stdout(StringIO()), redirect_stderr(StringIO()), suppress(SystemExit):
            main()
    finally:
        sys.argv = before


def stations(work: Callable[[], Any], package: Path) -> list[Station]:
    """The functions of a package that a piece of work calls, each when it is met for the first
    time.
    """
    work()  # what is imported or compiled on first use is no part of the walk
    met: dict[Station, None] = {}
    root = str(package) + os.sep

    def visit(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(root) and code.co_name != "<module>":
            met.setdefault(Station(code.co_filename.removeprefix(root), code.co_qualname))

    sys.setprofile(visit)
    try:
        work()
    finally:
        sys.setprofile(None)
    return list(met)


def lengths(walk: list[Station]) -> tuple[int, int, int]:
    """How many files and functions a walk visits, and how often it changes the file."""
    files = [station.file for station in walk]
    return len(set(files)), len(walk), sum(one != other for one, other in pairwise(files))


def figures_in_words(figures: dict[str, Figure]) -> Iterator[str]:
    """The table of the grain."""
    yield "grain"
    for name, figure in figures.items():
        yield f"{name:12}{figure.label:42}{figure.number:8,d}"


def walks_in_words(works: dict[str, Callable[[], Any]]) -> Iterator[str]:
    """The table of the walks."""
    yield f"{'walk':12}{'files':>8}{'functions':>12}{'switches':>12}"
    for name, work in works.items():
        files, functions, switches = lengths(stations(work, PACKAGE))
        yield f"{name:12}{files:8}{functions:12}{switches:12}"


def stations_in_words(walk: list[Station]) -> Iterator[str]:
    """The functions of a walk in order, under their files."""
    for file, met in groupby(walk, key=lambda station: station.file):
        yield f"  {file}"
        yield from (f"      {station.function}" for station in met)


def main() -> None:
    """Print all figures, or what is counted under one name."""
    parser = argparse.ArgumentParser(description="The shape of the sources, for people to look at.")
    parser.add_argument(
        "--show", metavar="NAME", help="list what is counted under a name of either table"
    )
    name = parser.parse_args().show
    warnings.simplefilter("ignore")
    figures = grain(PACKAGE)
    if name in figures:
        print(*figures[name].places, sep="\n")
        return
    with TemporaryDirectory() as place:
        works = walks(Path(place))
        if name is None:
            print(*walks_in_words(works), "", *figures_in_words(figures), sep="\n")
        elif name in works:
            print(*stations_in_words(stations(works[name], PACKAGE)), sep="\n")
        else:
            parser.error(
                f"there is no figure {name!r}: choose one of {', '.join([*works, *figures])}"
            )


if __name__ == "__main__":
    main()
