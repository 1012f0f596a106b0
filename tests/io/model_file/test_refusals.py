"""A file that is not exactly what was written is refused, and nothing in a file ever runs."""

import hashlib
import io
import json
import pickle
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mutated_files import NOTHING_SAID

import wideberth
from wideberth import LipschitzClassifier, NeighborsClassifier
from wideberth.errors import InvalidFile
from wideberth.io.model_file.archive import MANIFEST, array_to_bytes, write_archive

WORDS, KINDS = ["tea", "tee", "ten", "rum", "rom", "ram"], ["soft"] * 3 + ["hard"] * 3
SERIES = [[1.0, 2.0], [2.0, 3.0, 4.0], [0.0], [5.0, 1.0]]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The bytes of a small model file."""
    path = tmp_path_factory.mktemp("whole") / "m.wb"
    wideberth.save(NeighborsClassifier("levenshtein").fit(WORDS, KINDS), path)
    return path.read_bytes()


def refused(content, folder, match=None):
    path = Path(folder) / "m.wb"
    path.write_bytes(content)
    with pytest.raises(InvalidFile, match=match) as error:
        wideberth.load(path)
    assert error.value.path == str(path)
    assert str(path) in str(error.value)
    return error.value


def entries_of(content):
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist() if name != MANIFEST}


def sealed(entries):
    """A file with any entries, as sound on the outside as one of ours."""
    stream = io.BytesIO()
    write_archive(stream, entries.items() if isinstance(entries, dict) else entries, NOTHING_SAID)
    return stream.getvalue()


def zipped(entries, compression=zipfile.ZIP_STORED):
    """A zip as anybody could make it, without seal."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", compression) as archive:
        for name, content in entries:
            archive.writestr(name, content)
    return stream.getvalue()


@given(data=st.data())
@settings(max_examples=150, deadline=None)
def test_one_changed_byte_is_noticed_anywhere(whole, tmp_path_factory, data):
    content = bytearray(whole)
    position = data.draw(st.integers(0, len(content) - 1))
    content[position] ^= data.draw(st.integers(1, 255))
    refused(bytes(content), tmp_path_factory.getbasetemp())


@given(data=st.data())
@settings(max_examples=50, deadline=None)
def test_a_part_of_a_file_or_more_than_it_is_noticed(whole, tmp_path_factory, data):
    cut = data.draw(st.integers(0, len(whole) - 1))
    refused(whole[:cut], tmp_path_factory.getbasetemp())
    refused(whole[cut:] if cut else whole + b"\0", tmp_path_factory.getbasetemp())
    refused(whole + data.draw(st.binary(min_size=1)), tmp_path_factory.getbasetemp())


@given(st.binary(max_size=300))
def test_any_other_bytes_are_refused(tmp_path_factory, content):
    refused(content, tmp_path_factory.getbasetemp())


def manifest_for(entries, changes=None):
    listed = {
        name: {"bytes": len(entry), "sha256": hashlib.sha256(entry).hexdigest()}
        for name, entry in entries.items()
    }
    manifest = {"format": "wideberth model", "format_version": 1, "wideberth_version": "0.3.0"}
    return json.dumps(
        manifest | {"provenance": NOTHING_SAID, "entries": listed} | (changes or {})
    ).encode()


def test_a_missing_file_and_a_directory_are_refused(tmp_path):
    for path in (tmp_path / "nothing.wb", tmp_path):
        with pytest.raises(InvalidFile, match="cannot be opened"):
            wideberth.load(path)


@pytest.mark.parametrize(
    ("changes", "match"),
    [
        (
            {"format_version": 3, "wideberth_version": "9.0"},
            "format 3, written by wideberth 9.0.*reads format 2.*Install a newer",
        ),
        ({"format_version": 0}, "0 is not a version"),
        ({"format_version": "1"}, "is not a version"),
        ({"format_version": True}, "is not a version"),
        ({"format": "tea"}, "does not name the format"),
        ({"entries": {"model.json": {}}}, "bytes and the sha256"),
        ({"entries": {"model.json": {"bytes": -1, "sha256": ""}}}, "bytes and the sha256"),
        ({"entries": []}, "bytes and the sha256"),
    ],
)
def test_other_manifests_are_refused(whole, tmp_path, changes, match):
    entries = entries_of(whole)
    assert (
        refused(
            zipped([*entries.items(), (MANIFEST, manifest_for(entries, changes))]), tmp_path, match
        ).entry
        == MANIFEST
    )


