"""Problems in, solutions with their proof out."""
