"""Entry point of ``python -m wideberth``, the same command line as ``wideberth``."""

from wideberth.cli.main import main

if __name__ == "__main__":  # the worker processes of ``wideberth serve`` import this file, too
    main()
