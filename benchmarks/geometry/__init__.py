"""Search among objects, matching of close pairs, and the memory that it takes."""
