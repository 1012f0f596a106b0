"""Exact nearest-neighbour search with few distance computations.

`index.Index` is the interface. It hands queries to one of four engines (`brute`, `kdtree`,
`filter`, `pivots`), which `choosing` picks. Engines differ in which distances they compute, never
in what they return: `engine` states what they have in common. `weighted` searches for the smallest
sum of an offset and a scaled distance.
"""
