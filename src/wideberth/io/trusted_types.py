"""The types in models of this library that skops has to trust, published so that nobody has to
trust what a file asks for.
"""

from wideberth.estimators.metric_estimator import MetricEstimator
from wideberth.io.model_file.model_parts import SAVABLE, savable_class
from wideberth.metrics.named import METRICS

#: What models of many classes hold, and what metrics do.
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
    "wideberth.geometry.shape.distortion.Distortion",
    "wideberth.geometry.shape.gram.Spectrum",
    "wideberth.metrics.distributions.sample.Distributions",
    "wideberth.metrics.distributions.wasserstein.SortedSamples",
    "wideberth.metrics.elements.Elements",
    "wideberth.metrics.precomputed.DistanceRows",
    "wideberth.metrics.metric.Promises",
    "wideberth.metrics.series.patterns.PatternShares",
    "wideberth.metrics.series.sample.SeriesSample",
    "wideberth.metrics.sets.jaccard.SetSample",
    "wideberth.metrics.sets.multisets.Multisets",
    "wideberth.metrics.sets.tanimoto.Fingerprints",
    "wideberth.metrics.strings.edits.EditSignatures",
    "wideberth.metrics.strings.edits.EditSketch",
    "wideberth.metrics.strings.words_and_grams.WeighedSets",
    "wideberth.metrics.strings.sample.Sequences",
    "wideberth.metrics.structures.point_sets.PointSetSample",
    "wideberth.metrics.structures.trees.TreeSample",
    "wideberth.metrics.tables.mixed_rows.MixedRows",
    "wideberth.metrics.transforms.geodesic.Geodesic",
    "wideberth.metrics.transforms.mapped_series.Derivative",
    "wideberth.metrics.transforms.mapped_series.ZNormalized",
    "wideberth.metrics.transforms.metric_preserving.Capped",
    "wideberth.metrics.transforms.metric_preserving.OneMinusExp",
    "wideberth.metrics.transforms.metric_preserving.Power",
    "wideberth.metrics.transforms.metric_preserving.Saturated",
    "wideberth.metrics.transforms.metric_preserving.Scaled",
    "wideberth.metrics.containers.PartsSample",
    "wideberth.metrics.transforms.product_metric.Product",
    "wideberth.metrics.transforms.metric_preserving.Schoenberg",
    "wideberth.metrics.transforms.sets_of_objects.MembersSample",
    "wideberth.metrics.transforms.sets_of_objects.SetsOfObjects",
    "wideberth.metrics.transforms.sum_and_maximum.Largest",
    "wideberth.metrics.transforms.sum_and_maximum.Sum",
    "wideberth.objects.labels.Labels",
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
    return sorted(
        {
            *_SHARED,
            *(
                f"{each.__module__}.{each.__qualname__}"
                for each in (*estimators, *held, *METRICS.values())
            ),
        }
    )
