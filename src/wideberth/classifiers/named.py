"""The one table of classifiers by their short names, for the command line, the doctor and the model files.

It names the classes without importing them, so that ``wideberth --help`` stays instant and a model file loads only its own.
"""

from dataclasses import dataclass
from typing import Any

import wideberth


@dataclass(frozen=True)
class NamedClassifier:
    """A classifier as people choose it: by a short name, with settings that work on most data.

    Attributes
    ----------
    class_name : str
        Its public name, an attribute of ``wideberth``.
    title : str
        What a table of methods calls it.
    C : float or None
        The usual price of errors, if it has such a parameter.
    C_range : tuple of float
        From where to where other prices are worth trying.

    Examples
    --------
    >>> CLASSIFIERS["lipschitz"].load().__name__
    'LipschitzClassifier'
    """

    class_name: str
    title: str
    C: float | None = None
    C_range: tuple[float, float] = (0.0, 0.0)

    def load(self) -> Any:
        """The class itself, a child of `wideberth.estimators.metric_classifier.MetricClassifier`, imported at the first call."""
        return getattr(wideberth, self.class_name)

    def suits(self, metric: Any) -> bool:
        """Whether it can learn from objects of which this metric measures the distance, as almost all classifiers can.

        Examples
        --------
        >>> CLASSIFIERS["linear"].suits("words"), CLASSIFIERS["linear"].suits("levenshtein")
        (True, False)
        """
        return bool(self.load().suits(metric))

    def set_up(self, metric: Any, n_objects: int, *, C: float | None = None, max_memory: str | int = "2GB") -> Any:
        """An unfitted classifier with settings that work for this metric and this many objects.

        Parameters
        ----------
        metric : str, Metric or callable
            As every classifier takes it.
        n_objects : int
            How many objects it will learn from: a method that needs all pairs in memory approximates where they do not fit.
        C : float, optional
            The price of errors, the usual one by default; only for classifiers that have it.
        max_memory : str or int
            What distances may take.

        Examples
        --------
        >>> CLASSIFIERS["lp"].set_up("levenshtein", 100).C
        30.0
        """
        price = {} if self.C is None else {"C": self.C if C is None else C}
        return self.load().for_data(metric, n_objects, max_memory=max_memory, **price)


#: A classifier entered here is known to the command line, the doctor, the model files and the tests that all classifiers pass.
CLASSIFIERS = {
    "neighbors": NamedClassifier("NeighborsClassifier", "nearest neighbours"),
    "margin": NamedClassifier("MarginNeighborsClassifier", "nearest neighbours with a margin"),
    "lipschitz": NamedClassifier("LipschitzClassifier", "Lipschitz margin", C=5.0, C_range=(2, 25)),
    "lp": NamedClassifier("LPMachineClassifier", "LP machine", C=30.0, C_range=(3, 300)),
    "svm": NamedClassifier("HilbertSVC", "SVM", C=1.0, C_range=(0.1, 100)),
    "linear": NamedClassifier("LinearLipschitzClassifier", "linear in counts", C=1.0, C_range=(0.1, 10)),
}

#: The same by the names of their classes, which model files use.
BY_CLASS_NAME = {entry.class_name: entry for entry in CLASSIFIERS.values()}
