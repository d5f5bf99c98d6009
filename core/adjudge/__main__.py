"""``python -m adjudge``."""

from adjudge.cli import main

main()
