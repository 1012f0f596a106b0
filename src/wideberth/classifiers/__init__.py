"""One file for each idea of a classifier; all of them enter through ``interface.py``."""
