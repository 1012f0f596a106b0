"""Plain nearest neighbours on any metric, the baseline, with certified radii."""
