"""Large-margin classification of anything you can measure a distance on.

The public names load on first use, so that ``import wideberth`` costs next to nothing;
``__init__.pyi`` lists them with types.
"""

from importlib import import_module as _import_module

__version__ = "0.3.0"

#: Public modules that load when they are first used.
_MODULES = (
    "bounds",
    "checks",
    "datasets",
    "errors",
    "guarantees",
    "papers",
    "plots",
    "scaleout",
    "transforms",
)

#: The other public names, and the modules that define them.
_HOME = {
    "AutoClassifier": "wideberth.choice.classifier",
    "Certificate": "wideberth.certificate",
    "ContextualSearch": "wideberth.classifiers.online.contextual_search",
    "HilbertEmbedding": "wideberth.embeddings",
    "HilbertSVC": "wideberth.classifiers.hilbert_svm.classifier",
    "HilbertSVCCV": "wideberth.classifiers.hilbert_svm.cross_validation",
    "Index": "wideberth.geometry.search.index",
    "KuratowskiEmbedding": "wideberth.embeddings",
    "LPMachineClassifier": "wideberth.classifiers.lp_machine.classifier",
    "LPMachineClassifierCV": "wideberth.classifiers.lp_machine.cross_validation",
    "LinearLipschitzClassifier": "wideberth.classifiers.linear.classifier",
    "LinearLipschitzClassifierCV": "wideberth.classifiers.linear.cross_validation",
    "LipschitzClassifier": "wideberth.classifiers.lipschitz.classifier",
    "LipschitzClassifierCV": "wideberth.classifiers.lipschitz.classifier",
    "MarginNeighborsClassifier": "wideberth.classifiers.margin_neighbors.classifier",
    "Metric": "wideberth.metrics.metric",
    "MetricSpace": "wideberth.geometry.space.space",
    "NeighborsClassifier": "wideberth.classifiers.neighbors.classifier",
    "OnlinePartitionClassifier": "wideberth.classifiers.online.classifier",
    "PartitionVoteClassifier": "wideberth.classifiers.partition_vote.classifier",
    "Report": "wideberth.report.report",
    "certify": "wideberth.guarantees.certify",
    "diagnose": "wideberth.doctor.diagnosis",
    "label_issues": "wideberth.insight.label_issues",
    "label_next": "wideberth.insight.label_next",
    "list_metrics": "wideberth.metrics.named",
    "load": "wideberth.io.model_file",
    "metric": "wideberth.metrics.named",
    "novelty": "wideberth.insight.novelty",
    "pairwise_distances": "wideberth.geometry.measure.blocks",
    "predict_set": "wideberth.insight.prediction_sets",
    "prototypes": "wideberth.insight.prototypes",
    "read": "wideberth.io.readers",
    "repair": "wideberth.doctor.repairs",
    "save": "wideberth.io.model_file",
    "show_versions": "wideberth.versions",
    "witnesses": "wideberth.insight.witnesses",
    "write_report": "wideberth.report.report",
}

__all__ = ["__version__", *_HOME, *_MODULES]


def __getattr__(name: str) -> object:
    if name not in _HOME and name not in _MODULES:
        raise AttributeError(f"module 'wideberth' has no attribute {name!r}")
    value = (
        _import_module(f"wideberth.{name}")
        if name in _MODULES
        else getattr(_import_module(_HOME[name]), name)
    )
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
