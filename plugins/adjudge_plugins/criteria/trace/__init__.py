"""Criteria computed by code from a trajectory: repeats, cycles, errors, claims, unknown tools and invalid arguments."""
