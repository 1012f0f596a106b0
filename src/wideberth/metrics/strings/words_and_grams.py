r"""Texts by what they consist of: distances between counts of words and of n-grams, bounded by
constants times edit distances.

Counts are vectors with a coordinate for each word or n-gram. Their L1 distance is a pseudo-metric
of negative type, as `Manhattan` is a metric: texts with equal counts are at distance 0. An edit
changes few counts, so a distance between counts is at most a constant times an edit distance
(`wideberth.Metric.dominated`), and what no small change of counts alters, no few edits do.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, Literal

import numpy as np

from wideberth.array_types import Floats
from wideberth.errors import InvalidInput
from wideberth.metrics.containers import mean_size
from wideberth.metrics.metric import Distances, Kind, Metric, Promises
from wideberth.metrics.parameters import is_whole
from wideberth.metrics.sets.multisets import Multisets, l1_between, ruzicka_between
from wideberth.metrics.strings.text_counts import counted, grams_in_texts, grams_in_words, words_of
from wideberth.objects.digests import Digests
from wideberth.wording import setting

#: N-grams of more letters than this are hardly ever shared.
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
        "a cup of tea",
        "Tea with milk",
        "tea",
        "",
        "a bottle of rum",
        "rum",
        "rum and a cask of ale",
        "A cask of rum",
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

    for the number :math:`n_w(x)` of times that the word w occurs in x. Words are what stands
    between white space, as ``str.split`` finds it, in lower case letter by letter; punctuation
    belongs to them.

    A pseudo-metric of negative type, as a `Manhattan` distance. Not Hilbertian: "a" and "b" are two
    midpoints of "" and "a b". It does not separate texts whose words are the same in another order.

    At most 3 times the `Levenshtein`, `Indel` or `Hamming` distance: an edit inside a word replaces
    it (2), a space in it makes two words of one (3), a space less one of two (3), and all other
    edits change less. At most 4 times the `Damerau` distance: a letter and a space that change
    places, as from "ab c" to "a bc", replace two words by two others.

    Examples
    --------
    >>> Words()("A cup of tea", "a cup of rum")
    2.0
    >>> Words()("tea or rum", "rum or tea")
    0.0
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
    dominated: ClassVar = {"levenshtein": 3.0, "indel": 3.0, "damerau": 4.0, "hamming": 3.0}

    def __init__(self) -> None:  # no parameters
        pass

    def prepare(self, objects: Any) -> Multisets:
        """Check texts and count their words."""
        return counted(objects, words_of)

    def _measure(self, left: Multisets, right: Multisets) -> Distances:
        return l1_between(left, right)


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
        self.at = checked_choice(at, "at", ("words", "text"))
        self.form = checked_choice(form, "form", ("counts", "ruzicka"))
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
        return (
            self._changed_by_an_edit()
            if self.form == "counts"
            else dict.fromkeys(self._changed_by_an_edit(), 1.0)
        )

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
        unions = (objects.totals[:, None] + references.totals) / (
            2.0 - distances
        )  # S + U is known, and d = 1 - S / U
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

    def prepare(self, objects: Any) -> Multisets:
        """Check texts and count their n-grams."""
        return counted(
            objects,
            partial(
                grams_in_words if self.at == "words" else grams_in_texts, orders=tuple(self.orders)
            ),
        )

    def _measure(self, left: Multisets, right: Multisets) -> Distances:
        return l1_between(left, right) if self.form == "counts" else ruzicka_between(left, right)

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


def checked_orders(orders: Any) -> tuple[int, ...]:
    """Return the orders of n-grams as a tuple, or raise an error unless they are different whole
    numbers.
    """
    several = isinstance(orders, list | tuple) and len(orders) > 0
    if (
        not several
        or not all(is_whole(order, 1, _LONGEST) for order in orders)
        or len(set(orders)) < len(orders)
    ):
        raise InvalidInput(
            f"The orders of 'ngrams' are different whole numbers from 1 to {_LONGEST}, not "
            f"{orders!r}.",
            advice="(1, 2, 3) counts letters, pairs of letters and triples.",
            value=orders,
        )
    return tuple(orders)


def checked_choice(value: Any, name: str, choices: tuple[str, ...]) -> Any:
    """Return a parameter that is one of two words, or raise an error."""
    if value not in choices:
        raise InvalidInput(
            f"{setting(name, value)} is unknown to 'ngrams'.",
            advice=f"It is {' or '.join(map(repr, choices))}.",
            value=value,
        )
    return value
