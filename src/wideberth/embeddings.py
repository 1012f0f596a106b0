"""Embeddings: coordinates for objects of any kind, so that every method for vectors can be used on
them.

`wideberth.KuratowskiEmbedding` has one coordinate for each reference object and works for every
metric. `wideberth.HilbertEmbedding` has few coordinates and needs a metric that is, at least
nearly, Hilbertian. Both are scikit-learn transformers.
"""

from dataclasses import dataclass
from math import isqrt
from typing import Any, ClassVar, Protocol, Self

import numpy as np
from scipy.linalg import eigh
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin

from wideberth.array_types import Indices, Labels, Objects, Sample
from wideberth.errors import BrokenAxiomWarning, InvalidInput, NotHilbertianWarning, warn_user
from wideberth.estimators import metric_estimator, restored_values
from wideberth.estimators.training import refuse_broken_axioms
from wideberth.geometry.measure import blocks
from wideberth.geometry.measure.remembered_distances import PairTable, measure_once
from wideberth.geometry.measure.sampled_axioms import broken_triangle
from wideberth.geometry.shape.distortion import Distortion, distortion
from wideberth.geometry.shape.gram import Spectrum, centred
from wideberth.geometry.shape.nets import farthest_first
from wideberth.metrics.metric import Distances, Metric
from wideberth.objects import sample
from wideberth.progress import doing
from wideberth.rounding import SUM_ERROR
from wideberth.wording import python, setting

#: The smallest and the largest number of objects on whose pairs the distortion is measured.
EXAMINED = (30, 500)


class Coordinates(Protocol):
    """The interface of a map from distances to references to coordinates."""

    def coordinates(self, distances: Distances) -> Distances:
        """The coordinates of objects."""


