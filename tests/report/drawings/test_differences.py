"""Differences of two objects: the marked edits are an optimal alignment, and give back both
texts.
"""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein
from strategies import letters, table_rows

from wideberth.metrics.named import metric
from wideberth.report.drawings import difference
from wideberth.safe_text import visible

words = st.text("abcß ", max_size=12) | st.text(letters, max_size=8)
sentences = st.lists(st.text("ab,.", min_size=1, max_size=3), min_size=4, max_size=8).map(" ".join)


def side(spans: list, *styles: str) -> str:
    return "".join(text for style, text in spans if style in styles)


def groups(spans: list) -> list[tuple[str, str]]:
    """What is removed and what is added between two parts that stay."""
    found = [("", "")]
    for style, text in spans:
        if style == "same":
            found.append(("", ""))
        else:
            gone, come = found[-1]
            found[-1] = (gone + text, come) if style == "removed" else (gone, come + text)
    return found


@settings(max_examples=200, deadline=None)
@given(words, words)
def test_spans_give_back_both_strings_and_count_levenshteins_edits(left, right):
    drawn = difference(left, right, "strings")
    spans = drawn["spans"]
    assert side(spans, "same", "removed") == visible(left)
    assert side(spans, "same", "added") == visible(right)
    if drawn["unit"] == "edit":
        assert drawn["edits"] == Levenshtein.distance(left, right)
    if drawn["unit"] == "edit" and visible(left + right) == left + right:
        assert sum(max(len(gone), len(come)) for gone, come in groups(spans)) == drawn["edits"]


@settings(max_examples=100, deadline=None)
@given(sentences, sentences)
def test_texts_are_compared_by_words(left, right):
    drawn = difference(left, right, metric("levenshtein"))
    assert drawn["unit"] == "word"
    assert side(drawn["spans"], "same", "removed") == left
    assert side(drawn["spans"], "same", "added") == right
    pieces = [re.findall(r"\s+|\w+|[^\w\s]", text) for text in (left, right)]
    assert (drawn["edits"] == 0) == (left == right)
    assert drawn["edits"] <= max(map(len, pieces))


def test_words_that_change_are_marked_whole():
    drawn = difference("one cup of tea, please", "one mug of tea, please", "strings")
    assert drawn["spans"] == [
        ["same", "one "],
        ["removed", "cup"],
        ["added", "mug"],
        ["same", " of tea, please"],
    ]
    assert drawn["alt"] == "1 word: removed 'cup', added 'mug'"


def test_invisible_edits_become_visible():
    drawn = difference("tea\u200b", "tea", "strings")
    assert drawn["spans"] == [["same", "tea"], ["removed", "\\u200b"]]
    assert drawn["edits"] == 1


def test_long_texts_show_the_changes_and_what_stands_beside_them():
    left = "a" * 450 + "x" + "b" * 450
    drawn = difference(left, left.replace("x", "y"), "strings")
    shown = "".join(text for _, text in drawn["spans"])
    assert (drawn["edits"], len(shown)) == (1, 2 * 25 + 2)
    assert shown == f"…{'a' * 24}xy{'b' * 24}…"


def test_only_the_beginnings_of_very_long_texts_are_compared():
    drawn = difference("tea" * 300_000, "rum" * 300_000, "strings")
    assert drawn["edits"] is None
    assert "compared at their beginnings" in drawn["alt"]
    assert sum(len(text) for _, text in drawn["spans"]) <= 402


def test_sequences_of_tokens_are_aligned_token_by_token():
    drawn = difference(["A", 1, "b c"], ["A", "1", "b c"], "strings")
    assert drawn["spans"] == [["same", "A "], ["removed", "1 "], ["added", "1 "], ["same", "b c "]]
    assert drawn["edits"] == 1


@settings(max_examples=50, deadline=None)
@given(table_rows(missing=True))
def test_rows_mark_the_columns_that_differ(rows):
    left, right = rows[:2]
    drawn = difference(left, right, "rows")
    changed = {drawn["rows"][place][0] for place in drawn["changed"]}
    assert changed == {
        name
        for name in left
        if left[name] != right[name] and (left[name] == left[name] or right[name] == right[name])
    }
    assert difference(left, left, "rows")["changed"] == []


def test_of_wide_rows_the_columns_that_differ_come_first():
    left = {f"column {i}": i for i in range(50)}
    drawn = difference(left, left | {"column 40": -1}, "rows")
    assert drawn["rows"][0] == ["column 40", "40", "-1"]
    assert drawn["changed"] == [0]
    assert drawn["rows"][-1] == ["… 31 more", "", ""]
    assert len(drawn["rows"]) == 20


@pytest.mark.parametrize(
    "kind",
    [
        "vectors",
        "series",
        "molecules",
        "trees",
        "graphs",
        "points",
        "indices",
        "objects",
        "distributions",
    ],
)
def test_other_kinds_have_no_difference(kind):
    assert difference([1.0], [2.0], kind) is None
