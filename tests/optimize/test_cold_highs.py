"""Without highspy, scipy's HiGHS finds optima of the same value, and it is said that it takes
longer.
"""

import json
import math
import os
import subprocess
import sys
import time
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wideberth import LipschitzClassifier, LPMachineClassifier
from wideberth.classifiers.lipschitz.program import PairProgram
from wideberth.datasets import load_first_names
from wideberth.errors import UnsolvedProgram
from wideberth.optimize import cold_highs, column_generation, highs, simplex
from wideberth.optimize.column_generation import MarginProgram, SoftProgram, SparseRows
from wideberth.papers.subspace import SpanProgram

#: Prints the values that fits reach where highspy cannot be imported, and what they warn of.
WITHOUT_HIGHSPY = """
import json, sys, warnings
sys.modules["highspy"] = None
from optimize.test_cold_highs import fitted_values
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    values = fitted_values()
print(json.dumps([values, sorted({each.category.__name__ for each in caught})]))
"""


def fitted_values():
    """The values of fits that solve linear programs of each kind."""
    names, sexes = load_first_names()
    classifiers = [
        LipschitzClassifier("levenshtein", C=2.0),
        LPMachineClassifier("levenshtein", C=1.0),
        LPMachineClassifier("levenshtein", C=0.1),
    ]
    return [float(each.fit(names[:60], sexes[:60]).solution_.value) for each in classifiers]


@pytest.fixture
def cold(monkeypatch):
    """Let all programs be solved by scipy, as where highspy is missing."""
    monkeypatch.setattr(highs, "HAS_HIGHSPY", False)
    monkeypatch.setattr(simplex, "Highs", cold_highs.ColdHighs)
    monkeypatch.setattr(simplex, "ModelStatus", cold_highs.ModelStatus)
    kinds = cold_highs.BasisStatus
    monkeypatch.setattr(column_generation, "Basis", cold_highs.Basis)
    monkeypatch.setattr(column_generation, "BasisStatus", kinds)
    monkeypatch.setattr(
        column_generation, "_STATUS", np.array([kinds.kLower, kinds.kBasic, kinds.kUpper])
    )
    monkeypatch.setattr(column_generation, "_PLACES", {kinds.kBasic: 0, kinds.kUpper: 1})


def sparse(rows):
    """Rows as programs take them."""
    count, width = rows.shape
    columns = np.tile(np.arange(width, dtype=np.int32), count)
    return SparseRows(np.arange(0, rows.size, width, dtype=np.int32), columns, rows.ravel())


def in_rounds(seed, kind):
    """The values of a random program of a kind, after each of three rounds that change it."""
    random, n = np.random.default_rng(seed), 8
    signs, values = np.where(np.arange(n) % 2, -1.0, 1.0), []
    if kind == "pairs":
        program = PairProgram(random.uniform(0.1, 1.0, n))
    elif kind == "soft":
        program = SoftProgram(signs)
    elif kind == "margin":
        program = MarginProgram(signs, np.full(n, True))
    else:
        program = SpanProgram(random.normal(size=(n, 3)), signs)
    for round_ in range(3):
        if kind == "pairs":
            first, second = 2 * random.integers(0, n // 2, (2, 5))
            program.add(first, second + 1, random.uniform(0.5, 3.0, 5))
        elif kind == "span":
            program.add(random.normal(size=(4, 3)))
        else:
            program.add(sparse(random.normal(size=(3, n)) * signs))
        if kind in ("soft", "span"):
            program.set_upper(random.uniform(0.1, 1.0 + round_, n))
        vertex = program.solve(math.inf)
        values.append(program._highs.getObjectiveValue())
        if kind in ("soft", "margin"):  # the multipliers of its rows are those of an optimum too
            found = program._highs.getSolution()
            values.append(float(np.array(found.row_dual) @ np.array(found.row_value)))
        assert vertex is not None
    return values


@pytest.mark.filterwarnings("ignore::wideberth.errors.SlowSolverWarning")
@pytest.mark.parametrize("kind", ["pairs", "soft", "margin", "span"])
@pytest.mark.parametrize("seed", range(5))
def test_scipy_finds_the_values_of_highspy_in_every_round(kind, seed, request):
    pytest.importorskip("highspy")
    warm = in_rounds(seed, kind)
    request.getfixturevalue("cold")
    np.testing.assert_allclose(in_rounds(seed, kind), warm, rtol=1e-7, atol=1e-8)


def test_the_whole_fits_reach_the_same_values_and_it_is_said_that_they_take_longer():
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_HIGHSPY],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert done.returncode == 0, done.stderr
    values, said = json.loads(done.stdout)
    assert "SlowSolverWarning" in said
    np.testing.assert_allclose(
        values, fitted_values(), rtol=2e-3
    )  # both are within their tolerance


