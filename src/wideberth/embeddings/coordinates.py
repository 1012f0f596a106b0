"""Coordinates for objects that have only distances: of every metric space, and of those that are Hilbertian."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.linalg import eigh

from wideberth.geometry.shape.gram import Spectrum, centred
from wideberth.metrics.metric import Distances
from wideberth.rounding import SUM_ERROR

#: An eigenvalue has an axis above this share of the largest one; below, rounding of squared distances may have made it.
_FLAT = SUM_ERROR


@dataclass(frozen=True, eq=False)
class Kuratowski:
    r"""The Kuratowski embedding on references :math:`z_1, \dots, z_m`:

    .. math:: x \mapsto \bigl(d(x, z_k) - d(z_1, z_k)\bigr)_{k = 1, \dots, m} \in \ell_\infty^m .

    In the largest difference of coordinates no two objects are farther apart than before, and a reference and any object are
    exactly as far: an isometry on the references and one more object (Hein, Bousquet & Schoelkopf 2005, section 3.2; Kuratowski
    1935). It holds for every metric that obeys the triangle inequality.

    >>> Kuratowski(np.array([0.0, 3.0])).coordinates(np.array([[0.0, 3.0], [1.0, 2.0]]))
    array([[ 0.,  0.],
           [ 1., -1.]])
    """

    base: Distances

    def coordinates(self, distances: Distances) -> Distances:
        """The coordinates of objects, from their distances to the references, shape (objects, references)."""
        return distances - self.base


@dataclass(frozen=True, eq=False)
class ClassicalScaling:
    r"""Classical scaling: points in Euclidean space whose distances are those of the landmarks, as far as there are such points.

    With :math:`\Delta` the squared distances between m landmarks, :math:`\lambda_k, v_k` the largest eigenvalues of
    :math:`-J \Delta J / 2` and their vectors, landmark i lies at :math:`\sqrt{\lambda_k}\, v_{ik}`, and an object with the
    squared distances :math:`\delta` to the landmarks at

    .. math:: \frac{1}{2 \sqrt{\lambda_k}} \sum_{i=1}^m v_{ik} (\bar\Delta_i - \delta_i),
        \qquad \bar\Delta_i = \frac{1}{m} \sum_j \Delta_{ij}

    (Torgerson 1952; Gower, "Adding a point to vector diagrams in multivariate analysis", Biometrika 55, 1968; it is the Nystrom
    formula). For a Hilbertian metric this is the orthogonal projection on the first axes of the space that the landmarks span: no
    two objects get farther apart, and with all axes landmarks keep their distances. Of other metrics it keeps the positive part.

    ``spectrum`` has all eigenvalues, the largest first, ``eigenvalues`` those of the axes. Axes that the landmarks do not have
    are 0, and so are their eigenvalues.

    >>> corner = np.array([[0.0, 3.0, 4.0], [3.0, 0.0, 5.0], [4.0, 5.0, 0.0]])
    >>> plane = ClassicalScaling.of(corner, n_components=None)
    >>> points = plane.coordinates(corner)
    >>> points.shape, round(float(np.hypot(*(points[1] - points[2]))), 12)
    ((3, 2), 5.0)
    """

    spectrum: Spectrum
    eigenvalues: Distances
    axes: Distances
    means: Distances

    @classmethod
    def of(cls, distances: Distances, n_components: int | None) -> Self:
        """The scaling on landmarks with these distances, to so many axes or (None) to all that mean something, one at least.

        Positive eigenvalues no larger than the negative ones are as much of an accident as these, and new objects are scattered
        along such axes. So None leaves them out; a Hilbertian metric has none.
        """
        squared = distances**2
        values, vectors = eigh(centred(squared))
        values, vectors = values[::-1], vectors[:, ::-1]
        positive = int((values > _FLAT * values[0]).sum())
        width = max(1, int((values[:positive] > -values[-1]).sum())) if n_components is None else n_components
        used = min(width, positive)
        axes, eigenvalues = np.zeros((len(squared), width)), np.zeros(width)
        eigenvalues[:used] = values[:used]
        # of the two directions of an axis the one in which the farthest landmark is positive
        heads = vectors[np.abs(vectors[:, :used]).argmax(axis=0), np.arange(used)]
        directions = vectors[:, :used] - vectors[:, :used].mean(axis=0)  # 0 but for rounding, which a large mean would magnify
        axes[:, :used] = directions * np.sign(heads) / np.sqrt(values[:used])
        means: Distances = (squared.mean(axis=0) + squared.mean(axis=1)) / 2
        return cls(Spectrum(values), eigenvalues, axes, means)

    def coordinates(self, distances: Distances) -> Distances:
        """The coordinates of objects, from their distances to the landmarks, shape (objects, landmarks)."""
        return ((self.means - distances**2) / 2) @ self.axes
