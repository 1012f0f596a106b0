"""Shortest ways over a sample: a metric that is trusted between neighbours only."""

from typing import Any, ClassVar

import numpy as np
import scipy

from wideberth.array_types import Floats, Objects, Sample
from wideberth.errors import InvalidInput
from wideberth.metrics.containers import PartsSample
from wideberth.metrics.metric import Distances, Metric, Promises
from wideberth.metrics.parameters import is_whole
from wideberth.objects import sample
from wideberth.objects.digests import Digests
from wideberth.wording import python, setting


class Geodesic(Metric):
    r"""The length of shortest ways over the neighbours in a sample: trust a metric locally, and add
    up.

    Ways lead over ``references``, by default the objects to which the metric is `fitted`, as
    classifiers do. Each is joined to so many ``neighbors``: fewer follow a curved sample more
    closely, and noise too.

    Each of the m objects :math:`r_i` of the sample, the references, is joined to its ``neighbors``
    nearest ones, and as many more edges as make the graph connected (those of a minimum spanning
    tree); :math:`D(r_i, r_j)` is the length of the shortest way (Tenenbaum, de Silva & Langford, "A
    global geometric framework for nonlinear dimensionality reduction", Science 290, 2000). An
    object x is attached by its nearest references,

    .. math:: D_x(a) = \min_{r \in N(x)} d(x, r) + D(r, a), \qquad d_D(x, y) = \max_a | D_x(a) -
        D_y(a) |

    where a runs over all references. Between references that is D itself (Frechet's embedding), and
    a pseudo-metric between any objects, whatever d is: a distance of vectors in the maximum norm.
    Whether it is Hilbertian is not known. It does not separate in general, as two objects may be
    attached alike; it is bounded if d is.

    It takes memory for the distances of all pairs of references, and time in proportion to their
    number for each distance.

    Examples
    --------
    >>> import numpy as np
    >>> from wideberth.metrics.vectors.minkowski import Euclidean
    >>> turns = np.linspace(0, 5, 60)
    >>> horseshoe = np.column_stack([np.cos(turns), np.sin(turns)])
    >>> metric = Geodesic(Euclidean(), neighbors=2).fitted(horseshoe)
    >>> round(metric(horseshoe[0], horseshoe[-1]), 2)  # along the arc of length 5, not across
    5.0
    """

    call: ClassVar[str] = "geodesic"
    parallel = "threads"

    def __init__(self, metric: Metric, neighbors: int = 10, references: Objects = None) -> None:
        if not isinstance(metric, Metric):
            advice = (
                f"{python(f'wideberth.transforms.{self.call}')} also takes names and functions of "
                "two objects."
            )
            raise InvalidInput(
                f"{type(self).__name__} needs a Metric, not {metric!r}.",
                advice=advice,
                value=metric,
            )
        if metric.accepts == "indices":
            raise InvalidInput(
                "The shortest ways over a sample need the objects: indices into a matrix or a "
                "space do not extend to new ones.",
                advice="Pass the objects, and make a space of the geodesic metric.",
                value=metric,
            )
        if not is_whole(neighbors, 1):
            advice = "5 to 20 are usual."
            raise InvalidInput(
                f"{setting('neighbors', neighbors)} is no number of neighbours.",
                advice=advice,
                value=neighbors,
            )
        self.metric = metric
        self.neighbors = neighbors
        self.references = references
        # a prepared sample is no matrix of vectors
        self.accepts = "objects" if metric.accepts == "vectors" else metric.accepts
        self.takes_missing, self.knows_missing = metric.takes_missing, metric.knows_missing
        self._from_user = type(self)._from_user or not metric.built_in
        self._known: tuple[Any, Floats] | None = None

    @property
    def name(self) -> str:
        """The call that makes it."""
        return f"{self.call}({self.metric.name}, {self.neighbors})"

    @property
    def promises(self) -> Promises:
        """The triangle inequality, always; boundedness if the inner metric is bounded, as there are
        finitely many references.
        """
        return Promises(obeys_triangle=True, bounded=self.metric.bounded or None)

    def fitted(self, objects: Objects) -> "Geodesic":
        """Return the metric with the objects as references; itself if it has some."""
        if self.references is not None:
            return self
        inner = self.metric.fitted(objects)
        held = sample.hold(objects, rows=inner.accepts == "rows")
        if not sample.count(held):
            raise InvalidInput(
                "No shortest ways lead over no objects.", advice="Pass a sample.", value=0
            )
        made = Geodesic(inner, self.neighbors, _plain(held))
        made._taught_by = inner.digests(objects, inner.prepare(objects))
        return made

    def prepare(self, objects: Objects) -> PartsSample:
        """Attach objects to the references: the lengths of the shortest ways from each object to
        all of them. The sample has one part, an array of shape (n, m).
        """
        if isinstance(objects, PartsSample):
            (lengths,) = objects.for_metrics(1)
            return PartsSample((np.asarray(lengths, dtype=np.float64),))
        references, ways = self._ways()
        prepared = self.metric.prepare(objects)
        out = np.empty((sample.count(prepared), len(ways)))
        # one more, as a reference is its own neighbour
        nearest = min(self.neighbors + 1, len(ways))
        for start in range(0, len(out), 256):
            some = sample.pick(prepared, slice(start, start + 256))
            direct = self.metric._distances(some, references)
            for row, distances in enumerate(direct, start):
                near = np.argsort(distances, kind="stable")[:nearest]
                out[row] = (distances[near, None] + ways[near]).min(axis=0)
        return PartsSample((out,))

    def digests(self, X: Objects, prepared: Sample) -> Digests | None:
        """Compute the digests of the inner metric; see `wideberth.Metric.digests`."""
        return self.metric.digests(
            X, None if self.metric.accepts != "rows" else self.metric.prepare(X)
        )

    def contents(self, X: Objects, prepared: Sample) -> Sample:
        """Those of the inner metric; see `wideberth.Metric.contents`."""
        return self.metric.contents(X, None)

    def nanoseconds(self, prepared: PartsSample) -> float:
        """Estimate the time of one distance: linear in the number of references."""
        return 2.0 + 0.6 * float(prepared.parts[0].shape[1])

    def _measure(self, left: PartsSample, right: PartsSample) -> Distances:
        one, other = left.parts[0], right.parts[0]
        if not one.size or not other.size:
            return np.zeros((len(one), len(other)))
        return scipy.spatial.distance.cdist(one, other, "chebyshev")

    def _ways(self) -> tuple[Any, Floats]:
        """Return the prepared references and the lengths of the shortest ways between them,
        computed once.
        """
        if self.references is None:
            raise InvalidInput(
                f"{self.name!r} has no references yet.",
                advice="Learn them from a sample, metric.fitted(objects), or pass "
                f"{setting('references', shown='objects')}.",
                value=None,
            )
        if self._known is None:
            references = self.metric.prepare(self.references)
            self._known = (
                references,
                shortest_ways(self.metric._distances(references, references), self.neighbors),
            )
        return self._known


