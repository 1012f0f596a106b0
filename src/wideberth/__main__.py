"""Entry point of ``python -m wideberth``, the same command line as ``wideberth``."""

from wideberth.cli.main import main

main()
