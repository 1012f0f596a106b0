"""Contextual search: guess the value of a hidden linear function, and be told whether the guess was
too high.
"""
