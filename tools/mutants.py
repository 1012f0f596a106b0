"""Do the tests notice a change? ``python tools/mutants.py [--seed 0] [--count 40]``, by ``make mutants``.

Random places of the sources are changed, one at a time, in a copy of the tree: a comparison, an
operator, a number, a condition, ``min`` for ``max``, an error that is not raised. For each change
those tests run that reach the changed line, the short ones (`make test`) until one fails, and, if
none does, the slow ones (`make test-slow`) of the same files, most of which are other parameters of
the same tests. A change that no test notices is a place where the tests say nothing, or a change
that changes nothing: look at it.

Which short test reaches which line is measured once (``--measure``), with coverage's contexts: all
of them, those of a cluster in processes of their own, and for loops of ``*kernels.py`` the tests
marked ``kernels`` without compilation. All of it is kept in ``build/mutants``: a run that was
stopped goes on where it was. ``--short`` does not ask the slow tests. The last lines are a table.
"""

import argparse
import ast
import json
import os
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

from coverage import CoverageData

ROOT = Path(__file__).parents[1]
KEPT = ROOT / "build" / "mutants"
TREE = KEPT / "tree"
PACKAGE = Path("src") / "wideberth"
#: The suites, the quickest first, and how pytest selects them.
SUITES = {"short": ["-m", "not slow and not browser"], "slow": ["-m", "slow and not browser"]}
#: What is measured: all short tests but those of a cluster, these, and which tests reach a loop that
#: is compiled everywhere else.
MEASURED = {"short": [], "cluster": ["-m", "cluster and not slow", "tests/scaleout"], "loops": []}
#: Lines of all sources count; branches are not asked for.
TRACED = "[run]\nsource = wideberth\nparallel = true\n"
#: A test that hangs has noticed something.
MOST_SECONDS = 1200

COMPARISONS = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
OPERATORS = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
CALLS = {"min": "max", "max": "min", "minimum": "maximum", "maximum": "minimum", "any": "all"}


@dataclass(frozen=True)
class Mutant:
    """One change: where it is, what stood there, and what stands there now."""

    path: str
    line: int
    before: str
    after: str
    source: str

    def shown(self) -> str:
        """The place and the change, on one line.

        >>> Mutant("a.py", 3, "x < 1", "x <= 1", "").shown()
        'a.py:3: `x < 1` -> `x <= 1`'
        """
        return f"{self.path}:{self.line}: `{self.before}` -> `{self.after}`"


def changed(node: ast.AST) -> ast.AST | None:
    """A node that says something else; None if there is no such change of it.

    >>> ast.unparse(changed(ast.parse("a < b", mode="eval").body))
    'a <= b'
    >>> ast.unparse(changed(ast.parse("2", mode="eval").body))
    '3'
    """
    match node:
        case ast.Compare(ops=[op, *_]) if type(op) in COMPARISONS:
            return ast.Compare(
                node.left, [COMPARISONS[type(op)](), *node.ops[1:]], node.comparators
            )
        case ast.BinOp(op=op) if type(op) in OPERATORS:
            return ast.BinOp(node.left, OPERATORS[type(op)](), node.right)
        case ast.BoolOp(op=op):
            return ast.BoolOp(ast.And() if isinstance(op, ast.Or) else ast.Or(), node.values)
        case ast.UnaryOp(op=ast.Not()):
            return node.operand
        case ast.UnaryOp(op=ast.USub(), operand=ast.Name()):
            return node.operand
        case ast.Constant(value=bool()):
            return ast.Constant(not node.value)
        case ast.Constant(value=int()):
            return ast.Constant(node.value + 1)
        case ast.Constant(value=float()):
            return ast.Constant(node.value * 2 or 1.0)
        case ast.Call(func=ast.Name(id=name)) if name in CALLS:
            return ast.Call(ast.Name(CALLS[name]), node.args, node.keywords)
        case ast.Call(func=ast.Attribute(attr=name)) if name in CALLS:
            function = ast.Attribute(node.func.value, CALLS[name])
            return ast.Call(function, node.args, node.keywords)
        case ast.IfExp():
            return ast.IfExp(node.test, node.orelse, node.body)
        case ast.Raise():
            return ast.Pass()
    return None


