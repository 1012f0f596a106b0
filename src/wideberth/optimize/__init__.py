"""Linear programs that several classifiers solve.

================================  ==========================================================================
``solution.py``                   what every solver returns: a point, its value, and a proved lower bound
``highs.py``                      the names of HiGHS, from highspy or from what stands in for it
``cold_highs.py``                 scipy's HiGHS, which starts every program from nothing
``simplex.py``                    the simplex method of HiGHS with warm starts, a deadline and Ctrl-C
``column_generation.py``          large-margin functions: which of very many columns their programs need
================================  ==========================================================================

The idea of column generation: a program over all columns (one for each training object, or more) is
too large to write down, but few columns are used at its optimum. A program with some of them is
solved; its dual multipliers *price* all other columns, and those whose price is too high would
improve the value and are added, until there are none.
"""
