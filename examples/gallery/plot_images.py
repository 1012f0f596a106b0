"""
Images: work to move ink
========================

Handwritten digits under earth mover's distance: how much work it takes to move the ink of one image
to where it is in the other.

*Data:* digits of 8 x 8 pixels (Alpaydin & Kaynak 1998), in scikit-learn, under the BSD 3-clause
licence.
"""

import numpy as np
from sklearn.datasets import load_digits

import wideberth as wb
from wideberth.report import Report

digits = load_digits()
chosen = digits.target < 5
images, labels = digits.images[chosen], digits.target[chosen]
known, known_labels, new, new_labels = images[:150], labels[:150], images[150:250], labels[150:250]

# %% Nearest neighbours under both distances, on the images as they are, and on images shifted by a
# pixel:
moved = wb.NeighborsClassifier("earth_mover", n_neighbors=1).fit(known, known_labels)
straight = wb.NeighborsClassifier("euclidean", n_neighbors=1).fit(
    known.reshape(len(known), -1), known_labels
)
for name, asked in (("as they are", new), ("shifted", np.roll(new, 1, axis=2))):
    by_work, by_line = moved.predict(asked), straight.predict(asked.reshape(len(asked), -1))
    print(
        f"{name}: {(by_work != new_labels).mean():.1%} wrong by work, "
        f"{(by_line != new_labels).mean():.1%} in a straight line"
    )

# %%
# The map of the images under earth mover's distance:
wb.plots.MetricMapDisplay.from_estimator(moved, new, new_labels)

# %%
# The report on the objects that it did not learn from; ``wb.write_report`` writes it into a file:
Report(moved, new, new_labels)
