"""Nearest neighbours with a margin (Kontorovich & Weiss 2014)."""
