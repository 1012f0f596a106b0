"""The command line: `main` parses it, each command has a module of its own, and `reading` reads the
objects for all of them.
"""
