"""Estimators report what they do: `verbose` means the same everywhere, and scikit-learn's callbacks
are told.
"""

import inspect
import pickle
from importlib.util import find_spec
from typing import ClassVar

import numpy as np
import pytest
from families import every_classifier
from sklearn.base import clone

import wideberth
from wideberth import progress
from wideberth.errors import InvalidInput
from wideberth.estimators.metric_estimator import reported
from wideberth.progress import CURRENT, Watch, task

CLASSES = [
    *(
        type(model)
        for model in every_classifier("vectors", like=lambda entry: entry.suits("euclidean"))
    ),
    wideberth.KuratowskiEmbedding,
    wideberth.HilbertEmbedding,
]
RNG = np.random.default_rng(0)
POINTS = RNG.normal(size=(60, 2))
LABELS = (POINTS[:, 0] + 0.3 * RNG.normal(size=60) > 0).astype(int)


class Recorder:
    """Remembers the tasks that a display was shown."""

    seen: ClassVar[list[tuple[str, ...]]] = []

    def show(self, facts):
        self.seen.append(facts.what)

    def close(self, facts):
        self.seen.append(("closed", facts.what[0]))


@pytest.fixture
def impatient(monkeypatch):
    """A watch that looks whenever a task begins, and has seen enough at once."""

    class Looking(Watch):
        def add(self, task, *, lines):
            super().add(task, lines=lines)
            self.look()

    Recorder.seen = []
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setattr(progress, "WATCH", Looking(bar=Recorder, lines=Recorder))
    monkeypatch.setattr(progress.WATCH, "start", lambda: None)
    return Recorder.seen


@pytest.mark.few(2)
@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_every_long_fit_has_verbose_and_reports(cls, impatient):
    assert inspect.signature(cls).parameters["verbose"].default == 0
    model = cls(verbose=1).fit(POINTS, LABELS)
    assert impatient == [(f"{cls.__name__}.fit",), ("closed", f"{cls.__name__}.fit")]
    assert clone(model).verbose == 1
    assert pickle.loads(pickle.dumps(model)).verbose == 1
    impatient.clear()
    cls().fit(POINTS, LABELS)
    assert impatient == []


def test_what_a_model_answers_does_not_depend_on_verbose():
    talkative, silent = (
        wideberth.LipschitzClassifier(verbose=verbose).fit(POINTS, LABELS) for verbose in (1, 0)
    )
    np.testing.assert_array_equal(
        talkative.decision_function(POINTS), silent.decision_function(POINTS)
    )


def test_verbose_is_a_number():
    with pytest.raises(InvalidInput, match="verbose='loud' does not fit"):
        wideberth.NeighborsClassifier(verbose="loud").fit(POINTS, LABELS)
    wideberth.NeighborsClassifier(verbose=True).fit(POINTS, LABELS)


def test_a_reported_method_keeps_its_signature():
    assert list(inspect.signature(wideberth.LipschitzClassifier.fit).parameters) == [
        "self",
        "X",
        "y",
        "sample_weight",
    ]


def test_a_failing_fit_ends_its_task(impatient):
    with pytest.raises(InvalidInput):
        wideberth.LipschitzClassifier(verbose=1).fit(POINTS, LABELS[:5])
    assert impatient[-1] == ("closed", "LipschitzClassifier.fit")
    assert CURRENT.get() is None


# ---- scikit-learn's callbacks --------------------------------------------------------------------


class Callback:
    """A callback that remembers what it was told."""

    def __init__(self):
        self.told = []

    def setup(self, estimator, context):
        self.told.append("setup")

    def on_fit_task_begin(self, estimator, context):
        self.told.append(("begin", context.task_name, context.max_subtasks))

    def on_fit_task_end(self, estimator, context):
        self.told.append(("end", context.task_name))

    def teardown(self, estimator, context):
        self.told.append("teardown")


class Brewer(wideberth.NeighborsClassifier):
    """A classifier that brews tea instead of learning."""

    def brew(self):
        with task("brewing", 3) as brewing:
            with task("pot", 250, worth=1) as pot:
                pot.advance(125)
                with task("stirring", 2):
                    pass
            brewing.advance(2)

    @reported
    def fit(self, X, y, sample_weight=None):
        self.brew()
        return self


