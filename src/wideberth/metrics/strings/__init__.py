"""Strings, and sequences of tokens."""
