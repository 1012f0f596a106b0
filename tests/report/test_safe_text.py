"""Text of unknown origin: nothing in it is hidden, reorders what stands around it, or leaves the
JSON of a page.
"""

import json
import unicodedata

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wideberth.report.plain_facts import json_block, plain
from wideberth.safe_text import LONGEST_NAME, safe_name, safe_text

#: All code points, halves of surrogate pairs among them.
WILD = st.text(st.characters(codec=None, exclude_categories=()), max_size=60)
HOSTILE = [
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '"><svg onload=alert(1)>',
    "<!--",
    "=cmd('/bin/sh')",
    "\u202egnp.exe",
    "\u2066abc\u2069",
    "a\x00b",
    "\ud800",
    "\u2028\u2029",
    "&lt;b&gt;",
    "{{ 7 * 7 }}{% raw %}",
    "x" * 1_000_000,
]


@settings(deadline=None)
@given(WILD, st.integers(1, 80))
def test_what_is_hidden_becomes_visible(text, longest):
    shown = safe_text(text, longest)
    assert len(shown) <= longest
    assert all(unicodedata.category(letter) not in ("Cc", "Cs", "Zl", "Zp") for letter in shown)
    assert not any(
        unicodedata.bidirectional(letter)
        in ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")
        for letter in shown
    )
    shown.encode("utf-8")
    assert safe_text(shown, longest) == shown


@pytest.mark.parametrize("text", HOSTILE)
def test_names_are_short_and_never_empty(text):
    assert 0 < len(safe_name(text)) <= LONGEST_NAME


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | WILD,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(WILD, inner, max_size=4)
        | st.tuples(inner, inner)
    ),
    max_leaves=12,
)


@settings(deadline=None)
@given(VALUES)
def test_any_value_becomes_json_that_cannot_leave_its_element(value):
    facts = plain(value)
    written = json_block(facts)
    assert not set(written) & set("<>&\u2028\u2029\x00")
    assert json.loads(written) == facts
    assert plain(facts) == facts


def test_numbers_of_numpy_and_unknown_objects_become_plain():
    facts = plain({"a": np.arange(2), "b": np.float32(0.5), "c": {1}, "d": object, 3: np.inf})
    assert facts["a"] == [0, 1]
    assert facts["b"] == 0.5
    assert facts["c"] == [1]
    assert "object" in facts["d"]
    assert facts["3"] is None
