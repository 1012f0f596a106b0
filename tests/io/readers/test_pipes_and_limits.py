"""What cannot be read twice, may never end, or unpacks to far more than it is."""

import contextlib
import gzip
import io
import os
import socket
import sys
import threading
import warnings
import zipfile
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import wideberth
from wideberth.errors import InvalidFile, InvalidInput, WaitingWarning
from wideberth.io.readers import opening, read_batches, source
from wideberth.io.readers.source import MAX_SIZE

#: Texts of every format, with the names under which they are read.
TEXTS = {
    "t.csv": b"word,label\ntea,a\nmilk,b\n",
    "t.tsv": b"word\tlabel\ntea\ta\nmilk\tb\n",
    "ucr.tsv": b"1\t0.5\t2\n2\t1.5\tNaN\n",
    "t.jsonl": b'{"word": "tea", "label": "a"}\n{"word": "milk", "label": "b"}\n',
    "t.fasta": b">s label=a\nACGT\n>t label=b\nAC\n",
    "t.ts": b"@classLabel true a b\n@data\n1,2:a\n3,4:b\n",
    "t.smi": b"CCO ethanol\nC methane\n",
}


@pytest.fixture
def fifo(tmp_path):
    """A named pipe into which a thread writes; the thread ends when all is read, or the reader is
    gone.
    """

    def make(name, content):
        path = tmp_path / name
        os.mkfifo(path)

        def write():
            with contextlib.suppress(BrokenPipeError):
                path.write_bytes(content)

        thread = threading.Thread(target=write, daemon=True)
        thread.start()
        threads.append((thread, path))
        return path

    threads = []
    yield make
    for thread, path in threads:
        if thread.is_alive():  # nobody has opened the pipe
            os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK))
        thread.join()


def same(one, other):
    assert (one.labels, one.kind, one.column, one.target) == (
        other.labels,
        other.kind,
        other.column,
        other.target,
    )
    for a, b in zip(one.objects, other.objects, strict=True):
        assert np.array_equal(a, b)


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("compressed", [False, True])
def test_a_named_pipe_is_read_like_a_file(fifo, tmp_path, name, compressed):
    pack, ending = (gzip.compress, ".gz") if compressed else (bytes, "")
    (tmp_path / name).write_bytes(TEXTS[name])
    path = fifo(f"pipe.{name}{ending}", pack(TEXTS[name]))
    same(wideberth.read(path), wideberth.read(tmp_path / name))


@pytest.mark.parametrize("name", ["t.csv", "t.jsonl", "t.fasta"])
def test_a_pipe_without_an_ending_is_read_like_standard_input(fifo, tmp_path, name):
    (tmp_path / name).write_bytes(TEXTS[name])
    same(wideberth.read(fifo("63", TEXTS[name])), wideberth.read(tmp_path / name))


def test_a_pipe_is_read_in_batches_and_its_encoding_found(fifo):
    rows = "".join(f"thé {number}\n" for number in range(5000))
    path = fifo("pipe.csv", f"word\n{rows}".encode("cp1252"))
    with pytest.warns(wideberth.errors.GuessedEncodingWarning):
        batches = list(read_batches(path, size=1000))
    assert [len(batch) for batch in batches] == [1000] * 5
    assert batches[-1].objects[-1] == "thé 4999"


@pytest.mark.parametrize("name", ["t.npy", "t.npz", "t.parquet"])
def test_arrays_do_not_come_through_pipes(tmp_path, name):
    os.mkfifo(tmp_path / name)  # nobody writes into it: it must not be opened
    with pytest.raises(InvalidFile, match="a pipe cannot be read as"):
        wideberth.read(tmp_path / name)


def test_a_model_does_not_come_through_a_pipe(tmp_path):
    os.mkfifo(tmp_path / "model.wb")
    with pytest.raises(InvalidFile, match="this is a pipe"):
        wideberth.load(tmp_path / "model.wb")


