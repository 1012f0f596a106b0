"""Check partitions where they are, so that errors name the partition and the object."""

from functools import partial
from typing import Any

from sklearn.base import clone

from wideberth.errors import InvalidInput
from wideberth.estimators.metric_classifier import MetricClassifier
from wideberth.estimators.metric_estimator import code_targets
from wideberth.scaleout.collections.asking import (
    about_object,
    about_partition,
    asked,
    object_at,
    size_of,
)
from wideberth.scaleout.collections.partitions import LabelledPiece


def check_piece(model: MetricClassifier, piece: LabelledPiece, number: int) -> None:
    """Check a partition on its worker as ``fit`` would: its labels, if it has any, and its objects.

    Examples
    --------
    >>> from wideberth import NeighborsClassifier
    >>> check_piece(NeighborsClassifier(), LabelledPiece([[0.0], [float("nan")]], None, None), 4)
    Traceback (most recent call last):
    ...
    wideberth.errors.InvalidInput: Partition 4, object 1 of it, [nan]: Input X contains NaN: it has the value nan ...
    """
    if size_of(piece.objects):
        check_labels(piece, number)
        asked(partial(_admit, clone(model)), piece.objects, number)


def check_labels(piece: LabelledPiece, number: int) -> None:
    """Raise an error for the first object of a partition that has no label, or several.

    Examples
    --------
    >>> check_labels(LabelledPiece(["tea", "rum"], ["soft", None], None), 4)
    Traceback (most recent call last):
    ...
    wideberth.errors.InvalidInput: Partition 4, object 1 of it, 'rum': it has no label: None. Drop it or label it.
    """
    if piece.labels is None:
        return
    try:
        code_targets(piece.labels, size_of(piece.objects))
    except InvalidInput as error:
        position = vars(error).get("witness")
        if not isinstance(position, int):
            raise about_partition(error, number) from error
        place = position if piece.places is None else int(piece.places[position])
        raise about_object(
            error, number, place, object_at(piece.objects, position), called=position
        ) from error
    except (
        ValueError
    ):  # labels that are no classes, of all partitions alike: the fit itself says it
        return


def _admit(model: MetricClassifier, objects: Any) -> None:
    model.admit_objects(objects)
