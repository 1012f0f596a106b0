"""American first names: how much of the sex of its bearer is in a name, and how many typing errors
does the answer survive?

Run it with ``make demo``. The names are those of the 1990 census, public domain, shipped with the
package.
"""

import math
from pathlib import Path

import numpy as np

import wideberth as wb

names, sexes = map(np.array, wb.datasets.load_first_names())
asked = np.arange(len(names)) % 5 == 0  # every fifth name is asked for; the others are known
print(
    f"{len(names):,} first names, such as {', '.join(names[:5])}; {np.mean(sexes == 'female'):.0%} "
    "are women's."
)
print(
    "The distance between two names is the number of edits that lead from one to the other; "
    "wb.diagnose examines it.\n"
)

known, theirs = names[~asked], sexes[~asked]
nearest = wb.NeighborsClassifier("levenshtein", n_neighbors=1).fit(known, theirs)
lipschitz = wb.LipschitzClassifier("levenshtein").fit(known, theirs)
model = wb.LinearLipschitzClassifier("ngrams", random_state=0).fit(
    known, theirs
)  # adds up what letters, pairs and triples say
print(f"Learned from {np.sum(~asked):,} names; wrong on {np.sum(asked):,} others:")
for what, method in (
    ("nearest neighbour", nearest),
    ("Lipschitz classifier", lipschitz),
    ("linear in n-grams", model),
):
    print(f"  {what + ':':<22}{np.mean(method.predict(names[asked]) != sexes[asked]):.1%}")
print(
    "What that proves of the last one: "
    f"{wb.certify(model, names[asked], sexes[asked], independent=True)[0].statement}"
)

print()
new = ["Annalena", "Sebastiano", "Robinson"]
answers = zip(
    new,
    model.predict(new),
    model.decision_function(new),
    model.certified_radius(new, unit="edit"),
    strict=True,
)
for name, label, score, radius in answers:
    edits = max(0, math.ceil(radius) - 1)  # what is strictly closer than the radius
    safe = (
        f"safe under any {edits} edit{'s' * (edits != 1)}"
        if edits
        else "one edit might change that"
    )
    print(f"{name:<12}{label:<8}score {abs(score):.2f}, {safe}")

wb.write_report(
    model, "report.html", names[asked], sexes[asked], title="First names", independent=True
)
print(f"\nAll of it to look at, in a browser: {Path('report.html').resolve()}")
