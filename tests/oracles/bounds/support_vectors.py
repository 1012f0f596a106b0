"""What a linear support vector machine keeps of its sample: objects that are not beyond the margin
for every best constant.
"""

import numpy as np
from sklearn.svm import SVC


def machine(points: np.ndarray, y: np.ndarray, price: float = 1.0) -> SVC:
    return SVC(kernel="linear", C=price, tol=1e-6).fit(points, y)


def best_constants(found: SVC, points: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """The ends of the interval of constants that are optimal with these weights.

    An object without weight must not be inside the margin, one at its price not beyond it, and one
    between lies on it.
    """
    weights = np.zeros(len(y))
    weights[found.support_] = np.abs(found.dual_coef_[0]) / found.C
    on_margin = y - points @ found.coef_[0]
    below = on_margin[np.where(y > 0, weights < 1 - 1e-7, weights > 1e-7)]
    above = on_margin[np.where(y > 0, weights > 1e-7, weights < 1 - 1e-7)]
    return float(below.max()), float(above.min())


def kept(points: np.ndarray, y: np.ndarray, price: float = 1.0) -> np.ndarray:
    return kept_by(machine(points, y, price), points, y)


def kept_by(found: SVC, points: np.ndarray, y: np.ndarray) -> np.ndarray:
    values = points @ found.coef_[0]
    margins = [y * (values + b) for b in best_constants(found, points, y)]
    return np.flatnonzero(np.minimum(*margins) <= 1 + 1e-4)
