r"""Digests that objects keep through what files and exports do to them: how a training object in
disguise is recognised.

Two questions, two kinds of digests, both of the contents as they were given, whatever the metric:

- *Is it the same text?* `plain_text` takes away what does not make another text: Unicode forms and
  widths (NFKC), case, spaces and line ends, invisible characters, quotes, full stops, commas and
  semicolons at its ends. Texts inside of sequences, sets, trees, graphs and rows of tables are
  treated alike. Objects of the same plain contents are one object.
- *Is it the same number, with less precision?* Each row of `ROUNDINGS` has a digest of the numbers
  after one way to write them with fewer digits. Rounding twice in one way changes nothing, so that
  a copy that was rounded in this way has exactly the digest of its original; and another object may
  have it too, the more often the coarser the rounding. How often is known from the training objects
  among each other (`wideberth.guarantees.newness`). A series has one more, ``cut``, without its
  last value: a value that was lost, repeated or added at the end changes only one of two digests.

No proof rests on these digests: one that two objects share by accident can only make a certificate
void, or more careful, and objects whose contents are equal always share theirs. Those of numbers
have 32 bits, because accidents are counted among training objects as well.

**Digests that nearly equal objects share: copies in single precision, out of a text file, or with
their parts in another order.**

A row of numbers is rounded to multiples of :math:`2^{-16}` of the largest power of two in it, about
five digits. Numbers that differ by a share e of that largest one get different multiples with a
probability of about :math:`2^{16} e`: 0.4 % for single precision. So nearly all rows that are
copied keep their digest, while different rows seldom share one unless they are short; how often
they do is known from the rows of one sample among each other
(`wideberth.bounds.binomial.excess_chance`).

`wideberth.Metric.alike_digests` first brings objects into the form that is the same for all of them
at distance 0.
"""

import math
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, fields
from datetime import date
from typing import Any, NamedTuple, Self

import numpy as np
import scipy
from numpy.typing import NDArray

from wideberth.array_types import Flags, Floats, Indices
from wideberth.objects import sample
from wideberth.objects.digests import Digests, as_row, mix, object_digests, row_digests
from wideberth.rounding import UNIT

#: Rows are rounded to multiples of 2 to this power of the largest power of two in them.
_BITS = -16


def rounded_digests(rows: NDArray[Any]) -> Digests:
    """Compute a digest of each row of numbers that nearly equal rows share.

    Examples
    --------
    >>> rows = np.array([[0.1, 2.0, 0.0]])
    >>> [
    ...     bool((rounded_digests(rows) == rounded_digests(other))[0])
    ...     for other in (rows.astype("f4"), rows + 1e-15, rows + 0.01)
    ... ]
    [True, True, False]
    """
    # there may be none
    flat = np.asarray(rows, dtype=np.float64).reshape(len(rows), math.prod(rows.shape[1:]))
    # missing numbers have no size
    return row_digests(_rounded(flat, np.fmax.reduce(np.abs(flat), axis=1, initial=0.0)))


def ragged_digests(values: Floats, starts: NDArray[np.int64]) -> Digests:
    """Compute a digest of each of several sequences of numbers of any lengths that nearly equal
    sequences share. Sequence i is ``values[starts[i]:starts[i + 1]]``.

    Examples
    --------
    >>> found = ragged_digests(np.array([1.0, 2.0, 1.0, 1.0, 2.0]), np.array([0, 2, 3, 5]))
    >>> bool(found[0] == found[2] != found[1])
    True
    """
    sizes = np.diff(starts)
    digests = np.empty(len(sizes), dtype=np.uint64)
    for size in np.unique(sizes).tolist():
        chosen = np.flatnonzero(sizes == size)
        digests[chosen] = rounded_digests(values[starts[chosen][:, None] + np.arange(size)])
    return digests


def bag_digests(points: Floats, starts: NDArray[np.int64]) -> Digests:
    """Compute a digest of each of several sets of points that nearly equal sets share, whatever the
    order of their points. Set i is ``points[starts[i]:starts[i + 1]]``.

    Points that are listed twice count once.

    Examples
    --------
    >>> points = np.array([[0.0, 1.0], [2.0, 3.0], [2.0, 3.0], [0.0, 1.0], [0.0, 1.0]])
    >>> found = bag_digests(points, np.array([0, 2, 5]))
    >>> bool(found[0] == found[1])
    True
    """
    owners = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    largest = np.zeros(len(starts) - 1)
    np.maximum.at(largest, owners, np.abs(points).max(axis=1, initial=0.0))
    members = np.unique(np.rec.fromarrays([owners, row_digests(_rounded(points, largest[owners]))]))
    return _summed(members["f0"], members["f1"], len(starts) - 1)


