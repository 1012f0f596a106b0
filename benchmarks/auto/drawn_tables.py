"""Tables of pydataset that nobody used for design: drawn by a seed from all that a rule takes."""

import io
import tarfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.outside_data import carried_by
from benchmarks.tables.files import TABLES

#: The rule: so many rows, so many classes with so many rows each, and so many other columns.
ROWS, CLASSES, LEAST, COLUMNS = (100, 20_000), (2, 10), 10, 3
#: Of each table so many rows at most, at random.
MOST = 2_000
#: What is drawn, and the seed.
COUNT, SEED = 16, 20_261_120
#: Tables that were looked at by hand while the readers and the choice were written, besides those of
#: the page on ordinary tables.
_LOOKED_AT = ("lung", "birthwt", "Salaries", "kyphosis", "infert", "iris", "HairEyeColor")


@cache
def _archive() -> dict[str, bytes]:
    """The files of the package by name."""
    packed = carried_by("pydataset", "resources.tar.gz")
    assert packed is not None
    with tarfile.open(packed) as archive:
        return {
            member.name.removeprefix("resources/rdata/csv/"): archive.extractfile(member).read()  # type: ignore[union-attr]
            for member in archive.getmembers()
            if member.name.endswith(".csv")
        }


def _frame(file: str) -> Any:
    import pandas as pd

    try:
        frame = pd.read_csv(io.BytesIO(_archive()[file]), encoding="latin-1", low_memory=False)
    except pd.errors.ParserError:  # it is no table
        return pd.DataFrame()
    return frame.loc[:, [not str(name).startswith("Unnamed:") for name in frame.columns]]


def _target(frame: Any) -> str | None:
    """The last column of texts that holds classes, if the rest of the rule holds too."""
    n = len(frame)
    if not ROWS[0] <= n <= ROWS[1] or frame.shape[1] <= COLUMNS:
        return None
    for name in reversed(frame.columns):
        if frame[name].dtype.kind in "biufc":
            continue
        sizes = frame[name].value_counts()
        if CLASSES[0] <= len(sizes) <= CLASSES[1] and sizes.min() >= LEAST:
            return str(name)
    return None


@cache
def drawn() -> tuple[str, ...]:
    """The files, in alphabetical order."""
    passed = {Path(each.file).stem for each in TABLES} | set(_LOOKED_AT)
    pool = []
    for file in sorted(_archive()):  # a table that two packages have is one
        if Path(file).stem not in passed and _target(_frame(file)) is not None:
            pool.append(file)
            passed.add(Path(file).stem)
    chosen = np.random.default_rng(SEED).permutation(len(pool))[:COUNT]
    return tuple(pool[i] for i in np.sort(chosen))


def rows_and_labels(file: str) -> tuple[Any, Any]:
    """The rows of a table, without a column that names them, and their labels."""
    frame = _frame(file)
    target = _target(frame)
    frame = frame[frame[target].notna()]
    if len(frame) > MOST:
        frame = frame.iloc[np.sort(np.random.default_rng(0).permutation(len(frame))[:MOST])]
    frame = frame.reset_index(drop=True)
    rows = frame.drop(columns=target)
    named = [
        name
        for name in rows.columns
        if rows[name].dtype.kind not in "biufc" and rows[name].is_unique
    ]
    return rows.drop(columns=named), frame[target].to_numpy(dtype=str)
