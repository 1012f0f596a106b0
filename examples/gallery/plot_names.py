"""
First names: one edit away from another answer?
===============================================

How much of the sex of its bearer is in a name, and how many typing errors does the answer survive?

*Data:* first names of the 1990 census of the United States, public domain, shipped with wideberth.
"""

import wideberth as wb
from wideberth.report import Report

names, sexes = wb.datasets.load_first_names()
known, known_sexes, new, new_sexes = names[0::8], sexes[0::8], names[1::20], sexes[1::20]

# %% Metrics for strings and three families of classifiers, on the same folds. The best one learns
# from all known names.
model = wb.AutoClassifier(
    max_time=None, candidates=["neighbors", "svm", "linear"], random_state=0
).fit(known, known_sexes)
print(model.choice_)
print(f"wrong on names that it has not seen: {(model.predict(new) != new_sexes).mean():.1%}")

# %%
# What was compared:
wb.plots.LeaderboardDisplay.from_estimator(model)

# %% A linear score of n-grams knows exactly how many edits an answer survives. With ``edits=1`` it
# learns to survive one, and pays with some right answers. Both sexes weigh the same: three names of
# four are female, and no answer is easier to keep under any edit than "female" to all of them.
plain = wb.LinearLipschitzClassifier("ngrams", class_weight="balanced").fit(known, known_sexes)
robust = wb.LinearLipschitzClassifier("ngrams", class_weight="balanced", edits=1).fit(
    known, known_sexes
)
display = wb.plots.CertifiedAccuracyDisplay.from_estimator(
    plain, new, new_sexes, unit="edit", name="plain"
)
wb.plots.CertifiedAccuracyDisplay.from_estimator(
    robust, new, new_sexes, unit="edit", name="learned for an edit", ax=display.ax_
)

# %%
# The report on the objects that it did not learn from; ``wb.write_report`` writes it into a file:
Report(model, new, new_sexes)
