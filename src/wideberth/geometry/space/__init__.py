"""Objects with a metric and a memory: every distance once."""
