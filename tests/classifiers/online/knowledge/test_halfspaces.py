"""Which earlier rounds imply a comparison, also where the solver that is asked first gives up."""

import numpy as np

from wideberth.classifiers.online.knowledge import halfspaces


def test_rows_are_named_where_the_first_solver_gives_up(monkeypatch):
    def no_convergence(*args, **kwargs):
        raise RuntimeError("Maximum number of iterations reached.")

    directions, query = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]]), np.array([2.0, 3.0])
    monkeypatch.setattr(halfspaces, "nnls", no_convergence)
    assert set(halfspaces.rows_implying(directions, query)) >= {0, 1}
