"""Fit the linear classifier on a collection whose objects stay on the workers."""

from dataclasses import dataclass
from functools import cached_property, partial
from hashlib import blake2b
from itertools import pairwise
from typing import Any, NamedTuple

import dask
import numpy as np
from dask.delayed import Delayed
from numpy.typing import NDArray
from sklearn.base import clone

from wideberth.array_types import Floats, Indices, Integers, Sample
from wideberth.classifiers.linear.classifier import LinearLipschitzClassifier
from wideberth.classifiers.linear.features import (
    CountedFeatures,
    SparseVectors,
    Vocabulary,
    checked_blocks,
    counted_parts,
    features_of_vocabularies,
    is_sparse,
    texts_of,
)
from wideberth.classifiers.linear.problem import LinearProblem, changes_in, divided, settings_of
from wideberth.classifiers.linear.robust_hinge import (
    LinearPoint,
    LossSums,
    RobustHinge,
    solve_hinge,
)
from wideberth.errors import InvalidInput
from wideberth.estimators.metric_estimator import code_targets
from wideberth.estimators.training import Learned, class_weights
from wideberth.metrics.elements import Elements, joined_elements
from wideberth.metrics.metric import Metric
from wideberth.metrics.vectors.minkowski import Manhattan
from wideberth.objects import sample
from wideberth.objects.disguises import ObjectDigests
from wideberth.optimize.solution import Solution
from wideberth.scaleout.cluster_runner import computed, persisted, shipped
from wideberth.scaleout.collections.asking import alone, asked, check_labels, size_of
from wideberth.scaleout.collections.partitions import LabelledPiece, Partitions
from wideberth.wording import at

# ---- What a worker does with a partition while a linear classifier learns from it

#: Bytes of BLAKE2b by which equal objects are merged: nobody can make two different ones that share
#: them.
KEY_BYTES = 32


class AdmittedPiece(NamedTuple):
    """A partition that was checked: it stays on its worker."""

    #: Prepared.
    objects: Sample
    #: The labels that occur.
    classes: NDArray[Any]
    #: Which of them each object has, shape (n,).
    codes: Indices
    #: What is sent to the client.
    facts: "PieceIdentity"


class PieceIdentity(NamedTuple):
    """What the client has to know of the objects of a partition."""

    #: The labels that occur.
    classes: NDArray[Any]
    #: Which of them each object has, shape (n,).
    codes: NDArray[np.int32]
    #: 32 bytes by which equal objects are found, shape (n,).
    keys: NDArray[Any]
    #: By which the fitted model will recognise them.
    digests: ObjectDigests | None
    #: The metric that measures them.
    metric: Metric
    #: ``n_features_in_`` and ``feature_names_in_``, where vectors have them.
    attributes: dict[str, Any]


@dataclass(frozen=True, eq=False)
class LearningPiece:
    """The different objects of a partition, as linear scores see them."""

    #: Prepared; of equal objects of a class that are in several partitions, only the first is here.
    objects: Sample
    #: Their features, shape (m, features).
    matrix: Any
    #: Their classes, shape (m,).
    codes: Indices
    #: Their shares of the weight of all, shape (m,).
    weights: Floats
    #: The features.
    features: CountedFeatures


def admit_piece(
    model: LinearLipschitzClassifier, piece: LabelledPiece, number: int
) -> AdmittedPiece | None:
    """Check and prepare a partition; None if it is empty."""
    if not size_of(piece.objects):
        return None
    check_labels(piece, number)
    admitted: AdmittedPiece = asked(partial(_admitted, model, piece.labels), piece.objects, number)
    return admitted


def _admitted(model: LinearLipschitzClassifier, labels: Any, objects: Sample) -> AdmittedPiece:
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


def keys_of(prepared: Sample) -> NDArray[Any]:
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
        parts = [
            columns[first:last].tobytes() + data[first:last].tobytes()
            for first, last in pairwise(starts.tolist())
        ]
    elif isinstance(prepared, np.ndarray):
        parts = [row.tobytes() for row in np.ascontiguousarray(prepared) + 0.0]  # -0.0 + 0.0 = 0.0
    else:
        parts = [text.encode("utf-8", "surrogatepass") for text in texts_of(prepared)]
    return np.frombuffer(
        b"".join(blake2b(part, digest_size=KEY_BYTES).digest() for part in parts),
        dtype=f"V{KEY_BYTES}",
    )


class TextCounts(NamedTuple):
    """How often features occur in the different texts of a partition."""

    #: For each block of features those that occur.
    elements: list[Elements]
    #: In how many of the texts each occurs.
    texts: list[Integers]
    #: How many texts have 0, 1, 2, ... words.
    words: Integers


