"""Blocks of distances: in parallel, counted, within a memory budget."""
