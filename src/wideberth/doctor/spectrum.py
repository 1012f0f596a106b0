"""Does a distance embed in a Hilbert space: the eigenvalues of its centred matrix."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import eigh, eigvalsh

from wideberth.metrics.metric import Distances, Metric

#: An eigenvalue counts as negative below this share of the largest one; what lies above is rounding.
ROUNDING = 1e-8


@dataclass(frozen=True)
class SpectrumFact:
    """One of the two Hilbert properties: what is promised and what the eigenvalues say.

    With J the centring matrix, ``hilbertian`` reads the eigenvalues of -J d^2 J / 2 (Schoenberg 1935; Hein, Bousquet &
    Schoelkopf 2005, Theorem 3), ``negative_type`` those of -J d J / 2: the property holds iff none is negative.
    ``negative_part`` is the share of the negative eigenvalues in the sum of all absolute ones.
    """

    promise: str
    promised: bool | None
    negative_part: float
    smallest: float
    largest: float

    @property
    def violated(self) -> bool:
        """Whether the sample shows that the property does not hold."""
        return self.smallest < -ROUNDING * self.largest

    @property
    def holds(self) -> bool | None:
        """True only if promised, False if refuted by promise or sample, else None."""
        return False if self.violated else self.promised


def spectrum_facts(distances: Distances, metric: Metric) -> tuple[SpectrumFact, ...]:
    """Both properties, examined on a symmetric matrix of finite distances."""
    return (_fact("hilbertian", metric.hilbertian, distances**2), _fact("negative_type", metric.negative_type, distances))


def centred(squared: Distances) -> Distances:
    """The Gram matrix -J D J / 2 of points with the squared distances D, their mean at the origin."""
    half = -0.5 * squared
    centred_half: Distances = half - half.mean(axis=0) - half.mean(axis=1)[:, None] + half.mean()
    return (centred_half + centred_half.T) / 2


def clip_negative(gram: Distances) -> Distances:
    """The nearest positive semidefinite matrix: negative eigenvalues become 0."""
    values, vectors = eigh(gram)
    return np.asarray((vectors * np.maximum(values, 0.0)) @ vectors.T)


def _fact(promise: str, promised: bool | None, squared: Distances) -> SpectrumFact:
    values: Any = eigvalsh(centred(squared))
    total = np.abs(values).sum()
    negative = -values[values < -ROUNDING * values.max()].sum()
    share = float(negative / total) if total else 0.0
    return SpectrumFact(promise, promised, share, float(values.min()), float(values.max()))
