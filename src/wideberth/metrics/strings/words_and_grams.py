r"""Texts by what they consist of: distances between counts of words, of n-grams and of
affixes, bounded by constants times edit distances.

Counts are vectors with a coordinate for each word or n-gram. Their L1 distance is a pseudo-metric
of negative type, as `Manhattan` is a metric: texts with equal counts are at distance 0. An edit
changes few counts, so a distance between counts is at most a constant times an edit distance
(`wideberth.Metric.dominated`), and what no small change of counts alters, no few edits do.
"""

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, Literal

import numpy as np

from wideberth.array_types import Floats, Objects
from wideberth.errors import InvalidInput
from wideberth.metrics.containers import mean_size
from wideberth.metrics.elements import Elements
from wideberth.metrics.metric import Distances, Kind, Metric, Promises
from wideberth.metrics.parameters import checked_choice, is_whole
from wideberth.metrics.sets import multisets
from wideberth.metrics.sets.multisets import Multisets
from wideberth.metrics.strings import text_counts
from wideberth.metrics.strings.word_edits import WordEdit
from wideberth.objects import sample
from wideberth.objects.digests import Digests
from wideberth.wording import setting

#: N-grams and affixes of more letters than this are hardly ever shared.
_LONGEST = 32


class CountingMetric(Metric):
    """The base class of metrics on texts that are prepared as counts of what they consist of.

    Examples
    --------
    >>> len(Words().prepare(["tea", "a cup of tea"]))
    2
    """

    accepts: Kind = "strings"
    parallel = "threads"
    examples = (
        *("a cup of tea", "Tea with milk", "tea", ""),
        *("a bottle of rum", "rum", "rum and a cask of ale", "A cask of rum"),
    )

    def alike_digests(self, prepared: Multisets) -> Digests:
        """Those of the counts; see `wideberth.Metric.alike_digests`."""
        return prepared.digests()

    def nanoseconds(self, prepared: Multisets) -> float:
        """Estimate the time of one distance: linear in the mean number of different words or
        n-grams.
        """
        return 5.0 + mean_size(prepared.starts)


class Words(CountingMetric):
    r"""The number of words that two texts do not have in common, each as often as it occurs.

    .. math:: d(x, y) = \sum_w |n_w(x) - n_w(y)|

    for the number :math:`n_w(x)` of times that the word w occurs in x, in lower case letter by
    letter. Words are what stands between white space, as ``str.split`` finds it, punctuation with
    them; or runs of letters, digits, marks on them, apostrophes and ``_``, and every other
    character that is no white space is a word on its own.

    A pseudo-metric of negative type, as a `Manhattan` distance. Not Hilbertian: "a" and "b" are two
    midpoints of "" and "a b". It does not separate texts whose words are the same in another order.

    At most twice the `WordEdit` distance of the same words: a word in place of another changes two
    counts. At most 3 times the `Levenshtein`, `Indel` or `Hamming` distance: an edit inside a word
    replaces it (2), a space in it makes two words of one (3), a space less one of two (3), and all
    other edits change less. At most 4 times the `Damerau` distance: a letter and a space that
    change places, as from "ab c" to "a bc", replace two words by two others. Where punctuation
    stands alone, at most 4 times each of these: a mark in a word makes three of one, and letters
    and marks that change places replace two words.

    Parameters
    ----------
    tokens : {"spaces", "punctuation"}, default="spaces"
        What cuts texts into words: white space alone, or punctuation too, which is counted then.

    Examples
    --------
    >>> Words()("A cup of tea", "a cup of rum")
    2.0
    >>> Words()("tea or rum", "rum or tea")
    0.0
    >>> Words()("tea!", "tea"), Words(tokens="punctuation")("tea!", "tea")
    (2.0, 1.0)
    """

    name = "words"
    unit = "counted word"
    source = "words not in common, counted; at most 3 for an edit"
    counterexamples: ClassVar = {
        "hilbertian": ["", "a", "b", "a b"],
        "separates": ["tea or rum", "rum or tea"],
    }
    promises = Promises(
        obeys_triangle=True,
        hilbertian=False,
        negative_type=True,
        bounded=False,
        separates=False,
        step=1,
    )

    def __init__(self, tokens: text_counts.Tokens = "spaces") -> None:
        self.tokens = checked_choice(tokens, "tokens", tuple(text_counts.WORDS_ARE), self.name)

    @property
    def dominated(self) -> Mapping[str, float]:
        """The constants of edit distances; see the class."""
        most = 3.0 if self.tokens == "spaces" else 4.0
        by_letters = {"levenshtein": most, "indel": most, "damerau": 4.0, "hamming": most}
        return by_letters | {str(WordEdit(self.tokens).full_name): 2.0}

    def prepare(self, objects: Objects) -> Multisets:
        """Check texts and count their words."""
        return text_counts.counted(objects, partial(text_counts.words_of, tokens=self.tokens))

    def _measure(self, left: Multisets, right: Multisets) -> Distances:
        return multisets.l1_between(left, right)


