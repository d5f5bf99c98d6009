"""``python -m adjudge``."""

import os
import sys

# Python puts the working folder first on the path: a file named click.py in it would be imported instead of click.
if not sys.flags.safe_path and sys.path[:1] == [os.getcwd()]:  # noqa: PTH109 - nothing is imported yet
    del sys.path[0]

from adjudge.cli import main

main()
