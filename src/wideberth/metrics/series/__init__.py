"""Series of numbers."""
