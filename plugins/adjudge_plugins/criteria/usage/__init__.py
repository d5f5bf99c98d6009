"""Criteria that count what a run took: calls, steps, tokens, seconds."""
