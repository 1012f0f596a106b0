"""A directory of texts: files are strings, sub-directories their labels, and what is no text is
refused by name.
"""

import gzip
import os
import tracemalloc
import warnings

import pytest

import wideberth
from wideberth.errors import GuessedEncodingWarning
from wideberth.io.readers import read_batches


@pytest.fixture
def folder(tmp_path):
    """Write files, with their directories, into a directory and return its path."""

    def folder(**files):
        for name, content in files.items():
            path = tmp_path / "texts" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return tmp_path / "texts"

    return folder


def test_sub_directories_are_labels(folder):
    path = folder(
        **{
            "neg/b.txt": "rum\n",
            "neg/a": "gin\r\nbeer",
            "pos/1.txt": "tea\n\n",
            "pos/.hidden": "\0",
            ".git/x": "\0",
        }
    )
    records = wideberth.read(path)
    assert (records.objects, records.labels) == (
        ["gin\nbeer", "rum", "tea\n"],
        ["neg", "neg", "pos"],
    )
    assert (records.kind, records.column, records.target, records.path) == (
        "strings",
        "text",
        "label",
        str(path),
    )
    assert wideberth.read(path, column="file").objects == ["neg/a", "neg/b.txt", "pos/1.txt"]


def test_a_flat_directory_has_no_labels(folder):
    records = wideberth.read(folder(**{"2.txt": "tea", "10.txt": "42"}))
    assert (records.objects, records.labels, records.kind) == (["42", "tea"], None, "strings")


def test_words_of_texts_can_be_sets(folder):
    assert wideberth.read(folder(a="tea and milk"), kind="sets").objects == [{"tea", "and", "milk"}]


def test_batches_joined_are_the_whole(folder):
    path = folder(**{f"{'ab'[i % 2]}/{i:03}": f"text {i}" for i in range(250)})
    batches = list(read_batches(path, size=7))
    assert [text for batch in batches for text in batch.objects] == wideberth.read(path).objects
    assert {len(batch) for batch in batches[:-1]} == {7}
    assert next(read_batches(path, labels=False)).labels is None


def test_encodings_are_found_file_by_file(folder):
    path = folder(
        a="thé".encode("utf-16"), b="thé".encode("utf-8-sig"), c="thé", d="thé".encode("utf-16-le")
    )
    assert wideberth.read(path).objects == ["thé"] * 4
    assert wideberth.read(folder(e=b""[:0] + "x".encode("utf-8-sig"))).objects[-1] == "x"


def test_compressed_files_are_texts_too(folder, refused):
    path = folder(**{"a.txt.gz": gzip.compress(b"tea\n")})
    assert wideberth.read(path).objects == ["tea"]
    path = folder(**{"a.txt.gz": b"tea"})
    with refused(path / "a.txt.gz", "the compressed file is damaged"):
        wideberth.read(path)


@pytest.mark.parametrize("reading", [wideberth.read, lambda path: list(read_batches(path))])
def test_a_guessed_encoding_is_said_once(folder, reading):
    path = folder(a="tea", b="thé\n".encode("cp1252"), c="\ncafé".encode("cp1252"))
    with pytest.warns(GuessedEncodingWarning) as caught:
        reading(path)
    assert len(caught) == 1
    assert f"{path / 'b'}, line 1: the byte 0xE9 is not UTF-8" in str(caught[0].message)
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert wideberth.read(path, encoding="cp1252").objects == ["tea", "thé", "\ncafé"]


@pytest.mark.parametrize(
    ("content", "complaint", "value"),
    [
        (b"", "the file is empty", ""),
        (b"\r\n", "the file is empty", ""),
        ("\ufeff".encode(), "the file is empty", ""),
        (b"\x89PNG\0\0\0", "the byte 0x00 does not belong in a text", b"\0"),
        (b"tea" * 2000 + b"\0", "this is not a text", "\0"),
        (b"t\x81a", "byte 0x81 is neither UTF-8 nor Windows-1252", b"\x81"),
    ],
)
def test_what_is_no_text_is_refused_by_name(folder, refused, content, complaint, value):
    path = folder(**{"a/1.txt": "tea", "a/2.txt": content})
    with refused(
        path / "a" / "2.txt", complaint, line=1 if isinstance(value, bytes) else None, value=value
    ):
        wideberth.read(path)
    (path / "a" / "2.txt").unlink()
    assert len(wideberth.read(path)) == 1


def test_files_beside_directories_are_refused(folder, refused):
    path = folder(**{"a/1.txt": "tea", "README.txt": "about"})
    with refused(
        path,
        "'README.txt' next to directories ('a')",
        "every file must be in one",
        value=["README.txt"],
    ):
        wideberth.read(path)
    (path / "README.txt").rename(path / "a" / "2.txt")
    assert wideberth.read(path).labels == ["a", "a"]


def test_labels_are_one_level_deep(folder, refused):
    path = folder(**{"train/pos/1.txt": "tea", "train/neg/1.txt": "rum"})
    with refused(
        path / "train",
        "'neg', 'pos' in a directory that is a label itself",
        "read the inner directory",
    ):
        wideberth.read(path)
    assert wideberth.read(path / "train").labels == ["neg", "pos"]


def test_directories_without_files_are_refused(tmp_path, refused):
    for name in ("empty", "empty/label", "empty/.hidden"):
        (tmp_path / name).mkdir()
        with refused(
            tmp_path / "empty", "no files in this directory", "Put one text into each file"
        ):
            wideberth.read(tmp_path / "empty")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="a system without named pipes")
def test_what_is_no_file_is_refused(folder, refused):
    path = folder(a="tea")
    os.mkfifo(path / "pipe")
    with refused(path, "'pipe' is neither a file nor a directory", value="pipe"):
        wideberth.read(path)
    (path / "pipe").unlink()
    try:
        (path / "\udcff").mkdir()
    except OSError:
        return  # a system that knows only names of text
    with refused(path, "with a name that can be shown", value="\udcff"):
        wideberth.read(path)


def test_a_link_that_leads_nowhere_is_refused(folder, refused):
    path = folder(a="tea")
    (path / "b").symlink_to(path / "nowhere")
    with refused(path, "'b' is neither a file nor a directory", value="b"):
        wideberth.read(path)


def test_a_file_that_disappears_is_a_sentence(folder, refused):
    path = folder(**{f"{i:03}": "tea" for i in range(250)})
    batches = read_batches(path, size=100)
    next(batches)
    (path / "240").unlink()
    with refused(path / "240", "there is no such file"):
        list(batches)


@pytest.mark.slow
def test_memory_does_not_grow_with_the_directory(folder):
    def peak(path):
        tracemalloc.start()
        try:
            assert sum(len(batch) for batch in read_batches(path, size=10)) >= 220
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    text = "x" * 20_000
    few = folder(**{f"a/{i}": text for i in range(220)})
    peak(few)  # what is only set up once does not count
    before = peak(few)
    assert peak(folder(**{f"a/{i}": text for i in range(220, 500)})) < 1.1 * before
