r"""The lowest leads of scores that add up over words, among all texts within some edits.

Score: :math:`s_y(x) = b_y + \sum_t w_{ty}` over the words t of x, which are what stands between
white space. A lead of the winner over a rival is a sum of values :math:`v(t) = w_{t,\text{winner}}
- w_{t,\text{rival}}`, 0 for words that are not known. A letter that is in no known word always
exists.

**States.** A text x' within e edits of x is an alignment: letters of x that are kept, replaced or
deleted, and letters inserted. Cut x' into its tokens. Then each token covers a piece x[i:j] and
takes Levenshtein(token, x[i:j]) edits at least, and what is between tokens covers the rest. With k
edits spent and i letters of x read, the state is one of

- start P(i, k): a token may start here, for the text starts or the last letter written is white
  space;
- end E(i, k): a token has ended here;
- unknown U(i, k): inside of a token that is no known word, whatever follows.

**Edges.** Each says what is written and what it adds.

- P(i, k) to E(j, k + q): a known word with q = Levenshtein(word, x[i:j]), adds v(word); inserted
  words have j = i;
- P(i, k) to E(j, k): x[i:j] as it is, if it begins a known word and is none, adds 0;
- P(i, k) to U(j, k) where x[i:j] ceases to begin a known word; to U(j + 1, k + 1) if it begins one
  and x[j] is white space, over which a strange letter is written; to U(i + 1, k + 1), a strange
  letter over the first one;
- U(i, k) to U(i + 1, k + [x_i is white space]), and to E(i, k);
- E(i, k) to P(i + 1, k + [x_i is no white space]): white space read or written over a letter; to
  P(i, k + 1): inserted;
- P(i, k) to P(i + 1, k + [x_i is no white space]): white space read, or a letter deleted.

**Why the path is exact.** Every path spells a text within its edits, with the sum of its edges.
Conversely, take the alignment of any x'. Its known words are edges. An unknown token over x[i:j]
takes as many edits as white space is in x[i:j], at least one if x[i:j] is a known word or empty,
and adds 0; for as many edits there is a path through U, or around an empty one. Between tokens, one
character of white space is needed and letters have to go, each for an edit; the edges do that for
no more.

**Why few words are looked at.** Call inside what starts or ends within a word of x, where an edit
makes room for white space. An edge of q edits is long if 2 q > e, or 2 q = e and it is inside. Two
long edges take more than e edits together: their own, and one for the white space if one of them is
inside. So a path has one long edge at most, and the minimum is that of paths of short edges and of

.. math:: P(i, k) + v(t) + H(j, e - k - q)

with the lowest sums P before and H behind over short edges, computed once in both directions. Words
t are found by a walk through the trie of all words with a band of Levenshtein distances, and given
up as soon as no word with this beginning has a value below what is needed to beat the best path so
far. Of short edges with q >= 1, only values below 0 are of use.
"""

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple, Self

import numpy as np

from wideberth.array_types import Flags, Floats, Integers
from wideberth.classifiers.linear import word_kernels
from wideberth.classifiers.linear.edit_paths import EditPaths, rivals_of, strange_letter
from wideberth.metrics.element_kernels import Letters
from wideberth.metrics.strings.text_counts import Texts, read_texts

# ---- Words as a tree of their letters, in flat arrays for compiled loops

#: Letters have fewer bits than this.
_LETTER_BITS = 21


