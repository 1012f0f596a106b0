"""The base class of all metrics: it measures whole blocks of distances and declares promises about
them.
"""

import copy
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal, Protocol, Self

import numpy as np
import scipy
from numpy.typing import NDArray

from wideberth.array_types import Floats, Objects, Sample
from wideberth.errors import BrokenAxiom, InvalidInput
from wideberth.metrics.parameters import positive
from wideberth.objects import sample
from wideberth.objects.digests import Digests, given_digests
from wideberth.objects.disguises import ObjectDigests
from wideberth.rounding import DistanceErrors
from wideberth.wording import python, setting

# ---- The kinds of objects that metrics measure, and what a distance is known to obey: its promises

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
    """Properties that a distance d is known to have: True and False are proved or cited, None means
    unknown.

    Attributes
    ----------
    obeys_triangle : bool or None
        d(x, z) <= d(x, y) + d(y, z), together with symmetry and d(x, x) = 0.
    hilbertian : bool or None
        d embeds isometrically in a Hilbert space (-d^2 is conditionally positive definite;
        Schoenberg 1938).
    negative_type : bool or None
        sqrt(d) does (-d is conditionally positive definite).
    bounded : bool or None
        d stays below a constant, whatever the objects.
    separates : bool or None
        d(x, y) = 0 only for equal objects.
    step : float or None
        Every distance is a whole multiple of it (1 for edits).

    Examples
    --------
    >>> Promises(obeys_triangle=True).hilbertian is None
    True
    """

    obeys_triangle: bool | None = None
    hilbertian: bool | None = None
    negative_type: bool | None = None
    bounded: bool | None = None
    separates: bool | None = None
    step: float | None = None


def promise_names() -> list[str]:
    """Return the names of all promises, in the order in which tables show them.

    >>> promise_names()[:2]
    ['obeys_triangle', 'hilbertian']
    """
    return [field.name for field in fields(Promises)]


#: The unit of Levenshtein's distance: one character put in, taken out or replaced (one token, in
#: sequences of tokens).
EDIT = "edit"
#: What a metric is dominated by of which nobody has said anything.
BY_NONE: Mapping[str, float] = {}


def checked_domination(given: Any) -> Mapping[str, float]:
    """Return the constants of `wideberth.Metric.dominated` that a user declares, unchanged.

    Examples
    --------
    >>> checked_domination({"levenshtein": 2})
    {'levenshtein': 2}
    """
    if not isinstance(given, Mapping) or not all(isinstance(name, str) for name in given):
        raise InvalidInput(
            f"{setting('dominated', given)} does not give the constants of metrics by their names.",
            advice=f"{setting('dominated', {'levenshtein': 3})} says that no distance is more than "
            "three times Levenshtein's.",
            value=given,
        )
    advice = "It is a constant K such that no distance is more than K times that metric's."
    for name, constant in given.items():
        positive(constant, f"dominated[{name!r}]", advice, parameter="dominated")
    return given


def checked_unit(unit: Any, dominated: Mapping[str, float]) -> str | None:
    """Return the name that a user gives to a distance of 1, unless it is called an edit and one
    edit may exceed it.

    >>> checked_unit("mile", {}), checked_unit("edit", {"levenshtein": 1})
    ('mile', 'edit')
    """
    if unit is not None and not isinstance(unit, str):
        raise InvalidInput(
            f"{setting('unit', unit)} is not a name.",
            advice="Pass a word in the singular, such as 'mile'.",
            value=unit,
        )
    if unit == EDIT and not dominated.get("levenshtein", 2.0) <= 1.0:
        raise InvalidInput(
            f"{setting('unit', 'edit')} with {setting('dominated', dict(dominated))}: an edit is "
            "one character put in, taken out or replaced.",
            advice="If none of these moves an object by more than 1, declare "
            f"{setting('dominated', {'levenshtein': 1})}; otherwise choose another word for the "
            "unit.",
            value=dict(dominated),
        )
    return unit


# ---- What a metric offers to searches that filter: small signatures of objects that bound
# distances from below


