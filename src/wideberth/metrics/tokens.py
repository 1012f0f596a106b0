"""Sequences of tokens as numbers, for compiled code that looks costs up by token."""

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from wideberth.errors import InvalidInput
from wideberth.metrics.prepared import cut
from wideberth.metrics.strings import prepare_sequences

Numbers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class TokenSample:
    """Sequences as numbers: sequence i is ``numbers[starts[i]:starts[i + 1]]``, its tokens numbered by ``number_of``."""

    numbers: Numbers
    starts: Numbers
    number_of: dict[Any, int] = field(repr=False)

    def __len__(self) -> int:
        return len(self.starts) - 1

    def take(self, indices: Any) -> Self:
        """The sequences at ``indices``, numbered the same way; neighbouring ones, from a slice, share memory."""
        if isinstance(indices, slice) and indices.step in (None, 1):
            first, stop, _ = indices.indices(len(self))
            starts = self.starts[first : max(first, stop) + 1]
            return type(self)(self.numbers[starts[0] : starts[-1]], starts - starts[0], self.number_of)
        chosen = np.arange(len(self))[indices]
        lengths = np.diff(self.starts)[chosen]
        starts = np.concatenate([[0], np.cumsum(lengths)])
        positions = np.arange(starts[-1]) + np.repeat(self.starts[chosen] - starts[:-1], lengths)
        return type(self)(self.numbers[positions], starts, self.number_of)

    def renumbered(self, numbering: dict[Any, int]) -> tuple[Numbers, dict[Any, int]]:
        """The numbers of the tokens under another numbering; tokens it lacks get the next ones, which come back by token.

        >>> tea, rum = prepare_tokens(["tea"]), prepare_tokens(["eat", "rum"])
        >>> numbers, new = tea.renumbered(rum.number_of)
        >>> numbers, new
        (array([2, 0, 1]), {})
        """
        if self.number_of is numbering:
            return self.numbers, {}
        used, positions = np.unique(self.numbers, return_inverse=True)
        tokens = list(self.number_of)
        new: dict[Any, int] = {}
        translated = np.empty(len(used), dtype=np.int64)
        for position, number in enumerate(used):
            token = tokens[number]
            known = numbering.get(token)
            translated[position] = new.setdefault(token, len(numbering) + len(new)) if known is None else known
        return translated[positions], new

    def plain(self) -> dict[str, Any]:
        """See `wideberth.metrics.prepared.Prepared`."""
        used, numbers = np.unique(self.numbers, return_inverse=True)
        tokens = list(self.number_of)
        return {"tokens": [tokens[each] for each in used], "numbers": numbers, "starts": self.starts}

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> Any:
        """The sequences as lists of tokens, to be checked again."""
        match plain:
            case {"tokens": list(tokens), "numbers": numbers, "starts": starts}:
                parts = cut(numbers, starts, "iu")
                if len(numbers) and not 0 <= numbers.min() <= numbers.max() < len(tokens):
                    raise ValueError(f"there are {len(tokens)} tokens")
                return [[tokens[each] for each in part] for part in parts]
        raise ValueError("tokens, numbers and starts of sequences are needed")


def prepare_tokens(objects: Any) -> TokenSample:
    """Strings, byte strings (as their Latin-1 characters), or lists and tuples of hashable tokens.

    >>> prepare_tokens(["tea", ["t", "e", "e"]]).numbers
    array([0, 1, 2, 0, 1, 1])
    """
    if isinstance(objects, TokenSample):
        return objects
    number_of: dict[Any, int] = {}
    numbers: list[int] = []
    starts = [0]
    for position, each in enumerate(prepare_sequences(objects)):
        tokens = each.decode("latin-1") if isinstance(each, bytes) else each
        try:
            numbers.extend([number_of.setdefault(token, len(number_of)) for token in tokens])
        except TypeError:
            raise InvalidInput(
                f"Object {position} holds a token that has no hash: {each!r}.",
                advice="Tokens are strings, numbers, or tuples of them; turn inner lists into tuples.",
                witness=position,
                value=each,
            ) from None
        starts.append(len(numbers))
    return TokenSample(np.array(numbers, dtype=np.int64), np.array(starts, dtype=np.int64), number_of)