class NGrams(CountingMetric):
    r"""The number of n-grams that two texts do not have in common, or the share that they do not
    have in common.

    .. math:: d(x, y) = \sum_g |n_g(x) - n_g(y)| \qquad\text{or}\qquad
        d(x, y) = 1 - \frac{\sum_g \min\{n_g(x), n_g(y)\}}{\sum_g \max\{n_g(x), n_g(y)\}}

    for the number :math:`n_g(x)` of times that the n-gram g occurs in x: n letters in a row, in
    lower case letter by letter. Marks stand before the first letter and behind the last, so that
    n-grams at the ends differ from those inside; what consists of marks alone is not counted.

    The counts have the promises of a `Manhattan` distance, and the share those of `Ruzicka`.
    Neither is Hilbertian. Counts: where four texts have one letter or another at each of two places
    far apart, there are two midpoints. Share: the texts :math:`a^k, b^k, a^k b^k, a^k b^k c^k` come
    as near to the counterexample of `Jaccard` as one likes. Texts in capitals are not separated
    from the same in small letters, nor are texts with equal counts.

    **Edits.** With :math:`S = \sum n` over the orders, the counts are at most :math:`2 S` times the
    `Levenshtein` or `Hamming` distance, :math:`\sum (2 n - 1)` times `Indel`, and :math:`\max\{2 S,
    \sum_{n \ge 2} 2 (n + 1)\}` times `Damerau`. Proof: an n-gram changes only if it touches the
    edit. A letter in place of another is in n old and n new ones; an inserted one is in n new ones
    and comes between the letters of n - 1 old ones; two that change places are in n + 1 old and n +
    1 new ones, and single letters stay. In words, an edit that makes or removes white space changes
    no more: a letter that becomes a space is in n old n-grams, and one new one of n >= 2 letters
    ends, one begins at a mark; an inserted space comes between the letters of n - 1 old ones, with
    two new ones again; a letter that changes places with a space takes 3 away, n >= 2, and adds 3.

    The share is at most 1, so at most once each of these distances. More is known about the
    neighbours of a text with N n-grams: if each edit changes at most K counts and takes at most m
    away (m = K / 2, or S for `Indel`), then after e edits

    .. math:: d(x, x') \le \frac{K e}{N + (K - m) e}

    Parameters
    ----------
    orders : sequence of int, default=(1, 2, 3)
        The numbers n of letters.
    at : {"words", "text"}, default="words"
        In "words", n-grams are those of each word with one mark on each side, and how words are
        separated does not matter. In "text", they are those of the whole text, white space
        included, with n - 1 marks on each side.
    form : {"counts", "ruzicka"}, default="counts"
        Whether to measure the number of n-grams, or their share.

    Examples
    --------
    >>> NGrams(orders=(2,))("tea", "ten")  # ea and a| against en and n|
    4.0
    >>> NGrams(orders=(2,), form="ruzicka")("tea", "ten").__round__(3)  # |t and te of six
    0.667
    >>> NGrams().dominated["levenshtein"], NGrams().dominated["damerau"]
    (12.0, 14.0)
    """

    name = "ngrams"
    source = "n-grams not in common, counted; at most twice the sum of the orders for an edit"
    counterexamples: ClassVar = {
        "hilbertian": ["", "aaa", "bbb", "aaa bbb"],
        "separates": ["tea", "Tea"],
    }

    def __init__(
        self,
        orders: Sequence[int] = (1, 2, 3),
        at: Literal["words", "text"] = "words",
        form: Literal["counts", "ruzicka"] = "counts",
    ) -> None:
        self.orders = checked_orders(orders)
        self.at = checked_choice(at, "at", ("words", "text"), "ngrams")
        self.form = checked_choice(form, "form", ("counts", "ruzicka"), "ngrams")
        self.unit = "counted n-gram" if form == "counts" else None

    @property
    def promises(self) -> Promises:
        """Those of a `Manhattan` distance or of `Ruzicka`, which separates no texts with equal
        counts.
        """
        counts = self.form == "counts"
        return Promises(
            obeys_triangle=True,
            hilbertian=False,
            negative_type=True,
            bounded=not counts,
            separates=False,
            step=1 if counts else None,
        )

    @property
    def dominated(self) -> Mapping[str, float]:
        """The constants of edit distances; see the class."""
        if self.form == "counts":
            return self._changed_by_an_edit()
        return dict.fromkeys(self._changed_by_an_edit(), 1.0)

    def radii_in(self, other: str, radii: Floats, prepared: Multisets) -> Floats | None:
        """How far texts may be edited; see `wideberth.Metric.radii_in`. For the share by the number
        of n-grams of each text.
        """
        at_least = super().radii_in(other, radii, prepared)
        changed = self._changed_by_an_edit().get(other)
        if at_least is None or changed is None or self.form == "counts":
            return at_least
        taken_away = self._taken_away_by_an_edit(other)
        share = np.minimum(radii, 1.0)
        edits = share * prepared.totals / (changed - share * (changed - taken_away))
        return np.where(radii > 1.0, np.inf, np.maximum(edits, at_least))

    def distances_after(
        self,
        other: str,
        moved: Floats,
        objects: Multisets,
        references: Multisets,
        distances: Distances,
    ) -> tuple[Distances, Distances] | None:
        r"""Where distances lie after edits; see `wideberth.Metric.distances_after`. For the share
        by the n-grams of both texts.

        .. math:: 1 - \frac{S + m e}{U - m e} \le d(x', z) \le 1 - \frac{S - m e}{U + m e}, \qquad
            S = \sum_g \min\{n_g(x), n_g(z)\}, \quad U = \sum_g \max\{n_g(x), n_g(z)\}

        after e edits, each of which takes at most m n-grams away and adds at most m: one that is
        taken away lowers S or U by one, and one that is added raises S or U by one.
        """
        if other not in self._changed_by_an_edit() or self.form == "counts":
            return super().distances_after(other, moved, objects, references, distances)
        changed = self._taken_away_by_an_edit(other) * moved
        # S + U is known, and d = 1 - S / U
        unions = (objects.totals[:, None] + references.totals) / (2.0 - distances)
        apart = unions * distances
        low = np.divide(
            apart - 2.0 * changed,
            unions - changed,
            out=np.zeros_like(apart),
            where=apart > 2.0 * changed,
        )
        high = np.divide(
            apart + 2.0 * changed,
            unions + changed,
            out=np.ones_like(apart),
            where=apart + changed < unions,
        )
        return low, high

    def prepare(self, objects: Objects) -> Multisets:
        """Check texts and count their n-grams."""
        return _counted_grams(objects, self.at, self.orders)

    def _measure(self, left: Multisets, right: Multisets) -> Distances:
        return (
            multisets.l1_between(left, right)
            if self.form == "counts"
            else multisets.ruzicka_between(left, right)
        )

    def _changed_by_an_edit(self) -> dict[str, float]:
        """How many counts an edit of each kind changes at most."""
        twice = 2.0 * sum(self.orders)
        swapped = sum(2.0 * (order + 1) for order in self.orders if order >= 2)
        inserted = sum(2.0 * order - 1 for order in self.orders)
        return {
            "levenshtein": twice,
            "indel": inserted,
            "damerau": max(twice, swapped),
            "hamming": twice,
        }

    def _taken_away_by_an_edit(self, other: str) -> float:
        """How many n-grams an edit takes away at most, and adds at most."""
        return (
            float(sum(self.orders)) if other == "indel" else self._changed_by_an_edit()[other] / 2
        )


