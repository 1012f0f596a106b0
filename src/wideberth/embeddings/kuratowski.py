"""`KuratowskiEmbedding`: distances to references as coordinates, for every metric space."""

from typing import Any

import numpy as np

from wideberth.array_types import Indices
from wideberth.embeddings.base import MetricEmbedding
from wideberth.embeddings.coordinates import Kuratowski
from wideberth.errors import BrokenAxiomWarning, InvalidInput, warn_user
from wideberth.estimators import restored_values
from wideberth.estimators.metric_estimator import (
    Fits,
    check_parameters,
    given_references,
    is_count,
    may_be_references,
)
from wideberth.geometry.measure.blocks import parse_memory, show_memory
from wideberth.geometry.measure.sampled_axioms import broken_triangle
from wideberth.geometry.shape.nets import farthest_first
from wideberth.metrics.metric import Metric
from wideberth.objects import sample
from wideberth.wording import setting


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

    def _learn(self, objects: Any, metric: Metric) -> None:
        check_parameters(self, _FITS)
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
        check_parameters(self, _FITS)
        super().restore(state)
        self._n_features_out = sample.count(self._references)
        self.references_ = restored_values.codes(
            state, "positions", self._n_features_out, below=restored_values.ANY_POSITION
        )
        self._map = Kuratowski(
            restored_values.numbers(state, "base", self._n_features_out, least=0.0)
        )

    def _chosen(self, objects: Any, metric: Metric) -> tuple[Any, Indices]:
        """The prepared references, and their positions."""
        n, references = sample.count(objects), self.references
        if references is not None and not is_count(references):
            prepared = given_references(
                references, objects, metric, unlabelled="Put the references into the matrix too."
            )
            return prepared, np.arange(sample.count(prepared))
        if references is None or references >= n:
            return objects, np.arange(n)
        net = farthest_first(objects, metric, count=int(references), n_jobs=self.n_jobs).order
        return sample.pick(objects, net), net

    def _refuse_too_many(self, n: int) -> None:
        """Raise an error if the coordinates of n objects do not fit in ``max_memory``."""
        size, max_memory = 8 * n * len(self.references_), parse_memory(self.max_memory)
        if size > max_memory:
            raise InvalidInput(
                f"{len(self.references_):,} coordinates of {n:,} objects take {show_memory(size)}; "
                f"{setting('max_memory', self.max_memory)}.",
                advice=f"Pass {setting('references', shown=max(1, max_memory // (8 * n)))} or "
                "fewer, or a larger max_memory.",
                value=size,
            )


_FITS = {
    "references": Fits(
        may_be_references,
        "Pass a number of references that is at least 1, objects, or None for the objects seen at "
        "fit.",
    )
}
