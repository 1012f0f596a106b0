"""Values that look like numbers or text and are none: every reader refuses them with a sentence,
wherever they stand.
"""

import io
import json
import sys
import tempfile
import unicodedata
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import wideberth
from wideberth.errors import InvalidFile, InvalidInput
from wideberth.io.readers.formats.delimited import parse_number

#: Numbers as other scripts and programs write them, and what Python takes for numbers besides.
DISGUISED = ["١٢", "१२.५", "１２", "1\u202f00", "12\xa0", "\u30001", "−5", "۱e۲", "𝟏𝟐"]
NOT_NUMBERS = [
    *DISGUISED,
    "1_000",
    "nan",
    "inf",
    "-Infinity",
    "1e999",
    "\x1f1",
    "\x0c2",
    "0x10",
    "1,5",
    "--1",
    "1e",
    "½",
    "Ⅷ",
]
#: A file of each format that holds numbers, with a place for one more.
NUMBERS = {
    "t.csv": "size,label\n1,a\n2,b\n3,a\n4,a\n{},b\n",
    "t.tsv": "size\tlabel\n1\ta\n2\tb\n3\ta\n4\ta\n{}\tb\n",
    "ucr.tsv": "1\t0.5\t1.5\n2\t1\t{}\t\n",
    "label.tsv": "1\t0.5\t1.5\n{}\t1\t2\n",
    "t.ts": "@classLabel true a b\n@data\n1,2:a\n3,{}:b\n",
    "target.ts": "@targetLabel true\n@data\n1,2:0.5\n3,4:{}\n",
    "rows.csv": "size,city,label\n1,Ulm,a\n2,Ulm,b\n3,Bonn,a\n{},Bonn,b\n",
    "series.csv": "beat,label\n1 2,a\n3 4,b\n5 {},a\n",
    "lists.csv": 'beat,label\n"[1, 2]",a\n"[3, 4]",b\n"[5, {}]",a\n',
    "-": "size,label\n1,a\n2,b\n3,a\n4,a\n{},b\n",
}
KINDS = {"rows.csv": "rows"}


@pytest.fixture
def read_text(tmp_path, monkeypatch):
    """Read a text as a file of that name, or through standard input."""

    def read(name, text, **options):
        content = text if isinstance(text, bytes) else text.encode()
        if name == "-":
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
            return wideberth.read("-", **options)
        path = tmp_path / name
        path.write_bytes(content)
        return wideberth.read(path, **options)

    return read


@pytest.mark.parametrize("cell", NOT_NUMBERS, ids=ascii)
@pytest.mark.parametrize("name", NUMBERS)
def test_no_reader_takes_it_for_a_number(read_text, name, cell):
    if (name, cell) in {
        ("ucr.tsv", "nan"),
        ("t.csv", "nan"),
        ("t.tsv", "nan"),
        ("rows.csv", "nan"),
        ("-", "nan"),
        ("t.ts", "1,5"),
        ("lists.csv", "1,5"),
        ("t.tsv", "1,5"),
    }:
        # NaN pads a series and is a missing value in a table; a comma separates numbers, or decimals
        # where it does not separate cells
        return
    with pytest.raises(InvalidFile) as caught:
        read_text(name, NUMBERS[name].format(cell), kind=KINDS.get(name))
    assert caught.value.line or name == "-"
    assert caught.value.advice


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "rows.csv", "-"])
def test_a_column_of_disguised_numbers_is_not_taken_for_text(read_text, name):
    header, *_ = NUMBERS[name].splitlines()
    separator = "\t" if name == "t.tsv" else ","
    rows = [
        separator.join([number, *["x"] * header.count(separator)]) for number in ("١", "٢", "٣")
    ]
    with pytest.raises(
        InvalidFile, match=r"'١' in column 'size' is not a number. Write it with the digits 0 to 9"
    ):
        read_text(name, "\n".join([header, *rows]), kind=KINDS.get(name))
    words = read_text("words.csv", "word\n١\n٢\n", kind="strings")  # as text they may be read
    assert words.objects == ["١", "٢"]


@given(
    st.text(
        st.characters(categories=["Nd", "Zs", "Cc", "Nl", "No"], include_characters="+-.eE_nainf "),
        max_size=6,
    )
)
def test_a_number_has_the_digits_that_are_on_the_keyboard(cell):
    if parse_number(cell) is not None:
        assert set(cell) <= set("0123456789+-.eE \t\n\r")
        assert np.isfinite(parse_number(cell))


@given(
    st.sampled_from(
        [chr(code) for code in range(sys.maxunicode + 1) if unicodedata.category(chr(code)) == "Nd"]
    )
)
def test_a_digit_of_another_script_is_no_number(digit):
    assert (parse_number(digit) is not None) == digit.isascii()