def count_texts(piece: AdmittedPiece, firsts: Indices) -> TextCounts:
    """Count features in those texts of a partition that are in no earlier one."""
    objects = sample.pick(piece.objects, firsts)
    blocks = counted_parts(objects)
    counts = [np.bincount(block.numbers, minlength=len(block.elements)) for block in blocks]
    words = (
        np.bincount([len(text.split()) for text in texts_of(objects)])
        if len(firsts)
        else np.zeros(1, dtype=np.intp)
    )
    found = [block.elements.only(count > 0) for block, count in zip(blocks, counts, strict=True)]
    return TextCounts(found, [count[count > 0] for count in counts], words)


class Share(NamedTuple):
    """What a partition contributes: which of its objects, of which class, with which weights."""

    #: ``rows``, ``codes``: the objects, and the codes of their classes among all, shape (m,).
    rows: Indices
    codes: Indices
    #: Their shares of the weight of all, shape (m,).
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


def hinge_of_piece(
    piece: LearningPiece, units: Floats, n_classes: int, steps: Metric | None
) -> RobustHinge:
    """The hinge of a partition, with features divided by units."""
    with alone():
        changes = changes_in(piece.features, piece.objects, units, steps)
        matrix = divided(piece.matrix, units)
        return RobustHinge(matrix, changes, piece.codes, piece.weights, n_classes)


# ---- Equal objects of all partitions, merged on the client by 32 bytes of each


class MergedPieces(NamedTuple):
    """What each partition contributes."""

    #: The labels, sorted, shape (k,).
    classes: NDArray[Any]
    #: The class of each object, shape (n,).
    codes: Indices
    #: For each partition, the objects that no earlier one has with the same class.
    shares: list[Share]
    #: For each partition, the objects that no earlier one has with any class.
    firsts: list[Indices]
    #: The weight of all.
    total: float
    #: How many different objects there are.
    n_different: int


def merge_pieces(pieces: list[PieceIdentity], class_weight: Any) -> MergedPieces:
    """Merge equal objects of a class, and give each of them to the first partition that has it."""
    # no array, in which 1 and "1" would be one class
    found = [label for piece in pieces for label in piece.classes.tolist()]
    named = code_targets(found, len(found))
    starts = np.cumsum([0] + [len(piece.classes) for piece in pieces])
    codes = np.concatenate(
        [
            named.codes[first : first + len(piece.classes)][piece.codes]
            for first, piece in zip(starts, pieces, strict=False)
        ]
    ).astype(np.intp)
    classes, k = named.classes, len(named.classes)
    of_classes = class_weights(classes[codes], classes, class_weight)
    _, first, number = np.unique(
        np.concatenate([piece.keys for piece in pieces]), return_index=True, return_inverse=True
    )
    _, owner, group = np.unique(
        number.reshape(-1) * k + codes, return_index=True, return_inverse=True
    )
    weights = np.bincount(group.reshape(-1), weights=of_classes[codes])
    total = float(weights.sum())
    ends = np.cumsum([len(piece.codes) for piece in pieces])
    order = np.argsort(owner)
    shares = [
        Share(rows, codes[rows + begin], weights[places] / total)
        for rows, places, begin in _by_piece(owner[order], order, ends)
    ]
    firsts = [rows for rows, _, _ in _by_piece(np.sort(first), np.arange(len(first)), ends)]
    return MergedPieces(classes, codes, shares, firsts, total, len(first))


def _by_piece(
    positions: Indices, places: Indices, ends: Indices
) -> list[tuple[Indices, Indices, int]]:
    """Ascending positions cut by partitions: where they are in each, which they are, and where it
    begins.
    """
    cuts = np.searchsorted(positions, ends)
    begins = [0, *ends[:-1].tolist()]
    return [
        (positions[low:high] - begin, places[low:high], begin)
        for low, high, begin in zip([0, *cuts[:-1].tolist()], cuts.tolist(), begins, strict=True)
    ]


def merged_counts(
    elements: list[Elements], counts: list[NDArray[Any]]
) -> tuple[Elements, Integers]:
    """Counts of equal elements added: the different elements, and the sums.

    Examples
    --------
    >>> drinks = [Elements.of_texts(texts)[0] for texts in (["rum", "tea"], ["tea"])]
    >>> merged_counts(drinks, [np.array([1, 1]), np.array([4])])[1].tolist() in ([1, 5], [5, 1])
    True
    """
    different, places = joined_elements(elements)
    sums = np.zeros(len(different), dtype=np.int64)
    for of_part, count in zip(places, counts, strict=True):
        sums[of_part] += count
    return different, sums


