"""Numbers of edits between strings, or between any sequences of tokens, and the samples that rapidfuzz counts them on."""

from functools import cached_property
from itertools import product
from typing import Any, ClassVar, Literal

import numpy as np
from rapidfuzz.distance import DamerauLevenshtein as DamerauScorer
from rapidfuzz.distance import Hamming as HammingScorer
from rapidfuzz.distance import Indel as IndelScorer
from rapidfuzz.distance import Levenshtein as LevenshteinScorer
from rapidfuzz.process import cdist
from scipy.spatial.distance import cdist as cdist_rows

from wideberth.arrays import Floats
from wideberth.errors import InvalidInput
from wideberth.metrics.metric import Distances, Kind, Metric, Promises
from wideberth.metrics.numbering import equals_itself, incomparable, token_key
from wideberth.metrics.strings.kernels import divide_by_lengths
from wideberth.objects import sample

Alphabet = Literal["texts", "numbers", "mixed"]


class Sequences(list[Any]):
    """Strings, byte strings, or lists and tuples of hashable tokens, which were checked.

    ``alphabet`` says whether the tokens are texts (the characters of strings are), whole numbers below 2^53, or any of a mixture.
    """

    def __init__(self, items: Any = (), alphabet: Alphabet = "texts") -> None:
        super().__init__(items)
        self.alphabet = alphabet

    @cached_property
    def keyed(self) -> list[Any]:
        """The sequences with keys (`wideberth.metrics.numbering`) in place of all tokens that are not texts."""
        spelling = _Spelling()
        return [each if isinstance(each, str | bytes) else [spelling[token] for token in each] for each in self]

    @cached_property
    def lengths(self) -> Floats:
        """The length of each."""
        return np.fromiter(map(len, self), dtype=np.float64, count=len(self))

    def take(self, indices: Any) -> "Sequences":
        """The sequences at ``indices``."""
        return Sequences(self[indices] if isinstance(indices, slice) else [self[index] for index in indices], self.alphabet)

    def plain(self) -> dict[str, Any]:
        """See `wideberth.metrics.containers.Prepared`."""
        return {"items": list(self)}

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> Any:
        """The sequences, to be checked again."""
        match plain:
            case {"items": list(items)}:
                return items
        raise ValueError("a list of sequences is needed")


def prepare_sequences(objects: Any) -> Sequences:
    """A list of strings, or of byte strings, lists or tuples of hashable tokens; a string is a sequence of code points.

    >>> prepare_sequences(("tea", "coffee"))
    ['tea', 'coffee']
    """
    if isinstance(objects, Sequences):
        return objects
    sequences = read_sequences(objects)
    return Sequences(sequences, "texts" if set(map(type, sequences)) <= {str, bytes} else _alphabet(sequences))


def read_sequences(objects: Any) -> list[Any]:
    """The sequences one by one, as strings, byte strings, lists or tuples; their tokens are not looked at."""
    sequences = list(objects if isinstance(objects, list) else sample.one_by_one(sample.hold(objects)))
    if set(map(type, sequences)) <= {str}:
        return sequences
    for position, each in enumerate(sequences):
        if isinstance(each, np.ndarray) and each.ndim == 1:
            sequences[position] = each.tolist()
        elif not isinstance(each, str | bytes | list | tuple):
            raise InvalidInput(
                f"Object {position} is not a string or a sequence of tokens: {sample.shown(each)}.",
                advice="Drop missing values first; turn other objects into strings, or into lists of tokens.",
                witness=position,
                value=each,
            )
    return sequences


def comparable(left: Sequences, right: Sequences) -> tuple[list[Any], list[Any]]:
    """Two samples for rapidfuzz, which compares tokens by their hashes, and characters by their code points.

    There the number 97 is the letter "a". So numbers are keys, unless there is nothing but numbers, which are faster.

    >>> comparable(prepare_sequences([[97]]), prepare_sequences(["a"]))[0] == [[97]]
    False
    """
    if left.alphabet == right.alphabet != "mixed":
        return left, right
    return (left if left.alphabet == "texts" else left.keyed), (right if right.alphabet == "texts" else right.keyed)


def _alphabet(sequences: list[Any]) -> Alphabet:
    """What the tokens are; one that has no hash, or does not equal itself, is refused."""
    tokens: set[Any] = set()
    for position, each in enumerate(sequences):
        try:
            tokens.update(each.decode("latin-1") if isinstance(each, bytes) else each)
        except TypeError as problem:
            raise incomparable(each, position, str(problem)) from None
    for token in tokens:
        if not equals_itself(token):
            holder = next(i for i, each in enumerate(sequences) if any(token is other for other in each))
            raise incomparable(token, holder, "it does not equal itself")
    if all(isinstance(token, str) for token in tokens):
        return "texts"
    return "numbers" if all(isinstance(token, int | np.integer) and abs(int(token)) < 2**53 for token in tokens) else "mixed"