def with_callbacks():
    return pytest.importorskip("sklearn.callback", reason="scikit-learn 1.9 or later has callbacks")


def test_callbacks_are_told_of_the_tasks_that_take_long(monkeypatch):
    with_callbacks()
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    callback = Callback()
    Brewer().set_callbacks(callback).fit(POINTS, LABELS)
    outer = ["setup", ("begin", "fit", None), ("begin", "brewing", 3), ("begin", "pot", 100)]
    step = [("begin", "step", 0), ("end", "step")]
    assert callback.told[:4] == outer
    assert callback.told[4:] == [
        *step * 50,
        ("end", "pot"),
        *step * 2,
        ("end", "brewing"),
        ("end", "fit"),
        "teardown",
    ]


def test_callbacks_are_not_told_of_the_rest():
    with_callbacks()
    callback = Callback()
    Brewer().set_callbacks(callback).fit(POINTS, LABELS)
    assert callback.told == ["setup", ("begin", "fit", None), ("end", "fit"), "teardown"]


def test_callbacks_are_torn_down_after_an_error():
    with_callbacks()
    callback = Callback()
    with pytest.raises(InvalidInput):
        wideberth.LipschitzClassifier().set_callbacks(callback).fit(POINTS, LABELS[:5])
    assert callback.told == ["setup", ("begin", "fit", None), "teardown"]


@pytest.mark.few(4)
@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_callbacks_are_told_once_by_the_outermost_fit(cls, monkeypatch):
    with_callbacks()
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    callback = Callback()
    model = cls().set_callbacks(callback).fit(POINTS, LABELS)
    assert callback.told[:2] == ["setup", ("begin", "fit", None)]
    assert callback.told[-2:] == [("end", "fit"), "teardown"]
    assert callback.told.count("setup") == 1
    assert pickle.loads(pickle.dumps(model)) is not model


def test_the_bar_and_the_scores_of_scikit_learn_work(capsys):
    callbacks = with_callbacks()
    monitor = callbacks.ScoringMonitor(scoring="accuracy")
    model = (
        wideberth.LipschitzClassifierCV(cv=2)
        .set_callbacks(callbacks.ProgressBar(), monitor)
        .fit(POINTS, LABELS)
    )
    assert "LipschitzClassifierCV - fit" in capsys.readouterr().out
    (entry,) = (row for row in monitor.get_logs().data if row["task_name"] == "fit")
    assert entry["accuracy"] == pytest.approx(model.score(POINTS, LABELS))


def test_a_grid_search_of_scikit_learn_hands_its_callbacks_on():
    callbacks = with_callbacks()
    from sklearn.model_selection import GridSearchCV

    search = GridSearchCV(wideberth.LipschitzClassifier(), {"C": [2.0, 5.0]}, cv=2)
    search.set_callbacks(callbacks.ProgressBar(max_propagation_depth=None)).fit(POINTS, LABELS)
    assert search.best_estimator_.predict(POINTS).shape == (60,)


def test_tasks_in_many_threads_are_told_one_at_a_time(monkeypatch):
    with_callbacks()
    from wideberth.geometry.measure.parallel import over_chunks

    monkeypatch.setattr(progress, "PATIENCE", 0.0)

    class Crowd(Brewer):
        def brew(self):
            def work(number):
                with task(f"cup {number}", 4, worth=1) as cup:
                    for _ in range(4):
                        cup.advance()

            with task("cups", 20):
                list(over_chunks(work, range(20), n_jobs=4, expected=10.0))

    callback = Callback()
    Crowd().set_callbacks(callback).fit(POINTS, LABELS)
    assert sum(told[:2] == ("begin", "step") for told in callback.told) == 80
    assert (
        sum(told[0] == "begin" for told in callback.told)
        == sum(told[0] == "end" for told in callback.told)
        == 102
    )


def test_estimators_take_callbacks_where_scikit_learn_has_them():
    assert hasattr(wideberth.LipschitzClassifier, "set_callbacks") == (
        find_spec("sklearn.callback") is not None
    )
