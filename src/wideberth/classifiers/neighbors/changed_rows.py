r"""How many training labels may be wrong, and how many rows may be added or removed, before a vote of
neighbours elects another class.

**The statement.** The object x, the distances as they are computed, and the number k of votes are fixed. A *change* flips
the label of a training row to any other label, adds a row with any object and any label, or removes
a row; an object that is altered is a row removed and a row added. An answer that withstands r
changes is the answer of the classifier that learns from any rows which r changes lead to, if k of
them are left (`NeighborsClassifier` does not learn from fewer).

**The order that the rule for ties makes.** Let :math:`d_1 < d_2 < \dots` be the distances of the
shells around x, :math:`n_s(c)` the votes of the class c in the shell s, and :math:`a_s` the part of
the shell that votes: 1 before the shell of the k-th vote, there what is left of k over the weight of
the shell, and 0 beyond. By the rule (`wideberth.geometry.classes.votes`) c beats y if and only if

.. math:: \Bigl(\sum_s a_s (n_s(c) - n_s(y)),\; n_1(c) - n_1(y),\; n_2(c) - n_2(y),\; \dots,\; [c
    \text{ comes first}]\Bigr) > 0

in the lexicographic order, and the winner is the class that beats all others. So y stays if and only
if no single c beats it.

**Flips.** A flip moves no shell and changes no :math:`a_s`. One in the shell s from y to c adds to the
vector :math:`(2 a_s, 0, \dots, 2, \dots, 0)` with the 2 at s, from a third class :math:`(a_s, 0,
\dots, 1, \dots, 0)`; all other flips add no more than nothing, for the rival c. What several flips add
is a sum, and an order of vectors that sums respect is as large as possible for f flips if the f
largest are taken: by :math:`2 a_s` or :math:`a_s`, and of equal ones the nearest first. The fewest flips with a
positive result are exact.

**Added and removed rows.** For a fixed rival c and any changed training set:

- *An added row may be taken to have the label c and to lie at x.* Another label gives no more votes to
  c, no fewer to y, and moves no share. Let D(m) be the votes of c less those of y among the m nearest
  of all other rows, the shell of the m-th shared. As one more vote is of c or of y or of neither, D
  rises and falls by at most 1 for 1. An added row of c which has the part u of the votes leaves the
  others k - u of them, so the lead of c is :math:`u + D(k - u)`, which does not fall with u; and u is
  largest if no row is nearer. In the shells that compare ties the row then counts in the first.
- *A removed row may be flipped to c instead.* Flipped from y, the lead grows by twice its part a of the
  votes; removed, it grows by a and by what the next a votes change, which is at most a. A row of a
  third class adds a if flipped, and at most a if removed. One of c helps c no less if it stays: the
  next votes are at best of c too. In the shells a flip adds 2 or 1, where the row removed adds 1
  or 0.

So the fewest changes are i rows of c at x, for some i, and then the fewest flips; all i are tried.
The result is exact if rows can be added at x at the distance 0, and in any case no larger than what
holds.

**Labels that nobody has yet** are one more rival, without a vote, which comes first. All rows weigh 1,
so that votes, times the size of the shell that shares them, are whole numbers: nothing is rounded.
"""

import numpy as np

from wideberth.array_types import Indices, Sample
from wideberth.classifiers.neighbors.kernels import counting
from wideberth.geometry.classes.votes import Electorate
from wideberth.objects import sample

#: Where the shells found so far are tied after the changes, so many times as many neighbours are
#: asked for.
_FARTHER = 4


def changes_withstood(
    electorate: Electorate, queries: Sample, winners: Indices, size: int, *, adding: bool
) -> Indices:
    """The most changes of rows that leave each query its label: flips alone, or with ``adding`` rows
    added and removed too. All objects of the electorate weigh 1.

    Examples
    --------
    >>> from wideberth import Index
    >>> sides = np.array([0, 0, 0, 1])
    >>> voters = Electorate(Index([[1.0], [2.0], [3.0], [4.0]], labels=sides), sides, np.ones(4), 2)
    >>> changes_withstood(voters, np.zeros((1, 1)), np.array([0]), 3, adding=False)
    array([1])
    """
    withstood = np.empty(sample.count(queries), dtype=np.intp)
    n = len(electorate.codes)
    open_queries, wanted = np.arange(len(withstood)), electorate.needed(size)
    while len(open_queries):
        undecided, begin, most = [], 0, wanted
        for found in electorate.index.nearest_with_ties(sample.pick(queries, open_queries), wanted):
            rows = open_queries[begin : begin + len(found.starts) - 1]
            begin += len(rows)
            fewest = np.empty(len(rows), dtype=np.int64)
            tried = (electorate.n_classes + 1) * (size if adding else 1)
            count = counting(2 * len(found.indices) * tried)
            count(
                found.starts,
                found.distances,
                electorate.codes[found.indices],
                winners[rows].astype(np.int64),
                electorate.n_classes,
                size,
                adding,
                wanted >= n,
                fewest,
            )
            is_open = fewest < 0
            withstood[rows] = np.maximum(fewest - 1, 0)
            undecided.append(rows[is_open])
            most = max(most, int(np.diff(found.starts)[is_open].max(initial=0)))
        open_queries, wanted = np.concatenate(undecided), min(_FARTHER * most, n)
    return withstood
