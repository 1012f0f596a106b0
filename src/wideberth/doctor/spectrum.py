"""Does a distance embed in a Hilbert space: the eigenvalues of its centred matrix."""

from dataclasses import dataclass

from wideberth.geometry.shape.gram import Spectrum, centred
from wideberth.metrics.metric import Distances, Metric
from wideberth.rounding import EIGENVALUE_ERROR


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
        return self.smallest < -EIGENVALUE_ERROR * self.largest

    @property
    def holds(self) -> bool | None:
        """True only if promised, False if refuted by promise or sample, else None."""
        return False if self.violated else self.promised


def spectrum_facts(distances: Distances, metric: Metric) -> tuple[SpectrumFact, ...]:
    """Both properties, examined on a symmetric matrix of finite distances."""
    return (_fact("hilbertian", metric.hilbertian, distances**2), _fact("negative_type", metric.negative_type, distances))


def _fact(promise: str, promised: bool | None, squared: Distances) -> SpectrumFact:
    found = Spectrum.of(centred(squared))
    return SpectrumFact(promise, promised, found.negative_part, found.smallest, found.largest)