def runs(tree: ast.Module) -> Iterator[ast.AST]:
    """The nodes that run: without annotations, docstrings, messages of errors and imports."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns", "decorator_list", "type_params"):
                continue
            if isinstance(node, ast.Raise) and name in ("exc", "cause"):
                continue
            if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
                continue
            if isinstance(
                node, ast.JoinedStr
            ):  # mostly messages, and 3.11 misplaces what is inside
                continue
            found = value if isinstance(value, list) else [value]
            waiting += [each for each in found if isinstance(each, ast.AST)]


def places(text: str) -> list[ast.AST]:
    """The nodes of a source that can be changed, in the order in which they stand there."""
    found = [node for node in runs(ast.parse(text)) if changed(node) is not None]
    return sorted(found, key=lambda node: (node.lineno, node.col_offset, -node.end_col_offset))


def mutant_at(node: ast.AST, path: Path, text: str) -> Mutant:
    """The source with a node changed."""
    starts = list(accumulate((len(line.encode()) for line in text.splitlines(True)), initial=0))
    start = starts[node.lineno - 1] + node.col_offset
    end = starts[node.end_lineno - 1] + node.end_col_offset
    new = changed(node)
    written = ast.unparse(ast.fix_missing_locations(ast.copy_location(new, node)))
    after = f"({written})" if isinstance(new, ast.expr) else written
    data = text.encode()
    source = (data[:start] + after.encode() + data[end:]).decode()
    before = " ".join(data[start:end].decode().split())
    return Mutant(path.as_posix(), node.lineno, before, written, source)


def chosen(seed: int, count: int, folder: Path = PACKAGE) -> list[Mutant]:
    """Random changes of the sources in a folder, each place as likely as another."""
    paths = sorted((ROOT / folder).rglob("*.py"))
    texts = {path: path.read_text(encoding="utf-8") for path in paths}
    everything = [(path, node) for path, text in texts.items() for node in places(text)]
    return [
        mutant_at(node, path.relative_to(ROOT), texts[path])
        for path, node in random.Random(seed).sample(everything, count)
    ]


def pytest(*arguments: str, limit: int, **more: str) -> "subprocess.CompletedProcess[str]":
    """Run tests in the copy of the tree, whose sources they find first."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    return subprocess.run(
        [*command, "--hypothesis-profile=ci", *arguments],
        cwd=TREE,
        env=os.environ | {"PYTHONPATH": str(TREE / "src")} | more,
        capture_output=True,
        text=True,
        timeout=limit,
        check=False,
    )


def measure(name: str) -> Path:
    """Note once which test reaches which line; where that is kept."""
    kept, settings = KEPT / f"{name}.coverage", KEPT / "coveragerc"
    if kept.exists():
        return kept
    print(f"Measuring which tests reach which lines: {name} ...", flush=True)
    settings.write_text(TRACED, encoding="utf-8")
    options = ["-n", "2", "--cov", f"--cov-config={settings}", "--cov-context=test"]
    done = pytest(
        *options,
        "--cov-report=",
        *(["-m", "kernels and not slow", *tests_of_loops()] if name == "loops" else MEASURED[name]),
        limit=20 * MOST_SECONDS,
        COVERAGE_FILE=str(kept),
        **({"NUMBA_DISABLE_JIT": "1"} if name == "loops" else {}),
    )
    print(done.stdout.splitlines()[-1] if done.stdout else done.stderr, flush=True)
    failed = re.findall(r"^FAILED (\S+?)(?:\[|\s|$)", done.stdout, flags=re.MULTILINE)
    failing(name).write_text(json.dumps(sorted(set(failed))), encoding="utf-8")
    return kept


def failing(name: str) -> Path:
    """Where the tests are kept that failed while nothing was changed, such as those that ask git
    what came before: they cannot judge a change.
    """
    return KEPT / f"{name}.failing.json"


def tests_of_loops() -> list[str]:
    """The files with tests of compiled loops."""
    return [
        path.relative_to(TREE).as_posix()
        for path in sorted((TREE / "tests").rglob("test_*.py"))
        if "kernels" in path.read_text(encoding="utf-8")
    ]


