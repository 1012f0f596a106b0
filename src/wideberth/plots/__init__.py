"""Pictures of models and data, as ``Display`` classes in the convention of scikit-learn.

``from_estimator`` computes what is drawn and draws it; the display keeps the numbers as attributes,
so that ``plot`` draws them again, on other axes or in another style, without computing anything.
matplotlib comes with ``pip install "wideberth[plots]"``.
"""

from wideberth.plots.certified_accuracy import CertifiedAccuracyDisplay
from wideberth.plots.cover_path import CoverPathDisplay
from wideberth.plots.leaderboard import LeaderboardDisplay
from wideberth.plots.margins import MarginDisplay
from wideberth.plots.metric_map import MetricMapDisplay
from wideberth.plots.online_loss import OnlineLossDisplay
from wideberth.plots.spectrum import SpectrumDisplay

__all__ = [
    "CertifiedAccuracyDisplay",
    "CoverPathDisplay",
    "LeaderboardDisplay",
    "MarginDisplay",
    "MetricMapDisplay",
    "OnlineLossDisplay",
    "SpectrumDisplay",
]
