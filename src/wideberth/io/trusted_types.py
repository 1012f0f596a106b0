"""The types in models of this library that skops has to trust, published so that nobody has to
trust what a file asks for.
"""

from wideberth.estimators.metric_estimator import MetricEstimator
from wideberth.io.model_file.model_parts import SAVABLE, savable_class
from wideberth.metrics.named import CONTAINERS, METRICS
from wideberth.metrics.transforms import TRANSFORMS

#: What models of many classes hold beside metrics and containers of objects.
_SHARED = (
    "scipy.sparse._csr.csr_array",
    "wideberth.certificate.Certificate",
    "wideberth.estimators.calibration.Calibrator",
    "wideberth.estimators.choosing.cross_validation.Tried",
    "wideberth.estimators.training.Learned",
    "wideberth.geometry.measure.blocks.CountedSample",
    "wideberth.geometry.measure.remembered_distances.IndexedSample",
    "wideberth.geometry.measure.remembered_distances.MeasuredOnce",
    "wideberth.geometry.search.engine.Brute",
    "wideberth.geometry.search.choosing.EngineChoice",
    "wideberth.geometry.search.engine.Population",
    "wideberth.geometry.search.filter.Filter",
    "wideberth.geometry.search.index.Index",
    "wideberth.geometry.search.sum_filter.SumFilter",
    "wideberth.geometry.shape.distortion.Distortion",
    "wideberth.geometry.shape.gram.Spectrum",
    "wideberth.metrics.elements.Elements",
    "wideberth.metrics.precomputed.DistanceRows",
    "wideberth.metrics.metric.Promises",
    "wideberth.metrics.strings.edits.EditSignatures",
    "wideberth.metrics.strings.edits.EditSketch",
    "wideberth.metrics.tables.forest.Trees",
    "wideberth.objects.labels.CodedLabels",
    "wideberth.optimize.solution.Solution",
)


def trusted_types() -> list[str]:
    """The types for the parameter ``trusted`` of ``skops.io.load``, with which it reads models of
    this library.

    They are classifiers on a metric, embeddings, the metrics of this library and what they hold: no
    functions, and nothing of other packages but scipy's sparse matrices. Own metrics, and online
    learners, are not among them.

    Examples
    --------
    >>> "wideberth.classifiers.neighbors.classifier.NeighborsClassifier" in trusted_types()
    True
    """
    estimators = [each for each in map(savable_class, SAVABLE) if issubclass(each, MetricEstimator)]
    held = [each for estimator in estimators for each in estimator.holds]
    named = (*estimators, *held, *METRICS.values(), *TRANSFORMS.values(), *CONTAINERS.values())
    return sorted({*_SHARED, *(f"{each.__module__}.{each.__qualname__}" for each in named)})
