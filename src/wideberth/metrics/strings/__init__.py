"""Metrics on strings and sequences of tokens: numbers of edits, and edits with costs."""
