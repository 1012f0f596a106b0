"""First names and texts: the model is chosen, answers survive edits that are proved, and reports
show all of it.

Run it with ``make demo``. The names are those of the 1990 census, public domain, shipped with the
package; the texts are paragraphs of the documentation of SciPy and scikit-learn, which are
installed with it. What it writes goes to ``build/demo``.
"""

import csv
import inspect
import shutil
import sys
from pathlib import Path

import numpy as np
import scipy.optimize
import scipy.stats
import sklearn.decomposition
import sklearn.ensemble
import sklearn.linear_model

import wideberth as wb

folder = Path("build") / "demo"
folder.mkdir(parents=True, exist_ok=True)


def say(*lines: str) -> None:
    """Print lines at once."""
    print(*lines, sep="\n", flush=True)


# ---- 1. names: the best of many classifiers ------------------------------------------------------
names, sexes = map(np.array, wb.datasets.load_first_names())
asked = np.arange(len(names)) % 5 == 0  # every fifth name is asked for; the others are known
say(
    f"{np.sum(~asked):,} American first names, such as {', '.join(names[:5])}: whose are "
    f"{np.sum(asked):,} others?",
    "Metrics and classifiers are compared for some seconds:",
)
chooser = wb.AutoClassifier(
    max_time=3, candidates=["neighbors", "linear", "svm"], random_state=0, verbose=0
)
best = chooser.fit(names[~asked], sexes[~asked])
say(str(best.leaderboard_[:3]))
wrong = np.mean(best.predict(names[asked]) != sexes[asked])
[certificate, *_] = wb.certify(best, names[asked], sexes[asked], independent=True)
say(
    f"\nWrong on the others: {wrong:.1%}; always saying 'female', {np.mean(sexes == 'male'):.1%}.",
    f"An honest bound: {certificate.statement}",
)


# ---- 2. texts: answers that survive any edits ----------------------------------------------------
def paragraphs(*modules):
    """Paragraphs of 80 to 400 characters of the docstrings of what is public in modules, those
    that differ in case and full stops alone once.
    """
    docs = [inspect.getdoc(getattr(m, name)) or "" for m in modules for name in m.__all__]
    found = (" ".join(part.split()) for doc in docs for part in doc.split("\n\n"))
    usable = [part for part in found if 80 <= len(part) <= 400 and ">>>" not in part]
    return sorted({part.casefold().strip("`'\". "): part for part in usable}.values())


of_each = {
    "scipy": paragraphs(scipy.optimize, scipy.stats),
    "scikit-learn": paragraphs(sklearn.ensemble, sklearn.linear_model, sklearn.decomposition),
}
chance, n = np.random.default_rng(0), min(len(each) for each in of_each.values())
drawn = [(text, name) for name, each in of_each.items() for text in chance.choice(each, n, False)]
texts, libraries = zip(*(drawn[place] for place in chance.permutation(2 * n)), strict=True)
known = slice(None, -300)
new, true = texts[-300:], libraries[-300:]
say(
    f"\n{2 * n - 300:,} paragraphs of documentation: are {len(new)} others SciPy's or scikit-learn's?"
)
model = wb.LinearLipschitzClassifier("words", random_state=0).fit(texts[known], libraries[known])
curve = wb.guarantees.certified_accuracy(model, new, true, [0, 1, 2], unit="edit")
for share, after in zip(curve.certified, ("", " after any 1 edit", " after any 2"), strict=True):
    say(f"  {share:.1%} are right{', and proved to stay so' * bool(after)}{after}")
say("An edit puts in, takes out or replaces one character, whichever it is. For example:")
sentences = [text for text in new if len(text) < 150 and text.endswith(".")]
radii = model.certified_radius(sentences, unit="edit")
sure = sentences[int(np.argmax(radii))]
say(
    f"  {sure}",
    f"  is of {model.predict([sure])[0]}, and stays so under any {int(np.ceil(radii.max())) - 1} edits",
)

# ---- 3. all of it to look at ---------------------------------------------------------------------
reports = {
    "names.html": (best, names[asked], sexes[asked], "First names", True),
    "texts.html": (model, new, true, "SciPy or scikit-learn?", False),
}
for file, (shown, objects, labels, title, independent) in reports.items():
    wb.write_report(shown, folder / file, objects, labels, title=title, independent=independent)
with (folder / "names.csv").open("w", newline="", encoding="utf-8") as file:
    csv.writer(file).writerows([("name", "sex"), *zip(names[:1000], sexes[:1000], strict=True)])
command = shutil.which("wideberth", path=str(Path(sys.executable).parent)) or "wideberth"
say(
    "\nAll of it to look at, in a browser:",
    *(f"  {(folder / file).resolve()}" for file in reports),
    "The same on a file of your own, to begin with on a thousand of these names:",
    f"  {command} fit {folder / 'names.csv'} --target sex",
)
