"""Streams of queries about hidden centres: far from all boundaries, near them, or chosen by an
opponent of the learner.

Centres and queries lie on the unit sphere; the label of a query is the centre of the largest inner
product, and a wrong guess loses the difference of the two inner products.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain

import numpy as np

from benchmarks.online.peers import Floats, Learner

#: Queries that are drawn at once.
BATCH = 4_096
#: How far queries are moved off a boundary: powers of ten between this and 0, evenly.
LEAST_MARGIN = -4.0
#: Where the opponent asks, as shares of the way from the true boundary to that of the learner.
DEPTHS = (1 - 1e-6, 0.8)
#: The opponent asks nothing where two labels are nearer to a tie than this.
LEAST_LEAD = 1e-6


@dataclass(frozen=True)
class Truth:
    """Hidden centres, one a row."""

    centres: Floats

    @classmethod
    def drawn(cls, k: int, d: int, generator: np.random.Generator) -> "Truth":
        """k centres, spread evenly over the sphere in d dimensions."""
        return cls(on_sphere(generator, k, d))

    def label(self, query: Floats) -> int:
        return int((self.centres @ query).argmax())

    def loss(self, query: Floats, guess: int) -> float:
        scores = self.centres @ query
        return float(scores.max() - scores[guess])


@dataclass(frozen=True)
class Boundary:
    """A point where the labels i and j, the nearest two, are equally near; ``across`` is the unit
    vector towards i.
    """

    point: Floats
    across: Floats
    i: int
    j: int

    def moved(self, margin: float) -> Floats:
        """The query at this distance from the boundary, on the side of i if it is positive."""
        return np.sqrt(1 - margin**2) * self.point + margin * self.across


#: Takes the truth, random numbers and a learner, and asks for ever.
Stream = Callable[[Truth, np.random.Generator, Learner], Iterator[Floats]]


def random(truth: Truth, generator: np.random.Generator, learner: Learner) -> Iterator[Floats]:
    """Queries spread evenly over the sphere."""
    d = truth.centres.shape[1]
    while True:
        yield from on_sphere(generator, BATCH, d)


def near(truth: Truth, generator: np.random.Generator, learner: Learner) -> Iterator[Floats]:
    """Points on boundaries between two labels, moved off by margins from 1 to 1e-4, all orders of
    magnitude alike.
    """
    for boundary in boundaries(truth, generator):
        query = boundary.moved(_margin(generator))
        if truth.label(query) in (boundary.i, boundary.j):
            yield query


def adaptive(truth: Truth, generator: np.random.Generator, learner: Learner) -> Iterator[Floats]:
    """Each round the costliest query that the learner gets wrong, of a few: points near a boundary,
    and some that it is led into.

    The latter lie between the true boundary of two labels and that of the learner, as far from the
    first as can be.
    """
    for boundary in boundaries(truth, generator):
        candidates = [boundary.moved(_margin(generator)) for _ in range(4)]
        for normal in learner.normals(boundary.i, boundary.j):
            candidates += traps(boundary, normal, two_labels=len(truth.centres) == 2)
        yield dearest_mistake(truth, learner, candidates)


STREAMS: dict[str, Stream] = {"near": near, "random": random, "adaptive": adaptive}


def boundaries(truth: Truth, generator: np.random.Generator) -> Iterator[Boundary]:
    """Points on the sphere, moved on to the boundary of the two labels that are nearest; those
    nearer to a third are left out.
    """
    return chain.from_iterable(iter(lambda: _boundaries(truth, generator), None))


def _boundaries(truth: Truth, generator: np.random.Generator) -> list[Boundary]:
    centres = truth.centres
    points = on_sphere(generator, BATCH, centres.shape[1])
    first, second = np.argsort(-(points @ centres.T), axis=1)[:, :2].T
    across = _unit(centres[first] - centres[second])
    points = _unit(points - np.sum(points * across, axis=1, keepdims=True) * across)
    scores = points @ centres.T
    nearest = scores.max(axis=1) <= scores[np.arange(BATCH), first] + 1e-12
    found = zip(
        points[nearest],
        across[nearest],
        first[nearest].tolist(),
        second[nearest].tolist(),
        strict=True,
    )
    return [Boundary(*each) for each in found]


def traps(boundary: Boundary, normal: Floats, *, two_labels: bool) -> list[Floats]:
    """Queries between the true boundary of i and j and the learner's, which has this normal vector.

    With two labels the gap is widest in the plane of the two normal vectors; with more, that plane
    may belong to other labels, and the gap is looked for between it and a point where i and j are
    the nearest.
    """
    across, lean = boundary.across, float(normal @ boundary.across)
    if lean <= 0:  # upside down
        return [across] if normal.any() else []
    aside = normal - lean * across
    length = float(np.linalg.norm(aside))
    if length <= 1e-12 * lean:  # no gap
        return []
    aside /= length
    starts = [aside] if two_labels else [boundary.point + side * aside for side in (0.99, -0.99)]
    return [
        _unit(start - depth * float(normal @ start) / lean * across)
        for start in starts
        for depth in DEPTHS
    ]


def dearest_mistake(truth: Truth, learner: Learner, candidates: list[Floats]) -> Floats:
    """The first candidate, from the one with the widest lead of its label down, that the learner
    gets wrong; or the first.
    """
    scores = np.sort(np.array(candidates) @ truth.centres.T, axis=1)
    leads = scores[:, -1] - scores[:, -2]
    for position in np.argsort(-leads):
        query = candidates[position]
        if leads[position] >= LEAST_LEAD and learner.predict(learner.given(query)) != truth.label(
            query
        ):
            return query
    return candidates[0]


def on_sphere(generator: np.random.Generator, count: int, d: int) -> Floats:
    return _unit(generator.standard_normal((count, d)))


def _margin(generator: np.random.Generator) -> float:
    side = 1 if generator.random() < 0.5 else -1
    return side * 10.0 ** generator.uniform(LEAST_MARGIN, 0)


def _unit(vectors: Floats) -> Floats:
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
