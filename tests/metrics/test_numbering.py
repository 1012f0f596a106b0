"""Keys of tokens: the same for equal tokens, everywhere and always."""

import numpy as np
import pytest

import wideberth
from wideberth.metrics.numbering import token_key, token_keys

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
    (1, 1),
    frozenset({1}),
    frozenset(),
]


def test_a_key_never_changes():
    """Model files hold keys: these numbers are part of their format."""
    assert token_key("tea") == -7120056336914490362
    assert token_key(1) == -7967431285943722851
    assert token_key(("C", 1, None)) == -2953058263237626905


def test_different_tokens_have_different_keys():
    assert len({token_key(token) for token in DIFFERENT}) == len(DIFFERENT)


def test_numbers_of_any_length_are_tokens():
    model = wideberth.NeighborsClassifier("levenshtein", n_neighbors=1).fit([[10**5000, 1], [2, 3], [4, 5]], ["a", "b", "b"])
    assert model.predict([[10**5000, 7], [4, 10**5000]]).tolist() == ["a", "b"]


@pytest.mark.parametrize(
    "equal",
    [(1, 1.0, True, np.int8(1), np.float32(1), np.True_), (0, 0.0, -0.0, False), ("a", np.str_("a")), (1.5, np.float16(1.5))],
    ids=str,
)
def test_equal_tokens_have_equal_keys(equal):
    assert len({token_key(token) for token in equal}) == 1


def test_lists_count_as_tuples_and_sets_have_no_order():
    assert token_key(["C", [1]]) == token_key(("C", (1,)))
    assert token_key(frozenset(["a", "b", "c"])) == token_key(frozenset(["c", "b", "a"]))


@pytest.mark.parametrize("token", [object(), 1j, {"a": 1}, float("nan"), np.float64("nan"), (1, object())])
def test_what_is_no_token_is_refused(token):
    with pytest.raises(TypeError):
        token_keys([token], {})


def test_keys_are_remembered():
    known = {}
    assert token_keys(["a", ["b"], "a"], known) == [token_key("a"), token_key(["b"]), token_key("a")]
    assert list(known) == ["a"]
