"""
Images: work to move ink
========================

Handwritten digits under earth mover's distance: how much work it takes to move the ink of one image to where it is in the other.

*Data:* digits of 8 x 8 pixels (Alpaydin & Kaynak 1998), in scikit-learn, under the BSD 3-clause licence.
"""

from sklearn.datasets import load_digits

import wideberth as wb

digits = load_digits()
chosen = digits.target < 5
images, labels = digits.images[chosen], digits.target[chosen]
known, known_labels, new, new_labels = images[:150], labels[:150], images[150:250], labels[150:250]

# %%
# A shift by a pixel is little work, but a large Euclidean distance:
shifted = images[:1].copy()
shifted[0] = 0.0
shifted[0, :, 1:] = images[0, :, :-1]
for metric in ("earth_mover", "euclidean"):
    flat = metric == "euclidean"
    pair, others = (part.reshape(len(part), -1) if flat else part for part in (shifted, images[1:60]))
    own = wb.pairwise_distances(images[:1].reshape(1, -1) if flat else images[:1], pair, metric)[0, 0]
    nearest = wb.pairwise_distances(images[:1].reshape(1, -1) if flat else images[:1], others, metric).min()
    print(f"{metric}: {own:.3g} to itself shifted by a pixel, {nearest:.3g} to the nearest other image")

# %%
# Nearest neighbours under both:
moved = wb.NeighborsClassifier("earth_mover", n_neighbors=1).fit(known, known_labels)
straight = wb.NeighborsClassifier("euclidean", n_neighbors=1).fit(known.reshape(150, -1), known_labels)
print(f"earth mover: {(moved.predict(new) != new_labels).mean():.1%} wrong")
print(f"euclidean: {(straight.predict(new.reshape(100, -1)) != new_labels).mean():.1%} wrong")

# %%
# The map of the images under earth mover's distance:
wb.plots.MetricMapDisplay.from_estimator(moved, new, new_labels)
