"""Labels from a second file, a file for each class, and directories of such files."""

import gzip
import zipfile

import numpy as np
import pytest

import wideberth
from wideberth.errors import InvalidFile, InvalidInput
from wideberth.io.readers import read_batches

WORDS = "word\ntea\nrum\ngin\n"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("labels.txt", "soft\nhard\nhard\n"),
        ("labels", "soft\r\nhard\r\nhard\r\n\r\n"),
        ("labels.csv", "kind\nsoft\nhard\nhard\n"),
        ("labels.jsonl", '"soft"\n"hard"\n"hard"\n'),
        ("labels.txt.gz", gzip.compress(b"soft\nhard\nhard\n", mtime=0)),
    ],
)
def test_labels_come_from_a_second_file_in_order(write, name, text):
    path, labels = write("words.csv", WORDS), write(name, text)
    records = wideberth.read(path, labels_from=labels)
    assert (records.objects, records.labels, records.target) == (
        ["tea", "rum", "gin"],
        ["soft", "hard", "hard"],
        str(labels),
    )
    assert records.understood[-1][:2] == (str(labels), "label")
    batches = list(read_batches(path, labels_from=str(labels), size=2, keep_cells=True))
    assert [label for batch in batches for label in batch.labels] == ["soft", "hard", "hard"]
    assert batches[0].cells[0] == {"word": "tea"}
    assert next(read_batches(path, labels_from=labels, labels=False)).labels is None


def test_labels_are_found_by_identifiers(write, refused):
    path = write("sizes.csv", "id,x\n1,5.5\n2,6.5\n3,7.5\n")
    labels = write("labels.csv", "id,kind,source\n3,hard,me\n1,soft,me\n2,hard,you\n")
    with refused(labels, "could each hold the labels"):
        wideberth.read(path, labels_from=labels)
    records = wideberth.read(path, labels_from=labels, target="kind")
    assert (records.labels, records.names) == (["soft", "hard", "hard"], ["1", "2", "3"])
    labels = write("labels.csv", "id,kind\n3,hard\n1,soft\n")
    with refused(path, "'2' in column 'id' has no label", line=3, value="2"):
        wideberth.read(path, labels_from=labels)
    skipping = wideberth.read(path, labels_from=labels, on_error="skip")
    assert (skipping.labels, [record.line for record in skipping.skipped]) == (
        ["soft", "hard"],
        [3],
    )
    labels = write("labels.csv", "uuid,kind\ns3,hard\ns1,soft\n")
    with refused(labels, "has the identifiers in 'uuid', such as 's3'", "the same identifiers"):
        wideberth.read(path, labels_from=labels)
    labels = write("labels.csv", "id,kind\n3,hard\n1,soft\n1,hard\n")
    with refused(labels, "'1' is there twice in 'id'"):
        wideberth.read(path, labels_from=labels, target="kind")


def test_columns_that_may_hold_no_labels_are_no_candidates(write, refused):
    """Identifiers, measurements, and what is the same everywhere are none; one that is left is
    taken with a remark, and of several the message advises the one that looks like classes.
    """
    names = [f"P{number:03}" for number in range(30)]
    genes = write("genes.fasta", "".join(f">sp|{name}|X\nACGT\n" for name in names))
    rows = [
        f"{name},{30 - at},{at / 7:.3f},human,{'wall' if at % 3 else 'core'}"
        for at, name in enumerate(names)
    ]
    head = "Accession,Rank,Weight,Species,Location"
    labels = write("l.csv", "\n".join([head, *rows]) + "\n")
    with pytest.warns(UserWarning, match="taken from column 'Location', the only one that may"):
        records = wideberth.read(genes, labels_from=labels)
    assert records.labels[:4] == ["core", "wall", "wall", "core"]
    lengths = [f"{row},{10 + at % 17}" for at, row in enumerate(rows)]
    labels = write("l.csv", "\n".join([f"{head},Length", *lengths]) + "\n")
    with refused(labels, "'Location', 'Length' could each hold", "target='Location'"):
        wideberth.read(genes, labels_from=labels)