class Sketch(Protocol):
    """How a metric signs objects, learned from a sample; two signatures bound the distance of their
    objects from below.

    A bound never exceeds the distance as ``metric.block`` computes it, rounding included, and it
    takes far less time. Which objects the sketch was learned from decides how tight its bounds are,
    never whether they hold.
    """

    def signatures(self, prepared: Sample) -> Sample:
        """Sign objects, given as ``metric.prepare`` returns them: a sample; None if there is one
        that cannot be signed.
        """

    def lower_bounds(self, left: Sample, right: Sample) -> Floats:
        """Bound all distances between two samples of signatures from below, an array of shape
        (len(left), len(right)).
        """


# ---- The base class

Distances = NDArray[np.float64]
BlockFunction = Callable[[Any, Any], Any]


class Metric:
    """A distance on objects of one kind, measured a block at a time.

    Make your own from a function of two blocks that returns the matrix of their distances, and
    promise only what you can prove. The metrics of this library are subclasses: they keep their
    parameters as attributes of the same name, check objects in ``prepare`` and measure in
    ``_measure``. ``docs/how-to-add-a-metric.md`` walks through one.

    Parameters
    ----------
    function : callable
        ``function(left, right)`` takes two samples as ``wideberth.objects.sample.hold`` keeps them
        and returns their distances, an array of shape (len(left), len(right)).
    name : str, optional
        The name in messages; by default that of the function.
    accepts : {"vectors", "strings", "series", "sets", "distributions", "molecules", "trees", "graphs", "points", "rows", ...}
        The kind of object it measures. Vector metrics get the full validation of scikit-learn's
        estimators.
    obeys_triangle, hilbertian, negative_type, bounded, separates, step
        Its promises, see `Promises`.
    symmetric : bool, optional
        Whether d(x, y) = d(y, x) and d(x, x) = 0 even if nothing else is promised: then ``fit``
        measures a pair in one direction. ``obeys_triangle`` promises it too.
    unit : str, optional
        The name of a distance of 1, in the singular, such as "mile"; summaries add an s. Leave it
        out if it has no name. An "edit" is Levenshtein's: one character put in, taken out or
        replaced.
    dominated : mapping of str to float, optional
        By which other metrics it is bounded, with which constants; see `dominated`.

    Examples
    --------
    >>> gaps = Metric(
    ...     lambda left, right: abs(left[:, None] - right[None, :]), name="gap", obeys_triangle=True
    ... )
    >>> gaps.block(np.array([1.0, 5.0]), np.array([2.0]))
    array([[1.],
           [3.]])
    >>> gaps.obeys_triangle, gaps.hilbertian
    (True, None)
    >>> import wideberth
    >>> wideberth.metric("levenshtein").unit, wideberth.metric("euclidean").unit
    ('edit', None)
    >>> wideberth.transforms.scale("levenshtein", 0.5).unit is None  # half an edit has no name
    True
    """

    accepts: Kind = "objects"
    #: The name of a distance of 1, in the singular, or None. It is declared, never inferred from
    #: the name of the metric.
    unit: str | None = None
    #: Why few other metrics are bounded by it, in a sentence for an error.
    if_not_bounding: ClassVar[str] = ""
    #: Whether d(x, y) = d(y, x) and d(x, x) = 0, where this is declared without the triangle
    #: inequality, which promises it too (`is_symmetric`).
    symmetric: bool | None = None
    #: Whether it measures objects with missing values, and keeps its promises. A metric that has to
    #: learn what they mean learns it in `fitted`.
    takes_missing: bool = False
    #: Whether a metric that takes missing values knows what they mean, or needs a sample to learn it.
    knows_missing: bool = True
    #: How a caller may run several blocks at once: in threads (the block releases the GIL), in
    #: processes, or not at all.
    parallel: Literal["threads", "processes"] | None = None

    #: For the documentation and the tests of a metric in the table: eight objects, the first four
    #: of one class; the source of the promises, in a few words; and, for each promise that is
    #: False, objects that break it.
    examples: ClassVar[Sequence[Any]] = ()
    source: ClassVar[str] = ""
    counterexamples: ClassVar[Mapping[str, Sequence[Any]]] = {}
    #: The time of one distance, in nanoseconds, if it hardly depends on the objects (`nanoseconds`).
    usual_nanoseconds: float | None = None
    #: The absolute error of all distances (`distance_errors`): below it they may have no digits
    #: left, because squares underflow.
    underflow: float = 1e-150

    _name: str | None = (
        None  # a subclass that declares nothing promises nothing and is named after its class
    )
    #: What `taught_by` returns; children that learn in `fitted` set it.
    _taught_by: Digests | None = None
    _promises = Promises()
    _dominated: Mapping[str, float] = BY_NONE
    #: Whether distances come from code or numbers of the user, also inside a metric made of others:
    #: then blocks are checked.
    _from_user: bool = True
    #: Whether finite distances of this library may become infinite, as multiples of them can: then
    #: blocks are checked too.
    _may_overflow: bool = False

    def __init_subclass__(cls, **settings: Any) -> None:
        """Note whether a subclass belongs to this library; one that does not proves for itself what
        bounds it.

        A subclass of the library that measures with what the user passes says so itself. What a
        parent says of bounds and units holds for the distances of the parent: a subclass that
        measures otherwise has those that it declares.
        """
        super().__init_subclass__(**settings)
        if "_from_user" not in vars(cls):
            cls._from_user = cls.__module__.partition(".")[0] != __name__.partition(".")[0]
        parents = [
            each for each in cls.__mro__[1:] if issubclass(each, Metric) and each is not Metric
        ]
        ours = any(not parent._from_user for parent in parents)
        if (
            cls._from_user
            and ours
            and {"_measure", "_distances", "block", "prepare"} & vars(cls).keys()
        ):
            unknown = ("moves_alone", Metric.moves_alone), ("as_objects", Metric.as_objects)
            for name, nothing in (("dominated", BY_NONE), ("unit", None), *unknown):
                if name not in vars(cls):
                    setattr(cls, name, nothing)
        if cls._from_user and "unit" in vars(cls):
            declared: Any = cls.dominated  # a property, which needs an instance, says nothing here
            checked_unit(cls.unit, declared if isinstance(declared, Mapping) else BY_NONE)

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
        symmetric: bool | None = None,
        unit: str | None = None,
        dominated: Mapping[str, float] = BY_NONE,
    ) -> None:
        if not callable(function):
            raise InvalidInput(
                f"Metric needs a function of two blocks, not {function!r}.",
                advice="For a metric by name, or for a function of two objects, call "
                f"{python('wideberth.metric')}.",
                value=function,
            )
        self.function = function
        self.accepts = accepts
        self._dominated = checked_domination(dominated)
        self.unit = checked_unit(unit, self._dominated)
        self._name = name
        if symmetric is not None:  # a child may have set it
            self.symmetric = symmetric
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
        """The name in messages."""
        measuring = getattr(self, "function", type(self))
        return self._name or str(getattr(measuring, "__name__", type(measuring).__name__))

    @property
    def unit_means(self) -> str:
        """What a distance of 1 is, in a sentence, where its name does not say it; else nothing."""
        return ""

    @property
    def promises(self) -> Promises:
        """The properties that it is known to have, which may depend on the parameters."""
        return self._promises

    @property
    def obeys_triangle(self) -> bool | None:
        """Whether it is symmetric, 0 between equal objects, and obeys the triangle inequality; see
        `Promises`.
        """
        return self.promises.obeys_triangle

    @property
    def is_symmetric(self) -> bool:
        """Whether d(x, y) = d(y, x) and d(x, x) = 0 is promised, alone or with the triangle
        inequality, so that a pair need be measured in one direction alone.
        """
        return self.obeys_triangle is True or self.symmetric is True

    @property
    def hilbertian(self) -> bool | None:
        """Whether it embeds isometrically in a Hilbert space; see `Promises`."""
        return self.promises.hilbertian

    @property
    def negative_type(self) -> bool | None:
        """Whether its square root embeds isometrically in a Hilbert space; see `Promises`."""
        return self.promises.negative_type

    @property
    def bounded(self) -> bool | None:
        """Whether all distances stay below a constant; see `Promises`."""
        return self.promises.bounded

    @property
    def separates(self) -> bool | None:
        """Whether only equal objects are at distance 0; see `Promises`."""
        return self.promises.separates

    @property
    def step(self) -> float | None:
        """The number of which all distances are whole multiples, if there is one; see
        `Promises`.
        """
        return self.promises.step

    @property
    def full_name(self) -> str | None:
        """The name with all parameters that are not the defaults, which no other metric has; see
        `dominated`.

        None where there is no such text: if code or numbers of the user measure, or a parameter is
        an array, a list or a dict, which may change later.

        >>> import wideberth
        >>> (
        ...     wideberth.metric("minkowski", p=3).full_name,
        ...     wideberth.metric("minkowski", p=2).full_name,
        ... )
        ('minkowski(p=3)', 'minkowski')
        """
        # transforms are named by what they are made of
        if not self.built_in or hasattr(type(self), "call"):
            return None
        defaults = inspect.signature(type(self).__init__).parameters
        settings = []
        for name, value in self.get_params(deep=False).items():
            if name == "dominated":  # it changes no distance
                continue
            text = exact_text(value)
            if text is None:
                return None
            if text != exact_text(defaults[name].default):
                settings.append(f"{name}={text}")
        return f"{self.name}({', '.join(settings)})" if settings else self.name

    @property
    def dominated(self) -> Mapping[str, float]:
        """By which other metrics it is bounded, with which constants: ``{"indel": 2.0}`` says d <=
        2 indel for all objects.

        A key is the `full_name` of a metric: ``"minkowski"`` is the one with its default parameters
        and no other, ``"minkowski(p=3)"`` one with others, which a metric that is made of it may be
        bounded by.
        """
        return self._dominated

    def radii_in(self, other: str, radii: Floats, prepared: Sample) -> Floats | None:
        """How far objects may move in another metric so that they move by less than ``radii`` in
        this one; None if not known.

        By the constant in `dominated`, unless a subclass knows more about each of the prepared
        objects.
        """
        constant = self._constant_of(other)
        return None if constant is None else radii / constant

    def moves_alone(self, column: Any, radii: Floats) -> Floats | None:
        """How far the value of one column may move, all others unchanged, so that objects move by
        less than ``radii``; in the unit of the column, days for dates, steps for ordered
        categories.

        Every move by strictly less keeps the object within the radius. Infinite where any value
        may take its place, a missing one too; 0 where none is known to; None if not known. A value
        that gets lost or is found is no other move. Columns have names, or positions in vectors and
        unnamed rows.
        """
        return None

    def as_objects(self, prepared: Sample) -> Sample | None:
        """Prepared objects as people know them, one by one: rows of tables as dicts again. None
        where only counts of them are left.

        Values may have other types than those that were given: dates are days, truth values 0 and
        1.
        """
        return prepared if sample.has_objects(prepared) else None

    def distances_after(
        self, other: str, moved: Floats, objects: Sample, references: Sample, distances: Distances
    ) -> tuple[Distances, Distances] | None:
        """The least and the greatest distances to references after objects have moved in another
        metric; None if not known.

        By the triangle inequality and the constant K in `dominated` they are the distances plus or
        minus K times what each object ``moved``, of shape (n, 1). A subclass that knows more about
        a pair, such as its lengths, overrides this; errors of ``distances``, of shape (n, m), may
        become up to four times as large.
        """
        constant = self._constant_of(other)
        if constant is None:
            return None
        return (distances - constant * moved, distances + constant * moved)

    def _constant_of(self, other: str) -> float | None:
        """The constant of `dominated`, 1 for the metric itself."""
        constant = self.dominated.get(other)
        return 1.0 if constant is None and other == self.full_name else constant

    @property
    def built_in(self) -> bool:
        """Whether this library measures the distances and proves the promises: with no function or
        matrix of the user inside.
        """
        return not self._from_user

    def fitted(self, objects: Objects) -> "Metric":
        """Return the metric with the settings that it learns from a sample: the ranges of Gower's
        columns, a covariance.

        Most metrics learn nothing and return themselves. `wideberth.metrics.named.bind` calls it
        once for a sample, so that distances never depend on which objects happen to be in a block.
        """
        return self

    @property
    def uses_labels(self) -> bool:
        """Whether labels have taught it, or will where there are some (`taught`), as they teach
        'forest'. Copies that leave objects out then teach it anew without these (`taught_anew`).
        """
        return False

    def taught(self, objects: Objects, labels: Any, weights: Any = None) -> "Metric":
        """Return the metric with the settings that it learns from labelled objects, of which those
        of weight 0 have no part in it; for a metric that takes nothing from labels that is
        `fitted`.

        >>> import wideberth
        >>> wideberth.metric("forest").taught([[0.0], [1.0]] * 9, ["low", "high"] * 9).uses_labels
        True
        """
        return self.fitted(objects)

    def taught_anew(self, prepared: Sample, labels: Any, weights: Any) -> "Metric":
        """Return the metric as if these objects alone, which it has prepared, had taught it their
        labels; what it took from the objects without labels stays.
        """
        return self

    def prepare(self, objects: Objects) -> Sample:
        """Check the objects and convert them into the form that blocks work on, once for many
        blocks.

        The result is a sample (`wideberth.objects.sample`); preparing it again returns it at almost
        no cost.
        """
        return sample.hold(objects)

    def digests(self, X: Objects, prepared: Sample) -> Digests | None:
        """Compute 64 bits for each object by which it is recognised later, whatever the form in
        which it is given.

        A subclass that accepts several forms of the same object (lists that stand for sets, numbers
        that stand for the objects of a space) overrides this. Model files store digests, so they
        never change.

        X are the objects as they were passed; None means that objects of their kind cannot be
        recognised.

        Examples
        --------
        >>> import wideberth
        >>> sets = wideberth.metric("jaccard")
        >>> one, other = [{"tea", "milk"}], [["milk", "tea", "tea"]]
        >>> sets.digests(one, sets.prepare(one)) == sets.digests(other, sets.prepare(other))
        array([ True])
        """
        return given_digests(X, rows=self.accepts == "rows")

    def alike_digests(self, prepared: Sample) -> Digests | None:
        """Digests that prepared objects at distance 0 share, up to rounding and in whatever form
        they are (`objects.alike`).

        None where distance 0 means the same values, by which `digests` recognises them, or where
        only measuring tells.
        """
        return None

    def contents(self, X: Objects, prepared: Sample) -> Sample:
        """The objects themselves, held, by which they are recognised in disguise; None if they are
        not at hand.

        A metric whose X only stands for the objects, as row numbers do, overrides this together
        with `digests`.
        """
        return X if scipy.sparse.issparse(X) else sample.hold(X, rows=self.accepts == "rows")

    def all_digests(self, X: Objects, prepared: Sample) -> ObjectDigests | None:
        """Compute all digests by which objects are recognised, in disguise too; None if `digests`
        has none for them.
        """
        exact = self.digests(X, prepared)
        if exact is None:
            return None
        return ObjectDigests.of(
            exact, self.alike_digests(prepared), self.contents(X, prepared), self.accepts
        )

    @property
    def taught_by(self) -> Digests | None:
        """The digests of the objects that `fitted` took parameters from; None if from none, empty
        if they are not known.
        """
        return self._taught_by

    def distance_errors(self, prepared: Sample) -> DistanceErrors:
        """Bound how far computed distances from these objects may be from the exact ones; certified
        radii are shortened by it.

        The default is 1e-11 of the distance, and `underflow`. Metrics that take differences of
        larger numbers override it.
        """
        return DistanceErrors.of(sample.count(prepared), self.underflow)

    def nanoseconds(self, prepared: Sample) -> float:
        """Estimate the time of one distance between objects like these, in nanoseconds, in a large
        block on one core.

        It is declared, not measured, so that two runs decide alike: `wideberth.Index` compares the
        distances that a search method saves with its own cost. No result depends on it. The default
        is a microsecond, or ten for a function of pairs.
        """
        if self.usual_nanoseconds is not None:
            return self.usual_nanoseconds
        return 10_000.0 if self.parallel == "processes" else 1_000.0

    def sketch(self, prepared: Sample) -> Sketch | None:
        """Learn from prepared objects how to sign them so that signatures bound distances from
        below; None if it cannot.
        """
        return None

    def block(self, left: Objects, right: Objects) -> Distances:
        """Compute all distances between two samples, an ndarray of float64 of shape (len(left),
        len(right)).

        Raises
        ------
        BrokenAxiom
            If the metric is not of this library and a distance is negative, infinite or NaN; the
            two objects are the witness.
        """
        return self._distances(self.prepare(left), self.prepare(right))

    def _distances(self, left: Sample, right: Sample, *, infinite: bool = False) -> Distances:
        """Measure prepared samples by `_measure`, and refuse what cannot be a distance unless this
        library excludes it.

        A metric that is made of others passes ``infinite=True`` to them: it may have a finite value
        where theirs is infinite.
        """
        if not (self._from_user or self._may_overflow):
            return self._measure(left, right)
        distances = np.asarray(self._measure(left, right), dtype=np.float64)
        refuse_impossible(distances, left, right, self.name, infinite=infinite)
        return distances

    def _measure(self, left: Sample, right: Sample) -> Distances:
        distances = np.asarray(self.function(left, right), dtype=np.float64)
        refuse_other_shape(distances, (sample.count(left), sample.count(right)), self.name)
        return distances

    def __call__(self, one: Any, other: Any) -> float:
        """Compute the distance between two objects."""
        return float(self.block([one], [other])[0, 0])

    @classmethod
    def parameters(cls) -> list[str]:
        """Return the names of the parameters of the constructor."""
        return [name for name in inspect.signature(cls.__init__).parameters if name != "self"]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name, as scikit-learn's estimators do.

        With ``deep``, those of an inner metric are included as ``name__parameter``; of several, in
        a list or a dict, as ``name__0__parameter`` or ``name__key__parameter``.
        """
        params = {name: getattr(self, name) for name in self.parameters()}
        if deep:
            for name, value in list(params.items()):
                for path, inner in metrics_in(name, value).items():
                    params |= {path: inner} | {
                        f"{path}__{key}": setting for key, setting in inner.get_params().items()
                    }
        return params

    def set_params(self, **params: Any) -> Self:
        """Change parameters, checked as by the constructor; an inner metric is replaced by a
        changed copy, as others may hold it.

        >>> import wideberth
        >>> wideberth.metric("minkowski", p=3).set_params(p=1)
        Minkowski(p=1)
        """
        own = self.get_params(deep=False)
        # a new metric first, then what changes in it
        for name in sorted(params, key=lambda name: name.count("__")):
            outer, _, inner = name.partition("__")
            if outer not in own:
                raise InvalidInput(
                    f"{self.name!r} has no parameter {outer!r}.",
                    advice=f"It has {sorted(own)}." if own else "It has none.",
                    value=outer,
                )
            own[outer] = (
                with_parameter(own[outer], inner, params[name], outer) if inner else params[name]
            )
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
        return {
            name: value
            for name, value in self.get_params(deep=False).items()
            if repr(value) != repr(defaults[name].default)
        }


def exact_text(value: Any) -> str | None:
    """Write a parameter so that no other value has the same text; None for what can change, or
    cannot be written.

    >>> exact_text(2.0), exact_text((1, 0.1)), exact_text("a"), exact_text([1, 2])
    ('2', '(1, 0.1)', "'a'", None)
    """
    plain = value.item() if isinstance(value, np.generic) else value
    if plain is None or type(plain) in (bool, int, str):
        return repr(plain)
    if type(plain) is float:
        return (
            None
            if np.isnan(plain)
            else repr(int(plain))
            if plain.is_integer() and abs(plain) < 2**53
            else repr(plain)
        )
    if type(plain) is tuple:
        texts = [text for item in plain if (text := exact_text(item)) is not None]
        return f"({', '.join(texts)})" if len(texts) == len(plain) else None
    return None


# ---- Metrics inside the parameters of a metric: found by their names, and changed in a copy


def metrics_in(name: str, value: Any) -> dict[str, Any]:
    """Return the metrics that a parameter holds, by the names under which `set_params` reaches
    them.

    Examples
    --------
    >>> from wideberth.metrics.vectors.minkowski import Euclidean
    >>> metrics_in("parts", {"size": Euclidean(), "name": 3})
    {'parts__size': Euclidean()}
    """
    if _is_metric(value):
        return {name: value}
    return {f"{name}__{key}": item for key, item in _items(value) if _is_metric(item)}


def with_parameter(held: Any, path: str, value: Any, name: str) -> Any:
    """Copy a metric, or a list or dict of metrics, with one parameter or item changed. ``path`` has
    ``__`` between the levels; ``name`` is that of what is held, for errors.

    Examples
    --------
    >>> from wideberth.metrics.vectors.minkowski import Minkowski
    >>> with_parameter([Minkowski(p=3)], "0__p", 1, "metrics")
    [Minkowski(p=1)]
    """
    if _is_metric(held):
        return copy.copy(held).set_params(**{path: value})
    items = _items(held)
    for position, (key, item) in enumerate(items):
        if path == str(key) or path.startswith(f"{key}__"):
            rest = path.removeprefix(f"{key}__")
            items[position] = (
                key,
                value if path == str(key) else with_parameter(item, rest, value, f"{name}__{key}"),
            )
            return (
                dict(items) if isinstance(held, Mapping) else type(held)(item for _, item in items)
            )
    raise InvalidInput(
        f"The parameter {name!r} has no {path.partition('__')[0]!r} in it.",
        advice=f"It holds {[str(key) for key, _ in items]}." if items else f"It is {held!r}.",
        value=path,
    )


def _is_metric(value: Any) -> bool:
    """Whether a value has parameters of its own, as metrics have."""
    return hasattr(value, "get_params") and hasattr(value, "set_params")


def _items(value: Any) -> list[tuple[Any, Any]]:
    """Return the items of a list, a tuple or a dict, each with its position or key; nothing for
    other values.
    """
    if isinstance(value, Mapping):
        return list(value.items())
    return list(enumerate(value)) if isinstance(value, list | tuple) else []


# ---- What the user's code must not return: a block of another shape, or NaN, infinite or negative
# numbers in it

#: The bits of infinity. As whole numbers, the bits of all finite doubles from +0 on are smaller,
#: those of infinity, of NaN and of all negative doubles are not (IEEE 754).
_INFINITY = np.uint64(0x7FF0_0000_0000_0000)


def refuse_impossible(
    distances: Distances, left: Sample, right: Sample, name: str, *, infinite: bool = False
) -> None:
    """Raise an error if a block holds a number that cannot be a distance. It is read once, which
    costs 0.2 ns a distance.

    The first NaN, infinite or negative number is shown, and its two objects are the witness.

    Examples
    --------
    >>> refuse_impossible(np.array([[0.0, 2.5]]), ["tea"], ["tea", "rum"], "my_distance")
    >>> refuse_impossible(np.array([[0.0, np.nan]]), ["tea"], ["tea", "rum"], "my_distance")
    Traceback (most recent call last):
    ...
    wideberth.errors.BrokenAxiom: 'my_distance' is nan between 'tea' and 'rum'. A distance is a finite number, 0 or more: ...
    """
    if not distances.size or distances.view(np.uint64).max() < _INFINITY:
        return
    impossible = ~((distances >= 0) & (infinite | (distances < np.inf)))  # -0.0 is possible
    if impossible.any():
        i, j = map(int, np.unravel_index(impossible.argmax(), impossible.shape))
        raise _error(float(distances[i, j]), _object(left, i), _object(right, j), name)


def refuse_other_shape(distances: Distances, expected: tuple[int, int], name: str) -> None:
    """Raise an error unless a block has the expected shape.

    Examples
    --------
    >>> refuse_other_shape(np.zeros((2, 3)), (2, 3), "my_distance")
    """
    if distances.shape != expected:
        raise InvalidInput(
            f"{name!r} returned shape {distances.shape} for blocks of {expected[0]} and "
            f"{expected[1]} objects.",
            advice=f"A function of two blocks returns shape {expected}; one of two objects goes to "
            f"{python('wideberth.metric')}.",
            value=distances.shape,
        )


def _error(distance: float, one: Any, other: Any, name: str) -> BrokenAxiom:
    numbered = "objects " if isinstance(one, int) and isinstance(other, int) else ""
    return BrokenAxiom(
        f"{name!r} is {distance:.6g} between {numbered}{sample.shown(one)} and "
        f"{sample.shown(other)}.",
        advice="A distance is a finite number, 0 or more: check these objects for missing values, "
        "or the function.",
        axiom="nonnegative" if distance < 0 and np.isfinite(distance) else "finite",
        witness=(one, other),
        value=distance,
    )


def _object(prepared: Sample, index: int) -> Any:
    """Return the object as it was prepared."""
    found = sample.pick_one(prepared, index)
    return found.item() if isinstance(found, np.generic) else found
