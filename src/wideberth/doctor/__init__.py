"""Examination of a distance on a sample: is it a metric, which methods are valid on it, and what
can be repaired.

`wideberth.diagnose` (``examine.py``) measures a sample and collects what the other files find into
a `Diagnosis`:

======================  =====================================================================
``spectrum.py``         the Hilbert properties, from eigenvalues
``spread.py``           how the distances are distributed
``neighborhood.py``     hubs, and how the labels agree with the distance
``methods.py``          the methods that are valid on the distance
``repairs.py``          changes of the distances that make them a metric (`repair`)
``transform_check.py``  whether a function of distances keeps metrics metrics (`examine_transform`)
``diagnosis.py``        the result, as data and as a page of text
======================  =====================================================================

Examples
--------
>>> import numpy as np
>>> squared = np.array([[0.0, 1.0, 4.0], [1.0, 0.0, 1.0], [4.0, 1.0, 0.0]])
>>> repair(squared, "closure").tolist()  # from 0 to 2 by way of 1
[[0.0, 1.0, 2.0], [1.0, 0.0, 1.0], [2.0, 1.0, 0.0]]
"""

from wideberth.doctor.repairs import repair
from wideberth.doctor.transform_check import TransformFacts, examine_transform

__all__ = ["TransformFacts", "examine_transform", "repair"]
