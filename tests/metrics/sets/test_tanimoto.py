"""Tanimoto's distance: bits agree with the definition, molecules with rdkit."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from oracles.metrics import distances as twins
from rdkit import Chem, DataStructs
from rdkit.Chem import rdFingerprintGenerator
from strategies import SMILES, bit_rows

import wideberth
from wideberth.errors import InvalidInput, MissingExtra
from wideberth.extras import import_extra
from wideberth.metrics.sets.tanimoto import Fingerprints, Tanimoto
from wideberth.objects import molecules

METRIC = Tanimoto()
DRUGS = [
    *SMILES,
    "CC(=O)Oc1ccccc1C(=O)O",
    "CN1C=NC2=C1C(=O)N(C(=O)N2C)C",
    "CC(C)Cc1ccc(cc1)C(C)C(=O)O",
]


def rdkit_vectors(smiles, radius=2, size=2048):
    generator = rdFingerprintGenerator.GetMorganGenerator(radius=radius, fpSize=size)
    return [generator.GetFingerprint(Chem.MolFromSmiles(text)) for text in smiles]


@pytest.mark.kernels
@pytest.mark.filterwarnings("ignore:overflow")  # which is meant, and said where nothing is compiled
@given(bit_rows)
@settings(max_examples=30, deadline=None)
def test_bits_equal_the_definition(rows):
    on = [set(np.flatnonzero(row)) for row in rows]
    expected = [[twins.jaccard(one, other) for other in on] for one in on]
    for form in (rows, rows.astype(np.uint8), rows.astype(float), rows.tolist(), list(rows)):
        np.testing.assert_array_equal(METRIC.block(form, rows), expected)


@pytest.mark.kernels
@pytest.mark.filterwarnings("ignore:overflow")  # which is meant, and said where nothing is compiled
def test_every_number_of_bits_is_counted():
    rows = np.tril(np.ones((67, 66), dtype=bool), -1)  # row i has i bits
    sizes = np.arange(67.0)
    both, either = np.minimum.outer(sizes, sizes), np.maximum.outer(sizes, sizes)
    expected = 1 - np.divide(both, either, out=np.ones_like(both), where=either > 0)
    np.testing.assert_array_equal(METRIC.block(rows, rows), expected)


@pytest.mark.parametrize(("radius", "size"), [(2, 2048), (3, 1024), (0, 100), (1, 1)])
def test_molecules_equal_rdkit(radius, size):
    vectors = rdkit_vectors(DRUGS, radius, size)
    expected = [
        1 - np.array(DataStructs.BulkTanimotoSimilarity(vector, vectors)) for vector in vectors
    ]
    metric = Tanimoto(radius=radius, size=size)
    for form in (
        DRUGS,
        np.array(DRUGS),
        pd.Series(DRUGS),
        [Chem.MolFromSmiles(text) for text in DRUGS],
        vectors,
    ):
        np.testing.assert_array_equal(metric.block(form, form), expected)
    np.testing.assert_array_equal(metric.block(DRUGS, vectors), expected)
    bits = np.array([list(vector) for vector in vectors])
    np.testing.assert_array_equal(metric.block(bits, DRUGS), expected)
    if size > 1:  # a frame of one column is a column of single values
        np.testing.assert_array_equal(metric.block(pd.DataFrame(bits), DRUGS), expected)


def test_molecules_of_one_fingerprint_are_not_separated():
    assert METRIC("C" * 10, "C" * 11) == 0
    assert METRIC.separates is False


@pytest.mark.parametrize(
    ("smiles", "reason"),
    [
        ("C1CC", "unclosed ring"),
        ("CN(C)(C)(C)C", "Explicit valence for atom # 1 N, 5, is greater than permitted"),
        ("c1cccc1", "Can't kekulize mol"),
        ("CC(", "check for mistakes around position 3"),
        ("", "it has no atoms"),
    ],
)
def test_molecules_that_cannot_be_read_are_named(smiles, reason, capfd):
    with pytest.raises(
        InvalidInput, match=f"Molecule 1 cannot be read from '.*': {reason}"
    ) as refused:
        METRIC.prepare(["CCO", smiles])
    assert (refused.value.witness, refused.value.value) == (1, smiles)
    assert capfd.readouterr() == ("", "")
    assert len(METRIC.prepare(["CCO"])) == 1  # it was left out, as advised


@pytest.mark.parametrize(
    ("smiles", "reason"), [("C1CC", "its syntax is wrong"), ("CN(C)(C)(C)C", "Explicit valence")]
)
def test_an_rdkit_that_does_not_show_its_log_gives_a_reason(smiles, reason, monkeypatch):
    monkeypatch.delattr("rdkit.rdBase.CaptureErrorLog", raising=False)
    with pytest.raises(InvalidInput, match=reason):
        METRIC.prepare([smiles])


@pytest.mark.parametrize("thing", [None, 3.0, b"CCO", {"smiles": "CCO"}], ids=repr)
def test_things_that_are_no_molecules_are_named(thing):
    with pytest.raises(InvalidInput, match=r"Object 1 is not a molecule: .* drop missing values"):
        METRIC.prepare(["CCO", thing])


def test_molecules_that_are_not_ready_are_named():
    raw = Chem.MolFromSmiles("CN(C)(C)(C)C", sanitize=False)
    with pytest.raises(
        InvalidInput, match=r"Molecule 0 is not ready for a fingerprint: .*SanitizeMol"
    ):
        METRIC.prepare([raw])
    ready = Chem.MolFromSmiles("CN(C)C", sanitize=False)
    Chem.SanitizeMol(ready)
    assert METRIC(ready, "CN(C)C") == 0


def test_lengths_must_agree():
    short, long = rdkit_vectors(["CCO"], size=64), rdkit_vectors(["CCO"])
    with pytest.raises(InvalidInput, match="object 0 has 64 bits, object 1 has 2048"):
        METRIC.prepare(short + long)
    with pytest.raises(
        InvalidInput, match=r"Fingerprints of 64 and of 2048 bits cannot be compared\. .*size="
    ):
        METRIC.block(short, ["CCO"])
    assert Tanimoto(size=64).block(short, ["CCO"])[0, 0] == 0


def test_packed_bits_are_not_guessed_and_the_advice_works():
    bits = np.random.default_rng(0).random((3, 16)) < 0.5
    packed = np.packbits(bits, axis=1)
    with pytest.raises(
        InvalidInput,
        match=r"object 0 has \d+ at position 0\. Unpack packed bits \(numpy.unpackbits",
    ):
        METRIC.block(packed, packed)
    np.testing.assert_array_equal(
        METRIC.block(np.unpackbits(packed, axis=1), bits), METRIC.block(bits, bits)
    )


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"radius": -1}, "radius of fingerprints must be an integer from 0 to 100, not -1"),
        ({"radius": 1.5}, "not 1.5"),
        ({"size": 0}, "size of fingerprints must be an integer from 1 to 1048576, not 0"),
        ({"size": True}, "not True"),
    ],
)
def test_parameters_are_checked(parameters, message):
    with pytest.raises(InvalidInput, match=message):
        Tanimoto(**parameters)


def test_without_rdkit_bits_work_and_smiles_name_the_extra(monkeypatch):
    monkeypatch.setattr(
        molecules, "import_extra", lambda module, extra: import_extra(f"no_{module}", extra)
    )
    assert METRIC([1, 0], [1, 1]) == 0.5
    assert METRIC.prepare([]).length == 2048
    with pytest.raises(
        MissingExtra,
        match=r"package 'no_rdkit'. Install it with: pip install .wideberth\[molecules\]",
    ):
        METRIC.prepare(["CCO"])


def test_a_loaded_model_reads_smiles_again(tmp_path):
    model = wideberth.LipschitzClassifier(Tanimoto(radius=1, size=100)).fit(DRUGS, [0, 1] * 7)
    wideberth.save(model, tmp_path / "drugs.wb")
    loaded = wideberth.load(tmp_path / "drugs.wb")
    assert repr(loaded.metric) == "Tanimoto(radius=1, size=100)"
    np.testing.assert_array_equal(loaded.decision_function(DRUGS), model.decision_function(DRUGS))


@pytest.mark.parametrize("width", [0, 1, 8, 63, 64, 65])
def test_fingerprints_survive_as_plain_values(width):
    rows = np.random.default_rng(0).random((5, width)) < 0.5
    prepared = METRIC.prepare(rows)
    again = Fingerprints.from_plain(prepared.take([4, 0]).plain())
    assert again.length == width
    np.testing.assert_array_equal(METRIC.block(again, prepared), METRIC.block(rows, rows)[[4, 0]])


@pytest.mark.parametrize(
    "plain",
    [
        {"bytes": np.zeros((2, 2), dtype=np.uint8), "length": 17},
        {"bytes": np.zeros((2, 2), dtype=np.uint8), "length": 8},
        {"bytes": np.full((2, 1), 255, dtype=np.uint8), "length": 7},
        {"bytes": np.zeros((2, 0), dtype=np.uint8), "length": -3},
        {"bytes": np.zeros((2, 0), dtype=np.uint8), "length": 3},
        {"bytes": np.zeros((2, 2)), "length": 16},
        {"bytes": np.zeros(2, dtype=np.uint8), "length": 8},
        {"length": 8},
    ],
)
def test_plain_values_that_make_no_fingerprints_are_refused(plain):
    with pytest.raises(ValueError, match="bit"):
        Fingerprints.from_plain(plain)


def test_no_molecules_make_no_fingerprints():
    packed, length = molecules.fingerprint_bytes([], 2, 100)
    assert (packed.shape, length) == ((0, 13), 100)


def test_other_fingerprints():
    rdkit = pytest.importorskip("rdkit.Chem.rdFingerprintGenerator")
    from rdkit import Chem, DataStructs

    smiles = ["CCO", "CCN", "c1ccccc1O", "CC(=O)OC"]
    made = [Chem.MolFromSmiles(each) for each in smiles]
    makers = {
        "features": rdkit.GetMorganGenerator(
            radius=2, fpSize=2048, atomInvariantsGenerator=rdkit.GetMorganFeatureAtomInvGen()
        ),
        "atom_pairs": rdkit.GetAtomPairGenerator(fpSize=2048),
    }
    for name, maker in makers.items():
        bits = [maker.GetFingerprint(each) for each in made]
        expected = [
            [1 - DataStructs.TanimotoSimilarity(one, other) for other in bits] for one in bits
        ]
        metric = wideberth.metric("tanimoto", fingerprint=name)
        np.testing.assert_allclose(metric.block(smiles, smiles), expected, atol=1e-15)
        assert not wideberth.diagnose(smiles, metric).broken_promises
    with pytest.raises(InvalidInput, match="There is no fingerprint 'maccs'"):
        wideberth.metric("tanimoto", fingerprint="maccs")
