"""Check the values of arrays: finite numbers and proper texts, one for each object."""

import sys
from typing import Any

import numpy as np

from wideberth.io.readers.faults import fault
from wideberth.objects import sample
from wideberth.objects.sample import shown
from wideberth.wording import python, setting

Array = np.ndarray[Any, np.dtype[Any]]


def check_companion(values: Array, name: str, option: str, count: int, path: str) -> None:
    """Refuse labels, weights or groups that are not one for each object, or of another type than numbers or text, or missing.

    Parameters
    ----------
    values : ndarray
        The labels, weights or groups.
    name : str
        The name of their array.
    option : {"target", "weight", "groups"}
        The option that names it.
    count : int
        How many objects there are.
    path : str
        The file, for messages.
    """
    noun = "labels" if option == "target" else f"{option.removesuffix('s')}s"
    if values.shape != (count,):
        raise fault(
            path,
            f"{noun} {name!r} of shape {values.shape} for {count} objects.",
            value=values.shape,
            advice=f"Save one for each object, in one axis; or name another array with {setting(option, shown='...')}",
        )
    if values.dtype.kind not in sample.NUMERIC + ("" if option == "weight" else "U"):
        advice = (
            f"Save {noun} as numbers."
            if option == "weight"
            else f"Save {noun} as text, with {python('dtype=str')}, or as numbers."
        )
        raise fault(path, f"{noun} of dtype {values.dtype} have no reader.", value=values.dtype, advice=advice)
    check_values(values, 0, noun, path)
    if option == "weight" and (values < 0).any():
        raise fault(path, f"the weight {values.min():g} is negative.", value=values.min(), advice="Weights are numbers from 0.")


def check_values(values: Array, start: int, noun: str, path: str) -> None:
    """Refuse values that are NaN, infinite, empty or no text.

    Parameters
    ----------
    values : ndarray
        A part of an array of the file.
    start : int
        The index of the first of them in the file.
    noun : str
        What they are, for messages.
    path : str
        The file, for messages.
    """
    if values.dtype.kind == "U":
        _check_code_points(values, start, noun, path)
        wrong = values == ""
    elif values.dtype.kind == "f":
        wrong = ~np.isfinite(values)
    else:
        return
    if wrong.any():
        place = tuple(int(axis[0]) for axis in np.nonzero(wrong))
        value = values[place].item()
        where = ", ".join(str(index) for index in (start + place[0], *place[1:]))
        complaint = "is empty" if value == "" else "is not a finite number"
        raise fault(
            path,
            f"{shown(value)} at [{where}] of the {noun} {complaint}.",
            value=value,
            advice="Fill it in or remove the object.",
        )


def _check_code_points(texts: Array, start: int, noun: str, path: str) -> None:
    """Refuse texts with numbers that are no characters: above those of Unicode, and halves of surrogate pairs."""
    points = np.ascontiguousarray(texts, dtype=texts.dtype.newbyteorder("=")).view(np.uint32).reshape(*texts.shape, -1)
    wrong = np.argwhere((points > sys.maxunicode) | ((points >= 0xD800) & (points <= 0xDFFF)))
    if len(wrong):
        *place, character = map(int, wrong[0])
        value = int(points[tuple(wrong[0])])
        where = ", ".join(str(index) for index in (start + place[0], *place[1:]))
        raise fault(
            path,
            f"the text at [{where}] of the {noun} has the number {value:#x} at character {character + 1}, which is no character.",
            value=value,
            advice="Write the file again with numpy.save, or remove the object.",
        )
