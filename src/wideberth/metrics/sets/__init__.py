"""Distances between sets of elements (`jaccard`), weighted sets (`ruzicka`), and the bits of
fingerprints (`tanimoto`).
"""
