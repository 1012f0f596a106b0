"""A matrix of distances that is not there any more: what is left of it in a model that was saved."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideberth.errors import InvalidInput
from wideberth.metrics.metric import Distances, Kind, Metric, Promises
from wideberth.metrics.precomputed import Precomputed


class DistanceRows(Metric):
    """Distances of new objects to ``n_objects`` known ones, as rows; how far the known ones are apart is forgotten.

    >>> known = DistanceRows(3)
    >>> known.block([[1.0, 1.0, 4.5]], [2, 0])  # a new object, 4.5 from object 2 and 1 from object 0
    array([[4.5, 1. ]])
    """

    name = Precomputed.name
    eats: Kind = "indices"
    parallel = "threads"

    def __init__(
        self,
        n_objects: int,
        *,
        obeys_triangle: bool | None = None,
        hilbertian: bool | None = None,
        negative_type: bool | None = None,
    ) -> None:
        self.n_objects = n_objects
        self._promises = Promises(obeys_triangle=obeys_triangle, hilbertian=hilbertian, negative_type=negative_type)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        promises = ("obeys_triangle", "hilbertian", "negative_type")
        return {"n_objects": self.n_objects} | {name: getattr(self, name) for name in promises}

    def prepare(self, objects: Any) -> NDArray[Any]:
        given = np.asarray(objects)
        if given.ndim == 2 and given.shape[1] == self.n_objects and given.dtype.kind in "fiu":
            return given.astype(np.float64, copy=False)
        if given.ndim == 1 and given.dtype.kind in "iu" and np.all((given >= 0) & (given < self.n_objects)):
            return given.astype(np.intp, copy=False)
        raise InvalidInput(
            f"New objects are rows of their distances to the {self.n_objects} training objects; this is an array of "
            f"{given.dtype} with shape {given.shape}.",
            advice=f"Pass shape (objects, {self.n_objects}).",
            value=given.shape,
        )

    def _measure(self, left: NDArray[Any], right: NDArray[Any]) -> Distances:
        if left.ndim == 1 or right.ndim == 2:
            raise InvalidInput(
                "The matrix of distances did not come with the model, so the training objects cannot be asked for by number.",
                advice=f"Pass rows of distances to the training objects, shape (objects, {self.n_objects}).",
                value=(left.shape, right.shape),
            )
        rows: Distances = left[:, right]
        return rows
