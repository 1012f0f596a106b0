"""What is proved beside what is seen: errors, radii, capacities and embeddings."""
