"""Maps from distances to coordinates: Kuratowski's for every metric, classical scaling for
Hilbertian ones.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.linalg import eigh

from wideberth.geometry.shape.gram import Spectrum, centred
from wideberth.metrics.metric import Distances
from wideberth.progress import doing
from wideberth.rounding import SUM_ERROR

#: Eigenvalues below this share of the largest one may come from rounding of the squared distances,
#: and get no axis.
_FLAT = SUM_ERROR


@dataclass(frozen=True, eq=False)
class Kuratowski:
    r"""The Kuratowski embedding on references :math:`z_1, \dots, z_m`:

    .. math:: x \mapsto \bigl(d(x, z_k) - d(z_1, z_k)\bigr)_{k = 1, \dots, m} \in \ell_\infty^m .

    Distances between coordinates are largest differences, the norm of :math:`\ell_\infty`. By the
    triangle inequality, no two objects are farther apart in them than before, and an object and a
    reference are exactly as far apart as before: the map is an isometry on the references and one
    more object (Hein, Bousquet & Schoelkopf 2005, section 3.2; Kuratowski 1935).

    Attributes
    ----------
    base : ndarray of shape (n_references,)
        :math:`d(z_1, z_k)`, which puts the first reference at the origin.

    Examples
    --------
    >>> Kuratowski(np.array([0.0, 3.0])).coordinates(np.array([[0.0, 3.0], [1.0, 2.0]]))
    array([[ 0.,  0.],
           [ 1., -1.]])
    """

    base: Distances

    def coordinates(self, distances: Distances) -> Distances:
        """The coordinates of objects, from their distances to the references; both of shape
        (n_objects, n_references).
        """
        return distances - self.base


@dataclass(frozen=True, eq=False)
class ClassicalScaling:
    r"""Classical scaling: points in Euclidean space whose distances are those of the landmarks, as
    far as such points exist.

    With :math:`\Delta` the squared distances between m landmarks, :math:`\lambda_k, v_k` the
    largest eigenvalues of :math:`-J \Delta J / 2` and their eigenvectors, landmark i lies at
    :math:`\sqrt{\lambda_k}\, v_{ik}`, and an object with the squared distances :math:`\delta` to
    the landmarks at

    .. math:: \frac{1}{2 \sqrt{\lambda_k}} \sum_{i=1}^m v_{ik} (\bar\Delta_i - \delta_i),
        \qquad \bar\Delta_i = \frac{1}{m} \sum_j \Delta_{ij}

    (Torgerson 1952; Gower, "Adding a point to vector diagrams in multivariate analysis", Biometrika
    55, 1968; it is the Nystrom formula). For a Hilbertian metric this is the orthogonal projection
    on the first axes of the space that the landmarks span: no two objects get farther apart, and
    with all axes landmarks keep their distances. For other metrics only the part of the positive
    eigenvalues is kept.

    Attributes
    ----------
    spectrum : Spectrum
        All m eigenvalues, the largest first.
    eigenvalues : ndarray of shape (n_components,)
        Those of the axes; 0 for axes beyond the dimension of the landmarks.
    axes : ndarray of shape (m, n_components)
        :math:`v_{ik} / \sqrt{\lambda_k}`; 0 for axes beyond the dimension of the landmarks.
    means : ndarray of shape (m,)
        The :math:`\bar\Delta_i`.

    Examples
    --------
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
    @doing("eigenvalues")
    def of(cls, distances: Distances, n_components: int | None) -> Self:
        """Learn the scaling from the distances between landmarks. O(m^3) time for m landmarks.

        Parameters
        ----------
        distances : ndarray of shape (m, m)
            Symmetric and finite.
        n_components : int or None
            The number of axes. None takes those whose eigenvalue is larger than the absolute value
            of the most negative one, at least one: smaller positive eigenvalues mean as little as
            the negative ones, and new objects would be scattered along their axes. A Hilbertian
            metric has no such eigenvalues.
        """
        squared = distances**2
        values, vectors = eigh(centred(squared))
        values, vectors = values[::-1], vectors[:, ::-1]
        positive = int((values > _FLAT * values[0]).sum())
        width = (
            max(1, int((values[:positive] > -values[-1]).sum()))
            if n_components is None
            else n_components
        )
        used = min(width, positive)
        axes, eigenvalues = np.zeros((len(squared), width)), np.zeros(width)
        eigenvalues[:used] = values[:used]
        # an axis has two directions: choose the one in which the farthest landmark is positive
        heads = vectors[np.abs(vectors[:, :used]).argmax(axis=0), np.arange(used)]
        directions = vectors[:, :used] - vectors[:, :used].mean(
            axis=0
            # eigenvectors have mean 0 except for rounding, which large `means` would magnify
        )
        axes[:, :used] = directions * np.sign(heads) / np.sqrt(values[:used])
        means: Distances = (squared.mean(axis=0) + squared.mean(axis=1)) / 2
        return cls(Spectrum(values), eigenvalues, axes, means)

    def coordinates(self, distances: Distances) -> Distances:
        """The coordinates of objects, shape (n_objects, n_components), from their distances to the
        m landmarks.
        """
        return ((self.means - distances**2) / 2) @ self.axes
