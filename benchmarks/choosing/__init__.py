"""What choosing costs: the classifiers that choose their parameters, beside scikit-learn's grid
search on the same distances.
"""

INTRODUCTION = """\
# Choosing parameters

From `make bench` (`python -m benchmarks choosing`; one section: `python -m benchmarks choosing.hilbert_svm`).

Time is that of all cores for the process (`time.process_time`), with one thread for linear algebra, unless something else is
said, and it contains the distances, ours and the peer's. Compiled code is loaded before anything is measured."""
