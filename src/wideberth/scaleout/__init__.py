"""The same estimators on a cluster of `Dask <https://distributed.dask.org>`_ workers (extra ``dask``)."""

from wideberth.extras import import_extra

import_extra("distributed", "dask")

from wideberth.scaleout.collections.answers import certified_radius, predict  # noqa: E402  after the check that Dask is there
from wideberth.scaleout.collections.fitting import fit  # noqa: E402
from wideberth.scaleout.collections.judging import certify, evaluate  # noqa: E402
from wideberth.scaleout.collections.learning_from_few import learn_from_net  # noqa: E402
from wideberth.scaleout.collections.writing import write_predictions  # noqa: E402

__all__ = ["certified_radius", "certify", "evaluate", "fit", "learn_from_net", "predict", "write_predictions"]