def shortest_ways(distances: Floats, neighbors: int) -> Floats:
    """Compute the lengths of shortest ways over nearest neighbours and a minimum spanning tree.

    Examples
    --------
    >>> line = np.array([0.0, 1.0, 2.0, 9.0])
    >>> # squares grow faster than the steps between neighbours
    >>> shortest_ways(abs(line[:, None] - line) ** 2, 1)[0]
    array([ 0.,  1.,  2., 51.])
    """
    near = np.argsort(distances, axis=1, kind="stable")[:, : neighbors + 1]
    edges = np.full(distances.shape, np.inf)
    np.put_along_axis(edges, near, np.take_along_axis(distances, near, axis=1), axis=1)
    for one, other in _spanning_tree(distances):
        edges[one, other] = distances[one, other]
    edges = np.minimum(edges, edges.T)
    np.fill_diagonal(edges, np.inf)
    graph = scipy.sparse.csgraph.csgraph_from_dense(edges, null_value=np.inf)
    ways: Floats = scipy.sparse.csgraph.dijkstra(graph, directed=False)
    return np.minimum(ways, ways.T)


def _spanning_tree(distances: Floats) -> list[tuple[int, int]]:
    """The edges of a minimum spanning tree, by Prim's algorithm."""
    closest, joined = distances[0].copy(), np.zeros(len(distances), dtype=np.intp)
    closest[0] = np.inf
    edges = []
    for _ in range(len(distances) - 1):
        new = int(closest.argmin())
        edges.append((int(joined[new]), new))
        nearer = (distances[new] < closest) & np.isfinite(closest)
        closest[nearer], joined[nearer] = distances[new][nearer], new
        closest[new] = np.inf
    return edges


def _plain(held: Sample) -> Any:
    """Return objects as a model file holds them: numbers in an array, others in a list, rows of a
    frame as dicts.
    """
    if hasattr(held, "to_dict"):
        return held.to_dict(orient="records")
    if hasattr(held, "to_dicts"):
        return held.to_dicts()
    return held if not isinstance(held, np.ndarray) or held.dtype != object else list(held)
