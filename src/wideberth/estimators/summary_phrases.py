"""Phrases that the summaries of several classifiers share."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from wideberth.metrics.metric import Metric


def in_units(distance: float, metric: Metric) -> str:
    """A distance with the unit of its metric, if that has a name.

    Examples
    --------
    >>> from wideberth.metrics.named import metric
    >>> (
    ...     in_units(2.5, metric("levenshtein")),
    ...     in_units(1, metric("levenshtein")),
    ...     in_units(2.5, metric("euclidean")),
    ... )
    ('2.5 edits', '1 edit', '2.5')
    """
    number = f"{distance:.4g}"
    if metric.unit is None:
        return number
    return f"{number} {metric.unit}" if number == "1" else f"{number} {metric.unit}s"


def counted(number: int, one: str, many: str) -> str:
    """A number with its noun, ``one`` in the singular and ``many`` in the plural.

    Examples
    --------
    >>> counted(1, "class", "classes"), counted(1200, "class", "classes")
    ('1 class', '1,200 classes')
    """
    return f"{number:,} {one if number == 1 else many}"


def references_in_words(n_references: int, n_objects: int | None) -> str:
    """How many of the objects are references; ``n_objects`` may be unknown.

    Examples
    --------
    >>> references_in_words(3, 10)
    'of 10 objects 3 are references, which new ones are measured against.'
    >>> references_in_words(1, None)
    'new objects are measured against 1 reference.'
    """
    if n_objects is None:
        return (
            f"new objects are measured against {counted(n_references, 'reference', 'references')}."
        )
    return (
        f"of {n_objects:,} objects {n_references:,} are references, which new ones are measured "
        "against."
    )


def one_label_in_words(label: Any, n_classes: int) -> str:
    """That all objects get the same label, and how that could change.

    Examples
    --------
    >>> one_label_in_words("tea", 1)
    "every object gets the label 'tea', the only one there is."
    """
    if n_classes == 1:
        return f"every object gets the label {label!r}, the only one there is."
    return (
        f"every object gets the label {label!r}. With a larger C, errors cost more than a steep "
        "score."
    )


def class_sizes(labels: Iterable[Any]) -> str:
    """Describe the classes and how many objects each has, the largest first; at most eight are
    named.

    Parameters
    ----------
    labels : iterable
        One label for each object.

    Returns
    -------
    str

    Examples
    --------
    >>> class_sizes(["tea", "rum", "tea"])
    '2 classes: tea 2, rum 1'
    """
    sizes = Counter(labels).most_common()
    shown_sizes = ", ".join(f"{label} {count:,}" for label, count in sizes[:8])
    return (
        f"{len(sizes)} class{'es' * (len(sizes) != 1)}: "
        f"{shown_sizes}{', ...' if len(sizes) > 8 else ''}"
    )
