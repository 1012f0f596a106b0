"""Metric spaces: objects with a metric, whose distances are computed once and kept as long as
memory or a cache allows.

`space.MetricSpace` is the interface. `tiles` holds the distances, in memory and on disk;
`tiled_distances` reads blocks of distances from tiles and computes what is missing. `fingerprint`
recognises objects and metrics again.
"""
