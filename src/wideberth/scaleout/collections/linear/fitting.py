"""Fit the linear classifier on a collection whose objects stay on the workers."""

from typing import Any

import dask
import numpy as np
from sklearn.base import clone

from wideberth.classifiers.linear.classifier import LinearLipschitzClassifier
from wideberth.classifiers.linear.parameters import settings_of
from wideberth.errors import InvalidInput
from wideberth.estimators.training_digests import Learned
from wideberth.objects.disguises import ObjectDigests
from wideberth.scaleout.collections.linear.merging import MergedPieces, merge_pieces
from wideberth.scaleout.collections.linear.pieces import PieceIdentity, admit_piece
from wideberth.scaleout.collections.linear.problem import PartitionedProblem
from wideberth.scaleout.collections.partitions import Partitions
from wideberth.scaleout.collections.shipping import computed, persisted, shipped
from wideberth.wording import at


def fit_linear(model: LinearLipschitzClassifier, collection: Partitions) -> LinearLipschitzClassifier:
    """Learn linear scores from a collection with labels.

    Features are counted, equal objects merged and gradients summed by partitions. To the client come, for each object, 16 bytes
    to find equal ones, 8 or 16 by which the model will recognise it, and its label; and for each step as many numbers as there
    are coefficients. Sums are those of one machine in another order, the same on every cluster.

    Parameters
    ----------
    model : LinearLipschitzClassifier
        Its parameters; it is fitted.
    collection : Partitions
        Objects with labels.
    """
    model.check_parameters()
    admit = dask.delayed(admit_piece)
    sent = shipped(clone(model))
    pieces = persisted([admit(sent, piece, number) for number, piece in enumerate(collection.pieces())])
    identities: list[PieceIdentity | None] = computed([dask.delayed(_identity)(piece) for piece in pieces], "partitions")
    there = [(piece, facts) for piece, facts in zip(pieces, identities, strict=True) if facts is not None]
    if not there:
        raise InvalidInput("There are no objects to learn from.", advice="Pass at least one.", value=0)
    found = [facts for _, facts in there]
    _check_same_features(identities)
    merged = merge_pieces(found, model.class_weight)
    for name in ("n_features_in_", "feature_names_in_"):
        if name in found[0].attributes:
            setattr(model, name, found[0].attributes[name])
    model.metric_, model.classes_ = found[0].metric, merged.classes
    model.learned_from_ = _learned(found, merged)
    n_coordinates = int(found[0].attributes.get("n_features_in_", 0))
    problem = PartitionedProblem([piece for piece, _ in there], merged, model.metric_, n_coordinates, model.min_count)
    del pieces, there  # so that workers drop what they admitted
    settings = settings_of(model, problem.median_words)
    model.take_solution(problem, settings, problem.solve(settings))
    return model


def _identity(piece: Any) -> PieceIdentity | None:
    return None if piece is None else piece.facts


def _check_same_features(identities: list[PieceIdentity | None]) -> None:
    """Raise an error for the first partition whose vectors have other features than those before it."""
    there = [(number, facts) for number, facts in enumerate(identities) if facts is not None]
    first, known = there[0][0], there[0][1].attributes
    for number, facts in there[1:]:
        if not all(np.array_equal(np.asarray(facts.attributes.get(name)), value) for name, value in known.items()):
            raise InvalidInput(
                f"The vectors of {at('partition', number)} have {facts.attributes.get('n_features_in_')} features, those of "
                f"partition {first} {known.get('n_features_in_')}, or other names for them.",
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
