r"""Signatures of strings, 128 bits of character counts each, that bound edit distances from below.

Sort the characters into buckets, one for each frequent character and a few for all others, and let
:math:`n_b(x)` be the number of characters of the string x in bucket b. One edit changes these
counts by at most one character more and one character less. So with the *surplus* of x over y, and
the *deficit*,

.. math:: s(x, y) = \sum_b \max\{n_b(x) - n_b(y), 0\}, \qquad s(y, x),

.. math:: \mathrm{lev}(x, y) \ge \max\{s(x, y),\; s(y, x)\}, \qquad \mathrm{indel}(x, y) \ge s(x, y)
    + s(y, x).

*Proof.* A substitution lowers each of the two by at most 1; an insertion or a deletion lowers one
of them, by at most 1; a swap of neighbours neither. Between equal strings both are 0, so that many
edits are needed to get there. Swaps being free, the first bound holds for the Damerau distance too.

A signature has a bit for some of the statements "x has at least j characters in bucket b". For the
set :math:`J_b` of the levels that have a bit, :math:`f_b(m) = |\{j \in J_b : j \le m\}|` never
falls and grows by at most 1 from m to m + 1, whence :math:`\max\{f_b(m) - f_b(m'), 0\} \le \max\{m
- m', 0\}`. So the number of bits that x has and y has not is at most the surplus: the fewer bits
and the more characters share a bucket, the lower the bound, never the higher. Levels get bits by
how evenly they divide the sample from which the sketch is learned.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from wideberth.array_types import Indices
from wideberth.metrics.containers import taken
from wideberth.metrics.metric import Distances
from wideberth.metrics.strings.sample import Sequences
from wideberth.metrics.strings.sketch_kernels import (
    EDITS,
    LARGER,
    Letters,
    Words,
    bounds_of_block,
    number_levels,
    sign,
)

#: Buckets of a single character, those that most strings contain, and buckets that all others
#: share.
OWN_BUCKETS, SHARED_BUCKETS = 56, 8
N_BUCKETS = OWN_BUCKETS + SHARED_BUCKETS
#: The largest count that a signature can tell from others.
MOST = 24
#: Bits of a signature.
BITS = 128


@dataclass(frozen=True, eq=False)
class EditSignatures:
    """The prepared sample of signed strings.

    Attributes
    ----------
    words : ndarray of uint64 of shape (2, n)
        The 128 bits of each string.
    points : ndarray of int32
        The code points of all strings, one string after the other.
    starts : ndarray of int of shape (n + 1,)
        Where the code points of each string start.
    """

    words: Words
    points: Letters
    starts: Indices

    @cached_property
    def sizes(self) -> Indices:
        """The lengths of the strings."""
        return np.diff(self.starts)

    def __len__(self) -> int:
        return len(self.starts) - 1

    def take(self, indices: slice | Indices) -> "EditSignatures":
        """Select the signatures at ``indices``, a slice or integers."""
        places, starts = taken(self.starts, indices)
        return EditSignatures(
            np.ascontiguousarray(self.words[:, indices]), self.points[places], starts
        )


@dataclass(frozen=True, eq=False)
class EditSketch:
    """How strings are signed, and how signatures bound one of the edit distances; a
    `wideberth.metrics.metric.Sketch`.

    Attributes
    ----------
    own : ndarray of int32
        The code points that have a bucket of their own, ascending.
    bits : ndarray of uint64 of shape (2, buckets * (MOST + 1))
        The bit of each level of each bucket, as `number_levels` numbers them; 0 for a level that
        has none.
    rule : {LARGER, SUM}
        Whether the larger of surplus and deficit bounds the edits, or their sum.
    form : {EDITS, SHARE}
        Whether edits are the distance, or are divided by the lengths as by `NormalizedLevenshtein`.
    counts_edits : bool
        Whether the distance is made of Levenshtein or indel edits, which compiled searches count by
        themselves.

    Examples
    --------
    >>> sketch = EditSketch.learned(Sequences(["garden", "rum", "tea"]))
    >>> words = sketch.signatures(Sequences(["garten", "graden", "rum"]))
    >>> sketch.lower_bounds(
    ...     words, sketch.signatures(Sequences(["garden"]))
    ... )  # swapped letters are not seen
    array([[1.],
           [0.],
           [5.]])
    """

    own: Letters
    bits: Words
    rule: int = LARGER
    form: int = EDITS
    counts_edits: bool = True

    @classmethod
    def learned(
        cls, strings: Sequences, rule: int = LARGER, form: int = EDITS, counts_edits: bool = True
    ) -> "EditSketch | None":
        """Learn from a sample which characters get buckets and which counts get bits; None if
        objects are not strings.

        Parameters
        ----------
        strings : Sequences
            Strings or byte strings.
        rule, form, counts_edits
            As the attributes.

        Returns
        -------
        EditSketch or None
        """
        if (coded := _code_points(strings)) is None:
            return None
        points, starts = coded
        found, counts = np.unique(points, return_counts=True)
        own = np.sort(found[np.argsort(-counts, kind="stable")[:OWN_BUCKETS]])
        levels = number_levels(_buckets(own, points), starts, MOST, N_BUCKETS)
        share = np.bincount(levels, minlength=N_BUCKETS * (MOST + 1)) / max(1, len(starts) - 1)
        share[:: MOST + 1] = 0.0  # level 0, which says nothing
        chosen = np.lexsort((np.arange(len(share)) % (MOST + 1), -share * (1 - share)))[
            :BITS
        ]  # few letters first among equals
        bits = np.zeros((2, len(share)), dtype=np.uint64)
        # the most even ones first, so that sorted signatures are similar to those beside them
        bits[np.arange(BITS) // 64, chosen] = np.uint64(2**63) >> np.arange(
            BITS, dtype=np.uint64
        ) % np.uint64(64)
        bits[:, :: MOST + 1] = 0
        return cls(own, bits, rule, form, counts_edits)

    def signatures(self, prepared: Sequences) -> EditSignatures | None:
        """Sign strings; see `Sketch.signatures`."""
        if (coded := _code_points(prepared)) is None:
            return None
        points, starts = coded
        levels = number_levels(_buckets(self.own, points), starts, MOST, N_BUCKETS)
        return EditSignatures(sign(levels, starts, self.bits), points, starts)

    def lower_bounds(self, left: EditSignatures, right: EditSignatures) -> Distances:
        """Bound all distances from below; see `Sketch.lower_bounds`."""
        return bounds_of_block(
            left.words, left.sizes, right.words, right.sizes, self.rule, self.form
        )


def _code_points(strings: Sequences) -> tuple[Letters, Indices] | None:
    """Return the code points of all strings and where each starts; None if there are sequences of
    other tokens.
    """
    kinds = set(map(type, strings))
    if not kinds <= {str, np.str_}:
        if not all(issubclass(kind, str | bytes) for kind in kinds):
            return None
        strings = Sequences(
            item.decode("latin-1") if isinstance(item, bytes) else item for item in strings
        )
    points = np.frombuffer("".join(strings).encode("utf-32-le", "surrogatepass"), dtype=np.int32)
    sizes = np.fromiter(map(len, strings), dtype=np.intp, count=len(strings))
    return points, np.concatenate([[0], np.cumsum(sizes)])


def _buckets(own: Letters, points: Letters) -> Letters:
    """Return the bucket of each code point."""
    shared = OWN_BUCKETS + points % SHARED_BUCKETS
    if not len(own):
        return shared
    places = np.minimum(np.searchsorted(own, points), len(own) - 1)
    return np.where(own[places] == points, places, shared).astype(np.int32)
