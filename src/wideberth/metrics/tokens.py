"""Sequences of tokens as numbers, for compiled code that looks costs up by token."""

from dataclasses import dataclass, field
from typing import Any, Self

from wideberth.metrics.numbering import Numbers, check_numbers, in_use, numbered
from wideberth.metrics.prepared import cut, taken
from wideberth.metrics.sequences import read_sequences


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
        positions, starts = taken(self.starts, indices)
        return type(self)(self.numbers[positions], starts, self.number_of)

    def plain(self) -> dict[str, Any]:
        """See `wideberth.metrics.prepared.Prepared`."""
        tokens, numbers = in_use(self.numbers, self.number_of)
        return {"tokens": tokens, "numbers": numbers, "starts": self.starts}

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> Any:
        """The sequences as lists of tokens, to be checked again."""
        match plain:
            case {"tokens": list(tokens), "numbers": numbers, "starts": starts}:
                parts = cut(numbers, starts, "iu")
                check_numbers(numbers, tokens)
                return [[tokens[each] for each in part] for part in parts]
        raise ValueError("tokens, numbers and starts of sequences are needed")


def prepare_tokens(objects: Any) -> TokenSample:
    """Strings, byte strings (as their Latin-1 characters), or lists and tuples of hashable tokens.

    >>> prepare_tokens(["tea", ["t", "e", "e"]]).numbers
    array([0, 1, 2, 0, 1, 1])
    """
    if isinstance(objects, TokenSample):
        return objects
    sequences = read_sequences(objects)
    return TokenSample(*numbered(each.decode("latin-1") if isinstance(each, bytes) else each for each in sequences))
