"""Programs that several classifiers solve: solutions with their proof, the simplex method, generated columns."""
