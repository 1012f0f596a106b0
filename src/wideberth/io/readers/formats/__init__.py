"""The formats of files: a module for each, and the one table of them.

A new format is a module with its `wideberth.io.readers.source.Format`, and a row here.
"""

from wideberth.io.readers.formats.arff import ARFF
from wideberth.io.readers.formats.arrays import NPY, NPZ
from wideberth.io.readers.formats.arrow import PARQUET
from wideberth.io.readers.formats.delimited import CSV
from wideberth.io.readers.formats.fasta import FASTA
from wideberth.io.readers.formats.fastq import FASTQ
from wideberth.io.readers.formats.json_documents import JSON
from wideberth.io.readers.formats.json_lines import JSON_LINES
from wideberth.io.readers.formats.molecules import SDF, SMI
from wideberth.io.readers.formats.phylip import PHYLIP
from wideberth.io.readers.formats.ucr_archive import TS, TSV
from wideberth.io.readers.formats.workbooks import XLSX

#: All formats that are known by the endings of the names of files.
FORMATS = (
    CSV,
    TSV,
    JSON_LINES,
    JSON,
    FASTA,
    FASTQ,
    TS,
    SMI,
    SDF,
    ARFF,
    PHYLIP,
    PARQUET,
    XLSX,
    NPY,
    NPZ,
)
