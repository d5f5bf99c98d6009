"""Criteria by code on what an agent did: repeats, cycles, errors, claims, unknown tools and invalid arguments."""
