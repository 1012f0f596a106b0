"""Checks of the values that an estimator restores from a model file: compiled code trusts them, and
a file may be damaged.

Every function takes the values as a dict and the name of one, and raises `InvalidInput` if it is
not what it has to be.
"""

from collections.abc import Iterable
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Flags, Floats, Indices
from wideberth.errors import InvalidInput
from wideberth.geometry.measure.blocks import parse_memory
from wideberth.geometry.shape.distortion import Distortion
from wideberth.metrics.parameters import is_whole
from wideberth.wording import setting

#: The largest number that is not infinite.
FINITE = np.finfo(np.float64).max
#: Where an object stood in X may be any number that indexes an array.
ANY_POSITION = np.iinfo(np.intp).max
#: A file may ask for as many workers as this.
MOST_JOBS = 1024


def numbers(
    state: dict[str, Any], name: str, count: int | None = None, *, least: float | None = None
) -> Floats:
    """An array of ``count`` numbers (any count if None), none of them NaN or below ``least`` if
    that is given.

    Examples
    --------
    >>> numbers({"weights": np.array([1, 2])}, "weights", 2, least=0)
    array([1., 2.])
    """
    values = _one_axis(state, name, count, "fiub").astype(np.float64)
    if least is not None:
        _check(name, values, values >= least, f"is not a number from {least:g} on")
    return values


def finite(state: dict[str, Any], name: str, count: int, *, least: float | None = None) -> Floats:
    """An array of ``count`` finite numbers, none of them below ``least`` if that is given.

    Examples
    --------
    >>> finite({"norms": np.array([1.0, np.inf])}, "norms", 2)
    Traceback (most recent call last):
    ...
    wideberth.errors.InvalidInput: 'norms' holds a number that is not finite.
    """
    values = numbers(state, name, count, least=least)
    if not np.isfinite(values).all():
        raise InvalidInput(f"{name!r} holds a number that is not finite.", value=name)
    return values


def codes(state: dict[str, Any], name: str, count: int, below: int) -> Indices:
    """An array of ``count`` whole numbers from 0 to ``below`` - 1.

    Examples
    --------
    >>> codes({"codes": np.array([0, 2])}, "codes", 2, below=2)
    Traceback (most recent call last):
    ...
    wideberth.errors.InvalidInput: 'codes' holds 2 at position 1, which is not between 0 and 1.
    """
    values = _one_axis(state, name, count, "iu")
    _check(name, values, (values >= 0) & (values < below), f"is not between 0 and {below - 1}")
    return values.astype(np.intp)


def check_complete(parameters: dict[str, Any], estimator: type[Any]) -> None:
    """Refuse parameters that are not all those of a constructor but ``metric``: one that is missing
    would get its default.

    Examples
    --------
    >>> from wideberth.embeddings import KuratowskiEmbedding
    >>> check_complete({"references": 5, "n_jobs": 1}, KuratowskiEmbedding)
    Traceback (most recent call last):
    ...
    wideberth.errors.InvalidInput: Of the parameters of KuratowskiEmbedding, ... are missing.
    """
    missing = set(estimator._get_param_names()) - {"metric"} - set(parameters)
    if missing:
        raise InvalidInput(
            f"Of the parameters of {estimator.__name__}, {', '.join(sorted(missing))} are missing.",
            value=missing,
        )


def flag(state: dict[str, Any], name: str) -> bool:
    """A single truth value.

    Examples
    --------
    >>> flag({"promised": True}, "promised")
    True
    """
    value = state[name]
    if not isinstance(value, bool):
        raise InvalidInput(f"{name!r} is {value!r}, neither True nor False.", value=value)
    return value


def number(
    state: dict[Any, Any], name: Any, *, least: float = -np.inf, most: float = np.inf
) -> float:
    """A single number, not below ``least`` nor above ``most``.

    Examples
    --------
    >>> number({"C": 5}, "C", least=0.0)
    5.0
    """
    value = state[name]
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
        raise InvalidInput(
            f"{name!r} is {value!r}, not a number from {least:g} to {most:g}.", value=value
        )
    return float(value)


def finite_number(state: dict[str, Any], name: str) -> float:
    """A single number, not infinite.

    Examples
    --------
    >>> finite_number({"temperature": -2}, "temperature")
    -2.0
    """
    return number(state, name, least=-FINITE, most=FINITE)


def whole(state: dict[str, Any], name: str, *, least: int, most: float) -> int:
    """A single whole number from ``least`` to ``most``.

    Examples
    --------
    >>> whole({"n_neighbors": 3}, "n_neighbors", least=1, most=10)
    3
    """
    value = state[name]
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise InvalidInput(
            f"{name!r} is {value!r}, not a whole number from {least} to {most:g}.", value=value
        )
    return value


def columns(state: dict[str, Any], name: str, fields: Iterable[str]) -> dict[str, Floats]:
    """Arrays of numbers under the given names, all of the same length.

    Examples
    --------
    >>> columns({"curve": {"risks": np.array([0.5])}}, "curve", ["risks"])
    {'risks': array([0.5])}
    """
    table = state[name]
    if not isinstance(table, dict) or set(table) != set(fields):
        raise InvalidInput(f"{name!r} has not the columns {', '.join(fields)}.", value=name)
    read = {field: numbers(table, field) for field in fields}
    if len({len(values) for values in read.values()}) > 1:
        raise InvalidInput(f"The columns of {name!r} differ in length.", value=name)
    return read


