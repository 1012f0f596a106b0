"""American first names: is the edit distance a metric on them, and does it know boys from girls?

Run it with ``make demo``. The names are those of the 1990 census, public domain, shipped with the package.
"""

import numpy as np

import wideberth as wb

names, sexes = wb.load_first_names()
print(f"{len(names):,} first names, such as {', '.join(names[:5])}.\n")

print(wb.diagnose(names, "levenshtein", sexes))

# Every fifth name is asked for; the others are known.
asked = np.arange(len(names)) % 5 == 0
held, labels = np.array(names), np.array(sexes)
distances = wb.pairwise_distances(held[asked], held[~asked], "levenshtein")
guesses = labels[~asked][distances.argmin(axis=1)]
error = np.mean(guesses != labels[asked])
print(f"\nNearest neighbour: {error:.1%} wrong on {asked.sum():,} held-out names.")
