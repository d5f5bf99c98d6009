"""Criteria that ask a judge, with prompts of their own."""
