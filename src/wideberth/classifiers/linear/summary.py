"""What a `LinearLipschitzClassifier` has learned, in words."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from wideberth.estimators.summary_phrases import counted, one_label_in_words
from wideberth.metrics.strings.edits import Levenshtein

#: A relative gap that is worth telling; the bound of a hinge after edits is often far below the optimum.
_SMALL_GAP = 0.01


def learned_in_words(model: Any) -> list[str]:
    """The lines of the summary of a fitted classifier that are special to it."""
    return list(_lines(model))


def _lines(model: Any) -> Iterator[str]:
    paid = f"C = {model.C:g}" if model.margin is None else f"margin {model.margin:g}"
    if not model.lipschitz_constant_:
        label = model.classes_[: 1 + int(np.argmax(model.intercept_))].tolist()[-1]
        yield f"{paid}: {one_label_in_words(label, len(model.classes_))}"
        return
    in_edits = Levenshtein.name in model.metric_.dominated
    robust = f", robust to {counted(model.edits_, 'edit', 'edits')}" if model.edits_ else ""
    features = counted(len(model.feature_names_), "feature", "features")
    reach = f"{model.margin_:.4g} {'edits' if in_edits else 'units of the metric'}"
    gap = max(0.0, model.solution_.relative_gap)
    proved = f"; within {gap:.2g} of the optimum" if gap <= _SMALL_GAP else ""  # a wide one says little of the scores
    yield f"{paid}{robust}: linear in the counts of {features}{proved}."
    yield f"No lead of 1 is lost within {reach}."
    if model._function.paths is not None and not model._function.paths.exact:
        yield f"Radii in edits are bounds by shortest paths of words and of n-grams up to {model.exact_edits}, by slopes beyond."
    elif model._function.paths is not None:
        yield f"Radii in edits are exact up to {counted(model.exact_edits, 'edit', 'edits')}, by shortest paths; bounds beyond."
    elif in_edits:
        yield "Radii in edits are bounds: for these features there are no shortest paths."
