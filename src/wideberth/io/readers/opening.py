"""Open a file of rows as a table, by its format."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager

from wideberth.errors import InvalidInput
from wideberth.io.readers.formats.arff import arff_table
from wideberth.io.readers.formats.delimited import csv_table
from wideberth.io.readers.formats.directories import directory_table
from wideberth.io.readers.formats.fasta import fasta_table
from wideberth.io.readers.formats.json_lines import json_table
from wideberth.io.readers.formats.parquet import parquet_table
from wideberth.io.readers.formats.phylip import phylip_table
from wideberth.io.readers.formats.sdf import sdf_table
from wideberth.io.readers.formats.smiles import smiles_table
from wideberth.io.readers.formats.ucr_archive import ts_table, tsv_table
from wideberth.io.readers.formats.workbooks import workbook_table
from wideberth.io.readers.options import ReadOptions
from wideberth.io.readers.records import RawTable, Report
from wideberth.io.readers.sources.encoding import decoded_lines, find_encoding
from wideberth.io.readers.sources.source import BINARY_FORMATS, DIRECTORY, Source
from wideberth.wording import setting

TEXT_READERS: dict[str, Callable[[Iterable[str], str, Report], RawTable]] = {
    "csv": csv_table,
    "tsv": tsv_table,
    "jsonl": json_table,
    "fasta": fasta_table,
    "ts": ts_table,
    "smi": smiles_table,
    "arff": arff_table,
    "sdf": sdf_table,
    "phylip": phylip_table,
}


def check_encoding(source: Source, encoding: str | None) -> str | None:
    """The encoding of a text file, found or checked; None for other formats, for which naming one
    is an error.

    Examples
    --------
    >>> check_encoding(Source("drinks.csv", "csv", content=b"tea"), None)
    'utf-8'
    """
    if source.format in BINARY_FORMATS.values():
        if encoding is not None:
            raise InvalidInput(
                f"{source.path} is not text and has no encoding.",
                advice=f"Leave {setting('encoding')} out.",
                value=encoding,
            )
        return None
    return encoding if source.format == DIRECTORY else find_encoding(source, encoding)


@contextmanager
def opened_table(
    source: Source, encoding: str | None, options: ReadOptions, report: Report
) -> Iterator[RawTable]:
    r"""Open a file of rows; the temporary copy of a pipe is deleted at the end.

    Parameters
    ----------
    source : Source
        The file, of any format but arrays.
    encoding : str or None
        What `check_encoding` returned.
    options : ReadOptions
        What the caller named.
    report : callable
        Takes the error about a record that cannot be read.

    Yields
    ------
    RawTable

    Examples
    --------
    >>> from wideberth.io.readers.records import raised
    >>> with opened_table(
    ...     Source("t.csv", "csv", content=b"word\ntea\n"), "utf-8", ReadOptions(), raised
    ... ) as table:
    ...     [row.cells for row in table.rows]
    [{'word': 'tea'}]
    """
    if options.sheet is not None and source.format != "xlsx":
        advice = f"Leave {setting('sheet')} out; only .xlsx files have sheets."
        raise InvalidInput(
            f"{setting('sheet', options.sheet)} for {source.path}, which has none.",
            advice=advice,
            value=options.sheet,
        )
    if source.format == "parquet":
        yield parquet_table(source.path, options, source.max_size)
    elif source.format == "xlsx":
        yield workbook_table(source.path, options.sheet, source.max_size, report)
    elif source.format == DIRECTORY:
        yield directory_table(source.path, encoding, source.max_size, report)
    else:
        with closing(source), decoded_lines(source, encoding or "utf-8") as lines:
            yield TEXT_READERS[source.format](lines, source.path, report)