def test_an_empty_pipe_and_a_binary_one_are_refused(fifo):
    with pytest.raises(InvalidFile, match="no data"):
        wideberth.read(fifo("empty", b""))
    for number, (start, what) in enumerate(
        {b"\x1f\x8b\x08": "compressed", b"PAR1": "Parquet", b"\x93NUMPY": "NPY"}.items()
    ):
        with pytest.raises(InvalidFile, match=what):
            wideberth.read(fifo(f"pipe{number}", start + b"\0" * 50))


def test_waiting_for_a_pipe_is_said(tmp_path, monkeypatch):
    path = tmp_path / "pipe.csv"
    os.mkfifo(path)
    monkeypatch.setattr(opening, "PATIENCE", 0)
    writers = []

    def write_at_last(
        *_,
    ):  # only the warning starts the writer: without it this test would wait forever
        writers.append(threading.Thread(target=partial(path.write_bytes, TEXTS["t.csv"])))
        writers[0].start()

    monkeypatch.setattr(warnings, "showwarning", write_at_last)
    with warnings.catch_warnings():
        warnings.simplefilter("always", WaitingWarning)
        warnings.showwarning = write_at_last
        assert wideberth.read(path).objects == ["tea", "milk"]
    writers[0].join()


def test_a_pipe_in_a_directory_of_texts_is_refused(tmp_path):
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "1.txt").write_text("tea")
    os.mkfifo(tmp_path / "texts" / "2.txt")
    with pytest.raises(InvalidFile, match=r"'2.txt' is neither a file nor a directory"):
        wideberth.read(tmp_path / "texts")


def test_devices_and_sockets_end_in_a_sentence(tmp_path):
    with pytest.raises(InvalidFile, match="more than 1 MB"):
        wideberth.read("/dev/zero", max_size="1MB")
    with pytest.raises(InvalidFile, match="no data"):
        wideberth.read("/dev/null")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "s.csv"))
        with pytest.raises(InvalidFile, match="cannot be opened"):
            wideberth.read(tmp_path / "s.csv")


@pytest.mark.parametrize("stdin", [None, io.StringIO("word\ntea\n")], ids=["closed", "text only"])
def test_standard_input_that_has_no_bytes(monkeypatch, stdin):
    monkeypatch.setattr(sys, "stdin", stdin)
    with pytest.raises(InvalidFile, match="standard input: it is closed"):
        wideberth.read("-")


def test_standard_input_has_a_limit(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"word\n" + b"tea\n" * 1000)))
    with pytest.raises(InvalidFile, match="standard input: more than 1 kB"):
        wideberth.read("-", max_size="1 kB")


def test_a_full_disk_under_the_copy_of_a_pipe_is_named(fifo, monkeypatch):
    class Full(io.BytesIO):
        def write(self, _):
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(opening.tempfile, "TemporaryFile", Full)
    with pytest.raises(
        InvalidFile,
        match=r"temporary copy .* cannot be written \(No space left on device\).* TMPDIR",
    ):
        wideberth.read(fifo("pipe.csv", TEXTS["t.csv"]))


# Bombs: small files that unpack to much.


def gzip_bomb(path):
    with gzip.open(path, "wb") as stream:
        stream.write(b"word,label\n")
        for _ in range(40):
            stream.write(b"tea,a\n" * 1000)


def lines_bomb(path):
    """A line that never ends: memory would be full before the first row is cut."""
    with gzip.open(path, "wb") as stream:
        for _ in range(20):
            stream.write(b"x" * 20_000)


def npz_bomb(path):
    np.savez_compressed(path, X=np.zeros((40_000, 1)))


def parquet_bomb(path):
    pq.write_table(
        pa.table({"size": pa.array(np.arange(40_000) % 7, type=pa.float64())}),
        path,
        compression="zstd",
    )


def repeated_bomb(path):
    """Stored once, whatever the number of rows: the file declares next to nothing."""
    pq.write_table(pa.table({"size": pa.array(np.zeros(40_000))}), path, compression="zstd")


def directory_bomb(path):
    path.mkdir()
    for number in range(20):
        (path / f"{number}.gz").write_bytes(gzip.compress(b"x" * 15_000))


