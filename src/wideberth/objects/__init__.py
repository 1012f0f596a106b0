"""What we classify: samples of objects of any kind, their labels, digests to know them again, and small data sets."""
