"""Words as a tree of their letters, in flat arrays for compiled loops."""

from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np

from wideberth.array_types import Flags, Integers
from wideberth.metrics.strings.text_counts import read_texts

#: Letters have fewer bits than this.
_LETTER_BITS = 21


class Trie(NamedTuple):
    """A tree whose nodes are the beginnings of words. The root, the empty beginning, is node 0.

    Nodes are numbered level by level, the children of a node in the order of their letters, one after the other.

    Attributes
    ----------
    nodes : ndarray of int64, shape (n + 1, 3)
        The last letter of each node; its first child, which is followed by the others up to the first child of the next node; and
        which word ends there, -1 where none does. A row behind the last node says where its children end.
    depth : int
        How many letters the longest word has.
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
        letters = np.frombuffer("".join(words).encode("utf-32-le", "surrogatepass"), dtype=np.uint32).astype(np.int64)
        starts = np.cumsum(lengths) - lengths
        depth = int(lengths.max(initial=0))
        ends, levels, n_nodes = np.zeros(len(words), dtype=np.int64), [np.zeros(1, dtype=np.int64)], 1
        for place in range(depth):
            longer = np.flatnonzero(lengths > place)
            level, numbers = np.unique(ends[longer] << _LETTER_BITS | letters[starts[longer] + place], return_inverse=True)
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
    wrong = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum((read.letters != written) | read.spaces)])
    possible: Flags = (wrong[read.ends] == wrong[read.begins]) & (read.ends > read.begins)
    return possible
