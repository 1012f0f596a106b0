"""What shape: distances between many objects, and what can be read off them."""
