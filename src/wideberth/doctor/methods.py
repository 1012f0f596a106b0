"""Which methods are valid on a distance, decided by the promises that each method needs."""

from dataclasses import dataclass
from typing import Any

from wideberth.classifiers.named import CLASSIFIERS
from wideberth.metrics.promises import promise_names


@dataclass(frozen=True)
class Method:
    """A way to use a distance, and the promises without which its results are wrong.

    Attributes
    ----------
    name : str
        A few words for the page, with the class to use in parentheses.
    needs : frozenset of str
        Names of promises (`wideberth.metrics.promises.promise_names`); the empty set for a method that any distance allows.
    without : str
        How to use it on a distance that lacks them; empty if there is no way.
    """

    name: str
    needs: frozenset[str]
    without: str = ""

    def __post_init__(self) -> None:
        assert self.needs <= set(promise_names()), self.needs


@dataclass(frozen=True)
class MethodVerdict:
    """Whether a method is valid on the distance that was examined.

    Attributes
    ----------
    method : str
        The name of the method.
    valid : bool or None
        True if everything that it needs is promised and not refuted, False if one of its needs is refuted or declared False,
        None if a promise is missing and nothing refutes it.
    missing : tuple of str
        The promises that it needs and that are not known to hold, in alphabetical order.
    without : str
        How to use it all the same; empty if it is valid, or there is no way.
    """

    method: str
    valid: bool | None
    missing: tuple[str, ...]
    without: str = ""


#: Uses of a distance besides the classifiers with their default settings.
OTHER_METHODS = (
    Method("nearest neighbours by an index that prunes", frozenset({"obeys_triangle"})),
    Method("certified radii of those above", frozenset({"obeys_triangle"})),
    Method("SVM with the kernel exp(-g d^2) or -d^2/2 (HilbertSVC), Hilbert embedding", frozenset({"hilbertian"})),
)

#: The order of the list of methods, by the promise that they need: promises that fewer metrics make come later.
_STRENGTH = ("obeys_triangle", "negative_type", "hilbertian")


def methods(metric: Any) -> list[Method]:
    """All methods: the classifiers that suit a metric with the promises that they declare to need, and other uses of a distance.

    Parameters
    ----------
    metric : str or Metric
        The distance; a classifier that needs more of objects than their distances is left out.

    Returns
    -------
    list of Method
        Methods that need nothing come first, then those that need the triangle inequality, then the Hilbert properties.

    Examples
    --------
    >>> methods("levenshtein")[0].needs, sorted(methods("levenshtein")[-1].needs)
    (frozenset(), ['hilbertian'])
    """
    known = [(entry, entry.load()) for entry in CLASSIFIERS.values() if entry.suits(metric)]
    classifiers = [Method(f"{entry.title} ({entry.class_name})", found.needs, found.without) for entry, found in known]
    return sorted([*classifiers, *OTHER_METHODS], key=lambda method: max(map(_STRENGTH.index, method.needs), default=-1))


def judge_methods(known: dict[str, bool | None], metric: Any) -> tuple[MethodVerdict, ...]:
    """Judge every method by what is known about the promises that it needs.

    Parameters
    ----------
    known : dict from str to bool or None
        For "obeys_triangle", "hilbertian" and "negative_type": True (promised, not refuted), False (refuted) or None.
    metric : str or Metric
        The distance; methods that it does not suit are left out.

    Returns
    -------
    tuple of MethodVerdict
        One for each method, in a fixed order.

    Examples
    --------
    >>> judge_methods({"obeys_triangle": True, "hilbertian": None, "negative_type": False}, "levenshtein")[-2].missing
    ('negative_type',)
    """
    return tuple(_judge(method, known) for method in methods(metric))


def _judge(method: Method, known: dict[str, bool | None]) -> MethodVerdict:
    """The verdict on one method."""
    missing = tuple(sorted(need for need in method.needs if known[need] is not True))
    refuted = any(known[need] is False for need in method.needs)
    return MethodVerdict(method.name, False if refuted else None if missing else True, missing, method.without if missing else "")
