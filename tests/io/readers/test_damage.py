"""Whatever happens to a file, it is read or refused with a sentence; nothing else comes out of
it.
"""

import io
import json
import tempfile
import warnings
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wideberth
from wideberth.errors import WideberthError
from wideberth.io.readers.formats import FORMATS


def parquet():
    stream = io.BytesIO()
    pq.write_table(
        pa.table({"word": ["tea", "rum"], "beat": [[1.0], [2.0]], "label": ["a", "b"]}), stream
    )
    return stream.getvalue()


TREE = {"label": "A", "children": [{"label": "B"}, {"label": "C", "children": []}]}
#: An example of every format, and files that have more of what a format allows.
WHOLE = {f"example{each.endings[0]}": each.content() for each in FORMATS} | {
    "t.csv": b"word,smiles,label\ntea,CCO,a\nrum,CO,b\n",
    "t.tsv": b"1\t0.5\t1.5\n2\t3\tNaN\n",
    "graphs.jsonl": b'{"nodes": ["C", "O"], "edges": [[0, 1]], "label": 1}\n{"nodes": [1], "edges": [], "label": 2}\n',
    "trees.jsonl": "".join(
        json.dumps({"tree": tree, "label": "x"}) + "\n" for tree in (TREE, ["A", [["B", []]]])
    ).encode(),
    "nodes.jsonl": "".join(json.dumps({**TREE, "class": label}) + "\n" for label in "xy").encode(),
    "t.fasta": b">s1 label=a [organism=Homo sapiens]\nACGT\nAC\n>s2 label=b\nAAA*\n",
    "t.ts": b"#\n@univariate false\n@dimensions 2\n@equalLength true\n@classLabel true a b\n@data\n1,2:3,4:a\n5,6:7,8:b\n",
    "t.smi": b"smiles label\nCCO hard\nO soft\n",
    "t.parquet": parquet(),
    "texts": "thé\nwith milk\n".encode(),
}
CHANGES = st.lists(
    st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 2), st.binary(max_size=3)),
    min_size=1,
    max_size=4,
)


def damaged(content, changes):
    for where, length, instead in changes:
        position = int(where * len(content))
        content = content[:position] + instead + content[position + length :]
    return content


@pytest.mark.few(4)
@pytest.mark.parametrize("name", WHOLE)
@settings(deadline=None, max_examples=60)
@given(changes=CHANGES, kind=st.sampled_from([None, "rows", "trees", "objects"]))
def test_damaged_files_are_read_or_refused(name, changes, kind):
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(action="ignore"):
        path = Path(folder, name)
        inside = path / "a" / "1.txt" if name == "texts" else path
        inside.parent.mkdir(parents=True, exist_ok=True)
        inside.write_bytes(damaged(WHOLE[name], changes))
        try:
            records = wideberth.read(path, kind=kind)
        except WideberthError:
            return
        assert len(records) == len(records.objects) > 0
        assert records.labels is None or len(records.labels) == len(records)
