"""The parameters of `LinearLipschitzClassifier`: what they may be, and what they mean for a
metric.
"""

import math
from typing import Any

from wideberth.classifiers.linear.features.changes import has_changes
from wideberth.classifiers.linear.features.features import checked_blocks
from wideberth.classifiers.linear.problem import LearningSettings, seconds_from_now
from wideberth.errors import InvalidInput
from wideberth.estimators.metric_estimator import CALIBRATE, MAX_TIME, TOLERANCE, Fits
from wideberth.metrics.metric import Metric
from wideberth.metrics.parameters import is_number, is_whole
from wideberth.metrics.strings.edits import Levenshtein
from wideberth.metrics.strings.words_and_grams import NGrams
from wideberth.wording import setting

#: The programs, by the names of the parameter.
PROGRAMS = ("robust", "slope")
#: For how many edits the hinge is robust by default with counts of words; and for one edit less for
#: as many words less than twice this number: what short texts say is gone after few edits, and
#: nothing would be learned.
USUAL_EDITS, _WORDS_FOR_AN_EDIT = 2, 5
#: Paths and hinges of more edits take too long.
_MOST_EDITS = 20
#: Above, the price of coefficients would vanish beside that of errors.
_LARGEST_C = 1e150

FITS = {
    "C": Fits(
        lambda value: is_number(value) and 0 < value <= _LARGEST_C,
        f"It is positive and at most {_LARGEST_C:g}, such as 1.",
    ),
    "edits": Fits(
        lambda value: value is None or (is_whole(value, 0) and value <= _MOST_EDITS),
        f"Pass a whole number from 0 to {_MOST_EDITS}, or None.",
    ),
    "margin": Fits(
        lambda value: value is None or (is_number(value) and 0 < value < math.inf),
        "Pass a positive number of edits such as 8, or None for the price C.",
    ),
    "program": Fits(
        lambda value: isinstance(value, str) and value in PROGRAMS, "It is 'robust' or 'slope'."
    ),
    "exact_edits": Fits(
        lambda value: is_whole(value, 0) and value <= _MOST_EDITS,
        f"Pass a whole number from 0 to {_MOST_EDITS}.",
    ),
    "min_count": Fits(lambda value: is_whole(value, 1), "Pass a number of texts, 1 or more."),
    "tol": TOLERANCE,
    "max_time": MAX_TIME,
    "calibrate": CALIBRATE,
}


def check_program(model: Any) -> None:
    """Raise an `InvalidInput` for parameters that have no meaning in the program of the slope."""
    if model.program == "slope" and (model.margin is not None or model.edits):
        name, value = ("edits", model.edits) if model.edits else ("margin", model.margin)
        raise InvalidInput(
            f"{setting(name, value)} has no meaning in the program of the slope.",
            advice=f"Leave {name} out: C says how wide the margin is; or take "
            f"{setting('program', 'robust')}.",
            value=value,
        )


def settings_of(model: Any, median_words: float) -> LearningSettings:
    """How a classifier whose ``metric_`` is known shall learn from texts of so many words, in the
    unit of that metric.
    """
    box = (
        math.inf
        if model.margin is None
        else 1.0 / (2.0 * changed_by_an_edit(model.metric_) * model.margin)
    )
    edits, by_slope = _known_edits(model, median_words), model.program == "slope"
    return LearningSettings(
        model.C, edits, box, by_slope, model.tol, seconds_from_now(model.max_time)
    )


def changed_by_an_edit(metric: Metric) -> float:
    """How far an edit moves an object in a metric at most; 1 where distances are not bounded by
    edits.

    Examples
    --------
    >>> from wideberth.metrics.named import metric
    >>> changed_by_an_edit(metric("words")), changed_by_an_edit(metric("manhattan"))
    (3.0, 1.0)
    """
    return float(metric.dominated.get(Levenshtein.name, 1.0))


def _known_edits(model: Any, median_words: float) -> int:
    """The number of edits for which the hinge is robust, or an error if nothing is known about
    edits.
    """
    blocks = checked_blocks(model.metric_)
    known = has_changes(blocks)
    if model.edits is None:
        usual = known and model.program == "robust" and not isinstance(blocks[0].metric, NGrams)
        return min(USUAL_EDITS, int(median_words // _WORDS_FOR_AN_EDIT)) if usual else 0
    if model.edits and not known:
        raise InvalidInput(
            f"{setting('edits', shown=model.edits)}: what an edit changes in the counts of "
            f"{model.metric_.name!r} is not listed.",
            advice="Leave edits out, or pass 0, and a margin; or take "
            f"{setting('metric', 'words')} or 'ngrams'.",
            value=model.edits,
        )
    return int(model.edits)
