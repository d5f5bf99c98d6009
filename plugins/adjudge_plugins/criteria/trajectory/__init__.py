"""Criteria that compare the agent's calls and final state with the expected ones."""
