"""``python -m wideberth`` is the command line."""

from wideberth.cli.main import main

main()
