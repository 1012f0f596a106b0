"""
DNA: where a protein binds
==========================

Is a stretch of DNA a binding site of CRP, a protein of *E. coli*, or the same letters in another order?

*Data:* more than 300 binding sites, in the package logomaker (Tareen & Kinney 2020), under the MIT licence.
"""

from importlib.resources import files

import numpy as np

import wideberth as wb
from wideberth.report import Report

lines = files("logomaker").joinpath("examples/datafiles/crp_sites.fa").read_text().splitlines()
sites = [line.strip().upper() for line in lines if line.strip().isalpha()]
shuffle = np.random.default_rng(0).permutation
sequences = sites + ["".join(shuffle(list(site))) for site in sites]
labels = np.array(["site"] * len(sites) + ["shuffled"] * len(sites))
order = shuffle(len(sequences))
known, new = order[: len(order) // 2], order[len(order) // 2 :]


def pick(chosen):
    """The objects at some places."""
    return [sequences[place] for place in chosen]


print(f"{len(sites)} sites of {len(sites[0])} letters, such as {sites[0]}")

# %%
# Sites are aligned, so places matter: Hamming distances. The radius is a number of letters that may be changed at will.
model = wb.AutoClassifier(max_time=None, candidates=["neighbors", "svm", "lp"], random_state=0).fit(pick(known), labels[known])
print(model.choice_)
print(f"wrong on new sequences: {(model.predict(pick(new)) != labels[new]).mean():.1%}")

# %%
# What the doctor says of the distance, on these sequences:
print(wb.diagnose(pick(known)[:150], "hamming", labels[known][:150]))

# %%
# How sure is a new answer? The margins of both classes:
wb.plots.MarginDisplay.from_estimator(model, pick(new), labels[new])

# %%
# The report on the objects that it did not learn from; ``wb.write_report`` writes it into a file:
Report(model, pick(new), labels[new])
