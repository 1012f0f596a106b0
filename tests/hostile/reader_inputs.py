"""Files that were tampered with, for all readers: edits as plain values, and strategies that draw
them.

An edit is a list of where (a share of the file), how many bytes to remove, and which bytes to
insert, as text in Latin-1. All of it is JSON, so that a case that found a fault is kept as a line
of the corpus.
"""

import gzip
import io
import json
import zipfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import strategies as st

from wideberth.io.readers.formats import FORMATS
from wideberth.io.readers.opening import format_of


def parquet(**columns):
    stream = io.BytesIO()
    pq.write_table(pa.table(columns), stream)
    return stream.getvalue()


def npz(**arrays):
    stream = io.BytesIO()
    np.savez_compressed(stream, **arrays)
    return stream.getvalue()


def npy(array):
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


SHEET = b"""<?xml version="1.0" encoding="UTF-8"?>
<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><dimension ref="A1:C3"/><sheetData>
<row r="1"><c r="A1" t="inlineStr"><is><t>word</t></is></c><c r="B1" t="inlineStr"><is><t>size</t></is></c>\
<c r="C1" t="inlineStr"><is><t>label</t></is></c></row>
<row r="2"><c r="A2" t="inlineStr"><is><t>tea</t></is></c><c r="B2"><v>1.5</v></c><c r="C2" t="s"><v>0</v></c></row>
<row r="3"><c r="A3" t="inlineStr"><is><t>rum</t></is></c><c r="B3" s="1"><v>45000</v></c><c r="C3" t="s"><v>1</v></c></row>
</sheetData></worksheet>"""
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_KIND = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
PARTS = {
    "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    f'<Override PartName="/xl/workbook.xml" ContentType="{_KIND}.sheet.main+xml"/>'
    f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{_KIND}.worksheet+xml"/>'
    f'<Override PartName="/xl/sharedStrings.xml" ContentType="{_KIND}.sharedStrings+xml"/></Types>',
    "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
    f'<Relationship Id="r1" Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
    f'<Relationship Id="r1" Type="{_OFFICE}/worksheet" Target="worksheets/sheet1.xml"/>'
    f'<Relationship Id="r2" Type="{_OFFICE}/sharedStrings" Target="sharedStrings.xml"/></Relationships>',
    "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>'
    '<sheet name="drinks" sheetId="1" r:id="r1"/></sheets></workbook>',
    "xl/sharedStrings.xml": f'<sst xmlns="{_MAIN}"><si><t>a</t></si><si><t>b</t></si></sst>',
}


def workbook(sheet=SHEET, **parts):
    """The bytes of a workbook with one sheet."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in (PARTS | parts).items():
            archive.writestr(name, text)
        archive.writestr("xl/worksheets/sheet1.xml", sheet)
    return stream.getvalue()


SDF = b"""tea
  by hand

  2  1  0  0  0  0  0  0  0  0999 V2000
    0.0000    0.0000    0.0000 C   0  0  0  0  0  0  0  0  0  0  0  0
    1.2990    0.7500    0.0000 O   0  0  0  0  0  0  0  0  0  0  0  0
  1  2  1  0
M  END
> <label>
soft

