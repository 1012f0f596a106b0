"""Distances between finite sets of objects of any kind, over a metric on the objects: sets of
words, of series, of graphs.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np

from wideberth.array_types import Integers, Objects
from wideberth.errors import InvalidInput
from wideberth.metrics.containers import mean_size, taken
from wideberth.metrics.metric import Distances, Kind, Metric, Promises
from wideberth.metrics.transforms.promise_rules import closed, known_teachers
from wideberth.objects import sample
from wideberth.objects.digests import Digests
from wideberth.rounding import DistanceErrors
from wideberth.wording import at, python, setting


@dataclass(frozen=True, eq=False)
class MembersSample:
    """Sets of objects: the members of set i are those from ``starts[i]`` to ``starts[i + 1]`` of
    one prepared sample.

    It satisfies `wideberth.metrics.containers.Prepared`.

    Examples
    --------
    >>> teas = MembersSample(np.array(["Assam", "Darjeeling", "Sencha"]), np.array([0, 2, 3]))
    >>> len(teas), teas[1]
    (2, array(['Sencha'], dtype='<U10'))
    """

    members: Any
    starts: Integers

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, index: int) -> Any:
        """The members of one set: how it is shown in messages."""
        position = range(len(self))[index]
        return sample.pick(
            self.members, slice(int(self.starts[position]), int(self.starts[position + 1]))
        )

    def take(self, indices: Any) -> Self:
        """Select the sets at ``indices``, a slice or an integer array."""
        positions, starts = taken(self.starts, indices)
        return type(self)(sample.pick(self.members, positions), starts)

    def plain(self) -> dict[str, Any]:
        """Return the members, which are written into a model file as a sample of their own, and
        where sets begin.
        """
        return {"members": self.members, "starts": self.starts}

    def plain_inside(self, written: Callable[[Any], Any]) -> dict[str, Any]:
        """Return what `plain` returns with the members as ``written`` writes a sample."""
        return {"members": written(self.members), "starts": self.starts}

    @classmethod
    def from_plain_inside(cls, plain: dict[str, Any], read: Callable[[Any], Any]) -> Any:
        """Read back what `plain_inside` wrote, the members by ``read``."""
        members = plain.get("members")
        return cls.from_plain(
            plain | ({"members": read(members)} if isinstance(members, dict) else {})
        )

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> Any:
        """Read back what `plain` wrote; the inner metric checks the members when it prepares them."""
        match plain:
            case {"members": members, "starts": np.ndarray() as starts} if (
                starts.ndim == 1 and starts.dtype == np.int64
            ):
                whole = len(starts) > 0 and starts[0] == 0 and starts[-1] == sample.count(members)
                if whole and (np.diff(starts) > 0).all():
                    return cls(members, starts)
        raise ValueError("members and where their sets begin are needed")


class SetsOfObjects(Metric):
    r"""A distance between finite sets of objects, made of the distances d of their members.

    .. math:: h(A, B) = \max \{ \max_{a \in A} d(a, B),\; \max_{b \in B} d(A, b) \}, \qquad
        m(A, B) = \frac{1}{2} \Big( \frac{1}{|A|} \sum_{a \in A} d(a, B) + \frac{1}{|B|} \sum_{b \in
        B} d(A, b) \Big)

    where :math:`d(a, B) = \min_{b \in B} d(a, b)`. The first is Hausdorff's, a pseudo-metric on
    finite sets if d is one (Burago, Burago & Ivanov, "A Course in Metric Geometry", Proposition
    7.3.3); it is one of the distances of members, so that it is bounded and has a step if d is or
    has. One odd member is enough to put two sets far apart. The second is milder, but breaks the
    triangle inequality: {x} and {y} are at d(x, y), and each is at a quarter of that from {x, y}.

    Sets of one member have the distance of these, so what d lacks, these lack. Neither separates,
    as order and repetition of members do not count for the first, nor copies of whole sets for the
    second. For points in space `Hausdorff` is faster.

    Examples
    --------
    >>> from wideberth.metrics.strings.edits import Levenshtein
    >>> SetsOfObjects(Levenshtein())({"tea", "rum"}, {"tee", "rum", "ruhm"})
    1.0
    >>> SetsOfObjects(Levenshtein(), how="average")(["tea", "rum"], ["tee", "rum"])
    0.5
    """

    call: ClassVar[str] = "sets"
    accepts: Kind = "objects"

    def __init__(self, metric: Metric, how: Literal["hausdorff", "average"] = "hausdorff") -> None:
        if not isinstance(metric, Metric) or metric.accepts == "indices":
            advice = (
                f"{python(f'wideberth.transforms.{self.call}')}('levenshtein') also takes names "
                "and functions of two objects."
            )
            raise InvalidInput(
                f"{type(self).__name__} needs a Metric on objects, not {metric!r}.",
                advice=advice,
                value=metric,
            )
        if how not in ("hausdorff", "average"):
            raise InvalidInput(
                f"{setting('how', how)} compares no sets.",
                advice="It is 'hausdorff' or 'average'.",
                value=how,
            )
        self.metric = metric
        self.how = how
        self._from_user = type(self)._from_user or not metric.built_in
        self.parallel = metric.parallel

    @property
    def name(self) -> str:
        """The call that makes it."""
        return f"{self.call}({self.metric.name}, {self.how})"

    @property
    def promises(self) -> Promises:
        """What follows from the promises of the inner metric; see the class."""
        known = closed(self.metric.promises)
        farthest = self.how == "hausdorff"
        broken = known.obeys_triangle is False or (
            not farthest and known.obeys_triangle and known.separates
        )
        return closed(
            Promises(
                obeys_triangle=False if broken else (known.obeys_triangle if farthest else None),
                hilbertian=False if known.hilbertian is False else None,
                negative_type=False if known.negative_type is False else None,
                bounded=known.bounded,
                separates=False if known.obeys_triangle else None,
                step=known.step if farthest else None,
            )
        )

    def fitted(self, objects: Objects) -> Self:
        """Return the same distance over the metric fitted to all members; itself if that learns
        nothing.
        """
        fitted = self.metric.fitted(_flat(objects)[0])
        if fitted is self.metric:
            return self
        made = type(self)(fitted, self.how)
        made._taught_by = self.digests(objects, None)
        return made

    @property
    def taught_by(self) -> Digests | None:
        """What `fitted` took parameters from; what taught the inner metric before is not known, as
        it knows members.
        """
        return known_teachers(self._taught_by, [self.metric], same_objects=False)

    def prepare(self, objects: Objects) -> MembersSample:
        """Collect the members of all sets, and prepare them by the inner metric. None of them may
        be empty.
        """
        if isinstance(objects, MembersSample):
            return MembersSample(self.metric.prepare(objects.members), objects.starts)
        members, starts = _flat(objects)
        return MembersSample(self.metric.prepare(members), starts)

    def distance_errors(self, prepared: MembersSample) -> DistanceErrors:
        """The relative error of the inner metric, and the largest absolute error of the members of
        each set.
        """
        relative, absolute = self.metric.distance_errors(prepared.members)
        return DistanceErrors(
            relative,
            np.maximum.reduceat(absolute, prepared.starts[:-1]) if len(prepared) else np.zeros(0),
        )

    def nanoseconds(self, prepared: MembersSample) -> float:
        """Estimate the time of one distance: that of all pairs of members."""
        return mean_size(prepared.starts) ** 2 * (3.0 + self.metric.nanoseconds(prepared.members))

    def _measure(self, left: MembersSample, right: MembersSample) -> Distances:
        if not len(left) or not len(right):
            return np.zeros((len(left), len(right)))
        between = self.metric._distances(left.members, right.members, infinite=True)
        rows, columns = left.starts[:-1], right.starts[:-1]
        to_right = np.minimum.reduceat(between, columns, axis=1)
        to_left = np.minimum.reduceat(between, rows, axis=0)
        if self.how == "hausdorff":
            return np.maximum(
                np.maximum.reduceat(to_right, rows, axis=0),
                np.maximum.reduceat(to_left, columns, axis=1),
            )
        one = np.add.reduceat(to_right, rows, axis=0) / np.diff(left.starts)[:, None]
        other = np.add.reduceat(to_left, columns, axis=1) / np.diff(right.starts)
        return np.asarray((one + other) / 2)


def _flat(objects: Objects) -> tuple[list[Any], Integers]:
    """The members of all sets, one set after another, and where each set begins; members of a set
    in the order of their looks.
    """
    if isinstance(objects, MembersSample):
        return objects.members, objects.starts
    members: list[Any] = []
    starts = [0]
    for position, given in enumerate(sample.one_by_one(sample.hold(objects))):
        if not isinstance(given, set | frozenset | list | tuple | np.ndarray):
            raise InvalidInput(
                f"{at('Object', position)} is no set of objects: {sample.shown(given)}.",
                advice="Pass a set, list or tuple of members for each object; a single one is "
                "[member].",
                witness=position,
                value=given,
            )
        own = sorted(given, key=repr) if isinstance(given, set | frozenset) else list(given)
        if not own:
            advice = "Leave it out: no distance to an empty set is defined."
            raise InvalidInput(
                f"Set {position} is empty.", advice=advice, witness=position, value=given
            )
        members += own
        starts.append(len(members))
    return members, np.array(starts, dtype=np.int64)
