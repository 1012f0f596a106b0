"""What is classified: samples of objects of any kind, their labels, digests to recognise them, and
small data sets.

The package knows how objects are stored, not how far apart they are: distances are in
`wideberth.metrics`.
"""
