"""A vote of classifiers that each learned from a part of the rows, which few changed rows cannot turn."""
