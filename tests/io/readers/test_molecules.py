"""SMILES: in files of their own, and in tables with a column of that name."""

import gzip

import pytest

import wideberth
from wideberth.io.readers import read_batches


def test_a_line_is_a_molecule_and_its_name(write):
    path = write("drinks.smi", "CCO ethyl alcohol\n\n# a comment\nO\twater\r\nC\n")
    records = wideberth.read(path)
    assert (records.objects, records.kind, records.column, records.labels) == (
        ["CCO", "O", "C"],
        "molecules",
        "smiles",
        None,
    )
    assert next(read_batches(path, size=2, target="name")).labels == ["ethyl alcohol", "water"]
    assert len(wideberth.read(write("drinks.smi.gz", gzip.compress(b"CCO\n")))) == 1


def test_a_first_line_may_name_the_columns(write):
    records = wideberth.read(write("drinks.smi", "SMILES label\nCCO hard\nO soft\n"))
    assert (records.objects, records.labels, records.column) == (
        ["CCO", "O"],
        ["hard", "soft"],
        "SMILES",
    )
    assert wideberth.read(write("drinks.smi", "smiles\nCCO ethanol\n"), target="name").labels == [
        "ethanol"
    ]
    records = wideberth.read(
        write("drinks.smi", "smiles\tname\tlabel\nCCO\tethyl alcohol\thard\nO\twater\tsoft\n")
    )
    assert (records.objects, records.labels, records.kind) == (
        ["CCO", "O"],
        ["hard", "soft"],
        "molecules",
    )


def test_a_line_without_a_molecule_is_refused(write, refused):
    path = write("drinks.smi", "CCO ethanol\n\twater\n")
    with refused(
        path, "no SMILES before 'water'", "at the beginning of the line", line=2, value="\twater"
    ):
        wideberth.read(path)
    path = write("drinks.smi", "CCO ethanol\nO\n")
    with pytest.warns(UserWarning, match="1 of 2 rows have no label in 'name'.*in line 2"):
        wideberth.read(path, target="name")


@pytest.mark.parametrize("text", ["\n\n", "# nothing\n", "smiles name\n"])
def test_a_file_without_molecules_is_refused(write, refused, text):
    path = write("drinks.smi", text)
    with refused(path, "no molecules", "CCO ethanol", value=""):
        wideberth.read(path)


def test_damage_below_a_header_has_its_line(write, refused):
    path = write("drinks.smi", "smiles name\nCCO ethanol\n O water\n")
    with refused(path, "no SMILES before 'O water'", line=3):
        wideberth.read(path)


@pytest.mark.parametrize("name", ["smiles", "SMILES", "Smiles"])
def test_a_column_of_a_table_is_known_by_its_name(write, name):
    path = write("drinks.csv", f"name,{name},weight,label\nethanol, CCO ,46,a\nwater,O,18,b\n")
    records = wideberth.read(path)
    assert (records.objects, records.kind, records.column) == (["CCO", "O"], "molecules", name)
    assert wideberth.read(path, column=name).kind == "molecules"
    assert wideberth.read(path, column=name, kind="strings").objects == [" CCO ", "O"]
    assert wideberth.read(path, column="name").kind == "strings"
    assert wideberth.read(path, column=["name", name], kind="rows").objects[1] == {
        "name": "water",
        name: "O",
    }


def test_in_json_lines_too_and_under_any_name_if_told(write):
    assert (
        wideberth.read(write("drinks.jsonl", '{"smiles": "CCO", "name": "ethanol"}\n')).kind
        == "molecules"
    )
    assert wideberth.read(write("drinks.csv", "mol,label\nCCO,a\n"), kind="molecules").objects == [
        "CCO"
    ]


def test_a_name_alone_does_not_make_a_molecule(write):
    assert (
        wideberth.read(write("faces.csv", "smiles,frowns,label\n3,1,a\n2,5,b\n")).kind == "vectors"
    )


def test_two_columns_of_that_name_are_listed(write, refused):
    path = write("drinks.csv", "smiles,SMILES\nCCO,OCC\n")
    with refused(
        path, "2 columns could hold the objects: 'smiles', 'SMILES'", value=["smiles", "SMILES"]
    ):
        wideberth.read(path)
    assert wideberth.read(path, column="SMILES").objects == ["OCC"]


def test_an_empty_or_odd_cell_is_refused(write, refused):
    path = write("drinks.csv", "smiles,label\nCCO,a\n,b\n")
    with pytest.warns(UserWarning, match="1 of 2 rows have no object in 'smiles'.*in line 3"):
        wideberth.read(path)
    path = write("drinks.jsonl", '{"smiles": "CCO"}\n{"smiles": "O"}\n{"smiles": 5}\n')
    with refused(path, "5 in column 'smiles' is not a SMILES", line=3, value=5):
        wideberth.read(path)
