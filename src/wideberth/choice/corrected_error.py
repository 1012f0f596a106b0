r"""The error of the winner of a choice, without the bias of having been chosen.

The best of many candidates is best on these objects partly by luck, so that its error on the objects left out is too small. The
bootstrap of the choice (Tsamardinos, Greasidou & Borboudakis, "Bootstrapping the out-of-sample predictions for efficient and
accurate cross-validation", Machine Learning 107, 2018) repeats it on the answers that are known already: on each resample of the
objects the candidate with the fewest errors is chosen, and its error is taken on the objects that the resample misses. The mean
of these errors is that of choosing, not of one model; nothing is fitted again. By how much it exceeds the fewest errors is the
optimism of the choice, which is added to the error of whichever candidate is taken in the end.
"""

import numpy as np

from wideberth.array_types import Floats

#: Resamples: their mean is then known to a fraction of the standard error of an error rate.
_RESAMPLES = 300


def expected_error(taken: float, right: Floats, weights: Floats, *, random_state: int | None) -> float:
    """The error to expect on new objects of the candidate that was taken from many.

    Parameters
    ----------
    taken : float
        The error of the candidate that was taken on the same objects.
    right : ndarray of shape (m, n)
        Which of n objects, none of which it has learned from, each of m candidates gets right: 1 or 0, or the mean of several
        answers.
    weights : ndarray of shape (n,)
        The weights of the objects.
    random_state : int or None
        Draws the resamples.

    Returns
    -------
    float
        The estimate.

    Examples
    --------
    >>> coins = np.random.default_rng(0).random((200, 400)) < 0.5  # 200 candidates that guess
    >>> lucky = 1 - coins.mean(axis=1).max()
    >>> bool(lucky < 0.45), bool(0.48 < expected_error(lucky, coins, np.ones(400), random_state=0) < 0.53)
    (True, True)
    """
    fewest = float(((1.0 - right) @ weights).min() / weights.sum())
    return taken + max(0.0, _error_of_choosing(right, weights, random_state) - fewest)


def _error_of_choosing(right: Floats, weights: Floats, random_state: int | None) -> float:
    """The mean error, on the objects that a resample misses, of the candidate with the fewest errors on the resample."""
    rng = np.random.default_rng(random_state)
    n = right.shape[1]
    drawn = rng.multinomial(n, np.full(n, 1.0 / n), size=_RESAMPLES)
    wrong = 1.0 - right
    chosen = (drawn * weights) @ wrong.T / (drawn @ weights)[:, None]
    missed = (drawn == 0) * weights
    used = missed.sum(axis=1) > 0
    if not used.any():  # one object: every resample holds it
        return float(wrong.min(axis=0).mean())
    errors = np.einsum("bn,bn->b", missed[used], wrong[chosen.argmin(axis=1)[used]]) / missed[used].sum(axis=1)
    return float(errors.mean())
