"""Save fitted estimators to files and load them again: a zip of JSON and NPY with checksums,
nothing of which can run.

A model file holds ``model.json`` (class, parameters, metric, what was learned), ``arrays/*.npy``
and, last, ``manifest.json``: the version of the format and of the library, where the model comes
from, and the size and SHA-256 of every other entry. Entries are stored without compression, so that
none can be larger than the file. The comment at the end of the zip is the SHA-256 of all bytes
before it.

From the outside in: `archive` (the zip, its values and arrays), `model_parts` (metrics, objects and
steps of pipelines as plain values, and the classes that a file can name), `provenance` (where the
model comes from), `write` and `read` for the model as a whole, and `saved_classifier` for the
commands that use one.
"""

from wideberth.io.model_file.provenance import Provenance, model_info
from wideberth.io.model_file.read import load
from wideberth.io.model_file.write import save

__all__ = ["Provenance", "load", "model_info", "save"]