def multiset_digests(
    keys: NDArray[np.int64], weights: Floats, starts: NDArray[np.int64]
) -> Digests:
    """Compute a digest of each of several weighted sets that nearly equal sets share, whatever the
    order of their elements. Set i is ``keys[starts[i]:starts[i + 1]]``, in which none occurs twice.

    Examples
    --------
    >>> found = multiset_digests(
    ...     np.array([5, 7, 7, 5]), np.array([1.0, 2.0, 2.0, 1.0 + 1e-12]), np.array([0, 2, 4])
    ... )
    >>> bool(found[0] == found[1])
    True
    """
    owners = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    elements = mix(keys.astype(np.int64).view(np.uint64)) ^ rounded_digests(weights[:, None])
    return _summed(owners, elements, len(starts) - 1)


def _summed(owners: NDArray[np.int64], members: Digests, count: int) -> Digests:
    """A digest of each of so many multisets from those of its members, in any order; ``owners`` are
    their multisets.
    """
    sums = np.zeros(count, dtype=np.uint64)
    np.add.at(sums, owners, mix(members))  # modulo 2^64
    return mix(sums)


def _rounded(rows: Floats, largest: Floats) -> Floats:
    """The rows, rounded to multiples of a share of the power of two below the ``largest`` number of
    each.
    """
    powers = np.frexp(largest)[1]
    with np.errstate(under="ignore"):
        rounded: Floats = np.ldexp(
            np.rint(np.ldexp(rows, (-powers - _BITS)[:, None])), (powers + _BITS)[:, None]
        )
    return rounded


ShortDigests = NDArray[np.uint32]

#: What is taken away at the ends of a text, besides white space and what is invisible: quotes, ends
#: of sentences and cells.
_ENDS = "\"'`´‘’‚‛“”„‟«»‹›.,;"
#: Of longer rows of numbers, so many are rounded, chosen once for each length: rounding a row of
#: distances should cost no more than measuring it.
_MOST_NUMBERS = 128
#: Whole numbers from here on have no float; NaN and infinite numbers are left as they are too.
_LARGE = 1e300
#: Numbers rounded at a time.
_CHUNK = 1 << 18
#: Kinds of objects that may be series; and those in which whole numbers are names of nodes and
#: elements.
_MAYBE_SERIES = ("series", "objects")
_NUMBERED = ("graphs", "trees", "sets", "strings", "molecules")


def plain_text(text: str, *, case: bool = True) -> str:
    """The text without what files and exports change: Unicode form, width, case, white space,
    quotes and full stops at its ends.

    With ``case=False`` the case stays, for texts in which it has a meaning, as in formulas of
    molecules.

    Examples
    --------
    >>> plain_text(' "Café au\\tlait."\\r') == plain_text("CAFE\\u0301 AU LAIT") == "café au lait"
    True
    >>> plain_text("...")  # nothing else would be left
    '...'
    """
    folded, before = text.casefold() if case else text, ""
    # folding takes letters apart, and what is put together may fold again
    while folded != before and not folded.isascii():
        before, folded = folded, unicodedata.normalize("NFKC", folded)
        folded = folded.casefold() if case else folded
    visible = _without_ends(" ".join(folded.split()), "")
    return _without_ends(visible, _ENDS) or visible


def _without_ends(text: str, ends: str) -> str:
    """The text without white space, invisible characters and further ones at its ends."""
    start, stop = 0, len(text)
    while start < stop and _may_go(text[start], ends):
        start += 1
    while start < stop and _may_go(text[stop - 1], ends):
        stop -= 1
    return text[start:stop]


def _may_go(character: str, ends: str) -> bool:
    """Whether a character at the end of a text does not belong to it."""
    return character in ends or character == " " or unicodedata.category(character) in ("Cc", "Cf")


#: What rounding returns: a number for what is left of each number, and whether nothing was lost.
Rounded = tuple[Floats, Flags]


def _decimals(places: int) -> Callable[[Floats], Rounded]:
    def rounded(numbers: Floats) -> Rounded:
        scaled = numbers * 10.0**places
        left = np.rint(scaled)
        return left, _is_whole(scaled, left)

    return rounded


