"""Files that were tampered with, for all readers: edits as plain values, and strategies that draw them.

An edit is a list of where (a share of the file), how many bytes to remove, and which bytes to insert, as text in Latin-1. All of
it is JSON, so that a case that found a fault is kept as a line of the corpus.
"""

import gzip
import io
import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import strategies as st


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


TREE = {"label": "A", "children": [{"label": "B"}, {"label": "C", "children": []}]}

#: Whole files, by names that say how they are read; of "texts" it is the content of a file in a directory, "-" is standard input.
WHOLE = {
    "words.csv": b"word,smiles,label\ntea,CCO,a\nrum,CO,b\nmilk,C,a\n",
    "numbers.csv": b"x;y;label\n1;2.5;a\n3;-4e2;b\n5;6;a\n",
    "series.csv": b'beat,label\n1 2 3,a\n"4;5;6",b\n"[7, 8, 9]",a\n',
    "words.tsv": b"word\tlabel\ntea\ta\nrum\tb\n",
    "ucr.tsv": b"1\t0.5\t1.5\n2\t3\tNaN\n",
    "graphs.jsonl": b'{"nodes": ["C", "O"], "edges": [[0, 1]], "label": 1}\n{"nodes": [1], "edges": [], "label": 2}\n',
    "trees.jsonl": "".join(json.dumps({"tree": tree, "label": "x"}) + "\n" for tree in (TREE, ["A", [["B", []]]])).encode(),
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
    "texts": "thé\nwith milk\n".encode(),
    "-": b"word,size,label\ntea,1,a\nrum,2,b\n",
}
TEXTS = [name for name in WHOLE if not name.endswith((".parquet", ".npz", ".npy"))]

#: What is inserted: what numbers, names, quotes, encodings, headers and nesting break on.
PIECES = [
    *["1e999", "-1e999", "NaN", "inf", "-0", "1_0", "0x1", "9" * 400, "1e-400", ".", "-", "+", "٣", "\u00a0", "\u202f", "−", "½"],
    *['"', "'", ",", ";", "\t", "|", "\n", "\r", "\r\n", "\n\n", " ", "\x1f", "\x0c", "\0", "\0\0", ":", "@", ">", "#", "?", "%"],
    *["\\ud83c", "\\u0000", "\\u2615", "\\", "[", "]", "{", "}", "[" * 3000, '{"a":' * 500, "null", "true", "[]", "{}", '""'],
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
NAMES = [None, "", "word", "label", "value", "x", "tree", "nodes", ["x", "y"], ["word", "label"], "\ud83c", "no such", ["a", ""]]
KINDS = ["strings", "vectors", "series", "sets", "molecules", "trees", "graphs", "rows", "objects", "distances", "", "no such"]
options = st.fixed_dictionaries(
    {},
    optional={
        "column": st.sampled_from(NAMES),
        "target": st.sampled_from([name for name in NAMES if not isinstance(name, list)]),
        "kind": st.sampled_from([None, *KINDS]),
        "numbers": st.sampled_from([None, ["x"], [], [""], ["no such"]]),
        "encoding": st.sampled_from(
            [None, "utf-8", "utf-16", "latin-1", "utf-7", "unicode_escape", "base64", "", "idna", "cp037"]
        ),
        "max_size": st.sampled_from(["10GB", "1kB", 1, "", "٣GB", 10**30]),
    },
)
cases = st.fixed_dictionaries(
    {"name": st.sampled_from(sorted(WHOLE)), "edits": edits, "options": options, "packed": st.booleans()}
)


def tampered(case):
    """The bytes that a case describes."""
    content = WHOLE[case["name"]]
    for where, removed, inserted in case["edits"]:
        position = int(where * len(content))
        content = content[:position] + inserted.encode("latin-1") + content[position + removed :]
    return gzip.compress(content) if case["packed"] and case["name"] in TEXTS and case["name"] != "-" else content


def file_name(case):
    """The name under which a case is written."""
    return case["name"] + ".gz" * (case["packed"] and case["name"] in TEXTS and case["name"] not in ("-", "texts"))
