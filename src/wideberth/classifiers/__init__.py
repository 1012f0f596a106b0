"""One folder for each idea of a classifier, with everything that only it needs inside."""
