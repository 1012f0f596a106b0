"""Files to objects: CSV, TSV, JSON lines, NPY and NPZ, streamed, checked, and never executed."""

from wideberth.objects.readers.reading import read, read_batches
from wideberth.objects.readers.records import Kind, Records

__all__ = ["Kind", "Records", "read", "read_batches"]
