"""
Trees: who wrote this function?
===============================

Functions of the standard library of Python as syntax trees: is one from ``email`` or from
``unittest``? Names are not in the trees, only the kinds of nodes.

*Data:* the standard library of the Python that runs this, under the licence of the Python Software
Foundation.
"""

import ast
import email
from pathlib import Path

import numpy as np

import wideberth as wb
from wideberth.report import Report


def tree(node):
    """The kinds of nodes, as wideberth takes trees."""
    inside = [
        tree(each) for each in ast.iter_child_nodes(node) if not isinstance(each, ast.expr_context)
    ]
    return [type(node).__name__, inside]


def functions(folder):
    """The functions of a package whose trees have 15 to 60 nodes."""
    for path in sorted(Path(folder).glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and 15 <= sum(1 for _ in ast.walk(node)) <= 60:
                yield node.name, tree(node)


library = Path(email.__file__).parents[1]
found = {name: list(functions(library / name))[:150] for name in ("email", "unittest")}
trees = [each for pairs in found.values() for _, each in pairs]
labels = np.repeat(list(found), [len(pairs) for pairs in found.values()])
order = np.random.default_rng(0).permutation(len(trees))
known, new = order[: len(order) * 2 // 3], order[len(order) * 2 // 3 :]


def pick(chosen):
    """The objects at some places."""
    return [trees[place] for place in chosen]


print({name: len(pairs) for name, pairs in found.items()})

# %%
# Edits of nodes, as they are and relative to the sizes of the trees:
for normalized in (False, True):
    metric = wb.metric("tree_edit", normalized=normalized)
    model = wb.NeighborsClassifier(metric).fit(pick(known), labels[known])
    print(f"normalized={normalized}: {(model.predict(pick(new)) != labels[new]).mean():.1%} wrong")

# %%
# The functions that are most typical of each package:
typical = wb.prototypes(pick(known), metric, k=1, y=labels[known])
names = [name for pairs in found.values() for name, _ in pairs]
print([names[known[place]] for place in typical.indices])
wb.plots.MetricMapDisplay.from_estimator(model, pick(new), labels[new])

# %%
# The report on the objects that it did not learn from; ``wb.write_report`` writes it into a file:
Report(model, pick(new), labels[new])
