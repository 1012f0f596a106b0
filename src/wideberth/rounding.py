r"""The tolerances for rounding, each named and derived once.

An operation on doubles errs by at most :math:`u = 2^{-53} \approx 1.1 \cdot 10^{-16}` of its result. So a sum of n terms, in any
order, errs by at most :math:`n u / (1 - n u)` of the sum of their absolute values, and by :math:`(\log_2 n + 128)\, u` if it is
added up in pairs as numpy does (Higham, *Accuracy and Stability of Numerical Algorithms*, chapters 3 and 4). All tolerances
are relative: to the terms that were added, the largest eigenvalue, the scale of a program.

Tolerances that belong to a single method, such as the gap at which an iteration stops, stand beside that method. Compiled
kernels keep the values with which they were compiled: after a change here, clear their caches (``__pycache__``).
"""

#: What one operation can do to its result, relative to it: half a unit in the last place.
UNIT = 2.0**-53

#: What rounding can do to a sum or a product of vectors, relative to the sum of the absolute terms: 9,000 terms in the worst
#: order, any number of terms added up in pairs. What is smaller beside the largest term is a zero, and what differs by less is a
#: tie.
SUM_ERROR = 1e-12

#: What rounding can do to the lead of one score over another, or to a radius, relative to the terms of both: a few sums, ten at
#: most. A radius is made smaller by it before it is called proved.
RADIUS_ERROR = 1e-11

#: What rounding can do to distances in a triangle, relative to the largest. The longest computations add a million costs one
#: after the other (two series of 500,000 points, aligned): :math:`10^6 u = 1.1 \cdot 10^{-10}` for each of three sides. A metric
#: whose axioms are broken by less counts as one, so that whatever relies on a triangle inequality must allow for this.
DISTANCE_ERROR = 1e-9

#: Below this share of the largest eigenvalue, a negative one is rounding. The eigenvalues of a symmetric matrix of order n err by
#: some :math:`n^{3/2} u` of the largest, :math:`3 \cdot 10^{-10}` for n = 20,000, and the squared distances in it by
#: twice `DISTANCE_ERROR`.
EIGENVALUE_ERROR = 1e-8

#: What the simplex method may leave of a constraint or of a reduced cost, in a program scaled to 1: what HiGHS is asked for, as
#: fine as it takes. Columns priced above their limit by less are not violated, and margins and shares below it are none.
SOLVER_ERROR = 1e-9

#: What decides ties among scores of size 1 and changes nothing else: far above `RADIUS_ERROR`, far below any real lead.
TIE_BREAK = 1e-9
