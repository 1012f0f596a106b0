"""American first names: how much of the sex of its bearer is in a name, and how many typing errors
does the answer survive?

Run it with ``make demo``. The names are those of the 1990 census, public domain, shipped with the
package. What it writes goes to ``build/demo``.
"""

import csv
import math
import shutil
import sys
from pathlib import Path

import numpy as np

import wideberth as wb

folder = Path("build") / "demo"
folder.mkdir(parents=True, exist_ok=True)

# ---- 1. objects, and a distance ------------------------------------------------------------------
names, sexes = map(np.array, wb.datasets.load_first_names())
asked = np.arange(len(names)) % 5 == 0  # every fifth name is asked for; the others are known
known, theirs = names[~asked], sexes[~asked]
print(
    f"{len(names):,} American first names, such as {', '.join(names[:5])}; "
    f"{np.mean(sexes == 'female'):.0%} are women's.\n"
    "The distance between two names is the number of edits that lead from one to the other.",
    flush=True,
)

# ---- 2. classifiers ------------------------------------------------------------------------------
print(f"\nLearning from {len(known):,} names; wrong on the {np.sum(asked):,} others:", flush=True)
linear = wb.LinearLipschitzClassifier("ngrams", random_state=0)  # letters, pairs and triples
for what, model in {
    "nearest neighbour": wb.NeighborsClassifier("levenshtein", n_neighbors=1),
    "Lipschitz classifier": wb.LipschitzClassifier("levenshtein"),
    "linear in n-grams": linear,
}.items():
    error = np.mean(model.fit(known, theirs).predict(names[asked]) != sexes[asked])
    print(f"  {what + ':':<22}{error:.1%}", flush=True)

# ---- 3. an honest bound on the error -------------------------------------------------------------
[certificate, *_] = wb.certify(linear, names[asked], sexes[asked], independent=True)
print(f"\nAn honest bound on the error of the last one:\n  {certificate.statement}", flush=True)

# ---- 4. for each answer a radius that is proved --------------------------------------------------
print("\nFor each answer a radius that is proved:", flush=True)
new = ["Annalena", "Sebastiano", "Robinson"]
radii = linear.certified_radius(new, unit="edit")
for name, label, radius in zip(new, linear.predict(new), radii, strict=True):
    edits = max(0, math.ceil(radius) - 1)  # what is strictly closer than the radius
    proved = (
        f"stays {label} under any {'single edit' if edits == 1 else f'{edits} edits'}"
        if edits
        else f"{label}, but one edit might change that"
    )
    print(f"  {name:<12}{proved}", flush=True)

# ---- 5. all of it to look at ---------------------------------------------------------------------
report = folder / "report.html"
wb.write_report(linear, report, names[asked], sexes[asked], title="First names", independent=True)
with (folder / "names.csv").open("w", newline="", encoding="utf-8") as file:
    csv.writer(file).writerows([("name", "sex"), *zip(names[:1000], sexes[:1000], strict=True)])
command = shutil.which("wideberth", path=str(Path(sys.executable).parent)) or "wideberth"
print(
    f"\nAll of it to look at, in a browser: {report.resolve()}\n"
    "The same on a file of your own, to begin with on a thousand of these names:\n"
    f"  {command} fit {folder / 'names.csv'} --target sex"
)