def table(state: dict[str, Any], name: str, shape: tuple[int | None, ...]) -> Floats:
    """An array of finite numbers of this shape; None stands for any length of an axis.

    Examples
    --------
    >>> table({"axes": np.eye(2)}, "axes", (2, None))
    array([[1., 0.],
           [0., 1.]])
    >>> table({"axes": np.eye(2)}, "axes", (3, None))
    Traceback (most recent call last):
    ...
    wideberth.errors.InvalidInput: 'axes' has the shape (2, 2), not (3, any).
    """
    values = state[name]
    if not isinstance(values, np.ndarray) or values.dtype.kind not in "fiu":
        raise InvalidInput(f"{name!r} is not an array of numbers.", value=name)
    if values.ndim != len(shape) or any(
        want not in (None, have) for want, have in zip(shape, values.shape, strict=True)
    ):
        wanted = ", ".join("any" if length is None else str(length) for length in shape)
        raise InvalidInput(
            f"{name!r} has the shape {values.shape}, not ({wanted}).", value=values.shape
        )
    if not np.isfinite(values).all():
        raise InvalidInput(f"{name!r} holds a number that is not finite.", value=name)
    return np.array(values, dtype=np.float64, order="C")


def choice(state: dict[str, Any], name: str, known: Iterable[str]) -> str:
    """One of the known texts.

    Examples
    --------
    >>> choice({"update": "paper"}, "update", ("informative", "paper"))
    'paper'
    """
    value = state[name]
    if not isinstance(value, str) or value not in known:
        raise InvalidInput(f"{name!r} is {value!r}, not one of {', '.join(known)}.", value=value)
    return value


def distortion(state: dict[str, Any], name: str) -> Distortion:
    """The facts on what a map does to distances.

    Examples
    --------
    >>> names = [field.name for field in fields(Distortion)]
    >>> facts = dict(zip(names, [0.5, 2.0, (0, 1), (0, 2), 1.0, None, 1.0, 3], strict=True))
    >>> distortion({"distortion": facts}, "distortion").bilipschitz
    2.0
    """
    facts = state[name]
    if not isinstance(facts, dict) or set(facts) != {field.name for field in fields(Distortion)}:
        raise InvalidInput(f"{name!r} is incomplete.", value=name)
    for shares in ("lower", "upper", "local", "local_median"):
        number(facts, shares, least=0.0)
    for pair in ("lower_pair", "upper_pair"):
        if not (
            facts[pair] is None
            or (
                isinstance(facts[pair], tuple)
                and len(facts[pair]) == 2
                and _are_whole(*facts[pair])
            )
        ):
            raise InvalidInput(f"{pair!r} is {facts[pair]!r}, not two objects.", value=pair)
    if not _are_whole(facts["pairs"], facts["local_object"] or 0):
        raise InvalidInput(f"{name!r} counts objects or pairs by what is not a number.", value=name)
    return Distortion(**facts)


def check_limits(model: Any) -> None:
    """Check the parameters by which every answer is computed: ``max_memory`` and ``n_jobs``.

    Examples
    --------
    >>> from wideberth import KuratowskiEmbedding
    >>> check_limits(KuratowskiEmbedding(n_jobs=1.5))
    Traceback (most recent call last):
    ...
    wideberth.errors.InvalidInput: n_jobs=1.5 is not a number of cores.
    """
    parse_memory(model.max_memory)
    if model.n_jobs is not None and not (
        is_whole(model.n_jobs, -MOST_JOBS) and model.n_jobs <= MOST_JOBS
    ):
        raise InvalidInput(
            f"{setting('n_jobs', model.n_jobs)} is not a number of cores.", value=model.n_jobs
        )


def _are_whole(*values: Any) -> bool:
    return all(is_whole(value, 0) for value in values)


def _one_axis(state: dict[str, Any], name: str, count: int | None, kinds: str) -> NDArray[Any]:
    """A one-dimensional array whose dtype is of one of the ``kinds`` (letters of
    ``dtype.kind``).
    """
    values = state[name]
    if not isinstance(values, np.ndarray) or values.ndim != 1 or values.dtype.kind not in kinds:
        found = (
            f"{values.dtype} of shape {values.shape}"
            if isinstance(values, np.ndarray)
            else type(values).__name__
        )
        raise InvalidInput(f"{name!r} is {found}, not one axis of numbers.", value=found)
    if count is not None and len(values) != count:
        raise InvalidInput(f"{name!r} holds {len(values)} numbers, not {count}.", value=len(values))
    return values


def _check(name: str, values: NDArray[Any], fits: Flags, complaint: str) -> None:
    """Raise an error that shows the first value that does not fit."""
    if not fits.all():
        position = int(np.argmin(fits))
        value = values[position].item()
        raise InvalidInput(
            f"{name!r} holds {value!r} at position {position}, which {complaint}.",
            witness=position,
            value=value,
        )
