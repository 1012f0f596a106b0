"""`HilbertEmbedding`, classical scaling: coordinates whose Euclidean distances are those of the
objects.
"""

from math import isqrt
from typing import Any

import numpy as np

from wideberth.array_types import Indices
from wideberth.embeddings.base import MetricEmbedding
from wideberth.embeddings.coordinates import ClassicalScaling
from wideberth.errors import InvalidInput, NotHilbertianWarning, warn_user
from wideberth.estimators import restored_values
from wideberth.estimators.metric_estimator import Fits, check_parameters, is_count
from wideberth.geometry.measure.blocks import pairwise_distances, parse_memory, show_memory
from wideberth.geometry.shape.gram import Spectrum
from wideberth.geometry.shape.nets import farthest_first
from wideberth.metrics.axioms import (
    find_asymmetry,
    find_negative,
    find_non_finite,
    find_nonzero_self,
)
from wideberth.metrics.metric import Distances, Metric
from wideberth.objects import sample
from wideberth.wording import python, setting

#: Landmarks by default. Their eigenvalues take a second, and more of them change the distances of
#: two or of twenty coordinates by less than 1 % (names and handwritten digits, two metrics each).
LANDMARKS = 1000
#: Bytes for each pair of landmarks: distances, their squares, the Gram matrix, eigenvectors and
#: work space.
_BYTES = 8 * 6