BOMBS = {
    "t.csv.gz": gzip_bomb,
    "t.jsonl.gz": lines_bomb,
    "t.fasta.gz": lines_bomb,
    "t.smi.gz": lines_bomb,
    "t.ts.gz": lines_bomb,
    "t.tsv.gz": lines_bomb,
    "t.npz": npz_bomb,
    "t.parquet": parquet_bomb,
    "r.parquet": repeated_bomb,
    "texts": directory_bomb,
}


@pytest.mark.few(4)
@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_refused_with_the_way_out(tmp_path, name):
    path = tmp_path / name
    BOMBS[name](path)
    packed = sum(file.stat().st_size for file in ([path] if path.is_file() else path.iterdir()))
    assert packed < 100_000
    with pytest.raises(
        InvalidFile, match=r"kB unpacked, .*limit.*raise the limit: max_size='[^']*'; or unpack it"
    ) as caught:
        wideberth.read(path, max_size="200kB")
    assert caught.value.value >= 200_000
    if BOMBS[name] is not lines_bomb:  # following the advice succeeds
        assert len(wideberth.read(path, max_size="2MB")) >= 20


def test_stored_arrays_are_as_large_as_they_look(tmp_path):
    np.savez(tmp_path / "t.npz", X=np.zeros((2500, 1)))
    assert len(wideberth.read(tmp_path / "t.npz", max_size=1000)) == 2500


def test_a_plain_file_has_no_limit(tmp_path):
    (tmp_path / "t.csv").write_bytes(TEXTS["t.csv"])
    assert len(wideberth.read(tmp_path / "t.csv", max_size=1)) == 2


@pytest.mark.parametrize("max_size", [0, -1, "", "many", None, 1.5, True, "nanGB"])
def test_a_limit_is_a_size(tmp_path, max_size):
    (tmp_path / "t.csv").write_bytes(TEXTS["t.csv"])
    with pytest.raises(InvalidInput, match="is not"):
        wideberth.read(tmp_path / "t.csv", max_size=max_size)


def test_no_more_is_unpacked_than_an_archive_declares(tmp_path):
    """A zip that lies about its sizes is damaged, and not a way around the limit."""
    np.savez_compressed(tmp_path / "t.npz", X=np.zeros(250_000))
    content = (tmp_path / "t.npz").read_bytes()
    with zipfile.ZipFile(tmp_path / "t.npz") as archive:
        size = archive.infolist()[0].file_size
    (tmp_path / "t.npz").write_bytes(
        content.replace(size.to_bytes(4, "little"), (100).to_bytes(4, "little"))
    )
    with pytest.raises(InvalidFile, match="damaged"):
        wideberth.read(tmp_path / "t.npz", max_size="1MB")


def test_arrays_whose_shape_is_a_lie_are_refused(tmp_path):
    header = (
        b"\x93NUMPY\x01\x00v\x00"
        + b"{'descr': '<f8', 'fortran_order': False, 'shape': (999999999999, 9), }".ljust(117)
        + b"\n"
    )
    (tmp_path / "t.npy").write_bytes(header + b"\0" * 80)
    with zipfile.ZipFile(tmp_path / "t.npz", "w") as archive:
        archive.writestr("X.npy", header + b"\0" * 80)
    for name in ("t.npy", "t.npz"):
        with pytest.raises(InvalidFile, match="damaged"):
            wideberth.read(tmp_path / name)


@pytest.mark.parametrize(
    "name", ["t.csv", "t.tsv", "t.jsonl", "t.fasta", "t.ts", "t.smi", "t.csv.gz"]
)
def test_a_line_has_an_end(tmp_path, monkeypatch, name):
    monkeypatch.setattr(source, "LONGEST_LINE", 1000)
    content = TEXTS.get(name, TEXTS["t.csv"]) + b"x" * 2000
    (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    with pytest.raises(InvalidFile, match="a line of more than 1,000 characters") as caught:
        wideberth.read(tmp_path / name)
    assert caught.value.line == content.count(b"\n") + 1


def test_the_command_line_has_the_same_limit():
    from wideberth.cli import options

    assert options.MAX_SIZE.default == MAX_SIZE
