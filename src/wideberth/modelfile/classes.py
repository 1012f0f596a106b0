"""The classes that a model file can name; no other class is ever looked for."""

from wideberth.classifiers.hilbert_svm.classifier import HilbertSVC
from wideberth.classifiers.lipschitz.classifier import LipschitzClassifier
from wideberth.classifiers.lp_machine.classifier import LPMachineClassifier
from wideberth.classifiers.margin_neighbors.classifier import MarginNeighborsClassifier
from wideberth.classifiers.neighbors.classifier import NeighborsClassifier
from wideberth.estimators.base import MetricClassifier

CLASSES: dict[str, type[MetricClassifier]] = {
    each.__name__: each
    for each in (HilbertSVC, LipschitzClassifier, LPMachineClassifier, MarginNeighborsClassifier, NeighborsClassifier)
}
