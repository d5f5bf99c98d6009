"""Granularity strategies: what a judge is shown of a run (seed 003, section 3.2)."""
