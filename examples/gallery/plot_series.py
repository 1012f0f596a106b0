"""
Series: is there a gun in the hand?
===================================

The height of a hand over time, of people who draw a gun or point a finger.

*Data:* GunPoint of the UCR archive (Ratanamahatana & Keogh 2005), as the package aeon carries it,
under the BSD 3-clause licence.
"""

from aeon.datasets import load_gunpoint

import wideberth as wb
from wideberth.report import Report

known, known_labels = load_gunpoint(split="train")
new, new_labels = load_gunpoint(split="test")
known, new = list(known[:, 0]), list(new[:, 0])

# %%
# Elastic distances that are metrics, the shape alone, and counts of short patterns:
shape = wb.transforms.znormalized("euclidean")
for metric in ("msm", wb.transforms.total(shape, wb.transforms.derivative(shape)), "patterns"):
    model = wb.NeighborsClassifier(metric, n_neighbors=1).fit(known, known_labels)
    print(f"{model.metric_.name}: {(model.predict(new) != new_labels).mean():.1%} wrong")

# %%
# DTW is popular, and no metric: the doctor brings three series for which a detour is shorter.
found = wb.diagnose(known, "dtw", known_labels)
print(found.violation("triangle").describe("dtw"))

# %%
# A certified radius is how far the whole curve may move:
model = wb.LipschitzClassifier("msm", C=20.0).fit(known, known_labels)
wb.plots.CertifiedAccuracyDisplay.from_estimator(model, new, new_labels)

# %%
# The report on the objects that it did not learn from; ``wb.write_report`` writes it into a file:
Report(model, new, new_labels)
