"""A module for each format: it cuts a file into rows of cells, or into arrays."""
