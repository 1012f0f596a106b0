"""Where bytes come from: files that are there, and those that are not; standard input; streams."""

import gzip
import io
import sys
import tracemalloc
import zipfile

import numpy as np
import pytest

import wideberth
from wideberth.errors import InvalidFile, InvalidInput
from wideberth.io.readers import read_batches


@pytest.fixture
def pipe(monkeypatch):
    def pipe(content):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))

    return pipe


def test_an_unknown_ending_lists_the_known_ones(write, refused):
    path = write("drinks.docx", "word\ntea\n")
    with refused(
        path,
        "'.docx'",
        ".csv, .tsv,",
        ".dist (each also with .gz), .parquet, .xlsx, .xlsm, .npy, .npz",
        value=".docx",
    ):
        wideberth.read(path)
    assert len(wideberth.read(path.rename(path.with_suffix(".csv")))) == 1


def test_no_ending_and_compressed_arrays_are_refused(write, refused):
    path = write("drinks", "word\ntea\n")
    with refused(path, "the name has no ending", value=""):
        wideberth.read(path)
    path = write("drinks.npy.gz", "")
    with refused(path, "'.npy.gz'"):
        wideberth.read(path)


def test_gzip_under_another_name_and_a_zip_with_one_file(tmp_path, refused):
    content = b"word,label\ntea,a\nrum,b\n"
    (tmp_path / "t.csv").write_bytes(gzip.compress(content))
    assert wideberth.read(tmp_path / "t.csv").objects == ["tea", "rum"]
    path = tmp_path / "t.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("folder/", b"")
        archive.writestr("folder/t.csv", content)
        archive.writestr("__MACOSX/t.csv", b"x")
    assert wideberth.read(path).objects == ["tea", "rum"]
    with refused(path, "unpacked, which is the limit", "max_size="):
        wideberth.read(path, max_size=5)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("more.csv", content)
    with refused(path, "2 files in a ZIP archive", "Unpack it"):
        wideberth.read(path)
    path.write_bytes(path.read_bytes()[:40])
    with refused(path, "cannot be unpacked", "Unpack it"):
        wideberth.read(path)


def test_old_workbooks_have_a_way_out(tmp_path, refused):
    (tmp_path / "t.xls").write_bytes(b"\xd0\xcf")
    with refused(tmp_path / "t.xls", "Excel before 2007", "save it as .xlsx or .csv"):
        wideberth.read(tmp_path / "t.xls")


def test_a_missing_file_is_named(tmp_path, refused, monkeypatch):
    with refused(tmp_path / "drinks.csv", "there is no such file", "Check the path"):
        wideberth.read(tmp_path / "drinks.csv")
    monkeypatch.chdir(tmp_path)
    with refused("drinks.csv", f"The working directory is {str(tmp_path)!r}"):
        read_batches("drinks.csv")  # before the first batch is asked for


def test_a_directory_with_the_name_of_a_file_is_refused(tmp_path, refused):
    path = tmp_path / "drinks.csv"
    path.mkdir()
    with refused(path, "this is a directory", "Name a file in it", value=str(path)):
        wideberth.read(path)
    (path / "tea.txt").write_text("tea")
    assert wideberth.read(path.rename(tmp_path / "drinks")).objects == ["tea"]


def test_a_file_that_may_not_be_opened_is_refused(refused):
    path = "x" * 5000 + ".csv"  # no system has names that long
    with refused(path, "cannot be opened"):
        wideberth.read(path)


@pytest.mark.parametrize(
    "name",
    [
        f"drinks.{ending}"
        for ending in ("csv", "tsv", "jsonl", "fasta", "ts", "smi", "parquet", "npy", "npz")
    ],
)
def test_an_empty_file_is_refused(write, refused, name):
    path = write(name, b"")
    with refused(path, "the file is empty"):
        wideberth.read(path)


def test_damaged_compression_is_refused(write, refused):
    whole = gzip.compress(b"word\n" + bytes(range(65, 91)) * 100)
    for content in (b"word\ntea\n", whole[:-20], whole[:20] + b"\xff" * 20 + whole[40:]):
        path = write("drinks.csv.gz", content)
        with refused(path, "the compressed file is damaged", "Compress it again"):
            wideberth.read(path)


def test_standard_input_is_a_table_or_json_lines(pipe):
    pipe("word,label\nthé,fr\n".encode())
    records = wideberth.read("-")
    assert (records.objects, records.labels, records.path) == (["thé"], ["fr"], "-")
    pipe(b'\n{"word": "tea"}\n')
    assert wideberth.read("-").objects == ["tea"]
    pipe(b"\n>s1 label=promoter\nACGT\n")
    assert wideberth.read("-").objects == ["ACGT"]


def test_standard_input_is_called_by_its_name(pipe):
    pipe(b"word,label\ntea\n")
    with pytest.raises(InvalidFile, match="standard input, line 2: 1 cell"):
        wideberth.read("-")
    pipe(b"")
    with pytest.raises(InvalidFile, match="standard input: no data"):
        wideberth.read("-")


@pytest.mark.parametrize("size", [0, -1, 2.5])
def test_a_batch_holds_something(write, size):
    with pytest.raises(InvalidInput, match=str(size)):
        read_batches(write("drinks.csv", "word\ntea\n"), size=size)


@pytest.mark.few(2)
@pytest.mark.parametrize("size", [1, 3, 999, 1000, 1001, 5000])
def test_batches_joined_are_the_whole(write, size):
    path = write(
        "sizes.csv", "a,b,label\n" + "".join(f"{i},{i * i},{i % 7}\n" for i in range(2003))
    )
    batches, whole = list(read_batches(path, size=size)), wideberth.read(path)
    assert {len(batch) for batch in batches[:-1]} <= {size}
    np.testing.assert_array_equal(
        np.concatenate([batch.objects for batch in batches]), whole.objects
    )
    assert [label for batch in batches for label in batch.labels] == whole.labels


def test_a_whole_file_may_be_many_batches(write):
    words = [f"word {i}" for i in range(25_000)]
    assert wideberth.read(write("words.csv", "word\n" + "\n".join(words))).objects == words
    numbers = wideberth.read(write("numbers.csv", "number\n" + "\n".join(map(str, range(25_000)))))
    assert numbers.objects[:, 0].tolist() == list(range(25_000))


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("name", "header", "row"),
    [
        ("t.csv", "word,label\n", "tea,en\n"),
        ("t.jsonl", "", '{"word": "tea"}\n'),
        ("t.fasta", "", ">s label=a\nACGT\n"),
        ("t.ts", "@classLabel true a\n@data\n", "1,2:a\n"),
        ("t.tsv", "", "1\t0.5\t1.5\n"),
        ("t.smi", "", "CCO ethanol\n"),
    ],
)
def test_memory_does_not_grow_with_the_file(write, name, header, row):
    def peak(rows):
        path = write(name, header + row * rows)
        tracemalloc.start()
        try:
            assert sum(len(batch) for batch in read_batches(path, size=250)) == rows
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(500)  # what is only set up once does not count
    assert peak(4_000) < 1.1 * peak(1_000)


def test_labels_through_a_pipe_are_lines(write, pipe):
    pipe(b"en\nfr\n")
    assert wideberth.read(write("t.csv", "word\ntea\nlait\n"), labels_from="-").labels == [
        "en",
        "fr",
    ]
