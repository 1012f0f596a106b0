"""
DNA: where a protein binds
==========================

Is a stretch of DNA a binding site of CRP, a protein of *E. coli*, or the same letters in another
order? And how many letters may change before the answer does?

*Data:* more than 300 binding sites, in the package logomaker (Tareen & Kinney 2020), under the MIT
licence.
"""

from importlib.resources import files

import matplotlib.pyplot as plt
import numpy as np

import wideberth as wb
from wideberth.report import Report

path = files("logomaker").joinpath("examples/datafiles/crp_sites.fa")
lines = [line.strip().upper() for line in path.read_text().splitlines()]
sites = list(dict.fromkeys(line for line in lines if line.isalpha()))
shuffle = np.random.default_rng(0).permutation
sequences = sites + ["".join(shuffle(list(site))) for site in sites]
labels = np.array(["site"] * len(sites) + ["shuffled"] * len(sites))
order = shuffle(len(sequences))
known, new = order[: len(order) // 2], order[len(order) // 2 :]


def pick(chosen):
    """The objects at some places."""
    return [sequences[place] for place in chosen]


print(f"{len(sites)} sites of {len(sites[0])} letters, such as {sites[0]}")

# %% Sites are aligned, so places matter: the Hamming distance counts the places at which two
# sequences have different letters. What the doctor says of it, on these sequences:
print(wb.diagnose(pick(known)[:150], "hamming", labels[known][:150]))

# %% Two models on this distance: the one that errs least, and the one with the most answers that
# are right and proved to stay right whichever letter is changed.
settings = {"max_time": None, "random_state": 0}
accurate = wb.AutoClassifier("hamming", **settings)
accurate.fit(pick(known), labels[known])
print(accurate.choice_)

# %%
proved = wb.AutoClassifier("hamming", prefer="certified", radius=1, **settings)
proved.fit(pick(known), labels[known])
print(proved.choice_)

# %% On new sequences. The radius of an answer is in letters: replace fewer than that, at any
# places, and the answer stays. So one letter is proved where the radius is above 1.
axes = plt.subplots(layout="constrained")[1]
for name, model in {"accurate": accurate, "proved": proved}.items():
    answers, radii = model.predict(pick(new)), model.certified_radius(pick(new))
    right = answers == labels[new]
    print(f"{name}: {1 - right.mean():.1%} wrong on new sequences")
    shares = [f"{(right & (radii > letters)).mean():.1%}" for letters in (1, 2, 3)]
    print(f"  right, and proved under any 1, 2, 3 letters: {', '.join(shares)}")
    wb.plots.CertifiedAccuracyDisplay.from_estimator(
        model, pick(new), labels[new], name=name, ax=axes
    )

# %% So proofs cost about one error in a hundred here, and more than twice as many answers have one.
# Both models err less on the new sequences than on those that folds of the known ones left out: the
# folds learn from fewer sequences, and among 300 answers a few points more or less are luck. Most
# answers may change if three letters do, which is no fault of the proofs: the report below shows
# that attacks change nearly as many.
#
# How sure is a new answer? The margins of both classes:
wb.plots.MarginDisplay.from_estimator(proved, pick(new), labels[new])

# %% The report on the objects that it did not learn from; an edit in it is a letter that is
# replaced. ``wb.write_report`` writes it into a file:
Report(proved, pick(new), labels[new])
