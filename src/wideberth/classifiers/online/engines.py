"""Construct, restore and soften knowledge sets by the name of their engine."""

from wideberth.classifiers.online.ellipsoid_knowledge import EllipsoidKnowledge
from wideberth.classifiers.online.exact_bodies import MOST_DIMENSIONS, ExactBodies
from wideberth.classifiers.online.knowledge_set import KnowledgeSet, Scales, State
from wideberth.classifiers.online.polytopes import PolytopeKnowledge, Rows
from wideberth.classifiers.online.sampled_bodies import SampledBodies
from wideberth.classifiers.online.soft_knowledge import SoftKnowledge
from wideberth.errors import InvalidInput, UnknownName

#: Whether the drops of each engine are proved.
PROVED: dict[str, bool] = {
    "sampling": SampledBodies.proved,
    "ellipsoid": EllipsoidKnowledge.proved,
    "exact": ExactBodies.proved,
    "soft": SoftKnowledge.proved,
}
ENGINES = tuple(PROVED)
# points of a population: if independent, each count of an announced drop fails with probability
# 2e-9
POINTS = 640
SOFT_POINTS = 320  # under noise nothing is proved, and more points are not worth their time


def knowledge_set(
    engine: str, scales: Scales, *, noise: float = 0.0, points: int | None = None, seed: int = 0
) -> KnowledgeSet:
    """A knowledge set on some scales, before the first sign.

    "sampling": linear constraints and populations of random points; the fewest mistakes, for some
    dozens of dimensions at most. "ellipsoid": constant memory, all drops proved, slower to learn;
    for many dimensions. "exact": constraints and exact volumes, all drops proved; for at most four
    dimensions. "soft": for labels that are wrong with probability ``noise``, which no other engine
    allows. ``points`` are those of a population, ``seed`` determines all random numbers.

    >>> import numpy as np
    >>> knowledge = knowledge_set("exact", Scales.for_ball(2, radius=2.0, power=1.0))
    >>> knowledge.learn(np.array([0.0, 1.0]), 1).stored
    True
    >>> (
    ...     knowledge.outlook(np.array([0.0, 0.5])).certain,
    ...     knowledge.outlook(np.array([1.0, 0.0])).certain,
    ... )
    (1, 0)
    """
    check_engine(engine, scales.dimension, noise=noise)
    if engine == "ellipsoid":
        return EllipsoidKnowledge(scales)
    if engine == "soft":
        return SoftKnowledge(scales, noise=noise, points=points or SOFT_POINTS, seed=seed)
    if engine == "sampling":
        return PolytopeKnowledge(
            scales, SampledBodies(scales, points=points or POINTS, seed=seed), engine
        )
    return PolytopeKnowledge(scales, ExactBodies(scales), engine)


def check_engine(engine: str, dimension: int, *, noise: float) -> None:
    """Raise an error if there is no such engine, or if it does not fit the noise or the dimension.

    >>> check_engine("exact", 5, noise=0.0)
    Traceback (most recent call last):
    ...
    wideberth.errors.InvalidInput: Exact volumes in 5 dimensions would take too long. Use engine="sampling" or ...
    """
    if engine not in ENGINES:
        raise UnknownName(
            f"There is no engine {engine!r}.",
            advice=f"Choose one of {', '.join(ENGINES)}.",
            known=ENGINES,
        )
    if (engine == "soft") != (noise > 0) or not 0 <= noise < 0.5:
        raise InvalidInput(
            f"The engine {engine!r} cannot keep labels that are wrong with probability {noise}.",
            advice='Use "soft" for a noise above 0 and below 0.5, and the other engines for noise=0.',
            value=noise,
        )
    if engine == "exact" and dimension > MOST_DIMENSIONS:
        raise InvalidInput(
            f"Exact volumes in {dimension} dimensions would take too long.",
            advice=f'Use engine="sampling" or "ellipsoid" beyond {MOST_DIMENSIONS} dimensions.',
            value=dimension,
        )


def restored(state: State) -> KnowledgeSet:
    """The knowledge set with the given ``state()``; it continues exactly as the original would
    have.

    The state may come from a file: what compiled code relies on is checked. Scales and the name of
    the engine are trusted.

    >>> import numpy as np
    >>> knowledge = knowledge_set("sampling", Scales.for_ball(3, radius=2.0, power=1.0), seed=5)
    >>> _ = knowledge.learn(np.array([0.6, 0.8, 0.0]), -1)
    >>> query = np.array([1.0, -1.0, 1.0])
    >>> restored(knowledge.state()).outlook(query) == knowledge.outlook(query)
    True
    """
    scales, engine = Scales(**state["scales"]), state["engine"]
    if engine == "ellipsoid":
        return EllipsoidKnowledge.from_state(scales, state)
    if engine == "soft":
        return SoftKnowledge.from_state(scales, state)
    rows = Rows.from_state(scales.dimension, state)
    bodies = (SampledBodies if engine == "sampling" else ExactBodies).from_state(
        scales, state, len(rows)
    )
    knowledge = PolytopeKnowledge(scales, bodies, engine)
    knowledge.rows = rows
    return knowledge


def softened(
    knowledge: KnowledgeSet, *, noise: float, points: int = SOFT_POINTS, seed: int = 0
) -> SoftKnowledge:
    """Soft knowledge from the rows of a set, after a contradiction has shown that some labels are
    wrong. An ellipsoid has no rows to pass on: the result then knows nothing.

    >>> import numpy as np
    >>> knowledge = knowledge_set("exact", Scales.for_ball(2, radius=2.0, power=1.0))
    >>> _ = knowledge.learn(np.array([0.0, 1.0]), 1)
    >>> softened(knowledge, noise=0.1).n_rows
    1
    """
    soft = SoftKnowledge(knowledge.scales, noise=noise, points=points, seed=seed)
    for row in knowledge.directions:
        soft.learn(row, 1)
    return soft
