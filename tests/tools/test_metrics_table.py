"""The table in docs/metrics.md is current."""

import runpy
from pathlib import Path

TOOL = runpy.run_path(str(Path(__file__).parents[2] / "tools" / "metrics_table.py"))


def test_the_page_shows_the_table_of_today():
    page = TOOL["PAGE"].read_text(encoding="utf-8")
    assert TOOL["renewed"](page) == page, "run: python tools/metrics_table.py"


def test_a_set_is_written_in_one_order():
    assert TOOL["written"]({"tea", "milk", 3}) == "{'milk', 'tea', 3}"
    assert TOOL["written"](set()) == "set()"
    assert TOOL["written"]([1, "a"]) == "[1, 'a']"
