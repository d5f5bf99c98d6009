"""Criteria that measure the cost of a run: calls, steps, tokens, seconds."""
