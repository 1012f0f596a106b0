"""What would change an answer: a changed object with another label, as close as one was found."""

import string
from typing import Any

import numpy as np

from wideberth.estimators.radius_units import radius_unit
from wideberth.guarantees.robustness import attack
from wideberth.io.model_file.held_objects import NearestHeld
from wideberth.serve.served_model import can_be_changed

#: Letters that are put in where no training object may show any.
_ALPHABETS = (string.ascii_lowercase, string.ascii_uppercase, string.digits)
#: Multiples of an object between which numbers are changed where no training object may show any.
_MULTIPLES = (0.0, -1.0, 0.5, 2.0, 10.0)


def found_change(model: Any, one: Any, nearest: NearestHeld | None, unit: str | None) -> dict[str, Any] | None:
    """A change of an object that alters its label.

    Parameters
    ----------
    model : classifier
        The model.
    one : sample
        A single object.
    nearest : NearestHeld or None
        The training objects towards which it may be changed; None if nothing of them may be shown, so that it is changed by
        letters and numbers that are made up.
    unit : str or None
        What the distance is measured in.

    Returns
    -------
    dict or None
        The object, its label and its distance with the unit; None if none was found, or none can be tried.

    Examples
    --------
    >>> from wideberth import NeighborsClassifier
    >>> model = NeighborsClassifier("levenshtein", n_neighbors=1).fit(["tea", "rum"], ["soft", "hard"])
    >>> found = found_change(model, ["tee"], None, "edit")
    >>> found["label"], found["distance"]
    ('hard', {'value': 1.0, 'unit': 'edit'})
    """
    if not can_be_changed(model):
        return None
    towards = made_up(one, model.metric_.accepts) if nearest is None else nearest.enemies(one)
    found = attack(model, one, towards=towards, unit=unit)[0]
    if not found.found:
        return None
    changed = found.changed if isinstance(found.changed, str) else np.asarray(found.changed).tolist()
    label = found.label.item() if isinstance(found.label, np.generic) else found.label
    return {
        "object": changed,
        "label": label,
        "distance": {"value": float(found.distance), "unit": radius_unit(model.metric_, unit).label},
    }


def made_up(one: Any, kind: str) -> Any:
    """Objects that have nothing to do with the training objects, towards which an object is changed.

    Examples
    --------
    >>> made_up(["Tea 2"], "strings")
    ['abcdefghijklmnopqrstuvwxyz', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', '0123456789']
    """
    if kind == "strings":
        return [letters for letters in _ALPHABETS if set(letters) & set(one[0])] or [string.ascii_lowercase]
    numbers = np.asarray(one[0], dtype=np.float64)
    return [numbers * multiple for multiple in _MULTIPLES] + [numbers + 1.0, numbers - 1.0]
