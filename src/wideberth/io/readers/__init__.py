"""Files to objects: tables, JSON lines, sequences, series, molecules, texts, Parquet and arrays, streamed and never executed."""

from wideberth.io.readers.reading import read, read_batches
from wideberth.io.readers.records import Kind, Records

__all__ = ["Kind", "Records", "read", "read_batches"]