@pytest.mark.parametrize(
    "number", ["1e999", "-1e999", "[1e999]", '{"a": [1e400]}', "NaN", "-Infinity", "1e" + "9" * 30]
)
@pytest.mark.parametrize("kind", [None, "objects", "rows", "series", "sets"])
def test_json_numbers_are_finite_whatever_is_read(read_text, number, kind):
    for name in ("t.jsonl", "-"):
        with pytest.raises(InvalidFile, match="line 2: not JSON"):
            read_text(
                name, f'{{"x": [1, 2], "label": 1}}\n{{"x": {number}, "label": 2}}\n', kind=kind
            )


#: A file of each text format with half of a surrogate pair, written as the format writes it.
HALVES = {
    "words.jsonl": r'{"word": "tea", "label": "a"}' + "\n" + r'{"word": "te\ud83c", "label": "a"}',
    "labels.jsonl": r'{"word": "tea", "label": "\udc00"}',
    "names.jsonl": r'{"word\ud83c": "tea", "label": "a"}',
    "inside.jsonl": r'{"tree": ["A", [["\ud83c", []]]], "label": "a"}',
    "smiles.jsonl": r'{"smiles": "CC \ud83c", "label": "a"}',
    "nodes.jsonl": r'{"nodes": ["C", "\ud83c"], "edges": [[0, 1]], "label": "a"}',
    "-": r'{"word": "te\ud83c", "label": "a"}',
}


@pytest.mark.parametrize("name", HALVES)
@pytest.mark.parametrize("kind", [None, "objects"])
def test_half_of_a_surrogate_pair_is_no_text_in_json(read_text, name, kind):
    with pytest.raises(InvalidFile, match="is half of a surrogate pair"):
        read_text(name, HALVES[name], kind=kind)
    whole = HALVES[name].replace(r"\ud83c", r"\ud83c\udf75").replace(r"\udc00", r"\ud83c\udc00")
    assert len(read_text(name, whole, kind=kind)) >= 1


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("t.csv", "word,label\n%s,a\n"),
        ("t.tsv", "word\tlabel\n%s\ta\n"),
        ("t.smi", "CC%s ethane\n"),
        ("t.fasta", ">s1 label=%s\nACGT\n"),
        ("t.ts", "@classLabel true %s\n@data\n1,2:%s\n"),
        ("t.jsonl", '"%s"\n'),
        ("-", "word\n%s\n"),
    ],
)
def test_encodings_that_decode_to_halves_are_refused(read_text, name, text):
    with pytest.raises(InvalidFile, match=r"half of a surrogate pair|not JSON"):
        read_text(name, text.replace("%s", "\\ud83c"), encoding="raw_unicode_escape")
    with pytest.raises(InvalidFile):  # as Python's own extension of UTF-8 writes it
        read_text(name, text.encode().replace(b"%s", b"\xed\xa0\xbc"), encoding="utf-8")


def test_cells_with_lists_have_whole_texts_too(read_text):
    with pytest.raises(InvalidFile, match="not a list of members"):
        read_text("t.csv", 'meal,label\n"[""te\\ud83c""]",a\n', kind="sets")


def test_texts_of_a_directory_are_text(tmp_path):
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "1.txt").write_text("\\ud83c")
    with pytest.raises(InvalidFile, match="this is not a text"):
        wideberth.read(tmp_path / "texts", encoding="raw_unicode_escape")


@pytest.mark.parametrize("code", [0xD800, 0xDFFF, 0x110000, 0xFFFFFFFF])
@pytest.mark.parametrize("order", ["<", ">"])
def test_arrays_of_text_hold_characters(tmp_path, code, order):
    points = np.array([[ord("a"), ord("b")], [ord("a"), code]], dtype=f"{order}u4")
    words = points.view(f"{order}U2").ravel()
    np.save(tmp_path / "t.npy", words)
    np.savez(tmp_path / "x.npz", X=words)
    np.savez(tmp_path / "y.npz", X=np.eye(2), y=words)
    for name, noun in (("t.npy", "objects"), ("x.npz", "objects"), ("y.npz", "labels")):
        with pytest.raises(
            InvalidFile,
            match=rf"the text at \[1\] of the {noun} has the number {code:#x} at character 2",
        ):
            wideberth.read(tmp_path / name)