class Trie(NamedTuple):
    """A tree whose nodes are the beginnings of words. The root, the empty beginning, is node 0.

    Nodes are numbered level by level, the children of a node in the order of their letters, one
    after the other.

    A row of ``nodes`` is the last letter of a node; its first child, which is followed by the
    others up to the first child of the next node; and which word ends there, -1 where none does. A
    row behind the last node says where its children end.
    """

    nodes: Integers
    depth: int

    @classmethod
    def of(cls, words: Sequence[str]) -> Self:
        """The trie of different words, none of them empty.

        Examples
        --------
        >>> trie = Trie.of(["tea", "te", "a"])
        >>> "".join(map(chr, trie.nodes[1:-1, 0])), trie.nodes[:, 1], trie.nodes[:, 2], trie.depth
        ('atea', array([1, 3, 3, 4, 5, 5]), array([-1,  2, -1,  1,  0, -1]), 3)
        """
        lengths = np.array([len(word) for word in words], dtype=np.int64)
        letters = np.frombuffer(
            "".join(words).encode("utf-32-le", "surrogatepass"), dtype=np.uint32
        ).astype(np.int64)
        starts = np.cumsum(lengths) - lengths
        depth = int(lengths.max(initial=0))
        ends = np.zeros(len(words), dtype=np.int64)
        levels = [np.zeros(1, dtype=np.int64)]
        n_nodes = 1
        for place in range(depth):
            longer = np.flatnonzero(lengths > place)
            level, numbers = np.unique(
                ends[longer] << _LETTER_BITS | letters[starts[longer] + place], return_inverse=True
            )
            ends[longer] = n_nodes + numbers
            levels.append(level)
            n_nodes += len(level)
        edges = np.concatenate(levels)
        nodes = np.full((n_nodes + 1, 3), -1, dtype=np.int64)
        nodes[:-1, 0] = edges & ((1 << _LETTER_BITS) - 1)
        nodes[:, 1] = 1 + np.searchsorted(edges[1:] >> _LETTER_BITS, np.arange(n_nodes + 1))
        nodes[ends, 2] = np.arange(len(words))
        return cls(nodes, depth)


