"""Which metric for which objects: errors under each, and what a distance costs."""
