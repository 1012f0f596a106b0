from wideberth import checks as checks
from wideberth import errors as errors
from wideberth.classifiers.lipschitz import LipschitzClassifier as LipschitzClassifier
from wideberth.classifiers.margin_neighbors import MarginNeighborsClassifier as MarginNeighborsClassifier
from wideberth.classifiers.neighbors import NeighborsClassifier as NeighborsClassifier
from wideberth.doctor.examine import diagnose as diagnose
from wideberth.doctor.facts import Diagnosis as Diagnosis
from wideberth.doctor.repairs import repair as repair
from wideberth.geometry.distances import pairwise_distances as pairwise_distances
from wideberth.geometry.extension import LipschitzExtension as LipschitzExtension
from wideberth.geometry.index import Index as Index
from wideberth.geometry.space import MetricSpace as MetricSpace
from wideberth.metrics import transforms as transforms
from wideberth.metrics.metric import Metric as Metric
from wideberth.metrics.metric import Promises as Promises
from wideberth.metrics.named import list_metrics as list_metrics
from wideberth.metrics.named import metric as metric
from wideberth.modelfile import load as load
from wideberth.modelfile import save as save
from wideberth.objects.datasets import load_first_names as load_first_names
from wideberth.objects.readers import Records as Records
from wideberth.objects.readers import read as read
from wideberth.objects.readers import read_batches as read_batches
from wideberth.selection.lipschitz_cv import LipschitzClassifierCV as LipschitzClassifierCV
from wideberth.versions import show_versions as show_versions

__version__: str
