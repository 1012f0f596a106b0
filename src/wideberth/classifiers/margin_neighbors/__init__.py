"""Nearest neighbours with a margin: ways to choose the separation, and what to remove for it
(Kontorovich & Weiss 2014).
"""
