"""Sequences of tokens as numbers, for compiled code that looks costs up by token."""

from typing import Any

from wideberth.metrics.numbering import NumberedSample, check_numbers, in_use
from wideberth.metrics.prepared import cut
from wideberth.metrics.sequences import read_sequences


class TokenSample(NumberedSample):
    """Sequences of tokens."""

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
    return TokenSample.of(each.decode("latin-1") if isinstance(each, bytes) else each for each in sequences)
