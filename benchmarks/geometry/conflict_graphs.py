"""Maximum matchings of conflict graphs beside scipy's: why the library has a Hopcroft-Karp of its
own.

Both augment along shortest paths, phase by phase. Ours tries each edge once in a phase. scipy's
(1.17) does not mark vertices that led nowhere and enters them again by every path that leads there,
so that how long it takes depends on the number of paths, which may double with every step.
"""

import multiprocessing
import resource
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching
from sklearn.datasets import make_circles

from benchmarks.keeping import kept
from benchmarks.samples import edited_names, overlapping_classes, two_moons
from benchmarks.timing import digits, seconds
from wideberth.classifiers.margin_neighbors.kernels import link, maximum_matching
from wideberth.geometry.classes.enemies import conflict_pairs

Sample = tuple[Any, Any]

#: Seconds that scipy may spend on one graph.
LIMIT = 30
#: Seconds of the one thread that works; those of the process are coarse where they are limited.
CLOCK = time.thread_time
#: What takes less than this many seconds is run three times, and the best time counts.
SHORT = 1.0
WORDS = f"""\
The pairs of different classes below a threshold, as a bipartite graph: of the two classes, for a minimum vertex cover; of more
than two, the double cover, for the linear program. Ours is `maximum_matching` in `kernels`, scipy's is
`maximum_bipartite_matching` on a matrix that is already built: one class in its rows, or in another way the other one; for
double covers, columns sorted, or in another way in the order in which our kernel has them. Seconds of one core, at most {LIMIT};
the last column is for the better of the two ways. Sizes are equal wherever scipy comes to an end. It does not mark vertices
that led nowhere, so its time grows with the number of paths and not of edges."""
HEAD = ["data", "pairs", "size", "ours s", "scipy s", "scipy s, another way", "scipy / ours"]


@dataclass(frozen=True)
class Graph:
    """Pairs of objects of different classes, by number, and the numbers of the classes."""

    first: NDArray[np.int32]
    second: NDArray[np.int32]
    codes: NDArray[np.intp]

    @property
    def of_two_classes(self) -> bool:
        return int(self.codes.max()) == 1

    def lists(self) -> tuple[tuple[NDArray[np.int64], NDArray[np.int32]], NDArray[np.bool_]]:
        """The graph as our kernel takes it; of more than two classes it is the double cover, where
        all are left and right.
        """
        is_left = self.codes == 0 if self.of_two_classes else np.ones(len(self.codes), dtype=bool)
        return link(len(self.codes), self.first, self.second), is_left

    def matrices(self) -> list[csr_array]:
        """Two ways to give scipy the graph: either class in the rows; or a double cover, sorted or
        in the order of our lists.
        """
        (starts, neighbors), _ = self.lists()
        listed = csr_array(
            (np.ones(len(neighbors), dtype=np.int8), neighbors, starts),
            shape=(len(self.codes),) * 2,
        )
        matrix = listed.sorted_indices()
        if not self.of_two_classes:
            return [matrix, listed]
        one, other = np.flatnonzero(self.codes == 0), np.flatnonzero(self.codes == 1)
        return [matrix[one][:, other].tocsr(), matrix[other][:, one].tocsr()]


def conflict_graph(objects: Any, labels: Any, metric: str, threshold: float) -> Graph:
    parts = list(conflict_pairs(objects, labels, metric, threshold, n_jobs=1))
    first = np.concatenate([part.first for part in parts]).astype(np.int32)
    second = np.concatenate([part.second for part in parts]).astype(np.int32)
    return Graph(first, second, np.unique(labels, return_inverse=True)[1])


def parts_of_a_square(n: int, n_classes: int) -> Sample:
    """Points of a square that is cut in halves from top to bottom, or in quarters, blurred a little
    where the classes touch.
    """
    generator = np.random.default_rng(n)
    points = generator.uniform(size=(n, 2))
    right, top = (points + 0.02 * generator.normal(size=(n, 2)) > 0.5).astype(int).T
    return points, right + 2 * top if n_classes == 4 else right


