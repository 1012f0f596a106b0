"""Which methods are valid on a distance, decided by the promises that each method needs."""

from dataclasses import dataclass

from wideberth.classifiers.hilbert_svm.classifier import HilbertSVC
from wideberth.classifiers.lipschitz.classifier import LipschitzClassifier
from wideberth.classifiers.lp_machine.classifier import LPMachineClassifier
from wideberth.classifiers.margin_neighbors.classifier import MarginNeighborsClassifier
from wideberth.classifiers.neighbors.classifier import NeighborsClassifier
from wideberth.metrics.metric import promise_names


@dataclass(frozen=True)
class Method:
    """A way to use a distance, and the promises without which its results are wrong.

    Attributes
    ----------
    name : str
        A few words for the page, with the class to use in parentheses.
    needs : frozenset of str
        Names of promises (`wideberth.metrics.metric.promise_names`); the empty set for a method that any distance allows.
    """

    name: str
    needs: frozenset[str]

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
    """

    method: str
    valid: bool | None
    missing: tuple[str, ...]


#: The classifiers with the needs that they declare, and other uses of a distance; the weakest need comes first.
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
    """Judge every method by what is known about the promises that it needs.

    Parameters
    ----------
    known : dict from str to bool or None
        For "obeys_triangle", "hilbertian" and "negative_type": True (promised, not refuted), False (refuted) or None.

    Returns
    -------
    tuple of MethodVerdict
        One for each method, in a fixed order.

    Examples
    --------
    >>> judge_methods({"obeys_triangle": True, "hilbertian": None, "negative_type": False})[5].missing
    ('negative_type',)
    """
    return tuple(_judge(method, known) for method in METHODS)


def _judge(method: Method, known: dict[str, bool | None]) -> MethodVerdict:
    missing = tuple(sorted(need for need in method.needs if known[need] is not True))
    refuted = any(known[need] is False for need in method.needs)
    return MethodVerdict(method.name, False if refuted else None if missing else True, missing)