class MetricEmbedding(
    ClassNamePrefixFeaturesOutMixin, TransformerMixin, metric_estimator.MetricEstimator
):
    """Base class of all embeddings. A subclass chooses the references and sets the map in `_learn`.

    `MetricEstimator` documents what X may be. Labels are ignored.

    Attributes
    ----------
    metric_ : Metric
        The metric, with what it learned from X.
    distortion_ : Distortion
        How much the embedding changes the distances, on some of the objects seen at fit.
    """

    #: The metric on coordinates whose distances are compared with those of the objects.
    compared_in: ClassVar[str]

    max_memory: str | int
    n_jobs: int | None
    random_state: int | None
    distortion_: Distortion

    _references: Sample  # prepared objects that distances are measured to
    _map: Coordinates
    _n_features_out: int

    def _learn(self, objects: Sample, metric: Metric) -> Distances | None:
        """Set ``_references``, ``_map``, ``_n_features_out`` and the attributes that the subclass
        documents.

        Returns the distances of the objects to the references, shape (n_objects, n_references), if
        they were measured anyway; otherwise None.
        """
        raise NotImplementedError

    @metric_estimator.reported
    def fit(self, X: Objects, y: Labels = None) -> Self:
        """Choose the references among the objects, learn the map to coordinates, and measure its
        distortion.

        Parameters
        ----------
        X : sequence of objects, array, or matrix of distances
        y : ignored

        Returns
        -------
        self
        """
        objects, distances, _table = self._admit_and_learn(X)
        chosen = self._examined(sample.count(objects))
        known = None if distances is None else distances[chosen]
        self._report(objects, chosen, self._embed(sample.pick(objects, chosen), known))
        return self

    @metric_estimator.reported
    def fit_transform(self, X: Objects, y: Labels = None) -> Distances:
        """Fit to objects, and return their coordinates; faster than ``fit`` and ``transform``.

        Parameters
        ----------
        X : sequence of objects, array, or matrix of distances
        y : ignored

        Returns
        -------
        ndarray of shape (n_objects, n_coordinates)
        """
        objects, distances, _table = self._admit_and_learn(X)
        embedded = self._embed(objects, distances)
        chosen = self._examined(sample.count(objects))
        self._report(objects, chosen, embedded[chosen])
        return embedded

    @metric_estimator.reported
    def transform(self, X: Objects) -> Distances:
        """The coordinates of objects, new ones or those seen at fit.

        Parameters
        ----------
        X : sequence of objects, array, or matrix of distances to the objects seen at fit

        Returns
        -------
        ndarray of shape (n_objects, n_coordinates)
        """
        return self._embed(self.admit_queries(X), None)

    def _admit_and_learn(self, X: Objects) -> tuple[Any, Distances | None, PairTable | None]:
        """Check X and call `_learn`: the prepared objects, what it returned, and the table that
        keeps distances meanwhile.
        """
        objects, metric, _, _ = self.admit_objects(X)
        half = blocks.parse_memory(self.max_memory) // 2
        objects, metric, table = measure_once(objects, metric, max_memory=half, n_jobs=self.n_jobs)
        distances = self._learn(objects, metric)
        self.metric_ = metric
        return objects, distances, table

    def _embed(self, objects: Sample, distances: Distances | None) -> Distances:
        """The coordinates of prepared objects. If ``distances`` to the references are not given,
        they are measured in blocks.
        """
        if distances is not None:
            return self._map.coordinates(distances)
        n, max_memory = sample.count(objects), blocks.parse_memory(self.max_memory)
        embedded = np.empty((n, self._n_features_out))
        spans = blocks.row_spans(n, sample.count(self._references), max_memory)
        for (rows, _), block in blocks.stream(
            self.metric_,
            objects,
            self._references,
            spans,
            max_memory=max_memory,
            n_jobs=self.n_jobs,
        ):
            embedded[rows] = self._map.coordinates(block)
        return embedded

    def state(self) -> dict[str, Any]:
        return {"objects": self._references, "distortion": vars(self.distortion_)}

    def restore(self, state: dict[str, Any]) -> None:
        restored_values.check_limits(self)
        self._references = state["objects"]
        if self._references is None or not sample.count(self._references):
            raise InvalidInput("There are no objects to measure distances to.", value=None)
        self.distortion_ = restored_values.distortion(state, "distortion")

    def _examined(self, n: int) -> Indices:
        """The positions of the objects on which the distortion is measured.

        Of n objects and m references about sqrt(n m), within the limits ``EXAMINED``: their pairs
        cost about as many distances as the coordinates of all objects.
        """
        least, most = EXAMINED
        count = min(n, most, max(least, isqrt(n * sample.count(self._references))))
        if count == n:
            return np.arange(n)
        return np.sort(np.random.default_rng(self.random_state).choice(n, count, replace=False))

    def _report(self, objects: Sample, chosen: Indices, embedded: Distances) -> None:
        """Set ``distortion_`` from the chosen objects and their coordinates."""
        before = blocks.pairwise_distances(
            sample.pick(objects, chosen), None, self.metric_, n_jobs=self.n_jobs
        )
        after = blocks.pairwise_distances(embedded, None, self.compared_in, n_jobs=self.n_jobs)
        self.distortion_ = distortion(before, after).at(chosen)


# ---- Maps from distances to coordinates: Kuratowski's for every metric, classical scaling for
# Hilbertian ones


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

    Examples
    --------
    >>> Kuratowski(np.array([0.0, 3.0])).coordinates(np.array([[0.0, 3.0], [1.0, 2.0]]))
    array([[ 0.,  0.],
           [ 1., -1.]])
    """

    #: :math:`d(z_1, z_k)`, which puts the first reference at the origin, shape (n_references,).
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

    Examples
    --------
    >>> corner = np.array([[0.0, 3.0, 4.0], [3.0, 0.0, 5.0], [4.0, 5.0, 0.0]])
    >>> plane = ClassicalScaling.of(corner, n_components=None)
    >>> points = plane.coordinates(corner)
    >>> points.shape, round(float(np.hypot(*(points[1] - points[2]))), 12)
    ((3, 2), 5.0)
    """

    #: All m eigenvalues, the largest first.
    spectrum: Spectrum
    #: Shape (n_components,): those of the axes; 0 for axes beyond the dimension of the landmarks.
    eigenvalues: Distances
    #: Shape (m, n_components): :math:`v_{ik} / \sqrt{\lambda_k}`; 0 for axes beyond the dimension
    #: of the landmarks.
    axes: Distances
    #: The :math:`\bar\Delta_i`, shape (m,).
    means: Distances

    @classmethod
    @doing("eigenvalues")
    def of(cls, distances: Distances, n_components: int | None) -> Self:
        """Learn the scaling from the distances between landmarks. O(m^3) time for m landmarks."""
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


