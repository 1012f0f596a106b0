"""Read FASTQ files: sequences with the quality of each letter, which is not used."""

from collections.abc import Iterable
from itertools import islice

from wideberth.errors import InvalidFile
from wideberth.io.readers.formats.fasta import (
    HEADER_CELLS,
    LABELS_IN_HEADERS,
    SEQUENCE,
    sequence_row,
)
from wideberth.io.readers.records import RawTable, Row, Rows, fault
from wideberth.io.readers.source import Format
from wideberth.objects.sample import shown

ADVICE = "Each read has four lines: @ and its name, the letters, + and as many signs of quality."


def fastq_table(lines: Iterable[str], path: str) -> RawTable:
    r"""Read a FASTQ file as a FASTA file of its sequences.

    Examples
    --------
    >>> next(fastq_table(["@r1 label=a\n", "ACGT\n", "+\n", "IIII\n"], "reads.fastq").rows).cells
    {'id': 'r1', 'description': 'label=a', 'sequence': 'ACGT', 'label': 'a'}
    """
    return RawTable(
        fastq_rows(lines, path), HEADER_CELLS, column=SEQUENCE, kind="strings", identifier="id"
    )


def fastq_rows(lines: Iterable[str], path: str) -> Rows:
    """Yield the reads of a FASTQ file, each with the line of its name. A read that is not four lines
    as they should be makes the rest unreadable; blank lines are skipped between reads.
    """
    numbered = ((line, text.strip()) for line, text in enumerate(lines, start=1))
    empty = True
    for line, name in numbered:
        if name:
            empty = False
            yield _read([(line, name), *islice(numbered, 3)], path)
    if empty:
        raise fault(path, "no reads.", ADVICE, value="")


def _read(read: list[tuple[int, str]], path: str) -> Row | InvalidFile:
    """The row of one read, or the error about its letters."""
    (line, name), texts = read[0], [text for _, text in read]
    if len(texts) < 4 or not name.startswith("@") or not texts[2].startswith("+"):
        raise fault(
            path, f"no read of four lines begins at {shown(name)}.", ADVICE, line=line, value=name
        )
    if len(texts[1]) != len(texts[3]):
        problem = f"{len(texts[1])} letters and {len(texts[3])} signs of quality in {shown(name)}."
        raise fault(path, problem, ADVICE, line=line, value=name)
    try:
        return sequence_row((line, name[1:].strip()), [read[1]] if texts[1] else [], path)
    except InvalidFile as error:
        return error


FASTQ = Format(
    name="a FASTQ file",
    endings=(".fastq", ".fq"),
    of_lines=fastq_table,
    labels=LABELS_IN_HEADERS,
    example=b"@s1 label=promoter\nTATAAT\n+\nIIIIII\n@s2 label=other\nGCGC\n+\nIIII\n",
)
