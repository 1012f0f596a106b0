"""Metric spaces: objects with a metric, whose distances are computed once and kept as long as
memory or a cache allows.

`space.MetricSpace` is the interface. `members` holds the objects, `tiles` the distances in memory,
`tile_files` those on disk; `tiled` reads blocks of distances from tiles and computes what is
missing. `fingerprint` recognises objects and metrics again.
"""
