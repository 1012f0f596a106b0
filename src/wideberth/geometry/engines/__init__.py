"""Ways to find neighbours: they differ in which distances they measure, never in what they answer."""
