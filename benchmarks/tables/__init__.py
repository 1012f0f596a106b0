"""Ordinary tables on the command line, beside trees."""
