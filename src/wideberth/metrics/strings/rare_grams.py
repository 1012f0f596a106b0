"""Texts by their n-grams, of which rare ones count more: how rare they are is learned from a
sample.
"""

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, Literal

import numpy as np

from wideberth.array_types import Floats
from wideberth.errors import InvalidInput
from wideberth.metrics.containers import mean_size
from wideberth.metrics.elements import Elements
from wideberth.metrics.metric import Distances, Promises
from wideberth.metrics.sets.multisets import Multisets, euclidean_between
from wideberth.metrics.strings.text_counts import counted, grams_in_texts, grams_in_words
from wideberth.metrics.strings.words_and_grams import CountingMetric, checked_choice, checked_orders
from wideberth.objects import sample

#: More than this no n-gram weighs, so that sums stay finite whatever a file says.
_HEAVIEST = 1e6


class WeighedSets(Multisets):
    """A prepared sample of texts whose n-grams were counted and weighed; it is not weighed
    again.
    """


class RareNGrams(CountingMetric):
    r"""The distance of the directions of two texts in the space of their n-grams, where rare
    n-grams weigh more.

    .. math:: d(x, y) = \Big\| \frac{v(x)}{\|v(x)\|} - \frac{v(y)}{\|v(y)\|} \Big\|_2, \qquad
        v_g(x) = (1 + \ln n_g(x)) \Big(1 + \ln \frac{1 + N}{1 + N_g}\Big)

    for the number :math:`n_g(x) \ge 1` of times that the n-gram g occurs in x, as `NGrams` counts
    it, and the number :math:`N_g` of the N texts of a sample in which it occurs: the inverse
    document frequency of Sparck Jones (1972), with which search engines rank texts by :math:`1 -
    d^2 / 2`. N-grams that the sample does not have are ignored, and a text without others is at 0.
    It tells topics apart, which are a matter of rare words.

    It is a Euclidean distance of vectors: Hilbertian, of negative type, at most :math:`\sqrt 2`,
    since no coordinate is negative. It does not separate texts with proportional counts. An edit
    may turn a short text by as much as two texts can differ, so that its constant for edit
    distances is :math:`\sqrt 2`.

    Parameters
    ----------
    orders : sequence of int, default=(1, 2, 3, 4, 5)
        The numbers n of letters.
    at : {"words", "text"}, default="words"
        Whether n-grams are those of each word, with a mark on each side, or those of the whole
        text, as in `NGrams`.
    rarity : dict, optional
        The ``letters`` of n-grams, one after the other, where each of them ``starts``, and their
        ``weights``. By default they are learned from the sample to which the metric is `fitted`, as
        classifiers do.

    Examples
    --------
    >>> texts = ["the tea", "the rum", "the ale"]
    >>> metric = RareNGrams(orders=(3,)).fitted(texts)
    >>> metric("the tea", "tea") < metric("the tea", "the rum")  # "the" says little
    True
    """

    name = "rare_ngrams"
    source = "Euclidean between directions of n-grams, weighed by their inverse document frequency"
    counterexamples: ClassVar = {"separates": ["tea", "Tea"]}
    promises = Promises(
        obeys_triangle=True, hilbertian=True, negative_type=True, bounded=True, separates=False
    )

    def __init__(
        self,
        orders: Sequence[int] = (1, 2, 3, 4, 5),
        at: Literal["words", "text"] = "words",
        rarity: Mapping[str, Any] | None = None,
    ) -> None:
        self.orders = checked_orders(orders)
        self.at = checked_choice(at, "at", ("words", "text"))
        self.rarity = rarity
        self._rarity = None if rarity is None else _checked_rarity(rarity)

    @property
    def dominated(self) -> Mapping[str, float]:
        """Once the weights are known, by every edit distance: it is at most the root of 2, and 0
        for equal texts.
        """
        return (
            {}
            if self._rarity is None
            else dict.fromkeys(("levenshtein", "indel", "damerau", "hamming"), math.sqrt(2.0))
        )

    def fitted(self, objects: Any) -> "RareNGrams":
        """Return the metric with weights learned from texts; itself if it already has some.

        Parameters
        ----------
        objects : sequence of str
            The sample; how often an n-gram occurs in a text does not matter, only in how many
            texts.

        Returns
        -------
        RareNGrams

        Examples
        --------
        >>> RareNGrams(orders=(1,)).fitted(["aa", "ab"]).rarity["weights"].round(
        ...     2
        ... )  # a is in both, b in one
        array([1.  , 1.41])
        """
        if self._rarity is not None:
            return self
        prepared = self.prepare(objects)
        texts_with = np.bincount(prepared.numbers, minlength=len(prepared.elements))
        present = texts_with > 0
        n_texts = len(prepared)
        weights = 1.0 + np.log((1.0 + n_texts) / (1.0 + texts_with[present]))
        learned = prepared.elements.only(present).plain() | {"weights": weights}
        fitted = RareNGrams(self.orders, self.at, learned)
        fitted._taught_by = self.digests(objects, prepared)
        return fitted

    def nanoseconds(self, prepared: Multisets) -> float:
        """Estimate the time of one distance: linear in the mean number of different n-grams."""
        return 5.0 + 2.0 * mean_size(prepared.starts)

    def prepare(self, objects: Any) -> Multisets:
        """Check texts, count their n-grams, and weigh them if the weights are known."""
        if isinstance(objects, WeighedSets):
            return objects
        counts = counted(
            objects,
            partial(
                grams_in_words if self.at == "words" else grams_in_texts, orders=tuple(self.orders)
            ),
        )
        return counts if self._rarity is None else self._weighed(counts, *self._rarity)

    def _measure(self, left: Multisets, right: Multisets) -> Distances:
        if self._rarity is None:
            raise InvalidInput(
                "'rare_ngrams' has no weights yet.",
                advice="Learn them from a sample, RareNGrams().fitted(texts), or let a classifier "
                "do so.",
                value=None,
            )
        return euclidean_between(left, right)

    def _weighed(self, sets: Multisets, grams: Elements, their_weights: Floats) -> WeighedSets:
        """Unit vectors of the weighed counts of the n-grams that have a weight."""
        places, known = sets.elements.places_in(grams)
        weighs = np.zeros(len(sets.elements))
        weighs[known] = their_weights[places[known]]
        owners = np.repeat(np.arange(len(sets)), np.diff(sets.starts))
        known_ones = np.flatnonzero(weighs[sets.numbers] > 0)
        order = known_ones[
            np.lexsort((sets.numbers[known_ones], owners[known_ones]))
        ]  # so sums are the same after a file
        owners, numbers = owners[order], sets.numbers[order]
        weights = (1.0 + np.log(sets.weights[order].astype(np.float64))) * weighs[numbers]
        weights /= np.sqrt(np.bincount(owners, weights**2, minlength=len(sets)))[owners]
        starts = np.searchsorted(owners, np.arange(len(sets) + 1)).astype(np.int64)
        totals = np.bincount(owners, weights, minlength=len(sets)).astype(np.float64)
        return WeighedSets(sets.elements, numbers, weights, starts, totals, sets.columns)

    def __repr__(self) -> str:
        shown = {
            name: value for name, value in self.get_params(deep=False).items() if name != "rarity"
        }
        usual = {"orders": (1, 2, 3, 4, 5), "at": "words"}
        told = [f"{name}={value!r}" for name, value in shown.items() if value != usual[name]]
        if self._rarity is not None:
            told.append(f"rarity=<{len(self._rarity[0]):,} n-grams>")
        return f"{type(self).__name__}({', '.join(told)})"


def _checked_rarity(rarity: Any) -> tuple[Elements, Floats]:
    """The n-grams and their weights, or an error if they are not different n-grams with positive
    numbers.
    """
    problem = "not letters, starts and weights"
    match rarity:
        case {"weights": np.ndarray() as weights, **written} if set(written) == {
            "letters",
            "starts",
        }:
            try:
                grams = Elements.from_plain(written)
            except ValueError as reason:
                problem = f"but {reason}"
            else:
                fit = weights.shape == (len(grams),) and weights.dtype.kind == "f"
                if fit and bool(np.all((weights > 0) & (weights <= _HEAVIEST))):
                    return grams, weights.astype(np.float64)
                problem = f"not {len(grams)} n-grams with {sample.shown(weights)}"
    raise InvalidInput(
        f"The rarity of 'rare_ngrams' is different n-grams with weights up to {_HEAVIEST:g}, "
        f"{problem}.",
        advice="Leave it out to learn it from the objects: RareNGrams().fitted(texts).rarity has "
        "this form.",
        value=rarity,
    )
