"""FASTA: sequences joined, headers taken apart, damage found with its line."""

import gzip

import pytest

import wideberth
from wideberth.io.readers import read_batches

GENES = ">s1 label=promoter\nACGT\nACG\n\n; a comment\n>s2 label=other\nacgt-N*\n"


@pytest.mark.parametrize("ending", ["fasta", "fa", "fna", "faa", "ffn", "FASTA"])
def test_sequences_are_strings_and_keys_are_columns(write, ending):
    records = wideberth.read(write(f"genes.{ending}", GENES))
    assert (records.objects, records.labels, records.kind) == (
        ["ACGTACG", "acgt-N*"],
        ["promoter", "other"],
        "strings",
    )
    assert (records.column, records.target) == ("sequence", "label")


def test_compressed_files_and_all_line_endings(write):
    for ending in ("\n", "\r\n", "\r"):
        assert wideberth.read(write("genes.fa", GENES.replace("\n", ending))).objects == [
            "ACGTACG",
            "acgt-N*",
        ]
    assert wideberth.read(write("genes.fa.gz", gzip.compress(GENES.encode()))).labels == [
        "promoter",
        "other",
    ]


def test_there_need_not_be_labels(write):
    records = wideberth.read(write("genes.fa", "> s1\nACGT\n>\nAC GT\n"))
    assert (records.objects, records.labels) == (["ACGT", "ACGT"], None)


@pytest.mark.parametrize(
    ("header", "target", "label"),
    [
        ("s1 [organism=Homo sapiens] [gene=x]", "organism", "Homo sapiens"),
        ("s1 [protein=[FeFe] hydrogenase]", "protein", "[FeFe] hydrogenase"),
        ("sp|P1|X_HUMAN Protein OS=Homo sapiens OX=9606 GN=X", "OS", "Homo sapiens"),
        ("sp|P1|X_HUMAN Protein OS=Homo sapiens", "OS", "Homo sapiens"),
        ("UniRef50_P1 Protein n=2 Tax=Homo sapiens TaxID=9606", "Tax", "Homo sapiens"),
        ("UniRef50_P1 Protein n=2 Tax=Homo sapiens TaxID=9606", "TaxID", "9606"),
        ('s1 species="Homo sapiens" x=1', "species", "Homo sapiens"),
        ("s1 Class=a other words", "Class", "a"),
        ("s1 label=a label=a", "label", "a"),
        ("s1 id=7", "id", "s1"),
        ("s1 two words", "description", "two words"),
    ],
)
def test_headers_are_taken_apart(write, header, target, label):
    assert wideberth.read(write("genes.fa", f">{header}\nACGT\n"), target=target).labels == [label]


def test_ids_may_repeat_and_any_column_may_be_read(write):
    path = write("genes.fa", ">s1 x=1\nACGT\n>s1 x=2\nACGT\n")
    assert wideberth.read(path, column="id").objects == ["s1", "s1"]
    assert wideberth.read(path, column="x").objects.tolist() == [[1], [2]]
    assert wideberth.read(path, column=["id", "x"], kind="rows").objects[1] == {
        "id": "s1",
        "x": 2.0,
    }
    assert wideberth.read(path, column="sequence", kind="objects").objects == ["ACGT", "ACGT"]
    assert wideberth.read(path, target="sequence", column="id").labels == ["ACGT", "ACGT"]
    assert set(wideberth.read(path, kind="rows").objects[0]) == {
        "id",
        "description",
        "sequence",
        "x",
    }


def test_a_sequence_before_the_first_header_is_refused(write, refused):
    path = write("genes.fa", "; comment\nACGT\n>s1\nACGT\n")
    with refused(path, "'ACGT' is before the first header", "'>' and a name", line=2, value="ACGT"):
        wideberth.read(path)
    assert len(wideberth.read(write("genes.fa", ">s0\nACGT\n>s1\nACGT\n"))) == 2


@pytest.mark.parametrize(("text", "line"), [(">s1\n\n>s2\nACGT\n", 1), (">s1\nACGT\n>s2\n", 3)])
def test_an_empty_sequence_is_refused(write, refused, text, line):
    path = write("genes.fa", text)
    with refused(path, "the sequence 's", "is empty", "or remove the header", line=line):
        wideberth.read(path)


@pytest.mark.parametrize("text", ["", "; nothing\n", "\n\n"])
def test_a_file_without_sequences_is_refused(write, refused, text):
    path = write("genes.fa", text or "\n")
    with refused(path, "no sequences", ">s1 label=promoter", value=""):
        wideberth.read(path)


@pytest.mark.parametrize(
    ("line", "value"),
    [("ACGT>s2 label=b", ">"), ("1 acgt", "1"), ("word,label", ","), ("AÇGT", "Ç")],
)
def test_what_is_no_sequence_is_refused(write, refused, line, value):
    path = write("genes.fa", f">s1\nACGT\n{line}\n")
    with refused(
        path, f"{value!r} does not belong in a sequence", "a line of its own", line=3, value=value
    ):
        wideberth.read(path)


@pytest.mark.parametrize("header", [">s2 label=", ">s2 [label=]"])
def test_a_record_without_its_label_is_left_out(write, header):
    path = write("genes.fa", f">s1 label=a\nACGT\n{header}\nACG\n")
    with pytest.warns(UserWarning, match="1 of 2 rows have no label in 'label'.*in line 3"):
        assert wideberth.read(path).objects == ["ACGT"]
    assert next(read_batches(path, labels=False)).labels is None


def test_a_key_that_says_two_things_is_refused_where_it_is_read(write, refused):
    path = write("genes.fa", ">s1 label=a note=x note=y\nACGT\n>s2 label=a label=b\nACGT\n")
    with refused(path, "('a', 'b') in column 'label' is not a label", line=3, value=("a", "b")):
        wideberth.read(path)
    with refused(path, "('x', 'y') in column 'note' is not text", line=1, value=("x", "y")):
        wideberth.read(path, column="note", kind="strings", target="id")
    assert len(wideberth.read(path, target="id")) == 2


def test_two_usual_names_of_labels_are_listed(write, refused):
    path = write("genes.fa", ">s1 label=a class=b\nACGT\n")
    with refused(path, "'label', 'class' could each hold the labels", value=["label", "class"]):
        wideberth.read(path)
    assert wideberth.read(path, target="class").labels == ["b"]


def test_a_misspelt_column_lists_what_headers_have(write, refused):
    path = write("genes.fa", ">s1 [organism=Homo sapiens]\nACGT\n")
    with refused(
        path,
        "Did you mean 'organism'?",
        "'id', 'description', 'sequence', 'organism'",
        value="organisms",
    ):
        wideberth.read(path, target="organisms")
