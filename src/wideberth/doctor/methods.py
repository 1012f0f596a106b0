"""Which methods are valid on a distance, from what each of them needs."""

from dataclasses import dataclass

from wideberth.classifiers.hilbert_svm.classifier import HilbertSVC
from wideberth.classifiers.lipschitz.classifier import LipschitzClassifier
from wideberth.classifiers.lp_machine.classifier import LPMachineClassifier
from wideberth.classifiers.margin_neighbors.classifier import MarginNeighborsClassifier
from wideberth.classifiers.neighbors.classifier import NeighborsClassifier
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


#: Our classifiers with the needs that they declare, and what the theory allows beside them; weakest need first.
METHODS = (
    Method("nearest neighbours (NeighborsClassifier)", NeighborsClassifier.needs),
    Method("nearest neighbours with a margin (MarginNeighborsClassifier)", MarginNeighborsClassifier.needs),
    Method("distances as features (LPMachineClassifier)", LPMachineClassifier.needs),
    Method("nearest neighbours by an index that prunes", frozenset({"obeys_triangle"})),
    Method("Lipschitz margin (LipschitzClassifier); certified radii of it and those above", LipschitzClassifier.needs),
    Method("SVM with the kernel exp(-g d) (HilbertSVC)", HilbertSVC.needs),
    Method("SVM with the kernel exp(-g d^2) or -d^2/2 (HilbertSVC), Hilbert embedding", frozenset({"hilbertian"})),
)


def judge_methods(known: dict[str, bool | None]) -> tuple[MethodVerdict, ...]:
    """Judge every method by what is known of each promise.

    >>> judge_methods({"obeys_triangle": True, "hilbertian": None, "negative_type": False})[5].missing
    ('negative_type',)
    """
    return tuple(_judge(method, known) for method in METHODS)


def _judge(method: Method, known: dict[str, bool | None]) -> MethodVerdict:
    missing = tuple(sorted(need for need in method.needs if known[need] is not True))
    refuted = any(known[need] is False for need in method.needs)
    return MethodVerdict(method.name, False if refuted else None if missing else True, missing)
