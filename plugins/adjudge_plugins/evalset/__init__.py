"""The commands ``evalset`` and ``eval_set``: show, check, create and change eval sets."""