@pytest.mark.usefixtures("cold")
@pytest.mark.filterwarnings("ignore::wideberth.errors.SlowSolverWarning")
def test_a_deadline_and_a_program_without_an_optimum_are_told():
    program = simplex.empty_program()
    program.addVar(0.0, math.inf)
    program.addRow(2.0, math.inf, 1, np.array([0], np.int32), np.array([1.0]))
    assert not simplex.solved(program, time.monotonic() - 1)
    assert simplex.solved(program, math.inf)
    program.addRow(-math.inf, 1.0, 1, np.array([0], np.int32), np.array([1.0]))
    with pytest.raises(UnsolvedProgram, match=r"of 1 variables and 2 rows.*'Infeasible'"):
        simplex.solved(program, math.inf)


@pytest.mark.usefixtures("cold")
def test_the_warning_says_what_is_missing():
    with pytest.warns(UserWarning, match=r"highspy is not installed.*same value"):
        simplex.empty_program()


def test_with_highspy_nothing_is_said():
    pytest.importorskip("highspy")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        simplex.empty_program()


@settings(max_examples=20)
@given(st.integers(0, 2**32 - 1))
def test_rows_columns_and_changes_build_the_same_program_in_any_order(seed):
    """By rows with all variables there, and by columns with all rows there."""
    random = np.random.default_rng(seed)
    matrix = random.integers(-3, 4, (3, 4)).astype(float)
    costs, lower = random.normal(size=4), -random.uniform(1.0, 2.0, 3)  # 0 is feasible
    by_rows, by_columns = cold_highs.ColdHighs(), cold_highs.ColdHighs()
    by_rows.addVars(4, np.zeros(4), np.full(4, 5.0))
    by_rows.changeColsCost(4, np.arange(4), costs)
    by_rows.addRows(
        3, lower, np.full(3, 6.0), 12, np.arange(0, 12, 4), np.tile(np.arange(4), 3), matrix.ravel()
    )
    for end in lower:
        by_columns.addRow(end, 6.0, 0, np.empty(0, np.int32), np.empty(0))
    starts, places = np.arange(0, 12, 3), np.tile(np.arange(3), 4)
    by_columns.addCols(4, costs, np.zeros(4), np.full(4, 5.0), 12, starts, places, matrix.T.ravel())
    by_rows.run(), by_columns.run()
    assert (
        by_rows.getModelStatus() is by_columns.getModelStatus() is cold_highs.ModelStatus.kOptimal
    )
    assert by_rows.getObjectiveValue() == pytest.approx(by_columns.getObjectiveValue(), abs=1e-8)
    solution = by_rows.getSolution()
    np.testing.assert_allclose(matrix @ solution.col_value, solution.row_value)
    assert costs @ solution.col_value == pytest.approx(by_rows.getObjectiveValue())
    np.testing.assert_array_equal(by_rows._matrix().toarray(), matrix)
    np.testing.assert_array_equal(by_columns._matrix().toarray(), matrix)