class HilbertEmbedding(MetricEmbedding):
    r"""Classical scaling: points in Euclidean space whose distances are those of the objects, also
    for new objects.

    Such points exist iff -d^2 is conditionally positive definite (Schoenberg 1935; Hein, Bousquet &
    Schoelkopf 2005, Theorem 3). They are then projected on the axes along which they spread most,
    so that no two objects get farther apart, and with ``n_components=None`` the landmarks keep
    their distances. Other metrics have negative eigenvalues: the part of the positive ones is
    embedded, a warning shows the eigenvalues, and ``negative_part_`` and ``distortion_`` measure
    how much of the distance is lost. New objects are mapped by their distances to the landmarks
    alone (Gower 1968; the Nystrom formula).

    Parameters
    ----------
    metric : str, Metric or callable
        A name (`wideberth.list_metrics`), a `wideberth.Metric`, or a function of two objects;
        "precomputed" for a matrix. A metric of negative type becomes Hilbertian by
        ``wideberth.transforms.power(metric, 0.5)``.
    n_components : int or None
        The number of coordinates; those beyond the dimension of the objects are 0. None takes all
        whose eigenvalue is larger than the absolute value of the most negative one: all there are
        if the metric is Hilbertian.
    landmarks : int, optional
        The number of objects that span the axes, chosen far from each other: the more, the nearer
        to the scaling of all objects. By default all up to 1,000, or as many as fit in
        ``max_memory``.
    max_memory : str or int
        Memory for distances and eigenvectors, such as "2GB".
    n_jobs : int, optional
        How many cores measure distances; all by default.
    verbose : int
        0 shows progress in a terminal, 1 elsewhere too, as lines on standard error; -1 shows none.
    random_state : int, optional
        Seed for the choice of the objects on which the distortion is measured.

    Attributes
    ----------
    eigenvalues_ : ndarray of shape (n_components,)
        The eigenvalue of each coordinate, which is the sum of its squares over the landmarks.
    explained_share_ : ndarray of shape (n_components,)
        ``eigenvalues_`` divided by the sum of all absolute eigenvalues.
    negative_part_ : float
        The share of the negative eigenvalues in the same sum; 0 if the landmarks are in a Hilbert
        space.
    spectrum_ : wideberth.geometry.shape.gram.Spectrum
        All eigenvalues, the largest first.
    landmarks_ : ndarray of int
        The positions of the landmarks in X.
    distortion_ : wideberth.geometry.shape.distortion.Distortion
        Bi-Lipschitz constants and local distortion between d and the Euclidean distance of the
        coordinates, on some of the objects seen at fit.

    Examples
    --------
    >>> corner = [[0, 3, 4], [3, 0, 5], [4, 5, 0]]
    >>> found = HilbertEmbedding("precomputed", n_components=2).fit(corner)
    >>> (
    ...     found.explained_share_.sum().round(12),
    ...     found.negative_part_,
    ...     round(found.distortion_.bilipschitz, 9),
    ... )
    (np.float64(1.0), 0.0, 1.0)
    >>> HilbertEmbedding(n_components=1).fit([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]]).transform(
    ...     [[0.5, 0.5], [1.0, 1.0]]
    ... ).round(12)
    array([[-0.70710678],
           [ 0.        ]])
    """

    compared_in = "euclidean"
    holds = (ClassicalScaling,)

    _map: ClassicalScaling

    def __init__(
        self,
        metric: Any = "euclidean",
        *,
        n_components: int | None = 2,
        landmarks: int | None = None,
        max_memory: str | int = "2GB",
        n_jobs: int | None = None,
        verbose: int = 0,
        random_state: int | None = None,
    ) -> None:
        self.metric = metric
        self.n_components = n_components
        self.landmarks = landmarks
        self.max_memory = max_memory
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    def _learn(self, objects: Any, metric: Metric) -> Distances | None:
        check_parameters(self, _FITS)
        self.landmarks_ = self._chosen(objects, metric)
        everything = len(self.landmarks_) == sample.count(objects)
        self._references = objects if everything else sample.pick(objects, self.landmarks_)
        distances = pairwise_distances(self._references, None, metric, n_jobs=self.n_jobs)
        if not metric.obeys_triangle:
            _refuse_no_distance(distances, metric, self.landmarks_)
        self._set_scaling(ClassicalScaling.of(distances, self.n_components))
        if self.spectrum_.violated:
            warn_user(_not_hilbertian(metric, self.spectrum_), NotHilbertianWarning)
        return distances if everything else None

    def _set_scaling(self, scaling: ClassicalScaling) -> None:
        """Set the map and the attributes that follow from it."""
        self._map = scaling
        self.spectrum_ = scaling.spectrum
        self.eigenvalues_ = scaling.eigenvalues
        self.explained_share_ = self.eigenvalues_ / max(
            float(np.abs(self.spectrum_.values).sum()), np.finfo(float).tiny
        )
        self.negative_part_ = self.spectrum_.negative_part
        self._n_features_out = len(self.eigenvalues_)

    def state(self) -> dict[str, Any]:
        scaling = {name: getattr(self._map, name) for name in ("eigenvalues", "axes", "means")}
        return super().state() | {
            "positions": self.landmarks_,
            "spectrum": self.spectrum_.values,
            **scaling,
        }

    def restore(self, state: dict[str, Any]) -> None:
        check_parameters(self, _FITS)
        super().restore(state)
        count = sample.count(self._references)
        self.landmarks_ = restored_values.codes(
            state, "positions", count, below=restored_values.ANY_POSITION
        )
        axes = restored_values.table(state, "axes", (count, None))
        eigenvalues = restored_values.finite(state, "eigenvalues", max(1, axes.shape[1]), least=0.0)
        spectrum = Spectrum(restored_values.finite(state, "spectrum", count))
        self._set_scaling(
            ClassicalScaling(
                spectrum, eigenvalues, axes, restored_values.finite(state, "means", count)
            )
        )

    def _chosen(self, objects: Any, metric: Metric) -> Indices:
        """The positions of the landmarks, all objects or a farthest-first choice; refused if they
        do not fit in memory.
        """
        n, affordable = sample.count(objects), isqrt(parse_memory(self.max_memory) // _BYTES)
        count = (
            min(n, LANDMARKS, max(2, affordable))
            if self.landmarks is None
            else min(n, self.landmarks)
        )
        if count > max(2, affordable):
            raise InvalidInput(
                f"The scaling of {count:,} landmarks takes {show_memory(_BYTES * count**2)}; "
                f"{setting('max_memory', self.max_memory)}.",
                advice=f"Pass {setting('landmarks', shown=affordable)} or fewer, or a larger "
                "max_memory.",
                value=count,
            )
        if count == n:
            return np.arange(n)
        return farthest_first(objects, metric, count=count, n_jobs=self.n_jobs).order


def _refuse_no_distance(distances: Distances, metric: Metric, positions: Indices) -> None:
    """Raise an error if the distances are not finite, nonnegative, symmetric and 0 on the diagonal.

    Broken triangles are no obstacle: the eigenvalues exist all the same.
    """
    for find in (find_non_finite, find_negative, find_nonzero_self, find_asymmetry):
        violation = find(distances)
        if violation is not None:
            raise violation.at(positions).error(metric.name)


def _not_hilbertian(metric: Metric, spectrum: Spectrum) -> str:
    """The text of the warning for a metric with negative eigenvalues."""
    advice = (
        f"{python('wideberth.transforms.power')}({metric.name!r}, 0.5) is Hilbertian. "
        if metric.negative_type
        else ""
    )
    return (
        f"{metric.name!r} is not Hilbertian on these objects: the eigenvalues of "
        f"{len(spectrum.values):,} of them go from {spectrum.smallest:.4g} to "
        f"{spectrum.largest:.4g}, and {spectrum.negative_part:.2%} of their absolute sum is "
        "negative. The positive part is embedded; distortion_ shows how much the distances change. "
        f"{advice}".strip()
    )


def _is_positive_or_none(value: Any) -> bool:
    return value is None or (is_count(value) and value >= 1)


_FITS = {
    "n_components": Fits(
        _is_positive_or_none,
        "Pass a whole number that is at least 1, or None for all that are significant.",
    ),
    "landmarks": Fits(
        _is_positive_or_none, "Pass a whole number that is at least 1, or None for the default."
    ),
}
