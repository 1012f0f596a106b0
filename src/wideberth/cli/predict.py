"""``wideberth predict``: the rows of a file, each with its label, probability, lead and radius
beside it, a batch at a time.
"""

import io
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from typing import Any, TextIO

import numpy as np

from wideberth.array_types import Integers
from wideberth.cli import options
from wideberth.cli.answers import (
    AnswerWriter,
    ModelAnswers,
    RadiusColumn,
    check_unit,
    radius_column,
)
from wideberth.cli.console import in_options, is_quiet, remark, to_stdout
from wideberth.cli.data import DataOptions, remark_oddities
from wideberth.errors import InvalidFile
from wideberth.estimators.model_facts import class_sizes, counted
from wideberth.io.model_file.read import SavedModel
from wideberth.io.model_file.saved_classifier import classifier_in, options_for
from wideberth.io.readers import Records, read_batches
from wideberth.io.whole_file import refuse_to_overwrite, whole_file

#: Objects read and labelled at a time.
BATCH = 10_000
#: The numbers of edits for which it is said how many labels are safe under any so many.
_SAFE_UNDER = (1, 2, 3)


@options.command(
    options.MODEL,
    options.NEW_FILES,
    options.NEW_COLUMN,
    options.output("A CSV file; standard output by default."),
    options.UNIT,
    options.option(
        "examples", int, "Put so many of the nearest training objects beside each answer.", 0, min=0
    ),
    *options.READING,
    options.option("json", bool, "Write JSON lines."),
    examples=(
        "names.wb new.csv -o answers.csv",
        "names.wb new.csv --json --examples 2",
    ),
    panel=options.Panel.output,
)
def predict(
    data: DataOptions,
    *,
    model: str,
    output: str | None,
    unit: str | None,
    examples: int,
    json: bool,
) -> None:
    """Label new objects: their own columns, then the label, its lead over the next one, and what it
    is proved to withstand.

    The probability is that of the label, rounded down; its column is there only if the model was
    calibrated. The lead is that of the score of the label over the next one. The radius is the
    distance within which the label is proved not to change; where that is counted in edits, it is
    the number of edits that cannot change the label. It is empty, with a remark on standard error,
    if the model certifies none. Objects are read and labelled a batch at a time, so that files may
    have any length; a file named with ``output`` is written completely or not at all.
    """
    refuse_to_overwrite(output, (*data.inputs(), model))
    saved = classifier_in(model)
    check_unit(saved.model, unit)
    batches = _batches(saved, data)
    first = next(batches)
    remark_oddities(saved, first.objects)
    column = radius_column(saved.model, first.objects, unit)
    answers = ModelAnswers(saved, column, examples)
    told: Counter[Any] = Counter()
    safe, absent = np.zeros(len(_SAFE_UNDER), dtype=int), 0
    with output_stream(output) as stream:
        writer = AnswerWriter(stream, json_lines=json)
        for batch in chain([first], batches):
            found = answers.of(batch)
            writer.write(batch, found)
            told.update(found.labels)
            absent += len(batch.absent)
            for record in batch.skipped:
                remark(
                    f"{batch.path}{'' if record.line is None else f', line {record.line}'}: "
                    f"skipped. {in_options(record.why)}"
                )
            safe += (
                0
                if found.radii is None
                else (found.radii > np.array(_SAFE_UNDER)[:, None]).sum(axis=1)
            )
            _show_count(writer.written, output, "")
        _show_count(writer.written, output, "\n")
    if absent:
        remark(
            f"{counted(absent, 'row has', 'rows have')} no object in {first.column!r} and "
            f"{'gets' if absent == 1 else 'get'} no label."
        )
    if output not in (None, "-"):
        remark(
            f"{counted(writer.written - absent, 'object', 'objects')} labelled: "
            f"{class_sizes(told.elements())}. Written to {output}."
        )
    if column is not None and column.safe and (output not in (None, "-") or unit is not None):
        _show_safe(safe, writer.written - absent, column)


def _batches(saved: SavedModel, data: DataOptions) -> Iterator[Records]:
    """The new objects of all files, a batch at a time, with all cells of their rows."""
    reading: dict[str, Any] = {
        "encoding": data.encoding,
        "max_size": data.max_size,
        "labels": False,
        "keep_cells": True,
        "keep_absent": True,
    }
    reading |= {
        name: given
        for name in ("on_error", "sheet", "header")
        if (given := getattr(data, name)) is not None
    }
    for file in data.files:
        as_trained = options_for(saved, file, data.column, data.numbers)
        as_trained["missing"] = (*as_trained.get("missing", ()), *data.missing)
        yield from read_batches(file, size=BATCH, **(as_trained | reading))


@contextmanager
def output_stream(output: str | None) -> Iterator[TextIO]:
    """Open standard output in UTF-8, for None or ``"-"``, or a file that appears only when it is
    complete.
    """
    if output in (None, "-"):
        stream = to_stdout()
        if stream is None:
            raise InvalidFile(
                "Standard output is closed.",
                advice="Name a file with --output.",
                path="-",
                line=None,
                value=None,
            )
        yield stream
        return
    with whole_file(str(output)) as stream:
        text = io.TextIOWrapper(stream, encoding="utf-8", newline="")
        yield text
        text.flush()
        text.detach()


def _show_safe(safe: Integers, done: int, column: RadiusColumn) -> None:
    """Say how many labels no so many edits, or steps of another unit, can change."""
    one = column.name.removeprefix("safe_").removesuffix("s").replace("_", " ")
    moves = [counted(number, one, f"{one}s") for number in _SAFE_UNDER]
    under = ", ".join(
        f"{count:,} under any {some}" for count, some in zip(safe, moves, strict=True)
    )
    remark(f"of {done:,} labels are safe: {under}.")


def _show_count(done: int, output: str | None, end: str) -> None:
    """Show the number of objects done on a terminal, while the answers go to a file."""
    if output not in (None, "-") and sys.stderr.isatty() and not is_quiet():
        print(f"\r{done:,} objects", end=end, file=sys.stderr, flush=True)
