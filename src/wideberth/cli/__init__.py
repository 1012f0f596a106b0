"""The command line: `main` runs it, each command has a file of its own, and `data`, `models` and
`values` understand what people type for all of them.
"""
