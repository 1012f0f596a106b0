"""What is classified: samples of objects of any kind, their labels, and digests to recognise them.

The package knows how objects are stored, not how far apart they are: distances are in
`wideberth.metrics`.
"""