def test_a_manifest_that_is_not_json_or_not_there_or_there_twice_is_refused(whole, tmp_path):
    refused(zipped(entries_of(whole).items()), tmp_path, "0 such entries")
    refused(zipped([(MANIFEST, b"{")]), tmp_path, "not readable as JSON")
    refused(zipped([(MANIFEST, b"\xff\xfe")]), tmp_path, "not readable as JSON")
    with pytest.warns(UserWarning, match="Duplicate name"):
        content = zipped([(MANIFEST, b"{}"), (MANIFEST, b"{}")])
    refused(content, tmp_path, "2 such entries")


def resealed(content):
    """Give any zip the comment that ends a model file."""
    with zipfile.ZipFile(stream := io.BytesIO(content), "a") as archive:
        archive.comment = b"sha256=" + b"0" * 64
    body = stream.getvalue()[:-71]
    return body + b"sha256=" + hashlib.sha256(body).hexdigest().encode()


def test_a_zip_without_the_seal_is_refused(whole, tmp_path):
    entries = entries_of(whole)
    content = zipped([*entries.items(), (MANIFEST, manifest_for(entries))])
    refused(content, tmp_path, "changed after it was written")
    (tmp_path / "m.wb").write_bytes(resealed(content))
    assert wideberth.load(tmp_path / "m.wb").predict(["tea"]) == [
        "soft"
    ]  # so the files below fail for their own reasons


def test_entries_beside_the_manifest_are_refused(whole, tmp_path):
    entries = entries_of(whole)
    manifest = (MANIFEST, manifest_for(entries))
    extra = refused(
        resealed(zipped([*entries.items(), ("run.py", b"x"), manifest])),
        tmp_path,
        "does not list it",
    )
    assert extra.entry == "run.py"
    missing = refused(
        resealed(zipped([*list(entries.items())[:-1], manifest])), tmp_path, "not there"
    )
    assert missing.entry == list(entries)[-1]
    with pytest.warns(UserWarning, match="Duplicate name"):
        content = resealed(zipped([*entries.items(), ("model.json", b"{}"), manifest]))
    assert refused(content, tmp_path, "2 entries have this name").entry == "model.json"
    unused = sealed(entries | {"arrays/99.npy": b""})
    assert refused(unused, tmp_path, "nothing in the model needs it").entry == "arrays/99.npy"


def test_sizes_and_checksums_must_be_those_declared(whole, tmp_path):
    entries = entries_of(whole)
    listed = json.loads(manifest_for(entries))["entries"]
    wrong_size = {**listed, "model.json": {**listed["model.json"], "bytes": 1}}
    content = zipped([*entries.items(), (MANIFEST, manifest_for(entries, {"entries": wrong_size}))])
    assert refused(resealed(content), tmp_path, "the manifest declares 1").entry == "model.json"
    wrong_sum = {**listed, "model.json": {**listed["model.json"], "sha256": "0" * 64}}
    content = zipped([*entries.items(), (MANIFEST, manifest_for(entries, {"entries": wrong_sum}))])
    assert refused(resealed(content), tmp_path, "SHA-256").entry == "model.json"


def test_bombs_are_not_lit(whole, tmp_path):
    entries = entries_of(whole) | {"arrays/0.npy": bytes(50_000_000)}
    content = zipped([*entries.items(), (MANIFEST, manifest_for(entries))], zipfile.ZIP_DEFLATED)
    assert len(content) < 1_000_000
    refused(content, tmp_path, "compressed")
    manifest = (MANIFEST, manifest_for(entries))
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, entry in entries.items():
            archive.writestr(name, entry, zipfile.ZIP_DEFLATED)
        archive.writestr(*manifest)
    refused(resealed(stream.getvalue()), tmp_path, "compressed|claim")
    refused(resealed(zipped([(MANIFEST, b" " * (1 << 24) + b"{}")])), tmp_path, "too many")


def test_entries_that_overlap_are_refused(whole, tmp_path):
    """Many entries over the same bytes: each is as large as it says, all together are larger than
    the file.
    """
    big = b"x" * 10_000
    names = [f"arrays/{number}.npy" for number in range(50)]
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr(names[0], big)
        for name in names[1:]:
            twin = zipfile.ZipInfo(name)
            twin.file_size = twin.compress_size = len(big)
            twin.CRC, twin.header_offset = archive.infolist()[0].CRC, 0
            archive.filelist.append(twin)
            archive.NameToInfo[name] = twin
        archive.writestr(MANIFEST, manifest_for(dict.fromkeys(names, big)))
    refused(resealed(stream.getvalue()), tmp_path, "claim 5")


