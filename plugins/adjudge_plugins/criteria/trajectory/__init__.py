"""Criteria that compare what an agent did with what is expected: its calls, and the state that it leaves."""
