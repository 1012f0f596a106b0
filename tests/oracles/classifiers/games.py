"""Matrix games by somebody else's linear program."""

import numpy as np
from scipy.optimize import linprog


def least_worst(costs: np.ndarray) -> float:
    """The least, over mixtures v of the columns, of the largest (costs v)_r."""
    n_rows, n_columns = costs.shape
    program = linprog(
        np.append(np.zeros(n_columns), 1.0),
        A_ub=np.hstack([costs, -np.ones((n_rows, 1))]),
        b_ub=np.zeros(n_rows),
        A_eq=np.append(np.ones(n_columns), 0.0)[None],
        b_eq=[1.0],
        bounds=[(0, None)] * n_columns + [(None, None)],
    )
    return float(program.fun)
