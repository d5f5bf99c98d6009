"""Granularity strategies: the views of a run for a judge (seed 003, section 3.2)."""
