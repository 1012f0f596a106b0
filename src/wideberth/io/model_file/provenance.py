"""Where a model file comes from: how many objects were learned from, which data, which seed, which
versions wrote it.

It stands in the manifest, so that it can be read without making the model.

What ``wideberth fit`` notes about its data in a model file, for the commands that use the file
later.

Models saved from Python have no notes, and any of them but the names of the files may be None.
"""

import math
import os
import platform
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

import wideberth
from wideberth.array_types import Sample
from wideberth.estimators.metric_estimator import MetricEstimator
from wideberth.estimators.model_facts import counted
from wideberth.estimators.training import Learned
from wideberth.io.model_file.archive import MANIFEST, Archive, refusal
from wideberth.metrics.parameters import is_whole
from wideberth.objects import sample

#: The most different characters that are noted: more are no alphabet, and unseen ones are nothing
#: unusual.
MOST_CHARACTERS = 500
#: The most characters that are noted of the name of an object.
LONGEST_NAME = 200


@dataclass(frozen=True)
class DataNotes:
    """Where training objects came from, and what is usual among them.

    Examples
    --------
    >>> DataNotes(("drinks.csv",), target="kind").characters is None
    True
    """

    files: tuple[str, ...] = ()  # the names of the files, without their directories
    fitted: str | None = None  # the time of the fit, in UTC: ``2026-11-17T06:05:00Z``
    target: str | None = None
    #: of strings: all characters that occur in them, sorted; None if there are more than
    #: `MOST_CHARACTERS`
    characters: str | None = None
    spread: float | None = None  # the median distance between two training objects
    #: what to call the objects that the file holds, in their order: identifiers, or the
    #: objects themselves where the file holds only what their metric measures, as the
    #: fingerprints of molecules
    names: tuple[str, ...] | None = None
    codes: tuple[int, ...] | None = None  # the positions of their labels among the classes


def notes_from_plain(plain: Any) -> DataNotes | None:
    """Make the notes that a file holds.

    Examples
    --------
    >>> noted = vars(DataNotes(("drinks.csv",), spread=2.0))
    >>> notes_from_plain(noted).spread
    2.0
    >>> notes_from_plain(noted | {"spread": "wide"})
    Traceback (most recent call last):
    ...
    ValueError: spread='wide' is no note about data
    """
    if plain is None:
        return None
    if not isinstance(plain, dict) or plain.keys() != {field.name for field in fields(DataNotes)}:
        raise ValueError("these values are not notes about data")
    for name, value in plain.items():
        if not (_CHECKS[name](value) or (value is None and name != "files")):
            raise ValueError(f"{name}={value!r} is no note about data")
    return DataNotes(**plain)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _are_texts(value: Any) -> bool:
    return isinstance(value, tuple) and all(map(_is_text, value))


_CHECKS: dict[str, Callable[[Any], bool]] = {
    "files": _are_texts,
    "fitted": lambda value: (
        _is_text(value) and re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", value) is not None
    ),
    "target": _is_text,
    "characters": lambda value: _is_text(value) and len(value) <= MOST_CHARACTERS,
    "spread": lambda value: type(value) is float and 0 < value < math.inf,
    "names": lambda value: _are_texts(value) and all(len(name) <= LONGEST_NAME for name in value),
    "codes": lambda value: isinstance(value, tuple) and all(is_whole(code, 0) for code in value),
}
#: The longest version of a package that is read, in letters.
_LONGEST_VERSION = 100


