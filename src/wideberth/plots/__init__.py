"""Pictures of models and data, as ``Display`` classes in the convention of scikit-learn.

``from_estimator`` computes what is drawn and draws it; the display keeps the numbers as attributes,
so that ``plot`` draws them again, on other axes or in another style, without computing anything.
matplotlib comes with ``pip install "wideberth[plots]"``.
"""

from wideberth.plots.answers import CertifiedAccuracyDisplay, MarginDisplay
from wideberth.plots.choices import CoverPathDisplay, LeaderboardDisplay
from wideberth.plots.distances import MetricMapDisplay, SpectrumDisplay
from wideberth.plots.online_loss import OnlineLossDisplay

__all__ = [
    "CertifiedAccuracyDisplay",
    "CoverPathDisplay",
    "LeaderboardDisplay",
    "MarginDisplay",
    "MetricMapDisplay",
    "OnlineLossDisplay",
    "SpectrumDisplay",
]
