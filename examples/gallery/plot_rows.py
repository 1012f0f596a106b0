"""
Rows of a mixed table: penguins
===============================

Numbers, categories and missing values in one row: is a penguin male or female?

*Data:* Palmer penguins (Gorman, Williams & Fraser 2014; Horst, Hill & Gorman 2020), in the package
palmerpenguins, CC0.
"""

from palmerpenguins import load_penguins

import wideberth as wb
from wideberth.report import Report

table = load_penguins()
table = table[table["sex"].notna()].drop(columns="year").sample(frac=1.0, random_state=0)
rows, labels = table.drop(columns="sex").to_dict("records"), table["sex"].to_numpy()
known, known_labels, new, new_labels = rows[:220], labels[:220], rows[220:], labels[220:]
print(rows[0])

# %%
# Gower's distance is the mean over the columns, each in units of its range:
model = wb.AutoClassifier("gower", max_time=None, random_state=0).fit(known, known_labels)
print(model.choice_)
print(f"wrong on others: {(model.predict(new) != new_labels).mean():.1%}")

# %%
# What is proved of the error on penguins to come:
print(wb.certify(model, new, new_labels)[0])

# %%
# The map shows the three species; the sexes are neighbours within each.
wb.plots.MetricMapDisplay.from_objects(known, known_labels, metric="gower")

# %%
# The report on the objects that it did not learn from; ``wb.write_report`` writes it into a file:
Report(model, new, new_labels)
