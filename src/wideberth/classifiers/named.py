"""The one table of families of classifiers: what each is called, how it is tried, and the settings
that work on most data.

It names the classes without importing them, so that ``wideberth --help`` stays instant and a model
file loads only its own.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import wideberth


@dataclass(frozen=True)
class NamedClassifier:
    """A family of classifiers as people choose it: by a short name, with settings that work on most
    data.

    Attributes
    ----------
    name : str
        The short name, for the command line and the automatic choice.
    class_name : str
        The public name of its class, an attribute of ``wideberth``.
    title : str
        What a table of methods calls it.
    chooser_name : str or None
        The public name of the class that chooses its settings by cross-validation; None if it has
        none to choose, or chooses them while it learns.
    C : float or None
        The usual price of errors, if it has such a parameter.
    C_range : tuple of float
        From where to where other prices are worth trying.
    growth : float
        The time to fit grows like this power of the number of objects.
    on_metrics : int or None
        On how many of the best metrics the automatic choice tries it; None: on all that suit it,
        before it knows the best. One that measures no distances is tried on all.
    patience : float
        The automatic choice gives it up on a metric once it is behind the best candidate by more
        than so many standard errors (`wideberth.choice.paired`).
    for_radii : bool
        Whether the automatic choice tries it too if certified radii are what matters.
    fixed : mapping of str to object
        Parameters that the automatic choice sets.

    Examples
    --------
    >>> CLASSIFIERS["lipschitz"].load().__name__, CLASSIFIERS["lipschitz"].load_chooser().__name__
    ('LipschitzClassifier', 'LipschitzClassifierCV')
    """

    name: str
    class_name: str
    title: str
    chooser_name: str | None = None
    C: float | None = None
    C_range: tuple[float, float] = (0.0, 0.0)
    growth: float = 2.0
    on_metrics: int | None = 1
    patience: float = 1.5
    for_radii: bool = True
    fixed: Mapping[str, Any] = field(default_factory=dict)

    def load(self) -> Any:
        """The class itself, a child of `wideberth.estimators.metric_classifier.MetricClassifier`,
        imported at the first call.
        """
        return getattr(wideberth, self.class_name)

    def load_chooser(self) -> Any:
        """The class that chooses its settings, or the class itself if there is no other."""
        return getattr(wideberth, self.chooser_name or self.class_name)

    def suits(self, metric: Any) -> bool:
        """Whether it can learn from objects of which this metric measures the distance, as almost
        all classifiers can.

        Examples
        --------
        >>> CLASSIFIERS["linear"].suits("words"), CLASSIFIERS["linear"].suits("levenshtein")
        (True, False)
        """
        return bool(self.load().suits(metric))

    def set_up(
        self, metric: Any, n_objects: int, *, C: float | None = None, max_memory: str | int = "2GB"
    ) -> Any:
        """An unfitted classifier with settings that work for this metric and this many objects.

        Parameters
        ----------
        metric : str, Metric or callable
            As every classifier takes it.
        n_objects : int
            How many objects it will learn from: a method that needs all pairs in memory
            approximates where they do not fit.
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

    def chooser(self, metric: Any, n_objects: int = 0, **parameters: Any) -> Any:
        """A classifier that chooses its own settings, for the automatic choice; parameters that it
        does not have are left out.

        Examples
        --------
        >>> CLASSIFIERS["svm"].chooser("hamming", n_jobs=1, radius=None)
        HilbertSVCCV(metric='hamming', n_jobs=1)
        """
        made = self.load_chooser().to_compare(metric, n_objects)
        takes = made.get_params(deep=False)
        return made.set_params(
            **{key: value for key, value in {**self.fixed, **parameters}.items() if key in takes}
        )


#: In the order in which the automatic choice tries them on a metric: what is cheap and strong
#: first, so that a few seconds leave a good model.
_FAMILIES = (
    # There at once, so that there is a model whatever the time.
    NamedClassifier("neighbors", "NeighborsClassifier", "nearest neighbours", on_metrics=None),
    # Most often the best. Its radii hardly ever reach as far as matters, and take long.
    NamedClassifier(
        "svm",
        "HilbertSVC",
        "SVM",
        "HilbertSVCCV",
        C=1.0,
        C_range=(0.1, 100),
        on_metrics=None,
        for_radii=False,
    ),
    # It measures no distances, and is the best on texts where something is counted.
    NamedClassifier(
        "linear",
        "LinearLipschitzClassifier",
        "linear in counts",
        "LinearLipschitzClassifierCV",
        C=1.0,
        C_range=(0.1, 10),
        growth=1.0,
        on_metrics=None,
    ),
    NamedClassifier(
        "lipschitz",
        "LipschitzClassifier",
        "Lipschitz margin",
        "LipschitzClassifierCV",
        C=5.0,
        C_range=(2, 25),
        growth=2.5,
    ),
    # It chooses its separation on objects set aside; refitted it learns from these too.
    NamedClassifier(
        "margin",
        "MarginNeighborsClassifier",
        "nearest neighbours with a margin",
        fixed={"refit": True},
    ),
    # It takes the longest, and where it wins it is as a rule as good as the SVM: so it has to be
    # about as good as the best from the first fold on.
    NamedClassifier(
        "lp",
        "LPMachineClassifier",
        "LP machine",
        "LPMachineClassifierCV",
        C=30.0,
        C_range=(3, 300),
        patience=0.5,
    ),
)

#: A family entered here is known to the command line, the automatic choice, the doctor, the model
#: files, the report and the tests that all families pass.
CLASSIFIERS = {entry.name: entry for entry in _FAMILIES}


def by_class_name() -> dict[str, NamedClassifier]:
    """The table by the public names of the classes, which model files use.

    Examples
    --------
    >>> by_class_name()["HilbertSVC"].title
    'SVM'
    """
    return {entry.class_name: entry for entry in CLASSIFIERS.values()}


def choosers() -> dict[str, NamedClassifier]:
    """The families that have a class which chooses their settings, by the public name of that
    class.

    Examples
    --------
    >>> choosers()["HilbertSVCCV"].class_name
    'HilbertSVC'
    """
    return {
        entry.chooser_name: entry
        for entry in CLASSIFIERS.values()
        if entry.chooser_name is not None
    }


_NO_FAMILY = {"all": "all methods", "blend": "mean of several models"}


def titled(family: str) -> str:
    """What tables and sentences call a family, all of them, or a mean of several; other texts stay as
    they are.

    >>> titled("lp"), titled("all"), titled("blend")
    ('LP machine', 'all methods', 'mean of several models')
    """
    if family in _NO_FAMILY:
        return _NO_FAMILY[family]
    return CLASSIFIERS[family].title if family in CLASSIFIERS else family
