"""Drawings of objects: each kind, hostile objects, sizes, and what is kept of them."""

import base64
import itertools
import json
import re
import zlib
from io import BytesIO
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import objects_of, objects_of_kind

from wideberth.metrics.distributions.wasserstein import Wasserstein1D
from wideberth.metrics.named import KNOWN_KINDS, METRICS, metric
from wideberth.report.drawings import difference, drawing
from wideberth.report.drawings.numbers_drawn import MOST_BARS, MOST_POINTS
from wideberth.safe_text import visible

MOST_BYTES = 8_000
ENTRIES = {"text": "spans", "line": "channels", "bars": "values", "image": "uri", "table": "rows"}

#: How the objects of each kind are drawn; everything else would be their repr.
TYPES = {
    "vectors": {"table"},
    "strings": {"text"},
    "series": {"line"},
    "sets": {"text", "table"},
    "distributions": {"bars", "image"},
    "molecules": {"image"},
    "trees": {"image"},
    "graphs": {"image"},
    "points": {"image"},
    "rows": {"table"},
    "indices": {"text"},
}


def checked(drawn: dict) -> dict:
    """The drawing, if it is plain, small, visible data with the entries of its type."""
    written = json.dumps(drawn, allow_nan=False)
    assert json.loads(written) == drawn
    assert len(written) <= MOST_BYTES
    assert ENTRIES[drawn["type"]] in drawn
    assert drawn["alt"]
    for text in texts_in(drawn):
        assert visible(text) == text
    if drawn["type"] == "image":
        content = picture(drawn)
        if drawn["ink"]:
            ElementTree.fromstring(content)
            assert b"<script" not in content
            assert b"href" not in content
    return drawn