@dataclass(frozen=True)
class Provenance:
    """Where a model file comes from.

    A file has no secret key: it says where it comes from, and does not prove it. What it says of
    its own objects is compared with them when the model is loaded.

    Attributes
    ----------
    n_learned : int or None
        How many objects the model learned from; None if it does not remember them.
    n_held : int or None
        How many of them the file holds, in full: whoever has the file has these objects.
    data : str or None
        A digest of the objects learned from with their labels, in any order: 16 hexadecimal digits.
    random_state : int or None
        The seed; None if the model has none.
    versions : mapping of str to str
        Of wideberth, Python and numpy when the file was written.

    Examples
    --------
    >>> print(
    ...     Provenance(
    ...         5000,
    ...         120,
    ...         "00f1e2d3c4b5a697",
    ...         0,
    ...         {"wideberth": "0.1.0", "python": "3.12.1", "numpy": "2.1.0"},
    ...     )
    ... )
    Learned from 5,000 objects (digest 00f1e2d3c4b5a697), of which the file holds 120; random_state 0.
    Written by wideberth 0.1.0, python 3.12.1, numpy 2.1.0.
    """

    n_learned: int | None = None
    n_held: int | None = None
    data: str | None = None
    random_state: int | None = None
    versions: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        known = self.n_learned is not None
        learned = (
            f"Learned from {counted(self.n_learned or 0, 'object', 'objects')}"
            if known
            else "Objects are not remembered"
        )
        digest = "" if self.data is None else f" (digest {self.data})"
        held = "" if self.n_held is None else f", of which the file holds {self.n_held:,}"
        seed = "" if self.random_state is None else f"; random_state {self.random_state}"
        versions = ", ".join(f"{name} {version}" for name, version in self.versions.items())
        return f"{learned}{digest}{held}{seed}.\nWritten by {versions}."


def provenance_of(model: MetricEstimator, objects: Sample) -> Provenance:
    """Where a fitted model comes from, of which the file holds these objects."""
    learned: Learned | None = getattr(model, "learned_from_", None)
    seed = getattr(model, "random_state", None)
    return Provenance(
        n_learned=None if learned is None else len(learned),
        n_held=0 if objects is None else sample.count(objects),
        data=None if learned is None else learned.plain()["all_labelled"],
        random_state=int(seed) if isinstance(seed, int | np.integer) else None,
        versions={
            "wideberth": wideberth.__version__,
            "python": platform.python_version(),
            "numpy": np.__version__,
        },
    )


def provenance_from_manifest(manifest: Mapping[str, Any]) -> Provenance:
    """Read where a file comes from.

    Examples
    --------
    >>> told = {
    ...     "n_learned": 2,
    ...     "n_held": 2,
    ...     "data": None,
    ...     "random_state": 0,
    ...     "versions": {"wideberth": "0.3.0"},
    ... }
    >>> provenance_from_manifest({"provenance": told}).n_learned
    2
    """
    match manifest.get("provenance"):
        case {
            "n_learned": learned,
            "n_held": held,
            "data": data,
            "random_state": seed,
            "versions": dict(versions),
            **rest,
        } if (
            not rest
            and all(map(_is_count, (learned, held, seed)))
            and _is_digest(data)
            and all(map(_is_version, versions.items()))
        ):
            return Provenance(learned, held, data, seed, versions)
    raise ValueError("it does not say where the model comes from")


def model_info(path: str | os.PathLike[str]) -> Provenance:
    """Say where a model file comes from: how many objects it learned from and holds, which data,
    which seed, which versions.

    The model is not made, so that this is fast for large ones.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import wideberth
    >>> path = pathlib.Path(tempfile.mkdtemp(), "drinks.wb")
    >>> wideberth.save(
    ...     wideberth.NeighborsClassifier("levenshtein").fit(["tea", "rum"], ["soft", "hard"]), path
    ... )
    >>> info = model_info(path)
    >>> info.n_learned, info.n_held, info.versions["wideberth"] == wideberth.__version__
    (2, 2, True)
    """
    with Archive(path) as archive:
        return checked_provenance(archive)


def checked_provenance(archive: Archive) -> Provenance:
    """Read where an open file comes from; an `InvalidFile` if it does not say it as files do."""
    try:
        return provenance_from_manifest(archive.manifest)
    except ValueError as reason:
        raise refusal(
            archive.path, MANIFEST, f"{reason}.", value=archive.manifest.get("provenance")
        ) from None


def _is_count(value: Any) -> bool:
    return value is None or (type(value) is int and value >= 0)


def _is_digest(value: Any) -> bool:
    return value is None or (
        isinstance(value, str) and re.fullmatch("[0-9a-f]{16}", value) is not None
    )


def _is_version(named: tuple[str, Any]) -> bool:
    name, version = named
    return isinstance(version, str) and max(len(name), len(version)) <= _LONGEST_VERSION