def _significant(digits: int) -> Callable[[Floats], Rounded]:
    def rounded(numbers: Floats) -> Rounded:
        known = np.isfinite(numbers) & (numbers != 0)
        powers = np.floor(np.log10(np.abs(numbers), where=known, out=np.zeros_like(numbers)))
        scaled = numbers * 10.0 ** (digits - 1 - powers)
        left = np.rint(scaled)
        whole = _is_whole(scaled, left)
        more = np.abs(left) >= 10.0**digits  # 99.97 has become 100
        left, powers = np.where(more, np.rint(left / 10), left), powers + more
        # one number for digits and power
        return np.where(known, left + 10.0**digits * 16 * powers, numbers), whole

    return rounded


def _is_whole(scaled: Floats, left: Floats) -> Flags:
    """Whether numbers are whole, up to the error of scaling them."""
    return np.asarray((np.abs(scaled - left) <= 8 * UNIT * np.abs(scaled)) | ~np.isfinite(scaled))


def _as_float(kind: str) -> Callable[[Floats], Rounded]:
    def rounded(numbers: Floats) -> Rounded:
        left = numbers.astype(kind).astype(np.float64)
        return left, np.asarray((left == numbers) | ~np.isfinite(numbers))

    return rounded


#: Ways to write numbers with fewer digits. The order is that of model files.
ROUNDINGS: dict[str, Callable[[Floats], Rounded]] = {
    "single precision": _as_float("f4"),
    "6 significant digits": _significant(6),
    "half precision": _as_float("f2"),
    **{f"{digits} significant digits": _significant(digits) for digits in (5, 4, 3, 2)},
    **{f"{places} decimal places": _decimals(places) for places in (4, 3, 2)},
    "1 decimal place": _decimals(1),
    "whole numbers": _decimals(0),
}
#: The first of those that are so coarse that what was written in one of them may have been rounded
#: in another one before.
COARSE_FROM = 2


@dataclass(frozen=True, eq=False)
class ObjectDigests:
    """All digests by which objects are recognised: as they are, nearly as they are, and in
    disguise.

    ``exact`` are those of the contents as they are (`wideberth.Metric.digests`), ``alike`` those
    that nearly equal objects share (`wideberth.Metric.alike_digests`), ``texts`` those of the plain
    contents, ``rounded`` those of the contents with rounded numbers, by the ways of `ROUNDINGS`,
    and ``cut`` those of series without their last value, in single precision. ``written`` tells
    whether all numbers of an object are written in each way, so that they may have been rounded in
    it. None where there is nothing of the kind.
    """

    exact: Digests
    alike: Digests | None = None
    texts: Digests | None = None
    rounded: ShortDigests | None = None
    cut: ShortDigests | None = None
    written: Flags | None = None

    @classmethod
    def of(cls, exact: Digests, alike: Digests | None, contents: Any, kind: str) -> Self:
        """Compute the digests of objects in disguise from the contents of a held sample of a kind
        of objects.
        """
        texts, rounded, cut = _in_disguise(contents, kind, len(exact))
        return cls(
            exact,
            alike,
            texts,
            None if rounded is None else rounded.digests,
            cut,
            None if rounded is None else rounded.written,
        )

    @property
    def maybe_rounded(self) -> Flags | None:
        """Which objects may have been rounded in each way: those that are written in it, or in
        another one that is coarse.

        Numbers in all their digits were not rounded. Shape (n, len(ROUNDINGS)).
        """
        if self.written is None:
            return None
        coarse = np.arange(self.written.shape[1]) >= COARSE_FROM
        short = np.any(self.written[:, coarse], axis=1, keepdims=True)
        return np.asarray(self.written | (coarse & short))

    @classmethod
    def together(cls, parts: list[Self]) -> Self:
        """The digests of several samples as one; those that one of them lacks are missing."""
        columns = {
            field.name: [getattr(part, field.name) for part in parts] for field in fields(cls)
        }
        made: dict[str, Any] = {
            name: None if any(each is None for each in column) else np.concatenate(column)
            for name, column in columns.items()
        }
        return cls(**made)

    def __len__(self) -> int:
        return len(self.exact)

    @property
    def nbytes(self) -> int:
        """The memory of all digests."""
        return sum(each.nbytes for each in vars(self).values() if each is not None)

    def __sizeof__(self) -> int:  # for Dask
        return object.__sizeof__(self) + self.nbytes

    def __getitem__(self, some: Indices | Flags) -> Self:
        """The digests of some of the objects."""
        picked: list[Any] = [None if each is None else each[some] for each in vars(self).values()]
        return type(self)(*picked)

    @property
    def same(self) -> Digests:
        """The digests that one object has in every disguise that is no loss of precision."""
        return self.exact if self.texts is None else self.texts