def texts_in(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    return [text for each in value for text in texts_in(each)] if isinstance(value, list) else []


def picture(drawn: dict) -> bytes:
    return base64.b64decode(drawn["uri"].partition(",")[2])


@pytest.mark.few(2)
@pytest.mark.parametrize("kind", KNOWN_KINDS)
def test_each_kind_has_a_drawing_for_whatever_its_metrics_take(kind):
    examples = objects_of_kind | {
        "objects": st.just(["tea", {"a": 1}, {3}, np.eye(3), [1.0, 2.0], ("a", 2), None, object()])
    }

    @settings(max_examples=30, deadline=None)
    @given(sample=examples[kind])
    def drawn(sample):
        for shown in sample:
            checked(drawing(shown, kind))

    drawn()


@pytest.mark.parametrize("name", [name for name in METRICS if name != "precomputed"])
def test_the_examples_of_each_metric_are_drawn_as_what_they_are(name):
    measuring = metric(name)
    for shown in measuring.examples:
        by_metric = checked(drawing(shown, measuring))
        assert by_metric == drawing(shown, measuring.accepts)
        assert by_metric["type"] in TYPES[measuring.accepts]


@settings(max_examples=30, deadline=None)
@given(sample=objects_of["ruzicka"])
def test_weighted_sets_and_their_differences(sample):
    for left, right in itertools.pairwise(sample):
        checked(drawing(left, "sets"))
        checked(difference(left, right, "sets"))


HOSTILE_TEXTS = [
    "</script><script>alert(1)</script>",
    "=cmd()|' /C calc'!A0",
    "abc\u202egpj.exe\u2066\u2069",
    "tea\x00\x1b[31m\r\n",
    "\ud83c half",
    "\ufffe\uffff\ue000",
    "x" * 1_000_000,
    "\U0001f468\u200d\U0001f469\u200d\U0001f467",
    "a\u0300" * 5000,
    "",
    " ",
    '"><img src=x onerror=alert(1)>',
]


@pytest.mark.parametrize("text", HOSTILE_TEXTS, ids=lambda text: ascii(text)[:30])
@pytest.mark.parametrize("kind", KNOWN_KINDS)
def test_hostile_texts_are_harmless_in_every_kind(kind, text):
    for shown in (
        text,
        [text],
        {text: text},
        [text, [[text, []]]],
        {"nodes": [text], "edges": []},
        (text, text),
        {text},
    ):
        checked(drawing(shown, kind))
        apart = difference(shown, text, kind)
        if apart is not None:
            checked(apart)


class FailsAtEverything:
    """An object that cannot be looked at."""

    def __getattribute__(self, name):
        raise RuntimeError(name)

    def __repr__(self):
        raise RuntimeError("repr")


@pytest.mark.parametrize("kind", KNOWN_KINDS)
def test_objects_of_another_kind_are_shown_all_the_same(kind):
    for shown in (
        None,
        float("nan"),
        10**400,
        [[[]]],
        {},
        set(),
        (),
        [],
        np.array([]),
        np.zeros((0, 3)),
        FailsAtEverything(),
        pd.NA,
    ):
        checked(drawing(shown, kind))


def deep_tree(depth: int) -> list:
    tree = ["leaf", []]
    for level in range(depth):
        tree = [f"node {level}", [tree]]
    return tree


LARGE = {
    "vectors": np.random.default_rng(0).normal(size=1_000_000),
    "strings": ["token"] * 100_000,
    "series": np.full((50, 20_000), np.nan),
    "sets": frozenset(range(1_000_000)),
    "distributions": np.random.default_rng(0).random((700, 900)),
    "molecules": "C" * 100_000,
    "trees": deep_tree(100_000),
    "graphs": {
        "nodes": [None] * 10_000,
        "edges": [[i, (i * 7919 + 1) % 10_000] for i in range(30_000)],
    },
    "points": np.random.default_rng(0).normal(size=(100_000, 3)) * 1e300,
    "rows": {f"column {i}": i for i in range(100_000)},
    "indices": 10**15,
    "objects": {"nodes": ["x"] * 5000, "neighbors": [[] for _ in range(5000)]},
}


@pytest.mark.parametrize("kind", KNOWN_KINDS)
def test_large_objects_are_shortened(kind):
    checked(drawing(LARGE[kind], kind))
    apart = difference(LARGE[kind], LARGE[kind], kind)
    assert apart is None or checked(apart)


def test_a_tree_that_contains_itself_ends():
    root = ["a", []]
    root[1].append(root)
    assert "more than 100,000 nodes" in checked(drawing(root, "trees"))["alt"]


@settings(max_examples=50, deadline=None)
@given(
    values=st.lists(
        st.floats(width=32, allow_nan=True, allow_infinity=True), min_size=1, max_size=500
    ).map(np.array),
)
def test_lines_keep_the_smallest_and_the_largest_value(values):
    (channel,) = checked(drawing(values, "series"))["channels"]
    assert len(channel) <= MOST_POINTS
    finite, shown = values[np.isfinite(values)], [value for value in channel if value is not None]
    if len(finite):
        assert min(shown) == float(f"{finite.min():.4g}")
        assert max(shown) == float(f"{finite.max():.4g}")
    else:
        assert shown == []


@given(st.integers(1, 400))
@settings(max_examples=20, deadline=None)
def test_bars_keep_the_mass(bins):
    masses = np.random.default_rng(bins).random(bins)
    values = drawing(masses, "distributions")["values"]
    assert len(values) == min(bins, MOST_BARS)
    assert sum(values) == pytest.approx(masses.sum(), rel=1e-2)


def test_samples_of_numbers_are_drawn_as_histograms():
    drawn = drawing([1.0, 1.0, 1.0, 9.0], Wasserstein1D(of="samples"))
    assert (drawn["type"], drawn["values"]) == ("bars", [3.0, 1.0])
    assert drawing([1e308, -1e308], Wasserstein1D(of="samples"))["values"] == [1.0, 1.0]


@pytest.mark.parametrize("shape", [(8, 8), (5, 7, 3), (40, 90), (3, 3, 4), (1, 1)])
def test_images_are_png_files_with_the_right_pixels(shape):
    image_of = pytest.importorskip("PIL.Image")
    pixels = np.random.default_rng(0).integers(0, 256, shape).astype(np.uint8)
    drawn = checked(drawing(pixels, "vectors"))
    read = np.asarray(image_of.open(BytesIO(picture(drawn))))
    assert read.shape[:2] == tuple(min(side, 32) for side in shape[:2])
    assert drawn["height"] * read.shape[1] == drawn["width"] * read.shape[0]
    assert 32 < max(drawn["height"], drawn["width"]) <= 64
    if max(shape[:2]) <= 32:
        np.testing.assert_array_equal(read, pixels)


def test_images_of_any_numbers_reach_from_black_to_white():
    content = picture(drawing([[0.0, 1e308], [-1e308, np.nan]], "distributions"))
    rows = zlib.decompress(content[content.index(b"IDAT") + 4 : content.index(b"IEND") - 8])
    assert rows == bytes([0, 128, 255, 0, 0, 0])


def test_rows_of_pandas_show_their_columns():
    frame = pd.DataFrame({"age": [3, None], "city": ["Rome", pd.NA]})
    assert drawing(frame.iloc[1], "rows")["rows"] == [["age", "missing"], ["city", "missing"]]
    assert drawing(frame[["age"]].iloc[0], "vectors")["rows"] == [["age", "3"]]


def test_molecules_without_rdkit_are_texts(monkeypatch):
    monkeypatch.setattr("wideberth.report.drawings.structures_drawn.find_spec", lambda name: None)
    assert drawing("CCO", "molecules")["spans"] == [["same", "CCO"]]


def test_molecules_and_fingerprints_of_rdkit():
    chemistry = pytest.importorskip("rdkit.Chem")
    from rdkit.Chem import rdFingerprintGenerator

    molecule = chemistry.MolFromSmiles("C[N+](C)(C)CC(=O)[O-].C#N")
    drawn = checked(drawing(molecule, "molecules"))
    assert drawn["type"] == "image"
    text = picture(drawn).decode()
    assert all(f">{letters}<" in text for letters in ("N+", "O", "O−", "N"))
    ends = set(re.findall(r">(\w+)</text", picture(drawing("OCCN", "molecules")).decode()))
    assert ends in ({"HO", "NH₂"}, {"H₂N", "OH"})  # hydrogen atoms point away from the bonds
    bits = rdFingerprintGenerator.GetMorganGenerator(fpSize=64).GetFingerprint(molecule)
    assert drawing(bits, "molecules")["alt"].startswith("fingerprint of 64 bits")


def test_graphs_of_networkx_and_of_dictionaries_are_drawn_alike():
    networkx = pytest.importorskip("networkx")
    ring = networkx.cycle_graph(5)
    as_dict = {"nodes": [None] * 5, "edges": list(ring.edges)}
    neighbors = {"neighbors": [list(ring[node]) for node in ring]}
    assert drawing(ring, "graphs") == drawing(as_dict, "graphs") == drawing(neighbors, "graphs")
    assert drawing(ring, "graphs")["alt"] == "graph of 5 nodes and 5 edges"


def test_equal_labels_have_equal_colours_and_nodes_do_not_coincide():
    star = {"nodes": ["C"] + ["O"] * 8, "edges": [[0, leaf] for leaf in range(1, 9)]}
    paths = ElementTree.fromstring(picture(drawing(star, "graphs"))).findall(
        "{http://www.w3.org/2000/svg}path"
    )
    assert len(paths) == 3  # the edges, and the dots of two colours
    assert len(set(paths[2].get("d").split("h0"))) == 9  # eight places, and what follows the last
