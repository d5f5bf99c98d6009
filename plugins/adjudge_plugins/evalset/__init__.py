"""The commands ``evalset`` and ``eval_set``: look at eval sets, check, make and change them."""