def test_files_are_joined_by_values_whatever_the_columns_are_called(write, refused):
    genes = write("genes.fasta", ">sp|P1|X_HUMAN first\nACGT\n>sp|P2.1|Y_HUMAN\nAAAA\n")
    labels = write("l.csv", "accession,kind\nP2,b\nP1,a\n")
    assert wideberth.read(genes, labels_from=labels).labels == ["a", "b"]
    labels = write("l.csv", "protein,source,kind\nP2,me,b\nP1,me,a\n")
    assert wideberth.read(genes, labels_from=labels, target="kind").labels == ["a", "b"]
    matrix = write("d.csv", "name,u,v,w\nu,0,1,2\nv,1,0,1.5\nw,2,1.5,0\n")
    labels = write("l.csv", "taxon,kind\nw,b\nu,a\nv,a\n")
    records = wideberth.read(matrix, labels_from=labels, target="kind")
    assert (records.kind, records.labels) == ("distances", ["a", "a", "b"])
    both = write("both.csv", "p,q,x\na,d,1.5\nb,e,2.5\nc,f,3.5\n")
    labels = write("l.csv", "r,s,kind\nc,f,hot\na,d,cold\nb,e,hot\n")
    with refused(labels, "'r', 's' could each name the objects", "Leave only one", "'r'"):
        wideberth.read(both, labels_from=labels, target="kind")


def test_fasta_takes_labels_by_the_ids_of_its_headers(write):
    path = write("genes.fasta", ">s1 first\nACGT\n>s2\nAAAA\n")
    assert wideberth.read(path, labels_from=write("l.csv", "id,label\ns2,b\ns1,a\n")).labels == [
        "a",
        "b",
    ]


def test_as_many_labels_as_objects(write, refused):
    path = write("words.csv", WORDS)
    for text, complaint in (
        ("a\nb\n", "2 labels for more objects"),
        ("a\nb\na\nb\n", "4 labels for 3 objects"),
    ):
        labels = write("labels.txt", text)
        with refused(labels, complaint, "one label for each object"):
            wideberth.read(path, labels_from=labels)
    labels = write("labels.txt", "a\n\nb\n")
    with refused(labels, "an empty line", line=2):
        wideberth.read(path, labels_from=labels)


def test_a_line_that_is_skipped_keeps_the_labels_in_step(write):
    path = write("words.csv", "word,size\ntea,1\nrum\ngin,3\n")
    records = wideberth.read(
        path, column="word", labels_from=write("labels.txt", "a\nb\nc\n"), on_error="skip"
    )
    assert (records.objects, records.labels) == (["tea", "gin"], ["a", "c"])


def test_labels_in_the_file_itself_are_ignored_then(write):
    records = wideberth.read(
        write("t.csv", "x,label\n1,u\n2,v\n"), labels_from=write("labels.txt", "a\nb\n")
    )
    assert (records.objects.tolist(), records.labels) == ([[1], [2]], ["a", "b"])
    assert {use.name: use.use for use in records.understood}["label"] == "ignored"


def test_arrays_take_labels_in_order(write, tmp_path, refused):
    matrix = np.array([[0, 1, 2], [1, 0, 1.5], [2, 1.5, 0]])
    np.save(tmp_path / "D.npy", matrix)
    np.save(tmp_path / "y.npy", np.array([1, 2, 1]))
    records = wideberth.read(tmp_path / "D.npy", labels_from=tmp_path / "y.npy")
    assert (records.kind, records.labels) == ("distances", [1, 2, 1])
    with refused(write("labels.txt", "a\n"), "1 label for more objects"):
        wideberth.read(tmp_path / "D.npy", labels_from=tmp_path / "labels.txt")
    with refused(write("labels.csv", "id,label\n1,a\n2,b\n3,a\n"), "identifiers, but the arrays"):
        wideberth.read(tmp_path / "D.npy", labels_from=tmp_path / "labels.csv")


def test_the_name_of_a_file_is_the_label(write):
    files = [
        write("pos.fasta", ">s1\nACGT\n>s2\nACGA\n"),
        write("neg.fasta.gz", gzip.compress(b">s3\nAAAA\n", mtime=0)),
    ]
    records = wideberth.read(files)
    assert (records.objects, records.labels) == (["ACGT", "ACGA", "AAAA"], ["pos", "pos", "neg"])
    assert (records.names, records.target, records.kind) == (["s1", "s2", "s3"], "file", "strings")
    assert records.understood[-1].name == "file"
    assert [batch.labels for batch in read_batches(files, size=1)] == [["pos"], ["pos"], ["neg"]]
    assert next(read_batches(files, labels=False)).labels is None


