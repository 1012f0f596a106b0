"""The one table of classes that a model file can name: every public estimator of the library."""

from typing import Any

import wideberth
from wideberth.classifiers.named import by_class_name, choosers

#: The public estimators that are no family of classifiers.
NO_FAMILY = ("AutoClassifier", "OnlinePartitionClassifier", "ContextualSearch", "KuratowskiEmbedding", "HilbertEmbedding")

#: Public names of the classes whose fitted objects can be saved. Such a class has the methods ``state`` and ``restore``
#: (`wideberth.estimators.metric_estimator.MetricEstimator`), a golden file, and the tests of all of them.
SAVABLE = (*by_class_name(), *choosers(), *NO_FAMILY)


def savable_class(name: str) -> Any:
    """The class of this name, imported at the first call.

    Parameters
    ----------
    name : str
        A name that a file holds.

    Returns
    -------
    type
        A class of the table.

    Raises
    ------
    ValueError
        If the table has no such name; no other class is ever looked for.

    Examples
    --------
    >>> savable_class("OnlinePartitionClassifier").__name__
    'OnlinePartitionClassifier'
    >>> savable_class("Popen")
    Traceback (most recent call last):
    ...
    ValueError: there is no class 'Popen'; known are NeighborsClassifier, ...
    """
    if name not in SAVABLE:
        raise ValueError(f"there is no class {name!r}; known are {', '.join(SAVABLE)}")
    return getattr(wideberth, name)
