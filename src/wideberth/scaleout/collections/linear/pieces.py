"""What a worker does with a partition while a linear classifier learns from it."""

from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.base import clone

from wideberth.array_types import Floats, Indices, Integers
from wideberth.classifiers.linear.classifier import LinearLipschitzClassifier
from wideberth.classifiers.linear.features.changes import EditChanges, known_changes
from wideberth.classifiers.linear.features.features import CountedFeatures, SparseVectors, counted_parts, is_sparse, texts_of
from wideberth.classifiers.linear.learning.robust_hinge import RobustHinge
from wideberth.estimators.targets import code_targets
from wideberth.metrics.elements import Elements
from wideberth.metrics.metric import Metric
from wideberth.objects import sample
from wideberth.objects.disguises import ObjectDigests
from wideberth.scaleout.collections.asking import alone, asked, size_of
from wideberth.scaleout.collections.checking import check_labels
from wideberth.scaleout.collections.partitions import LabelledPiece

#: Bytes of BLAKE2b by which equal objects are merged: nobody can make two different ones that share them.
KEY_BYTES = 32


class AdmittedPiece(NamedTuple):
    """A partition that was checked: it stays on its worker.

    Attributes
    ----------
    objects : sample
        Prepared.
    classes : ndarray
        The labels that occur.
    codes : ndarray of int, shape (n,)
        Which of them each object has.
    facts : PieceIdentity
        What is sent to the client.
    """

    objects: Any
    classes: NDArray[Any]
    codes: Indices
    facts: "PieceIdentity"


class PieceIdentity(NamedTuple):
    """What the client has to know of the objects of a partition.

    Attributes
    ----------
    classes : ndarray
        The labels that occur.
    codes : ndarray of int32, shape (n,)
        Which of them each object has.
    keys : ndarray of void, shape (n,)
        32 bytes by which equal objects are found.
    digests : ObjectDigests or None
        By which the fitted model will recognise them.
    metric : Metric
        The metric that measures them.
    attributes : dict
        ``n_features_in_`` and ``feature_names_in_``, where vectors have them.
    """

    classes: NDArray[Any]
    codes: NDArray[np.int32]
    keys: NDArray[Any]
    digests: ObjectDigests | None
    metric: Metric
    attributes: dict[str, Any]


@dataclass(frozen=True, eq=False)
class LearningPiece:
    """The different objects of a partition, as linear scores see them.

    Attributes
    ----------
    objects : sample
        Prepared; of equal objects of a class that are in several partitions, only the first is here.
    matrix : ndarray or csr_array of shape (m, features)
        Their features.
    codes : ndarray of int, shape (m,)
        Their classes.
    weights : ndarray of shape (m,)
        Their shares of the weight of all.
    features : CountedFeatures
        The features.
    """

    objects: Any
    matrix: Any
    codes: Indices
    weights: Floats
    features: CountedFeatures


def admit_piece(model: LinearLipschitzClassifier, piece: LabelledPiece, number: int) -> AdmittedPiece | None:
    """Check and prepare a partition; None if it is empty."""
    if not size_of(piece.objects):
        return None
    check_labels(piece, number)
    admitted: AdmittedPiece = asked(partial(_admitted, model, piece.labels), piece.objects, number)
    return admitted


def _admitted(model: LinearLipschitzClassifier, labels: Any, objects: Any) -> AdmittedPiece:
    admitting = clone(model)
    prepared, metric, _, given = admitting.admit_objects(objects)
    n = sample.count(prepared)
    coded = code_targets(labels[:n] if len(labels) > n else labels, n)
    remembers = not is_sparse(objects)
    names = ("n_features_in_", "feature_names_in_")
    identity = PieceIdentity(
        coded.classes,
        coded.codes.astype(np.int32),
        keys_of(prepared),
        metric.all_digests(given, prepared) if remembers else None,
        metric,
        {name: getattr(admitting, name) for name in names if hasattr(admitting, name)},
    )
    return AdmittedPiece(prepared, coded.classes, coded.codes, identity)


