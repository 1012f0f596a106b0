"""Texts together with what is counted in them: the metrics of counts forget the text, and its edits need it."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from wideberth.metrics.metric import Metric
from wideberth.metrics.sets.multisets import Multisets
from wideberth.metrics.strings.text_counts import checked_texts
from wideberth.metrics.transforms.parts_sample import PartsSample
from wideberth.metrics.transforms.sum_and_maximum import Sum
from wideberth.metrics.transforms.transformed_metric import TransformedMetric


@dataclass(frozen=True, eq=False)
class CountedTexts(Multisets):
    """Counts of words or n-grams, as a metric prepares them, with the texts.

    Attributes
    ----------
    texts : ndarray of str, shape (n,)
        The texts.

    Examples
    --------
    >>> from wideberth.metrics.named import metric
    >>> counted = with_texts(metric("words"), ["a cup of tea", "rum"])
    >>> counted.totals, counted.take([1]).texts
    (array([4., 1.]), array(['rum'], dtype=object))
    """

    texts: NDArray[Any]

    def take(self, indices: Any) -> Self:
        """Return the texts at ``indices`` with their counts; see `Prepared.take`."""
        some = Multisets(self.elements, self.numbers, self.weights, self.starts, self.totals, self.columns).take(indices)
        return type(self)(some.elements, some.numbers, some.weights, some.starts, some.totals, some.columns, self.texts[indices])


def with_texts(metric: Metric, objects: Any) -> Any:
    """Prepare texts by a metric of counts, or by a sum of multiples of them, and keep the texts.

    Parameters
    ----------
    metric : Metric
        Prepares texts as `Multisets`, or is a sum of such metrics.
    objects : sequence of str
        The texts; prepared ones are returned as they are.

    Returns
    -------
    CountedTexts, or PartsSample of them
    """
    if isinstance(objects, CountedTexts | PartsSample):
        return objects
    if isinstance(metric, Sum):
        texts = checked_texts(objects)
        return PartsSample(tuple(with_texts(inner, texts) for inner in metric.metrics))
    if isinstance(metric, TransformedMetric):
        return with_texts(metric.metric, objects)
    texts = checked_texts(objects)
    counts: Multisets = metric.prepare(texts)
    held = np.empty(len(texts), dtype=object)
    held[:] = texts
    return CountedTexts(counts.elements, counts.numbers, counts.weights, counts.starts, counts.totals, counts.columns, held)


def texts_of(prepared: Any) -> NDArray[Any]:
    """The texts of a sample that `with_texts` prepared.

    Examples
    --------
    >>> from wideberth.transforms import total
    >>> texts_of(with_texts(total("words", "ngrams"), ["tea", "rum"]))
    array(['tea', 'rum'], dtype=object)
    """
    texts: NDArray[Any] = texts_of(prepared.parts[0]) if isinstance(prepared, PartsSample) else prepared.texts
    return texts
