"""What names in model files of former versions are called today: a file that was written once loads for ever."""

from typing import Any, Literal

Namespace = Literal["classes", "parameters"]

#: Former names of classifiers and of the parameters of their constructors, each with the name of today. A line, once written,
#: stays; if the name of today changes again, the line names the newest.
FORMER_NAMES: dict[Namespace, dict[str, str]] = {"classes": {}, "parameters": {}}


def current_name(namespace: Namespace, name: str) -> str:
    """The name of today for one in a file.

    >>> current_name("classes", "NeighborsClassifier")
    'NeighborsClassifier'
    """
    return FORMER_NAMES[namespace].get(name, name)


def current_names(namespace: Namespace, values: dict[str, Any]) -> dict[str, Any]:
    """Values by the names of today; a `ValueError` if two of them are one thing under a former and a later name."""
    renamed = {current_name(namespace, name): value for name, value in values.items()}
    if len(renamed) < len(values):
        raise ValueError(f"{sorted(values)} name one of the {namespace} twice")
    return renamed