def tests_of(suite: str, mutant: Mutant) -> list[str]:
    """The short tests that reach the changed line, with all their parameters, or the files of these
    tests for the slow suite; those whose folders are called like those of the source come first.
    """
    asked = ["short"]
    if mutant.path.endswith("kernels.py"):
        asked.append("loops")
    if "scaleout" in mutant.path or "geometry/measure" in mutant.path:
        asked.append("cluster")
    found: set[str] = set()
    for kept in map(measure, asked):
        data = CoverageData(str(kept))
        data.read()
        for path in data.measured_files():
            if path.endswith("/" + mutant.path):
                found.update(data.contexts_by_lineno(path).get(mutant.line, ()))
    tests = {each.partition("|")[0].partition("[")[0] for each in found if "::" in each}
    for name in asked:
        tests -= set(json.loads(failing(name).read_text(encoding="utf-8")))
    if suite == "slow":
        tests = {each.partition("::")[0] for each in tests}
    near = set(Path(mutant.path).with_suffix("").parts)
    return sorted(tests, key=lambda test: (-len(near & set(test.split("::")[0].split("/"))), test))


def verdict(suite: str, mutant: Mutant) -> str:
    """What the tests of a suite say of a change that is in the copy of the tree."""
    tests = tests_of(suite, mutant)
    if not tests:
        return "not reached"
    listed = KEPT / "tests.txt"
    listed.write_text("\n".join(tests), encoding="utf-8")
    # numba does not notice that a loop in another file was changed, and keeps what it compiled
    apart = {"NUMBA_CACHE_DIR": str(KEPT / "numba")} if mutant.path.endswith("kernels.py") else {}
    shutil.rmtree(KEPT / "numba", ignore_errors=True)
    try:
        done = pytest("-x", *SUITES[suite], f"@{listed}", limit=MOST_SECONDS, **apart)
    except subprocess.TimeoutExpired:
        return f"noticed by waiting, of {len(tests)}"
    # 5: these files have no slow tests
    return f"survived {len(tests)}" if done.returncode in (0, 5) else f"noticed, of {len(tests)}"


def judged(mutant: Mutant, suites: Sequence[str]) -> dict[str, str]:
    """The verdicts of suites, up to the first that notices the change."""
    place = TREE / mutant.path
    original = place.read_text(encoding="utf-8")
    place.write_text(mutant.source, encoding="utf-8")
    verdicts: dict[str, str] = {}
    try:
        for suite in suites:
            verdicts[suite] = verdict(suite, mutant)
            if verdicts[suite].startswith("noticed"):
                break
    finally:
        place.write_text(original, encoding="utf-8")
    return verdicts


def copied() -> None:
    """Copy what tests need, so that the working tree is never changed."""
    KEPT.mkdir(parents=True, exist_ok=True)
    names = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    for name in names:
        source, target = ROOT / name, TREE / name
        if source.is_file():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)


def table(results: dict[str, dict[str, str]]) -> str:
    """The verdicts, as Markdown.

    >>> print(table({"a.py:1: `1` -> `2`": {"short": "noticed, of 3"}}).splitlines()[2])
    | a.py:1: `1` -> `2` | noticed, of 3 | - |
    """
    head = ["| change | " + " | ".join(SUITES) + " |", "| --- |" + " --- |" * len(SUITES)]
    rows = [
        f"| {name} | " + " | ".join(verdicts.get(suite, "-") for suite in SUITES) + " |"
        for name, verdicts in results.items()
    ]
    return "\n".join([*head, *rows])


def main() -> None:
    """Measure what is not measured, judge what is not judged, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument(
        "--measure", action="store_true", help="measure anew which tests reach what"
    )
    parser.add_argument("--short", action="store_true", help="do not ask the slow tests")
    options = parser.parse_args()
    suites = ["short"] if options.short else list(SUITES)
    copied()
    for name in MEASURED if options.measure else ():
        (KEPT / f"{name}.coverage").unlink(missing_ok=True)
    kept = KEPT / f"seed-{options.seed}.json"
    results = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
    for mutant in chosen(options.seed, options.count):
        if mutant.shown() not in results:
            results[mutant.shown()] = judged(mutant, suites)
            kept.write_text(json.dumps(results, indent=1), encoding="utf-8")
            print(mutant.shown(), results[mutant.shown()], flush=True)
    print(table(results))


if __name__ == "__main__":
    main()
