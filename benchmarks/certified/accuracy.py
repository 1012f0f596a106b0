"""Errors on strings and texts beside what people would use instead of distances: TF-IDF of
character n-grams and a logistic regression, both with their own choice of parameters inside the
training half.
"""

import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from threadpoolctl import threadpool_limits

import wideberth as wb
from benchmarks.certified.samples import FILES, texts_of
from benchmarks.data import REPEATS
from benchmarks.outside_data import missing
from benchmarks.results import Facts
from benchmarks.rows import Row
from benchmarks.timing import table

#: How many texts of each set, chosen at random; half of them are learned from.
CHOSEN = {"words": 2_000, "names": 2_000, "sms": 2_000, "first names": 2_000}


def peer() -> Any:
    """Character n-grams at words, up to 3 or 5 letters, and three prices."""
    vectors = TfidfVectorizer(analyzer="char_wb", sublinear_tf=True)
    grid = {
        "tfidfvectorizer__ngram_range": [(1, 3), (1, 5)],
        "logisticregression__C": [1.0, 10.0, 100.0],
    }
    return GridSearchCV(make_pipeline(vectors, LogisticRegression(max_iter=1000)), grid, cv=3)


PEER = "TF-IDF and logistic regression"
METHODS: dict[str, Callable[[], Any]] = {
    PEER: peer,
    "linear, n-grams": lambda: wb.LinearLipschitzClassifierCV(
        wb.metric("ngrams", orders=(1, 2, 3)), cv=3, random_state=0
    ),
    "HilbertSVCCV, n-grams": lambda: wb.HilbertSVCCV(
        wb.metric("ngrams", form="ruzicka"), cv=3, random_state=0
    ),
    "HilbertSVCCV, normalized_levenshtein": lambda: wb.HilbertSVCCV(
        "normalized_levenshtein", cv=3, random_state=0
    ),
}


def measure() -> Facts:
    """The errors of all methods in every fold of 5 x 2."""
    with threadpool_limits(1), warnings.catch_warnings(action="ignore"):
        return {
            name: _errors(name)
            for name in CHOSEN
            if name not in FILES or not missing([FILES[name]])
        }


def _errors(name: str) -> Facts:
    texts, labels = texts_of(name)
    chosen = np.sort(
        np.random.default_rng(0).choice(len(texts), min(CHOSEN[name], len(texts)), replace=False)
    )
    texts, labels = np.array([texts[i] for i in chosen], dtype=object), labels[chosen]
    classes, sizes = np.unique(labels, return_counts=True)
    kept = np.isin(labels, classes[sizes >= 12])  # six in a half, two in each of three folds
    texts, labels = texts[kept], labels[kept]
    found: dict[str, list[float]] = {title: [] for title in METHODS}
    for repeat in range(REPEATS):
        for known, asked in StratifiedKFold(2, shuffle=True, random_state=repeat).split(
            labels, labels
        ):
            for title, make in METHODS.items():
                model = make().fit(list(texts[known]), labels[known])
                found[title].append(
                    100 * float(np.mean(model.predict(list(texts[asked])) != labels[asked]))
                )
            print(
                name,
                {title: errors[-1] for title, errors in found.items()},
                file=sys.stderr,
                flush=True,
            )
    return {"n": len(labels), "classes": len(np.unique(labels)), "errors": found}


def rows(facts: Facts) -> Iterator[Row]:
    """Ours beside TF-IDF, by the differences in the same folds."""
    for name, of in facts.items():
        for title in (each for each in METHODS if each != PEER):
            differences = np.subtract(of["errors"][title], of["errors"][PEER])
            yield Row(
                topic="accuracy",
                key=f"certified: errors on {name}, {title}",
                ours=float(np.mean(of["errors"][title])),
                peer=PEER,
                theirs=float(np.mean(of["errors"][PEER])),
                unit="% wrong",
                noise=float(differences.std(ddof=1) / np.sqrt(len(differences))),
                own_noise=float(np.std(of["errors"][title], ddof=1) / np.sqrt(len(differences))),
            )


def page(facts: Facts) -> str:
    rows = [
        [
            f"{name} ({of['n']:,} / {of['classes']})",
            *(
                f"{np.mean(of['errors'][title]):.1f} ± {_noise(of['errors'], title):.1f}"
                for title in METHODS
            ),
        ]
        for name, of in facts.items()
    ]
    again = [name for name, of in facts.items() if "kept" in of]
    earlier = {facts[name]["kept"][:12] for name in again}
    kept = (
        f" Linear scores on {', '.join(again)} were measured again, all else at commit "
        f"{', '.join(earlier)}."
        if again
        else ""
    )
    return (
        "## Errors beside "
        f"TF-IDF\n\n{WORDS}{kept}\n\n{table(['set (n / classes)', *METHODS], rows)}"
    )


def _noise(errors: dict[str, list[float]], title: str) -> float:
    """The standard deviation, over repetitions, of the difference to the peer; of the peer, of its
    own errors.
    """
    own = np.reshape(errors[title], (REPEATS, 2)).mean(axis=1)
    return float(
        np.std(own if title == PEER else own - np.reshape(errors[PEER], (REPEATS, 2)).mean(axis=1))
    )


WORDS = f"""\
Errors in %, {REPEATS} x 2-fold stratified cross-validation; every method chooses its parameters in three folds of its half. After
± the standard deviation over the {REPEATS} repetitions: of the errors for the peer, of the difference to the peer for ours."""
