"""Metrics on series of numbers, of any lengths and with one or several channels."""
