"""How time and memory grow with the number of objects."""