def test_text_of_parquet_is_utf8(tmp_path):
    words = pa.Array.from_buffers(
        pa.string(), 1, [*pa.array(["abc"]).buffers()[:2], pa.py_buffer(b"\xed\xa0\xbc")]
    )
    pq.write_table(pa.table({"word": words}), tmp_path / "t.parquet")
    with pytest.raises(InvalidFile):
        wideberth.read(tmp_path / "t.parquet")


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_arrays_and_parquet_hold_finite_numbers(tmp_path, value):
    np.save(tmp_path / "t.npy", [[1.0], [value]])
    np.savez(tmp_path / "t.npz", X=[[1.0], [value]])
    pq.write_table(pa.table({"size": [1.0, 2.0, value]}), tmp_path / "t.parquet")
    for path in sorted(tmp_path.iterdir()):
        if path.suffix == ".parquet" and np.isnan(value):
            continue  # a missing value
        with pytest.raises(InvalidFile):
            wideberth.read(path)


#: One whole file of each format.
WHOLE = {
    "t.csv": b"word,label\ntea,a\n",
    "t.tsv": b"word\tlabel\ntea\ta\n",
    "ucr.tsv": b"1\t0.5\n",
    "t.jsonl": b'{"word": "tea", "label": "a"}\n',
    "t.fasta": b">s label=a\nACGT\n",
    "t.ts": b"@classLabel true a\n@data\n1,2:a\n",
    "t.smi": b"CCO ethanol\n",
}


def write_whole(name, folder):
    if name == "texts":
        (folder / name).mkdir()
        (folder / name / "1.txt").write_text("tea")
    elif name == "t.npy":
        np.save(folder / name, np.eye(2))
    elif name == "t.npz":
        np.savez(folder / name, X=np.eye(2), y=["a", "b"])
    elif name == "t.parquet":
        pq.write_table(pa.table({"word": ["tea"], "label": ["a"]}), folder / name)
    else:
        (folder / name).write_bytes(WHOLE[name])
    return folder / name


@pytest.mark.parametrize("name", [*WHOLE, "texts", "t.npy", "t.npz", "t.parquet"])
@pytest.mark.parametrize(
    "options",
    [
        {"target": ""},
        {"column": ""},
        {"column": ["word", ""]},
        {"target": 3},
        {"column": 3},
        {"column": [None]},
        {"column": [["word"]]},
        {"numbers": "", "kind": "rows"},
        {"target": b"label"},
    ],
    ids=str,
)
def test_every_reader_wants_names_that_are_names(tmp_path, name, options):
    with pytest.raises(InvalidInput, match="names no column"):
        wideberth.read(write_whole(name, tmp_path), **options)


def test_a_column_without_a_name_cannot_be_named(read_text):
    text = ",word,label\n0,tea,a\n1,milk,b\n"
    with pytest.raises(InvalidInput, match="target='' names no column"):
        read_text("t.csv", text, target="", column="word")
    assert read_text("t.csv", text, column="word").labels == ["a", "b"]


@pytest.mark.parametrize(
    "path",
    ["", b"", "a\0.csv", "\ud83c", "\ud83c.csv", 3, None, ["t.csv"], Path("a\0.csv")],
    ids=repr,
)
def test_a_path_is_the_name_of_a_file(path):
    with pytest.raises(InvalidInput, match=r"is not the name of a file|there is no such file"):
        wideberth.read(path)


def test_long_names_are_not_repeated_in_full(read_text):
    long = "x" * 100_000
    with pytest.warns(UserWarning, match="2 columns are called") as told:
        read_text("t.csv", f"{long},{long}\na,b\n", kind="rows")
    assert len(str(told[0].message)) < 1500
    for text in (f"word,{long}\na,b\n", f"a,{long}\n1\n", f"{long}\n"):
        with pytest.raises(InvalidFile) as caught:
            read_text("t.csv", text, column=None if text.startswith(long) else long + "y")
        assert len(str(caught.value)) < 1500


def test_nesting_ends_in_a_sentence(read_text):
    with pytest.raises(InvalidFile, match="nested too deeply"):
        read_text("t.jsonl", "[" * 200_000 + "]" * 200_000)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "t.csv")
        path.write_text(f'tree,label\n"{"[" * 200_000}",a\n')
        assert wideberth.read(path, kind="strings").labels == ["a"]
        with pytest.raises(InvalidFile, match="is not a node of a tree"):
            wideberth.read(path, kind="trees")


def test_dimensions_are_a_small_number(read_text):
    for wrong in ("٢", "2" * 5000, "-1", "1_0", "0"):
        with pytest.raises(InvalidFile, match="in @dimensions is not a number of channels"):
            read_text("t.ts", f"@classLabel false\n@dimensions {wrong}\n@data\n1:2\n")
    assert (
        json.dumps(
            read_text("t.ts", "@classLabel false\n@dimensions 2\n@data\n1:2\n").objects[0].tolist()
        )
        == "[[1.0], [2.0]]"
    )
