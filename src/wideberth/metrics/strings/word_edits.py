r"""Texts as sequences of words: the fewest words that are put in, taken out or replaced, and how
many words are replaced by others that a table allows.

A character edit changes the words that it touches: inside a word it replaces one, a space in a word
replaces one and puts one in, and a space less takes one out and replaces one. So by characters,
texts are at least half as far. A word can have any number of letters, so that no distance of
letters is bounded by this one.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from rapidfuzz.distance import Levenshtein as LevenshteinScorer
from rapidfuzz.process import cdist

from wideberth.array_types import Objects
from wideberth.errors import InvalidInput
from wideberth.metrics.metric import Distances, Kind, Metric, Promises
from wideberth.metrics.parameters import checked_choice
from wideberth.metrics.strings import text_counts
from wideberth.metrics.strings.sample import (
    Sequences,
    comparable,
    prepare_sequences,
    read_sequences,
)
from wideberth.objects.sample import shown
from wideberth.wording import setting


class WordEdit(Metric):
    r"""Edit distance of words: the fewest words put in, taken out or replaced that turn one text
    into the other.

    .. math:: d(xa, yb) = \min\{d(x, yb) + 1,\; d(xa, y) + 1,\; d(x, y) + [a \neq b]\}

    for words a, b: the `Levenshtein` distance of the sequences of words. It is what
    ``unit="word"`` means: an answer that is safe under any two word edits has a radius of 3.

    A pseudo-metric, because edits can be undone and composed. Neither Hilbertian nor of negative
    type, as for words of one letter it is Levenshtein's. It does not separate texts that differ in
    capitals or white space.

    At most twice the `Levenshtein`, `Indel`, `Hamming` and `Damerau` distances: one edit of a
    character changes two words at most, when they become one, one becomes two, or a letter changes
    places with a space. Where punctuation stands alone, at most 3 times: a mark in a word makes
    three of one.

    Parameters
    ----------
    tokens : {"spaces", "punctuation"}, default="spaces"
        What cuts texts into words, as for `Words`. Lists of words are taken as they are.

    Examples
    --------
    >>> WordEdit()("a cup of tea", "a big cup of rum")
    2.0
    >>> WordEdit(tokens="punctuation")("tea!", "tea")
    1.0
    """

    name = "word_edit"
    unit = "word edit"
    source = "insert, delete, substitute words"
    accepts: Kind = "strings"
    parallel = "threads"
    underflow = 0.0
    if_not_bounding: ClassVar[str] = (
        "A word that is put in can have any number of letters, so that distances of letters have no "
        "bound by edits of words; counts of words have one, 'words' for texts."
    )
    examples = (
        *("a cup of tea", "Tea with milk", "tea", ""),
        *("a bottle of rum", "rum", "rum and a cask of ale", "A cask of rum"),
    )
    counterexamples: ClassVar = {
        "hilbertian": ("a", "a b a", "b a b", "a b", "b a"),
        "negative_type": ("a", "a b a", "b a b", "a b", "b a"),
        "separates": ("a cup", "A  cup"),
    }
    promises = Promises(
        obeys_triangle=True,
        hilbertian=False,
        negative_type=False,
        bounded=False,
        separates=False,
        step=1,
    )

    def __init__(self, tokens: text_counts.Tokens = "spaces") -> None:
        self.tokens = checked_choice(tokens, "tokens", tuple(text_counts.WORDS_ARE), self.name)

    @property
    def dominated(self) -> Mapping[str, float]:
        """The constants of edit distances; see the class."""
        most = 2.0 if self.tokens == "spaces" else 3.0
        return dict.fromkeys(("levenshtein", "indel", "damerau", "hamming"), most)

    @property
    def unit_means(self) -> str:
        """What a word edit and a word are."""
        return (
            "A word edit puts one word in, takes one out or replaces one by any other; a word is "
            f"{text_counts.WORDS_ARE[self.tokens]}."
        )

    def prepare(self, objects: Objects) -> Sequences:
        """Check texts and cut them into words; lists of words are taken as they are."""
        if isinstance(objects, Sequences):
            return objects
        given = read_sequences(objects)
        texts = [item for item in given if isinstance(item, str | bytes)]
        words = iter(
            text_counts.spelled_words(
                text_counts.read_texts(text_counts.checked_texts(texts)), self.tokens
            )
            if texts
            else ()
        )
        return prepare_sequences(
            [next(words) if isinstance(item, str | bytes) else item for item in given]
        )

    def nanoseconds(self, prepared: Sequences) -> float:
        """Estimate the time of one distance: quadratic in the mean number of words, many pairs of
        words in one machine word.
        """
        return 5.0 + 0.15 * float(prepared.lengths.mean()) ** 2

    def _measure(self, left: Sequences, right: Sequences) -> Distances:
        return cdist(*comparable(left, right), scorer=LevenshteinScorer.distance, dtype=np.float64)


# ---- Words and what may take their places


@dataclass(frozen=True)
class Synonyms:
    """Which words may take the place of a word; each may stay.

    Examples
    --------
    >>> table = Synonyms.of({"Good": ["fine", "great"]}, "spaces")
    >>> table.of_words
    {'good': ('fine', 'great')}
    >>> Synonyms.of({"good": ["very good"]}, "spaces")
    Traceback (most recent call last):
    ...
    wideberth.errors.InvalidInput: The synonym 'very good' of 'good' is not one word but 2. ...
    """

    #: The other words that may stand for a word, sorted.
    of_words: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, given: Any, tokens: text_counts.Tokens) -> Self:
        """The table that a user passes, a dict of words and lists of words; an `InvalidInput` for
        the first entry that is none.

        Words are read as texts are. Replacements go one way: "fine" for "good" does not allow
        "good" for "fine".
        """
        if not isinstance(given, Mapping):
            raise _no_table(given)
        found: dict[str, set[str]] = {}
        for word, others in given.items():
            if isinstance(others, str) or not isinstance(others, Iterable):
                raise _no_table({word: others})
            key = _one_word(word, tokens, "The word")
            found.setdefault(key, set()).update(
                _one_word(other, tokens, "The synonym", f" of {word!r}") for other in others
            )
        return cls({word: tuple(sorted(found[word] - {word})) for word in sorted(found)})


def _no_table(given: Any) -> InvalidInput:
    return InvalidInput(
        f"{setting('synonyms', shown(given))} is not a table of words.",
        advice="Pass a dict with a list of words for each word: "
        f"{setting('synonyms', {'good': ['fine', 'great']})}.",
        value=given,
    )


def _one_word(given: Any, tokens: text_counts.Tokens, which: str, of: str = "") -> str:
    """A word as texts have it, or an `InvalidInput` if it is none or several."""
    if not isinstance(given, str):
        raise InvalidInput(f"{which} {given!r}{of} is no text.", value=given)
    (words,) = text_counts.spelled_words(text_counts.read_texts([given]), tokens)
    if len(words) != 1:
        raise InvalidInput(
            f"{which} {given!r}{of} is not one word but {len(words)}.",
            advice="Only words can take the place of words; leave it out, or choose other "
            f"{setting('tokens')} for the metric.",
            value=given,
        )
    return words[0]


class SynonymSteps(Metric):
    """How many words have to be replaced by others that a table allows; infinite if that does not
    lead from one text to the other.

    It is not symmetric, and no metric. Each step is a word edit, so that what no r word edits
    change, no r synonyms do.

    Examples
    --------
    >>> steps = SynonymSteps(Synonyms.of({"good": ["fine"]}, "spaces"))
    >>> steps.block(["a good cup", "a fine cup"], ["a fine cup"])
    array([[1.],
           [0.]])
    >>> steps.block(["a fine cup"], ["a good cup"])
    array([[inf]])
    """

    name = "synonyms"
    unit = "synonym"
    accepts: Kind = "strings"
    parallel = "threads"
    promises = Promises(step=1)

    def __init__(self, table: Synonyms, tokens: text_counts.Tokens = "spaces") -> None:
        self.table = table
        self.tokens = tokens

    @property
    def unit_means(self) -> str:
        """What a synonym is."""
        return (
            "A synonym is one word replaced by another that the table of the model allows in its "
            "place."
        )

    def prepare(self, objects: Objects) -> Sequences:
        """Cut texts into words."""
        return WordEdit(self.tokens).prepare(objects)

    def _measure(self, left: Sequences, right: Sequences) -> Distances:
        return np.array([[self._steps(one, other) for other in right] for one in left]).reshape(
            len(left), len(right)
        )

    def _steps(self, one: list[str], other: list[str]) -> float:
        changed = [(a, b) for a, b in zip(one, other, strict=False) if a != b]
        allowed = len(one) == len(other) and all(
            b in self.table.of_words.get(a, ()) for a, b in changed
        )
        return float(len(changed)) if allowed else np.inf
