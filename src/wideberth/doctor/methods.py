"""Which methods are valid on a distance, from what each of them needs."""

from dataclasses import dataclass

from wideberth.classifiers.named import CLASSIFIERS
from wideberth.metrics.metric import promise_names


@dataclass(frozen=True)
class Method:
    """A way to use a distance, and the promises without which it is wrong."""

    name: str
    needs: frozenset[str]

    def __post_init__(self) -> None:
        assert self.needs <= set(promise_names()), self.needs


@dataclass(frozen=True)
class MethodVerdict:
    """Whether a method is valid: True, False, or None where a needed promise is neither made nor broken."""

    method: str
    valid: bool | None
    missing: tuple[str, ...]


#: What the theory allows beside the classifiers with their usual settings.
OTHER_METHODS = (
    Method("nearest neighbours by an index that prunes", frozenset({"obeys_triangle"})),
    Method("certified radii of those above", frozenset({"obeys_triangle"})),
    Method("SVM with the kernel exp(-g d^2) or -d^2/2 (HilbertSVC), Hilbert embedding", frozenset({"hilbertian"})),
)

#: Promises in the order in which methods that need them are listed: what fewer distances keep comes later.
_STRENGTH = ("obeys_triangle", "negative_type", "hilbertian")


def methods() -> list[Method]:
    """All methods: the classifiers with the promises that they declare to need, and others; the weakest need first."""
    classifiers = [Method(f"{entry.title} ({entry.class_name})", entry.load().needs) for entry in CLASSIFIERS.values()]
    return sorted([*classifiers, *OTHER_METHODS], key=lambda method: max(map(_STRENGTH.index, method.needs), default=-1))


def judge_methods(known: dict[str, bool | None]) -> tuple[MethodVerdict, ...]:
    """Judge every method by what is known of each promise.

    >>> judge_methods({"obeys_triangle": True, "hilbertian": None, "negative_type": False})[-2].missing
    ('negative_type',)
    """
    return tuple(_judge(method, known) for method in methods())


def _judge(method: Method, known: dict[str, bool | None]) -> MethodVerdict:
    missing = tuple(sorted(need for need in method.needs if known[need] is not True))
    refuted = any(known[need] is False for need in method.needs)
    return MethodVerdict(method.name, False if refuted else None if missing else True, missing)
