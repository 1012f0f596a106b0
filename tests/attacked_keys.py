"""Attacks on keys of 64 bits, for the tests and for the page about reliability.

Keys of words, n-grams and other elements are invertible: six letters can be written that have the
key of any other element. Whoever knows the model file, and even the secret seed of a process,
writes such letters here. Each attack counts the cases in which an answer differs from what the
letters say.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import count, islice, product

import numpy as np
from oracles.metrics import text_counts as twins

import wideberth as wb
from wideberth.metrics import elements as elements_module
from wideberth.metrics.element_kernels import key_of
from wideberth.metrics.elements import Elements
from wideberth.metrics.strings import text_counts
from wideberth.metrics.strings.count_kernels import pack_slices

#: Letters that had the keys of these words under the first hash of this library, which was computed
#: letter by letter.
ONCE_COLLIDING = {
    "congratulations": "\U000fc00a\U0003051e\U000736e8",
    "egg": "\u7439\U000b3a42\U000920e7",
    "fox": "\U000842c2\U0006a4d5\U0002974e",
    "for": "\u4bc0\U0010e249\U000d5bc5",
}
#: Stars with two edges of these labels had one label in their middle when labels of graphs were
#: sums of 64 bits.
ONCE_COLLIDING_STARS = [
    {"nodes": ["C", None, None], "edges": [[0, 1, labels[0]], [0, 2, labels[1]]]}
    for labels in ((1289216, 2760825), (825962, 969368))
]

_MASK = (1 << 64) - 1
_FACTORS = [pow(factor, -1, 1 << 64) for factor in (0x94D049BB133111EB, 0xBF58476D1CE4E5B9)]


def key(letters: Sequence[int]) -> int:
    """The key of letters, as the library computes it."""
    return (
        int(key_of(np.array(letters, dtype=np.uint32), 0, len(letters), elements_module._SEED))
        & _MASK
    )


def unmixed(word: int) -> int:
    """The number that the finalizer of SplitMix maps to a word."""
    word = _unshifted(word, 31) * _FACTORS[0] & _MASK
    word = _unshifted(word, 27) * _FACTORS[1] & _MASK
    return _unshifted(word, 30)


def _unshifted(word: int, by: int) -> int:
    """The number x of which a word is x ^ (x >> by)."""
    found = word
    for _ in range(64 // by + 1):
        found = word ^ (found >> by)
    return found


def colliding(word: str | Sequence[int]) -> Iterator[str]:
    """Other words with the key of a word or n-gram, in lower case and without white space.

    Three letters are tried, and three more are computed from them.
    """
    letters = list(map(ord, word)) if isinstance(word, str) else list(word)
    wanted = unmixed(key(letters))
    for number in count():
        first = "".join(chr(0x4E00 + number // 256**place % 256) for place in range(3))
        rest = unpacked(wanted ^ key(list(map(ord, first))))
        if rest is not None and first + rest != word:
            yield first + rest


def colliding_while_counted(word: str, seed: int) -> Iterator[str]:
    """Other words that begin with the same three letters as a word of seven or more, and have its
    hash under a known seed.

    The last of seven letters is tried, and three are computed from it.
    """
    wanted = int(counted_words(word, seed)[1])
    for number in count():
        last = 0x4E00 + number
        for hashed in (wanted, wanted ^ 1 << 63):  # the highest bit of the hash is not compared
            middle = unpacked(unmixed(unmixed(hashed) ^ last) ^ seed)
            if middle is not None and (found := word[:3] + middle + chr(last)) != word:
                yield found


def counted_words(word: str, seed: int) -> np.ndarray:
    """The two words of 64 bits by which a word is found while it is counted."""
    letters, found = (
        np.array(list(map(ord, word)), dtype=np.uint32),
        np.empty((1, 2), dtype=np.uint64),
    )
    ends = np.array([0, len(word)])
    pack_slices(
        letters, ends[:1], ends[1:], np.uint64(seed), np.empty((1, 2), dtype=np.int64), found
    )
    return found[0]


def unpacked(chunk: int) -> str | None:
    """The three letters that are side by side in a number; None if these are no letters."""
    codes = [(chunk >> 21 * place & 0x1FFFFF) - 1 for place in range(3)]
    return "".join(map(chr, codes)) if chunk < 1 << 63 and all(map(_is_letter, codes)) else None


def _is_letter(code: int) -> bool:
    if not 32 < code < 0x110000 or 0xD800 <= code < 0xE000:
        return False
    return chr(code).lower() == chr(code) and not chr(code).isspace()


WORDS = ["congratulations", "lunch", "prize", "winner", "meeting", "tomorrow"]
#: Words without a twin of the present hash: letters that collided once.
PAIRS = [*((word, next(colliding(word))) for word in WORDS), *ONCE_COLLIDING.items()]


def false_distances() -> tuple[int, int]:
    """How many distances between colliding texts were measured, and how many were not those of the
    definition.
    """
    cases = false = 0
    for word, other in PAIRS:
        for left, right in ((word, other), (f"a {word} b", f"a {other} b"), (other, other)):
            measured = [
                (wb.metric("words")(left, right), twins.l1(twins.words(left), twins.words(right)))
            ]
            for orders, at in product(((1, 2, 3), (3,), (6,), (2, 6)), ("words", "text")):
                counts = [twins.ngrams(text, orders, at) for text in (left, right)]
                for form, twin in (("counts", twins.l1), ("ruzicka", twins.ruzicka)):
                    measured.append(
                        (
                            wb.metric("ngrams", orders=orders, at=at, form=form)(left, right),
                            twin(*counts),
                        )
                    )
            sizes = (1, 3, 6)
            apart = [twins.affixes(text, sizes, sizes) for text in (left, right)]
            affixes = wb.metric("affixes", prefixes=sizes, suffixes=sizes)(left, right)
            measured.append(
                (affixes, 2 * sum(one != another for one, another in zip(*apart, strict=True)))
            )
            cases += len(measured)
            false += sum(abs(found - true) > 1e-12 for found, true in measured)
    return cases, false


def false_weights() -> tuple[int, int]:
    """How many rare n-grams were replaced by colliding ones, and how many of those got their
    weights.
    """
    cases = false = 0
    for word in ("winner", "dinner", "butter"):
        metric = wb.metric("rare_ngrams", orders=(6,), at="text").fitted(
            [word, "a text of some other letters"]
        )
        for other in islice(colliding(word), 5):
            for text in (
                f"a {word}",
                f"the {word} of",
            ):  # what collides is unknown, as any other letters are
                cases += 1
                false += metric(text, text.replace(word, other)) != metric(
                    text, text.replace(word, "\u4e00" * 6)
                )
    return cases, false


#: What linear scores count, and for how many edits they are learned.
COUNTED = {
    "words": ("words", (0, 1)),
    "n-grams": (wb.metric("ngrams", orders=(3,)), (0, 1)),
    "long n-grams": (wb.metric("ngrams", orders=(3, 6)), (0,)),
    "words and n-grams": (wb.transforms.total("words", wb.metric("ngrams", orders=(3,))), (0,)),
}


def false_labels(counted: str) -> tuple[int, int]:
    """How many texts got colliding letters for a word, and how many scores or labels within the
    radius are not as they were.

    Letters that are no word have the scores of any other letters that are none, and no label
    changes within a radius in edits.
    """
    metric, learned_for = COUNTED[counted]
    texts = [f"{word} w{i}" for word in ("congratulations", "egg", "fox") for i in range(12)] + [
        f"x{i} y{i}" for i in range(40)
    ]
    cases = false = 0
    for edits in learned_for:
        model = wb.LinearLipschitzClassifier(metric, edits=edits, min_count=1).fit(
            texts, ["spam"] * 36 + ["ham"] * 40
        )
        queries = ["see ya", "x1 y2", *texts[:3]]
        radii, labels = model.certified_radius(queries, unit="edit"), model.predict(queries)
        for (query, radius, label), (word, other) in product(
            zip(queries, radii, labels, strict=True), PAIRS
        ):
            unknown = "\U0010fffd" * len(other)
            for text, far in (
                (f"{query} {other}", len(other) + 1),
                (other + query[3:], len(other)),
                (query.replace(word, other), 15),
            ):
                found, true = (
                    model.decision_function([each]) for each in (text, text.replace(other, unknown))
                )
                cases += 1
                false += not np.allclose(found, true, rtol=1e-12, atol=1e-12)
                false += far <= radius and model.predict([text])[0] != label
    return cases, false


def false_counts_of_known_seeds() -> tuple[int, int]:
    """How many texts of words that share even the secret key of this process were counted, and how
    many wrongly.
    """
    cases = false = 0
    seed = int(text_counts._SECRET)
    for word in ("congratulations", "tomorrow"):
        for other in islice(colliding_while_counted(word, seed), 8):
            cases += 1
            false += wb.metric("words")(f"{word} {other}", f"{word} {word}") != 2
    return cases, false


def false_elements() -> tuple[int, int]:
    """How many elements of one key were numbered and looked up, and how many were taken for
    others.
    """
    group = ["congratulations", *islice(colliding("congratulations"), 20)]
    elements, places = Elements.of_texts([*group, *reversed(group)])
    false = (
        len(group)
        - len(elements)
        + int((places != np.concatenate([places[:21], places[:21][::-1]])).sum())
    )
    for known in range(1, len(group)):
        some, _ = Elements.of_texts(group[:known])
        found, is_there = Elements.of_texts(group)[0].places_in(some)
        false += int(is_there.sum()) != known or len(set(found[is_there].tolist())) != known
    return 2 * len(group) + len(group) ** 2, false


def false_graphs() -> tuple[int, int]:
    """How many distances of graphs with labels that once collided were measured, and how many were
    false.
    """
    one, other = ONCE_COLLIDING_STARS
    rounds = range(6)
    measured = [wb.metric("weisfeiler_lehman", iterations=n)(one, other) for n in rounds]
    true = [1 - 3 / (3 + 6 * n) for n in rounds]  # after the labels of the nodes, all labels differ
    return len(rounds), sum(
        abs(each - expected) > 1e-12 for each, expected in zip(measured, true, strict=True)
    )


class Clumsy:
    """A token whose hash says nothing."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __hash__(self) -> int:
        return 1

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Clumsy) and self.name == other.name


