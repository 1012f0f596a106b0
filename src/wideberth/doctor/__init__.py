"""Is this distance a metric, what may be done with it, and what is odd in the data."""