def keys_of(prepared: Any) -> NDArray[Any]:
    """32 bytes for each prepared object that equal objects share, and no others.

    Examples
    --------
    >>> keys = keys_of(np.array([[1.0], [2.0], [1.0]]))
    >>> bool(keys[0] == keys[2]), bool(keys[0] == keys[1])
    (True, False)
    """
    if isinstance(prepared, SparseVectors):
        matrix = prepared.matrix
        columns, data, starts = matrix.indices.astype(np.int64), matrix.data, matrix.indptr
        parts = [columns[first:last].tobytes() + data[first:last].tobytes() for first, last in pairwise(starts.tolist())]
    elif isinstance(prepared, np.ndarray):
        parts = [row.tobytes() for row in np.ascontiguousarray(prepared) + 0.0]  # -0.0 + 0.0 = 0.0
    else:
        parts = [text.encode("utf-8", "surrogatepass") for text in texts_of(prepared)]
    return np.frombuffer(b"".join(blake2b(part, digest_size=KEY_BYTES).digest() for part in parts), dtype=f"V{KEY_BYTES}")


class TextCounts(NamedTuple):
    """How often features occur in the different texts of a partition.

    Attributes
    ----------
    elements : list of Elements
        For each block of features those that occur.
    texts : list of ndarray of int
        In how many of the texts each occurs.
    words : ndarray of int
        How many texts have 0, 1, 2, ... words.
    """

    elements: list[Elements]
    texts: list[Integers]
    words: Integers


def count_texts(piece: AdmittedPiece, firsts: Indices) -> TextCounts:
    """Count features in those texts of a partition that are in no earlier one."""
    objects = sample.pick(piece.objects, firsts)
    blocks = counted_parts(objects)
    counts = [np.bincount(block.numbers, minlength=len(block.elements)) for block in blocks]
    words = np.bincount([len(text.split()) for text in texts_of(objects)]) if len(firsts) else np.zeros(1, dtype=np.intp)
    found = [block.elements.only(count > 0) for block, count in zip(blocks, counts, strict=True)]
    return TextCounts(found, [count[count > 0] for count in counts], words)


class Share(NamedTuple):
    """What a partition contributes: which of its objects, of which class, with which weights.

    Attributes
    ----------
    rows, codes : ndarray of int, shape (m,)
        The objects, and the codes of their classes among all.
    weights : ndarray of shape (m,)
        Their shares of the weight of all.
    """

    rows: Indices
    codes: Indices
    weights: Floats


def learning_piece(piece: AdmittedPiece, share: Share, features: CountedFeatures) -> LearningPiece:
    """The features of what a partition contributes."""
    objects = sample.pick(piece.objects, share.rows)
    return LearningPiece(objects, features.matrix(objects), share.codes, share.weights, features)


def moments(piece: LearningPiece) -> tuple[Floats, Floats]:
    """The weighted sums of the features, and of their squares."""
    matrix = piece.matrix
    squares = matrix**2 if isinstance(matrix, np.ndarray) else matrix.power(2)
    return np.asarray(piece.weights @ matrix), np.asarray(piece.weights @ squares)


def hinge_of_piece(piece: LearningPiece, units: Floats, n_classes: int, *, edited: bool) -> RobustHinge:
    """The hinge of a partition, with features divided by units."""
    with alone():
        changes = EditChanges.none(len(piece.codes), len(piece.features))
        if edited:
            found = known_changes(piece.features, piece.objects) or changes
            changes = replace(found, deltas=csr_array(found.deltas / units[None, :]))
        matrix = piece.matrix / units if isinstance(piece.matrix, np.ndarray) else csr_array(piece.matrix / units[None, :])
        return RobustHinge(matrix, changes, piece.codes, piece.weights, n_classes)