def model_json(content):
    return json.loads(entries_of(content)["model.json"])


PROMISES = {"obeys_triangle": None, "hilbertian": None, "negative_type": None}
PARAMETERS = {
    name: value for name, value in NeighborsClassifier().get_params().items() if name != "metric"
}


def with_model(content, described, **arrays):
    entries = entries_of(content) | {"model.json": json.dumps(described).encode()}
    return sealed(
        entries | {f"arrays/{name.removeprefix('a')}.npy": array for name, array in arrays.items()}
    )


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"class": "Popen"}, "no class 'Popen'"),
        ({"class": ["NeighborsClassifier"]}, "does not make a model"),
        (
            {"metric": {"name": "os.system", "parameters": {}, "metrics": {}, "by_name": True}},
            "no metric 'os.system'",
        ),
        (
            {
                "metric": {
                    "name": "levenshtein",
                    "parameters": {"p": 3},
                    "metrics": {},
                    "by_name": True,
                }
            },
            "no parameter 'p'",
        ),
        ({"metric": {"name": 3, "parameters": {}, "metrics": {}}}, "a name and parameters"),
        (
            {
                "metric": {
                    "name": "precomputed",
                    "parameters": {"n_objects": -3} | PROMISES,
                    "metrics": {},
                    "by_name": True,
                }
            },
            "do not describe rows of distances",
        ),
        ({"parameters": PARAMETERS | {"evil": 1}}, "does not make a model"),
        ({"parameters": PARAMETERS | {"max_memory": "tea"}}, "not a size"),
        ({"labels": 3}, "labels"),
        ({"origin": {"kind": "code", "column": None, "numbers": None}}, "does not describe how"),
        (
            {"origin": {"kind": "strings", "column": {"$tuple": [1]}, "numbers": None}},
            "does not describe how",
        ),
        (
            {"origin": {"kind": "rows", "column": None, "numbers": {"$tuple": [1]}}},
            "does not describe how",
        ),
        (
            {"origin": {"kind": "strings", "column": None, "numbers": {"$tuple": ["a"]}}},
            "does not describe how",
        ),
        ({"objects": {"kind": "pickle", "items": []}}, "not a sample"),
        ({"objects": {"kind": "sequences", "items": [1]}}, "not a string"),
        (
            {"objects": {"kind": "sequences", "items": ["tea"]}},
            "'positions' holds 6 numbers, not 1",
        ),
        ({"objects": {"kind": "sequences", "items": [{"$array": "../../etc"}]}}, "no such entry"),
        ({"objects": {"kind": "sequences", "items": [{"$call": "os"}]}}, "not a value"),
        ({"objects": {"kind": "sequences", "items": [{"$set": [[]]}]}}, "does not make a model"),
        ({"state": {}}, "does not make a model"),
    ],
)
def test_models_that_make_no_sense_are_refused(whole, tmp_path, change, match):
    described = model_json(whole) | change
    content = with_model(whole, described)
    used = json.dumps(described)
    entries = {
        name: entry
        for name, entry in entries_of(content).items()
        if name == "model.json" or name in used
    }
    error = refused(sealed(entries), tmp_path, match)
    assert error.entry in ("model.json", "../../etc")


def object_array():
    stream = io.BytesIO()
    np.save(stream, np.array([Path], dtype=object), allow_pickle=True)
    return stream.getvalue()


def array_with_header(header):
    text = (header + " " * (117 - len(header)) + "\n").encode()
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text


BOOMED = []


class Boom:
    def __reduce__(self):
        return BOOMED.append, (1,)


