"""Judging logs: from what a user names to verdicts with evidence."""
