"""What we classify: objects of any kind, their labels, and the files they come from."""
