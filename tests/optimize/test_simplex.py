"""HiGHS is trusted only if it reports an optimum; otherwise other methods are tried."""

import _thread
import math
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import highspy
import numpy as np
import pytest

from wideberth.classifiers.lipschitz.program import PairProgram
from wideberth.errors import UnsolvedProgram
from wideberth.optimize.column_generation import MarginProgram, SoftProgram, SparseRows
from wideberth.optimize.simplex import DUAL, PRIMAL, _cancel_all, empty_program, solved
from wideberth.papers.subspace import SpanProgram

SIGNS = np.array([1.0, -1.0, 1.0, -1.0])
ROWS = SparseRows(
    np.array([0, 4]),
    np.tile(np.arange(4, dtype=np.int32), 2),
    np.array([3.0, -1, 2, -2, 1, -3, 1, -4]),
)


def triangle():
    """Minimise x + y subject to x + 2 y >= 2 and 2 x + y >= 2, both at least 0: 4 / 3."""
    highs = empty_program()
    highs.addVars(2, np.zeros(2), np.full(2, math.inf))
    highs.changeColsCost(2, np.arange(2, dtype=np.int32), np.ones(2))
    for row in ([1.0, 2.0], [2.0, 1.0]):
        highs.addRow(2.0, math.inf, 2, np.arange(2, dtype=np.int32), np.array(row))
    return highs


def losing(monkeypatch, highs, lost):
    """Let the first ``lost`` runs end without an optimum; the methods that ran, and whether they
    began from nothing.
    """
    run, ran = highs.run, []

    def limited():
        ran.append((highs.getOptionValue("simplex_strategy")[1], not highs.getBasis().valid))
        highs.setOptionValue("simplex_iteration_limit", 0 if len(ran) <= lost else 10**6)
        return run()

    monkeypatch.setattr(highs, "run", limited)
    return ran


@pytest.mark.parametrize(("method", "other"), [(DUAL, PRIMAL), (PRIMAL, DUAL)])
@pytest.mark.parametrize("lost", [0, 1, 2])
def test_where_one_method_fails_the_other_is_asked_and_then_the_first_from_nothing(
    monkeypatch, method, other, lost
):
    highs = triangle()
    solved(highs, math.inf)
    highs.addRow(3.0, math.inf, 2, np.arange(2, dtype=np.int32), np.array([1.0, 2.0]))
    ran = losing(monkeypatch, highs, lost)
    assert solved(highs, math.inf, method)
    assert highs.getObjectiveValue() == pytest.approx(5 / 3)
    assert ran == [(method, False), (other, True), (method, True)][: lost + 1]


def test_an_optimum_that_nobody_finds_is_an_error_with_the_status(monkeypatch):
    highs = triangle()
    ran = losing(monkeypatch, highs, 3)
    with pytest.raises(
        UnsolvedProgram,
        match=r"of 2 variables and 2 rows, and stopped with 'Iteration limit reached'.* a smaller C",
    ) as caught:
        solved(highs, math.inf)
    assert len(ran) == 3
    assert caught.value.status == "Iteration limit reached"


def test_a_program_without_an_optimum_is_an_error():
    highs = triangle()
    highs.addRow(-math.inf, 1.0, 2, np.arange(2, dtype=np.int32), np.ones(2))
    with pytest.raises(UnsolvedProgram, match="'Infeasible'"):
        solved(highs, math.inf)


def test_the_deadline_holds_for_all_attempts_together(monkeypatch):
    highs = triangle()
    assert not solved(highs, time.monotonic() - 1)
    monkeypatch.setattr(highs, "getModelStatus", lambda: highspy.HighsModelStatus.kTimeLimit)
    assert not solved(highs, time.monotonic() + 60)


def pairs():
    program = PairProgram(np.ones(3))
    program.add(np.array([0, 1]), np.array([1, 2]), np.array([1.0, 1.0]))
    return program


def soft():
    program = SoftProgram(SIGNS)
    program.set_upper(np.ones(4))
    program.add(ROWS)
    return program


def margin():
    program = MarginProgram(SIGNS, np.full(4, True))
    program.add(ROWS)
    return program


def span():
    program = SpanProgram(np.array([[1.0], [-1.0], [2.0], [0.5]]), SIGNS)
    program.set_upper(np.ones(4))
    program.add(np.array([[1.0], [-1.0]]))
    return program


@pytest.mark.parametrize("make", [pairs, soft, margin, span])
def test_every_program_is_asked_again_and_finds_the_same_optimum_or_is_an_error(monkeypatch, make):
    plain, lucky, hopeless = make(), make(), make()
    losing(monkeypatch, lucky._highs, 1)
    assert plain.solve(math.inf) is not None
    assert lucky.solve(math.inf) is not None
    assert lucky._highs.getObjectiveValue() == pytest.approx(
        plain._highs.getObjectiveValue(), abs=1e-9
    )
    losing(monkeypatch, hopeless._highs, 3)
    with pytest.raises(UnsolvedProgram):
        hopeless.solve(math.inf)


@pytest.fixture
def listening():
    """Ctrl-C is ignored by processes that were started in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("listening")
def test_ctrl_c_is_heard_while_highs_runs(monkeypatch):
    highs, cancelled = triangle(), threading.Event()

    def run():
        _thread.interrupt_main()
        assert cancelled.wait(60)

    monkeypatch.setattr(highs, "run", run)
    monkeypatch.setattr(highs, "cancelSolve", cancelled.set)
    with pytest.raises(KeyboardInterrupt):
        solved(highs, math.inf)
    assert cancelled.is_set()


def test_programs_in_eight_threads_do_not_disturb_each_other():
    def solve(number):
        highs = triangle()
        highs.changeColsCost(2, np.arange(2, dtype=np.int32), np.array([1.0, 1.0 + number]))
        found = [solved(highs, math.inf, method) for method in (DUAL, PRIMAL) for _ in range(5)]
        return all(found), highs.getObjectiveValue()

    alone = [solve(number) for number in range(40)]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(solve, range(40))) == alone


def test_a_process_that_ends_cancels_what_is_being_solved():
    random, n = np.random.default_rng(0), 1000
    highs = empty_program()
    highs.addVars(n, np.zeros(n), np.full(n, math.inf))
    highs.changeColsCost(n, np.arange(n, dtype=np.int32), random.random(n))
    for row in random.random((n, n)):
        highs.addRow(1.0, math.inf, n, np.arange(n, dtype=np.int32), row)
    begun, cancelled = threading.Event(), threading.Event()
    # it does not end before it is cancelled, however slow this thread is
    highs.cbSimplexInterrupt += lambda event: begun.set() or cancelled.wait()
    cancel = highs.cancelSolve
    highs.cancelSolve = lambda: cancel() or cancelled.set()
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(solved, highs, math.inf)
        begun.wait()
        _cancel_all()
        with pytest.raises(UnsolvedProgram, match="Interrupted"):
            running.result()
