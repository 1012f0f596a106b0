"""Nearest neighbours, exactly, from as few distances as possible."""
