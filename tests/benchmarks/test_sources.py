"""Which results are older than the code: digests see code and nothing else, and name what
changed.
"""

import subprocess

import pytest


@pytest.fixture
def sources(benchmark_module):
    return benchmark_module("sources")


BEFORE = '''"""About."""


def shift(x):
    """Move."""
    return x + 1  # by one
'''


def test_words_do_not_count(sources):
    reworded = '"""Other words."""\n\ndef shift(x):\n    # why\n    return x + 1\n'
    assert sources.code_of(BEFORE) == sources.code_of(reworded) == "def shift(x):\n    return x + 1"


def test_code_counts(sources):
    assert sources.code_of(BEFORE) != sources.code_of(BEFORE.replace("x + 1", "x + 2"))


def test_texts_that_are_no_docstrings_count(sources):
    told = 'def name():\n    return "# no comment"\n'
    assert sources.code_of(told) == told.rstrip()


def test_a_part_is_a_folder_or_a_file(sources):
    files = {
        "src/wideberth/optimize/simplex.py": "a = 1\n",
        "src/wideberth/optimize_more.py": "b = 1\n",
    }
    changed = files | {"src/wideberth/optimize/simplex.py": "a = 2\n"}
    for part, differs in (
        ("optimize", True),
        ("optimize/simplex.py", True),
        ("optimize_more.py", False),
        ("opt", False),
    ):
        assert (sources.digest_of(part, files) != sources.digest_of(part, changed)) is differs


def test_a_result_of_this_code_is_not_older(sources):
    parts = ("bounds", "rounding.py")
    told = {"commit": "unknown", "sources": sources.digests(parts)}
    assert sources.changed_since(told, parts) == []
    assert sources.changed_since(
        told | {"sources": told["sources"] | {"bounds": "other"}}, parts
    ) == ["bounds"]


def test_a_result_without_digests_is_judged_by_its_commit(sources):
    head = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=sources.ROOT, capture_output=True, text=True
    )
    if head.returncode:
        pytest.skip("no repository")
    assert sources.changed_since({"commit": head.stdout.strip()}, ("certificate.py",)) is not None
    assert sources.changed_since({"commit": "0" * 40}, ("certificate.py",)) is None