def test_files_with_labels_of_their_own_are_parts_of_one(write, refused):
    one, other = write("a.csv", "word,label\ntea,x\n"), write("b.csv", "word,label\nrum,y\n")
    assert wideberth.read([one, other]).labels == ["x", "y"]
    other = write("b.csv", "word\nrum\n")
    with refused(other, "there is no column 'label'"):
        wideberth.read([one, other])
    with refused(other, "there is no column 'x'"):
        wideberth.read([write("a.csv", "x\n1.5\n"), other])


def test_further_files_are_read_as_the_first(write):
    files = [
        write("a.csv", "size,city\n1,5,\n"[:10] + "1,Ulm\n2,Bonn\n"),
        write("b.csv", "size,city\n3,7\n4,8\n"),
    ]
    records = wideberth.read(files)
    assert records.objects[-1] == {"size": 4.0, "city": "8"}
    assert records.labels == ["a", "a", "b", "b"]


def test_lists_of_files_that_make_no_sense_are_refused(write, tmp_path):
    with pytest.raises(InvalidInput, match="An empty list of files"):
        wideberth.read([])
    with pytest.raises(InvalidInput, match="is not the name of a file"):
        wideberth.read([1, 2])
    files = [write("a.csv", WORDS), write("b.csv", WORDS)]
    with pytest.raises(InvalidInput, match="gives the labels of one file, not of 2"):
        wideberth.read(files, labels_from=write("labels.txt", "a\n"))
    np.save(tmp_path / "a.npy", np.zeros((2, 2)))
    np.save(tmp_path / "b.npy", np.zeros((2, 3)))
    with pytest.raises(InvalidFile, match=r"objects of shape \(3,\)"):
        wideberth.read([tmp_path / "a.npy", tmp_path / "b.npy"])


def test_directories_of_files_of_a_known_format(tmp_path):
    for label, sequence in (("pos", "ACGT"), ("neg", "AAAA")):
        (tmp_path / "genes" / label).mkdir(parents=True)
        for number in (1, 2):
            (tmp_path / "genes" / label / f"{number}.fasta").write_text(
                f">{label}{number}\n{sequence}\n"
            )
    records = wideberth.read(tmp_path / "genes")
    assert (records.objects, records.labels) == (
        ["AAAA", "AAAA", "ACGT", "ACGT"],
        ["neg", "neg", "pos", "pos"],
    )
    assert (records.names, records.path) == (
        ["neg1", "neg2", "pos1", "pos2"],
        str(tmp_path / "genes"),
    )
    flat = wideberth.read(tmp_path / "genes" / "pos")
    assert flat.labels == ["1", "2"]


def test_known_formats_next_to_texts_are_refused(tmp_path, refused):
    (tmp_path / "mixed").mkdir()
    (tmp_path / "mixed" / "a.fasta").write_text(">s1\nACGT\n")
    (tmp_path / "mixed" / "b.txt").write_text("tea\n")
    with refused(
        tmp_path / "mixed", "'b.txt' next to 'a.fasta'", "Put only one sort into the directory"
    ):
        wideberth.read(tmp_path / "mixed")
    (tmp_path / "mixed" / "b.txt").unlink()
    assert wideberth.read(tmp_path / "mixed").objects == ["ACGT"]


@pytest.mark.parametrize("written", ["name,kind\nt,soft\nr,\ng,NA\n", "kind\nsoft\n''\nNA\n"])
def test_objects_whose_label_is_empty_in_the_second_file_are_left_out(write, written):
    drinks = write("drinks.csv", "name,strength\nt,1\nr,2\ng,3\n")
    labels = write("labels.csv", written.replace("''", '""'))
    with pytest.warns(UserWarning, match="2 of 3 rows have no label in .*labels.csv.*in line 3"):
        records = wideberth.read(drinks, labels_from=labels)
    assert (records.labels, records.names) == (["soft"], ["t"])


def test_labels_may_be_in_an_archive(tmp_path, write):
    with zipfile.ZipFile(tmp_path / "labels.zip", "w") as archive:
        archive.writestr("labels.csv", "name,kind\nr,hard\nt,soft\n")
    drinks = write("drinks.csv", "name,strength\nt,1\nr,2\n")
    assert wideberth.read(drinks, labels_from=tmp_path / "labels.zip").labels == ["soft", "hard"]
