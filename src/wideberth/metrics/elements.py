"""The different elements of a sample by their letters, and integers in their place that are exact.

Words, n-grams, tokens, categories and labels of nodes are compared across samples, processes and
model files. Each is a sequence of *letters* (32-bit numbers: code points, bytes, parts of a
digest), and two of them are one element if and only if their letters are equal. A *key* of 64 bits
finds an element quickly and proves nothing: anyone can write a word that has the key of another. So
`Elements` is the only place where keys are looked up, it compares letters wherever keys agree, and
all other code sees positions among elements. Keys are never stored; they are computed from the
letters whenever elements are made.

Within one sample, *numbers* stand for tokens, elements and labels: they count its different tokens
from 0 in the order in which they occur, and to compare two samples, one of them is renumbered by
the numbers of the other. Tokens are found by ``==``, or by what they are written as; no hash stands
for them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Flags, Integers
from wideberth.errors import InvalidInput
from wideberth.metrics import element_kernels as kernels
from wideberth.metrics.containers import check_starts, cut, taken
from wideberth.metrics.element_kernels import Keys, Letters
from wideberth.objects.sample import equals_itself, shown
from wideberth.wording import at

#: The keys that order elements are the same in every process: sums over elements have one order,
#: and digests one value.
_SEED = np.uint64(0x9E3779B97F4A7C15)


class Elements:
    """Different elements, ascending by their keys and among equal keys by their letters. Made by
    `Elements.of`. Element i has the letters ``letters[starts[i]:starts[i + 1]]``; keys are the same
    in every process, and different elements may share one.

    Examples
    --------
    >>> elements, places = Elements.of_texts(["tea", "rum", "tea"])
    >>> len(elements), bool(places[0] == places[2] != places[1])
    (2, True)
    """

    def __init__(self, letters: Letters, starts: Integers, keys: Keys) -> None:
        self.letters, self.starts, self.keys = letters, starts, keys

    @classmethod
    def of(cls, letters: Letters, starts: Integers) -> tuple["Elements", Integers]:
        """The different ones of some elements in any order, and for each its position among
        them.
        """
        keys = np.empty(len(starts) - 1, dtype=np.int64)
        kernels.compute_keys(letters, starts, _SEED, keys)
        order = np.argsort(keys)
        is_new = np.ones(len(keys), dtype=bool)
        behind = np.flatnonzero(keys[order[1:]] == keys[order[:-1]]) + 1
        if len(behind):
            is_new[behind] = ~_sort_by_letters(letters, starts, keys, order, behind)
        places = np.empty(len(keys), dtype=np.int64)
        places[order] = np.cumsum(is_new) - 1
        chosen = order[is_new]
        positions, new_starts = taken(starts, chosen)
        return cls(letters[positions], new_starts, keys[chosen]), places

    @classmethod
    def of_texts(cls, texts: Sequence[str]) -> tuple["Elements", Integers]:
        """The different ones of some texts, letter by letter, and for each its position among
        them.
        """
        return cls._of_parts(
            [text.encode("utf-32-le", "surrogatepass") for text in texts], np.uint32
        )

    @classmethod
    def of_bytes(cls, contents: Sequence[bytes]) -> tuple["Elements", Integers]:
        """The different ones of some byte strings, whose bytes are the letters, and for each its
        position among them.
        """
        return cls._of_parts(contents, np.uint8)

    @classmethod
    def of_numbers(cls, numbers: Integers) -> tuple["Elements", Integers]:
        """The different ones of some whole numbers >= 0, and for each its position among them.

        Examples
        --------
        >>> Elements.of_numbers(np.array([7, 5, 7]))[1]
        array([0, 1, 0])
        """
        letters = np.ascontiguousarray(numbers, dtype="<i8").view("<u4").astype(np.uint32)
        return cls.of(letters, 2 * np.arange(len(numbers) + 1, dtype=np.int64))

    @classmethod
    def _of_parts(cls, parts: Sequence[bytes], kind: Any) -> tuple["Elements", Integers]:
        size = np.dtype(kind).itemsize
        starts = np.cumsum([0, *map(len, parts)], dtype=np.int64) // size
        return cls.of(np.frombuffer(b"".join(parts), dtype=kind).astype(np.uint32), starts)

    def __len__(self) -> int:
        return len(self.keys)

    def only(self, chosen: Flags | Integers) -> "Elements":
        """The chosen ones; integers have to ascend."""
        which = np.flatnonzero(chosen) if chosen.dtype == bool else chosen
        positions, starts = taken(self.starts, which)
        return Elements(self.letters[positions], starts, self.keys[which])

    def places_in(
        self, other: "Elements", chosen: NDArray[Any] | None = None
    ) -> tuple[Integers, Flags]:
        """For each element, or each chosen one, its position among others, and whether it is there;
        0 if not.

        Examples
        --------
        >>> drinks, _ = Elements.of_texts(["tea", "rum"])
        >>> [
        ...     flag for _, flag in zip(*Elements.of_texts(["rum", "ale"])[0].places_in(drinks))
        ... ].count(True)
        1
        """
        doubled = self._searched(other, chosen)
        known = doubled % 2 == 1
        return np.where(known, doubled // 2, 0), known

    def ranks_beside(self, other: "Elements", chosen: NDArray[Any]) -> Integers:
        """Ranks of the chosen ones in an order with others, whose ranks are 1, 3, 5, ...: equal if
        and only if elements are.
        """
        return self._searched(other, chosen)

    def are_numbers_below(self, limit: int) -> bool:
        """Whether these are whole numbers as `of_numbers` makes them, all below a limit."""
        if not np.array_equal(self.starts, 2 * np.arange(len(self) + 1)):
            return False
        numbers = self.letters.astype("<u4").view("<i8")
        return bool(np.all((numbers >= 0) & (numbers < limit)))

    def tuples(self) -> list[tuple[int, ...]]:
        """The letters of each."""
        flat, bounds = self.letters.tolist(), self.starts.tolist()
        return [tuple(flat[first:last]) for first, last in pairwise(bounds)]

    def plain(self) -> dict[str, Any]:
        """The letters and where each element begins, for a model file."""
        return {"letters": self.letters, "starts": self.starts}

    @classmethod
    def from_plain(cls, plain: Any) -> "Elements":
        """The elements of a file in their order there, with keys of their own; a `ValueError`
        unless all are different.
        """
        match plain:
            case {"letters": np.ndarray() as letters, "starts": np.ndarray() as starts}:
                check_starts(letters, starts, "u")
                if np.any(letters > np.iinfo(np.uint32).max):
                    raise ValueError("a letter has more than 32 bits")
                elements, places = cls.of(letters.astype(np.uint32), starts.astype(np.int64))
                if not np.array_equal(places, np.arange(len(starts) - 1)):
                    raise ValueError("elements repeat, or are not in the order of their keys")
                return elements
        raise ValueError("letters and starts of elements are needed")

    @property
    def _arrays(self) -> tuple[Keys, Letters, Integers]:
        return self.keys, self.letters, self.starts

    def _searched(self, other: "Elements", chosen: NDArray[Any] | None) -> Integers:
        wanted = np.arange(len(self)) if chosen is None else chosen.astype(np.int64, copy=False)
        doubled = np.empty(len(wanted), dtype=np.int64)
        kernels.find_elements(wanted, *self._arrays, *other._arrays, doubled)
        return doubled


def joined_elements(several: Iterable[Elements]) -> tuple[Elements, list[Integers]]:
    """The different elements of several, and for each of these the positions of its own.

    Examples
    --------
    >>> joint, (one, other) = joined_elements(
    ...     Elements.of_texts(texts)[0] for texts in (["tea"], ["tea", "rum"])
    ... )
    >>> len(joint), int(one[0]) in other
    (2, True)
    """
    parts = list(several)
    sizes = np.concatenate([np.zeros(1, dtype=np.int64), *[np.diff(part.starts) for part in parts]])
    letters = np.concatenate([np.empty(0, dtype=np.uint32), *[part.letters for part in parts]])
    joint, places = Elements.of(letters, np.cumsum(sizes))
    return joint, np.split(places, np.cumsum([len(part) for part in parts])[:-1])


def _sort_by_letters(
    letters: Letters, starts: Integers, keys: Keys, order: Integers, behind: Integers
) -> Flags:
    """Sort what has equal keys by its letters; tell which of those ``behind`` an equal key repeat
    the element before them.

    Only an adversary makes different elements of one key, so that it may take long where there are
    some.
    """
    repeat = _like_before(letters, starts, order, behind)
    if not repeat.all():
        members = np.union1d(behind, behind - 1)
        spelled = {
            each: (int(keys[each]), letters[starts[each] : starts[each + 1]].tolist())
            for each in order[members].tolist()
        }
        order[members] = sorted(spelled, key=spelled.__getitem__)
        repeat = _like_before(letters, starts, order, behind)
    return repeat


def _like_before(letters: Letters, starts: Integers, order: Integers, behind: Integers) -> Flags:
    """Whether elements at some positions of an order have the letters of the ones before them."""
    same = np.empty(len(behind), dtype=bool)
    kernels.compare_letters(letters, starts, order[behind], order[behind - 1], same)
    return same


# ---- Numbers of tokens within one sample

Numbers = NDArray[np.int64]


class NumberedTokens:
    """The different tokens of a sample, numbered in the order in which they occur.

    Tokens are equal if they are written alike (`written_token`): 1 and 1.0, but not "1".

    Examples
    --------
    >>> tokens = NumberedTokens()
    >>> tokens.of(["tea", 1, "tea", 1.0, ["rum"], ("rum",)])
    [0, 1, 0, 1, 2, 2]
    >>> len(tokens.elements()[0])
    3
    """

    def __init__(self) -> None:
        self._known: dict[Any, int] = {}
        self._numbers: dict[bytes, int] = {}

    def of(self, tokens: Iterable[Any]) -> list[int]:
        """The number of each token; a `TypeError` if something is no token."""
        numbers = []
        for token in tokens:
            try:
                number = self._known.get(token)
                if number is None:
                    number = self._known[token] = self._number(token)
            except TypeError:  # a list, which has no hash; or not a token at all, for which the error is raised again
                number = self._number(token)
            numbers.append(number)
        return numbers

    @property
    def written(self) -> list[bytes]:
        """What each token is written as, in the order of their numbers."""
        return list(self._numbers)

    def elements(self) -> tuple[Elements, Numbers]:
        """The tokens as elements, which can be compared with those of other samples, and for each
        number its place there.
        """
        return Elements.of_bytes(self.written)

    def _number(self, token: Any) -> int:
        return self._numbers.setdefault(written_token(token), len(self._numbers))


#: Python writes whole numbers of up to 4,300 decimal digits, and longer ones only in powers of two.
_MOST_BITS_IN_DECIMALS = 14_000


def written_token(token: Any) -> bytes:
    """Write a token as bytes that are the same for equal tokens and differ for different ones: the
    kind, then the content. A list counts as the tuple of its items; a `TypeError` for NaN, and for
    anything but texts, bytes, numbers, None, and tuples, lists and frozensets of tokens.

    Examples
    --------
    >>> written_token(1) == written_token(1.0) == written_token(np.int8(1)) != written_token("1")
    True
    """
    match token:
        case None:
            return b"none:"
        case str():
            return b"text:" + token.encode("utf-8", "surrogatepass")
        case bytes():
            return b"bytes:" + token
        case bool() | int() | float() | np.bool_() | np.integer() | np.floating():
            return b"number:" + _written_number(token)
        case tuple() | list():
            return b"tuple:" + b"".join(map(_written_part, token))
        case frozenset():
            return b"set:" + b"".join(sorted(map(_written_part, token)))
    raise TypeError(f"{type(token).__name__} {token!r} is no text, number, or tuple of them")


def read_token(written: bytes) -> Any:
    """A token that `written_token` wrote: a text, bytes, a number or None; tuples and sets stay as
    they are written.

    Examples
    --------
    >>> [read_token(written_token(token)) for token in ("tea", None, 2, 0.5, True)]
    ['tea', None, 2, 0.5, 1]
    """
    kind, _, content = written.partition(b":")
    match kind:
        case b"none":
            return None
        case b"bytes":
            return content
        case b"number" if not content.startswith((b"0x", b"-0x")):
            number = float(content)
            return int(content) if content.lstrip(b"-").isdigit() else number
    return content.decode("utf-8", "surrogatepass")


def _written_number(number: Any) -> bytes:
    """Encode a number such that equal numbers of different types have the same bytes."""
    if number != number:
        raise TypeError("NaN equals nothing, not even itself")
    if isinstance(number, int | np.integer) or float(number).is_integer():
        whole = int(number)
        return (str(whole) if whole.bit_length() < _MOST_BITS_IN_DECIMALS else hex(whole)).encode()
    return repr(float(number)).encode()


def _written_part(token: Any) -> bytes:
    """Write an item of a tuple or a set with its length before it, so that joined items cannot be
    confused.
    """
    content = written_token(token)
    return b"%d:%b" % (len(content), content)


@dataclass(frozen=True, eq=False)
class NumberedSample:
    """A flat container of objects made of tokens, such as sets or sequences. Object i has
    ``numbers[starts[i]:starts[i + 1]]``. ``number_of`` has the number of each token, in increasing
    order; samples that were selected from one sample share it.

    Examples
    --------
    >>> tea = NumberedSample.of([["t", "e", "a"], ["t", "e", "e"]])
    >>> len(tea), tea.take([1]).numbers
    (2, array([0, 1, 1]))
    """

    #: What model files call the tokens, their numbers, and the objects.
    in_files: ClassVar[tuple[str, str, str]]

    numbers: Numbers
    starts: Numbers
    number_of: dict[Any, int] = field(repr=False)

    @classmethod
    def of(cls, objects: Iterable[Iterable[Any]]) -> Self:
        """Number the tokens of objects in the order in which they occur. A token without a hash, or
        one that does not equal itself, is refused by the name of its object.

        Examples
        --------
        >>> NumberedSample.of(["tea", "eel"])
        NumberedSample(numbers=array([0, 1, 2, 1, 1, 3]), starts=array([0, 3, 6]))
        """
        number_of: dict[Any, int] = {}
        numbers: list[int] = []
        starts = [0]
        for position, tokens in enumerate(objects):
            try:
                numbers.extend([number_of.setdefault(token, len(number_of)) for token in tokens])
            except TypeError as problem:
                raise incomparable(tokens, position, str(problem)) from None
            starts.append(len(numbers))
        for number, token in enumerate(number_of):
            if not equals_itself(token):
                holder = int(np.searchsorted(starts, numbers.index(number), side="right")) - 1
                raise incomparable(token, holder, "it does not equal itself")
        return cls(np.array(numbers, dtype=np.int64), np.array(starts, dtype=np.int64), number_of)

    def __len__(self) -> int:
        return len(self.starts) - 1

    def take(self, indices: Any) -> Self:
        """Select the objects at ``indices``, a slice (which shares memory) or an integer array;
        their numbers do not change.
        """
        positions, starts = taken(self.starts, indices)
        return type(self)(self.numbers[positions], starts, self.number_of)

    def plain(self) -> dict[str, Any]:
        """Return the tokens that occur, the objects as positions among them, and where they begin;
        see `wideberth.metrics.containers.Prepared`.
        """
        tokens, numbers = in_use(self.numbers, self.number_of)
        return {self.in_files[0]: tokens, self.in_files[1]: numbers, "starts": self.starts}

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> Any:
        """Read back what `plain` wrote, as lists of tokens; a `ValueError` if it is anything else.

        Whoever prepares them checks the tokens again.
        """
        tokens, numbers, starts = (plain.get(key) for key in (*cls.in_files[:2], "starts"))
        if not isinstance(tokens, list) or numbers is None or starts is None:
            first, second, objects = cls.in_files
            raise ValueError(f"{first}, {second} and starts of {objects} are needed")
        parts = cut(numbers, starts, "iu")
        check_numbers(numbers, tokens)
        return [[tokens[number] for number in part] for part in parts]


def renumbered(
    numbers: Numbers, number_of: dict[Any, int], other: dict[Any, int]
) -> tuple[Numbers, dict[Any, int]]:
    """Translate the numbers of one sample into those of another one. Tokens that the other sample
    lacks are counted on from ``len(other)``; these numbers are returned too.

    Examples
    --------
    >>> renumbered(np.array([0, 1, 1]), {"t": 0, "e": 1}, {"e": 0, "a": 1})
    (array([2, 0, 0]), {'t': 2})
    """
    if number_of is other:
        return numbers, {}
    tokens, positions = in_use(numbers, number_of)
    new: dict[Any, int] = {}
    translated = np.empty(len(tokens), dtype=np.int64)
    for position, token in enumerate(tokens):
        known = other.get(token)
        translated[position] = (
            new.setdefault(token, len(other) + len(new)) if known is None else known
        )
    return translated[positions], new


def in_use(numbers: Numbers, number_of: dict[Any, int]) -> tuple[list[Any], Numbers]:
    """Reduce a numbering to the tokens that occur, for a model file. Returned are the tokens that
    occur, in the order of their numbers, and the numbers as positions among them.

    Examples
    --------
    >>> in_use(np.array([5, 0, 5]), {letter: number for number, letter in enumerate("abcdef")})
    (['a', 'f'], array([1, 0, 1]))
    """
    used, positions = np.unique(numbers, return_inverse=True)
    tokens = list(number_of)
    return [tokens[number] for number in used], positions


def check_numbers(numbers: Any, tokens: list[Any]) -> None:
    """Raise a `ValueError` unless all numbers, an array of integers from a file, are positions in
    the list of tokens.

    Examples
    --------
    >>> check_numbers(np.array([0, 2]), ["tea", "rum"])
    Traceback (most recent call last):
    ...
    ValueError: there are 2 tokens, and numbers of others
    """
    if len(numbers) and not 0 <= numbers.min() <= numbers.max() < len(tokens):
        raise ValueError(f"there are {len(tokens)} tokens, and numbers of others")


def incomparable(value: Any, position: int, problem: str) -> InvalidInput:
    """Make the error for an object that has a token without a hash, or one that does not equal
    itself.
    """
    return InvalidInput(
        f"{at('Object', position)} cannot be compared with others, because of {shown(value)}: "
        f"{problem}.",
        advice="Use texts, numbers, and tuples of them: turn inner lists into tuples, and leave "
        "out or name what is missing.",
        witness=position,
        value=value,
    )