class KuratowskiEmbedding(MetricEmbedding):
    r"""Coordinates for any objects: their distances to references, :math:`x \mapsto (d(x, z_k) -
    d(z_1, z_k))_k`.

    Compared by their largest difference of coordinates, no two objects are farther apart than
    before, and an object and a reference are exactly as far apart: an isometry into
    :math:`\ell_\infty` on the references and one more object, for every metric (Hein, Bousquet &
    Schoelkopf 2005, section 3.2). Linear functions of these coordinates are those of the LP machine
    (`wideberth.LPMachineClassifier`), which chooses few references by itself; use this class for
    other methods for vectors. Most of them do not compare by the largest difference, so that the
    isometry is of no use to them; but near objects have near coordinates.

    Parameters
    ----------
    metric : str, Metric or callable
        A name (`wideberth.list_metrics`), a `wideberth.Metric`, or a function of two objects;
        "precomputed" for a matrix.
    references : int or objects, optional
        The objects to which distances are measured: all objects seen at fit (default), this number
        of them, chosen far from each other, or other objects. With a matrix of distances or a
        `wideberth.MetricSpace`, pass positions of its objects.
    max_memory : str or int
        Memory for distances and for the coordinates of the objects seen at fit, such as "2GB".
    n_jobs : int, optional
        How many cores measure distances; all by default.
    verbose : int
        0 shows progress in a terminal, 1 elsewhere too, as lines on standard error; -1 shows none.
    random_state : int, optional
        Seed for the choice of the objects on which the distortion is measured, and of those on
        which the triangle inequality is tested if the metric does not promise it.

    Attributes
    ----------
    references_ : ndarray of int
        The positions of the references in X, or in the references given; the first is :math:`z_1`.
    distortion_ : wideberth.geometry.shape.distortion.Distortion
        Bi-Lipschitz constants and local distortion between d and the largest difference of
        coordinates, on some of the objects seen at fit; the upper constant is at most 1 for every
        metric.

    Examples
    --------
    >>> KuratowskiEmbedding("levenshtein", references=["tea", "coffee"]).fit(
    ...     ["tea", "tee"]
    ... ).transform(["tea", "toffee"])
    array([[ 0.,  0.],
           [ 4., -4.]])
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> words, languages = ["garten", "garden", "jardin", "jarden"], ["de", "en", "fr", "fr"]
    >>> model = make_pipeline(KuratowskiEmbedding("levenshtein"), LogisticRegression()).fit(
    ...     words, languages
    ... )
    >>> model.predict(["jardins"])
    array(['fr'], dtype='<U2')
    """

    compared_in = "chebyshev"
    holds = (Kuratowski,)

    _map: Kuratowski

    def __init__(
        self,
        metric: Any = "euclidean",
        *,
        references: Any = None,
        max_memory: str | int = "2GB",
        n_jobs: int | None = None,
        verbose: int = 0,
        random_state: int | None = None,
    ) -> None:
        self.metric = metric
        self.references = references
        self.max_memory = max_memory
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    def _learn(self, objects: Sample, metric: Metric) -> None:
        metric_estimator.check_parameters(self, _FITS_OF_REFERENCES)
        broken = broken_triangle(objects, metric, random_state=self.random_state)
        if broken is not None:
            warn_user(
                f"{broken.describe(metric.name)} Objects may get farther apart than they were; see "
                "distortion_.",
                BrokenAxiomWarning,
            )
        self._references, self.references_ = self._chosen(objects, metric)
        self._refuse_too_many(sample.count(objects))
        self._map = Kuratowski(
            metric.block(sample.pick(self._references, slice(0, 1)), self._references)[0]
        )
        self._n_features_out = len(self.references_)

    def state(self) -> dict[str, Any]:
        return super().state() | {"positions": self.references_, "base": self._map.base}

    def restore(self, state: dict[str, Any]) -> None:
        metric_estimator.check_parameters(self, _FITS_OF_REFERENCES)
        super().restore(state)
        self._n_features_out = sample.count(self._references)
        self.references_ = restored_values.codes(
            state, "positions", self._n_features_out, below=restored_values.ANY_POSITION
        )
        self._map = Kuratowski(
            restored_values.numbers(state, "base", self._n_features_out, least=0.0)
        )

    def _chosen(self, objects: Sample, metric: Metric) -> tuple[Any, Indices]:
        """The prepared references, and their positions."""
        n, references = sample.count(objects), self.references
        if references is not None and not metric_estimator.is_count(references):
            prepared = metric_estimator.given_references(
                references, objects, metric, unlabelled="Put the references into the matrix too."
            )
            return prepared, np.arange(sample.count(prepared))
        if references is None or references >= n:
            return objects, np.arange(n)
        net = farthest_first(objects, metric, count=int(references), n_jobs=self.n_jobs).order
        return sample.pick(objects, net), net

    def _refuse_too_many(self, n: int) -> None:
        """Raise an error if the coordinates of n objects do not fit in ``max_memory``."""
        size, max_memory = 8 * n * len(self.references_), blocks.parse_memory(self.max_memory)
        if size > max_memory:
            raise InvalidInput(
                f"{len(self.references_):,} coordinates of {n:,} objects take {blocks.show_memory(size)}; "
                f"{setting('max_memory', self.max_memory)}.",
                advice=f"Pass {setting('references', shown=max(1, max_memory // (8 * n)))} or "
                "fewer, or a larger max_memory.",
                value=size,
            )