def false_tokens() -> tuple[int, int]:
    """How many sequences of different tokens of one hash were measured, and how many were at
    distance 0.
    """
    tokens = [Clumsy("tea"), Clumsy("rum"), 1, (1,), "t", "tea", 2**61, 1.5, -1, -2]
    cases = false = 0
    for one, other in product(tokens, repeat=2):
        for name in ("levenshtein", "indel", "damerau", "hamming"):
            cases += 1
            false += (wb.metric(name)([one, "x"], [other, "x"]) == 0) != (one == other)
    return cases, false


#: What is attacked, and the attack: it returns the number of cases, and of those with a false
#: answer.
ATTACKS: dict[str, Callable[[], tuple[int, int]]] = {
    "distances of words, n-grams and affixes": false_distances,
    "weights of rare n-grams": false_weights,
    **{
        f"scores and radii in edits, {counted}": partial(false_labels, counted)
        for counted in COUNTED
    },
    "counts under a known seed": false_counts_of_known_seeds,
    "elements of one key": false_elements,
    "labels of graphs": false_graphs,
    "tokens of one hash": false_tokens,
}


def collisions() -> list[dict[str, object]]:
    """A row for each attack, with the numbers of cases and of false answers."""
    rows = []
    for attacked, attack in ATTACKS.items():
        cases, false = attack()
        rows.append({"attacked": attacked, "cases": int(cases), "false": int(false)})
    return rows
