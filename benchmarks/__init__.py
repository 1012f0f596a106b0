"""wideberth beside its peers, in one run. `make bench` runs all, `python -m benchmarks distances`
one.
"""
