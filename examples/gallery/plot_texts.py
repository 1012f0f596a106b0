"""
Texts that a few edits cannot fool
==================================

Is a paragraph from the documentation of SciPy or of scikit-learn? A linear score of words says
exactly how many edits an answer survives, and which would change it.

*Data:* paragraphs of docstrings of SciPy and scikit-learn, both under the BSD 3-clause licence.
"""

import inspect

import numpy as np
import scipy.optimize
import scipy.stats
import sklearn.decomposition
import sklearn.ensemble
import sklearn.linear_model

import wideberth as wb
from wideberth.report import Report


def paragraphs(modules):
    """Paragraphs of 80 to 400 characters of the docstrings of what is public in the modules."""
    docs = [
        inspect.getdoc(getattr(module, name)) or ""
        for module in modules
        for name in getattr(module, "__all__", ())
    ]
    found = (" ".join(part.split()) for doc in docs for part in doc.split("\n\n"))
    return sorted({part for part in found if 80 <= len(part) <= 400 and ">>>" not in part})


scipy_texts = paragraphs([scipy.optimize, scipy.stats])
sklearn_texts = paragraphs([sklearn.ensemble, sklearn.linear_model, sklearn.decomposition])
chance = np.random.default_rng(0)
n = min(len(scipy_texts), len(sklearn_texts), 500)
texts = [
    *chance.choice(scipy_texts, n, replace=False),
    *chance.choice(sklearn_texts, n, replace=False),
]
labels = np.repeat(["scipy", "scikit-learn"], n)
order = chance.permutation(len(texts))
known, new = order[: len(order) * 2 // 3], order[len(order) * 2 // 3 :]


def pick(chosen):
    """The objects at some places."""
    return [str(texts[place]) for place in chosen]


print(f"{n} paragraphs of each; for example: {texts[0]}")

# %%
model = wb.LinearLipschitzClassifier("words").fit(pick(known), labels[known])
print(f"wrong on new paragraphs: {(model.predict(pick(new)) != labels[new]).mean():.1%}")
wb.plots.CertifiedAccuracyDisplay.from_estimator(model, pick(new), labels[new], unit="edit")

# %%
# What a score is made of, the words that weigh most first:
explanation = model.explain(pick(new)[:1])[0]
print(f"{explanation.label} rather than {explanation.rival}, by {explanation.score:.2f}")
for each in explanation.pushes[:6]:
    print(f"{each.feature!r}: {each.push:+.2f}")

# %%
# The report on the objects that it did not learn from; ``wb.write_report`` writes it into a file:
Report(model, pick(new), labels[new])