class _RoundedNumbers(NamedTuple):
    """The fields ``rounded`` and ``written`` of `ObjectDigests`."""

    digests: ShortDigests
    written: Flags

    @classmethod
    def empty(cls, n: int) -> "_RoundedNumbers":
        return cls(
            np.empty((n, len(ROUNDINGS)), dtype=np.uint32),
            np.empty((n, len(ROUNDINGS)), dtype=bool),
        )


_InDisguise = tuple[Digests | None, _RoundedNumbers | None, ShortDigests | None]


def _in_disguise(contents: Any, kind: str, n: int) -> _InDisguise:
    """The digests ``texts``, ``rounded`` and ``cut`` of `ObjectDigests`."""
    # numbers that stand for objects
    if contents is None or not n or (kind == "indices" and np.ndim(contents) == 1):
        return None, None, None
    if (
        isinstance(contents, np.ndarray)
        and contents.dtype == object
        and all(map(scipy.sparse.issparse, contents))
    ):
        contents = scipy.sparse.vstack([row.reshape(1, -1) for row in contents])
    if scipy.sparse.issparse(contents):
        contents = _dense(contents)
    if isinstance(contents, np.ndarray) and contents.dtype.kind in sample.NUMERIC:
        cut = contents[..., :-1].reshape(n, -1) if kind == "series" and contents.ndim > 1 else None
        return None, _rounded_rows(contents.reshape(n, -1)), None if cut is None else _single(cut)
    if not isinstance(contents, np.ndarray) and not hasattr(contents, "to_numpy"):
        return None, None, None  # a container that a metric prepared
    try:
        return _of_items(list(sample.one_by_one(contents)), kind)
    except (TypeError, ValueError, RecursionError):  # contents that cannot be read
        return None, None, None


def _dense(rows: Any) -> NDArray[Any]:
    """Those numbers of the rows of a sparse array that are rounded."""
    dense: NDArray[Any] = rows.tocsr()[:, _chosen(rows.shape[1])].toarray()
    return dense


def _of_items(items: list[Any], kind: str) -> _InDisguise:
    rows = [as_row(item) for item in items]
    if all(row is not None for row in rows):
        return None, _rounded_ragged(rows), _cut(items, kind)  # type: ignore[arg-type]
    plain = [_plain(item, kind != "molecules") for item in items]
    return object_digests(sample.hold(plain)), _rounded_items(plain, kind not in _NUMBERED), None


def _cut(items: list[Any], kind: str) -> ShortDigests | None:
    """Those of series without their last value, lists of numbers or of channels; None for other
    objects.
    """
    arrays = [np.asarray(item) for item in items]
    if (
        not all(array.ndim == 1 or (array.ndim == 2 and kind == "series") for array in arrays)
        or kind not in _MAYBE_SERIES
    ):
        return None
    return _single_ragged([array[..., :-1].ravel() for array in arrays])


def _plain(item: Any, case: bool) -> Any:
    """The contents of an object with plain texts: texts, numbers, arrays of numbers, and tuples,
    sets and dicts of these.
    """
    if isinstance(item, str):
        return plain_text(item, case=case)
    if isinstance(item, bytes | bytearray):
        return plain_text(item.decode("latin-1"), case=case)
    if isinstance(item, AbstractSet):
        return frozenset(_plain(part, case) for part in item)
    if isinstance(item, Mapping):
        return {_plain(key, case): _plain(value, case) for key, value in item.items()}
    if hasattr(item, "to_numpy"):
        return _plain(item.to_numpy().tolist(), case)
    if isinstance(item, np.ndarray) and item.dtype.kind in sample.NUMERIC:
        return tuple(item.ravel().tolist())
    if isinstance(item, list | tuple | np.ndarray):
        if len(item) and all(isinstance(part, str) and len(part) == 1 for part in item):
            return plain_text("".join(item), case=case)  # letters
        parts = [_plain(part, case) for part in item]
        while len(parts) > 1 and parts[-1] == "":  # an empty cell at the end of a line
            parts.pop()
        return tuple(parts)
    if item is None or isinstance(item, bool | int | float | complex | np.generic):
        return item
    if isinstance(item, date):
        return sample.days_of(item)
    attributes = getattr(item, "__dict__", None)
    if not attributes:
        raise TypeError(f"{type(item).__name__} has no attributes that can be compared")
    return type(item).__qualname__, _plain(dict(attributes), case)


