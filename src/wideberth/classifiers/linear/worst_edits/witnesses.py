"""The text that a shortest path over words spells, in the letters of the text where it keeps
them.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

import numpy as np

from wideberth.array_types import Floats
from wideberth.classifiers.linear.worst_edits.word_kernels import SPACE, Edges
from wideberth.metrics.element_kernels import Letters

#: Letters of no known word are looked for from here on: characters that are easy to see, are their
#: own lower case and no space.
_STRANGE_FROM = 0x2460


class Step(NamedTuple):
    """A step of a path: the lowest sum that it leads to, the state behind it and what it writes."""

    lowest: float
    state: Literal["start", "end", "unknown", "done"]
    at: int
    left: int
    written: str


def strange_letter(known: Iterable[Iterable[str]]) -> str:
    """A letter that occurs nowhere in what is known, is its own lower case and no white space.

    Examples
    --------
    >>> strange_letter(["tea", "①"])
    '②'
    """
    letters = {letter for each in known for letter in each}
    candidates = (chr(code) for code in range(_STRANGE_FROM, 0x110000))
    return next(
        each
        for each in candidates
        if each not in letters and each.lower() == each and not each.isspace()
    )


def joined(one: Edges, other: Edges) -> Edges:
    """The edges of both, in the order of their starts."""
    first, other_first = one.first, other.first
    starts = np.concatenate(
        [np.repeat(np.arange(len(each) - 1), np.diff(each)) for each in (first, other_first)]
    )
    order = np.argsort(starts, kind="stable")
    steps, values = (
        np.concatenate([one.steps, other.steps])[order],
        np.concatenate([one.values, other.values])[order],
    )
    return Edges(first + other_first, steps, values, one.leaves)


class Speller:
    """Spells the text of a shortest path; the states and edges are those in `word_paths`.

    Parameters
    ----------
    text : str
        The text that is edited.
    letters : ndarray of uint32
        The same in lower case, white space as 32.
    edges : Edges
        Known words, and what stands there.
    sums : tuple of three arrays of shape (n + 1, edits + 1, 1)
        The lowest sums behind starts, ends and unknown tokens (`word_kernels.lowest_after`).
    words : sequence of str
        The known words.
    """

    def __init__(
        self,
        text: str,
        letters: Letters,
        edges: Edges,
        sums: tuple[Floats, Floats, Floats],
        words: Sequence[str],
    ) -> None:
        self.text = text
        self.lowered = letters.tobytes().decode("utf-32-le", "surrogatepass")
        self.edges = edges
        self.starts, self.ends, self.unknown = (table[:, :, 0].tolist() for table in sums)
        self.words = words
        self.strange = strange_letter(words)

    def spelled(self) -> str:
        """The text: from each state a step is taken that leads to the lowest sum."""
        steps_from = {
            "start": self._from_start,
            "end": self._from_end,
            "unknown": self._from_unknown,
        }
        step = Step(0.0, "start", 0, len(self.starts[0]) - 1, "")
        written = []
        while step.state != "done":
            step = min(steps_from[step.state](step.at, step.left), key=lambda each: each.lowest)
            written.append(step.written)
        return "".join(written)

    def _from_start(self, at: int, left: int) -> Iterator[Step]:
        """Skip what stands there, write a known word or begin an unknown token."""
        yield from self._at_the_end(at)
        if left:
            yield Step(self.starts[at][left - 1], "start", at, left - 1, "")
        yield from self._over_space(at, left, deleted=True)
        for edge in range(self.edges.first[at], self.edges.first[at + 1]):
            last, price, word, since = self.edges.steps[edge].tolist()
            for end in range(since, last + 1 if price <= left else 0):
                piece = (
                    self.text[at:end] if word < 0 else self._rewritten(at, end, self.words[word])
                )
                yield Step(
                    self.edges.values[edge, 0] + self.ends[end][left - price],
                    "end",
                    end,
                    left - price,
                    piece,
                )
        if left and at < len(self.text):
            yield Step(self.unknown[at + 1][left - 1], "unknown", at + 1, left - 1, self.strange)
        leave, price = self.edges.leaves[at].tolist()
        if price <= left:
            piece = self.text[at:leave] if price == 0 else self.text[at : leave - 1] + self.strange
            yield Step(self.unknown[leave][left - price], "unknown", leave, left - price, piece)

    def _from_end(self, at: int, left: int) -> Iterator[Step]:
        """Write white space behind a token."""
        yield from self._at_the_end(at)
        if left:
            yield Step(self.starts[at][left - 1], "start", at, left - 1, " ")
        yield from self._over_space(at, left, deleted=False)

    def _from_unknown(self, at: int, left: int) -> Iterator[Step]:
        """Let a token end, or read its next letter."""
        yield Step(self.ends[at][left], "end", at, left, "")
        if at < len(self.text):
            space = self._is_space(at)
            if left >= space:
                piece = self.strange if space else self.text[at]
                yield Step(
                    self.unknown[at + 1][left - space], "unknown", at + 1, left - space, piece
                )

    def _over_space(self, at: int, left: int, *, deleted: bool) -> Iterator[Step]:
        """Read white space; a letter in its place is deleted or written over."""
        if at < len(self.text):
            price = 1 - self._is_space(at)
            if price <= left:
                piece = ("" if deleted else " ") if price else self.text[at]
                yield Step(self.starts[at + 1][left - price], "start", at + 1, left - price, piece)

    def _at_the_end(self, at: int) -> Iterator[Step]:
        if at == len(self.text):
            yield Step(0.0, "done", at, 0, "")

    def _is_space(self, at: int) -> int:
        return int(self.lowered[at] == chr(SPACE))

    def _rewritten(self, start: int, end: int, word: str) -> str:
        """A word in place of a piece of the text, with the letters of the text where they are the
        same.
        """
        kept = aligned(self.lowered[start:end], word)
        return "".join(
            letter if place < 0 else self.text[start + place]
            for letter, place in zip(word, kept, strict=True)
        )


def aligned(text: str, word: str) -> list[int]:
    """Where the letters of a word stand in a text in an alignment of the fewest edits, -1 for those
    that do not.

    Examples
    --------
    >>> aligned("tea", "ta")
    [0, 2]
    """
    costs = [list(range(len(text) + 1))]
    for row, letter in enumerate(word, start=1):
        costs.append([row])
        for column, other in enumerate(text, start=1):
            replaced = costs[row - 1][column - 1] + (letter != other)
            costs[row].append(min(replaced, costs[row - 1][column] + 1, costs[row][column - 1] + 1))
    places, column = [-1] * len(word), len(text)
    for row in range(len(word), 0, -1):
        while column and costs[row][column] == costs[row][column - 1] + 1:
            column -= 1
        if column and costs[row][column] == costs[row - 1][column - 1] + (
            word[row - 1] != text[column - 1]
        ):
            column -= 1
            places[row - 1] = column if word[row - 1] == text[column] else -1
    return places