class _Spelling(dict[Any, Any]):
    """What stands for each token: a text for itself, a key for most others, and a token of a strange class for itself."""

    def __missing__(self, token: Any) -> Any:
        try:
            spelled = token if isinstance(token, str) else token_key(token)
        except TypeError:
            spelled = token
        self[token] = spelled
        return spelled


#: All words of up to three letters out of two.
_SHORT_WORDS = ["".join(letters) for length in range(4) for letters in product("ab", repeat=length)]


class _StringMetric(Metric):
    """A metric on `Sequences` without parameters."""

    accepts: Kind = "strings"
    parallel = "threads"
    examples = ("tea", "tee", "teas", "", "rum", "ram", "ruhm", "dram")

    def __init__(self) -> None:  # no parameters
        pass

    def prepare(self, objects: Any) -> Any:
        return prepare_sequences(objects)

    def nanoseconds(self, prepared: Sequences) -> float:
        return 5.0 + 0.15 * float(prepared.lengths.mean()) ** 2  # many pairs of letters in one machine word


class Levenshtein(_StringMetric):
    r"""Edit distance: the fewest insertions, deletions and substitutions that turn one string into the other.

    .. math:: d(xa, yb) = \min\{d(x, yb) + 1,\; d(xa, y) + 1,\; d(x, y) + [a \neq b]\}

    A metric, because edits can be undone and done one after the other (Levenshtein 1966; Wagner & Fischer 1974). Neither
    Hilbertian nor of negative type: "a", "aba" and "bab" are at 2 from each other, so are "ab" and "ba", and at 1 from those;
    with the weights b = (2, 2, 2, -3, -3), whose sum is zero, :math:`\sum_{i<j} b_i b_j d_{ij} = 6 > 0`.

    >>> Levenshtein()("garten", "garden")
    1.0
    """

    name = "levenshtein"
    unit = "edit"
    source = "insert, delete, substitute (Levenshtein 1966; Wagner & Fischer 1974)"
    counterexamples: ClassVar = {"hilbertian": _SHORT_WORDS, "negative_type": _SHORT_WORDS}
    promises = Promises(obeys_triangle=True, hilbertian=False, negative_type=False, bounded=False, separates=True, step=1)

    def _measure(self, left: Sequences, right: Sequences) -> Distances:
        return cdist(*comparable(left, right), scorer=LevenshteinScorer.distance, dtype=np.float64)


class Indel(_StringMetric):
    r"""The fewest insertions and deletions that turn one string into the other: all that is outside a longest common subsequence.

    .. math:: d(x, y) = |x| + |y| - 2\,\mathrm{lcs}(x, y)

    A metric, because an insertion undoes a deletion and edits can be done one after the other (Wagner & Fischer 1974, with
    substitutions at the price of the two edits they are made of). Neither Hilbertian nor of negative type: the strings
    "", "a", "b", "ab", "ba" and weights b = (2, -3, -3, 2, 2), whose sum is zero, have
    :math:`\sum_{i<j} b_i b_j d_{ij} = 6 > 0`.

    >>> Indel()("garten", "garden")  # delete t, insert d
    2.0
    """

    name = "indel"
    unit = "edit"
    source = "insert and delete; what is outside a longest common subsequence"
    counterexamples: ClassVar = {"hilbertian": ["", "a", "b", "ab", "ba"], "negative_type": ["", "a", "b", "ab", "ba"]}
    promises = Promises(obeys_triangle=True, hilbertian=False, negative_type=False, bounded=False, separates=True, step=1)

    def _measure(self, left: Sequences, right: Sequences) -> Distances:
        return cdist(*comparable(left, right), scorer=IndelScorer.distance, dtype=np.float64)


class Damerau(_StringMetric):
    r"""Damerau-Levenshtein distance: `Levenshtein`, where swapping two neighbours is one edit more that costs 1.

    The unrestricted one, in which what was swapped may be edited again, as Lowrance & Wagner (1975) compute it: the length of a
    shortest way of edits that can be undone, hence a metric. What many libraries call by this name is the optimal string
    alignment, which forbids that and is not a metric: there "CA" is at 3 from "ABC", but at 1 from "AC", which is at 1 from it.

    Neither Hilbertian nor of negative type: "aa", "ab", "aab", "baa", "bab" and weights b = (-2, 1, 1, 2, -2), whose sum is zero,
    have :math:`\sum_{i<j} b_i b_j d_{ij} = 1 > 0`.

    >>> Damerau()("form", "from")
    1.0
    >>> Damerau()("CA", "ABC")  # swap, then insert B between
    2.0
    """

    name = "damerau"
    unit = "edit"
    source = "swaps of neighbours too, unrestricted (Lowrance & Wagner 1975)"
    counterexamples: ClassVar = {
        "hilbertian": ["aa", "ab", "aab", "baa", "bab"],
        "negative_type": ["aa", "ab", "aab", "baa", "bab"],
    }
    promises = Promises(obeys_triangle=True, hilbertian=False, negative_type=False, bounded=False, separates=True, step=1)

    def nanoseconds(self, prepared: Sequences) -> float:
        return 5.0 * float(prepared.lengths.mean()) ** 2

    def _measure(self, left: Sequences, right: Sequences) -> Distances:
        return cdist(*comparable(left, right), scorer=DamerauScorer.distance, dtype=np.float64)