def median_of_counts(counts: list[NDArray[Any]]) -> float:
    """The median of numbers of which it is known how often 0, 1, 2, ... occur.

    Examples
    --------
    >>> median_of_counts([np.array([0, 1, 2]), np.array([0, 1])])  # 1, 1, 2, 2
    1.5
    """
    occurs = np.zeros(max(map(len, counts)), dtype=np.int64)
    for each in counts:
        occurs[: len(each)] += each
    reached, n = np.cumsum(occurs), int(occurs.sum())
    low, high = np.searchsorted(reached, [(n - 1) // 2, n // 2], side="right")
    return float(low + high) / 2


def sums_in_order(parts: list[Floats]) -> Floats:
    """The sum of arrays, one after the other: the same on every cluster."""
    total = parts[0].copy()
    for part in parts[1:]:
        total += part
    return total


# ---- The linear program of a collection: what a step needs is summed by the workers, in an order
# that no cluster changes

#: So many partitions are summed by one task.
FAN_IN = 8


class PartitionedProblem(LinearProblem):
    """The training objects of a collection as linear scores see them; each partition stays where it
    is.
    """

    def __init__(
        self,
        pieces: list[Delayed],
        merged: MergedPieces,
        metric: Metric,
        n_coordinates: int,
        min_count: int,
    ) -> None:
        self.n_classes, self.total = len(merged.classes), merged.total
        self._pieces, self._merged = pieces, merged
        self._median, self._rarities = 0.0, np.empty(0)
        self.features = self._collected(metric, n_coordinates, min_count)
        sent, cut = shipped(self.features), dask.delayed(learning_piece)
        self._parts = persisted(
            [cut(piece, share, sent) for piece, share in zip(pieces, merged.shares, strict=True)]
        )
        # what was admitted is not needed any more; if a part is lost, Dask admits it again
        self._pieces = []
        self._hinges = {}

    @property
    def median_words(self) -> float:
        """The median number of words of the different texts; 0 for vectors."""
        return self._median

    @cached_property
    def rarities(self) -> Floats:
        """How rare each feature is among the different texts; 1 for coordinates."""
        return np.ones(len(self.features)) if self.features.vocabularies is None else self._rarities

    @cached_property
    def _variances(self) -> Floats:
        found = computed([dask.delayed(moments)(part) for part in self._parts], "moments")
        mean, squares = (sums_in_order([each[place] for each in found]) for place in range(2))
        return np.asarray(squares - mean**2)

    def _collected(self, metric: Metric, n_coordinates: int, min_count: int) -> CountedFeatures:
        """The features, counted by partitions."""
        blocks = checked_blocks(metric)
        if isinstance(blocks[0].metric, Manhattan):
            return CountedFeatures(blocks, None, n_coordinates)
        count = dask.delayed(count_texts)
        counted = computed(
            [
                count(piece, firsts)
                for piece, firsts in zip(self._pieces, self._merged.firsts, strict=True)
            ],
            "counts of features",
        )
        self._median = median_of_counts([each.words for each in counted])
        found = [
            merged_counts(
                [each.elements[block] for each in counted], [each.texts[block] for each in counted]
            )
            for block in range(len(blocks))
        ]
        frequent = [
            (elements.only(texts >= min_count), texts[texts >= min_count])
            for elements, texts in found
        ]
        vocabularies = [Vocabulary.of(elements.tuples()) for elements, _ in frequent]
        features = features_of_vocabularies(
            metric, vocabularies, self._merged.n_different, min_count
        )
        places = [
            vocabulary.places_of(elements)[0]
            for vocabulary, (elements, _) in zip(vocabularies, frequent, strict=True)
        ]
        texts = np.concatenate(
            [counts[np.argsort(place)] for place, (_, counts) in zip(places, frequent, strict=True)]
        )
        self._rarities = np.asarray(1.0 + np.log((1.0 + self._merged.n_different) / (1.0 + texts)))
        return features

    def _new_hinge(self, units: Floats, steps: Metric | None) -> Any:
        sent, make = shipped(units), dask.delayed(hinge_of_piece)
        parts = persisted([make(part, sent, self.n_classes, steps) for part in self._parts])
        return PartitionedHinge(parts, (len(self.features), self.n_classes))


class PartitionedHinge:
    """The hinge of `RobustHinge`, summed over partitions that are on workers."""

    def __init__(self, parts: list[Delayed], shape: tuple[int, int]) -> None:
        self._parts, self._shape = parts, shape

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of features and of classes."""
        return self._shape

    def solve(self, ridge: float, box: float, **settings: Any) -> Solution:
        """Solve the program, as `RobustHinge.solve`."""
        return solve_hinge(self, ridge, box, **settings)

    def losses(self, point: LinearPoint, edits: int, smoothing: float, factors: Floats) -> LossSums:
        """The sums of losses over all partitions."""
        return LossSums(*self._summed(losses_of_part, point, edits, smoothing, factors))

    def flow(self, point: LinearPoint, edits: int, smoothing: float) -> Floats:
        """The sums of the multipliers of each class against each other one."""
        return np.asarray(self._summed(flow_of_part, point, edits, smoothing)[0])

    def _summed(self, function: Any, point: LinearPoint, *arguments: Any) -> tuple[Any, ...]:
        """What a function says of each partition, summed by eights in the order of the
        partitions.
        """
        sent = dask.delayed(point, traverse=False)
        values = [dask.delayed(function)(part, sent, *arguments) for part in self._parts]
        add = dask.delayed(add_sums)
        while len(values) > 1:
            values = [
                add(values[place : place + FAN_IN]) for place in range(0, len(values), FAN_IN)
            ]
        (found,) = computed(values, "losses")
        return tuple(found)


def losses_of_part(
    part: RobustHinge, point: LinearPoint, edits: int, smoothing: float, factors: Floats
) -> LossSums:
    """The losses of a partition, on its worker."""
    with alone():
        return part.losses(point, edits, smoothing, factors)


def flow_of_part(
    part: RobustHinge, point: LinearPoint, edits: int, smoothing: float
) -> tuple[Floats]:
    """The multipliers of a partition between classes, on its worker."""
    with alone():
        return (part.flow(point, edits, smoothing),)


def add_sums(parts: list[Any]) -> tuple[Any, ...]:
    """Sums of several partitions, added in their order.

    Examples
    --------
    >>> add_sums([(1.0, 2.0), (3.0, 4.0)])
    (4.0, 6.0)
    """
    total = tuple(parts[0])
    for part in parts[1:]:
        total = tuple(mine + theirs for mine, theirs in zip(total, part, strict=True))
    return total


def fit_linear(
    model: LinearLipschitzClassifier, collection: Partitions
) -> LinearLipschitzClassifier:
    """Learn linear scores from a collection with labels.

    Features are counted, equal objects merged and gradients summed by partitions. To the client
    come, for each object, 16 bytes to find equal ones, 8 or 16 by which the model will recognise
    it, and its label; and for each step as many numbers as there are coefficients. Sums are those
    of one machine in another order, the same on every cluster.
    """
    model.check_parameters()
    admit = dask.delayed(admit_piece)
    sent = shipped(clone(model))
    pieces = persisted(
        [admit(sent, piece, number) for number, piece in enumerate(collection.pieces())]
    )
    identities: list[PieceIdentity | None] = computed(
        [dask.delayed(_identity)(piece) for piece in pieces], "partitions"
    )
    there = [
        (piece, facts) for piece, facts in zip(pieces, identities, strict=True) if facts is not None
    ]
    if not there:
        raise InvalidInput(
            "There are no objects to learn from.", advice="Pass at least one.", value=0
        )
    found = [facts for _, facts in there]
    _check_same_features(identities)
    merged = merge_pieces(found, model.class_weight)
    for name in ("n_features_in_", "feature_names_in_"):
        if name in found[0].attributes:
            setattr(model, name, found[0].attributes[name])
    model.metric_, model.classes_ = found[0].metric, merged.classes
    model.learned_from_ = _learned(found, merged)
    n_coordinates = int(found[0].attributes.get("n_features_in_", 0))
    problem = PartitionedProblem(
        [piece for piece, _ in there], merged, model.metric_, n_coordinates, model.min_count
    )
    del pieces, there  # so that workers drop what they admitted
    settings = settings_of(model, problem.median_words)
    model.take_solution(problem, settings, problem.solve(settings))
    return model


def _identity(piece: Any) -> PieceIdentity | None:
    return None if piece is None else piece.facts


def _check_same_features(identities: list[PieceIdentity | None]) -> None:
    """Raise an error for the first partition whose vectors have other features than those before
    it.
    """
    there = [(number, facts) for number, facts in enumerate(identities) if facts is not None]
    first, known = there[0][0], there[0][1].attributes
    for number, facts in there[1:]:
        if not all(
            np.array_equal(np.asarray(facts.attributes.get(name)), value)
            for name, value in known.items()
        ):
            raise InvalidInput(
                f"The vectors of {at('partition', number)} have "
                f"{facts.attributes.get('n_features_in_')} features, those of partition {first} "
                f"{known.get('n_features_in_')}, or other names for them.",
                advice="Give all partitions the same columns, in the same order.",
                value=facts.attributes.get("n_features_in_"),
                partition=number,
            )


def _learned(found: list[PieceIdentity], merged: MergedPieces) -> Learned | None:
    """What the model remembers of its objects; None if they cannot be recognised."""
    digests = [facts.digests for facts in found if facts.digests is not None]
    if len(digests) < len(found):
        return None
    named, taught = merged.classes[merged.codes], found[0].metric.taught_by
    together = ObjectDigests.together(digests)
    return Learned.of(together, named, np.ones(len(named)), metric_learned=False, taught_by=taught)
