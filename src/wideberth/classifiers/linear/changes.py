"""For which features the changes that single edits make are listed, so that a robust hinge can be
learned.

**What single edits do to the counts of texts: lists of changes, one for each different place of a
text.**

The worst of a few edits is found among them while a classifier learns. They leave out what hardly
matters there, such as two edits of the same word; what is certified does not depend on them.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import coo_array, csr_array, vstack

from wideberth.array_types import Flags, Floats, Integers, Sample
from wideberth.classifiers.linear.features import (
    CountedBlock,
    CountedFeatures,
    Vocabulary,
    texts_of,
)
from wideberth.metrics.elements import Elements
from wideberth.metrics.metric import Metric
from wideberth.metrics.strings.count_kernels import MARK
from wideberth.metrics.strings.text_counts import Tokens, read_texts, word_spans
from wideberth.metrics.strings.word_edits import SynonymSteps
from wideberth.metrics.strings.words_and_grams import NGrams, Words


@dataclass(frozen=True, eq=False)
class EditChanges:
    """The changes of counts that one edit can make, at each place of each text.

    A *site* is a place as far as its changes depend on it, such as a word: it occurs in many texts.
    ``deltas`` of shape (changes, features) is what each change adds to the counts; the changes of
    site s are those from ``starts[s]`` on, and the sites of text i are ``sites`` from
    ``text_starts[i]`` on. The site ``everywhere``, unless it is -1, belongs to all texts, and is
    changed by each edit beside another one: a word put in place of one that is taken out.
    """

    deltas: csr_array
    starts: Integers
    sites: Integers
    text_starts: Integers
    everywhere: int = -1

    def only(self, chosen: Flags) -> "EditChanges":
        """The chosen ones of the changes, at the same sites.

        Examples
        --------
        >>> two = EditChanges(
        ...     csr_array(np.eye(2)), np.array([0, 2]), np.array([0]), np.array([0, 1])
        ... )
        >>> (
        ...     two.only(np.array([False, True])).deltas.toarray(),
        ...     two.only(np.array([False, True])).starts,
        ... )
        (array([[0., 1.]]), array([0, 1]))
        """
        before = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(chosen)])
        return replace(
            self, deltas=csr_array(self.deltas[np.flatnonzero(chosen)]), starts=before[self.starts]
        )

    @classmethod
    def none(cls, n_texts: int, n_features: int) -> "EditChanges":
        """No changes at all: texts, or vectors, that nobody edits.

        Examples
        --------
        >>> EditChanges.none(2, 3).deltas.shape
        (0, 3)
        """
        nothing = np.empty(0, dtype=np.int64)
        empty = csr_array((0, n_features), dtype=np.float64)
        return cls(
            empty, np.zeros(1, dtype=np.int64), nothing, np.zeros(n_texts + 1, dtype=np.int64)
        )


@dataclass(frozen=True, eq=False)
class ChangeEntries:
    """Entries of changes in any order: entry e adds ``values[e]`` to the feature ``columns[e]`` in
    the change ``owners[e]``, and ``sites`` has the site of each change.
    """

    sites: Integers
    owners: Integers
    columns: Integers
    values: Floats

    def collected(
        self, occurrences: Integers, text_starts: Integers, n_sites: int, n_features: int
    ) -> EditChanges:
        """The changes by their sites, without those that change nothing and sites that have
        none.
        """
        n_changes = len(self.sites)
        entries = coo_array(
            (self.values, (self.owners, self.columns)), shape=(n_changes, n_features)
        )
        deltas = csr_array(entries)
        deltas.eliminate_zeros()
        kept = np.flatnonzero(np.diff(deltas.indptr))
        kept = kept[np.argsort(self.sites[kept], kind="stable")]
        sizes = np.bincount(self.sites[kept], minlength=n_sites)
        starts = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes)])
        changing = sizes[occurrences] > 0
        ends = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(changing)])[text_starts]
        return EditChanges(csr_array(deltas[kept]), starts, occurrences[changing], ends)


# ---- What a single edit does to the words of a text: it makes a word another or unknown, divides
# it, or joins it to the
#      next one

#: Stands for a letter that is left out of a word.
_HOLE = "\x00"
#: The place of a word that is not in the vocabulary, or of no word at all.
_UNKNOWN = -1


def edited_words(texts: Sequence[str], vocabulary: Vocabulary, factor: float) -> EditChanges:
    """What one edit can do to counts of words, which are multiplied by a factor: a site for each
    different word, and one for each two words that follow each other.

    Examples
    --------
    >>> changes = edited_words(["tea or"], Vocabulary.of(["or", "sea", "tea"]), 1.0)
    >>> # no "or"; "tea" becomes unknown, or "sea"; both are joined to "teaor"
    >>> changes.deltas.toarray().astype(int).tolist()
    [[-1, 0, 0], [0, 0, -1], [0, 1, -1], [-1, 0, -1]]
    """
    tokens, ids, text_starts = tokens_of(texts)
    places = {word: place for place, word in enumerate(vocabulary.names)}
    own = np.array([places.get(token, _UNKNOWN) for token in tokens], dtype=np.int64)
    sites, first, second = _changed_words(tokens, places)
    pairs, pair_ids, pair_starts = _neighbours(ids, text_starts, len(tokens))
    joined = [places.get(tokens[left] + tokens[right], _UNKNOWN) for left, right in pairs.tolist()]
    n, m = len(tokens), len(sites)
    changes = np.arange(m + len(pairs))
    columns = np.concatenate(
        [
            own[sites],
            first,
            second,
            own[pairs[:, 0]],
            own[pairs[:, 1]],
            np.array(joined, dtype=np.int64),
        ]
    )
    owners = np.concatenate([changes[:m]] * 3 + [changes[m:]] * 3)
    values = factor * np.repeat([-1.0, 1.0, 1.0, -1.0, -1.0, 1.0], [m] * 3 + [len(pairs)] * 3)
    known = columns >= 0
    entries = ChangeEntries(
        np.concatenate([sites, n + np.arange(len(pairs))]),
        owners[known],
        columns[known],
        values[known],
    )
    occurrences, starts = _interleaved(ids, text_starts, n + pair_ids, pair_starts)
    return entries.collected(occurrences, starts, n + len(pairs), len(vocabulary))


def tokens_of(
    texts: Sequence[str], tokens: Tokens = "spaces"
) -> tuple[list[str], Integers, Integers]:
    """The different words of texts, sorted; the words of all texts, as numbers of these; and where
    each text begins.

    Examples
    --------
    >>> tokens_of(["Tea or tea", "rum"])
    (['or', 'rum', 'tea'], array([2, 0, 2, 1]), array([0, 3, 4]))
    """
    read = read_texts(list(texts))
    begins, ends = word_spans(read, tokens)
    sizes = ends - begins
    letters = read.letters[
        np.repeat(begins - np.cumsum(sizes) + sizes, sizes) + np.arange(sizes.sum())
    ]
    elements, ids = Elements.of(
        letters, np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes)])
    )
    words = ["".join(map(chr, word)) for word in elements.tuples()]
    order = sorted(range(len(words)), key=words.__getitem__)
    ranks = np.argsort(np.array(order, dtype=np.int64))
    starts = np.concatenate([np.zeros(1, dtype=np.int64), np.searchsorted(begins, read.ends)])
    return (
        [words[place] for place in order],
        ranks[ids] if len(words) else ids.astype(np.int64),
        starts,
    )


def _changed_words(
    tokens: Sequence[str], places: dict[str, int]
) -> tuple[Integers, Integers, Integers]:
    """For each change of a word its number, and the one or two words of the vocabulary that it
    becomes.
    """
    with_hole, longer = _one_letter_less(places)
    sites, first, second = [], [], []
    for number, token in enumerate(tokens):
        own = (places.get(token, _UNKNOWN), _UNKNOWN)
        found = set(_edited(token, places, with_hole, longer)) | {(_UNKNOWN, _UNKNOWN)}
        for left, right in sorted(found - {own}):
            sites.append(number)
            first.append(left)
            second.append(right)
    return (
        np.array(sites, dtype=np.int64),
        np.array(first, dtype=np.int64),
        np.array(second, dtype=np.int64),
    )


def _one_letter_less(places: dict[str, int]) -> tuple[dict[str, list[int]], dict[str, list[int]]]:
    """The words of the vocabulary by what is left of them without one letter: with a hole in its
    place, and without.
    """
    with_hole, longer = defaultdict(list), defaultdict(list)
    for word, place in places.items():
        for at in range(len(word)):
            with_hole[f"{word[:at]}{_HOLE}{word[at + 1 :]}"].append(place)
            longer[word[:at] + word[at + 1 :]].append(place)
    return with_hole, longer


def _edited(
    token: str,
    places: dict[str, int],
    with_hole: dict[str, list[int]],
    longer: dict[str, list[int]],
) -> Iterator[tuple[int, int]]:
    """What a token becomes by one edit: one or two places in the vocabulary."""
    for place in longer.get(token, ()):
        yield place, _UNKNOWN
    for at in range(len(token)):
        left, right = token[:at], token[at + 1 :]
        for place in with_hole.get(f"{left}{_HOLE}{right}", ()):
            yield place, _UNKNOWN
        yield places.get(left + right, _UNKNOWN), _UNKNOWN
        if left:
            yield places.get(left, _UNKNOWN), places.get(token[at:], _UNKNOWN)
            if right:
                yield places.get(left, _UNKNOWN), places.get(right, _UNKNOWN)


def _neighbours(
    ids: Integers, text_starts: Integers, n_tokens: int
) -> tuple[Integers, Integers, Integers]:
    """The different pairs of words that follow each other; the pairs of all texts, as numbers of
    these; and where texts begin.
    """
    inside = np.ones(max(len(ids) - 1, 0), dtype=bool)
    ends = text_starts[1:-1]
    inside[ends[(ends > 0) & (ends < len(ids))] - 1] = False
    left, right = ids[:-1][inside], ids[1:][inside]
    different, pair_ids = np.unique(left * n_tokens + right, return_inverse=True)
    sizes = np.maximum(np.diff(text_starts) - 1, 0)
    starts = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes)])
    return (
        np.stack([different // max(n_tokens, 1), different % max(n_tokens, 1)], axis=1),
        pair_ids,
        starts,
    )


def _interleaved(
    one: Integers, one_starts: Integers, other: Integers, other_starts: Integers
) -> tuple[Integers, Integers]:
    """Two lists of sites of each text as one list."""
    owners = np.concatenate(
        [np.repeat(np.arange(len(s) - 1), np.diff(s)) for s in (one_starts, other_starts)]
    )
    order = np.argsort(owners, kind="stable")
    return np.concatenate([one, other])[order], one_starts + other_starts


# ---- What a single edit does to the n-grams of a text: those over the place of the edit go, and
# others come

#: The codes of marks, and of all letters that no n-gram has; those of the n-grams follow.
_MARK, _STRANGE = 0, 1
#: How many sites are examined at once: each with every letter takes some tens of megabytes.
_AT_ONCE = 4096


def gram_changes(
    texts: Sequence[str], vocabulary: Vocabulary, factor: float, metric: NGrams
) -> EditChanges:
    """What one edit can do to counts of n-grams.

    A site is a place in a text with the letters around it that n-grams over this place can have: n
    - 1 on either side. Its letter can be deleted or replaced, and letters can be inserted before
    it; at the end of a text it is the mark. Letters that no n-gram has are one. So there are about
    twice as many changes of a site as letters: many for long texts.

    Examples
    --------
    >>> changes = gram_changes(["ab"], Vocabulary.of(["ab", "ba"]), 1.0, NGrams(orders=[2]))
    >>> # such as "b"; "bab" or "aba"
    >>> np.unique(changes.deltas.toarray().astype(int), axis=0).tolist()
    [[-1, 0], [0, 1]]
    """
    grams, in_words = _KnownGrams(vocabulary, metric.orders), metric.at == "words"
    places, text_starts = _places(texts, grams, in_words=in_words)
    windows, occurrences = np.unique(places, axis=0, return_inverse=True)
    written = np.arange(_MARK if in_words else _STRANGE, grams.n_codes)
    parts = [
        (first, _window_changes(grams, windows[first : first + _AT_ONCE], written))
        for first in range(0, len(windows), _AT_ONCE)
    ]
    sites = np.concatenate([first + found for first, (found, _) in parts])
    deltas = vstack([changed for _, (_, changed) in parts]).tocoo()
    entries = ChangeEntries(
        sites, deltas.row.astype(np.int64), deltas.col.astype(np.int64), factor * deltas.data
    )
    return entries.collected(
        occurrences.reshape(-1).astype(np.int64), text_starts, len(windows), len(vocabulary)
    )


def _window_changes(
    grams: "_KnownGrams", windows: Integers, written: Integers
) -> tuple[Integers, csr_array]:
    """The changes of some sites: the number of the site of each, and what it adds to the counts.

    A window has as many letters before the place as behind it. Of what stands there and of what
    becomes of it, n-grams are compared that end at the place or behind it.
    """
    before = windows[:, : grams.reach]
    here = windows[:, grams.reach : -1]
    behind = windows[:, grams.reach + 1 :]
    once, often = np.arange(len(windows)), np.repeat(np.arange(len(windows)), len(written))
    letters = np.tile(written, len(windows))[:, None]
    kinds = (
        (often, windows, np.hstack([before[often], letters, behind[often]])),  # replaced
        # inserted
        (often, np.hstack([before, here]), np.hstack([before[often], letters, here[often]])),
        (once, windows, np.hstack([before, behind])),  # deleted
    )
    changed = [grams.counts(new) - grams.counts(old)[sites] for sites, old, new in kinds]
    return np.concatenate([sites for sites, _, _ in kinds]), csr_array(vstack(changed))


class _KnownGrams:
    """The n-grams of a vocabulary as numbers, whose digits are the codes of their letters."""

    def __init__(self, vocabulary: Vocabulary, orders: Sequence[int]) -> None:
        self.orders, self.reach, self.n_grams = sorted(orders), max(orders) - 1, len(vocabulary)
        self._alphabet = np.setdiff1d(vocabulary.letters.astype(np.int64), [MARK])
        self.n_codes = len(self._alphabet) + 2
        letters, sizes = self.coded(vocabulary.letters.astype(np.int64)), np.diff(vocabulary.starts)
        self._columns = {order: np.flatnonzero(sizes == order) for order in self.orders}
        self._numbers = {
            order: self._number(letters[vocabulary.starts[columns][:, None] + np.arange(order)])
            for order, columns in self._columns.items()
        }
        for order, numbers in self._numbers.items():
            ascending = np.argsort(numbers)
            self._numbers[order], self._columns[order] = (
                numbers[ascending],
                self._columns[order][ascending],
            )

    def coded(self, letters: Integers) -> Integers:
        """The codes of letters."""
        places = np.searchsorted(self._alphabet, letters)
        return np.where(
            letters == MARK, _MARK, np.where(np.isin(letters, self._alphabet), places + 2, _STRANGE)
        )

    def counts(self, pieces: Integers) -> csr_array:
        """How often each n-gram is in pieces of text, of those that end ``reach`` letters behind
        their beginning or later.
        """
        found = [
            self._found(pieces, order, end)
            for order in self.orders
            for end in range(self.reach, pieces.shape[1])
        ]
        rows, columns = (
            np.concatenate([each[part] for each in found] or [np.empty(0, dtype=np.int64)])
            for part in (0, 1)
        )
        return csr_array(
            coo_array((np.ones(len(rows)), (rows, columns)), shape=(len(pieces), self.n_grams))
        )

    def _found(self, pieces: Integers, order: int, end: int) -> tuple[Integers, Integers]:
        """The pieces of text that have a known n-gram of an order which ends at a place, and its
        column.
        """
        known = self._numbers[order]
        if not len(known):
            return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
        numbers = self._number(pieces[:, end - order + 1 : end + 1])
        places = np.searchsorted(known, numbers).clip(max=len(known) - 1)
        rows = np.flatnonzero(known[places] == numbers)
        return rows, self._columns[order][places[rows]]

    def _number(self, letters: Integers) -> Integers:
        return np.asarray(
            letters.astype(np.int64)
            @ self.n_codes ** np.arange(letters.shape[1] - 1, -1, -1, dtype=np.int64)
        )


def _places(
    texts: Sequence[str], grams: _KnownGrams, *, in_words: bool
) -> tuple[Integers, Integers]:
    """The codes around each place of each text, its end among them, and where the places of each
    text begin.
    """
    read = read_texts(list(texts))
    # the last one for texts without letters
    codes = np.append(grams.coded(read.letters.astype(np.int64)), _MARK)
    if in_words:
        codes[:-1][read.spaces] = _MARK
    sizes = read.ends - read.begins + 1
    starts = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes)])
    at = np.arange(starts[-1]) - np.repeat(starts[:-1], sizes)
    around = at[:, None] + np.arange(-grams.reach, grams.reach + 1)
    inside = (around >= 0) & (around < np.repeat(sizes - 1, sizes)[:, None])
    where = np.where(inside, np.repeat(read.begins, sizes)[:, None] + around, 0)
    return np.where(inside, codes[where], _MARK), starts


def lists_letters(blocks: list[CountedBlock]) -> bool:
    """Whether what an edit of a character changes is listed for what a metric counts.

    Examples
    --------
    >>> from wideberth.classifiers.linear.features import counted_blocks
    >>> from wideberth.metrics.named import metric
    >>> (
    ...     lists_letters(counted_blocks(metric("words"))),
    ...     lists_letters(counted_blocks(metric("manhattan"))),
    ... )
    (True, False)
    """
    counted = blocks[0].metric
    by_spaces = isinstance(counted, Words) and counted.tokens == "spaces"
    return len(blocks) == 1 and (by_spaces or isinstance(counted, NGrams))


def letter_changes(features: CountedFeatures, objects: Sample, steps: Metric) -> EditChanges:
    """The changes of prepared texts by single edits of characters."""
    block, vocabulary, texts = _listed(features, objects)
    if isinstance(block.metric, NGrams):
        return gram_changes(texts, vocabulary, block.factor, block.metric)
    return edited_words(texts, vocabulary, block.factor)


def lists_words(blocks: list[CountedBlock]) -> bool:
    """Whether what a move of a whole word changes is listed for what a metric counts."""
    return len(blocks) == 1 and isinstance(blocks[0].metric, Words)


def word_changes(features: CountedFeatures, objects: Sample, steps: Metric) -> EditChanges:
    """The changes of prepared texts by edits of words: each word can be taken out, and everywhere
    one can be put in.
    """
    block, vocabulary, texts = _listed(features, objects)
    assert isinstance(block.metric, Words)
    return moved_words(texts, vocabulary, block.factor, block.metric.tokens)


def synonym_changes(features: CountedFeatures, objects: Sample, steps: Metric) -> EditChanges:
    """The changes of prepared texts by words in place of others, as a table allows."""
    block, vocabulary, texts = _listed(features, objects)
    assert isinstance(steps, SynonymSteps)
    return replaced_words(texts, vocabulary, block.factor, steps)


def _listed(
    features: CountedFeatures, objects: Sample
) -> tuple[CountedBlock, Vocabulary, list[str]]:
    """The one block of features, its vocabulary, and the texts."""
    assert features.vocabularies is not None
    return features.blocks[0], features.vocabularies[0], texts_of(objects).tolist()


# ---- What a move of a whole word does to the words of a text


def moved_words(
    texts: Sequence[str], vocabulary: Vocabulary, factor: float, tokens: Tokens
) -> EditChanges:
    """What word edits can do to counts of words: a site for each different word, which can be taken
    out, and one everywhere, where any word can be put in.

    Examples
    --------
    >>> changes = moved_words(["tea or tea"], Vocabulary.of(["rum", "tea"]), 1.0, "spaces")
    >>> changes.deltas.toarray().astype(int).tolist(), changes.sites, changes.everywhere
    ([[0, -1], [1, 0], [0, 1]], array([1, 1]), 2)
    """
    words, ids, text_starts = tokens_of(texts, tokens)
    places = {word: place for place, word in enumerate(vocabulary.names)}
    own = np.array([places.get(word, _UNKNOWN) for word in words], dtype=np.int64)
    known, new = np.flatnonzero(own >= 0), np.arange(len(vocabulary))
    entries = ChangeEntries(
        np.concatenate([known, np.full(len(new), len(words))]),
        np.arange(len(known) + len(new)),
        np.concatenate([own[known], new]),
        factor * np.repeat([-1.0, 1.0], [len(known), len(new)]),
    )
    found = entries.collected(ids, text_starts, len(words) + 1, len(vocabulary))
    return replace(found, everywhere=len(words))


def replaced_words(
    texts: Sequence[str], vocabulary: Vocabulary, factor: float, steps: SynonymSteps
) -> EditChanges:
    """What words in place of others, as a table allows, do to counts of words: a site for each
    different word.

    Examples
    --------
    >>> from wideberth.metrics.strings.word_edits import Synonyms
    >>> steps = SynonymSteps(Synonyms.of({"tea": ["rum", "chai"], "or": ["tea"]}, "spaces"))
    >>> changes = replaced_words(["tea or rum"], Vocabulary.of(["rum", "tea"]), 1.0, steps)
    >>> changes.deltas.toarray().astype(int).tolist(), changes.sites
    ([[0, 1], [0, -1], [1, -1]], array([2, 0]))
    """
    words, ids, text_starts = tokens_of(texts, steps.tokens)
    places = {word: place for place, word in enumerate(vocabulary.names)}
    moved = [
        (site, places.get(word, _UNKNOWN), places.get(other, _UNKNOWN))
        for site, word in enumerate(words)
        for other in steps.table.of_words.get(word, ())
    ]
    sites, old, new = np.array(moved, dtype=np.int64).reshape(-1, 3).T
    owners, columns = np.tile(np.arange(len(sites)), 2), np.concatenate([old, new])
    values = factor * np.repeat([-1.0, 1.0], len(sites))
    known = columns >= 0
    entries = ChangeEntries(sites, owners[known], columns[known], values[known])
    return entries.collected(ids, text_starts, len(words), len(vocabulary))
