"""
Protein sequences: peptides under BLOSUM62
==========================================

Antimicrobial peptides or parts of proteins in membranes? Amino acids that replace each other in evolution are close.

*Data:* 206 peptides of each kind, in the package modlamp (Mueller et al. 2017), under the BSD 3-clause licence.
"""

import csv
from importlib.resources import files

import numpy as np

import wideberth as wb
from wideberth.report import Report

with files("modlamp").joinpath("data/AMPvsTMset.csv").open() as file:
    rows = [row for row in csv.reader(file) if len(row) >= 2 and row[0].isalpha() and row[0].isupper()]
kinds = {"0": "membrane", "1": "antimicrobial"}
peptides, labels = [row[0] for row in rows], np.array([kinds[row[1].strip()] for row in rows])
order = np.random.default_rng(0).permutation(len(peptides))
known, new = order[: len(order) // 2], order[len(order) // 2 :]


def pick(chosen):
    """The objects at some places."""
    return [peptides[place] for place in chosen]


print(f"{len(peptides)} peptides of {len(set(labels))} kinds, such as {peptides[0]} ({labels[0]})")

# %%
# Substitutions by name; a gap may be opened at one price and go on at another. All of these are metrics.
blosum = wb.metric("weighted_edit", substitutions="BLOSUM62")
for metric in ("levenshtein", "rare_ngrams", blosum):
    model = wb.NeighborsClassifier(metric).fit(pick(known), labels[known])
    print(f"{model.metric_.name}: {(model.predict(pick(new)) != labels[new]).mean():.1%} wrong")

# %%
# The peptides as BLOSUM62 sees them:
wb.plots.MetricMapDisplay.from_objects(pick(known), labels[known], metric=blosum, name="BLOSUM62")

# %%
# The report on the objects that it did not learn from; ``wb.write_report`` writes it into a file:
Report(model, pick(new), labels[new])
