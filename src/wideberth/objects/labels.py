"""Code labels of any kind as small integers."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Indices
from wideberth.errors import InvalidInput
from wideberth.objects import sample
from wideberth.wording import at


@dataclass(frozen=True)
class CodedLabels:
    """The labels of a sample, coded as integers. ``classes``, in sorted order, has the label
    ``classes[codes[i]]`` of object i.

    Examples
    --------
    >>> labels = CodedLabels(np.array(["rum", "tea"]), np.array([1, 0, 1]))
    >>> labels.classes[labels.codes].tolist(), len(labels)
    (['tea', 'rum', 'tea'], 3)
    """

    classes: NDArray[Any]
    codes: Indices

    def __len__(self) -> int:
        return len(self.codes)


def code_labels(labels: Any, n_objects: int) -> CodedLabels:
    """Number the classes of labels in sorted order, and code each label by the number of its class.

    Labels are of one kind that can be sorted, one for each object, and none is missing (None, NaN
    or pandas' NA).

    Examples
    --------
    >>> code_labels(["tea", "rum", "tea"], 3)
    CodedLabels(classes=array(['rum', 'tea'], dtype='<U3'), codes=array([1, 0, 1]))
    """
    held = sample.hold(labels)
    if held.ndim == 2 and held.shape[1] == 1:
        held = held[:, 0]
    if held.ndim != 1:
        raise InvalidInput(
            f"Labels must be one for each object; these have shape {held.shape}.",
            advice="Pass one column.",
            value=held.shape,
        )
    if len(held) != n_objects:
        raise InvalidInput(
            f"There are {n_objects} objects and {len(held)} labels.",
            advice="Each object needs its label, in the same order.",
            value=(n_objects, len(held)),
        )
    # whole numbers and texts are never missing
    for position, label in enumerate(held if held.dtype.kind not in "biuU" else ()):
        if label is None or not sample.equals_itself(label):  # as NaN and pandas' NA
            raise InvalidInput(
                f"{at('Object', position)} has no label: {label!r}.",
                advice="Drop it or label it.",
                witness=position,
                value=label,
            )
    try:
        # on objects, so that 1 and "1" do not become one class
        classes, codes = np.unique(held, return_inverse=True)
    except TypeError:
        kinds = sorted({type(label).__name__ for label in held})
        raise InvalidInput(
            f"Labels of kinds {', '.join(kinds)} cannot be sorted.",
            advice="Use one kind, such as strings.",
            value=kinds,
        ) from None
    return CodedLabels(np.array(classes.tolist()), codes.astype(np.intp))
