"""Margin neighbours beside other ways to keep few objects, and the bounds of their papers."""
