"""
Poisoned labels: how many can be wrong?
=======================================

Somebody has changed labels of handwritten digits. Which ones? And how many would have to be changed
before the answer to one digit is another one?

*Data:* digits of the UCI repository as scikit-learn has them, licence CC BY 4.0.
"""

import numpy as np
from sklearn.datasets import load_digits

import wideberth as wb
from wideberth.report import Report

digits = load_digits()
chance = np.random.default_rng(0)
order = chance.permutation(len(digits.target))
known, new = order[:900], order[900:1200]
images, right = digits.data[known], digits.target[known].astype(str)
new_images, new_labels = digits.data[new], digits.target[new].astype(str)

# %% A twentieth of the labels are replaced: every such 3 becomes an 8, all others any other digit.
poisoned = chance.permutation(len(known))[: len(known) // 20]
labels = right.copy()
labels[poisoned] = [
    "8" if label == "3" else chance.choice(sorted(set(right) - {label}))
    for label in right[poisoned]
]
print(f"{(labels != right).sum()} of {len(labels)} labels are wrong")

# %% Copies of a model that have not seen an object say how probable its label is. The most doubtful
# ones are looked at first:
votes = wb.NeighborsClassifier("euclidean", n_neighbors=15).fit(images, labels)
issues = wb.label_issues(votes, images, labels)
called = [issue for issue in issues if issue.is_label_issue]
hits = sum(bool(labels[issue.index] != right[issue.index]) for issue in called)
print(f"{len(called)} labels are called wrong, and {hits} of them are")

# %% Not all need to be found. A vote withstands some wrong labels, *whichever* they are: for each
# answer their number is exact, and nothing is assumed of who chose them.
flips = votes.certified_flips(new_images)
answers = votes.predict(new_images)
print(f"right in spite of them: {(answers == new_labels).mean():.1%}")
for count in (1, 2, 3, 5):
    stays = ((answers == new_labels) & (flips >= count)).mean()
    print(f"right, and proved to stay whichever {count} more labels are wrong: {stays:.1%}")

# %% The proof is tight: flip the labels of the neighbours that vote for the answer, one more than
# it withstands, and it changes.
target = int(np.flatnonzero((answers == new_labels) & (flips == 3))[0])
distances = wb.pairwise_distances(new_images[[target]], images)[0]
nearest = np.argsort(distances, kind="stable")[:15]
voters = [place for place in nearest if labels[place] == answers[target]]
others = labels[[place for place in nearest if labels[place] != answers[target]]]
rival = max(sorted(set(others)), key=list(others).count) if len(others) else "another"
for count in (int(flips[target]), int(flips[target]) + 1):
    turned = labels.copy()
    turned[voters[:count]] = rival
    copy = wb.NeighborsClassifier("euclidean", n_neighbors=15).fit(images, turned)
    print(f"{count} labels turned to {rival}: {copy.predict(new_images[[target]])[0]}")

# %% Any classifier can be made to withstand rows that were added, removed or labelled wrongly: by a
# vote of copies that learn from parts of the rows.
parts = wb.PartitionVoteClassifier(
    wb.NeighborsClassifier("euclidean", n_neighbors=1), n_parts=30
).fit(images, labels)
rows = parts.certified_rows(new_images)
stays = ((parts.predict(new_images) == new_labels) & (rows >= 3)).mean()
print(f"right, and proved to stay whichever 3 rows are added, removed or wrong: {stays:.1%}")

# %%
# The report on the objects that it did not learn from; ``wb.write_report`` writes it into a file:
Report(votes, new_images, new_labels)