class NormalizedLevenshtein(_StringMetric):
    r"""Edit distance relative to the lengths, in [0, 1], and still a metric (Yujian & Bo 2007, Theorem 1):

    .. math:: d(x, y) = \frac{2\,\mathrm{lev}(x, y)}{|x| + |y| + \mathrm{lev}(x, y)}

    Dividing by the longer length, as is often done, breaks the triangle inequality. Neither Hilbertian nor of negative type:
    "ab", "ba", "aaa", "aab", "aba", "baa" and weights b = (-2, -2, -3, 2, 3, 2), whose sum is zero, have
    :math:`\sum_{i<j} b_i b_j d_{ij} = 2/7 > 0`.

    >>> NormalizedLevenshtein()("ab", "cd")  # 2 * 2 / (2 + 2 + 2)
    0.6666666666666666
    """

    name = "normalized_levenshtein"
    source = "relative to the lengths (Yujian & Bo 2007)"
    counterexamples: ClassVar = {"hilbertian": _SHORT_WORDS, "negative_type": _SHORT_WORDS}
    promises = Promises(obeys_triangle=True, hilbertian=False, negative_type=False, bounded=True, separates=True)

    def _measure(self, left: Sequences, right: Sequences) -> Distances:
        distances = cdist(*comparable(left, right), scorer=LevenshteinScorer.distance, dtype=np.float64)
        divide_by_lengths(distances, left.lengths, right.lengths)
        return distances


class Hamming(_StringMetric):
    r"""The number of positions at which two sequences of one length differ, :math:`d(x, y) = |\{i : x_i \neq y_i\}|`.

    Takes strings, lists of tokens, or the rows of a table of codes. Of negative type: a sum of discrete distances, one for each
    position. Not Hilbertian: two words with two differences have two different midpoints.

    >>> Hamming()("ACGT", "ACCA")
    2.0
    """

    name = "hamming"
    unit = "edit"
    examples = ("tea", "tee", "ten", "sea", "rum", "ram", "rim", "rub")
    source = "positions that differ; words of one length"
    counterexamples: ClassVar = {"hilbertian": ["aa", "ab", "ba", "bb"]}
    promises = Promises(obeys_triangle=True, hilbertian=False, negative_type=True, bounded=False, separates=True, step=1)

    def prepare(self, objects: Any) -> Any:
        if isinstance(objects, Sequences):
            return objects
        held = sample.hold(objects)
        return held if _are_codes(held) else _of_one_length(prepare_sequences(held))

    def nanoseconds(self, prepared: Any) -> float:
        return 5.0 + 0.6 * len(prepared[0])

    def _measure(self, left: Any, right: Any) -> Distances:
        if not len(left) or not len(right) or not (len(left[0]) or len(right[0])):
            return np.zeros((len(left), len(right)))
        if len(left[0]) != len(right[0]):
            raise _unequal_lengths("the first sample's objects", left[0], "the second sample's", right[0])
        if isinstance(left, np.ndarray) and isinstance(right, np.ndarray):
            distances: Distances = np.rint(cdist_rows(left, right, "hamming") * left.shape[1]).astype(np.float64, copy=False)
            return distances
        left, right = prepare_sequences(left), prepare_sequences(right)  # rows beside lists of tokens
        return cdist(*comparable(left, right), scorer=HammingScorer.distance, dtype=np.float64)


def _are_codes(held: Any) -> bool:
    """Whether these are rows of numbers that compiled code tells apart: as float64, none of them NaN."""
    if not isinstance(held, np.ndarray) or held.ndim != 2 or held.dtype.kind not in "fiub":
        return False
    return bool(np.all(np.abs(held.astype(np.float64, copy=False)) < 2.0**53))


def _of_one_length(sequences: Sequences) -> Sequences:
    lengths = set(map(len, sequences))
    if len(lengths) > 1:
        other = next(i for i, each in enumerate(sequences) if len(each) != len(sequences[0]))
        raise _unequal_lengths("object 0", sequences[0], f"object {other}", sequences[other])
    return sequences


def _unequal_lengths(one: str, first: Any, other: str, second: Any) -> InvalidInput:
    return InvalidInput(
        f"Hamming compares sequences of one length: {one} {first!r} has {len(first)}, {other} {second!r} has {len(second)}.",
        advice="Align or pad them, or use 'levenshtein', which allows insertions and deletions.",
        witness=(first, second),
        value=(len(first), len(second)),
    )
