"""The Gower distance between rows of tables that mix numbers and categories, and how such tables
are read.
"""