$$$$
"""
TREE = {"label": "A", "children": [{"label": "B"}, {"label": "C", "children": []}]}

#: Whole files, by names that say how they are read; of "texts" it is the content of a file in a
#: directory, "-" is standard input.
WHOLE = {
    "words.csv": b"word,smiles,label\ntea,CCO,a\nrum,CO,b\nmilk,C,a\n",
    "numbers.csv": b"x;y;label\n1;2.5;a\n3;-4e2;b\n5;6;a\n",
    "series.csv": b'beat,label\n1 2 3,a\n"4;5;6",b\n"[7, 8, 9]",a\n',
    "words.tsv": b"word\tlabel\ntea\ta\nrum\tb\n",
    "ucr.tsv": b"1\t0.5\t1.5\n2\t3\tNaN\n",
    "graphs.jsonl": b'{"nodes": ["C", "O"], "edges": [[0, 1]], "label": 1}\n{"nodes": [1], "edges": [], "label": 2}\n',
    "trees.jsonl": "".join(
        json.dumps({"tree": tree, "label": "x"}) + "\n" for tree in (TREE, ["A", [["B", []]]])
    ).encode(),
    "nodes.jsonl": "".join(json.dumps({**TREE, "class": label}) + "\n" for label in "xy").encode(),
    "values.jsonl": b"[1, 2, 3]\n[4.5]\n[-6e2, 7]\n",
    "t.fasta": b">s1 label=a [organism=Homo sapiens]\nACGT\nAC\n>s2 label=b\nAAA*\n",
    "t.ts": b"#\n@univariate false\n@dimensions 2\n@equalLength true\n@classLabel true a b\n@data\n1,2:3,4:a\n5,6:7,8:b\n",
    "target.ts": b"@targetLabel true\n@data\n1,2:0.5\n5,6,7:-1e3\n",
    "t.smi": b"smiles label\nCCO hard\nO soft\n",
    "t.parquet": parquet(word=["tea", "rum"], beat=[[1.0], [2.0]], label=["a", "b"]),
    "t.npz": npz(X=np.eye(2), y=np.array(["a", "b"])),
    "words.npy": npy(np.array(["tea", "rum"])),
    "numbers.npy": npy(np.arange(6.0).reshape(3, 2)),
    "dates.csv": b"day;price;share;open;id;label\n31.12.2024;1,5;5 %;yes;1;a\n01.02.2024;2,25;7 %;no;2;b\n",
    "matrix.csv": b"0,2,1\n2,0,1\n1,1,0\n",
    "t.arff": b"@relation t\n@attribute 'a b' numeric\n@attribute c {x,'y z'}\n@attribute class {1,2}\n@data\n1,x,1\n?,'y z',2\n",
    "t.sdf": SDF + SDF.replace(b"soft", b"hard"),
    "square.phy": b"3\nape 0 1 2\ncat 1 0 3\ndog 2 3 0\n",
    "lower.phy": b"3\nape\ncat 1\ndog 2 3\n",
    "sheet.xlsx": SHEET,
    "t.xlsx": workbook(),
    "texts": "thé\nwith milk\n".encode(),
    "-": b"word,size,label\ntea,1,a\nrum,2,b\n",
}
WHOLE |= {f"example{each.endings[0]}": each.content() for each in FORMATS}
TEXTS = [name for name in WHOLE if (found := format_of(name)) is None or found.is_text]

#: What is inserted: what numbers, names, quotes, encodings, headers and nesting break on.
PIECES = [
    *[
        "1e999",
        "-1e999",
        "NaN",
        "inf",
        "-0",
        "1_0",
        "0x1",
        "9" * 400,
        "1e-400",
        ".",
        "-",
        "+",
        "٣",
        "\u00a0",
        "\u202f",
        "−",
        "½",
    ],
    *[
        '"',
        "'",
        ",",
        ";",
        "\t",
        "|",
        "\n",
        "\r",
        "\r\n",
        "\n\n",
        " ",
        "\x1f",
        "\x0c",
        "\0",
        "\0\0",
        ":",
        "@",
        ">",
        "#",
        "?",
        "%",
    ],
    *[
        "\\ud83c",
        "\\u0000",
        "\\u2615",
        "\\",
        "[",
        "]",
        "{",
        "}",
        "[" * 3000,
        '{"a":' * 500,
        "null",
        "true",
        "[]",
        "{}",
        '""',
    ],
    *[
        "label",
        "smiles",
        "tree",
        "nodes",
        "edges",
        "children",
        "@data",
        "@dimensions 9",
        "@classLabel true",
        "value",
        "word,word",
    ],
    *[
        "\ufeff",
        "é",
        "日本",
        "\U0001f375",
        "a" * 5000,
        "x,y,z,w\n",
        "1 2 3",
        "{'descr': '<U9', 'shape': (9,)}",
        "<f8",
        "|O",
        ">U2",
    ],
]
PIECES = [piece.encode("utf-8", "surrogatepass").decode("latin-1") for piece in PIECES]
PIECES += [
    "\xff",
    "\xff\xfe",
    "\xed\xa0\xbc",
    "\xc3",
    "\x1f\x8b",
    "PK\x03\x04",
    "PAR1",
    "\x93NUMPY",
    "\x80\x04",
    "\x00\xd8\x00\x00",
]

edits = st.lists(
    st.tuples(
        st.floats(0, 1, exclude_max=True),
        st.sampled_from([0, 0, 0, 1, 2, 7, 40]),
        st.sampled_from(PIECES) | st.text(st.characters(max_codepoint=255), max_size=3),
    ),
    max_size=5,
)
NAMES = [
    None,
    "",
    "word",
    "label",
    "value",
    "x",
    "tree",
    "nodes",
    ["x", "y"],
    ["word", "label"],
    "\ud83c",
    "no such",
    ["a", ""],
]
KINDS = [
    "strings",
    "vectors",
    "series",
    "sets",
    "molecules",
    "trees",
    "graphs",
    "rows",
    "objects",
    "distances",
    "",
    "no such",
]
options = st.fixed_dictionaries(
    {},
    optional={
        "column": st.sampled_from(NAMES),
        "target": st.sampled_from([name for name in NAMES if not isinstance(name, list)]),
        "kind": st.sampled_from([None, *KINDS]),
        "numbers": st.sampled_from(
            [
                None,
                ["x"],
                [],
                [""],
                ["no such"],
                {"x": "1,5"},
                {"day": "12/31/2024"},
                {"x": "no such"},
                {"": "1.5"},
            ]
        ),
        "weight": st.sampled_from([None, "x", "size", "label", "", "no such"]),
        "groups": st.sampled_from([None, "word", "label", "no such"]),
        "on_error": st.sampled_from(["raise", "skip", "skip", "no such"]),
        "exact_labels": st.booleans(),
        "keep_cells": st.booleans(),
        "sheet": st.sampled_from([None, None, None, "drinks", "no such", ""]),
        "encoding": st.sampled_from(
            [
                None,
                "utf-8",
                "utf-16",
                "latin-1",
                "utf-7",
                "unicode_escape",
                "base64",
                "",
                "idna",
                "cp037",
            ]
        ),
        "max_size": st.sampled_from(["10GB", "1kB", 1, "", "٣GB", 10**30]),
    },
)
cases = st.fixed_dictionaries(
    {
        "name": st.sampled_from(sorted(WHOLE)),
        "edits": edits,
        "options": options,
        "packed": st.booleans(),
    }
)


def tampered(case):
    """The bytes that a case describes."""
    content = WHOLE[case["name"]]
    for where, removed, inserted in case["edits"]:
        position = int(where * len(content))
        content = content[:position] + inserted.encode("latin-1") + content[position + removed :]
    if case["name"] == "sheet.xlsx":
        return workbook(content)
    return (
        gzip.compress(content)
        if case["packed"] and case["name"] in TEXTS and case["name"] != "-"
        else content
    )


def file_name(case):
    """The name under which a case is written."""
    return case["name"] + ".gz" * (
        case["packed"] and case["name"] in TEXTS and case["name"] not in ("-", "texts")
    )
