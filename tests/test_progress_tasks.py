"""Nested tasks, the share that is done, and the time that is left."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wideberth import progress
from wideberth.progress import CURRENT, Facts, Task, clock_time, time_left


class Clock:
    """A clock that stands still until it is set."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@given(share=st.floats(1e-6, 1), elapsed=st.floats(0, 1e6))
def test_the_rest_takes_as_long_as_the_work_so_far_for_its_share(share, elapsed):
    assert share * (elapsed + time_left(share, elapsed)) == pytest.approx(elapsed)


def test_nothing_done_says_nothing_of_the_rest():
    assert time_left(0.0, 10.0) is None


@pytest.mark.parametrize(
    ("seconds", "shown"), [(0.4, "0:00"), (59.6, "1:00"), (3599, "59:59"), (7322, "2:02:02")]
)
def test_times_are_shown_as_on_a_clock(seconds, shown):
    assert clock_time(seconds) == shown


def test_what_runs_inside_counts_for_what_it_is_worth(clock):
    with Task("folds", 5, clock=clock) as folds:
        folds.advance(1)
        with Task("fold", 10, worth=1, parent=folds, clock=clock) as fold:
            fold.advance(5)
            assert folds.share == pytest.approx(1.5 / 5)
            with Task("distances", 2, parent=fold, clock=clock) as distances:
                distances.advance(1)
                assert folds.share == pytest.approx(1.5 / 5)
        assert folds.share == pytest.approx(2 / 5)


def test_the_time_left_is_that_of_the_outermost_task_that_knows_its_total(clock):
    with Task("fit", clock=clock) as fit:
        clock.now = 10.0
        with (
            Task("folds", 4, parent=fit, clock=clock) as folds,
            Task("distances", 9, parent=folds, clock=clock),
        ):
            folds.advance(1)
            clock.now = 12.0
            assert Facts.of(fit, clock()) == Facts(
                ("fit", "folds", "distances"), 0.25, 6.0, 12.0, ""
            )
            assert Facts.of(fit, clock()).line() == "fit > folds > distances: 25%, 0:06 left"


def test_without_a_total_there_are_the_time_so_far_and_the_innermost_note(clock):
    with Task("fit", clock=clock) as fit, Task("program", parent=fit, clock=clock) as program:
        program.note = "gap 3%"
        clock.now = 61.0
        assert Facts.of(fit, clock()).line() == "fit > program: 1:01 so far, gap 3%"


def test_an_error_ends_all_tasks_and_completes_none(clock):
    with Task("fit", 2, clock=clock) as fit:
        with pytest.raises(ZeroDivisionError), Task("part", worth=1, parent=fit, clock=clock):
            raise ZeroDivisionError
        assert CURRENT.get() is fit
        assert (fit.parts, fit.done) == ((), 0.0)
    assert CURRENT.get() is None


def test_what_turns_out_to_be_less_is_done_sooner(clock):
    task = Task("candidates", 10, clock=clock)
    task.advance(2)
    task.expect(2)
    assert task.share == 0.5


def test_more_than_all_is_all(clock):
    task = Task("distances", 2, clock=clock)
    task.advance(3)
    assert task.share == 1.0


@pytest.mark.parametrize("compiling", [True, False])
def test_compiling_is_said_where_it_is_what_takes_so_long(clock, monkeypatch, compiling):
    monkeypatch.setattr(progress, "is_compiling", lambda: compiling)
    with Task("comparing 12 models", 12, clock=clock) as comparing:
        line = Facts.of(comparing, 3.0).line()
    wanted = "comparing 12 models > compiling, once: " if compiling else "comparing 12 models: "
    assert line.startswith(wanted)
