"""Decide on the first rows of a table which column holds what, and convert all rows by that
decision.
"""
