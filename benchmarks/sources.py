"""Whether a result is older than the code that it speaks of: digests of the sources, without their
comments and docstrings.

A benchmark names the parts of the library that its figures depend on (`benchmarks/plan.py`). Their
digests are stored with its results. A result is older than the code if one of them is different
now; a change of words in a comment or docstring is none. Results from before digests were stored
are judged by the commit that they name, as far as git has it.
"""

import ast
import hashlib
import io
import subprocess
import tarfile
import tokenize
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import PurePosixPath
from typing import Any

from benchmarks.folders import ROOT

#: Where the parts of the library are, under the root of the repository.
PACKAGE = PurePosixPath("src/wideberth")
#: Characters of a digest.
LENGTH = 16


def digests(parts: Iterable[str]) -> dict[str, str]:
    """A digest for each part of the library, a folder or a file under ``src/wideberth``, as they
    are now.
    """
    return {part: digest_of(part, _here()) for part in parts}


def digests_at(commit: str, parts: Iterable[str]) -> dict[str, str] | None:
    """The same as they were at a commit; None if git does not have it."""
    files = _at(commit)
    return None if files is None else {part: digest_of(part, files) for part in parts}


def digest_of(part: str, files: Mapping[str, str]) -> str:
    """A digest of the code of all files of a part."""
    whole = str(PACKAGE / part)
    found = hashlib.sha256()
    for path in sorted(files):
        if path == whole or path.startswith(f"{whole}/"):
            found.update(f"{path}\0{code_of(files[path])}\0".encode())
    return found.hexdigest()[:LENGTH]


def changed_since(circumstances: Mapping[str, Any], parts: Iterable[str]) -> list[str] | None:
    """The parts that are different from what was measured; None if nobody knows."""
    wanted = list(parts)
    before = dict(circumstances.get("sources", {}))
    if not set(wanted) <= set(
        before
    ):  # measured before digests were stored, or before the part was declared
        told = digests_at(circumstances["commit"], wanted)
        if told is None:
            return None
        before = told | before
    now = digests(wanted)
    return [part for part in wanted if before[part] != now[part]]


@cache
def code_of(source: str) -> str:
    """A source without comments, docstrings and blank lines: the same on every version of
    Python.
    """
    lines = source.splitlines()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column]
    for first, last in _docstrings(ast.parse(source)):
        lines[first - 1 : last] = [""] * (last - first + 1)
    return "\n".join(line.rstrip() for line in lines if line.strip())


def _docstrings(tree: ast.Module) -> list[tuple[int, int]]:
    """The first and last lines of all docstrings."""
    found = []
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
            and node.body
        ):
            first = node.body[0]
            if (
                isinstance(first, ast.Expr)
                and isinstance(first.value, ast.Constant)
                and isinstance(first.value.value, str)
            ):
                found.append((first.lineno, first.end_lineno or first.lineno))
    return found


@cache
def _here() -> dict[str, str]:
    """All sources by their path, as they were when this process first asked."""
    return {
        path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
        for path in (ROOT / PACKAGE).rglob("*.py")
    }


@cache
def _at(commit: str) -> dict[str, str] | None:
    """All sources by their path at a commit."""
    done = subprocess.run(
        ["git", "archive", "--format=tar", commit, str(PACKAGE)], cwd=ROOT, capture_output=True
    )
    if done.returncode:
        return None
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
        members = [
            member
            for member in archive.getmembers()
            if member.isfile() and member.name.endswith(".py")
        ]
        return {member.name: archive.extractfile(member).read().decode() for member in members}  # type: ignore[union-attr]
