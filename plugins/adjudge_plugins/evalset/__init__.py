"""The command ``evalset``: look at eval sets, check them, and bring old ones into the new schema."""
