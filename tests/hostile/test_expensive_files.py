"""Small files that claim much: what they cost grows with their size, and not with what they
claim.
"""

import json
import sys

import numpy as np
import pytest
from golden.write_golden import FOLDER
from hostile.mutations import entries_of, npy_bytes, sealed, zipped

from wideberth.io.model_file.archive import array_to_bytes

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="limits of memory and time as Linux has them"
)

#: Different whole numbers that Python gives the same hash.
CLASHING = [number * sys.hash_info.modulus for number in range(60_000)]


class Draft:
    """A model file to be changed: ``model`` is its JSON, ``entries`` are its arrays."""

    def __init__(self, golden):
        self.entries = entries_of((FOLDER / f"{golden}.wb").read_bytes())
        self.model = json.loads(self.entries["model.json"])

    def put(self, path, array):
        """Replace the array that stands at a path."""
        place = self.model
        for step in path.split("/"):
            place = place[step]
        self.entries[place["$array"]] = array if isinstance(array, bytes) else array_to_bytes(array)

    def content(self):
        return sealed(self.entries | {"model.json": json.dumps(self.model).encode()})


def empty(*shape, descr="<f8"):
    return npy_bytes(
        str({"descr": descr, "fortran_order": False, "shape": shape})[:-1] + ", }", b""
    )


def rows_without_columns(draft):
    draft.put("objects/items", empty(2**24, 0))


def columns_without_rows(draft):
    draft.put("objects/items", empty(0, 2**24))


def fingerprints_without_bits(draft):
    draft.put("objects/bytes", empty(2**24, 0, descr="|u1"))
    draft.model["objects"]["length"] = 0


def many_classes(draft):
    draft.put("labels", np.arange(200_000))


def many_entries(draft):
    draft.entries |= {f"arrays/x{number}": b"" for number in range(20_000)}


def one_array_for_many(draft):
    draft.model["objects"]["items"] = [{"$array": "arrays/0.npy"}] * 50_000


def clashing_set(draft):
    draft.model["objects"]["members"] = [{"$set": CLASHING}]


def clashing_members(draft):
    draft.model["objects"]["members"] = CLASHING
    draft.put("objects/elements", np.arange(len(CLASHING)))
    draft.put("objects/starts", np.append(np.zeros(12, dtype=int), len(CLASHING)))


def clashing_tokens(draft):
    draft.model["objects"]["items"] = [[number] for number in CLASHING]


def clashing_keys(draft):
    draft.model["metric"]["parameters"]["ranges"] = {
        "$dict": [[number, 1.0] for number in CLASHING]
    }


def metrics_in_metrics(draft):
    metric = draft.model["metric"]
    for _ in range(80):
        metric = {
            "transform": "scale",
            "parameters": {"factor": 1.0},
            "metrics": {"metric": {"one": metric}},
        }
    draft.model["metric"] = metric | {"by_name": False}


def costs_of_many_tokens(draft):
    draft.model["metric"]["parameters"]["gaps"] = {
        f"token {number}": 1.0 for number in range(30_000)
    }


def deep_tree(draft):
    depth, others = 30_000, 11
    draft.model["objects"]["names"] = ["a"]
    draft.put("objects/labels", np.zeros(depth + others, dtype=int))
    draft.put("objects/n_children", (np.arange(depth + others) < depth - 1).astype(int))
    draft.put("objects/starts", np.append(0, np.arange(depth, depth + others + 1)))


@pytest.mark.few(4)
@pytest.mark.parametrize(
    ("golden", "change"),
    [
        ("neighbors-two-classes", rows_without_columns),
        ("neighbors-two-classes", columns_without_rows),
        ("metric-tanimoto", fingerprints_without_bits),
        ("svm-two-classes", many_classes),
        ("lp-two-classes", many_classes),
        ("neighbors-chosen", many_classes),
        ("neighbors-chosen", many_entries),
        ("neighbors-chosen", one_array_for_many),
        ("metric-jaccard", clashing_set),
        ("metric-jaccard", clashing_members),
        ("metric-levenshtein", clashing_tokens),
        ("metric-gower-ranges", clashing_keys),
        ("transform-scale", metrics_in_metrics),
        ("metric-weighted-edit-costs", costs_of_many_tokens),
        ("metric-tree_edit", deep_tree),
    ],
)
def test_what_claims_much_is_refused_at_once(judge, tmp_path, golden, change):
    draft = Draft(golden)
    change(draft)
    (tmp_path / "m.wb").write_bytes(draft.content())
    assert judge.verdict(tmp_path / "m.wb", golden) == "refused"


def many_fields(name):
    fields = ",".join(f'"{name}{number}":0' for number in [*range(60_000), 0])
    return f"{{{fields}}}".encode()


@pytest.mark.parametrize("where", ["model.json", "manifest.json"])
@pytest.mark.parametrize(
    "text",
    [
        many_fields("k"),
        b"[" * 100_000 + b"]" * 100_000,
        b"[" + b",".join([b"{}"] * 300_000) + b"]",
        b"9" * 100_000,
        b"[1e999]",
    ],
    ids=[
        "one of many fields twice",
        "nested",
        "many small values",
        "a long number",
        "a number beyond floats",
    ],
)
def test_json_that_takes_long_is_refused_at_once(judge, tmp_path, where, text):
    (tmp_path / "m.wb").write_bytes(
        zipped([(where, text)]) if where == "manifest.json" else sealed({where: text})
    )
    assert judge.verdict(tmp_path / "m.wb", "neighbors-chosen") == "refused"
