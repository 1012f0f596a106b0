r"""Edit distances that count edits: Levenshtein, indel, Damerau, normalised and Hamming, between
strings or token sequences.

*Signatures* of strings, 128 bits of character counts each, bound edit distances from below
(`EditSketch`). Sort the characters into buckets, one for each frequent character and a few for all
others, and let :math:`n_b(x)` be the number of characters of the string x in bucket b. One edit
changes these counts by at most one character more and one character less. So with the *surplus* of
x over y, and the *deficit*,

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
from itertools import product
from typing import Any, ClassVar

import numpy as np
import scipy
from rapidfuzz.distance import DamerauLevenshtein as DamerauScorer
from rapidfuzz.distance import Hamming as HammingScorer
from rapidfuzz.distance import Indel as IndelScorer
from rapidfuzz.distance import Levenshtein as LevenshteinScorer
from rapidfuzz.process import cdist

from wideberth.array_types import Floats, Indices, Objects, Sample
from wideberth.compilation import is_worth_compiling
from wideberth.errors import InvalidInput
from wideberth.metrics.containers import taken
from wideberth.metrics.metric import EDIT, Distances, Kind, Metric, Promises
from wideberth.metrics.strings import kernels
from wideberth.metrics.strings.damerau_kernels import LANES, LONGEST_IN_LANES, damerau_block
from wideberth.metrics.strings.kernels import EDITS, LARGER, SHARE, SUM, Letters, Words
from wideberth.metrics.strings.sample import Sequences, comparable, prepare_sequences
from wideberth.objects import sample
from wideberth.wording import at

# ---- Signatures that bound edit distances from below

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
    """The prepared sample of signed strings. The two words of each string have its 128 bits; its
    code points are ``points[starts[i]:starts[i + 1]]``.
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

    The ascending code points ``own`` have a bucket of their own; ``bits`` has the bit of each level
    of each bucket, as `number_levels` numbers them, 0 for a level that has none. ``rule`` tells
    whether the larger of surplus and deficit bounds the edits or their sum, ``form`` whether edits
    are the distance or are divided by the lengths as by `NormalizedLevenshtein`, and
    ``counts_edits`` whether they are those of Levenshtein or indel, which compiled searches count
    by themselves.

    Examples
    --------
    >>> sketch = EditSketch.learned(Sequences(["garden", "rum", "tea"]))
    >>> words = sketch.signatures(Sequences(["garten", "graden", "rum"]))
    >>> # swapped letters are not seen
    >>> sketch.lower_bounds(words, sketch.signatures(Sequences(["garden"])))
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
        """
        if (coded := _code_points(strings)) is None:
            return None
        points, starts = coded
        found, counts = np.unique(points, return_counts=True)
        own = np.sort(found[np.argsort(-counts, kind="stable")[:OWN_BUCKETS]])
        levels = kernels.number_levels(_buckets(own, points), starts, MOST, N_BUCKETS)
        share = np.bincount(levels, minlength=N_BUCKETS * (MOST + 1)) / max(1, len(starts) - 1)
        share[:: MOST + 1] = 0.0  # level 0, which says nothing
        # few letters first among equals
        chosen = np.lexsort((np.arange(len(share)) % (MOST + 1), -share * (1 - share)))[:BITS]
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
        levels = kernels.number_levels(_buckets(self.own, points), starts, MOST, N_BUCKETS)
        return EditSignatures(kernels.sign(levels, starts, self.bits), points, starts)

    def lower_bounds(self, left: EditSignatures, right: EditSignatures) -> Distances:
        """Bound all distances from below; see `Sketch.lower_bounds`."""
        return kernels.bounds_of_block(
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


# ---- The metrics


#: All words of up to three letters over the alphabet {a, b}.
_SHORT_WORDS = ["".join(letters) for length in range(4) for letters in product("ab", repeat=length)]


#: What all distances promise that are the fewest edits of some kinds, none of which does nothing.
_COUNTS_EDITS = Promises(
    obeys_triangle=True,
    hilbertian=False,
    negative_type=False,
    bounded=False,
    separates=True,
    step=1,
)


class _StringMetric(Metric):
    """The base class of metrics on `Sequences` that have no parameters and are computed by
    rapidfuzz.
    """

    underflow = 0.0
    accepts: Kind = "strings"
    parallel = "threads"
    examples = ("tea", "tee", "teas", "", "rum", "ram", "ruhm", "dram")
    #: The rule and the form of `EditSketch`, and whether compiled searches count the edits; None
    #: for no sketch.
    _bounded_by: tuple[int, int, bool] | None = None

    def __init__(self) -> None:  # no parameters
        pass

    def prepare(self, objects: Objects) -> Sample:
        """Check sequences of tokens; see `prepare_sequences`."""
        return prepare_sequences(objects)

    def nanoseconds(self, prepared: Sequences) -> float:
        """Estimate the time of one distance: quadratic in the mean length, many pairs of letters in
        one machine word.
        """
        return 5.0 + 0.15 * float(prepared.lengths.mean()) ** 2

    def sketch(self, prepared: Sequences) -> EditSketch | None:
        """Signatures of character counts, for strings; see `wideberth.Metric.sketch`."""
        if self._bounded_by and self.built_in:
            return EditSketch.learned(prepared, *self._bounded_by)
        return None

    def _count_edits(self, scorer: Any, left: Sequences, right: Sequences) -> Distances:
        """Compute all distances by a scorer of rapidfuzz."""
        return cdist(*comparable(left, right), scorer=scorer, dtype=np.float64)


class Levenshtein(_StringMetric):
    r"""Edit distance: the fewest insertions, deletions and substitutions that turn one string into
    the other.

    .. math:: d(xa, yb) = \min\{d(x, yb) + 1,\; d(xa, y) + 1,\; d(x, y) + [a \neq b]\}

    A metric, because edits can be undone and composed (Levenshtein 1966; Wagner & Fischer 1974).
    Neither Hilbertian nor of negative type: "a", "aba" and "bab" are at 2 from each other, so are
    "ab" and "ba", and at 1 from those; with the weights b = (2, 2, 2, -3, -3), whose sum is zero,
    :math:`\sum_{i<j} b_i b_j d_{ij} = 6 > 0`.

    At most the `Indel` and `Hamming` distances, whose edits it has too, and twice `Damerau`: a swap
    is two substitutions.

    Examples
    --------
    >>> Levenshtein()("garten", "garden")
    1.0
    """

    name = "levenshtein"
    unit = EDIT
    source = "insert, delete, substitute (Levenshtein 1966; Wagner & Fischer 1974)"
    counterexamples: ClassVar = {"hilbertian": _SHORT_WORDS, "negative_type": _SHORT_WORDS}
    promises = _COUNTS_EDITS
    dominated: ClassVar = {"indel": 1.0, "damerau": 2.0, "hamming": 1.0}
    _bounded_by = LARGER, EDITS, True

    def _measure(self, left: Sequences, right: Sequences) -> Distances:
        return self._count_edits(LevenshteinScorer.distance, left, right)


class Indel(_StringMetric):
    r"""The fewest insertions and deletions that turn one string into the other: the tokens outside
    a longest common subsequence.

    .. math:: d(x, y) = |x| + |y| - 2\,\mathrm{lcs}(x, y)

    A metric, because an insertion undoes a deletion and edits can be composed (Wagner & Fischer
    1974, with substitutions at the cost of the two edits that they consist of). Neither Hilbertian
    nor of negative type: the strings "", "a", "b", "ab", "ba" and weights b = (2, -3, -3, 2, 2),
    whose sum is zero, have
    :math:`\sum_{i<j} b_i b_j d_{ij} = 6 > 0`.

    At most twice the `Levenshtein`, `Damerau` and `Hamming` distances: a substitution or a swap is
    a deletion and an insertion. So its steps, indels, are no edits: what is safe under r indels is
    safe under r / 2 edits.

    Examples
    --------
    >>> Indel()("garten", "garden")  # delete t, insert d
    2.0
    """

    name = "indel"
    unit = "indel"
    source = "insert and delete; the tokens outside a longest common subsequence"
    counterexamples: ClassVar = dict.fromkeys(
        ("hilbertian", "negative_type"), ("", "a", "b", "ab", "ba")
    )
    promises = _COUNTS_EDITS
    dominated: ClassVar = {"levenshtein": 2.0, "damerau": 2.0, "hamming": 2.0}
    _bounded_by = SUM, EDITS, True

    def _measure(self, left: Sequences, right: Sequences) -> Distances:
        return self._count_edits(IndelScorer.distance, left, right)


class Damerau(_StringMetric):
    r"""Damerau-Levenshtein distance: `Levenshtein` with swaps of two neighbours as a further edit
    of cost 1.

    The unrestricted distance, in which swapped letters may be edited again, as Lowrance & Wagner
    (1975) compute it: the smallest number of edits, each of which can be undone, hence a metric.
    What many libraries call by this name is the optimal string alignment, which forbids that and is
    not a metric: there "CA" is at 3 from "ABC", but at 1 from "AC", which is at 1 from it.

    Neither Hilbertian nor of negative type: "aa", "ab", "aab", "baa", "bab" and weights b = (-2, 1,
    1, 2, -2), whose sum is zero, have :math:`\sum_{i<j} b_i b_j d_{ij} = 1 > 0`.

    At most the `Levenshtein`, `Indel` and `Hamming` distances, whose edits it has too: an edit is
    one of its steps. But a swap is one step and two edits, so that a radius in edits, taken for one
    in steps, would be false.

    Examples
    --------
    >>> Damerau()("form", "from")
    1.0
    >>> Damerau()("CA", "ABC")  # swap, then insert B between
    2.0
    """

    name = "damerau"
    unit = "damerau step"
    source = "swaps of neighbours too, unrestricted (Lowrance & Wagner 1975)"
    counterexamples: ClassVar = dict.fromkeys(
        ("hilbertian", "negative_type"), ("aa", "ab", "aab", "baa", "bab")
    )
    promises = _COUNTS_EDITS
    dominated: ClassVar = {"levenshtein": 1.0, "indel": 1.0, "hamming": 1.0}
    _bounded_by = LARGER, EDITS, False

    def nanoseconds(self, prepared: Sequences) -> float:
        """Estimate the time of one distance: quadratic in the mean length, cell by cell."""
        return 5.0 + (1.0 if prepared.are_strings else 5.0) * float(prepared.lengths.mean()) ** 2

    def _measure(self, left: Sequences, right: Sequences) -> Distances:
        if len(left) > len(right):
            return self._measure(right, left).T
        found = _damerau_in_lanes(left, right) if _are_for_lanes(left, right) else None
        return self._count_edits(DamerauScorer.distance, left, right) if found is None else found


#: Nanoseconds of a cell of the table of two strings by rapidfuzz.
_CELL = 3.0
#: With fewer left strings it takes longer to number the letters of the right ones than it gains.
_FEW_LEFT = 8


def _are_for_lanes(left: Sequences, right: Sequences) -> bool:
    """Whether the compiled loop measures these, the right ones not fewer: strings, none very long,
    many enough to be worth it.
    """
    if len(left) < _FEW_LEFT or len(right) < LANES or not (left.are_strings and right.are_strings):
        return False
    if max(left.lengths.max(), right.lengths.max()) > LONGEST_IN_LANES:
        return False
    seconds = 1e-9 * _CELL * left.lengths.sum() * right.lengths.sum()
    return is_worth_compiling(damerau_block, float(seconds))


def _damerau_in_lanes(left: Sequences, right: Sequences) -> Distances | None:
    """All Damerau distances of strings by the compiled loop; None if they have more different
    letters than it can number.

    >>> _damerau_in_lanes(Sequences(["CA"]), Sequences(["ABC", "AC"]))
    array([[2., 1.]])
    """
    sides: Any = [_code_points(strings) for strings in (left, right)]
    points = np.concatenate([points for points, _ in sides])
    if points.max(initial=0) > np.iinfo(np.int16).max:
        points = np.unique(points, return_inverse=True)[1]
        if points.max() > np.iinfo(np.int16).max:
            return None
    letters = points.astype(np.int16)
    (of_left, left_starts), (_, right_starts) = sides
    out = np.empty((len(left), len(right)))
    damerau_block(
        letters[: len(of_left)],
        left_starts,
        letters[len(of_left) :],
        right_starts,
        np.argsort(right.lengths, kind="stable"),
        out,
    )
    return out


class NormalizedLevenshtein(_StringMetric):
    r"""Edit distance relative to the lengths, in [0, 1], and still a metric.

    .. math:: d(x, y) = \frac{2\,\mathrm{lev}(x, y)}{|x| + |y| + \mathrm{lev}(x, y)}

    A metric by Yujian & Bo 2007, Theorem 1, where lev is the `Levenshtein` distance. Dividing by
    the longer length, as is often done, breaks the triangle inequality. Neither Hilbertian nor of
    negative type: "ab", "ba", "aaa", "aab", "aba", "baa" and weights b = (-2, -2, -3, 2, 3, 2),
    whose sum is zero, have
    :math:`\sum_{i<j} b_i b_j d_{ij} = 2/7 > 0`.

    At most 1, hence at most the `Levenshtein`, `Indel` and `Damerau` distances, and 2/3 of
    `Hamming`: 2 / (1 + 1 + 1) for one letter. More is known about the neighbours of x after e
    edits. Deletions leave the shortest strings: :math:`d(x, x') \le 2 e / (2 |x| - e + e) = e /
    |x|`. Substitutions keep the length: :math:`2 e / (2 |x| + e)`. Swaps, two substitutions each,
    do more: :math:`4 e / (2 |x| + 2 e)`.

    Examples
    --------
    >>> NormalizedLevenshtein()("ab", "cd")  # 2 * 2 / (2 + 2 + 2)
    0.6666666666666666
    """

    name = "normalized_levenshtein"
    source = "relative to the lengths (Yujian & Bo 2007)"
    counterexamples: ClassVar = {"hilbertian": _SHORT_WORDS, "negative_type": _SHORT_WORDS}
    promises = Promises(
        obeys_triangle=True, hilbertian=False, negative_type=False, bounded=True, separates=True
    )
    dominated: ClassVar = {"levenshtein": 1.0, "indel": 1.0, "damerau": 1.0, "hamming": 2 / 3}
    _bounded_by = LARGER, SHARE, True

    def radii_in(self, other: str, radii: Floats, prepared: Sequences) -> Floats | None:
        """How far strings may be edited, by the length of each; see the class and
        `wideberth.Metric.radii_in`.
        """
        at_least = super().radii_in(other, radii, prepared)
        if at_least is None or other not in self.dominated:
            return at_least
        share = np.minimum(radii, 1.0)
        edits = (
            share
            * prepared.lengths
            * {"damerau": 1 / (2 - share), "hamming": 2 / (2 - share)}.get(other, 1.0)
        )
        return np.where(radii > 1.0, np.inf, np.maximum(edits, at_least))

    def distances_after(
        self,
        other: str,
        moved: Floats,
        objects: Sequences,
        references: Sequences,
        distances: Distances,
    ) -> tuple[Distances, Distances] | None:
        r"""Where distances lie after edits, by the lengths of both strings; see
        `wideberth.Metric.distances_after`.

        .. math:: \frac{2 (l - e)}{|x| + |z| + l} \le d(x', z) \le \frac{2 (l + e)}{|x| + |z| + l},
            \qquad l = \mathrm{lev}(x, z)

        after e edits of x: each changes l and |x| by at most 1, and the worst changes of the two
        cancel in the denominator. A swap counts as two substitutions.
        """
        if other not in self.dominated:
            return super().distances_after(other, moved, objects, references, distances)
        both = objects.lengths[:, None] + references.lengths
        edits = 2.0 * moved if other == "damerau" else moved
        change = edits * np.divide(
            2.0 - distances, both, out=np.full_like(distances, 2.0), where=both > 0
        )
        return np.maximum(distances - change, 0.0), np.minimum(distances + change, 1.0)

    def _measure(self, left: Sequences, right: Sequences) -> Distances:
        distances = self._count_edits(LevenshteinScorer.distance, left, right)
        kernels.divide_by_lengths(distances, left.lengths, right.lengths)
        return distances


class Hamming(_StringMetric):
    r"""The number of positions at which two sequences of equal length differ, :math:`d(x, y) = |\{i
    : x_i \neq y_i\}|`.

    It accepts strings, lists of tokens, or the rows of a numeric table of codes. Of negative type:
    a sum of discrete distances, one for each position. Not Hilbertian: two words with two
    differences have two different midpoints.

    No constant bounds it by `Levenshtein`: a letter taken out at the front and another one put in
    at the end are two edits, and may change every position. So there are radii in replacements, and
    none in edits.

    Examples
    --------
    >>> Hamming()("ACGT", "ACCA")
    2.0
    """

    name = "hamming"
    unit = "replacement"
    examples = ("tea", "tee", "ten", "sea", "rum", "ram", "rim", "rub")
    source = "positions that differ; words of equal length"
    counterexamples: ClassVar = {"hilbertian": ["aa", "ab", "ba", "bb"]}
    promises = Promises(
        obeys_triangle=True,
        hilbertian=False,
        negative_type=True,
        bounded=False,
        separates=True,
        step=1,
    )

    def prepare(self, objects: Objects) -> Sample:
        """Check sequences, which must have the same length. Rows of numbers without NaN, smaller
        than 2^53, stay an array.
        """
        if isinstance(objects, Sequences):
            return objects
        held = sample.hold(objects)
        if _are_codes(held):
            return held
        return _of_equal_length(prepare_sequences(sample.one_by_one(held)))

    def nanoseconds(self, prepared: Sample) -> float:
        """Estimate the time of one distance: linear in the length."""
        return 5.0 + 0.6 * len(prepared[0])

    def _measure(self, left: Sample, right: Sample) -> Distances:
        if not len(left) or not len(right) or not (len(left[0]) or len(right[0])):
            return np.zeros((len(left), len(right)))
        if len(left[0]) != len(right[0]):
            raise _unequal_lengths(
                "the first sample's objects", left[0], "the second sample's", right[0]
            )
        if isinstance(left, np.ndarray) and isinstance(right, np.ndarray):
            distances: Distances = np.rint(
                scipy.spatial.distance.cdist(left, right, "hamming") * left.shape[1]
            ).astype(np.float64, copy=False)
            return distances
        # rows beside lists of tokens
        left, right = prepare_sequences(left), prepare_sequences(right)
        return self._count_edits(HammingScorer.distance, left, right)


def _are_codes(held: Sample) -> bool:
    """Tell whether these are rows of numbers that float64 represents without loss, none of them
    NaN.
    """
    if not isinstance(held, np.ndarray) or held.ndim != 2 or held.dtype.kind not in "fiub":
        return False
    return bool(np.all(np.abs(held.astype(np.float64, copy=False)) < 2.0**53))


def _of_equal_length(sequences: Sequences) -> Sequences:
    """Return the sequences, or raise an error with two whose lengths differ."""
    lengths = set(map(len, sequences))
    if len(lengths) > 1:
        other = next(i for i, item in enumerate(sequences) if len(item) != len(sequences[0]))
        raise _unequal_lengths(at("object", 0), sequences[0], at("object", other), sequences[other])
    return sequences


def _unequal_lengths(one: str, first: Any, other: str, second: Any) -> InvalidInput:
    """Make the error for two sequences, ``first`` and ``second``, whose lengths differ; ``one`` and
    ``other`` tell which.
    """
    return InvalidInput(
        f"Hamming compares sequences of equal length: {one} {first!r} has {len(first)}, {other} "
        f"{second!r} has {len(second)}.",
        advice="Align or pad them, or use 'levenshtein', which allows insertions and deletions.",
        witness=(first, second),
        value=(len(first), len(second)),
    )
