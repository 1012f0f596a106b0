"""Plain nearest neighbours on any metric: the baseline, with radii within which its labels stay."""
