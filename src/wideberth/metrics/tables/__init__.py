"""Rows of tables that mix numbers and categories."""
