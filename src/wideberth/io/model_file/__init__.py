"""Models in files: a zip of JSON and NPY with checksums, of which nothing can run.

A model file holds ``model.json`` (class, parameters, metric, what was learned), ``arrays/*.npy`` and, last, ``manifest.json``:
the version of the format and of the library, and the size and SHA-256 of every other entry. Entries are stored as they are,
without compression, so that none can be larger than the file; the comment at the end of the file is the SHA-256 of all bytes
before it.
"""

from wideberth.io.model_file.read import load
from wideberth.io.model_file.write import save

__all__ = ["load", "save"]
