"""Streams that come with River: the share of right answers, each asked before it is told, beside
River's models.

Nobody promises that labels here come from centres: they are noisy, and one of the streams has no
linear boundary at all.
"""

import time
from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any

from river import (
    compose,
    datasets,
    feature_extraction,
    forest,
    linear_model,
    multiclass,
    naive_bayes,
    neighbors,
    optim,
    preprocessing,
    tree,
)

from benchmarks.keeping import kept
from benchmarks.online import race
from benchmarks.online.ours import in_river

DATASETS: dict[str, Callable[[], Any]] = {
    "Phishing": datasets.Phishing,
    "ImageSegments": datasets.ImageSegments,
    "Bananas": datasets.Bananas,
}


def _scaled(model: Any) -> Any:
    return preprocessing.StandardScaler() | model


def _with_constant(model: Any) -> Any:
    """Scaled features and a constant one, which takes the part of an intercept."""
    return (preprocessing.StandardScaler() + compose.FuncTransformer(_constant)) | model


def _constant(_: dict[str, float]) -> dict[str, float]:
    return {"constant": 1.0}


def _curved(model: Any) -> Any:
    """Scaled features, their products of two and three, and a constant one."""
    products = feature_extraction.PolynomialExtender(degree=3, include_bias=True)
    return preprocessing.StandardScaler() | products | model


#: Many features have too many products.
FEW_FEATURES = 4
#: Binary models answer several labels one against the rest.
MODELS: dict[str, Callable[[], Any]] = {
    "PA": lambda: _scaled(multiclass.OneVsRestClassifier(linear_model.PAClassifier())),
    "softmax": lambda: _scaled(linear_model.SoftmaxRegression(optimizer=optim.SGD(0.1))),
    "softmax, cubic": lambda: _curved(linear_model.SoftmaxRegression(optimizer=optim.SGD(0.1))),
    "naive Bayes": naive_bayes.GaussianNB,
    "nearest neighbours": lambda: _scaled(neighbors.KNNClassifier()),
    "Hoeffding tree": tree.HoeffdingTreeClassifier,
    "adaptive forest": lambda: forest.ARFClassifier(seed=0),
    "ours, noise=0.1": lambda: _with_constant(in_river(noise=0.1)),
    "ours, softened": lambda: _with_constant(in_river(inconsistent="soften")),
    "ours, cubic": lambda: _curved(in_river(noise=0.1)),
}


def outcome(name: str, dataset: str) -> str:
    """The share of right answers in % and the CPU milliseconds of a round; kept like the other
    outcomes.
    """
    if "cubic" in name and DATASETS[dataset]().n_features > FEW_FEATURES:
        return ""

    def run() -> dict[str, float]:
        measured(MODELS[name](), islice(DATASETS[dataset](), race.WARM))
        return measured(MODELS[name](), DATASETS[dataset]())

    found = kept("online", f"{dataset}, {name}", run)
    return "" if found is None else f"{100 * found['right']:.1f} ({1000 * found['seconds']:.2g})"


def measured(model: Any, stream: Iterable[Any]) -> dict[str, float]:
    right, rounds = 0, 0
    started = time.process_time()
    for features, label in stream:
        right += model.predict_one(features) == label
        model.learn_one(features, label)
        rounds += 1
    return {"right": right / rounds, "seconds": (time.process_time() - started) / rounds}


def lines() -> list[list[str]]:
    """A line of the table for each model."""
    return [[name, *(outcome(name, dataset) for dataset in DATASETS)] for name in MODELS]