@pytest.mark.parametrize(
    "array",
    [
        object_array(),
        pickle.dumps(Boom()),
        array_with_header("{'descr': '|O', 'fortran_order': False, 'shape': (1,)}")
        + pickle.dumps(Boom()),
        array_with_header("{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000,)}"),
        array_with_header("{'descr': '<U0', 'fortran_order': False, 'shape': (1000000000000,)}"),
        array_with_header("{'descr': '<f8', 'fortran_order': False, 'shape': (-1,)}"),
        array_with_header("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (0,)}"),
        array_with_header("{'descr': '<M8[s]', 'fortran_order': False, 'shape': (0,)}"),
        array_with_header("__import__('os').system('true')"),
        b"",
        b"\x93NUMPY\x02\x00",
        array_to_bytes(np.zeros(6)) + b"\0",
    ],
)
def test_arrays_of_objects_and_headers_that_lie_are_refused(whole, tmp_path, array):
    error = refused(with_model(whole, model_json(whole), a1=array), tmp_path)
    assert error.entry == "arrays/1.npy"
    assert not BOOMED


@pytest.mark.parametrize(
    "numbers",
    [
        np.array([0, 1, 2, 0, 1, 1]),
        np.array([0, 1, -1, 0, 1, 1]),
        np.zeros(5, dtype=int),
        np.zeros((6, 1), dtype=int),
        np.zeros(6),
        np.array(["a"] * 6),
    ],
)
def test_numbers_that_compiled_code_would_trust_are_checked(whole, tmp_path, numbers):
    described = model_json(whole)
    codes = described["state"]["codes"]["$array"].removeprefix("arrays/").removesuffix(".npy")
    refused(
        with_model(whole, described, **{f"a{codes}": array_to_bytes(numbers)}), tmp_path, "'codes'"
    )


def test_single_numbers_are_checked(whole, tmp_path):
    described = model_json(whole)
    for wrong in (0, 7, 1.0, True, "1", None):
        state = described["state"] | {"n_neighbors": wrong}
        refused(with_model(whole, described | {"state": state}), tmp_path, "'n_neighbors'")


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("offsets", np.array([0, 2, 99, 6, 8])),
        ("offsets", np.array([1, 2, 5, 6, 8])),
        ("offsets", np.array([0, 5, 2, 6, 8])),
        ("offsets", np.array([0.0, 2.0, 5.0, 6.0, 8.0])),
        ("offsets", np.array([], dtype=int)),
        ("values", np.array([np.nan] * 8)),
        ("values", np.zeros((8, 1))),
    ],
)
def test_series_that_reach_outside_are_refused(tmp_path, part, value):
    wideberth.save(NeighborsClassifier("msm").fit(SERIES, [0, 1, 0, 1]), tmp_path / "series.wb")
    content = (tmp_path / "series.wb").read_bytes()
    described = model_json(content)
    name = described["objects"][part]["$array"].removeprefix("arrays/").removesuffix(".npy")
    refused(with_model(content, described, **{f"a{name}": array_to_bytes(value)}), tmp_path)
    described["objects"]["channels"] = 2
    refused(with_model(content, described), tmp_path, "not whole in 2 channels")


def test_sets_and_functions_that_reach_outside_are_refused(tmp_path):
    wideberth.save(
        LipschitzClassifier("jaccard").fit([{"tea"}, {"rum", "tea"}, {"rum"}], [0, 1, 1]),
        tmp_path / "sets.wb",
    )
    content = (tmp_path / "sets.wb").read_bytes()
    described = model_json(content)
    for place, wrong in (
        (described["objects"]["elements"], np.array([0, 1, 2, 77])),
        (described["state"]["winners"], np.array([0, 1, 2])),
        (described["state"]["margins"], np.array([0.0, -1.0, 0.0])),
        (described["state"]["support"], np.array([0, 1, 3])),
    ):
        name = place["$array"].removeprefix("arrays/").removesuffix(".npy")
        refused(with_model(content, described, **{f"a{name}": array_to_bytes(wrong)}), tmp_path)
    for wrong in (-1.0, "steep", {"$float": "nan"}):
        state = described["state"] | {"lipschitz_constant": wrong}
        refused(
            with_model(content, described | {"state": state}),
            tmp_path,
            r"lipschitz_constant|\$float",
        )


def test_features_must_fit_the_vectors(tmp_path):
    wideberth.save(
        NeighborsClassifier().fit([[0.0, 1.0], [1.0, 0.0]], [0, 1]), tmp_path / "vectors.wb"
    )
    content = (tmp_path / "vectors.wb").read_bytes()
    for change in (
        {"features": 3},
        {"features": None},
        {"feature_names": ["a"]},
        {"feature_names": [1, 2]},
    ):
        refused(with_model(content, model_json(content) | change), tmp_path, "features|numbers")
