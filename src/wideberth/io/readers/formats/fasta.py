"""Read FASTA files: sequences under headers, whose ``key=value`` words become columns."""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from wideberth.errors import InvalidFile
from wideberth.io.readers.formats.delimited import TEXT_CELLS
from wideberth.io.readers.records import Cell, CellReader, RawTable, Row, Rows, fault
from wideberth.io.readers.source import Format
from wideberth.objects.sample import shown
from wideberth.wording import setting

SEQUENCE = "sequence"
NOT_RESIDUES = re.compile(r"[^A-Za-z*.?~-]")  # anything but letters, stops and gaps
KEY = r"[^\W\d][\w.-]*"
KEY_VALUE = re.compile(
    rf"\[({KEY})=((?:[^\[\]]|\[[^\[\]]*\])*)\]"  # [organism=Homo sapiens]
    # OS=Homo sapiens OX=9606, as UniProt and UniRef write species
    rf"|(?<!\S)(OS|Tax)=(.+?)(?= {KEY}=|$)"
    rf'|(?<!\S)({KEY})=("[^"]*"|\S+)'  # label=promoter
)


def fasta_table(lines: Iterable[str], path: str) -> RawTable:
    r"""Read a FASTA file as a table with the columns ``id``, ``description``, ``sequence`` and one
    for each key in the headers.

    Examples
    --------
    >>> next(fasta_table([">s1 label=promoter\n", "ACGT\n", "acg\n"], "genes.fasta").rows).cells
    {'id': 's1', 'description': 'label=promoter', 'sequence': 'ACGTacg', 'label': 'promoter'}
    """
    return RawTable(
        fasta_rows(lines, path), HEADER_CELLS, column=SEQUENCE, kind="strings", identifier="id"
    )


def fasta_rows(lines: Iterable[str], path: str) -> Rows:
    """Yield the sequences of a FASTA file, each with the line of its header.

    Blank lines and ``;`` comments are skipped, and ids may repeat. The lines of a sequence are
    joined, without spaces; everything else is kept: lower case, gaps, a stop ``*``.

    Examples
    --------
    >>> [
    ...     row.cells["sequence"]
    ...     for row in fasta_rows([">s1", "ACGT", ">s2", "AC", "-T"], "genes.fasta")
    ... ]
    ['ACGT', 'AC-T']
    """
    for header, parts in _sequences(lines, path):
        try:
            row = sequence_row(header, parts, path)
        except InvalidFile as error:
            yield error
            continue
        yield row


def _sequences(
    lines: Iterable[str], path: str
) -> Iterator[tuple[tuple[int, str], list[tuple[int, str]]]]:
    """Each header and the lines below it, all with their numbers."""
    header: tuple[int, str] | None = None
    parts: list[tuple[int, str]] = []
    for line, written in enumerate(lines, start=1):
        text = written.strip()
        if not text or text.startswith(";"):
            continue
        if text.startswith(">"):
            if header is not None:
                yield header, parts
            header, parts = (line, text[1:].strip()), []
        elif header is None:
            advice = "Put a line with '>' and a name above every sequence."
            raise fault(
                path, f"{shown(text)} is before the first header.", advice, line=line, value=text
            )
        else:
            parts.append((line, text))
    if header is None:
        raise fault(
            path,
            "no sequences.",
            "Write a header, such as >s1 label=promoter, and below it the sequence.",
            value="",
        )
    yield header, parts


def header_fields(header: str) -> dict[str, Any]:
    """Parse the keys of a FASTA header: ``key=value``, ``[key=value]``, and the species of UniProt,
    which contain spaces.

    Examples
    --------
    >>> header_fields("sp|P1|X_HUMAN Protein X OS=Homo sapiens OX=9606 [gene=abc] note=a note=b")
    {'OS': 'Homo sapiens', 'OX': '9606', 'gene': 'abc', 'note': ('a', 'b')}
    """
    values_by_key: dict[str, list[str]] = {}
    for match in KEY_VALUE.finditer(" ".join(header.split())):
        key, value = (group for group in match.groups() if group is not None)
        values_by_key.setdefault(key, []).append(
            value.strip('"') if value.startswith('"') else value.strip()
        )
    return {
        key: values[0] if len(set(values)) == 1 else tuple(values)
        for key, values in values_by_key.items()
    }


def sequence_row(header: tuple[int, str], parts: list[tuple[int, str]], path: str) -> Row:
    """The row of one sequence: ``header`` is its line and text, ``parts`` are the numbered lines of
    the sequence.
    """
    line, text = header
    name, description = [*text.split(maxsplit=1), "", ""][:2]
    if not parts:
        advice = "Write the sequence below its header, or remove the header."
        raise fault(path, f"the sequence {shown(name)} is empty.", advice, line=line, value=text)
    own = {
        "id": name,
        "description": description,
        SEQUENCE: "".join(_checked_residues(part, path, number) for number, part in parts),
    }
    return Row(
        line, own | {key: value for key, value in header_fields(text).items() if key not in own}
    )


def _checked_residues(text: str, path: str, line: int) -> str:
    """A line of a sequence without spaces, after a check that it has only letters, gaps and
    stops.
    """
    joined = "".join(text.split())
    wrong = NOT_RESIDUES.search(joined)
    if wrong:
        raise fault(
            path,
            f"{wrong.group()!r} does not belong in a sequence, in "
            f"{shown(joined[max(0, wrong.start() - 20) :])}.",
            "A header needs a line of its own; text that is not a sequence belongs in a "
            "table or in JSON lines.",
            line=line,
            value=wrong.group(),
        )
    return joined


def _if_text(parse: Callable[[str], Any]) -> Callable[[Cell], Any]:
    """Restrict a reader of cells to text: a header may lack a key, or give it several values."""
    return lambda cell: parse(cell) if isinstance(cell, str) else None


HEADER_CELLS = CellReader(
    number=_if_text(TEXT_CELLS.number),
    series=_if_text(TEXT_CELLS.series),
    text=_if_text(TEXT_CELLS.text),
    members=_if_text(TEXT_CELLS.members),
    structure=_if_text(TEXT_CELLS.structure),
    label=_if_text(TEXT_CELLS.label),
    fallback_kind=TEXT_CELLS.fallback_kind,
    disguised=lambda cell: isinstance(cell, str) and TEXT_CELLS.disguised(cell),
)


#: Where the labels of sequences are.
LABELS_IN_HEADERS = (
    "Write label=... into the headers, give a table of identifiers and labels with "
    f"{setting('labels_from')}, or one file for each class."
)

FASTA = Format(
    name="a FASTA file",
    endings=(".fasta", ".fa", ".fna", ".faa", ".ffn"),
    of_lines=fasta_table,
    begins=(b">",),
    labels=LABELS_IN_HEADERS,
    example=b">s1 label=promoter\nTATAAT\n>s2 label=other\nGCGCGC\n",
)
