r"""The lowest leads of scores that add up over n-grams of three letters at most, among all texts
within some edits.

Score: :math:`s_y(x) = b_y + \sum_g w_{gy}` over the n-grams g of x, which are those of the metric
``ngrams``. A lead of the winner over a rival is a sum of values :math:`v(g) = w_{g,\text{winner}} -
w_{g,\text{rival}}`.

**States.** Write x' letter by letter, marks around it. What a letter c adds depends on the two
letters a, b before it alone: v(c) + v(bc) + v(abc), the n-grams that end with it. So the state is
(i, k, a, b): i letters of x read, k edits spent, and the last two letters written; one or none of
them if no n-gram is longer. In words, white space of all kinds is the mark: no n-gram has a mark
inside, a text starts and ends with one, and what stands between words adds nothing. In texts, white
space is a letter as any other, and marks are only at the ends. All letters that no n-gram has are
one: they add nothing.

**Edges.** From (i, k, a, b): keep x_i, to (i + 1, k, b, x_i); replace it by c, to (i + 1, k + 1, b,
c); delete it, to (i + 1, k + 1, a, b); insert c, to (i, k + 1, b, c). Each adds what the letter
written adds. At the end marks are written. The paths are the alignments of x with all texts x', and
their lengths are the leads: the shortest one is the minimum.

**Why few states are looked at.** Without an edit there is one state at each position, and behind
the last edit the text is not edited: what is behind it follows from the two letters before. So
states are needed only behind the first edit and before the last; and where the context is again
that of x, the best single edit behind it is known from the first pass. The last edit of another
state is tried only if its best imaginable n-grams would beat the best sum so far, which starts with
edits far apart that do not meet.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Literal, NamedTuple

import numpy as np

from wideberth.array_types import Flags, Floats, Indices, Integers
from wideberth.classifiers.linear import gram_kernels
from wideberth.classifiers.linear.edit_paths import EditPaths, rivals_of, strange_letter
from wideberth.errors import InvalidInput
from wideberth.metrics.strings.count_kernels import MARK
from wideberth.metrics.strings.text_counts import Texts, read_texts
from wideberth.rounding import RADIUS_ERROR
from wideberth.wording import setting

# ---- N-grams of three letters at most in the arrays that compiled loops look them up in, and texts
# in their letters

#: The codes of marks and of letters that no n-gram has.
_MARK, _STRANGE = 0, 1


class GramTables:
    """The letters, pairs and triples of known n-grams, given as code points and marks; ``kept`` are
    those that a text can have. Letters have the codes 2, 3, ... in the order of ``alphabet``.

    Memory is linear in the number of n-grams and quadratic in that of letters, never cubic.
    """

    def __init__(
        self, grams: Sequence[tuple[int, ...]], at: Literal["words", "text"], orders: Sequence[int]
    ) -> None:
        self.at, self.order = at, max(orders)
        letters = _letters_of_texts(grams, at)
        possible = [len(gram) in orders and _is_counted(gram, at, letters) for gram in grams]
        self.kept: Indices = np.flatnonzero(np.array(possible, dtype=bool))
        kept = [grams[gram] for gram in self.kept.tolist()]
        self.alphabet: Integers = np.unique(
            [letter for gram in kept for letter in gram if letter != MARK]
        ).astype(np.int64)
        self.n_letters = len(self.alphabet) + 2
        self._index([self._coded(np.array(gram, dtype=np.int64)) for gram in kept])

    def codes(self, texts: Texts) -> list[Integers]:
        """Each text in codes, with two marks before it and three behind.

        Examples
        --------
        >>> tables = GramTables([(97,), (98, MARK)], "words", [1, 2])
        >>> tables.codes(read_texts(["a b?"]))
        [array([0, 0, 2, 0, 3, 1, 0, 0, 0])]
        """
        codes = self._coded(texts.letters.astype(np.int64))
        if self.at == "words":
            codes[texts.spaces] = _MARK
        return [
            np.pad(codes[begin:end], (2, 3))
            for begin, end in zip(texts.begins, texts.ends, strict=True)
        ]

    def letter(self, code: int, strange: str) -> str:
        """The letter of a code: white space for a mark, the given one for letters that no n-gram
        has.
        """
        return {_MARK: " ", _STRANGE: strange}.get(code) or chr(self.alphabet[code - 2])

    def with_values(self, values: Floats) -> gram_kernels.Grams:
        """What n-grams add, one row for each of those kept."""
        rivals = values.shape[1]
        singles = np.zeros((self.n_letters, rivals))
        doubles = np.zeros((self.n_letters, self.n_letters, rivals))
        singles[self._of_one[:, 0]] = values[self._rows[0]]
        doubles[self._of_two[:, 0], self._of_two[:, 1]] = values[self._rows[1]]
        triples = values[self._rows[2]]
        least = 0 if self.at == "words" else 1
        doubles += singles
        low_beginnings, low_frames, low_ends = (
            _lowest_in_tables(by_letters, triples)
            for by_letters in (self._beginnings, self._frames, self._ends)
        )
        low_pairs = doubles + low_ends[self._ends.pairs]  # behind a letter and any one before it
        return gram_kernels.Grams(
            self.order,
            least,
            doubles,
            triples,
            self._beginnings,
            self._frames,
            self._ends,
            singles,
            np.minimum((doubles - singles).min(axis=1), 0.0),
            low_beginnings,
            low_frames,
            low_ends,
            low_pairs.min(axis=0),
            low_pairs.min(axis=1),
        )

    def _coded(self, letters: Integers) -> Integers:
        places = np.searchsorted(self.alphabet, letters)
        known = np.isin(letters, self.alphabet)
        return np.where(letters == MARK, _MARK, np.where(known, places + 2, _STRANGE))

    def _index(self, grams: list[Integers]) -> None:
        """Sort n-grams by their sizes, and the triples by any two of their letters."""
        sizes = np.array([len(gram) for gram in grams], dtype=np.int64)
        self._rows = [np.flatnonzero(sizes == size) for size in (1, 2, 3)]
        self._of_one, self._of_two, of_three = (
            np.array([grams[gram] for gram in rows], dtype=np.int64).reshape(-1, size)
            for size, rows in enumerate(self._rows, start=1)
        )
        self._beginnings, self._frames, self._ends = (
            self._by_letters(of_three[:, one], of_three[:, other], of_three[:, third])
            for one, other, third in ((0, 1, 2), (0, 2, 1), (1, 2, 0))
        )

    def _by_letters(self, one: Integers, other: Integers, third: Integers) -> gram_kernels.Triples:
        """Triples by two of their letters."""
        keys, order = one * self.n_letters + other, np.lexsort((third, other, one))
        different = np.unique(keys)
        pairs = np.zeros(self.n_letters**2, dtype=np.int64)
        pairs[different] = np.arange(1, len(different) + 1)
        first = np.searchsorted(pairs[keys[order]], np.arange(len(different) + 2))
        return gram_kernels.Triples(
            pairs.reshape(self.n_letters, self.n_letters), first, third[order], order
        )


def _lowest_in_tables(triples: gram_kernels.Triples, values: Floats) -> Floats:
    """The lowest value of the triples of each pair, 0 at most."""
    lowest = np.zeros((len(triples.first) - 1, values.shape[1]))
    np.minimum.at(
        lowest, np.repeat(np.arange(len(lowest)), np.diff(triples.first)), values[triples.numbers]
    )
    return lowest


def _letters_of_texts(grams: Sequence[tuple[int, ...]], at: str) -> set[int]:
    """The letters of n-grams that a text can have where they are counted: in lower case, and no
    white space in words.
    """
    letters = sorted({letter for gram in grams for letter in gram} - {MARK})
    if not letters:
        return set()
    read = read_texts(["".join(map(chr, letters))])
    own = (read.letters == letters) & ~(read.spaces & (at == "words"))
    return set(np.array(letters)[own].tolist())


def _is_counted(gram: tuple[int, ...], at: str, letters: set[int]) -> bool:
    """Whether a text with these letters can have an n-gram: marks are around letters, in words one
    on each side at most.
    """
    before, behind = 0, len(gram)
    while before < behind and gram[before] == MARK:
        before += 1
    while before < behind and gram[behind - 1] == MARK:
        behind -= 1
    fits = at == "text" or max(before, len(gram) - behind) <= 1
    return before < behind and fits and all(letter in letters for letter in gram[before:behind])


#: Edits at so many letters from each other have no n-gram of three letters in common.
_APART = 4
#: How many numbers the states of a text may take: 64 MB.
_MOST_NUMBERS = 1 << 23
_NO_TARGET = np.array([-1, -1, -1])


class GramPaths(EditPaths):
    r"""Scores that add up over n-grams, and their lowest leads within a number of edits; see the
    module.

    .. math:: s_y(x) = b_y + \sum_{g \in x} w_{gy}

    N-grams are different ones as code points, with `MARK` for an end, of at most 3 letters. Those
    that no text has do no harm.

    Examples
    --------
    >>> grams = [tuple(map(ord, gram)) for gram in ("te", "ea", "ru")]
    >>> paths = GramPaths(
    ...     grams,
    ...     np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]),
    ...     np.zeros(2),
    ...     at="words",
    ...     orders=[2],
    ... )
    >>> paths.lowest_leads(["Tea"], np.array([0]), 2)[0, :, 1]
    array([ 2.,  0., -1.])
    >>> paths.worst_text("Tea", winner=0, rival=1, edits=1)[::2]
    'Ta'
    """

    def __init__(
        self,
        grams: Sequence[tuple[int, ...]],
        weights: Floats,
        intercepts: Floats,
        *,
        at: Literal["words", "text"],
        orders: Sequence[int],
    ) -> None:
        if max(orders) > 3:
            raise InvalidInput(
                "The worst case is computed for n-grams of 3 letters at most, not of "
                f"{max(orders)}.",
                advice=f"Take {setting('orders', (1, 2, 3))}.",
                value=max(orders),
            )
        self._tables = GramTables(grams, at, orders)
        self.weights = np.asarray(weights, dtype=np.float64).reshape(len(grams), len(intercepts))[
            self._tables.kept
        ]
        self.intercepts = np.asarray(intercepts, dtype=np.float64)
        self._added = sum(orders)

    def worst_text(self, text: str, winner: int, rival: int, edits: int) -> str:
        """A text within some edits at which the lead of the winner over the rival is lowest; see
        `WordPaths.worst_text`.
        """
        grams = self._of_rivals(winner, np.array([rival]))
        codes = self._tables.codes(read_texts([text]))[0]
        lowest, first_pass = _lowest(codes, grams, edits)
        fewest = int(np.flatnonzero(lowest[:, 0] <= lowest[edits, 0])[0])
        slack = RADIUS_ERROR * self.sizes([text], edits)[0, edits, [winner, rival]].sum()
        strange = strange_letter([text, map(chr, self._tables.alphabet)])
        for place, kind, code in _edits_of_path(
            codes, grams, first_pass, fewest, float(lowest[edits, 0] + slack)
        ):
            written = "" if kind == gram_kernels.DELETE else self._tables.letter(code, strange)
            text = text[:place] + written + text[place + (kind != gram_kernels.INSERT) :]
        return text

    def lowest_sums(self, texts: Texts, winner: int, edits: int) -> Floats:
        codes, parts = self._tables.codes(texts), []
        for some in self._some_rivals(winner, edits):
            grams = self._of_rivals(winner, some)
            parts.append(np.array([_lowest(each, grams, edits)[0] for each in codes]))
        return np.concatenate(parts, axis=2)

    def kept_of(
        self, texts: Texts, winner: int, edits: int, limits: Floats, slack: Floats
    ) -> Flags:
        """By bounds first; of rivals that these do not decide, only what lowers a sum to its limit is
        looked for.
        """
        codes, begin = self._tables.codes(texts), 0
        kept = np.ones(len(codes), dtype=bool)
        for some in self._some_rivals(winner, edits):
            own = slice(begin, begin := begin + len(some))
            search = _Search(self, winner, some, edits)
            for row in np.flatnonzero(kept).tolist():
                kept[row] = search.keeps(codes[row], limits[row, own], slack[row, own])
        return kept

    def _some_rivals(self, winner: int, edits: int) -> Iterator[Indices]:
        """The rivals of a class, some at a time, whose tables and states fit into memory."""
        rivals = rivals_of(winner, len(self.intercepts))
        at_a_time = max(1, _MOST_NUMBERS // (self._tables.n_letters**2 * 2 * max(edits - 1, 1)))
        return (rivals[at : at + at_a_time] for at in range(0, len(rivals), at_a_time))

    def _of_rivals(self, winner: int, rivals: Indices) -> gram_kernels.Grams:
        return self._tables.with_values(self.weights[:, [winner]] - self.weights[:, rivals])

    def absolute_terms(self, texts: Sequence[str]) -> tuple[Floats, Floats]:
        sizes = np.abs(self.weights)
        codes = self._tables.codes(read_texts(list(texts))) if len(texts) else []
        grams = self._tables.with_values(sizes)
        found = np.array([_sums(each, grams)[1, 0] for each in codes])
        return found.reshape(len(texts), len(self.intercepts)), self._added * sizes.max(
            axis=0, initial=0.0
        )


class FirstPass(NamedTuple):
    """What is known of a text from single edits: what `sums_around`, `edit_once` and `bound_behind`
    find, and how much a single edit lowers the sum at most, at each position or behind it.
    """

    sums: Floats
    alone: Floats
    edits: Integers
    lows: Floats
    gains: Floats
    bounds: Floats

    @classmethod
    def of(cls, codes: Integers, grams: gram_kernels.Grams, edits: int) -> "FirstPass":
        """Try all single edits."""
        n_places, sums = len(codes) - 4, _sums(codes, grams)
        alone = np.full((n_places, sums.shape[2]), np.inf)
        single = np.zeros((n_places, 2), dtype=np.int64)
        gram_kernels.edit_once(codes, grams, sums, alone, single, lows := np.empty_like(alone))
        gains = np.zeros((n_places + 1, sums.shape[2]))
        gains[:-1] = np.maximum.accumulate((sums[1, :n_places] - alone)[::-1])[::-1]
        gains = np.maximum(gains, 0.0)
        bounds = np.empty((edits + 1, n_places + 2, 3, sums.shape[2]))
        if edits > 1:
            gram_kernels.bound_behind(codes, grams, sums, gains, bounds)
        return cls(sums, alone, single, lows, gains, bounds)

    def of_rival(self, place: int) -> "FirstPass":
        """The same for one of the rivals; which edits are best is known for the first one only."""
        own = slice(place, place + 1)
        sums, alone, single, lows, gains, bounds = self
        numbers = (each[..., own].copy() for each in (sums, alone, lows, gains, bounds))
        sums, alone, lows, gains, bounds = numbers
        return FirstPass(sums, alone, single, lows, gains, bounds)

    @property
    def totals(self) -> Floats:
        """The lowest sum by one edit at each position, of shape (n + 1, rivals)."""
        totals: Floats = self.sums[0, : len(self.alone)] + self.alone
        return totals

    def lowest(self, edits: int) -> Floats:
        """The lowest sums within 0, 1, ... edits of which no two meet, of shape (edits + 1,
        rivals).
        """
        lowest = np.tile(self.sums[1, 0], (edits + 1, 1))
        if edits > 0:
            totals = self.totals
            lowest[1:] = np.minimum(lowest[0], totals.min(axis=0))
            if edits > 1:
                _take_far_edits(totals, lowest)
        return lowest


def _sums(codes: Integers, grams: gram_kernels.Grams) -> Floats:
    """The sums before and behind each position."""
    sums = np.empty((2, len(codes) - 1, grams.singles.shape[1]))
    gram_kernels.sums_around(codes, grams, sums)
    return sums


def _lowest(codes: Integers, grams: gram_kernels.Grams, edits: int) -> tuple[Floats, FirstPass]:
    """The lowest sums within 0, 1, ... edits, of shape (edits + 1, rivals), and what single edits
    do.
    """
    first_pass = FirstPass.of(codes, grams, edits)
    lowest = first_pass.lowest(edits)
    if edits > 1:
        gram_kernels.edit_often(codes, grams, *first_pass, lowest, _NO_TARGET, _no_record())
    return np.minimum.accumulate(lowest), first_pass


class _Search:
    """Whether texts keep their label: of rivals that bounds do not decide, only what lowers a sum to
    its limit is looked for, one rival at a time.
    """

    def __init__(self, paths: GramPaths, winner: int, rivals: Indices, edits: int) -> None:
        self._grams_of = partial(paths._of_rivals, winner)
        self._rivals, self._edits = rivals, edits
        self._grams, self._of_one = self._grams_of(rivals), dict[int, gram_kernels.Grams]()

    def keeps(self, codes: Integers, limits: Floats, slack: Floats) -> bool:
        """Whether no sum of a text is at its limit or below."""
        first_pass, edits = FirstPass.of(codes, self._grams, self._edits), self._edits
        lowest = first_pass.lowest(edits)[edits]
        if edits < 2 or (lowest <= limits).any():
            return bool((lowest > limits).all())
        wide = np.nextafter(limits + 0.5 * slack, np.inf)  # bounds err as sums do
        doubtful = np.flatnonzero(first_pass.bounds[edits, 0, 2] < wide)
        for place in doubtful[np.argsort((lowest - limits)[doubtful])].tolist():
            most = np.full((edits + 1, 1), wide[place])
            one, known = self._one(place), first_pass.of_rival(place)
            gram_kernels.edit_often(codes, one, *known, most, _NO_TARGET, _no_record())
            if most.min() <= limits[place]:
                return False
        return True

    def _one(self, place: int) -> gram_kernels.Grams:
        if place not in self._of_one:
            self._of_one[place] = self._grams_of(self._rivals[[place]])
        return self._of_one[place]


def _no_record() -> Integers:
    """Where the last edit would be written, which nobody reads."""
    return np.empty(5, dtype=np.int64)


def _take_far_edits(totals: Floats, lowest: Floats) -> None:
    """Lower the sums of two edits and more by the best edits that do not meet, one after the
    other.
    """
    for rival in range(lowest.shape[1]):
        gains = lowest[0, rival] - totals[:, rival]
        for edits in range(1, len(lowest)):
            best = int(gains.argmax())
            lowest[edits, rival] = lowest[edits - 1, rival] - max(gains[best], 0.0)
            gains[max(best - _APART + 1, 0) : best + _APART] = 0.0


def _edits_of_path(
    codes: Integers, grams: gram_kernels.Grams, first_pass: FirstPass, edits: int, limit: float
) -> Iterator[tuple[int, int, int]]:
    """The edits on a path of a sum below a limit, the last one first: the position, the kind and
    the letter of each.
    """
    if edits == 0:
        return
    at = int(first_pass.totals[:, 0].argmin())
    record = np.array([at, *first_pass.edits[at], 0, 0])
    if edits > 1:
        lowest = np.full((edits + 1, 1), limit)
        gram_kernels.edit_often(codes, grams, *first_pass, lowest, _NO_TARGET, record)
    yield int(record[0]), int(record[1]), int(record[2])
    for before in range(edits - 1, 0, -1):
        context = record[3] * len(grams.singles) + record[4]
        anything, target = np.full((before + 2, 1), np.inf), np.array([record[0], before, context])
        gram_kernels.edit_often(codes, grams, *first_pass, anything, target, record)
        yield int(record[0]), int(record[1]), int(record[2])
