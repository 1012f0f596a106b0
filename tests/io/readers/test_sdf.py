"""SDF: molecules as SMILES with their names and properties; those that rdkit cannot read are
refused with their line.
"""

import pytest

import wideberth
from wideberth.io.readers.formats import molecules as formats

Chem = pytest.importorskip("rdkit.Chem")


@pytest.fixture
def molecules(tmp_path):
    """An SDF file of three molecules with labels."""
    path = tmp_path / "t.sdf"
    with Chem.SDWriter(str(path)) as writer:
        for smiles, label in (("CCO", "a"), ("c1ccccc1", "b"), ("[Na+].[Cl-]", "a")):
            molecule = Chem.MolFromSmiles(smiles)
            molecule.SetProp("_Name", f"name of {smiles}")
            molecule.SetProp("label", label)
            molecule.SetProp("note", "two\nlines")
            writer.write(molecule)
    return path


def test_molecules_names_and_properties(molecules):
    records = wideberth.read(molecules, keep_cells=True)
    assert records.kind == "molecules"
    assert [Chem.CanonSmiles(smiles) for smiles in records.objects] == [
        "CCO",
        "c1ccccc1",
        "[Cl-].[Na+]",
    ]
    assert (records.labels, records.names[0]) == (["a", "b", "a"], "name of CCO")
    assert records.cells[0]["note"] == "two\nlines"
    assert wideberth.read(molecules, target="note").labels == ["two\nlines"] * 3


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_a_bad_molecule_is_refused_or_skipped(molecules, write, refused, ending):
    bad = "bad\n\n\n  1  0  0  0\nM  END\n$$$$\n"
    five = Chem.MolToMolBlock(Chem.MolFromSmiles("C")).replace("C   0  0", "Xx  0  0") + "$$$$\n"
    text = bad + molecules.read_text() + five + "no end\n$$$$\n"
    path = write("bad.sdf", text.replace("\n", ending))
    with refused(path, "the molecule 'bad' cannot be read", "on_error='skip'", line=1):
        wideberth.read(path)
    records = wideberth.read(path, on_error="skip")
    assert records.labels == ["a", "b", "a"]
    assert "no 'M  END' in this molecule" in records.skipped[-1].why


def test_chemistry_that_is_wrong_is_named(refused, write):
    block = Chem.MolToMolBlock(Chem.MolFromSmiles("C(C)(C)(C)(C)C", sanitize=False), kekulize=False)
    path = write("t.sdf", block + "$$$$\n")
    with refused(path, "Explicit valence for atom # 0 C, 5, is greater than permitted", line=1):
        wideberth.read(path)


def test_a_file_without_molecules_is_refused(write, refused, monkeypatch):
    path = write("t.sdf", "\n\n")
    with refused(path, "no molecules"):
        wideberth.read(path)
    monkeypatch.setattr(formats, "MOST_LINES", 10)
    path = write("t.sdf", "x\n" * 20)
    with refused(path, "a molecule of more than 10 lines", line=1):
        wideberth.read(path)
