"""The contract of a metric: whole blocks of distances, and promises about them."""

import copy
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from wideberth.errors import InvalidInput
from wideberth.objects import sample
from wideberth.objects.digests import Digests, given_digests

Distances = NDArray[np.float64]
BlockFunction = Callable[[Any, Any], Any]
Kind = Literal[
    "vectors",
    "strings",
    "series",
    "sets",
    "distributions",
    "molecules",
    "trees",
    "graphs",
    "points",
    "rows",
    "indices",
    "objects",
]


@dataclass(frozen=True, kw_only=True)
class Promises:
    """What a distance d is known to obey. True and False are proved or cited; None means that nobody has said.

    ``obeys_triangle``: d(x, z) <= d(x, y) + d(y, z), together with symmetry and d(x, x) = 0.
    ``hilbertian``: d embeds isometrically in a Hilbert space (-d^2 is conditionally positive definite; Schoenberg 1938).
    ``negative_type``: sqrt(d) does (-d is conditionally positive definite).
    ``bounded``: d stays below a constant whatever the objects.
    ``separates``: d(x, y) = 0 only for equal objects.
    ``step``: every distance is a whole multiple of it (1 for edits).
    """

    obeys_triangle: bool | None = None
    hilbertian: bool | None = None
    negative_type: bool | None = None
    bounded: bool | None = None
    separates: bool | None = None
    step: float | None = None


def promise_names() -> list[str]:
    """The names of all promises, in the order in which tables show them."""
    return [field.name for field in fields(Promises)]


