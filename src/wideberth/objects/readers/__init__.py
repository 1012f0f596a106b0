"""Files to objects: tables, JSON lines, sequences, series, molecules, texts, Parquet and arrays, streamed and never executed."""

from wideberth.objects.readers.reading import read, read_batches
from wideberth.objects.readers.records import Kind, Records

__all__ = ["Kind", "Records", "read", "read_batches"]
