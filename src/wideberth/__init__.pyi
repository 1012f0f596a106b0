from wideberth import bounds as bounds
from wideberth import checks as checks
from wideberth import datasets as datasets
from wideberth import errors as errors
from wideberth import guarantees as guarantees
from wideberth import papers as papers
from wideberth import plots as plots
from wideberth import scaleout as scaleout
from wideberth import transforms as transforms
from wideberth.certificate import Certificate as Certificate
from wideberth.choice.classifier import AutoClassifier as AutoClassifier
from wideberth.classifiers.hilbert_svm.classifier import HilbertSVC as HilbertSVC
from wideberth.classifiers.hilbert_svm.cross_validation import HilbertSVCCV as HilbertSVCCV
from wideberth.classifiers.linear.classifier import (
    LinearLipschitzClassifier as LinearLipschitzClassifier,
)
from wideberth.classifiers.linear.cross_validation import (
    LinearLipschitzClassifierCV as LinearLipschitzClassifierCV,
)
from wideberth.classifiers.lipschitz.classifier import LipschitzClassifier as LipschitzClassifier
from wideberth.classifiers.lipschitz.classifier import (
    LipschitzClassifierCV as LipschitzClassifierCV,
)
from wideberth.classifiers.lp_machine.classifier import LPMachineClassifier as LPMachineClassifier
from wideberth.classifiers.lp_machine.cross_validation import (
    LPMachineClassifierCV as LPMachineClassifierCV,
)
from wideberth.classifiers.margin_neighbors.classifier import (
    MarginNeighborsClassifier as MarginNeighborsClassifier,
)
from wideberth.classifiers.neighbors.classifier import NeighborsClassifier as NeighborsClassifier
from wideberth.classifiers.online.classifier import (
    OnlinePartitionClassifier as OnlinePartitionClassifier,
)
from wideberth.classifiers.online.contextual_search import ContextualSearch as ContextualSearch
from wideberth.classifiers.partition_vote.classifier import (
    PartitionVoteClassifier as PartitionVoteClassifier,
)
from wideberth.doctor.diagnosis import diagnose as diagnose
from wideberth.doctor.repairs import repair as repair
from wideberth.embeddings import HilbertEmbedding as HilbertEmbedding
from wideberth.embeddings import KuratowskiEmbedding as KuratowskiEmbedding
from wideberth.geometry.measure.blocks import pairwise_distances as pairwise_distances
from wideberth.geometry.search.index import Index as Index
from wideberth.geometry.space.space import MetricSpace as MetricSpace
from wideberth.guarantees.certify import certify as certify
from wideberth.insight.label_issues import label_issues as label_issues
from wideberth.insight.label_next import label_next as label_next
from wideberth.insight.novelty import novelty as novelty
from wideberth.insight.prediction_sets import predict_set as predict_set
from wideberth.insight.prototypes import prototypes as prototypes
from wideberth.insight.witnesses import witnesses as witnesses
from wideberth.io.model_file import load as load
from wideberth.io.model_file import save as save
from wideberth.io.readers import read as read
from wideberth.metrics.metric import Metric as Metric
from wideberth.metrics.named import list_metrics as list_metrics
from wideberth.metrics.named import metric as metric
from wideberth.report.report import Report as Report
from wideberth.report.report import write_report as write_report
from wideberth.versions import show_versions as show_versions

__version__: str
