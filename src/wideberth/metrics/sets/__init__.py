"""Metrics on sets: plain ones, weighted ones, and the bit vectors of molecules."""
