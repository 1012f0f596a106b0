"""Embeddings: coordinates for objects of any kind, so that every method for vectors can be used on
them.

`wideberth.KuratowskiEmbedding` has one coordinate for each reference object and works for every
metric. `wideberth.HilbertEmbedding` has few coordinates and needs a metric that is, at least
nearly, Hilbertian. Both are scikit-learn transformers.
"""
