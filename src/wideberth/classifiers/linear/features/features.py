"""The features of linear scores, which the metric of a classifier counts: words, n-grams, both, or the coordinates of vectors."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, hstack

from wideberth.array_types import Integers
from wideberth.classifiers.linear.features.counted_texts import texts_of, with_texts
from wideberth.classifiers.linear.features.sparse_vectors import SparseVectors, is_sparse
from wideberth.classifiers.linear.features.vocabulary import Vocabulary, collect_vocabulary
from wideberth.errors import InvalidInput
from wideberth.metrics.metric import Metric
from wideberth.metrics.sets.multisets import Multisets
from wideberth.metrics.strings.words_and_grams import NGrams, Words
from wideberth.metrics.transforms.metric_preserving import Scaled
from wideberth.metrics.transforms.parts_sample import PartsSample
from wideberth.metrics.transforms.sum_and_maximum import Sum
from wideberth.metrics.vectors.minkowski import Manhattan
from wideberth.objects import sample
from wideberth.wording import python, setting

#: One row for each object, one column for each feature.
Matrix = Any


class CountedBlock(NamedTuple):
    """What a metric, or a part of a sum of metrics, counts.

    Attributes
    ----------
    metric : Words, NGrams or Manhattan
        What is counted.
    factor : float
        What counts are multiplied by.
    """

    metric: Metric
    factor: float


def counted_blocks(metric: Metric) -> list[CountedBlock] | None:
    """What a metric counts, if it is an L1 distance of counts or coordinates; None if it is not.

    Examples
    --------
    >>> from wideberth.metrics.named import metric
    >>> from wideberth.transforms import scale, total
    >>> [(block.metric.name, block.factor) for block in counted_blocks(total("words", scale("ngrams", 0.25)))]
    [('words', 1.0), ('ngrams', 0.25)]
    >>> counted_blocks(metric("levenshtein")) is None
    True
    """
    if isinstance(metric, Words | Manhattan) or (isinstance(metric, NGrams) and metric.form == "counts"):
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
            f"Linear scores need the objects themselves; {metric.name!r} measures numbers that stand for them.",
            advice=f"Pass the texts, with {setting('metric', 'words')} or 'ngrams', or the vectors, with "
            f"{setting('metric', 'manhattan')}.",
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
    """The features of a fitted classifier.

    Attributes
    ----------
    blocks : list of CountedBlock
        What is counted.
    vocabularies : list of Vocabulary or None
        The features of each block; None for the coordinates of vectors.
    n_coordinates : int
        The dimension of vectors; 0 for texts.

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
    def of(cls, metric: Metric, objects: Any, *, min_count: int) -> "CountedFeatures":
        """Those that occur in at least ``min_count`` of some prepared objects, which are all different.

        Raises
        ------
        InvalidInput
            If there are none.
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

    def matrix(self, objects: Any) -> Matrix:
        """The counts of prepared objects, times the factors of their blocks: shape (n, features)."""
        if self.vocabularies is None:
            vectors = objects.matrix if isinstance(objects, SparseVectors) else objects
            return vectors if self.blocks[0].factor == 1 else vectors * self.blocks[0].factor
        parts = [
            _counts(counts, vocabulary, block.factor)
            for block, vocabulary, counts in zip(self.blocks, self.vocabularies, counted_parts(objects), strict=True)
        ]
        return parts[0] if len(parts) == 1 else csr_array(hstack(parts, format="csr"))


def features_of_vocabularies(metric: Metric, found: list[Vocabulary], n_texts: int, min_count: int) -> CountedFeatures:
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
            f"No feature of {metric.name!r} occurs in {setting('min_count', shown=min_count)} of {n_texts} different texts.",
            advice=f"Pass {setting('min_count', 1)}, or take {setting('metric', 'ngrams')}: shorter features recur more often.",
            value=min_count,
        )
    return features


def different_objects(objects: Any) -> tuple[Any, Integers]:
    """The different ones of prepared objects in an order of their own, and for each object which of them it is.

    Texts are sorted by their letters and vectors by their coordinates, so that what is learned from them depends neither on
    their order nor on whether one stands there twice or has twice the weight.

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


def prepared_for_features(metric: Metric, objects: Any) -> Any:
    """Prepare objects by a metric that counts: texts are kept beside their counts."""
    blocks = checked_blocks(metric)
    if not isinstance(blocks[0].metric, Manhattan):
        return with_texts(metric, objects)
    if not is_sparse(objects):
        return metric.prepare(objects)
    return objects if isinstance(objects, SparseVectors) else SparseVectors.of(objects)


def counted_parts(objects: Any) -> tuple[Multisets, ...]:
    """The counts of each block of prepared texts."""
    return objects.parts if isinstance(objects, PartsSample) else (objects,)


def _counts(counts: Multisets, vocabulary: Vocabulary, factor: float) -> csr_array:
    """The counts of what is in the vocabulary, as a matrix."""
    columns, known = vocabulary.columns(counts)
    starts = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(known)])[counts.starts]
    values = counts.weights[known].astype(np.float64) * factor
    return csr_array((values, columns[known], starts), shape=(len(counts), len(vocabulary)))
