"""Blocks of distances: measured on all cores, counted, kept within a memory budget."""
