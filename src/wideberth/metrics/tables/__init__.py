"""Gower's distance between rows of tables that mix numbers and categories."""