def can_occur(words: Sequence[str]) -> Flags:
    """Which words a text can have: those without white space, in lower case and not empty.

    Examples
    --------
    >>> can_occur(["tea", "Tea", "a cup", ""])
    array([ True, False, False, False])
    """
    read = read_texts(list(words)) if len(words) else None
    if read is None:
        return np.zeros(0, dtype=bool)
    written = np.frombuffer(" ".join(words).encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    wrong = np.concatenate(
        [np.zeros(1, dtype=np.int64), np.cumsum((read.letters != written) | read.spaces)]
    )
    possible: Flags = (wrong[read.ends] == wrong[read.begins]) & (read.ends > read.begins)
    return possible


class WordPaths(EditPaths):
    r"""Scores that add up over words, and their lowest leads within a number of edits; see the
    module. Words that no text has, with white space or capitals, do no harm.

    .. math:: s_y(x) = b_y + \sum_{t \in x} w_{ty}

    Examples
    --------
    >>> paths = WordPaths(["tea", "rum"], np.array([[1.0, 0.0], [0.0, 1.0]]), np.zeros(2))
    >>> paths.lowest_leads(["Tea or rum, tea"], np.array([0]), 2)[0, :, 1]  # rum, is not rum
    array([2., 1., 0.])
    >>> paths.worst_text("A gum", winner=0, rival=1, edits=1)
    'A rum'
    """

    def __init__(self, words: Sequence[str], weights: Floats, intercepts: Floats) -> None:
        weights = np.asarray(weights, dtype=np.float64).reshape(len(words), len(intercepts))
        kept = np.flatnonzero(can_occur(words) & (weights != weights[:, :1]).any(axis=1))
        self.words = [words[word] for word in kept.tolist()]
        self.weights = weights[kept]
        self.intercepts = np.asarray(intercepts, dtype=np.float64)
        self._trie = Trie.of(self.words)
        self._places, self._all_weights = {word: place for place, word in enumerate(words)}, weights

    def worst_text(self, text: str, winner: int, rival: int, edits: int) -> str:
        """A text within some edits at which the lead of the winner over the rival is lowest.

        Letters that are kept stay as they are; of those that are written, letters in no known word
        are the same one everywhere.
        """
        values = np.ascontiguousarray(self.weights[:, [winner]] - self.weights[:, [rival]])
        letters = _spaced(read_texts([text]))
        _, short, long = self._edges(letters, values, self._lowest_below(values), edits)
        edges = joined(short, long)
        return Speller(
            text, letters, edges, word_kernels.lowest_after(letters, *edges, edits), self.words
        ).spelled()

    def lowest_sums(self, texts: Texts, winner: int, edits: int) -> Floats:
        rivals = rivals_of(winner, len(self.intercepts))
        values = np.ascontiguousarray(self.weights[:, [winner]] - self.weights[:, rivals])
        letters, below = _spaced(texts), self._lowest_below(values)
        spans = zip(texts.begins, texts.ends, strict=True)
        return np.array(
            [self._edges(letters[begin:end], values, below, edits)[0] for begin, end in spans]
        )

    def _lowest_below(self, values: Floats) -> Floats:
        """The lowest value of any word that begins with each node of the trie."""
        below = np.empty((len(self._trie.nodes) - 1, values.shape[1]))
        word_kernels.lowest_below(self._trie.nodes, values, below)
        return below

    def _edges(
        self, letters: Letters, values: Floats, below: Floats, edits: int
    ) -> tuple[Floats, word_kernels.Edges, word_kernels.Edges]:
        """The lowest sums of a text, of shape (edits + 1, rivals), its short edges and the long
        ones that lower a sum.
        """
        known, nothing = (letters, *self._trie, values, below), np.empty((0, 0, 0))
        lowest = np.empty((edits + 1, values.shape[1]))
        short = word_kernels.Edges(*word_kernels.find_edges(*known, nothing, nothing, lowest))
        starts, ends, _ = word_kernels.lowest_after(letters, *short, edits)
        lowest[:] = starts[0]
        long = word_kernels.Edges(
            *word_kernels.find_edges(
                *known, word_kernels.lowest_before(letters, *short, edits), ends, lowest
            )
        )
        return lowest, short, long

    def absolute_terms(self, texts: Sequence[str]) -> tuple[Floats, Floats]:
        sizes = np.abs(self._all_weights)
        sums = np.zeros((len(texts), len(self.intercepts)))
        for row, text in enumerate(texts):
            words = (
                _spaced(read_texts([text])).tobytes().decode("utf-32-le", "surrogatepass").split()
            )
            sums[row] = sizes[[self._places[word] for word in words if word in self._places]].sum(
                axis=0
            )
        return sums, 2 * sizes.max(axis=0, initial=0.0)


def _spaced(texts: Texts) -> Letters:
    """The letters of texts, all white space as the same letter."""
    return np.where(texts.spaces, np.uint32(word_kernels.SPACE), texts.letters)


# ---- The text that a shortest path spells, in the letters of the text where it keeps them


class Step(NamedTuple):
    """A step of a path: the lowest sum that it leads to, the state behind it and what it writes."""

    lowest: float
    state: Literal["start", "end", "unknown", "done"]
    at: int
    left: int
    written: str


def joined(one: word_kernels.Edges, other: word_kernels.Edges) -> word_kernels.Edges:
    """The edges of both, in the order of their starts."""
    first, other_first = one.first, other.first
    starts = np.concatenate(
        [np.repeat(np.arange(len(each) - 1), np.diff(each)) for each in (first, other_first)]
    )
    order = np.argsort(starts, kind="stable")
    steps = np.concatenate([one.steps, other.steps])[order]
    values = np.concatenate([one.values, other.values])[order]
    return word_kernels.Edges(first + other_first, steps, values, one.leaves)


class Speller:
    """Spells the text of a shortest path; the states and edges are those of the module, the sums
    those of `word_kernels.lowest_after` for one rival.
    """

    def __init__(
        self,
        text: str,
        letters: Letters,
        edges: word_kernels.Edges,
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
        return int(self.lowered[at] == chr(word_kernels.SPACE))

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
