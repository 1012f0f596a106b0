"""The features of linear scores, which the metric of a classifier counts: words, n-grams, both, or
the coordinates of vectors.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, hstack, issparse

from wideberth.array_types import Flags, Integers, Objects, Sample
from wideberth.errors import InvalidInput
from wideberth.metrics.containers import PartsSample, check_starts
from wideberth.metrics.element_kernels import Letters
from wideberth.metrics.elements import Elements
from wideberth.metrics.metric import Metric
from wideberth.metrics.sets.multisets import Multisets
from wideberth.metrics.strings.count_kernels import MARK
from wideberth.metrics.strings.text_counts import checked_texts
from wideberth.metrics.strings.words_and_grams import NGrams, Words
from wideberth.metrics.transforms.metric_preserving import Scaled, TransformedMetric
from wideberth.metrics.transforms.sum_and_maximum import Sum
from wideberth.metrics.vectors.minkowski import Manhattan
from wideberth.objects import sample
from wideberth.wording import python, setting

# ---- Texts together with what is counted in them: the metrics of counts forget the text, and its
# edits need it


@dataclass(frozen=True, eq=False)
class CountedTexts(Multisets):
    """Counts of words or n-grams, as a metric prepares them, with the texts.

    Examples
    --------
    >>> from wideberth.metrics.named import metric
    >>> counted = with_texts(metric("words"), ["a cup of tea", "rum"])
    >>> counted.totals, counted.take([1]).texts
    (array([4., 1.]), array(['rum'], dtype=object))
    """

    texts: NDArray[Any]

    def take(self, indices: Any) -> "CountedTexts":
        """Return the texts at ``indices`` with their counts; see `Prepared.take`."""
        return CountedTexts.of(Multisets(**_counts_of(self)).take(indices), self.texts[indices])

    @classmethod
    def of(cls, counts: Multisets, texts: NDArray[Any]) -> "CountedTexts":
        """Counts with their texts."""
        return cls(**_counts_of(counts), texts=texts)


def _counts_of(sets: Multisets) -> dict[str, Any]:
    return {field.name: getattr(sets, field.name) for field in fields(Multisets)}


def with_texts(metric: Metric, objects: Objects) -> Sample:
    """Prepare texts by a metric of counts, or by a sum of multiples of them, and keep the texts:
    `CountedTexts`, or a `PartsSample` of them. Prepared ones are returned as they are.
    """
    if isinstance(objects, CountedTexts | PartsSample):
        return objects
    if isinstance(metric, Sum):
        texts = checked_texts(objects)
        return PartsSample(tuple(with_texts(inner, texts) for inner in metric.metrics))
    if isinstance(metric, TransformedMetric):
        return with_texts(metric.metric, objects)
    texts = checked_texts(objects)
    held = np.empty(len(texts), dtype=object)
    held[:] = texts
    return CountedTexts.of(metric.prepare(texts), held)


def texts_of(prepared: Sample) -> NDArray[Any]:
    """The texts of a sample that `with_texts` prepared.

    Examples
    --------
    >>> from wideberth.transforms import total
    >>> texts_of(with_texts(total("words", "ngrams"), ["tea", "rum"]))
    array(['tea', 'rum'], dtype=object)
    """
    texts: NDArray[Any] = (
        texts_of(prepared.parts[0]) if isinstance(prepared, PartsSample) else prepared.texts
    )
    return texts


# ---- Vectors that are the rows of a sparse matrix, as a sample that can be picked from


@dataclass(frozen=True, eq=False)
class SparseVectors:
    """The rows of a sparse matrix, without explicit zeros, columns ascending within each row.

    Examples
    --------
    >>> rows = SparseVectors.of(csr_array(np.eye(3)))
    >>> len(rows), rows.take([2]).matrix.toarray()
    (3, array([[0., 0., 1.]]))
    """

    matrix: csr_array

    @classmethod
    def of(cls, given: Any) -> Self:
        """The rows of a sparse matrix of any format."""
        matrix = csr_array(given, dtype=np.float64, copy=True)
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
        return cls(matrix)

    def __len__(self) -> int:
        return int(self.matrix.shape[0])

    @property
    def shape(self) -> tuple[int, int]:
        """The shape of the matrix."""
        n, d = self.matrix.shape
        return int(n), int(d)

    def take(self, indices: Any) -> Self:
        """Select the rows at ``indices``, a slice or an integer array."""
        return type(self)(csr_array(self.matrix[indices]))

    def numbered(self) -> tuple[Integers, Integers]:
        """Where each different row is first, in an order of their own; and for each row which of
        them it is.
        """
        starts = self.matrix.indptr
        keys: dict[tuple[bytes, bytes], list[int]] = {}
        for row in range(len(self)):
            part = slice(starts[row], starts[row + 1])
            key = self.matrix.indices[part].tobytes(), self.matrix.data[part].tobytes()
            keys.setdefault(key, []).append(row)
        first, number = np.empty(len(keys), dtype=np.int64), np.empty(len(self), dtype=np.int64)
        for place, key in enumerate(sorted(keys)):
            first[place] = keys[key][0]
            number[keys[key]] = place
        return first, number


def is_sparse(given: Objects) -> bool:
    """Whether vectors are given as a sparse matrix, or as the rows of one.

    Examples
    --------
    >>> is_sparse(csr_array(np.eye(2))), is_sparse(np.eye(2))
    (True, False)
    """
    return isinstance(given, SparseVectors) or bool(issparse(given))


# ---- The words and n-grams that are features, by their letters

#: How the mark at the ends of words and texts is written in the names of n-grams.
SHOWN_MARK = "|"


class Vocabulary:
    """Different words or n-grams, sorted by their letters: their code points, one after the other,
    `MARK` for an end of a word or text, and where each of them starts.

    Examples
    --------
    >>> drinks = Vocabulary.of(["tea", "rum"])
    >>> drinks.names, len(drinks), drinks.tuples[0] == tuple(map(ord, "rum"))
    (['rum', 'tea'], 2, True)
    """

    def __init__(self, letters: Letters, starts: Integers) -> None:
        self.letters, self.starts = letters, starts

    @classmethod
    def of(cls, entries: Sequence[Any]) -> "Vocabulary":
        """The vocabulary of words, or of tuples of code points."""
        tuples = sorted(
            tuple(map(ord, entry)) if isinstance(entry, str) else tuple(entry) for entry in entries
        )
        starts = np.concatenate(
            [np.zeros(1, dtype=np.int64), np.cumsum([len(each) for each in tuples], dtype=np.int64)]
        )
        return cls(
            np.array([letter for each in tuples for letter in each], dtype=np.uint32), starts
        )

    def __len__(self) -> int:
        return len(self.starts) - 1

    @cached_property
    def tuples(self) -> list[tuple[int, ...]]:
        """The code points of each."""
        flat, bounds = self.letters.tolist(), self.starts.tolist()
        return [tuple(flat[first:last]) for first, last in pairwise(bounds)]

    @cached_property
    def names(self) -> list[str]:
        """The same as texts; an end is written as ``|``."""
        return [
            "".join(SHOWN_MARK if letter == MARK else chr(letter) for letter in each)
            for each in self.tuples
        ]

    def repeated(self) -> int | None:
        """The place of an entry that is there once more; None if all are different, as everything
        here needs.

        Examples
        --------
        >>> (
        ...     Vocabulary(np.array([97, 98, 97], dtype=np.uint32), np.arange(4)).repeated(),
        ...     Vocabulary.of(["a", "b"]).repeated(),
        ... )
        (0, None)
        """
        _, places = Elements.of(self.letters, self.starts)
        twice = np.flatnonzero(np.bincount(places, minlength=1)[places] > 1)
        return int(twice[0]) if len(twice) else None

    @cached_property
    def _found_by(self) -> tuple[Elements, Integers]:
        """The same as elements, and for each element its place in the vocabulary."""
        elements, places = Elements.of(self.letters, self.starts)
        return elements, np.argsort(places)

    def places_of(self, elements: Elements) -> tuple[Integers, Flags]:
        """For each of some elements its place in the vocabulary, by its letters, and whether it has
        one.
        """
        own, order = self._found_by
        places, known = elements.places_in(own)
        return order[places] if len(order) else places, known

    def columns(self, counts: Multisets) -> tuple[Integers, Flags]:
        """For each entry of the counts its place in the vocabulary, and whether it has one."""
        places, known = self.places_of(counts.elements)
        return places[counts.numbers], known[counts.numbers]


def collect_vocabulary(counts: Multisets, min_count: int) -> Vocabulary:
    """The vocabulary of what occurs in at least ``min_count`` of some different texts.

    Examples
    --------
    >>> from wideberth.metrics.named import metric
    >>> collect_vocabulary(
    ...     metric("words").prepare(["a cup of tea", "tea with milk", "a tea"]), 2
    ... ).names
    ['a', 'tea']
    """
    texts_with = np.bincount(counts.numbers, minlength=len(counts.elements))
    return Vocabulary.of(counts.elements.only(texts_with >= min_count).tuples())


#: One row for each object, one column for each feature.
Matrix = Any


class CountedBlock(NamedTuple):
    """What a metric, or a part of a sum of metrics, counts: Words, NGrams or Manhattan, and what
    counts are multiplied by.
    """

    metric: Metric
    factor: float


def counted_blocks(metric: Metric) -> list[CountedBlock] | None:
    """What a metric counts, if it is an L1 distance of counts or coordinates; None if it is not.

    Examples
    --------
    >>> from wideberth.metrics.named import metric
    >>> from wideberth.transforms import scale, total
    >>> [
    ...     (block.metric.name, block.factor)
    ...     for block in counted_blocks(total("words", scale("ngrams", 0.25)))
    ... ]
    [('words', 1.0), ('ngrams', 0.25)]
    >>> counted_blocks(metric("levenshtein")) is None
    True
    """
    if isinstance(metric, Words | Manhattan) or (
        isinstance(metric, NGrams) and metric.form == "counts"
    ):
        return [CountedBlock(metric, 1.0)]
    if isinstance(metric, Scaled):
        inner = counted_blocks(metric.metric)
        return inner and [CountedBlock(each, metric.factor * factor) for each, factor in inner]
    if isinstance(metric, Sum) and metric.accepts == "strings":
        parts = [counted_blocks(inner) for inner in metric.metrics]
        if all(part is not None and len(part) == 1 for part in parts):
            return [block for part in parts for block in part or []]
    return None


def checked_blocks(metric: Metric) -> list[CountedBlock]:
    """What a metric counts, or an `InvalidInput` that says which metrics count something."""
    blocks = counted_blocks(metric)
    if blocks is not None:
        return blocks
    if metric.accepts == "indices":
        raise InvalidInput(
            f"Linear scores need the objects themselves; {metric.name!r} measures numbers that "
            "stand for them.",
            advice=f"Pass the texts, with {setting('metric', 'words')} or 'ngrams', or the "
            f"vectors, with {setting('metric', 'manhattan')}.",
            value=metric.name,
        )
    raise InvalidInput(
        f"{metric.name!r} counts nothing that scores could be linear in.",
        advice=f"Take {setting('metric', 'words')} or 'ngrams' for texts, their sum "
        f"({python('wideberth.transforms.total')}), or 'manhattan' for vectors.",
        value=metric.name,
    )


@dataclass(frozen=True, eq=False)
class CountedFeatures:
    """The features of a fitted classifier: a vocabulary for each block, or the coordinates of
    vectors.

    Examples
    --------
    >>> from wideberth.metrics.named import metric
    >>> texts, words = ["a cup of tea", "tea with milk", "a tea"], metric("words")
    >>> features = CountedFeatures.of(words, with_texts(words, texts), min_count=2)
    >>> features.names, features.matrix(with_texts(words, ["tea or tea"])).toarray()
    (['a', 'tea'], array([[0., 2.]]))
    """

    blocks: list[CountedBlock]
    vocabularies: list[Vocabulary] | None
    n_coordinates: int = 0

    @classmethod
    def of(cls, metric: Metric, objects: Sample, *, min_count: int) -> "CountedFeatures":
        """Those that occur in at least ``min_count`` of some prepared objects, which are all
        different; an `InvalidInput` if there are none.
        """
        blocks = checked_blocks(metric)
        if isinstance(blocks[0].metric, Manhattan):
            return cls(blocks, None, objects.shape[1])
        found = [collect_vocabulary(counts, min_count) for counts in counted_parts(objects)]
        return features_of_vocabularies(metric, found, len(objects), min_count)

    def __len__(self) -> int:
        return self.n_coordinates if self.vocabularies is None else sum(map(len, self.vocabularies))

    @property
    def names(self) -> list[str]:
        """A name for each feature; of coordinates their numbers."""
        if self.vocabularies is None:
            return [f"x{number}" for number in range(self.n_coordinates)]
        return [name for vocabulary in self.vocabularies for name in vocabulary.names]

    def matrix(self, objects: Sample) -> Matrix:
        """The counts of prepared objects, times the factors of their blocks: shape (n,
        features).
        """
        if self.vocabularies is None:
            vectors = objects.matrix if isinstance(objects, SparseVectors) else objects
            return vectors if self.blocks[0].factor == 1 else vectors * self.blocks[0].factor
        parts = [
            counts_of(counts, vocabulary, block.factor)
            for block, vocabulary, counts in zip(
                self.blocks, self.vocabularies, counted_parts(objects), strict=True
            )
        ]
        return parts[0] if len(parts) == 1 else csr_array(hstack(parts, format="csr"))


def features_of_vocabularies(
    metric: Metric, found: list[Vocabulary], n_texts: int, min_count: int
) -> CountedFeatures:
    """The features that were found in different texts, or an `InvalidInput` if there are none.

    Examples
    --------
    >>> from wideberth.metrics.named import metric
    >>> features_of_vocabularies(metric("words"), [Vocabulary.of(["tea"])], 2, 2).names
    ['tea']
    """
    features = CountedFeatures(checked_blocks(metric), found)
    if not len(features):
        raise InvalidInput(
            f"No feature of {metric.name!r} occurs in {setting('min_count', shown=min_count)} of "
            f"{n_texts} different texts.",
            advice=f"Pass {setting('min_count', 1)}, or take {setting('metric', 'ngrams')}: "
            "shorter features recur more often.",
            value=min_count,
        )
    return features


def different_objects(objects: Sample) -> tuple[Sample, Integers]:
    """The different ones of prepared objects in an order of their own, and for each object which of
    them it is.

    Texts are sorted by their letters and vectors by their coordinates, so that what is learned from
    them depends neither on their order nor on whether one stands there twice or has twice the
    weight.

    Examples
    --------
    >>> different_objects(np.array([[2.0], [1.0], [2.0]]))
    (array([[1.],
           [2.]]), array([1, 0, 1]))
    """
    if isinstance(objects, np.ndarray):
        distinct, number = np.unique(objects, axis=0, return_inverse=True)
        return distinct, number.reshape(-1).astype(np.int64)
    if isinstance(objects, SparseVectors):
        first, number = objects.numbered()
        return objects.take(first), number
    texts: NDArray[Any] = texts_of(objects)
    _, first, number = np.unique(texts, return_index=True, return_inverse=True)
    return sample.pick(objects, first), number.astype(np.int64)


def prepared_for_features(metric: Metric, objects: Objects) -> Sample:
    """Prepare objects by a metric that counts: texts are kept beside their counts."""
    blocks = checked_blocks(metric)
    if not isinstance(blocks[0].metric, Manhattan):
        return with_texts(metric, objects)
    if not is_sparse(objects):
        return metric.prepare(objects)
    return objects if isinstance(objects, SparseVectors) else SparseVectors.of(objects)


def counted_parts(objects: Sample) -> tuple[Multisets, ...]:
    """The counts of each block of prepared texts."""
    return objects.parts if isinstance(objects, PartsSample) else (objects,)


def counts_of(counts: Multisets, vocabulary: Vocabulary, factor: float = 1.0) -> csr_array:
    """The counts of what is in the vocabulary, times a factor, as a matrix."""
    columns, known = vocabulary.columns(counts)
    starts = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(known)])[counts.starts]
    values = counts.weights[known].astype(np.float64) * factor
    return csr_array((values, columns[known], starts), shape=(len(counts), len(vocabulary)))


# ---- Features that come from a file


def restored_features(metric: Metric, written: Any, n_features: int) -> CountedFeatures:
    """The features that a file holds, as many as there are coefficients."""
    blocks = checked_blocks(metric)
    if isinstance(blocks[0].metric, Manhattan) and written is None:
        return CountedFeatures(blocks, None, n_features)
    if not isinstance(written, list) or len(written) != len(blocks):
        raise InvalidInput(
            f"The metric counts {len(blocks)} kinds of features, the file does not.",
            value=type(written).__name__,
        )
    features = CountedFeatures(
        blocks,
        [_restored_vocabulary(each, b.metric) for each, b in zip(written, blocks, strict=True)],
    )
    if len(features) != n_features:
        raise InvalidInput(
            f"There are {len(features)} features and {n_features} coefficients.", value=n_features
        )
    return features


def _restored_vocabulary(written: Any, metric: Metric) -> Vocabulary:
    """A vocabulary of different words, or of different n-grams with marks: what a file calls one
    feature is one.
    """
    try:
        letters, starts = written["letters"], written["starts"]
        check_starts(letters, starts, "u")
    except (ValueError, TypeError, KeyError) as reason:
        raise InvalidInput(
            f"A vocabulary is damaged: {reason}.", value=type(written).__name__
        ) from None
    bounds: Integers = starts.astype(np.int64)
    most = MARK if isinstance(metric, NGrams) else MARK - 1
    if np.any(letters > most) or np.any(np.diff(bounds) < 1):
        raise InvalidInput(
            "A vocabulary holds what is no letter, or nothing.", value=int(letters.max(initial=0))
        )
    vocabulary = Vocabulary(letters.astype(np.uint32), bounds)
    if (repeat := vocabulary.repeated()) is not None:
        raise InvalidInput(
            f"A vocabulary holds {vocabulary.names[repeat]!r} twice.",
            value=vocabulary.names[repeat],
        )
    return vocabulary
