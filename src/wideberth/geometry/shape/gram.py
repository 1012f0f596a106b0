"""Gram matrices of distances, and what their eigenvalues say."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.linalg import eigh, eigvalsh

from wideberth.arrays import Floats
from wideberth.metrics.metric import Distances
from wideberth.rounding import EIGENVALUE_ERROR


@dataclass(frozen=True, eq=False)
class Spectrum:
    r"""The eigenvalues of a symmetric matrix, in any order: is it positive semidefinite, and how far from it?

    Of the centred Gram matrix of a metric it says whether the metric embeds in a Hilbert space on these objects (`centred`), of a
    kernel matrix whether the kernel is positive definite on them. ``negative_part`` is the share

    .. math:: \sum_{\lambda_i < 0} |\lambda_i| \,/\, \sum_i |\lambda_i| .

    >>> Spectrum(np.array([3.0, 1.0, 0.0])).violated
    False
    >>> Spectrum(np.array([3.0, -1.0])).negative_part
    0.25
    """

    values: Floats

    @classmethod
    def of(cls, matrix: Floats) -> Self:
        """The spectrum of a symmetric matrix."""
        return cls(np.asarray(eigvalsh(matrix)))

    @property
    def smallest(self) -> float:
        """The smallest eigenvalue."""
        return float(self.values.min())

    @property
    def largest(self) -> float:
        """The largest eigenvalue."""
        return float(self.values.max())

    @property
    def negative_part(self) -> float:
        """The share of the negative eigenvalues in the sum of all absolute ones; those that rounding explains do not count."""
        total = float(np.abs(self.values).sum())
        return float(np.abs(self.values[self.values < -EIGENVALUE_ERROR * self.largest]).sum()) / total if total else 0.0

    @property
    def violated(self) -> bool:
        """Whether an eigenvalue is negative by more than rounding."""
        return self.smallest < -EIGENVALUE_ERROR * self.largest


def centred(squared: Distances) -> Distances:
    """The Gram matrix -J D J / 2 of points with the squared distances D, their mean at the origin.

    It has no negative eigenvalue iff there are such points in a Hilbert space (Schoenberg 1935; Hein, Bousquet & Schoelkopf 2005,
    Theorem 3).

    >>> centred(np.array([[0.0, 4.0], [4.0, 0.0]]))  # points at -1 and 1
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    half = -0.5 * squared
    columns, rows, everything = half.mean(axis=0), half.mean(axis=1), half.mean()
    half -= columns
    half -= rows[:, None]
    half += everything
    gram: Distances = half + half.T
    gram /= 2.0
    return gram


def clip_negative(gram: Distances) -> Distances:
    """The nearest positive semidefinite matrix: negative eigenvalues become 0."""
    values, vectors = eigh(gram)
    return np.asarray((vectors * np.maximum(values, 0.0)) @ vectors.T)
