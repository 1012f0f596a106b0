"""The objects of a file that ``wideberth explain`` is asked about: by line, by name, or the first."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from wideberth.cli.console import remark
from wideberth.errors import InvalidInput
from wideberth.io.model_file.read import SavedModel
from wideberth.io.model_file.saved_classifier import in_words, options_for
from wideberth.io.readers import Records, read_batches
from wideberth.io.readers.records import fault, join, listed

#: How many objects are explained where nobody says which.
_FIRST = 5


def objects_in_file(
    saved: SavedModel, named: list[str], lines: list[int], ids: list[str]
) -> tuple[Records, list[str]] | None:
    """The chosen objects of a file, and what to call them; None if the arguments name no file but
    are objects themselves. The name of a file that is there is never an object.
    """
    files = [name for name in named if _is_file(name)]
    if not files:
        if lines or ids:
            raise InvalidInput(
                f"--row and --id choose objects of a file, and there is no file {named[0]!r}.",
                advice="Name a file after the model, or leave --row and --id out.",
                value=named[0],
            )
        return None
    if len(named) > 1:
        raise InvalidInput(
            f"{files[0]} is a file, and {len(named)} arguments are given.",
            advice="Name one file, with --row or --id, or only objects.",
            value=files[0],
        )
    reading: dict[str, Any] = {"labels": False, "keep_cells": True, "keep_absent": True}
    records = join(list(read_batches(files[0], **reading, **options_for(saved, files[0]))))
    chosen = list(dict.fromkeys(_positions(records, lines, ids)))
    if not lines and not ids and len(records) > _FIRST:
        chosen = list(range(_FIRST))
        remark(f"the first {_FIRST} of {len(records):,} objects; --row LINE or --id NAME chooses.")
    return _picked(records, chosen), [_called(records, place) for place in chosen]


def _is_file(name: str) -> bool:
    try:
        return Path(name).is_file()
    except (OSError, ValueError):  # too long for a name, or no name at all
        return False


def _positions(records: Records, lines: list[int], ids: list[str]) -> Iterator[int]:
    """The positions of the objects that were asked for; all if none were."""
    if not lines and not ids:
        yield from range(len(records))
    by_line = {line: place for place, line in enumerate(records.lines or range(len(records)))}
    for line in lines:
        if line not in by_line:
            known = [each for each in by_line if each is not None]
            raise fault(
                records.path,
                f"there is no object in line {line}.",
                f"Its objects are in lines {min(known)} to {max(known)}; rows are counted as lines "
                "of the file, the header too.",
                value=line,
            )
        yield by_line[line]
    by_name = {str(name): place for place, name in enumerate(records.names or ())}
    for name in ids:
        if name not in by_name:
            some = (
                f"Some are {listed(list(by_name)[:3])}." if by_name else "It has no names of rows."
            )
            raise fault(
                records.path,
                f"no object is called {name!r}.",
                f"{some} --row LINE chooses by the line.",
                value=name,
            )
        yield by_name[name]


def _picked(records: Records, places: list[int]) -> Records:
    """The records at some positions."""
    objects = records.objects
    picked = (
        objects[np.array(places)]
        if isinstance(objects, np.ndarray)
        else [objects[place] for place in places]
    )
    chosen: dict[str, Any] = {
        name: [each[place] for place in places]
        for name in ("names", "cells", "lines")
        if (each := getattr(records, name)) is not None
    }
    return replace(records, objects=picked, absent=[], **chosen)


def _called(records: Records, place: int) -> str:
    """What an object is called: its line and name, then what it is if it is no row."""
    line = None if records.lines is None else records.lines[place]
    name = "" if records.names is None else f" ({records.names[place]})"
    called = f"line {line}{name}"
    # rows are shown cell by cell
    is_row = records.kind == "rows" or isinstance(records.column, tuple)
    return called if is_row else f"{called}: {in_words(records.objects[place])}"
