"""Nearest neighbours from as few distances as possible: engines differ in what they measure, never in what they answer."""
