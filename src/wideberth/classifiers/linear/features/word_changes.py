"""What a single edit does to the words of a text: it makes a word another or unknown, divides it, or joins it to the next one."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np

from wideberth.array_types import Integers
from wideberth.classifiers.linear.features.edit_changes import ChangeEntries, EditChanges
from wideberth.classifiers.linear.features.vocabulary import Vocabulary
from wideberth.metrics.elements import Elements
from wideberth.metrics.strings.text_counts import read_texts, runs

#: Stands for a letter that is left out of a word.
_HOLE = "\x00"
#: The place of a word that is not in the vocabulary, or of no word at all.
_UNKNOWN = -1


def word_changes(texts: Sequence[str], vocabulary: Vocabulary, factor: float) -> EditChanges:
    """What one edit can do to counts of words.

    Parameters
    ----------
    texts : sequence of str
        The texts.
    vocabulary : Vocabulary
        The words that are counted.
    factor : float
        What counts are multiplied by.

    Returns
    -------
    EditChanges
        A site for each different word, and one for each two words that follow each other.

    Examples
    --------
    >>> changes = word_changes(["tea or"], Vocabulary.of(["or", "sea", "tea"]), 1.0)
    >>> changes.deltas.toarray().astype(int).tolist()  # no "or"; "tea" becomes unknown, or "sea"; both are joined to "teaor"
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
    columns = np.concatenate([own[sites], first, second, own[pairs[:, 0]], own[pairs[:, 1]], np.array(joined, dtype=np.int64)])
    owners = np.concatenate([changes[:m]] * 3 + [changes[m:]] * 3)
    values = factor * np.repeat([-1.0, 1.0, 1.0, -1.0, -1.0, 1.0], [m] * 3 + [len(pairs)] * 3)
    known = columns >= 0
    entries = ChangeEntries(np.concatenate([sites, n + np.arange(len(pairs))]), owners[known], columns[known], values[known])
    occurrences, starts = _interleaved(ids, text_starts, n + pair_ids, pair_starts)
    return entries.collected(occurrences, starts, n + len(pairs), len(vocabulary))


def tokens_of(texts: Sequence[str]) -> tuple[list[str], Integers, Integers]:
    """The different words of texts, sorted; the words of all texts, as numbers of these; and where each text begins.

    Examples
    --------
    >>> tokens_of(["Tea or tea", "rum"])
    (['or', 'rum', 'tea'], array([2, 0, 2, 1]), array([0, 3, 4]))
    """
    read = read_texts(list(texts))
    begins, ends = runs(~read.spaces)
    sizes = ends - begins
    letters = read.letters[np.repeat(begins - np.cumsum(sizes) + sizes, sizes) + np.arange(sizes.sum())]
    elements, ids = Elements.of(letters, np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes)]))
    words = ["".join(map(chr, word)) for word in elements.tuples()]
    order = sorted(range(len(words)), key=words.__getitem__)
    ranks = np.argsort(np.array(order, dtype=np.int64))
    starts = np.concatenate([np.zeros(1, dtype=np.int64), np.searchsorted(begins, read.ends)])
    return [words[place] for place in order], ranks[ids] if len(words) else ids.astype(np.int64), starts


def _changed_words(tokens: Sequence[str], places: dict[str, int]) -> tuple[Integers, Integers, Integers]:
    """For each change of a word its number, and the one or two words of the vocabulary that it becomes."""
    with_hole, longer = _one_letter_less(places)
    sites, first, second = [], [], []
    for number, token in enumerate(tokens):
        own = (places.get(token, _UNKNOWN), _UNKNOWN)
        found = set(_edited(token, places, with_hole, longer)) | {(_UNKNOWN, _UNKNOWN)}
        for left, right in sorted(found - {own}):
            sites.append(number)
            first.append(left)
            second.append(right)
    return np.array(sites, dtype=np.int64), np.array(first, dtype=np.int64), np.array(second, dtype=np.int64)


def _one_letter_less(places: dict[str, int]) -> tuple[dict[str, list[int]], dict[str, list[int]]]:
    """The words of the vocabulary by what is left of them without one letter: with a hole in its place, and without."""
    with_hole, longer = defaultdict(list), defaultdict(list)
    for word, place in places.items():
        for at in range(len(word)):
            with_hole[f"{word[:at]}{_HOLE}{word[at + 1 :]}"].append(place)
            longer[word[:at] + word[at + 1 :]].append(place)
    return with_hole, longer


def _edited(
    token: str, places: dict[str, int], with_hole: dict[str, list[int]], longer: dict[str, list[int]]
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


def _neighbours(ids: Integers, text_starts: Integers, n_tokens: int) -> tuple[Integers, Integers, Integers]:
    """The different pairs of words that follow each other; the pairs of all texts, as numbers of these; and where texts begin."""
    inside = np.ones(max(len(ids) - 1, 0), dtype=bool)
    ends = text_starts[1:-1]
    inside[ends[(ends > 0) & (ends < len(ids))] - 1] = False
    left, right = ids[:-1][inside], ids[1:][inside]
    different, pair_ids = np.unique(left * n_tokens + right, return_inverse=True)
    sizes = np.maximum(np.diff(text_starts) - 1, 0)
    starts = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes)])
    return np.stack([different // max(n_tokens, 1), different % max(n_tokens, 1)], axis=1), pair_ids, starts


def _interleaved(one: Integers, one_starts: Integers, other: Integers, other_starts: Integers) -> tuple[Integers, Integers]:
    """Two lists of sites of each text as one list."""
    owners = np.concatenate([np.repeat(np.arange(len(s) - 1), np.diff(s)) for s in (one_starts, other_starts)])
    order = np.argsort(owners, kind="stable")
    return np.concatenate([one, other])[order], one_starts + other_starts
