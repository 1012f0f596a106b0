"""What an online classifier does with its stream: begin it with the first label, let its ball grow,
and show its facts.
"""

from copy import deepcopy
from math import frexp
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Floats
from wideberth.classifiers.online.lifts_by_similarity import Features
from wideberth.classifiers.online.parameters import (
    check_query,
    engine_for,
    features_for,
    new_stream,
)
from wideberth.classifiers.online.stream import Contradiction, Stream
from wideberth.rounding import DISTANCE_ERROR


class StreamOwner:
    """Base class of the online classifier: it owns a stream and, with ``radius="auto"``, the radius
    of its ball.

    The first radius is twice the size of the first query. When a larger query is learned, the
    radius is doubled until the query is inside: stored constraints are carried over to the features
    of the larger ball, in which centres may be farther out, and all bounds are those of the larger
    ball from then on. Ellipsoids store no constraints and start from scratch. A larger query that
    is only asked about is answered by a copy, so that asking leaves no trace.
    """

    radius: float | str
    similarity: str
    n_features_in_: int
    _stream: Stream | None = None
    _radius: float = 1.0
    _copies: dict[
        float | Features, Stream
    ]  # streams with larger radii or higher degrees, until the next label

    @property
    def classes_(self) -> NDArray[Any]:
        """The labels seen so far, sorted."""
        return self._learned_stream.classes

    @property
    def rounds_(self) -> int:
        """How many labels were learned."""
        return self._learned_stream.rounds

    @property
    def mistakes_(self) -> int:
        """How many of them had not been guessed."""
        return self._learned_stream.mistakes

    @property
    def contradictions_(self) -> int:
        """How many of them contradicted earlier ones."""
        return self._learned_stream.contradictions

    @property
    def first_contradiction_(self) -> Contradiction | None:
        """The first contradiction, or None."""
        return self._learned_stream.first_contradiction

    @property
    def engine_(self) -> str:
        """The engine in use."""
        return self._learned_stream.partition.engine

    @property
    def proved_(self) -> bool:
        """Whether the bound is proved."""
        return self._learned_stream.partition.proved

    @property
    def n_rows_(self) -> int:
        """How many linear constraints are stored."""
        return self._learned_stream.partition.n_rows

    @property
    def radius_(self) -> float:
        """The radius of the ball in use."""
        assert self._learned_stream is not None
        return self._radius

    def widen(self, n_features: int) -> Self:
        """Continue with queries of ``n_features`` coordinates, more than before; the new ones count
        as 0 in earlier queries.

        Stored constraints are carried over; ellipsoids start from scratch.
        """
        self._widen(self._learned_stream, n_features, self._radius)
        self.n_features_in_, self._copies = n_features, {}
        self.__dict__.pop("feature_names_in_", None)  # those of the new ones are not known
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return self._stream is not None and bool(self._stream.labels)

    def __getstate__(self) -> dict[str, Any]:
        state: Any = super().__getstate__()
        return {name: value for name, value in state.items() if name != "_copies"}

    @property
    def _learned_stream(self) -> Stream:
        """The stream; raises AttributeError before the first label, so that the attributes above do
        not exist before it.
        """
        if self._stream is None:
            raise AttributeError(f"{type(self).__name__} has learned nothing yet.")
        return self._stream

    def _begin_stream(self, n_features: int, radius: float) -> Stream:
        """A new stream from the parameters, with queries of ``n_features`` coordinates in a ball of
        this radius.
        """
        self._stream, self._radius, self._copies = new_stream(self, n_features, radius), radius, {}
        self.n_features_in_ = n_features
        return self._stream

    def _stream_to_learn(self, query: Floats) -> Stream:
        """The stream, begun with the first query, and with a ball that holds this one."""
        if self._stream is None:
            return self._begin_stream(len(query), self._first_radius(query))
        self._stream, self._radius = self._stream_to_ask(query), self._radius_for(query)
        self._copies = {}
        return self._stream

    def _stream_to_ask(self, query: Floats) -> Stream:
        """The stream, or a copy of it with a ball that holds the query."""
        stream, radius = self._learned_stream, self._radius_for(query)
        if radius == self._radius:
            return self._accurate(stream, query) if stream.partition.features.degrees else stream
        copies: dict[float | Features, Stream] = vars(self).setdefault("_copies", {})
        if radius not in copies:
            copies[radius] = self._widen(deepcopy(stream), self.n_features_in_, radius)
        return copies[radius]

    def _accurate(self, stream: Stream, query: Floats) -> Stream:
        """The stream, or a copy of it with features of degrees that are high enough for the
        query.
        """
        copies: dict[float | Features, Stream] = vars(self).setdefault("_copies", {})
        while (features := stream.accurate_features(query)) != stream.partition.features:
            if features not in copies:
                copies[features] = deepcopy(stream)
                copies[features].widen(features, stream.partition.engine)
            stream = copies[features]
        return stream

    def _first_radius(self, query: Floats) -> float:
        """The radius with which to begin."""
        if self.radius != "auto":
            return float(self.radius)
        return 2 * self._size(query) or 1.0

    def _radius_for(self, query: Floats) -> float:
        """The radius in use, doubled until the query is inside if it may grow."""
        size = self._size(query)
        if self.radius != "auto" or size <= self._radius * (1 + DISTANCE_ERROR):
            return self._radius
        (share, high), (own_share, own_high) = frexp(size), frexp(self._radius)
        with np.errstate(over="ignore"):  # an infinite radius is refused by the features
            return float(np.ldexp(self._radius, high - own_high + (share > own_share)))

    def _size(self, query: Floats) -> float:
        """What has to be inside of the radius; nothing for inner products, which know no length."""
        if self.similarity == "inner":
            return 0.0
        return float(
            np.hypot.reduce(query) if self.similarity == "euclidean" else np.abs(query).max()
        )

    def _widen(self, stream: Stream, n_features: int, radius: float) -> Stream:
        features = features_for(self, n_features, radius)
        if features.degrees:
            features = features.with_degrees(stream.partition.features.degrees)
        engine = stream.partition.engine
        stream.widen(
            features, engine if engine in ("soft", "ellipsoid") else engine_for(self, features)
        )
        return stream

    def _check_query(self, query: Any) -> Floats:
        return check_query(query, self.n_features_in_ if self._stream is not None else None)
