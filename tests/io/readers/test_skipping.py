"""A record that cannot be read is an error with its line; on_error="skip" leaves it out and lists
it.
"""

import pytest

import wideberth
from wideberth.errors import InvalidInput
from wideberth.io.readers import Skipped, read_batches

#: Files with one or more bad records: what is left, and the lines of the others.
BAD = {
    "t.csv": ("x,label\n1,a\n2\n3,b\nz,a\n4,b\n", [[1], [3], [4]], [3, 5]),
    "t.tsv": ("word\tlabel\ntea\ta\nrum\ngin\tb\textra\n", ["tea"], [3, 4]),
    "t.jsonl": ('{"x": 1}\n{"x": \n[1]\n{"x": "z"}\n{"x": 2}\n', [[1], [2]], [2, 3, 4]),
    "t.fasta": (">s1\nACGT\n>s2\nAC!T\n>s3\n>s4\nAAAA\n", ["ACGT", "AAAA"], [4, 5]),
    "t.ts": ("@classLabel true a b\n@data\n1,2:a\n1,x:a\n3,4:c\n5,6:b\n", [[1, 2], [5, 6]], [4, 5]),
    "ucr.tsv": ("1\t0.5\t1.5\n1\t0.5\nx\t1\t2\n2\t3\t4\n", [[0.5, 1.5], [3, 4]], [2, 3]),
    "t.smi": ("CCO a\n C b\nC1CC c\nO d\n", ["CCO", "O"], [2, 3]),
    "mols.csv": ("smiles,label\nCCO,a\nC1CC,b\nxyz,a\nO,b\n", ["CCO", "O"], [3, 4]),
    "t.arff": ("@attribute x numeric\n@data\n1\n2,3\n'a\n4\n", [[1], [4]], [4, 5]),
}


def plain(objects):
    return [item if isinstance(item, str) else item.tolist() for item in objects]


@pytest.mark.parametrize("name", BAD)
def test_bad_records_are_left_out_and_listed(write, refused, name):
    text, left, lines = BAD[name]
    path = write(name, text)
    with refused(path, line=lines[0]):
        wideberth.read(path)
    records = wideberth.read(path, on_error="skip")
    assert plain(records.objects) == left
    assert [record.line for record in records.skipped] == lines
    assert all(isinstance(record, Skipped) and record.why for record in records.skipped)
    assert records.labels is None or len(records.labels) == len(left)
    for size in (1, 2, 100):
        batches = list(read_batches(path, on_error="skip", size=size))
        assert [item for batch in batches for item in plain(batch.objects)] == left
        assert sorted(record.line for batch in batches for record in batch.skipped) == lines
        assert all(len(batch) for batch in batches)


def test_nothing_is_skipped_where_all_is_well(write):
    assert wideberth.read(write("t.csv", "x\n1\n2\n"), on_error="skip").skipped == []


def test_a_molecule_that_cannot_be_parsed_is_named_with_its_line(write, refused):
    path = write("t.csv", "smiles,label\nCCO,a\nC1CC,b\n")
    with refused(
        path,
        "'C1CC' in column 'smiles' is not a molecule: unclosed ring",
        "on_error='skip'",
        line=3,
        value="C1CC",
    ):
        wideberth.read(path)
    path = write("t.smi", "CCO\nCé\n")
    with refused(path, "'é' does not belong in a SMILES", line=2):
        wideberth.read(path)


def test_a_file_of_bad_records_only_is_refused(write, refused):
    path = write("t.csv", "x,label\n1\n2\n")
    with refused(path, "a header ('x', 'label') and no rows"):
        wideberth.read(path, on_error="skip")
    path = write("t.smi", "C1CC\nC1C\n")
    with refused(
        path,
        "none of 2 records could be read. The first: 'C1CC' in column 'smiles'",
        line=1,
        value=2,
    ):
        wideberth.read(path, on_error="skip")


def test_what_breaks_the_file_and_not_a_record_is_not_skipped(write, refused):
    path = write("t.csv", 'word,label\ntea,a\n"rum,b\ngin,a\n')
    with refused(path, "cannot be split into cells", line=3):
        wideberth.read(path, on_error="skip")


def test_texts_in_a_directory_are_skipped_by_name(tmp_path):
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "a.txt").write_text("tea")
    (tmp_path / "texts" / "b.txt").write_text("")
    records = wideberth.read(tmp_path / "texts", on_error="skip")
    assert records.objects == ["tea"]
    assert "b.txt: the file is empty" in records.skipped[0].why


def test_of_several_files_the_name_is_said(write):
    files = [write("a.csv", "x,z\n1.5,2\n"), write("b.csv", "x,z\n1,2\n1\n")]
    skipped = wideberth.read(files, on_error="skip").skipped
    assert [(record.line, f"{files[1]}: 1 cell" in record.why) for record in skipped] == [(3, True)]


def test_labels_are_not_counted_twice(write):
    path = write("t.csv", "x,label\n1, a\nz,a\n")
    why = wideberth.read(path, on_error="skip").understood[-1].why
    assert "spaces around 1 label were removed" in why


def test_other_policies_are_refused(write):
    with pytest.raises(InvalidInput, match="on_error='ignore' is not known"):
        wideberth.read(write("t.csv", "x\n1\n"), on_error="ignore")
