"""What the four papers print or promise, and what comes of it: the figures behind
docs/papers.md.
"""

INTRODUCTION = """# Figures of the papers

From `python -m benchmarks papers`, which makes all figures to which [the papers, statement by statement](../papers.md) refers,
[pricing](pricing.md) and [the bounds of online losses](online_bounds.md) too. A section alone: `python -m benchmarks
papers.figure3`, for example.

Prices by contextual search (Guruganesh et al., Theorem 7), from [pricing](pricing.md):

![What was not earned, against the number of offers](pricing.svg)"""
