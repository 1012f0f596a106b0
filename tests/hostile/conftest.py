"""One process that judges model files, for all tests here."""

import pytest
from hostile.server import JudgeServer

#: Every classifier, a search, the kinds of samples that are kept in ways of their own, and metrics
#: with costs of their own.
FILES = [
    "lipschitz-calibrated",
    "lp-radials",
    "margin-holdout",
    "neighbors-chosen",
    "neighbors-matrix",
    "neighbors-table",
]
FILES += [
    "svm-several-classes",
    "metric-mahalanobis",
    "metric-msm",
    "metric-jaccard",
    "metric-tanimoto",
    "transform-product",
]
FILES += ["metric-weisfeiler_lehman", "metric-tree_edit", "metric-weighted-edit-costs"]
FILES += ["auto", "linear-words", "online-sampling", "search-exact"]


@pytest.fixture(scope="session")
def judge():
    with JudgeServer(FILES) as server:
        yield server