def lattice(side: int, n_classes: int, draw: int) -> Sample:
    """Whole numbers in the plane, row by row, with classes at random."""
    places = np.stack(np.divmod(np.arange(side * side), side), axis=1).astype(float)
    return places, np.random.default_rng(draw).integers(n_classes, size=side * side)


def from_left_to_right(points: NDArray[np.float64], labels: NDArray[Any]) -> Sample:
    order = np.argsort(points[:, 0])
    return points[order], labels[order]


def cases() -> Iterator[tuple[str, Sample, str, float]]:
    """Name, objects with labels, metric, threshold."""
    for n in (2_000, 4_000):
        yield f"{n:,} points, halves of a square", parts_of_a_square(n, 2), "euclidean", 0.43
    yield "4,000 points, quarters of a square", parts_of_a_square(4_000, 4), "euclidean", 0.3
    for draw in range(3):
        yield f"100 x 100 lattice, 2 classes, draw {draw}", lattice(100, 2, draw), "euclidean", 2.5
    yield "100 x 100 lattice, 3 classes", lattice(100, 3, 0), "euclidean", 2.5
    yield "8,000 of two moons", two_moons(8_000), "euclidean", 0.28
    yield (
        "8,000 of two moons, from left to right",
        from_left_to_right(*two_moons(8_000)),
        "euclidean",
        0.28,
    )
    clouds = overlapping_classes(8_000, 2, 2)
    yield "8,000 of two clouds", clouds, "euclidean", 0.39
    yield "8,000 of two clouds, from left to right", from_left_to_right(*clouds), "euclidean", 0.39
    yield "8,000 of four clouds", overlapping_classes(8_000, 2, 4), "euclidean", 0.28
    yield (
        "8,000 of two circles",
        make_circles(8_000, noise=0.1, factor=0.8, random_state=0),
        "euclidean",
        0.1,
    )
    yield "4,000 words, Levenshtein", edited_names(4_000), "levenshtein", 4.5


def row(name: str, graph: Graph) -> list[str]:
    lists, is_left = graph.lists()
    ours, (partners, *_) = best(lambda: maximum_matching(*lists, is_left))
    size = int((partners >= 0).sum())
    theirs = [within_the_limit(matrix) for matrix in graph.matrices()]
    assert all(found is None or found[1] == size for found in theirs), (
        "the two matchings differ in size"
    )
    shown = (f"> {LIMIT}" if found is None else digits(found[0]) for found in theirs)
    faster = min((found[0] for found in theirs if found is not None), default=None)
    ratio = f"> {digits(LIMIT / ours)}" if faster is None else digits(faster / ours)
    return [name, f"{len(graph.first):,}", f"{size:,}", digits(ours), *shown, ratio]


def best(run: Callable[[], Any]) -> tuple[float, Any]:
    """The seconds that one core spends, and what it returns."""
    spent, result = seconds(run, CLOCK)
    more = [] if spent > SHORT else [seconds(run, CLOCK)[0] for _ in range(2)]
    return min([spent, *more]), result


def within_the_limit(matrix: csr_array) -> tuple[float, int] | None:
    """Seconds of scipy and the size that it finds, in a process of its own that may be stopped;
    None if it was.
    """
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_send_scipys, args=(matrix, sender))
    process.start()
    sender.close()
    try:
        return receiver.recv()
    except EOFError:
        return None
    finally:
        process.join()


def _send_scipys(matrix: csr_array, sender: Any) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT))
    spent, partners = best(lambda: maximum_bipartite_matching(matrix, perm_type="column"))
    sender.send((spent, int((partners >= 0).sum())))


def lines() -> Iterator[list[str]]:
    """A line of the table for each graph."""
    row(
        "few", conflict_graph(*parts_of_a_square(100, 2), "euclidean", 0.4)
    )  # compiled code is loaded before it is timed
    for name, sample, metric, threshold in cases():
        found = kept(
            "matching",
            f"maximum, {name}",
            lambda: row(name, conflict_graph(*sample, metric, threshold)),  # noqa: B023
        )
        if found is not None:
            yield found
