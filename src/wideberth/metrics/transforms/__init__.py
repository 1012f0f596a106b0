"""Metrics made out of metrics, with formulas and proofs; users make them by the functions of
`wideberth.transforms`.
"""

from wideberth.metrics.metric import Metric
from wideberth.metrics.transforms.geodesic import Geodesic
from wideberth.metrics.transforms.mapped_series import Derivative, ZNormalized
from wideberth.metrics.transforms.metric_preserving import (
    Capped,
    OneMinusExp,
    Power,
    Saturated,
    Scaled,
    Schoenberg,
)
from wideberth.metrics.transforms.product_metric import Product
from wideberth.metrics.transforms.sets_of_objects import SetsOfObjects
from wideberth.metrics.transforms.sum_and_maximum import Largest, Sum

#: The classes that a model file can name, by the functions that make them. A name, once written,
#: keeps its meaning.
TRANSFORMS: dict[str, type[Metric]] = {
    transform.call: transform
    for transform in (
        *(Scaled, Capped, Power, Saturated, OneMinusExp, Schoenberg),
        *(Sum, Largest, Product),
        *(Derivative, ZNormalized, Geodesic, SetsOfObjects),
    )
}
