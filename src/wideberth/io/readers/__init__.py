"""Read objects and labels from files and frames: tables, JSON lines, FASTA, time series, SMILES,
texts, Parquet and NumPy arrays.

Files are read a batch at a time where the format allows it, and nothing in them is ever executed. A
file goes through these modules: `opening` finds it and its format, `source` decodes its bytes; a
module for each format (`formats`) cuts it into rows of cells; `layout` decides on the first rows
which columns hold the objects and the labels, by what `columns` finds in each; `conversion` turns
all rows into `records`.
"""

from wideberth.io.readers.reading import read, read_batches
from wideberth.io.readers.records import ColumnUse, Kind, Records, Skipped

__all__ = ["ColumnUse", "Kind", "Records", "Skipped", "read", "read_batches"]