class Metric:
    """A distance on objects of one kind, measured a block at a time.

    Make your own from a function of two blocks that returns the matrix of their distances, and promise only what you can prove:

    >>> gaps = Metric(lambda left, right: abs(left[:, None] - right[None, :]), name="gap", obeys_triangle=True)
    >>> gaps.block(np.array([1.0, 5.0]), np.array([2.0]))
    array([[1.],
           [3.]])
    >>> gaps.obeys_triangle, gaps.hilbertian
    (True, None)

    The metrics of this library are children: they keep their parameters as attributes of the same name, say what they need in
    ``prepare`` and measure in ``_measure``. ``docs/how-to-add-a-metric.md`` walks through one.

    Parameters
    ----------
    function : callable
        ``function(left, right)`` takes two samples as ``wideberth.objects.sample.hold`` keeps them and returns their
        distances, an array of shape (len(left), len(right)).
    name : str, optional
        What messages call it; the function's own name by default.
    accepts : {"vectors", "strings", "series", "sets", "distributions", "molecules", "trees", "graphs", "points", "rows", ...}
        The kind of object it measures. Vector metrics get the full validation of scikit-learn's estimators.
    obeys_triangle, hilbertian, negative_type, bounded, separates, step
        Its promises, see `Promises`.
    unit : str, optional
        What a distance of 1 is called, in the singular, such as "edit"; summaries add an s. Leave it out where that
        has no name.

    Examples
    --------
    >>> import wideberth
    >>> wideberth.metric("levenshtein").unit, wideberth.metric("euclidean").unit
    ('edit', None)
    >>> wideberth.transforms.scale("levenshtein", 0.5).unit is None  # half an edit has no name
    True
    """

    accepts: Kind = "objects"
    #: What a distance of 1 is called, in the singular; None if that has no name. It is declared, never inferred from the name.
    unit: str | None = None
    #: How a caller may run several blocks at once: in threads (the block releases the GIL), in processes, or not at all.
    parallel: Literal["threads", "processes"] | None = None

    #: What pages show and tests take of a metric of the table: eight objects, the first four of one class; in a few words, why or
    #: from whom the promises are; and, by each promise that is False, objects on which it is seen to be broken.
    examples: ClassVar[Sequence[Any]] = ()
    source: ClassVar[str] = ""
    counterexamples: ClassVar[Mapping[str, Sequence[Any]]] = {}

    # a child that declares nothing promises nothing and is called by its class
    _name: str | None = None
    #: What `taught_by` returns; children that learn in `fitted` set it.
    _taught_by: Digests | None = None
    _promises = Promises()

    def __init__(
        self,
        function: BlockFunction,
        *,
        name: str | None = None,
        accepts: Kind = "objects",
        obeys_triangle: bool | None = None,
        hilbertian: bool | None = None,
        negative_type: bool | None = None,
        bounded: bool | None = None,
        separates: bool | None = None,
        step: float | None = None,
        unit: str | None = None,
    ) -> None:
        if not callable(function):
            raise InvalidInput(
                f"Metric needs a function of two blocks, not {function!r}.",
                advice="For a metric by name, or for a function of two objects, call wideberth.metric.",
                value=function,
            )
        self.function = function
        self.accepts = accepts
        self.unit = unit
        self._name = name
        self._promises = Promises(
            obeys_triangle=obeys_triangle,
            hilbertian=hilbertian,
            negative_type=negative_type,
            bounded=bounded,
            separates=separates,
            step=step,
        )

    @property
    def name(self) -> str:
        """What messages call it."""
        measuring = getattr(self, "function", type(self))
        return self._name or str(getattr(measuring, "__name__", type(measuring).__name__))

    @property
    def promises(self) -> Promises:
        """What it is known to obey; it may depend on the parameters."""
        return self._promises

    @property
    def obeys_triangle(self) -> bool | None:
        """See `Promises`."""
        return self.promises.obeys_triangle

    @property
    def hilbertian(self) -> bool | None:
        """See `Promises`."""
        return self.promises.hilbertian

    @property
    def negative_type(self) -> bool | None:
        """See `Promises`."""
        return self.promises.negative_type

    @property
    def bounded(self) -> bool | None:
        """See `Promises`."""
        return self.promises.bounded

    @property
    def separates(self) -> bool | None:
        """See `Promises`."""
        return self.promises.separates

    @property
    def step(self) -> float | None:
        """See `Promises`."""
        return self.promises.step

    def fitted(self, objects: Any) -> "Metric":
        """The metric with what it takes from a sample, where it was not told: the ranges of Gower's columns, a covariance.

        Most metrics take nothing and return themselves. Whoever brings objects and a metric together asks this once
        (`wideberth.metrics.named.bind`), so that distances never depend on which objects happen to be in a block.
        """
        return self

    def prepare(self, objects: Any) -> Any:
        """Check the objects and bring them into the form the block works on, once for many blocks.

        The result can be counted, picked from and prepared again (which costs next to nothing).
        """
        return sample.hold(objects)

    def digests(self, X: Any, prepared: Any) -> Digests | None:
        """By what its objects are recognised again: 64 bits for each, the same however an object is given.

        A child whose objects have several forms that are equal to it (lists that stand for sets, numbers that stand for the
        objects of a space) says here what they have in common. Model files remember digests, so they never change.

        Parameters
        ----------
        X : the objects, as they were given
        prepared : what `prepare` made of them

        Returns
        -------
        array of uint64, or None where objects of their kind cannot be recognised

        Examples
        --------
        >>> import wideberth
        >>> sets = wideberth.metric("jaccard")
        >>> one, other = [{"tea", "milk"}], [["milk", "tea", "tea"]]
        >>> sets.digests(one, sets.prepare(one)) == sets.digests(other, sets.prepare(other))
        array([ True])
        """
        return given_digests(X, rows=self.accepts == "rows")

    def alike_digests(self, prepared: Any) -> Digests | None:
        """Digests that prepared objects at distance 0 share, up to rounding and in whatever form they are (`objects.alike`).

        None where distance 0 means the same values, by which `digests` recognises them, or where only measuring tells.
        """
        return None

    @property
    def taught_by(self) -> Digests | None:
        """The digests of the objects that `fitted` took parameters from; None if from none, empty if they are not known."""
        return self._taught_by

    def nanoseconds(self, prepared: Any) -> float:
        """About how long one distance between objects like these takes, in a large block on one core.

        It is declared, not measured, so that two runs decide alike: `wideberth.Index` weighs the distances that an engine saves
        against the work of saving them. No answer depends on it. Where nothing is known of a function, a microsecond is assumed,
        and ten if it is called for each pair.
        """
        return 10_000.0 if self.parallel == "processes" else 1_000.0

    def block(self, left: Any, right: Any) -> Distances:
        """The distances between all objects of ``left`` and all of ``right``: float64, shape (len(left), len(right))."""
        return self._measure(self.prepare(left), self.prepare(right))

    def _measure(self, left: Any, right: Any) -> Distances:
        distances = np.asarray(self.function(left, right), dtype=np.float64)
        expected = (sample.count(left), sample.count(right))
        if distances.shape != expected:
            raise InvalidInput(
                f"{self.name!r} returned shape {distances.shape} for blocks of {expected[0]} and {expected[1]} objects.",
                advice=f"A function of two blocks returns shape {expected}; one of two objects goes to wideberth.metric.",
                value=distances.shape,
            )
        return distances

    def __call__(self, one: Any, other: Any) -> float:
        """The distance between two objects."""
        return float(self.block([one], [other])[0, 0])

    @classmethod
    def parameters(cls) -> list[str]:
        """The names of the parameters that the constructor takes."""
        return [name for name in inspect.signature(cls.__init__).parameters if name != "self"]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name, as scikit-learn's estimators give them.

        Those of a metric inside come as ``name__parameter``; of several, in a list or a dict, as ``name__0__parameter`` or
        ``name__key__parameter``.
        """
        params = {name: getattr(self, name) for name in self.parameters()}
        if deep:
            for name, value in list(params.items()):
                for path, inner in _metrics_in(name, value).items():
                    params |= {path: inner} | {f"{path}__{each}": setting for each, setting in inner.get_params().items()}
        return params

    def set_params(self, **params: Any) -> Self:
        """Change parameters, checked as at construction. A metric inside gives way to a changed copy: others may hold it too.

        >>> import wideberth
        >>> wideberth.metric("minkowski", p=3).set_params(p=1)
        Minkowski(p=1)
        """
        own = self.get_params(deep=False)
        for name in sorted(params, key=lambda name: name.count("__")):  # a new metric first, then what changes in it
            outer, _, inner = name.partition("__")
            if outer not in own:
                raise InvalidInput(
                    f"{self.name!r} has no parameter {outer!r}.",
                    advice=f"It has {sorted(own)}." if own else "It has none.",
                    value=outer,
                )
            own[outer] = _with(own[outer], inner, params[name], outer) if inner else params[name]
        type(self).__init__(self, **own)
        self.__dict__.pop("_taught_by", None)
        return self

    def __sklearn_clone__(self) -> Self:
        return copy.copy(self)  # with what it was taught by

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in self._changed_params().items())
        return f"{type(self).__name__}({shown})"

    def _changed_params(self) -> dict[str, Any]:
        defaults = inspect.signature(type(self).__init__).parameters
        return {name: value for name, value in self.get_params(deep=False).items() if repr(value) != repr(defaults[name].default)}


def _metrics_in(name: str, value: Any) -> dict[str, Metric]:
    """The metrics that a parameter holds, by the names under which `set_params` reaches them."""
    if isinstance(value, Metric):
        return {name: value}
    return {f"{name}__{key}": each for key, each in _items(value) if isinstance(each, Metric)}


def _items(value: Any) -> list[tuple[Any, Any]]:
    """What a list, a tuple or a dict holds, with its place."""
    if isinstance(value, Mapping):
        return list(value.items())
    return list(enumerate(value)) if isinstance(value, list | tuple) else []


def _with(held: Any, path: str, value: Any, name: str) -> Any:
    """A copy of a metric, or of a list or a dict of metrics, with one thing changed: the parameter or the place at ``path``."""
    if isinstance(held, Metric):
        return copy.copy(held).set_params(**{path: value})
    items = _items(held)
    for place, (key, each) in enumerate(items):
        if path == str(key) or path.startswith(f"{key}__"):
            items[place] = key, value if path == str(key) else _with(each, path.removeprefix(f"{key}__"), value, f"{name}__{key}")
            return dict(items) if isinstance(held, Mapping) else type(held)(each for _, each in items)
    raise InvalidInput(
        f"The parameter {name!r} has no {path.partition('__')[0]!r} in it.",
        advice=f"It holds {[str(key) for key, _ in items]}." if items else f"It is {held!r}.",
        value=path,
    )
