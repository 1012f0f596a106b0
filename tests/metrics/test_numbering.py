"""What tokens are written as: the same for equal tokens, everywhere and always."""

import numpy as np
import pytest

import wideberth
from wideberth.metrics.numbering import NumberedTokens, written_token

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
