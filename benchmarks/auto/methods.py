"""What is compared: the automatic choice with no options, and its peers, each tuned on the training
objects.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

import wideberth as wb
from benchmarks.auto.sets import LabelledSet
from benchmarks.data import Indices, Labels
from benchmarks.results import Facts

#: What the SVM chooses from, distances over their median; and its steps, which need not end if a
#: kernel is indefinite.
WIDTHS, PRICES, STEPS = (0.1, 0.3, 1.0, 3.0, 10.0), (1.0, 10.0, 100.0), 100_000
#: Folds inside the training objects on which peers choose.
INNER = StratifiedKFold(3, shuffle=True, random_state=0)


@dataclass(frozen=True)
class Learned:
    """A fitted method: its answers for objects of the set, and what it tells about itself."""

    answer: Callable[[Indices], Labels]
    told: Facts = field(default_factory=dict)


#: Learns from the objects of a set with these numbers.
Method = Callable[[LabelledSet, Indices], Learned]


def automatic(max_time: float) -> Method:
    """The automatic choice, as `wideberth fit` makes it for objects of this kind."""

    def learn(data: LabelledSet, known: Indices) -> Learned:
        model = wb.AutoClassifier(
            data.proposed(known), max_time=max_time, random_state=0, verbose=-1
        )
        model.fit(data.some(known), data.labels[known])
        return Learned(
            lambda asked: model.predict(data.some(asked)),
            {
                "metric": model.leaderboard_[0]["metric"],
                "family": model.leaderboard_[0]["family"],
                "in words": model.choice_,
                "left out": 100 * model.leaderboard_[0]["error"],
                "expected": 100 * model.expected_error_,
            },
        )

    return learn


def neighbors(data: LabelledSet, known: Indices) -> Learned:
    """Nearest neighbours on the usual distance; k by leave-one-out."""
    model = wb.NeighborsClassifier(data.metric).fit(data.some(known), data.labels[known])
    return Learned(lambda asked: model.predict(data.some(asked)))


def svm(data: LabelledSet, known: Indices) -> Learned:
    """An SVM with the kernel exp(-g d^2) of the usual distance; g and C by cross-validation."""
    metric = (
        wb.NeighborsClassifier(data.metric, n_neighbors=1)
        .fit(data.some(known), data.labels[known])
        .metric_
    )
    held = metric.prepare(data.some(known))
    distances = np.asarray(metric.block(held, held))
    unit = np.median(distances[distances > 0])
    searches = [
        GridSearchCV(
            SVC(kernel="precomputed", max_iter=STEPS, cache_size=1000), {"C": PRICES}, cv=INNER
        ).fit(np.exp(-width * (distances / unit) ** 2), data.labels[known])
        for width in WIDTHS
    ]
    width, best = max(zip(WIDTHS, searches, strict=True), key=lambda pair: pair[1].best_score_)

    def answer(asked: Indices) -> Labels:
        to_known = np.asarray(metric.block(metric.prepare(data.some(asked)), held))
        return np.asarray(best.predict(np.exp(-width * (to_known / unit) ** 2)))

    return Learned(answer)


def _of_scikit_learn(
    make: Callable[[], Any], seen: Callable[[Any], Any] = lambda objects: objects
) -> Method:
    """A classifier of scikit-learn, or one with its methods, on what it sees of the objects."""

    def learn(data: LabelledSet, known: Indices) -> Learned:
        model = make().fit(seen(data.some(known)), data.labels[known])
        return Learned(lambda asked: np.asarray(model.predict(seen(data.some(asked)))))

    return learn


def _texts() -> Any:
    vectors = TfidfVectorizer(analyzer="char_wb", ngram_range=(1, 5), sublinear_tf=True)
    grid = {"logisticregression__C": [1.0, 10.0, 100.0]}
    return GridSearchCV(make_pipeline(vectors, LogisticRegression(max_iter=1000)), grid, cv=INNER)


def _fingerprints(smiles: Any) -> Any:
    """ECFP4 of 2048 bits."""
    from rdkit.Chem import MolFromSmiles
    from rdkit.Chem.rdFingerprintGenerator import GetMorganGenerator

    generator = GetMorganGenerator(radius=2, fpSize=2048)
    return np.array([generator.GetFingerprintAsNumPy(MolFromSmiles(each)) for each in smiles])


def _columns(rows: Any) -> Any:
    """Numbers as they are, names as categories."""
    if isinstance(rows, np.ndarray):
        return rows
    named = rows.select_dtypes(exclude="number").columns
    return rows.astype(dict.fromkeys(named, "category"))


def _lightgbm() -> Any:
    from lightgbm import LGBMClassifier

    return LGBMClassifier(random_state=0, n_jobs=1, verbose=-1)


def _columns_by_number(rows: Any) -> Any:
    """LightGBM refuses some characters in the names of columns."""
    columns = _columns(rows)
    return (
        columns if isinstance(rows, np.ndarray) else columns.set_axis(range(rows.shape[1]), axis=1)
    )


def _minirocket() -> Any:
    from aeon.classification.convolution_based import MiniRocketClassifier

    return MiniRocketClassifier(random_state=0)


def _dtw() -> Any:
    from aeon.classification.distance_based import KNeighborsTimeSeriesClassifier

    return KNeighborsTimeSeriesClassifier(n_neighbors=1, distance="dtw")


def _channels(series: Any) -> Any:
    return np.asarray(series)[:, None, :]


#: The peers on objects of every kind, and those on objects of one.
EVERYWHERE: dict[str, Method] = {"kNN": neighbors, "SVM": svm}
_TREES = {
    "HistGB": _of_scikit_learn(
        lambda: HistGradientBoostingClassifier(categorical_features="from_dtype", random_state=0),
        _columns,
    ),
    "LightGBM": _of_scikit_learn(lambda: _lightgbm(), _columns_by_number),
}
_OF_A_KIND: dict[str, dict[str, Method]] = {
    "strings": {"TF-IDF + LR": _of_scikit_learn(_texts)},
    "molecules": {
        "RF on ECFP": _of_scikit_learn(
            lambda: RandomForestClassifier(500, random_state=0, n_jobs=-1), _fingerprints
        )
    },
    "vectors": _TREES,
    "rows": _TREES,
    "series": {
        "1-NN DTW": _of_scikit_learn(_dtw, _channels),
        "MiniRocket": _of_scikit_learn(_minirocket, _channels),
    },
}


def peers(data: LabelledSet) -> dict[str, Method]:
    """The peers for a set; shapes in the plane are no series to them, though they are read as
    such.
    """
    shapes = isinstance(data.objects, np.ndarray) and data.objects.ndim == 3
    special = {} if shapes else _OF_A_KIND.get(data.kind, {})
    return EVERYWHERE | special