_FITS_OF_REFERENCES = {
    "references": metric_estimator.Fits(
        metric_estimator.may_be_references,
        "Pass a number of references that is at least 1, objects, or None for the objects seen at "
        "fit.",
    )
}


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

    def _learn(self, objects: Sample, metric: Metric) -> Distances | None:
        metric_estimator.check_parameters(self, _FITS_OF_SCALING)
        self.landmarks_ = self._chosen(objects, metric)
        everything = len(self.landmarks_) == sample.count(objects)
        self._references = objects if everything else sample.pick(objects, self.landmarks_)
        distances = blocks.pairwise_distances(self._references, None, metric, n_jobs=self.n_jobs)
        refuse_broken_axioms(distances, metric, self.landmarks_)
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
        metric_estimator.check_parameters(self, _FITS_OF_SCALING)
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

    def _chosen(self, objects: Sample, metric: Metric) -> Indices:
        """The positions of the landmarks, all objects or a farthest-first choice; refused if they
        do not fit in memory.
        """
        n, affordable = sample.count(objects), isqrt(blocks.parse_memory(self.max_memory) // _BYTES)
        count = (
            min(n, LANDMARKS, max(2, affordable))
            if self.landmarks is None
            else min(n, self.landmarks)
        )
        if count > max(2, affordable):
            raise InvalidInput(
                f"The scaling of {count:,} landmarks takes {blocks.show_memory(_BYTES * count**2)}; "
                f"{setting('max_memory', self.max_memory)}.",
                advice=f"Pass {setting('landmarks', shown=affordable)} or fewer, or a larger "
                "max_memory.",
                value=count,
            )
        if count == n:
            return np.arange(n)
        return farthest_first(objects, metric, count=count, n_jobs=self.n_jobs).order


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
    return value is None or (metric_estimator.is_count(value) and value >= 1)


_FITS_OF_SCALING = {
    "n_components": metric_estimator.Fits(
        _is_positive_or_none,
        "Pass a whole number that is at least 1, or None for all that are significant.",
    ),
    "landmarks": metric_estimator.Fits(
        _is_positive_or_none, "Pass a whole number that is at least 1, or None for the default."
    ),
}
