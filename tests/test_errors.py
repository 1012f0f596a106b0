"""Warnings point at the line of the user, whichever way it led to them."""

import inspect
import warnings

import numpy as np
import pytest
from sklearn.datasets import make_moons
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import wideberth as wb
from wideberth.errors import (
    BrokenAxiomWarning,
    GapWarning,
    NotHilbertianWarning,
    SlowMetricWarning,
    warn_user,
)

X, Y = make_moons(60, noise=0.3, random_state=0)
SQUARES = wb.pairwise_distances(X) ** 2


def apart(one, other):
    return float(np.abs(one - other).sum())


PIPELINE = make_pipeline(FunctionTransformer(), wb.LipschitzClassifier("precomputed"))
SEARCH = GridSearchCV(wb.LipschitzClassifier("precomputed"), {"C": [2, 5]}, cv=2)
GRID_OF_SEARCHES = GridSearchCV(
    wb.LipschitzClassifierCV("precomputed", cv=2), {"C": [[2, 5], [25]]}, cv=2
)
BROKEN = [
    lambda: wb.LipschitzClassifier("precomputed").fit(SQUARES, Y),
    lambda: wb.LipschitzClassifier("precomputed").path(SQUARES, Y, C=[2, 5]),
    lambda: wb.LipschitzClassifier("precomputed", calibrate=2).fit(SQUARES, Y),
    lambda: wb.LipschitzClassifierCV("precomputed", C=[2, 5], cv=2).fit(SQUARES, Y),
    lambda: wb.LPMachineClassifierCV("precomputed", C=[2, 5], cv=2).fit(SQUARES, Y),
    lambda: wb.KuratowskiEmbedding("precomputed").fit(SQUARES),
    lambda: wb.KuratowskiEmbedding("precomputed").fit_transform(SQUARES),
    lambda: PIPELINE.fit(SQUARES, Y),
    lambda: SEARCH.fit(SQUARES, Y),
    lambda: GRID_OF_SEARCHES.fit(SQUARES, Y),
    lambda: cross_val_score(wb.LipschitzClassifier("precomputed"), SQUARES, Y, cv=2),
]
HURRIED = wb.LipschitzClassifier(max_time=1e-9, tol=1e-9)
OTHERS = [
    (GapWarning, lambda: HURRIED.fit(X, Y)),
    (
        GapWarning,
        lambda: wb.LipschitzClassifierCV(max_time=1e-9, tol=1e-9, C=[2, 25], cv=2).fit(X, Y),
    ),
    (GapWarning, lambda: GridSearchCV(HURRIED, {"C": [2, 25]}, cv=2).fit(X, Y)),
    (NotHilbertianWarning, lambda: wb.HilbertEmbedding("precomputed").fit(SQUARES)),
    (SlowMetricWarning, lambda: wb.metric(apart).block(np.tile(X, (3, 1)), X)),
]


@pytest.mark.parametrize(
    ("category", "call"), [*((BrokenAxiomWarning, call) for call in BROKEN), *OTHERS]
)
def test_warnings_point_at_the_line_of_the_user(category, call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    ours = [warning for warning in caught if warning.category is category]
    assert ours
    assert {(warning.filename, warning.lineno) for warning in ours} == {
        (__file__, inspect.getsourcelines(call)[1])
    }


def test_a_line_is_told_once_and_filters_see_the_module_of_the_user():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        warnings.filterwarnings("default", module=__name__.replace(".", r"\."))
        for _ in range(3):
            warn_user("The sky is falling.", UserWarning)
    assert [str(warning.message) for warning in caught] == ["The sky is falling."]
