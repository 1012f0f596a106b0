"""The state of a `LinearLipschitzClassifier` in a model file: features and coefficients, and no training objects."""

from typing import Any

import numpy as np

from wideberth.array_types import Integers
from wideberth.classifiers.linear.features.features import CountedFeatures, checked_blocks
from wideberth.classifiers.linear.features.vocabulary import Vocabulary
from wideberth.classifiers.linear.learning.robust_hinge import LinearPoint
from wideberth.errors import InvalidInput
from wideberth.estimators import restored_values
from wideberth.estimators.calibration import calibration_to_plain, restore_calibration
from wideberth.metrics.containers import check_starts
from wideberth.metrics.metric import Metric
from wideberth.metrics.strings.count_kernels import MARK
from wideberth.metrics.strings.words_and_grams import NGrams
from wideberth.metrics.vectors.minkowski import Manhattan
from wideberth.optimize.solution import Solution


def state_of(model: Any) -> dict[str, Any]:
    """The plain values of a fitted classifier; see `wideberth.estimators.metric_estimator.MetricEstimator`."""
    vocabularies = model._function.features.vocabularies
    return {
        "objects": None,
        "features": None if vocabularies is None else [{"letters": v.letters, "starts": v.starts} for v in vocabularies],
        "coefficients": model.coef_,
        "intercepts": model.intercept_,
        "C": model.C_,
        "edits": model.edits_,
        **calibration_to_plain(model),
        "value": model.solution_.value,
        "lower_bound": model.solution_.lower_bound,
        "status": model.solution_.status,
    }


def restore(model: Any, state: dict[str, Any]) -> None:
    """Set the fitted attributes of a classifier from the state that `state_of` collected, which comes from a file.

    Parameters
    ----------
    model : LinearLipschitzClassifier
        A classifier whose parameters, ``metric_`` and ``classes_`` are already set.
    state : dict
        The values from the file.
    """
    coefficients = restored_values.table(state, "coefficients", (len(model.classes_), None))
    features = _restored_features(model, state, coefficients.shape[1])
    intercepts = restored_values.finite(state, "intercepts", len(model.classes_))
    model.C_ = restored_values.number(state, "C", least=0.0)
    model.edits_ = restored_values.whole(state, "edits", least=0, most=restored_values.MOST_JOBS)
    restore_calibration(model, state)
    value, lower_bound = (restored_values.number(state, name) for name in ("value", "lower_bound"))
    model._set_scores(features, coefficients, intercepts)
    model.solution_ = Solution(LinearPoint(coefficients.T, intercepts), value, lower_bound, str(state["status"]))


def _restored_features(model: Any, state: dict[str, Any], n_features: int) -> CountedFeatures:
    """The features, as many as there are coefficients."""
    blocks = checked_blocks(model.metric_)
    written = state["features"]
    if isinstance(blocks[0].metric, Manhattan) and written is None:
        return CountedFeatures(blocks, None, n_features)
    if not isinstance(written, list) or len(written) != len(blocks):
        raise InvalidInput(f"The metric counts {len(blocks)} kinds of features, the file does not.", value=type(written).__name__)
    features = CountedFeatures(blocks, [_restored_vocabulary(each, b.metric) for each, b in zip(written, blocks, strict=True)])
    if len(features) != n_features:
        raise InvalidInput(f"There are {len(features)} features and {n_features} coefficients.", value=n_features)
    return features


def _restored_vocabulary(written: Any, metric: Metric) -> Vocabulary:
    """A vocabulary of different words, or of different n-grams with marks: what a file calls one feature is one."""
    try:
        letters, starts = written["letters"], written["starts"]
        check_starts(letters, starts, "u")
    except (ValueError, TypeError, KeyError) as reason:
        raise InvalidInput(f"A vocabulary is damaged: {reason}.", value=type(written).__name__) from None
    bounds: Integers = starts.astype(np.int64)
    most = MARK if isinstance(metric, NGrams) else MARK - 1
    if np.any(letters > most) or np.any(np.diff(bounds) < 1):
        raise InvalidInput("A vocabulary holds what is no letter, or nothing.", value=int(letters.max(initial=0)))
    vocabulary = Vocabulary(letters.astype(np.uint32), bounds)
    if (repeat := vocabulary.repeated()) is not None:
        raise InvalidInput(f"A vocabulary holds {vocabulary.names[repeat]!r} twice.", value=vocabulary.names[repeat])
    return vocabulary
