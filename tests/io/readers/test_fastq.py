"""FASTQ: the sequences of reads, without their qualities."""

import pytest

import wideberth

READS = "@r1 label=a\nACGT\n+\nIIII\n\n@r2 label=b\nAC\n+r2\n@@\n"


def test_reads_are_sequences_with_names(write):
    records = wideberth.read(write("t.fastq", READS))
    assert (records.objects, records.labels) == (["ACGT", "AC"], ["a", "b"])
    assert records.names == ["r1", "r2"]


@pytest.mark.parametrize(
    ("text", "complaint", "line"),
    [
        (READS + ">s1\nAC\n+\nII\n", "no read of four lines begins at '>s1'", 10),
        (READS + "@r3\nAC\n+\n", "no read of four lines begins at '@r3'", 10),
        (READS + "@r3\nACG\n+\nII\n", "3 letters and 2 signs of quality", 10),
        (READS + "@r3\nA1G\n+\nIII\n", "'1' does not belong in a sequence", 11),
    ],
)
def test_what_is_no_read_is_refused_with_its_line(write, refused, text, complaint, line):
    path = write("t.fq", text)
    with refused(path, complaint, line=line):
        wideberth.read(path)
