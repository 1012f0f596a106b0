"""How the distances are spread."""

from dataclasses import dataclass

import numpy as np

from wideberth.metrics.metric import Distances


@dataclass(frozen=True)
class Spread:
    """Quantiles of the distances between different positions of the sample, and how distinct they are.

    ``variation`` is the standard deviation over the mean: near 0, all objects are about equally far apart and nearest
    neighbours mean little. ``distinct`` counts the different values: few of them mean many ties.
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


def spread_of(distances: Distances) -> Spread:
    """The spread of a symmetric matrix of finite distances, its diagonal left out."""
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
