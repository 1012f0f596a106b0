"""Every format of the table: its example is read, whole and in batches, packed and through a pipe;
damage is refused; messages and pages name its endings.
"""

import contextlib
import doctest
import gzip
import io
import re
import sys
from pathlib import Path

import numpy as np
import pytest

import wideberth
from wideberth.cli import options
from wideberth.errors import InvalidFile, MissingExtra, WideberthError
from wideberth.io.readers import opening, read_batches
from wideberth.io.readers.formats import FORMATS
from wideberth.io.readers.formats.directories import DIRECTORY
from wideberth.io.readers.formats.phylip import PHYLIP
from wideberth.io.readers.records import KINDS
from wideberth.io.readers.source import MAX_SIZE

DOCS = Path(__file__).parents[3] / "docs"
#: Formats that have no room for labels.
UNLABELLED = (PHYLIP, opening.BY_ENDING[".npy"])
ENDINGS = [(each, ending) for each in FORMATS for ending in each.endings]
every_format = pytest.mark.parametrize("found", FORMATS, ids=lambda found: found.endings[0])
every_ending = pytest.mark.parametrize(
    ("found", "ending"), ENDINGS, ids=[ending for _, ending in ENDINGS]
)


def check_example(found, path):
    """The example of a format is read, and says the same in batches."""
    path.write_bytes(found.content())
    records = wideberth.read(path)
    assert len(records) >= 2
    assert (records.labels is None) == (found in UNLABELLED)
    assert opening.has_columns(str(path)) == found.has_columns
    batches = list(read_batches(path, size=1))
    assert [len(batch) for batch in batches] == [1] * len(records)
    for batch, one in zip(batches, records.objects, strict=True):
        assert np.array_equal(batch.objects[0], one)
    return records


def test_the_table_is_consistent():
    endings = [ending for _, ending in ENDINGS]
    assert len(endings) == len(set(endings))
    for found, ending in ENDINGS:
        assert ending.startswith(".")
        assert ending == ending.lower() != ".gz"
        assert opening.format_of(f"DATA/T{ending.upper()}") is found
    for found in (*FORMATS, DIRECTORY):
        opens = (found.of_lines, found.of_file, found.of_arrays)
        assert sum(one is not None for one in opens) == 1
        assert found.labels.endswith(".")


@every_ending
def test_the_example_is_read(found, ending, tmp_path):
    check_example(found, tmp_path / f"t{ending}")


@every_format
def test_only_texts_may_be_compressed(found, tmp_path):
    ending = found.endings[0]
    plain, packed = tmp_path / f"t{ending}", tmp_path / f"t{ending}.gz"
    plain.write_bytes(found.content())
    packed.write_bytes(gzip.compress(found.content()))
    if found.is_text:
        assert wideberth.read(packed).labels == wideberth.read(plain).labels
    else:
        with pytest.raises(InvalidFile, match="no reader"):
            wideberth.read(packed)


@every_format
def test_a_file_that_ends_early_is_read_or_refused(found, tmp_path):
    content = found.content()
    path = tmp_path / f"t{found.endings[0]}"
    for end in {1, 7, len(content) // 3, len(content) // 2, len(content) - 1}:
        path.write_bytes(content[:end])
        with contextlib.suppress(WideberthError):
            assert len(wideberth.read(path)) >= 1


@every_format
def test_an_empty_file_is_refused(found, tmp_path):
    path = tmp_path / f"t{found.endings[0]}"
    path.touch()
    with pytest.raises(InvalidFile, match="empty"):
        wideberth.read(path)


@pytest.mark.parametrize(
    "found", [each for each in FORMATS if each.begins], ids=lambda found: found.endings[0]
)
def test_what_comes_through_a_pipe_is_known_by_its_beginning(found, monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(found.content())))
    if not found.is_text:
        with pytest.raises(InvalidFile, match=f"this is {found.name}"):
            wideberth.read("-")
        return
    path = tmp_path / f"t{found.endings[0]}"
    path.write_bytes(found.content())
    assert wideberth.read("-").labels == wideberth.read(path).labels


@pytest.mark.parametrize(
    "found", [each for each in FORMATS if each.needs], ids=lambda found: found.endings[0]
)
def test_without_its_package_the_extra_is_named(found, monkeypatch, tmp_path):
    path = tmp_path / f"t{found.endings[0]}"
    path.write_bytes(found.content())
    package, extra = found.needs
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtra, match=rf'pip install "wideberth\[{extra}\]"'):
        wideberth.read(path)


def test_messages_and_pages_name_every_ending(tmp_path):
    path = tmp_path / "t.docx"
    path.write_text("tea")
    with pytest.raises(InvalidFile) as caught:
        wideberth.read(path)
    guide = (DOCS / "guide.md").read_text()
    for _, ending in ENDINGS:
        assert f"{ending}," in caught.value.advice or f"{ending} (" in caught.value.advice
        assert f"``{ending}``" in wideberth.read.__doc__, ending
        assert f"`{ending}`" in guide, ending


def test_the_help_of_the_command_line_names_every_kind():
    """It is written out there, since help must not wait for the readers."""
    assert set(re.findall(r"\w+", options.KIND.shown["help"])) >= set(KINDS)
    assert options.MAX_SIZE.default == MAX_SIZE


def test_the_page_about_a_new_format_adds_one(tmp_path, monkeypatch):
    """What the page defines passes the checks of every format, once it has a row."""
    page = (DOCS / "how-to-add-a-file-format.md").read_text()
    names = {}
    for example in doctest.DocTestParser().get_examples(page.partition("**The rows.**")[0]):
        exec(example.source, names)  # noqa: S102 (a page of ours)
    found = names["FASTTEXT"]
    for ending in found.endings:
        monkeypatch.setitem(opening.BY_ENDING, ending, found)
    records = check_example(found, tmp_path / "t.fasttext")
    assert (records.kind, records.target) == ("strings", "label")
    test_only_texts_may_be_compressed(found, tmp_path)
    test_a_file_that_ends_early_is_read_or_refused(found, tmp_path)
