"""Texts by how they begin and end: the number of prefixes and suffixes that two texts do not have
in common.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, ClassVar

from wideberth.errors import InvalidInput
from wideberth.metrics.metric import Distances, Promises
from wideberth.metrics.parameters import is_whole
from wideberth.metrics.sets.multisets import Multisets, l1_between
from wideberth.metrics.strings.text_counts import affixes_of, counted
from wideberth.metrics.strings.words_and_grams import CountingMetric
from wideberth.wording import setting

#: Prefixes and suffixes of more letters than this are hardly ever shared.
_LONGEST = 32


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

    def prepare(self, objects: Any) -> Multisets:
        """Check texts and find their prefixes and suffixes."""
        return counted(
            objects,
            partial(affixes_of, prefixes=tuple(self.prefixes), suffixes=tuple(self.suffixes)),
        )

    def _measure(self, left: Multisets, right: Multisets) -> Distances:
        return l1_between(left, right)


def _checked_sizes(sizes: Any, name: str) -> tuple[int, ...]:
    """Return numbers of letters as a tuple, or raise an error unless they are different whole
    numbers.
    """
    if (
        not isinstance(sizes, list | tuple)
        or not all(is_whole(size, 1, _LONGEST) for size in sizes)
        or len(set(sizes)) < len(sizes)
    ):
        raise InvalidInput(
            f"The {name} of 'affixes' are different whole numbers from 1 to {_LONGEST}, not "
            f"{sizes!r}.",
            advice="(1, 2, 3) compares one, two and three letters, () none.",
            value=sizes,
        )
    return tuple(sizes)
