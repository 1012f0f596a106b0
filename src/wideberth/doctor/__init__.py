"""Examination of a distance on a sample: is it a metric, which methods are valid on it, and what
can be repaired.

======================  =====================================================================
``diagnosis.py``        `wideberth.diagnose`: measures a sample, looks for broken axioms, and
                        collects all facts into a `Diagnosis`, as data and as a page of text
``facts.py``            the facts: hubs and labels, how the distances are distributed, the
                        Hilbert properties, and the methods that are valid on the distance
``repairs.py``          changes of the distances that make them a metric (`repair`)
``transform_check.py``  whether a function of distances keeps metrics metrics (`examine_transform`)
======================  =====================================================================

The axioms, the triangle inequality among them, are checked by `wideberth.metrics.axioms`.

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
