"""Distances that are already known: a whole matrix, or rows of distances to the training objects of
a saved model.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Objects, Sample
from wideberth.errors import InvalidInput
from wideberth.metrics.containers import as_array, as_real_numbers
from wideberth.metrics.metric import Distances, Kind, Metric, Promises
from wideberth.objects.digests import Digests, object_digests, row_digests
from wideberth.objects.sample import shown
from wideberth.wording import python


class Precomputed(Metric):
    """A matrix of distances as a metric: the objects are the numbers of its rows and columns.

    A new object, which has no number, is given as the row of its distances to all objects of the
    matrix. It promises nothing unless you do; `wideberth.diagnose` examines the matrix.

    Parameters
    ----------
    distances : array-like of shape (n, n)
        The distances between n objects. They need not be symmetric.
    obeys_triangle, hilbertian, negative_type : bool, optional
        The promises that you can prove, see `wideberth.metrics.Promises`.

    Attributes
    ----------
    matrix : ndarray of float64, shape (n, n)
        The distances as numbers.

    Examples
    --------
    >>> table = Precomputed([[0, 2, 5], [2, 0, 4], [5, 4, 0]])
    >>> table.block([0, 1], [2])
    array([[5.],
           [4.]])
    >>> table.block([[1.0, 1.0, 4.5]], [2])  # a new object, 4.5 from object 2
    array([[4.5]])
    """

    name = "precomputed"
    examples = range(8)
    source = "a matrix of your own and its row numbers; you declare its promises"
    parallel = "threads"
    usual_nanoseconds = 5.0
    _from_user = True

    def __init__(
        self,
        distances: Any,
        *,
        obeys_triangle: bool | None = None,
        hilbertian: bool | None = None,
        negative_type: bool | None = None,
    ) -> None:
        self.matrix = _square_matrix(distances)
        super().__init__(
            self._look_up,
            accepts="indices",
            obeys_triangle=obeys_triangle,
            hilbertian=hilbertian,
            negative_type=negative_type,
        )
        self.distances = distances

    def prepare(self, objects: Objects) -> NDArray[Any]:
        """Check row numbers, or rows of distances.

        Row numbers are integers from 0 to n - 1; a row of a new object has n distances. Of a matrix
        of one object, a row must be float: [[0]] could also be a number.
        """
        indices = as_array(objects)
        if indices is None:
            raise self._not_row_numbers("lists of different lengths", objects)
        if (
            indices.ndim == 2
            and indices.shape[1] == len(self.matrix)
            and (len(self.matrix) > 1 or indices.dtype.kind == "f")
        ):
            return indices.astype(np.float64, copy=False)
        if indices.dtype.kind not in "iu" and indices.size:
            raise self._not_row_numbers(str(indices.dtype), objects)
        indices = indices.astype(np.intp).reshape(-1)
        outside = (indices < 0) | (indices >= len(self.matrix))
        if outside.any():
            raise InvalidInput(
                f"The matrix has {len(self.matrix)} objects; there is no number "
                f"{indices[outside][0]}.",
                advice=f"Use integers from 0 to {len(self.matrix) - 1}.",
                value=int(indices[outside][0]),
            )
        return indices

    def _not_row_numbers(self, what: str, objects: Objects) -> InvalidInput:
        return InvalidInput(
            f"The objects of a matrix of distances are row numbers, not {what}.",
            advice=f"Use integers from 0 to {len(self.matrix) - 1}, or rows of {len(self.matrix)} "
            "distances for new objects.",
            value=objects,
        )

    def digests(self, X: Objects, prepared: NDArray[Any]) -> Digests | None:
        """Compute the digest of each row of distances, for which a row number stands; see
        `wideberth.Metric.digests`.
        """
        if prepared.ndim == 2:
            return object_digests(prepared)
        of_rows = row_digests(self.matrix)  # of all, since picked rows would be a copy
        return np.asarray(of_rows[prepared])

    def contents(self, X: Objects, prepared: NDArray[Any]) -> Sample:
        """The rows of distances; see `wideberth.Metric.contents`."""
        return prepared if prepared.ndim == 2 else self.matrix[prepared]

    def _look_up(self, left: NDArray[Any], right: NDArray[Any]) -> Distances:
        """Read the distances between objects on the left, old or new, and row numbers on the
        right.
        """
        if right.ndim == 2:
            raise InvalidInput(
                "The distances between new objects are not in the matrix.",
                advice="Measure new objects against the ones that have a number.",
                value=right.shape,
            )
        rows: Distances = left if left.ndim == 2 else self.matrix[left]
        return rows.take(right, axis=1)

    def __repr__(self) -> str:
        return f"Precomputed(<{len(self.matrix)} x {len(self.matrix)} distances>)"


class DistanceRows(Metric):
    """Rows of distances from new objects to training objects, whose own distances are not stored.

    A model that was fitted on a matrix of distances (`Precomputed`) is saved with this metric: the
    matrix is not needed to predict, and may be large.

    Examples
    --------
    >>> known = DistanceRows(3)
    >>> # a new object, 4.5 from object 2 and 1 from object 0
    >>> known.block([[1.0, 1.0, 4.5]], [2, 0])
    array([[4.5, 1. ]])
    """

    name = Precomputed.name
    accepts: Kind = "indices"
    parallel = "threads"
    usual_nanoseconds = 5.0
    _from_user = True

    def __init__(
        self,
        n_objects: int,
        *,
        obeys_triangle: bool | None = None,
        hilbertian: bool | None = None,
        negative_type: bool | None = None,
    ) -> None:
        self.n_objects = n_objects
        self._promises = Promises(
            obeys_triangle=obeys_triangle, hilbertian=hilbertian, negative_type=negative_type
        )

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name."""
        promises = ("obeys_triangle", "hilbertian", "negative_type")
        return {"n_objects": self.n_objects} | {name: getattr(self, name) for name in promises}

    def prepare(self, objects: Objects) -> NDArray[Any]:
        """Check rows of distances of new objects, or the numbers of training objects."""
        given = np.asarray(objects)
        if given.ndim == 2 and given.shape[1] == self.n_objects and given.dtype.kind in "fiu":
            return given.astype(np.float64, copy=False)
        if (
            given.ndim == 1
            and given.dtype.kind in "iu"
            and np.all((given >= 0) & (given < self.n_objects))
        ):
            return given.astype(np.intp, copy=False)
        raise InvalidInput(
            f"New objects are rows of their distances to the {self.n_objects} training objects; "
            f"this is an array of {given.dtype} with shape {given.shape}.",
            advice=f"Pass shape (objects, {self.n_objects}).",
            value=given.shape,
        )

    def digests(self, X: Objects, prepared: NDArray[Any]) -> Digests | None:
        """Compute the digest of each row; None for numbers, whose rows are not stored. See
        `wideberth.Metric.digests`.
        """
        return object_digests(prepared) if prepared.ndim == 2 else None

    def contents(self, X: Objects, prepared: NDArray[Any]) -> Sample:
        """The rows of distances; see `wideberth.Metric.contents`."""
        return prepared if prepared.ndim == 2 else None

    def _measure(self, left: NDArray[Any], right: NDArray[Any]) -> Distances:
        if left.ndim == 1 or right.ndim == 2:
            raise InvalidInput(
                "The matrix of distances did not come with the model, so training objects cannot "
                "be given by number.",
                advice="Pass rows of distances to the training objects, shape (objects, "
                f"{self.n_objects}).",
                value=(left.shape, right.shape),
            )
        rows: Distances = left[:, right]
        return rows


def _square_matrix(distances: Any) -> Distances:
    """Return a matrix of distances as float64, or raise an error if it is not square or not of
    numbers.
    """
    matrix = as_real_numbers(distances)
    if matrix is None:
        raise InvalidInput(
            f"A matrix of distances holds numbers; this is {shown(distances)}.",
            advice=f"Name a metric for objects of this kind: {python('wideberth.list_metrics()')} "
            "lists them.",
            value=distances,
        )
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise InvalidInput(
            "A matrix of distances is square, one row and one column for each object; this has "
            f"shape {matrix.shape}.",
            advice="For vectors, whose rows are the objects, name a vector metric such as "
            "'euclidean'.",
            value=matrix.shape,
        )
    return matrix
