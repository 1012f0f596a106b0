"""Vectors that are the rows of a sparse matrix, as a sample that can be picked from."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy.sparse import csr_array, issparse

from wideberth.array_types import Integers


@dataclass(frozen=True, eq=False)
class SparseVectors:
    """The rows of a sparse matrix.

    Attributes
    ----------
    matrix : csr_array of shape (n, d)
        Without explicit zeros, columns ascending within each row.

    Examples
    --------
    >>> rows = SparseVectors.of(csr_array(np.eye(3)))
    >>> len(rows), rows.take([2]).matrix.toarray()
    (3, array([[0., 0., 1.]]))
    """

    matrix: csr_array

    @classmethod
    def of(cls, given: Any) -> Self:
        """The rows of a sparse matrix of any format."""
        matrix = csr_array(given, dtype=np.float64, copy=True)
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
        return cls(matrix)

    def __len__(self) -> int:
        return int(self.matrix.shape[0])

    @property
    def shape(self) -> tuple[int, int]:
        """The shape of the matrix."""
        n, d = self.matrix.shape
        return int(n), int(d)

    def take(self, indices: Any) -> Self:
        """Select the rows at ``indices``, a slice or an integer array."""
        return type(self)(csr_array(self.matrix[indices]))

    def numbered(self) -> tuple[Integers, Integers]:
        """Where each different row is first, in an order of their own; and for each row which of them it is."""
        starts = self.matrix.indptr
        keys: dict[tuple[bytes, bytes], list[int]] = {}
        for row in range(len(self)):
            part = slice(starts[row], starts[row + 1])
            key = self.matrix.indices[part].tobytes(), self.matrix.data[part].tobytes()
            keys.setdefault(key, []).append(row)
        first, number = np.empty(len(keys), dtype=np.int64), np.empty(len(self), dtype=np.int64)
        for place, key in enumerate(sorted(keys)):
            first[place] = keys[key][0]
            number[keys[key]] = place
        return first, number


def is_sparse(given: Any) -> bool:
    """Whether vectors are given as a sparse matrix, or as the rows of one.

    Examples
    --------
    >>> is_sparse(csr_array(np.eye(2))), is_sparse(np.eye(2))
    (True, False)
    """
    return isinstance(given, SparseVectors) or bool(issparse(given))
