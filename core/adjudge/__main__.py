"""``python -m adjudge``."""

import os
import sys

# Python puts the working folder first, where a file named click.py would be run instead of click.
if not sys.flags.safe_path and sys.path[:1] == [os.getcwd()]:  # noqa: PTH109 - nothing is imported yet
    del sys.path[0]

from adjudge.cli import main

main()