# ---- rounded numbers -----------------------------------------------------------------------------


def _short(digests: Digests) -> ShortDigests:
    return (digests >> np.uint64(32)).astype(np.uint32)


def _chosen(width: int) -> Any:
    """Which numbers of rows of a width are rounded: all of them, or some that depend on nothing but
    the width.
    """
    if width <= _MOST_NUMBERS:
        return slice(None)
    return np.sort(np.random.default_rng(width).choice(width, _MOST_NUMBERS, replace=False))


def _rounded_rows(rows: NDArray[Any]) -> _RoundedNumbers:
    """A digest for each row of a matrix and each way to round it."""
    made = _RoundedNumbers.empty(len(rows))
    chosen = _chosen(rows.shape[1])
    step = max(1, _CHUNK // max(1, min(rows.shape[1], _MOST_NUMBERS)))
    for start in range(0, len(rows), step):
        part = np.asarray(rows[start : start + step][:, chosen], dtype=np.float64)
        with np.errstate(over="ignore", invalid="ignore"):
            for column, rounding in enumerate(ROUNDINGS.values()):
                left, whole = rounding(part)
                made.digests[start : start + step, column] = _short(row_digests(left))
                made.written[start : start + step, column] = whole.all(axis=1)
    return made


def _single(rows: NDArray[Any]) -> ShortDigests:
    return _short(
        row_digests(np.asarray(rows, dtype=np.float64).astype("f4")[:, _chosen(rows.shape[1])])
    )


def _by_width(rows: list[NDArray[Any]]) -> Iterator[tuple[Indices, NDArray[Any]]]:
    """The rows of each length, as a matrix, with their positions."""
    widths = np.array([len(row) for row in rows])
    for width in np.unique(widths).tolist():
        positions = np.flatnonzero(widths == width)
        yield positions, np.stack([rows[position] for position in positions.tolist()])


def _rounded_ragged(rows: list[NDArray[Any]]) -> _RoundedNumbers:
    made = _RoundedNumbers.empty(len(rows))
    for positions, matrix in _by_width(rows):
        made.digests[positions], made.written[positions] = _rounded_rows(matrix)
    return made


def _single_ragged(rows: list[NDArray[Any]]) -> ShortDigests:
    digests = np.empty(len(rows), dtype=np.uint32)
    for positions, matrix in _by_width(rows):
        digests[positions] = _single(matrix)
    return digests


def _rounded_items(items: list[Any], whole: bool) -> _RoundedNumbers | None:
    """A digest of each plain object and each way to round the numbers in it; None if there are none
    but ``whole`` ones.
    """
    numbers: list[float] = []
    fractions, ends = [], []
    for item in items:
        fractions.append(_collect(item, numbers))
        ends.append(len(numbers))
    if not numbers or not (whole or any(fractions)):
        return None
    given = np.array(numbers)
    made = _RoundedNumbers.empty(len(items))
    owners = np.repeat(np.arange(len(items)), np.diff([0, *ends]))
    with np.errstate(over="ignore", invalid="ignore"):
        for column, rounding in enumerate(ROUNDINGS.values()):
            left, kept = rounding(given)
            told = iter(left.tolist())
            found = object_digests(sample.hold([_replaced(item, told) for item in items]))
            if found is None:
                return None
            made.digests[:, column] = _short(found)
            made.written[:, column] = np.bincount(owners[~kept], minlength=len(items)) == 0
    return made


def _collect(item: Any, numbers: list[float]) -> bool:
    """Add the numbers of a plain object, in the order of `_replaced`; whether some have a type with
    fractions.
    """
    if _is_number(item):
        numbers.append(float(item))
        return isinstance(item, float | np.floating)
    if isinstance(item, Mapping):
        item = tuple(item.items())
    if isinstance(item, tuple | AbstractSet):
        return max([_collect(part, numbers) for part in item], default=False)  # of all of them
    return False


def _replaced(item: Any, numbers: Iterator[float]) -> Any:
    """The plain object with other numbers."""
    if _is_number(item):
        return next(numbers)
    if isinstance(item, Mapping):
        return dict(_replaced(pair, numbers) for pair in item.items())
    if isinstance(item, tuple | AbstractSet):
        return type(item)(_replaced(part, numbers) for part in item)  # type: ignore[call-arg]
    return item


def _is_number(item: Any) -> bool:
    if isinstance(item, bool) or not isinstance(item, int | float | np.integer | np.floating):
        return False
    size: Any = abs(item)
    return bool(size < _LARGE)
