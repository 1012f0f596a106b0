"""The distribution of the distances in a sample: quantiles, variation, ties."""

from dataclasses import dataclass

import numpy as np

from wideberth.metrics.metric import Distances


@dataclass(frozen=True)
class Spread:
    """Summary of the distances between the objects of a sample, each pair counted once.

    The unit of the first five is that of the metric.

    Attributes
    ----------
    smallest, lower_quartile, median, upper_quartile, largest : float
        Quantiles of the distances.
    variation : float
        Standard deviation divided by the mean; 0 if all distances are 0. Near 0, all objects are about equally far apart, and
        it means little which of them is nearest.
    distinct : int
        Number of different values. If it is small compared to ``pairs``, many neighbours are tied.
    pairs : int
        Number of pairs, n (n - 1) / 2.
    zero_pairs : int
        Number of pairs at distance 0.
    """

    smallest: float
    lower_quartile: float
    median: float
    upper_quartile: float
    largest: float
    variation: float
    distinct: int
    pairs: int
    zero_pairs: int


def measure_spread(distances: Distances) -> Spread:
    """Summarise a matrix of distances, without its diagonal.

    Parameters
    ----------
    distances : ndarray of shape (n, n)
        Symmetric and finite, n >= 2. Only the part above the diagonal is read.

    Returns
    -------
    Spread

    Examples
    --------
    >>> spread = measure_spread(np.array([[0.0, 1.0, 3.0], [1.0, 0.0, 2.0], [3.0, 2.0, 0.0]]))
    >>> spread.smallest, spread.median, spread.largest, spread.distinct, spread.pairs
    (1.0, 2.0, 3.0, 3, 3)
    """
    values = distances[np.triu_indices(len(distances), 1)]
    smallest, lower_quartile, median, upper_quartile, largest = np.quantile(values, [0, 0.25, 0.5, 0.75, 1]).tolist()
    mean = values.mean()
    return Spread(
        smallest,
        lower_quartile,
        median,
        upper_quartile,
        largest,
        variation=float(values.std() / mean) if mean else 0.0,
        distinct=len(np.unique(values)),
        pairs=len(values),
        zero_pairs=int((values == 0).sum()),
    )
