"""Elements beside a dictionary of their letters, also where many share a key."""

import pickle
from itertools import islice

import numpy as np
import pytest
from attacked_keys import colliding
from hypothesis import given, settings
from hypothesis import strategies as st

import wideberth
from wideberth.metrics.elements import Elements, NumberedTokens, joined_elements, written_token

#: Words, half of which share one key.
SOME = [
    "congratulations",
    *islice(colliding("congratulations"), 8),
    "",
    "a",
    "b",
    "ab",
    "abcabc",
    "abcabd",
    "abc",
    "\U0010ffff",
]

texts = st.lists(st.sampled_from(SOME) | st.text(max_size=8), max_size=20)


def words(elements):
    return ["".join(map(chr, letters)) for letters in elements.tuples()]


@pytest.mark.kernels
@given(texts)
@settings(max_examples=60, deadline=None)
def test_elements_are_the_different_ones_in_one_order(some):
    elements, places = Elements.of_texts(some)
    assert sorted(words(elements)) == sorted(set(some))
    assert [words(elements)[place] for place in places] == some
    pairs = list(zip(elements.keys.tolist(), elements.tuples(), strict=True))
    assert pairs == sorted(pairs)
    assert words(Elements.of_texts(some[::-1])[0]) == words(elements)


@pytest.mark.kernels
@given(texts, texts)
@settings(max_examples=60, deadline=None)
def test_others_are_found_by_their_letters(some, others):
    (elements, _), (known, _) = Elements.of_texts(some), Elements.of_texts(others)
    places, found = elements.places_in(known)
    for word, place, is_there in zip(words(elements), places, found, strict=True):
        assert is_there == (word in others)
        assert not is_there or words(known)[place] == word


@given(texts, texts)
@settings(max_examples=60, deadline=None)
def test_ranks_order_two_samples_as_one(some, others):
    (elements, _), (known, _) = Elements.of_texts(some), Elements.of_texts(others)
    joint, (mine, theirs) = joined_elements([elements, known])
    assert sorted(words(joint)) == sorted({*some, *others})
    ranks = elements.ranks_beside(known, np.arange(len(elements)))
    for rank, place in zip(ranks, mine, strict=True):
        for other_rank, other_place in zip(range(1, 2 * len(known), 2), theirs, strict=True):
            assert np.sign(rank - other_rank) == np.sign(place - other_place)


@given(texts)
@settings(max_examples=30, deadline=None)
def test_files_and_pickles_hold_letters(some):
    elements, _ = Elements.of_texts(some)
    for twin in (Elements.from_plain(elements.plain()), pickle.loads(pickle.dumps(elements))):
        assert words(twin) == words(elements)
        np.testing.assert_array_equal(twin.keys, elements.keys)
    chosen = np.arange(len(elements)) % 2 == 0
    assert words(elements.only(chosen)) == words(elements)[::2]


def test_files_in_which_elements_repeat_or_have_another_order_are_refused():
    plain = Elements.of_texts(["ab", "cd"])[0].plain()
    assert len(Elements.from_plain(plain)) == 2
    turned = plain["letters"][[2, 3, 0, 1]]
    for letters in (
        turned,
        plain["letters"][[0, 1, 0, 1]],
        plain["letters"].astype(np.uint64) + 2**40,
    ):
        with pytest.raises(ValueError, match=r"repeat|32 bits"):
            Elements.from_plain(plain | {"letters": letters})
    with pytest.raises(ValueError, match="offsets"):
        Elements.from_plain(plain | {"starts": np.array([0, 2, 5])})


def test_letters_of_all_32_bits_are_told_apart():
    """Three letters of 21 bits make a part of a key: larger ones overlap in it."""
    letters = np.array([1 << 21, 0, 0, 1, 0x1FFFFF, 0xFFFFFFFF], dtype=np.uint32)
    elements, places = Elements.of(letters, np.array([0, 2, 4, 5, 6]))
    assert len(elements) == len(set(places.tolist())) == 4
    assert (
        Elements.of_numbers(np.array([0, 1 << 32, 1, (1 << 32) + 1, 1]))[1].tolist().count(0) == 1
    )


# ---- What tokens are written as: the same for equal tokens, everywhere and always.


DIFFERENT = [
    None,
    "",
    "1",
    b"1",
    1,
    1.5,
    -1,
    2**70,
    10**5000,  # Python writes no more than 4,300 digits
    -(10**5000),
    10**5000 + 1,
    float("inf"),
    "none:",
    (1,),
    ((1,),),
    ("1",),
    ("a", "b"),
    ("a1:text:b",),
    ("a", ("b",)),
    (("a",), "b"),
    (1, 1),
    frozenset({1}),
    frozenset(),
]


def test_what_a_token_is_written_as_never_changes():
    """Model files hold it: these bytes are part of their format."""
    assert written_token("tea") == b"text:tea"
    assert written_token(1) == b"number:1"
    assert written_token(("C", 1, None)) == b"tuple:6:text:C8:number:15:none:"


def test_different_tokens_are_written_differently():
    assert len({written_token(token) for token in DIFFERENT}) == len(DIFFERENT)


def test_numbers_of_any_length_are_tokens():
    model = wideberth.NeighborsClassifier("levenshtein", n_neighbors=1).fit(
        [[10**5000, 1], [2, 3], [4, 5]], ["a", "b", "b"]
    )
    assert model.predict([[10**5000, 7], [4, 10**5000]]).tolist() == ["a", "b"]


@pytest.mark.parametrize(
    "equal",
    [
        (1, 1.0, True, np.int8(1), np.float32(1), np.True_),
        (0, 0.0, -0.0, False),
        ("a", np.str_("a")),
        (1.5, np.float16(1.5)),
    ],
    ids=str,
)
def test_equal_tokens_are_written_alike(equal):
    assert len({written_token(token) for token in equal}) == 1


def test_lists_count_as_tuples_and_sets_have_no_order():
    assert written_token(["C", [1]]) == written_token(("C", (1,)))
    assert written_token(frozenset(["a", "b", "c"])) == written_token(frozenset(["c", "b", "a"]))


@pytest.mark.parametrize(
    "token", [object(), 1j, {"a": 1}, float("nan"), np.float64("nan"), (1, object())]
)
def test_what_is_no_token_is_refused(token):
    with pytest.raises(TypeError):
        NumberedTokens().of([token])


def test_numbers_are_those_of_the_order_and_elements_those_of_other_samples():
    one, other = NumberedTokens(), NumberedTokens()
    assert one.of(["a", ["b"], "a", ("b",), 1, 1.0]) == [0, 1, 0, 1, 2, 2]
    assert other.of([1, "c", ("b",)]) == [0, 1, 2]
    (mine, my_places), (theirs, their_places) = one.elements(), other.elements()
    places, known = theirs.places_in(mine)
    assert known[their_places].tolist() == [True, False, True]
    assert places[their_places[[0, 2]]].tolist() == my_places[[2, 1]].tolist()
