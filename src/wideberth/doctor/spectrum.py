r"""Whether a distance embeds in a Hilbert space, judged by the eigenvalues of its centred matrix.

Let D be the matrix of the :math:`d^2` (for ``hilbertian``) or of the d (for ``negative_type``) and :math:`J = I - 11^T / n`. The
objects are points of a Hilbert space with the squared distances D iff :math:`-J D J / 2` has no negative eigenvalue (Schoenberg
1935; Hein, Bousquet & Schoelkopf 2005, Theorem 3). A negative one on a sample refutes the property for the metric; none on a
sample proves nothing about other objects.
"""

from dataclasses import dataclass

from wideberth.geometry.shape.gram import Spectrum, centred
from wideberth.metrics.metric import Distances, Metric
from wideberth.rounding import EIGENVALUE_ERROR


@dataclass(frozen=True)
class SpectrumFact:
    """One of the two Hilbert properties: what the metric promises, and what the eigenvalues show.

    Attributes
    ----------
    promise : {"hilbertian", "negative_type"}
        The property. "hilbertian": d embeds isometrically in a Hilbert space. "negative_type": the square root of d does.
    promised : bool or None
        What the metric declares; None if it declares nothing.
    negative_part : float
        Sum of the absolute negative eigenvalues divided by the sum of all absolute eigenvalues, from 0 to 1.
    smallest, largest : float
        The extreme eigenvalues, in the unit of d squared or of d.
    """

    promise: str
    promised: bool | None
    negative_part: float
    smallest: float
    largest: float

    @property
    def violated(self) -> bool:
        """Whether an eigenvalue is negative by more than rounding: the sample refutes the property."""
        return self.smallest < -EIGENVALUE_ERROR * self.largest

    @property
    def holds(self) -> bool | None:
        """True if promised and not refuted, False if refuted by the sample or declared False, otherwise None."""
        return False if self.violated else self.promised


def spectrum_facts(distances: Distances, metric: Metric) -> tuple[SpectrumFact, ...]:
    """Examine both Hilbert properties on a sample.

    Parameters
    ----------
    distances : ndarray of shape (n, n)
        The distances of the sample, symmetric and finite. The eigenvalues take O(n^3) time.
    metric : Metric
        Only its promises are read.

    Returns
    -------
    tuple of two SpectrumFact
        "hilbertian" first, then "negative_type".

    Examples
    --------
    Three points on a line with squared distances: their roots are Euclidean, the squared distances themselves are not.

    >>> import numpy as np
    >>> import wideberth
    >>> squared = np.array([[0.0, 1.0, 4.0], [1.0, 0.0, 1.0], [4.0, 1.0, 0.0]])
    >>> [(fact.promise, fact.violated) for fact in spectrum_facts(squared, wideberth.metric("precomputed", distances=squared))]
    [('hilbertian', True), ('negative_type', False)]
    """
    return (_fact("hilbertian", metric.hilbertian, distances**2), _fact("negative_type", metric.negative_type, distances))


def _fact(promise: str, promised: bool | None, squared: Distances) -> SpectrumFact:
    """Examine one property; ``squared`` has the squared distances that the points in the Hilbert space would have."""
    found = Spectrum.of(centred(squared))
    return SpectrumFact(promise, promised, found.negative_part, found.smallest, found.largest)
