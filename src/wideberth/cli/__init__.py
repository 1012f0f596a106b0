"""The command line: its parser, one file a command, and what commands read."""
