"""Graphs compared by the neighbourhoods of their nodes."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideberth.errors import InvalidInput
from wideberth.metrics.graphs import Graphs, read_graphs
from wideberth.metrics.metric import Distances, Kind, Metric, Promises
from wideberth.metrics.multisets import Multisets
from wideberth.metrics.parameters import is_whole
from wideberth.metrics.ruzicka import ruzicka_between

Hashes = NDArray[np.uint64]


class WeisfeilerLehman(Metric):
    r"""Ruzicka's distance between the histograms of all node labels that Weisfeiler and Lehman's refinement gives two graphs.

    .. math:: d(G, H) = 1 - \frac{\sum_c \min(\#_c G, \#_c H)}{\sum_c \max(\#_c G, \#_c H)}, \qquad
        c_{i+1}(v) = \mathrm{hash}(c_i(v), \{c_i(w) : w \sim v\})

    where :math:`\#_c G` counts the nodes v and rounds i from 0 to ``iterations`` with :math:`c_i(v) = c`: the histograms of the
    subtree kernel of Shervashidze, Schweitzer, van Leeuwen, Mehlhorn & Borgwardt, "Weisfeiler-Lehman graph kernels", Journal of
    Machine Learning Research 12, 2011. A label of round i stands for all that walks of i steps see. Labels are hashes of 64 bits,
    so that graphs read at different times can be compared.

    Graphs are undirected, such as ``{"nodes": ["C", "O"], "edges": [[0, 1]]}``; `wideberth.metrics.graphs.read_graphs` says
    which other forms there are.

    It obeys the triangle inequality, is of negative type and not Hilbertian, as `Ruzicka`, because the histogram of a graph is a
    weighted set. It does not separate: two triangles and a hexagon are at 0, as are all regular graphs of one size and degree
    without labels.

    >>> chain, ring = [[0, 1], [1, 2]], [[0, 1], [1, 2], [2, 0]]
    >>> metric = WeisfeilerLehman(iterations=1)
    >>> metric({"nodes": "CCO", "edges": chain}, {"nodes": "CCO", "edges": ring})  # C, C, O and the neighbourhood of one C agree
    0.5

    Parameters
    ----------
    iterations : int
        The number of rounds. More tell more graphs apart, and put those that remain different farther apart.
    """

    name = "weisfeiler_lehman"
    eats: Kind = "graphs"
    parallel = "threads"
    promises = Promises(obeys_triangle=True, hilbertian=False, negative_type=True, bounded=True, separates=False)

    def __init__(self, iterations: int = 3) -> None:
        if not is_whole(iterations, 0):
            raise InvalidInput(
                f"The number of iterations is a whole number from 0 on, not {iterations!r}.",
                advice="2 to 4 are usual.",
                value=iterations,
            )
        self.iterations = iterations

    def prepare(self, objects: Any) -> Multisets:
        if isinstance(objects, Multisets):
            return objects
        graphs = read_graphs(objects)
        rounds = [graphs.labels.view(np.uint64)]
        for _ in range(self.iterations):
            rounds.append(_refined(rounds[-1], graphs))
        labels = np.concatenate(rounds).view(np.int64)
        return Multisets.collect(np.tile(graphs.owners, len(rounds)), labels, np.ones(len(labels)), graphs.count)

    def _measure(self, left: Multisets, right: Multisets) -> Distances:
        return ruzicka_between(left, right)


def _refined(labels: Hashes, graphs: Graphs) -> Hashes:
    """The label of each node after one more round: its own one and the multiset of its neighbours', in 64 bits.

    The hash of a multiset is the sum of its members' (Clarke et al. 2003, MSet-Add-Hash), which does not depend on an order.
    """
    sums = np.concatenate([np.zeros(1, dtype=np.uint64), np.cumsum(_scrambled(labels)[graphs.neighbors])])  # modulo 2^64
    around = sums[graphs.starts[1:]] - sums[graphs.starts[:-1]]
    return _scrambled(labels * np.uint64(0x9E3779B97F4A7C15) + around)


def _scrambled(numbers: Hashes) -> Hashes:
    """The finalizer of SplitMix64 (Steele, Lea & Flood 2014): one to one, and each bit depends on all."""
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return numbers ^ (numbers >> np.uint64(31))
