"""Online learners beside peers from papers and libraries, on streams."""