def _counted_grams(objects: Objects, at: str, orders: Sequence[int]) -> Multisets:
    cut = text_counts.grams_in_words if at == "words" else text_counts.grams_in_texts
    return text_counts.counted(objects, partial(cut, orders=tuple(orders)))


def checked_orders(orders: Any) -> tuple[int, ...]:
    """Return the orders of n-grams as a tuple, or raise an error unless they are different whole
    numbers.
    """
    if not _are_sizes(orders) or not orders:
        raise InvalidInput(
            f"The orders of 'ngrams' are different whole numbers from 1 to {_LONGEST}, not "
            f"{orders!r}.",
            advice="(1, 2, 3) counts letters, pairs of letters and triples.",
            value=orders,
        )
    return tuple(orders)


def _are_sizes(sizes: Any) -> bool:
    """Whether these are different whole numbers of letters, perhaps none."""
    return (
        isinstance(sizes, list | tuple)
        and all(is_whole(size, 1, _LONGEST) for size in sizes)
        and len(set(sizes)) == len(sizes)
    )


# ---- Texts by their n-grams, of which rare ones count more: how rare they are is learned

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
        self.at = checked_choice(at, "at", ("words", "text"), "ngrams")
        self.rarity = rarity
        self._rarity = None if rarity is None else _checked_rarity(rarity)

    @property
    def dominated(self) -> Mapping[str, float]:
        """Once the weights are known, by every edit distance: it is at most the root of 2, and 0
        for equal texts.
        """
        if self._rarity is None:
            return {}
        return dict.fromkeys(("levenshtein", "indel", "damerau", "hamming"), math.sqrt(2.0))

    def fitted(self, objects: Objects) -> "RareNGrams":
        """Return the metric with weights learned from texts; itself if it already has some.

        Examples
        --------
        >>> # a is in both, b in one
        >>> RareNGrams(orders=(1,)).fitted(["aa", "ab"]).rarity["weights"].round(2)
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

    def prepare(self, objects: Objects) -> Multisets:
        """Check texts, count their n-grams, and weigh them if the weights are known."""
        if isinstance(objects, WeighedSets):
            return objects
        counts = _counted_grams(objects, self.at, self.orders)
        return counts if self._rarity is None else self._weighed(counts, *self._rarity)

    def _measure(self, left: Multisets, right: Multisets) -> Distances:
        if self._rarity is None:
            raise InvalidInput(
                "'rare_ngrams' has no weights yet.",
                advice="Learn them from a sample, RareNGrams().fitted(texts), or let a classifier "
                "do so.",
                value=None,
            )
        return multisets.euclidean_between(left, right)

    def _weighed(self, sets: Multisets, grams: Elements, their_weights: Floats) -> WeighedSets:
        """Unit vectors of the weighed counts of the n-grams that have a weight."""
        places, known = sets.elements.places_in(grams)
        weighs = np.zeros(len(sets.elements))
        weighs[known] = their_weights[places[known]]
        owners = np.repeat(np.arange(len(sets)), np.diff(sets.starts))
        known_ones = np.flatnonzero(weighs[sets.numbers] > 0)
        # so sums are the same after a file
        order = known_ones[np.lexsort((sets.numbers[known_ones], owners[known_ones]))]
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


# ---- Texts by how they begin and end


class Affixes(CountingMetric):
    r"""The number of prefixes and suffixes that two texts do not have in common, each counted in
    both texts.

    .. math:: d(x, y) = 2 \sum_{n \in P} [p_n(x) \ne p_n(y)] + 2 \sum_{n \in S} [s_n(x) \ne s_n(y)]

    where :math:`p_n(x)` are the first n letters of x and :math:`s_n(x)` the last n, in lower case
    letter by letter; marks stand for letters that a shorter text lacks. Endings tell languages,
    word classes and the sex of names apart where the middle of a word says little: add it to
    another metric (`wideberth.transforms.total`).

    A pseudo-metric of negative type, as a sum of discrete metrics. With prefixes alone, or suffixes
    alone, it is an ultrametric, because texts that differ in their first n letters differ in more
    too; so it is Hilbertian (Holman 1972; Lemin 1985). With both it is not: texts that begin and
    end in one way or another make a square with sides in L1, whose diagonals have two midpoints. It
    does not separate texts that differ in the middle.

    It is bounded by :math:`2 (|P| + |S|)`, which is also the constant of edit distances, as one
    edit of a text with one letter changes all.

    Parameters
    ----------
    prefixes : sequence of int, default=(1, 2, 3)
        The numbers of letters at the beginning; empty for none.
    suffixes : sequence of int, default=(1, 2, 3)
        The numbers of letters at the end; empty for none.

    Examples
    --------
    >>> Affixes()("Julia", "Juliette")  # the suffixes differ: a and e, ia and te, lia and tte
    6.0
    >>> Affixes(prefixes=(), suffixes=(1,))("Anna", "Julia")
    0.0
    >>> Affixes().hilbertian, Affixes(prefixes=()).hilbertian
    (False, True)
    """

    name = "affixes"
    source = "prefixes and suffixes not in common, counted in both texts"
    examples = ("tea", "tees", "teapot", "tease", "rum", "ram", "drum", "dram")
    counterexamples: ClassVar = {
        "hilbertian": ["aaaaaa", "aaabbb", "bbbaaa", "bbbbbb"],
        "separates": ["teabread", "tearead"],
    }

    def __init__(
        self, prefixes: Sequence[int] = (1, 2, 3), suffixes: Sequence[int] = (1, 2, 3)
    ) -> None:
        self.prefixes = _checked_sizes(prefixes, "prefixes")
        self.suffixes = _checked_sizes(suffixes, "suffixes")
        if not prefixes and not suffixes:
            raise InvalidInput(
                "'affixes' compares no prefixes and no suffixes: all texts would be at distance 0.",
                advice=f"{setting('prefixes', (1, 2, 3))} compares the first three letters.",
                value=(prefixes, suffixes),
            )

    @property
    def promises(self) -> Promises:
        """Those of sums of discrete metrics; Hilbertian with prefixes or suffixes alone."""
        return Promises(
            obeys_triangle=True,
            hilbertian=not (self.prefixes and self.suffixes),
            negative_type=True,
            bounded=True,
            separates=False,
            step=2,
        )

    @property
    def dominated(self) -> Mapping[str, float]:
        """The constants of edit distances: all that can change."""
        return dict.fromkeys(
            ("levenshtein", "indel", "damerau", "hamming"),
            2.0 * (len(self.prefixes) + len(self.suffixes)),
        )

    def prepare(self, objects: Objects) -> Multisets:
        """Check texts and find their prefixes and suffixes."""
        return text_counts.counted(
            objects,
            partial(
                text_counts.affixes_of, prefixes=tuple(self.prefixes), suffixes=tuple(self.suffixes)
            ),
        )

    def _measure(self, left: Multisets, right: Multisets) -> Distances:
        return multisets.l1_between(left, right)


def _checked_sizes(sizes: Any, name: str) -> tuple[int, ...]:
    """Return numbers of letters as a tuple, or raise an error unless they are different whole
    numbers.
    """
    if not _are_sizes(sizes):
        raise InvalidInput(
            f"The {name} of 'affixes' are different whole numbers from 1 to {_LONGEST}, not "
            f"{sizes!r}.",
            advice="(1, 2, 3) compares one, two and three letters, () none.",
            value=sizes,
        )
    return tuple(sizes)
