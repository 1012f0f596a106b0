"""What linear scores count: words, n-grams or coordinates, and what single edits do to these
counts.
"""
