"""Eight threads that fit and predict at the same time get the answers of one."""

import copy
import sys
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from joblib import parallel_backend
from sklearn.model_selection import GridSearchCV

import wideberth
from wideberth.classifiers.named import CLASSIFIERS
from wideberth.errors import NotCertified

RNG = np.random.default_rng(0)
POINTS, QUERIES = RNG.normal(size=(40, 3)), RNG.normal(size=(40, 3))
LABELS = np.digitize(POINTS[:, 0] + 0.3 * RNG.normal(size=40), [-0.5, 0.5])
WORDS = ["".join(RNG.choice(list("abc"), size=RNG.integers(1, 7))) for _ in range(60)]
#: Those that need distances alone.
CLASSES = sorted(
    {named.load() for named in CLASSIFIERS.values() if named.suits("euclidean")},
    key=lambda cls: cls.__name__,
)
THREADS = 8


def answers(model, X, y, queries):
    model.fit(X, y)
    return [model.predict(queries), model.decision_function(queries), model.predict(X)]


def assert_as_alone(work, times=8):
    """The same work, many times in eight threads, has the results that it has alone."""
    alone = work(0)
    with ThreadPoolExecutor(THREADS) as pool:
        for together in pool.map(work, range(times)):
            for one, other in zip(alone, together, strict=True):
                np.testing.assert_array_equal(one, other)


@pytest.mark.few(2)
@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_concurrent_fits(cls):
    assert_as_alone(lambda _: answers(cls(n_jobs=1), POINTS, LABELS, QUERIES))


@pytest.mark.few(2)
@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_concurrent_predictions_of_one_model(cls):
    model = cls().fit(POINTS, LABELS)
    assert_as_alone(lambda _: [model.predict(QUERIES), model.decision_function(QUERIES)], times=24)
    own = wideberth.metric(lambda one, other: float(np.abs(one - other).sum()), obeys_triangle=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = cls(own).fit(list(POINTS), LABELS)
        assert_as_alone(lambda _: [model.predict(list(QUERIES))])


@pytest.fixture
def threads_that_change_often():
    """Where threads take turns, they do so all the time; without the lock of Python they always do."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def everything(model):
    """All that a model answers, what it computes when it is asked first among it."""
    told = [model.predict(QUERIES), model.decision_function(QUERIES)]
    if hasattr(model, "predict_proba"):
        told.append(model.predict_proba(QUERIES))
    try:
        told.append(model.certified_radius(QUERIES))
    except NotCertified as refused:
        told.append(str(refused))
    return [*told, str(model.summary()), [str(each) for each in model.explain(QUERIES[:2])]]


@pytest.mark.few(3)
@pytest.mark.usefixtures("threads_that_change_often")
@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_the_first_questions_to_a_model_may_come_at_once(cls):
    model = cls().fit(POINTS, LABELS)
    alone, begin = everything(copy.deepcopy(model)), threading.Barrier(THREADS)

    def ask(_):
        begin.wait()
        return everything(model)

    with ThreadPoolExecutor(THREADS) as pool:
        for together in pool.map(ask, range(THREADS)):
            for one, other in zip(alone, together, strict=True):
                np.testing.assert_array_equal(one, other)


@pytest.mark.slow
@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_concurrent_fits_on_one_space(cls):
    space = wideberth.MetricSpace(WORDS, "normalized_levenshtein", max_memory="20kB")
    labels = np.resize([0, 1], 60)
    settings = {"repair": "clip"} if cls is wideberth.HilbertSVC else {}
    assert_as_alone(
        lambda _: answers(cls(space.metric, **settings), space.index, labels, space.index[:9]),
        times=16,
    )


@pytest.mark.few(2)
@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_a_search_over_parameters_in_threads(cls):
    grid = {"metric": ["euclidean", "manhattan"]}

    def search(n_jobs):
        with parallel_backend("threading", n_jobs=n_jobs):
            return (
                GridSearchCV(cls(n_jobs=1), grid, cv=3, error_score="raise", n_jobs=n_jobs)
                .fit(POINTS, LABELS)
                .cv_results_
            )

    alone, together = search(1), search(THREADS)
    np.testing.assert_array_equal(alone["mean_test_score"], together["mean_test_score"])
