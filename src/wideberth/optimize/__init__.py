"""Linear programs that several classifiers solve: the simplex method, generated columns, and solutions with their proof."""
